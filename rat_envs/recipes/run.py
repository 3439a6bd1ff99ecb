"""Runs recipes, each in a virtual environment of its own, which is removed again."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rat_envs.engine.errors import RatEnvsError, UnknownNameError, reason_of
from rat_envs.recipes.recipe import RECIPES, Recipe, all_recipes, measured
from rat_envs.recipes.results import keep_result, load_results

__all__ = ["SEEDS", "run_missing"]

SEEDS = 3
#: Minutes after which a script is given up; recipes should take less than two.
LIMIT = 10
#: What a result names versions of besides the requirements, where they are installed.
ALSO = ("gymnasium", "numpy", "pettingzoo", "torch")
#: What of this environment is not the recipe's.
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_DISABLE_JIT")


class RecipeError(RatEnvsError):
    """A recipe cannot be installed, does not end well, or does not learn."""


def run_missing(
    clone: Path,
    names: Sequence[str] = (),
    again: bool = False,
    progress: Callable[[str], None] = print,
) -> list[str]:
    """Run the recipes whose code has no result yet, and keep each result as soon as it is there.

    Args:
        clone: the folder of the clone.
        names: of recipes; all if there is none.
        again: run those too that have a result.
        progress: called with a line for each thing done.

    Returns:
        The names of those that have failed now.

    Raises:
        UnknownNameError: there is no such recipe.
    """
    docs, failed = clone / "docs", []
    for recipe in chosen(all_recipes(docs), names):
        before = load_results(docs).get(recipe.name)
        if before and before["code"] == recipe.hash and not again:
            progress(f"{recipe.name}: has a result of {before['date']}")
            continue
        result = run_recipe(clone, recipe, lambda line, name=recipe.name: progress(f"{name}: {line}"))  # type: ignore[misc]
        keep_result(docs, result)
        if result["failed"]:
            failed.append(recipe.name)
            progress(f"{recipe.name}: FAILED: {result['failed']}")
    return failed


def chosen(recipes: Sequence[Recipe], names: Sequence[str]) -> list[Recipe]:
    """The recipes of these names.

    Raises:
        UnknownNameError: there is no such recipe.
    """
    known = {recipe.name: recipe for recipe in recipes}
    for name in names:
        if name not in known:
            raise UnknownNameError(f"There is no recipe {name!r}: the recipes are {', '.join(known)}.")
    return [known[name] for name in names or known]


def run_recipe(clone: Path, recipe: Recipe, progress: Callable[[str], None]) -> dict[str, Any]:
    """Make the environment, run the script with each seed, and remove the environment; what came of it."""
    result: dict[str, Any] = {
        "recipe": recipe.name,
        "code": recipe.hash,
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "versions": {},
        "failed": "",
        "runs": [],
    }
    with tempfile.TemporaryDirectory(prefix="recipe-") as folder:
        try:
            progress(f"installing {', '.join([*recipe.requirements, 'rat-envs'])} ...")
            python = make_environment(clone, recipe, Path(folder))
            result["versions"] = installed_versions(python, recipe)
            for seed in range(SEEDS):
                run = run_script(python, clone / "docs" / RECIPES / f"{recipe.name}.py", seed)
                result["runs"].append(run)
                progress(f"seed {seed}, {run['seconds']:.0f} s: {run['printed']}")
                if run["after"] - run["before"] < recipe.margin:
                    raise RecipeError(f"seed {seed} has not gained {recipe.margin}: {run['printed']}")
        except RecipeError as error:
            result["failed"] = str(error)
    return result


def make_environment(clone: Path, recipe: Recipe, folder: Path) -> Path:
    """A virtual environment with what the recipe needs; its Python.

    Raises:
        RecipeError: something cannot be installed.
    """
    python = folder / "venv" / "bin" / "python"
    demand([sys.executable, "-m", "venv", str(folder / "venv")], folder)
    copy_sources(clone, folder / "sources")
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    demand([*command, *recipe.requirements, str(folder / "sources")], folder)
    return python


def copy_sources(clone: Path, target: Path) -> None:
    """Copy what git does not ignore: building in the clone would leave folders behind."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if os.path.lexists(clone / name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(clone / name, target / name, follow_symlinks=False)


def demand(command: Sequence[str], folder: Path) -> str:
    """Run a command in ``folder`` with nothing of this environment; what it prints.

    Raises:
        RecipeError: it ends with an error, or never.
    """
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    try:
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60 * LIMIT
        )
    except subprocess.TimeoutExpired:
        raise RecipeError(f"{Path(command[-1]).name} had not ended after {LIMIT} minutes.") from None
    if ended.returncode:
        raise RecipeError(last_words(ended.stderr) or f"{command[0]} ended with exit code {ended.returncode}.")
    return ended.stdout


def last_words(stderr: str) -> str:
    """What an error comes down to: pip's first line that says so, or the last line of a traceback."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return reason_of((errors or lines[-1:] or [""])[0]) + "."


def installed_versions(python: Path, recipe: Recipe) -> dict[str, str]:
    """The versions of what the recipe requires, the library first, and of what all have in common."""
    names = [re.split(r"[\[<>=!~ ;]", each)[0] for each in recipe.requirements]
    code = (
        "import importlib.metadata, sys\n"
        "for name in dict.fromkeys(sys.argv[1:]):\n"
        "    try: print(name, importlib.metadata.version(name))\n"
        "    except importlib.metadata.PackageNotFoundError: pass\n"
    )
    printed = demand([str(python), "-c", code, *names, *ALSO], python.parent)
    return dict(line.split(" ", 1) for line in printed.splitlines())


def run_script(python: Path, script: Path, seed: int) -> dict[str, Any]:
    """Run a script with a seed, and read its last line.

    Raises:
        RecipeError: it ends with an error, or says something else.
    """
    started = time.monotonic()
    printed = demand([str(python), str(script), str(seed)], python.parent)
    seconds = round(time.monotonic() - started, 1)
    before, after = measured(printed)
    return {
        "seed": seed,
        "seconds": seconds,
        "before": before,
        "after": after,
        "printed": printed.strip().splitlines()[-1],
    }
