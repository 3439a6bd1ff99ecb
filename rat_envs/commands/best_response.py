"""``best-response``: a lower bound on the return of a best response, where the exact value cannot be computed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rat_envs.api.agent_code import agents_at_work
from rat_envs.commands.arguments import (
    AsJson,
    Continue,
    GameName,
    Minutes,
    Options,
    Players,
    Replace,
    Resume,
    Steps,
    TrainingSeed,
    Trust,
    configured,
    demand_alone,
    demand_enough,
    going_on,
    how_to_go_on,
    options_of_run,
)
from rat_envs.commands.output import leave_interrupted
from rat_envs.engine.checks import MOST_GAMES
from rat_envs.engine.errors import needing

if TYPE_CHECKING:
    from rat_envs.training.best_response import LowerBound


def best_response(
    game: GameName,
    options: Options = None,
    agent: Annotated[str, typer.Option(help="An agent by name, or the path of a saved policy.")] = "greedy",
    players: Players = None,
    minutes: Minutes = None,
    steps: Steps = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where everything is saved; runs/best_response_GAME if not given.")
    ] = None,
    seed: TrainingSeed = 0,
    resume: Resume = False,
    replace: Replace = False,
    go_on: Continue = False,
    trust: Trust = False,
    games: Annotated[int, typer.Option(min=2, max=MOST_GAMES, help="Number of games that measure the result.")] = 4000,
    as_json: AsJson = False,
) -> None:
    """Learn to beat one agent that has all other seats: a lower bound on the return of a best response.

    The learner begins with the trained policy that comes with the package, if it can go on with it (not in BraveRats).
    The bound is not an exploitability: a better opponent may exist. Where the exact value can be computed, `exploit`
    computes it.

    Example: rat-envs best-response comme_des_rats --agent greedy --minutes 2
    """
    with needing("Learning", "training"):
        from rat_envs.training.best_response import learn_best_response, response_options
        from rat_envs.training.measured import about_run, keep_result
        from rat_envs.training.progress import show_progress

    demand_alone(go_on, resume, replace)
    chosen, configuration = configured(game, options, players)
    demand_enough(games, configuration)
    own = options_of_run(configuration, folder, minutes, steps, seed=seed, resume=resume, replace=replace, trust=trust)
    with show_progress() as progress, agents_at_work():
        training = going_on(response_options(chosen.name, agent, **own), go_on)
        bound = learn_best_response(training, games, progress)
    said = bound.to_dict()
    against = {bound.agent: {"mean_return": said["lower_bound"], "games": bound.games}}
    report = {**about_run(training, Path(bound.policy)), **said, "against": against}
    if as_json:
        print(json.dumps(report))
    else:
        tell(bound)
    keep_result(training, report)
    if bound.ended_by is not None:
        leave_interrupted(f"Interrupted; {how_to_go_on(go_on)}.", bound.ended_by)


def tell(bound: LowerBound) -> None:
    """Print the result in words."""
    print(f"{bound.steps:,} steps in {bound.seconds:.0f} s; the learnt opponent is saved in {bound.policy}")
    print(
        f"The learnt opponent returns {bound.lower_bound:+.3f} against {bound.agent}, in {bound.games:,} games. A best "
        "response returns as much or more: this is a lower bound, not an exploitability."
    )
    print("by seat: " + " ".join(f"{result:+.3f}" for result in bound.by_seat))


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("best-response")(best_response)
