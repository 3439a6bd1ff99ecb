"""Running recipes and writing their results: ``python -m rat_envs.recipes``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from rat_envs.command_line import run_alone
from rat_envs.engine.errors import RatEnvsError, demand_clone
from rat_envs.recipes.results import COMMAND
from rat_envs.recipes.run import SEEDS, run_missing


def recipes(
    names: Annotated[
        list[str] | None, typer.Argument(help="Recipes by the names of their scripts; all by default.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Run those too that have a result.")] = False,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds for each script.")] = SEEDS,
    folder: Annotated[
        Path | None, typer.Option(help="Where virtual environments are made and stay; by default they are removed.")
    ] = None,
) -> None:
    """Run the recipes in docs/recipes in virtual environments of their own, and write the results and the pages.

    A recipe whose code has a result is not run again, so the command can be interrupted and repeated. Each script is
    run with several seeds, and has to learn with each of them.

    Example: python -m rat_envs.recipes with_tianshou --folder build/recipes
    """
    if sys.version_info < (3, 11):
        raise RatEnvsError("Recipes are run with Python 3.11 or newer.")
    failed = run_missing(demand_clone(COMMAND), names or [], again, seeds, folder, show)
    if failed:
        raise RatEnvsError(f"these recipes have failed: {', '.join(failed)}.")


def show(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave Python with an exit code."""
    run_alone(recipes, COMMAND, arguments)


if __name__ == "__main__":
    main()
