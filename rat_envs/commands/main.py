"""``rat-envs``: one module for each group of commands."""

from __future__ import annotations

from typing import Annotated

import typer

import rat_envs
from rat_envs.command_line import SETTINGS, run
from rat_envs.commands import (
    arena,
    bench,
    benchmark,
    best_response,
    exact,
    export,
    ladder,
    play,
    policies,
    records,
    runs,
    tables,
    train,
    transitions,
    warm,
)

__all__ = ["app", "main"]

app = typer.Typer(
    name="rat-envs",
    no_args_is_help=True,
    **SETTINGS,
)
for module in (
    tables,
    records,
    export,
    transitions,
    play,
    exact,
    train,
    best_response,
    runs,
    arena,
    ladder,
    policies,
    bench,
    benchmark,
    warm,
):
    module.add_to(app)


def show_version(wanted: bool) -> None:
    """Print the version of the package, and do nothing else."""
    if wanted:
        print(rat_envs.__version__)
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Four rat-themed tabletop games as reinforcement-learning environments."""


def main() -> None:
    """Run the command line and leave Python, with an exit code."""
    run(app, "rat-envs")


if __name__ == "__main__":
    main()
