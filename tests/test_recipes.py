"""Recipes learn where their library is installed, and the table of what was run is of the scripts that are there."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rat_envs.docs import DOCS
from rat_envs.engine.errors import CheckpointError, UnknownNameError
from rat_envs.engine.folders import locked_file
from rat_envs.recipes import RESULTS, Recipe, all_recipes, environments, load_results
from rat_envs.recipes.environments import demand, last_words
from rat_envs.recipes.recipe import RecipeError, measured
from rat_envs.recipes.run import run_missing

pytest.importorskip("tomllib", reason="recipes are run with Python 3.11 or newer")

ROOT = DOCS.parent
RECIPES = all_recipes(DOCS)
#: What each recipe requires first; CleanRL's way of writing requires PyTorch alone.
LIBRARIES = {"agilerl", "open_spiel", "pettingzoo", "ray[rllib]", "stable-baselines3", "supersuit", "tianshou"} | {
    "torch",
    "torchrl",
}
each_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)


def pins(requirements: list[str]) -> dict[str, str]:
    """Versions by name."""
    return dict(each.split("==") for each in requirements)


def is_installed(name: str) -> bool:
    """Whether there is such a distribution, in whatever version."""
    try:
        return bool(importlib.metadata.version(name.partition("[")[0]))
    except importlib.metadata.PackageNotFoundError:
        return False


# The scripts and the table


def test_there_is_a_recipe_for_every_library() -> None:
    assert {recipe.requirements[0].partition("==")[0] for recipe in RECIPES} == LIBRARIES


@each_recipe
def test_a_recipe_names_its_versions_and_is_short(recipe: Recipe) -> None:
    assert recipe.name.startswith("with_") and recipe.title and recipe.shows
    assert 0.1 <= recipe.margin <= 1
    assert len(recipe.code.splitlines()) <= 110
    tested = pins(
        re.findall(r"^([\w-]+==[\w.]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for name, version in pins(recipe.requirements).items():
        assert tested.get(name, version) == version, "as in constraints.txt"


@each_recipe
def test_the_table_is_of_this_script(recipe: Recipe) -> None:
    result = load_results(DOCS)[recipe.name]
    assert result["code"] == recipe.hash, f"run python -m rat_envs.recipes {recipe.name}"
    if result["failed"]:
        return  # the table says why
    assert result["runs"]
    for run in result["runs"]:
        assert measured(run["printed"]) == (run["before"], run["after"])
        assert run["after"] - run["before"] >= recipe.margin
    for name, version in pins(recipe.requirements).items():
        assert result["versions"][name.partition("[")[0]].partition("+")[0] == version


@each_recipe
def test_a_recipe_learns(recipe: Recipe) -> None:
    for name in pins(recipe.requirements):
        if not is_installed(name):
            pytest.skip(f"{name} is not installed")
    script = DOCS / "recipes" / f"{recipe.name}.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, str(script), "4"], env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    before, after = measured(ended.stdout)
    assert after - before >= recipe.margin


# What runs them

SCRIPT = '''# /// script
# dependencies = ["numpy", "rat-envs"]
#
# [tool.rat-envs]
# margin = 0.5
# ///
"""NumPy: something is learnt.

More about it.
"""
'''


class Stub:
    """Stands for virtual environments: everything is run by this Python."""

    def __init__(self, clone: Path, folder: Path) -> None:
        self.made = folder

    def install(self, recipe: Recipe) -> Path:
        """Nothing to do, but for one recipe that cannot be installed."""
        if recipe.name == "with_nothing":
            raise RecipeError("No matching distribution found for nothing.")
        return Path(sys.executable)

    def versions(self, python: Path, recipe: Recipe) -> dict[str, str]:
        """Some version."""
        return {"numpy": "2.0"}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clone with five recipes, of which two work, and the lines that tell how far it is."""
    folder = tmp_path / "docs" / "recipes"
    folder.mkdir(parents=True)
    endings = {
        "with_nothing": "",
        "with_error": "raise SystemExit('It did not work.')",
        "with_words": "print('done')",
        "with_little": "print('mean return: before +0.10, after +0.20')",
        "with_numpy": "import sys\nprint('noise')\nprint(f'mean return: before -0.0{sys.argv[1]}, after +0.97')",
    }
    for name, ending in endings.items():
        (folder / f"{name}.py").write_text(SCRIPT + ending + "\n", encoding="utf-8")
    monkeypatch.setattr("rat_envs.recipes.run.Environments", Stub)
    lines: list[str] = []

    def run(*names: str, **options: Any) -> list[str]:
        return run_missing(tmp_path, names, progress=lines.append, **options)

    return SimpleNamespace(docs=tmp_path / "docs", folder=folder, lines=lines, run=run)


