"""``policies``: training and measuring the policies that come with the package, and writing their cards and page."""

from __future__ import annotations

from typing import Annotated

import typer

from rat_envs.commands.arguments import not_nan
from rat_envs.commands.output import counted, leave_interrupted
from rat_envs.docs import write_pages
from rat_envs.engine.errors import demand_clone, needing
from rat_envs.engine.registry import get_game
from rat_envs.ladder.shipping import Shipped, all_shipped, measure_again, ship, trainings_on_card
from rat_envs.ladder.trainings import again


def policies(
    games: Annotated[list[str] | None, typer.Argument(help="Only the policies of these games.")] = None,
    players: Annotated[int | None, typer.Option(help="Only those for this number of players.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=0.0, callback=not_nan, help="Minutes of training, in place of those on the card."),
    ] = None,
    only_measure: Annotated[
        bool, typer.Option("--measure", help="Do not train: measure the existing policies.")
    ] = False,
) -> None:
    """Train the policies that come with the package as their cards say, measure them, and write docs/policies.md.

    This needs a clone of the repository. The runs of each policy are in runs/policies: Ctrl-C saves them, and the same
    command goes on.

    Example: rat-envs policies rattus --players 2 --minutes 60
    """
    if only_measure and minutes is not None:
        raise typer.BadParameter("with --measure nothing is trained.", param_hint="--minutes")
    docs = demand_clone("rat-envs policies") / "docs"
    names = [get_game(name).name for name in games or []]
    for shipped in all_shipped():
        if (not names or shipped.game.name in names) and players in (None, shipped.players):
            if only_measure:
                with counted(shipped.name) as progress:
                    measure_again(shipped, progress)
            else:
                make(shipped, minutes)
            write_pages(docs)


def make(shipped: Shipped, minutes: float | None) -> None:
    """Train, measure and keep one policy."""
    with needing("Training", "training"):
        from rat_envs.training.progress import show_progress
        from rat_envs.training.run import train as run_training

    trainings = trainings_on_card(shipped)
    for training in trainings:
        print(f"{shipped.game.title}, {shipped.players} players: {training['folder']}")
        options = again(shipped.game, training, minutes if training is trainings[-1] else None)
        with show_progress() as progress:
            result = run_training(options, progress)
        if result.ended_by is not None:
            leave_interrupted("Interrupted: the same command goes on.", result.ended_by)
    with counted("yardsticks") as progress_of_games:
        ship(shipped, result.policy_path, progress_of_games)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(policies)
