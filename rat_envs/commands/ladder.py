"""``ladder``: measuring the strength of all agents in all games, with results in docs/ladder.json and
docs/ladder.md."""

from __future__ import annotations

from typing import Annotated

import typer

from rat_envs.commands.arguments import not_nan
from rat_envs.commands.output import counted, interruptible, kept_in
from rat_envs.docs import write_pages
from rat_envs.engine.errors import demand_clone

#: The folder in ``runs`` in which games are kept.
GAMES = "matches_of_the_ladder"


def ladder(
    minutes: Annotated[
        float, typer.Option(min=0.0, callback=not_nan, help="Minutes after which no new match begins.")
    ] = float("inf"),
) -> None:
    """Play the missing matches of the ladder and write its page.

    This needs a clone of the repository, because it changes docs/. Cheap matches are played first. Ctrl-C loses the
    games in progress; the same command continues. Games are saved in runs/matches_of_the_ladder, so a match that now
    needs more games plays only the new ones.

    Example: rat-envs ladder --minutes 60
    """
    from rat_envs.ladder.climb import LADDER, climb
    from rat_envs.ladder.rungs import all_pairings

    clone = demand_clone("rat-envs ladder")
    docs, games = clone / "docs", clone / "runs" / GAMES
    try:
        with interruptible(kept_in(games)), counted("matches") as progress:
            left = climb(docs / LADDER, all_pairings(), minutes, progress, games)
    finally:
        write_pages(docs)
    missing = "1 match is missing." if left == 1 else f"{left} matches are missing."
    print(missing if left else "The ladder is complete.")


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(ladder)
