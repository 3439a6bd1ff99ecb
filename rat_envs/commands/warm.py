"""``warm``: compiling ahead."""

from __future__ import annotations

from typing import Annotated

import typer

from rat_envs.commands.output import counted
from rat_envs.engine.compile import compiling
from rat_envs.engine.registry import known_versions
from rat_envs.warming import warm as compile_ahead


def warm(
    games: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Games by name; all, if none.")] = None,
) -> None:
    """Compile games, their agents and their search now, so that nothing has to wait for it later.

    Several are compiled at once, one on each core that may be used (RAT_ENVS_THREADS). What is compiled already takes
    no time.

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
