"""``warm``: compiling ahead of use."""

from __future__ import annotations

from typing import Annotated

import typer

from rat_envs.commands.arguments import known_game
from rat_envs.commands.output import counted
from rat_envs.engine.compile import compiling
from rat_envs.engine.registry import known_versions
from rat_envs.warming import warm as compile_ahead


def known_games(names: list[str] | None) -> list[str]:
    """The names of games, including those in code."""
    return [known_game(name) or name for name in names or ()]


def warm(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]...", callback=known_games, help="Games by name, or in code; all, if none."),
    ] = None,
) -> None:
    """Compile games, their agents and their search now, so that later commands do not have to.

    Several are compiled at once, one on each core that may be used (RAT_ENVS_THREADS). Code that is compiled already
    takes no time.

    Example: rat-envs warm rattus brave_rats
    """
    if not compiling():
        print("Nothing is compiled with NUMBA_DISABLE_JIT=1.")
        return
    names = list(dict.fromkeys(games or known_versions()))
    done: list[str] = []
    with counted(f"Compiling {', '.join(names)}") as count:
        count(0, len(names))

        def told(name: str, seconds: float) -> None:
            done.append(name)
            count(len(done), len(names))
            print(f"{name}: {seconds:.0f} s", flush=True)

        compile_ahead(names, told)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(warm)
