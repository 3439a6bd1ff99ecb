"""Every example on the pages for readers runs: Python and what stands in blocks of ``sh``; other blocks are not run.

A page's blocks run one after another in one empty folder, as a reader would run them. A block of Python whose first
line is the name of a file, ``# my_agents.py``, is saved under that name too. Of pages for reference, what is Python
runs, each block as a file of its own.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rat_envs import docs

FIRST = [docs.DOCS / f"{name}.md" for name in ("getting_started", "language_models", "changing_a_game", "offline")]
PAGES = [*FIRST, *sorted(docs.DOCS.glob("tutorials/*.md"))]
#: Those of other pages run in tests of what the pages are about.
REFERENCE = [docs.DOCS / f"{name}.md" for name in ("adding_a_game", "architecture", "arena", "from_outside")]
ROOT = docs.DOCS.parent
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: An update of as many games as is usual would be many more steps than a page asks for, and take longer.
SHORTER = "--set num_games=128 --set evaluations=1"
NAME = re.compile(r"# (\w+\.py)\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with the clone's examples, where ``rat-envs`` is as pip installs it."""
    command = tmp_path / "bin" / "rat-envs"
    command.parent.mkdir()
    script = f'#!{sys.executable}\nfrom rat_envs.commands.main import main\n\nif __name__ == "__main__":\n    main()\n'
    command.write_text(script, encoding="utf-8")
    command.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    (work / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.setattr(sys, "path", [str(work), *sys.path])
    before = set(sys.modules)
    yield work
    for name in set(sys.modules) - before:  # what a page wrote is of no other page
        place = getattr(sys.modules[name], "__file__", None)
        if place and Path(place).is_relative_to(work):
            del sys.modules[name]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_on_the_page_run(page, folder):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks
    for number, (language, text) in enumerate(blocks, 1):
        if language == "sh":
            run_in_shell(shortened(page, text))
            continue
        if "import minari" in text and not importlib.util.find_spec("minari"):
            continue
        if named := NAME.match(text):
            (folder / named.group(1)).write_text(text, encoding="utf-8")
        exec(compile(text, f"{page.name}, block {number}", "exec"), {"__name__": "tutorial"})


def shortened(page: Path, text: str) -> str:
    """Commands that take less time."""
    if page.stem == "offline":
        text = re.sub(r"000\b", "00", text)  # a tenth of the games
    return text.replace("--steps 10000", f"--steps 10000 {SHORTER}")


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.stem)
def test_python_on_a_page_for_reference_runs(page, folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "examples" / "kuhn_poker"), prepend=os.pathsep)
    blocks = [text for language, text in BLOCK.findall(page.read_text(encoding="utf-8")) if language == "python"]
    assert blocks
    for number, text in enumerate(blocks, 1):
        (folder / f"block_{number}.py").write_text(text, encoding="utf-8")  # as a file, from which processes can start
        run_in_shell(f"'{sys.executable}' block_{number}.py")


def run_in_shell(text: str) -> None:
    """Run commands, each of which has to succeed."""
    process = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert process.returncode == 0, f"{text}\n{process.stdout[-2000:]}\n{process.stderr[-2000:]}"


@pytest.mark.parametrize("page", sorted(docs.DOCS.glob("playing/*.md")), ids=lambda page: page.stem)
def test_the_command_to_play_begins_a_game(page, folder):
    """Every page has one command that plays at the terminal; here the player leaves the table at once."""
    commands = re.findall(r"^rat-envs play .*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    (command,) = (each for each in commands if "--browser" not in each)
    process = subprocess.run(["bash", "-c", command], capture_output=True, text=True, input="q\n")
    assert process.returncode == 0, process.stderr


def test_curves_of_several_seeds_are_drawn_also_where_a_run_has_fewer_evaluations(folder, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MPLBACKEND", "agg")
    (text,) = (
        text for _, text in BLOCK.findall((docs.DOCS / "learners.md").read_text(encoding="utf-8")) if "plt" in text
    )
    names = re.search(r"--folder (runs/\S*seed\S*)", (docs.DOCS / "tutorials" / "train.md").read_text(encoding="utf-8"))
    assert names and names[1] == "runs/rattus-$seed"
    for seed, evaluations in ((1000, 4), (2000, 3)):
        run = folder / names[1].replace("$seed", str(seed))
        run.mkdir(parents=True)
        rows = [{"opponent": "greedy", "steps": 10 * step, "mean_return": 0.5} for step in range(evaluations)]
        (run / "curve.json").write_text(json.dumps(rows), encoding="utf-8")
    held: dict[str, object] = {}
    exec(text, held)
    assert held["steps"] == [0, 10, 20]