def test_recipes_are_run_past_those_that_fail_and_not_again(clone: SimpleNamespace) -> None:
    failed = {"with_nothing", "with_error", "with_words", "with_little"}
    assert set(clone.run(seeds=2)) == failed
    results = load_results(clone.docs)
    assert results["with_numpy"]["versions"] == {"numpy": "2.0"}
    assert [run["after"] - run["before"] for run in results["with_numpy"]["runs"]] == pytest.approx([0.97, 0.98])
    reasons = {name: results[name]["failed"] for name in failed}
    assert reasons["with_nothing"] == "No matching distribution found for nothing."
    assert reasons["with_error"] == "It did not work."
    assert reasons["with_words"].startswith("its last line should end in 'before …, after …', and is ")
    assert reasons["with_little"].startswith("with seed 0 it has not gained 0.5: ")

    table = (clone.folder / "index.md").read_text(encoding="utf-8")
    row = r"\[NumPy\]\(with_numpy.md\) \| numpy 2.0 \| something is learnt \| 0 \| mean .* \| 0.97 \(2 seeds\) \|"
    assert re.search(row, table)
    assert "| not run: It did not work. |" in table
    page = (clone.folder / "with_numpy.md").read_text(encoding="utf-8")
    assert "# NumPy\n\nSomething is learnt.\n\nMore about it.\n" in page
    assert "print('noise')" in page and '"""' not in page

    clone.lines.clear()
    assert clone.run(seeds=2) == []
    assert len(clone.lines) == 5 and all("has a result of" in line for line in clone.lines)


def test_a_recipe_is_run_again_when_its_code_has_changed(clone: SimpleNamespace) -> None:
    path = clone.folder / "with_numpy.py"
    clone.run("with_numpy", seeds=1)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("More about it", "Something else"), encoding="utf-8")
    clone.run("with_numpy", seeds=1)
    assert clone.lines[-1].startswith("with_numpy: has a result of ")
    path.write_text(text.replace("0.97", "0.98"), encoding="utf-8")
    clone.run("with_numpy", seeds=1)
    assert load_results(clone.docs)["with_numpy"]["runs"][0]["after"] == 0.98
    clone.run("with_numpy", seeds=3)  # with more seeds than before
    assert len(load_results(clone.docs)["with_numpy"]["runs"]) == 3


def test_what_cannot_be_run_is_refused_in_a_sentence(clone: SimpleNamespace) -> None:
    with pytest.raises(UnknownNameError, match="There is no recipe 'with_jam': the recipes are with_error, "):
        clone.run("with_jam")
    with locked_file(clone.folder / RESULTS), pytest.raises(CheckpointError, match="Another run is writing to"):
        clone.run()


def test_an_error_comes_down_to_its_last_words() -> None:
    assert last_words("Looking\nERROR: No matching distribution found for x\n\n[notice] a new pip\n") == (
        "ERROR: No matching distribution found for x."
    )
    assert last_words("Traceback\n  File x\nValueError: y.\n\n") == "ValueError: y."
    assert last_words("") == ""


def test_on_windows_the_python_of_an_environment_lies_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "build_wheel", lambda clone, folder: folder / "ours.whl")
    monkeypatch.setattr(environments, "demand", lambda *_: "")
    monkeypatch.setattr(sys, "platform", "win32")
    python = environments.Environments(ROOT, tmp_path).install(RECIPES[0])
    assert python == tmp_path / RECIPES[0].environment / "Scripts" / "python.exe"


def test_what_a_recipe_prints_is_read_in_the_encoding_it_is_written_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")  # as on Windows, where it depends on the country
    assert demand([sys.executable, "-c", "print('0.5 \\u00b1 0.1')"], tmp_path) == "0.5 ± 0.1\n"
