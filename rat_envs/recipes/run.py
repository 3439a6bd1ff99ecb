"""Running recipes in virtual environments of their own, and saving each result at once."""

from __future__ import annotations

import contextlib
import datetime
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.folders import locked_file
from rat_envs.recipes.environments import Environments, demand
from rat_envs.recipes.recipe import RECIPES, Recipe, RecipeError, all_recipes, measured
from rat_envs.recipes.results import RESULTS, keep_result, load_results

__all__ = ["SEEDS", "run_missing"]

SEEDS = 3


def run_missing(
    clone: Path,
    names: Sequence[str] = (),
    again: bool = False,
    seeds: int = SEEDS,
    folder: Path | None = None,
    progress: Callable[[str], None] = print,
) -> list[str]:
    """Run the recipes whose code has no result yet.

    Args:
        clone: the folder of the clone.
        names: names of recipes; all if empty.
        again: also run those that have a result.
        seeds: the number of seeds with which each script is run.
        folder: where virtual environments are made and kept; if None, in a folder that is removed.
        progress: called with a line for each step done.

    Returns:
        The names of those that have failed now.

    Raises:
        UnknownNameError: there is no such recipe.
        CheckpointError: another process writes the results.
    """
    docs, failed = clone / "docs", []
    known = load_results(docs)
    left = []
    for recipe in chosen(all_recipes(docs), names):
        before = known.get(recipe.name)
        if again or before is None or before["code"] != recipe.hash:
            left.append(recipe)
        elif before["failed"] or len(before["runs"]) >= seeds:
            progress(f"{recipe.name}: has a result of {before['date']}")
        else:
            left.append(recipe)
    with contextlib.ExitStack() as stack:
        stack.enter_context(locked_file(docs / RECIPES / RESULTS))
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recipes-")))
        environments = Environments(clone, place) if left else None
        for recipe in left:
            assert environments is not None
            progress(f"{recipe.name}: installing {', '.join(recipe.requirements)} ...")
            result = run_recipe(environments, docs, recipe, seeds, progress)
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


def run_recipe(
    environments: Environments, docs: Path, recipe: Recipe, seeds: int, progress: Callable[[str], None]
) -> dict[str, Any]:
    """Install what the recipe needs and run its script with each seed; return the result, which is saved after each
    seed."""
    result: dict[str, Any] = {
        "recipe": recipe.name,
        "code": recipe.hash,
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "versions": {},
        "failed": "",
        "runs": [],
    }
    try:
        python = environments.install(recipe)
        result["versions"] = environments.versions(python, recipe)
        for seed in range(seeds):
            run = run_script(python, docs / RECIPES / f"{recipe.name}.py", seed)
            result["runs"].append(run)
            keep_result(docs, result)
            progress(f"{recipe.name}: seed {seed}, {run['seconds']:.0f} s: {run['printed']}")
            if run["after"] - run["before"] < recipe.margin:
                raise RecipeError(f"with seed {seed} it has not gained {recipe.margin}: {run['printed']}.")
    except RecipeError as error:
        result["failed"] = str(error)
        keep_result(docs, result)
    return result


def run_script(python: Path, script: Path, seed: int) -> dict[str, Any]:
    """Run a script with a seed, and read its last line.

    Raises:
        RecipeError: it ends with an error, or its last line says something else.
    """
    started = time.monotonic()
    printed = demand([str(python), str(script), str(seed)], python.parent)
    seconds = round(time.monotonic() - started, 1)
    before, after = measured(printed)
    last = printed.strip().splitlines()[-1]
    return {"seed": seed, "seconds": seconds, "before": before, "after": after, "printed": last}
