"""``train``: training a policy, and measuring it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from rat_envs.api.agent_code import agents_at_work
from rat_envs.commands.arguments import (
    AsJson,
    Continue,
    GameNameOrNone,
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
    not_nan,
    options_of_run,
)
from rat_envs.commands.output import counted, interruptible, leave_interrupted, print_table, waiting
from rat_envs.engine.checks import MOST_GAMES
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, needing, shown
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

#: The agents against which a policy is measured, if they exist and can play the configuration.
RANDOM, GREEDY, NASH = "random", "greedy", "nash"


def show_settings(learner: str, game: str | None) -> None:
    """Print the options of a learner with their values, by default or in a game."""
    with needing("Training", "training"):
        from rat_envs.training.recommended import options_of, recommended_options
        from rat_envs.training.settings import list_settings

    listed = list_settings(options_of(learner))
    if game is not None:
        here = recommended_options(learner, get_game(game).name)
        listed = [(name, getattr(here, name), text) for name, _, text in listed]
    rows = [(name, json.dumps(value, default=dict), text) for name, value, text in listed]
    print_table((f"--set, for {learner}", "default" if game is None else f"in {game}", "what it is"), rows)


def names_of_settings() -> str:
    """The options that --set takes for each learner, one paragraph for each; empty if the extra for training is not
    installed."""
    try:
        from rat_envs.training.recommended import LEARNERS
        from rat_envs.training.settings import list_settings
    except ImportError:
        return ""
    said = [(learner, ", ".join(name for name, *_ in list_settings(kind))) for learner, kind in LEARNERS.items()]
    return "\n\n".join(f"--set for {learner}: {names}." for learner, names in said)


class NamingSettings(TyperCommand):
    """A command whose help names the options of every learner; they are looked up only for the help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        self.epilog = names_of_settings()
        super().format_help(ctx, formatter)


Folder = Annotated[
    Path | None,
    typer.Option(help="Where everything is saved; runs/GAME if not given, runs/GAME-LEARNER for another learner."),
]
Learner = Annotated[
    str | None,
    typer.Option(
        help="lookahead (state values and one round of lookahead), ppo or maskable_ppo (self-play), or search (expert "
        "iteration); if not given, the learner that the game recommends."
    ),
]
RandomWeight = Annotated[
    float | None,
    typer.Option(
        min=0.0, callback=not_nan, max=1.0, help="For the learner lookahead: weight of returns against random play."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="An option of the learner; may be given several times."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play the games on a Ray cluster; `local` starts one here (ppo, search)."),
]
ListOptions = Annotated[
    str | None,
    typer.Option(
        metavar="LEARNER",
        help="Show what --set takes for a learner, with its defaults, or with a game's own values if a game is named.",
    ),
]
YardstickGames = Annotated[
    int,
    typer.Option(
        min=2,
        max=MOST_GAMES,
        help="Games after training against each of random, greedy and nash; must exceed the number of players.",
    ),
]


def train(
    game: GameNameOrNone = None,
    options: Options = None,
    players: Players = None,
    minutes: Minutes = None,
    steps: Steps = None,
    folder: Folder = None,
    seed: TrainingSeed = 0,
    learner: Learner = None,
    random_weight: RandomWeight = None,
    settings: Settings = None,
    ray: RayAddress = None,
    list_options: ListOptions = None,
    resume: Resume = False,
    replace: Replace = False,
    go_on: Continue = False,
    trust: Trust = False,
    games: YardstickGames = 4000,
    as_json: AsJson = False,
) -> None:
    """Learn a game, and measure the policy.

    BraveRats hides only simultaneous choices, and is learnt by looking one round ahead: --random-weight 0 comes nearest
    to the equilibrium, a higher weight wins more against weak play. All other games are learnt by self-play with our
    own PPO; in the longer games the learner first imitates the heuristic, and plays part of the games against it. Each
    game has its own settings; --set changes any of them. Ctrl-C, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 save; --resume
    continues, and --continue does so if there is a run. TensorBoard reads the folder; curve.svg and curve.json in it
    are the learning curve, and result.json is what was measured.

    Example: rat-envs train brave_rats --minutes 2 --set "hidden=[128,128]" --set learning_rate=0.002
    """
    if list_options is not None:
        show_settings(list_options, game)
        return
    with needing("Training", "training"):
        from rat_envs.training.measured import about_run, keep_result
        from rat_envs.training.progress import show_progress
        from rat_envs.training.recommended import recommended_learner, recommended_options
        from rat_envs.training.run import train as run_training

    demand_alone(go_on, resume, replace)
    chosen, configuration = to_be_learnt(game, options or [], players)
    demand_enough(games, configuration)
    learner = learner or recommended_learner(chosen, configuration)
    given = settings_given(learner, settings or [], {"random_weight": random_weight, "ray": ray})
    if given.get("preset") and not options and players is None:
        configuration = chosen.configuration.make(chosen.preset(given["preset"]).options)
    own = options_of_run(configuration, folder, minutes, steps, seed=seed, resume=resume, replace=replace, trust=trust)
    training = going_on(recommended_options(learner, chosen.name, **given, **own), go_on)
    say_if_nobody_is_imitated(given, training)
    with show_progress() as progress, agents_at_work():
        result = run_training(training, progress)
    say_if_nothing_was_left(training.resume, result)
    report = {"learner": learner, **summary(result)} | about_run(training, result.policy_path)
    if result.ended_by is not None:
        leave_unmeasured(report, go_on, as_json, result.ended_by)
    with interruptible(how_to_measure(result.policy_path, go_on)):
        report |= measure(chosen, configuration, training.position, result.untrained, result.agent, games, seed)
    tell(report, as_json)
    keep_result(training, report)


def leave_unmeasured(report: dict[str, Any], go_on: bool, as_json: bool, number: int) -> NoReturn:
    """End after the signal of this number, which has interrupted the training."""
    if as_json:
        print(json.dumps(report))
    leave_interrupted(f"Interrupted after {report['steps']:,} steps; {how_to_go_on(go_on)}.", number)


def how_to_measure(policy: Path, go_on: bool) -> str:
    """What is said where the measurement is interrupted."""
    again = "the same command" if go_on else "the same with --resume"
    return f"Interrupted: the policy is saved in {policy}, and {again} measures it."


def to_be_learnt(game: str | None, options: list[str], players: int | None) -> tuple[Game, Configuration]:
    """The game and its configuration; refuse options of a learner among its options."""
    from rat_envs.training.settings import demand_no_settings

    if game is None:
        raise typer.BadParameter("name a game; `rat-envs games` lists them.", param_hint="GAME")
    demand_no_settings(get_game(game), options)
    return configured(game, options, players)


def settings_given(learner: str, settings: list[str], short: dict[str, Any]) -> dict[str, Any]:
    """The options of a learner: those of --set, and those for which the command has an option, unless it is None.

    Raises:
        ConfigurationError: the learner has no such option, its value has another type, or it would change nothing.
    """
    from rat_envs.training.recommended import options_of
    from rat_envs.training.settings import parse_settings

    given = [f"{name}={value}" for name, value in short.items() if value is not None]
    parsed = parse_settings(options_of(learner), [*settings, *given])
    if "ray_workers" in parsed and not parsed.get("ray"):
        raise ConfigurationError(
            f"ray_workers={shown(parsed['ray_workers'])}: these play on a Ray cluster alone: say which one, as in "
            "--ray local, or leave it out."
        )
    return parsed


def say_if_nobody_is_imitated(given: dict[str, Any], training: Any) -> None:
    """Say so if a teacher is named but not imitated."""
    if "teacher" in given and given["teacher"] not in training.agents():
        print(f"{given['teacher']} is not imitated, because teacher_steps is 0: set teacher_steps.", file=sys.stderr)


def say_if_nothing_was_left(resume: bool, result: Any) -> None:
    """Say so if a resumed run had no budget left."""
    if resume and not result.interrupted and result.updates == result.updates_before:
        spent = f"{result.steps:,} steps in {result.seconds / 60:.1f} minutes"
        print(
            f"Nothing was learnt: the budget was spent already ({spent}); --minutes and --steps are those of the whole "
            "run.",
            file=sys.stderr,
        )


def summary(result: Any) -> dict[str, Any]:
    """The result of a run, before it is measured."""
    return {
        "policy": str(result.policy_path),
        "curve": None if result.curve_path is None else str(result.curve_path),
        "steps": result.steps,
        "seconds": result.seconds,
        "interrupted": result.interrupted,
    }


def measure(
    game: Game, configuration: Configuration, preset: str | None, before: Any, after: Any, games: int, seed: int
) -> dict[str, Any]:
    """Measure the policy in whole games against other agents, and its exploitability before and after training, if it
    can be computed: in the preset, if one was learnt.
    """
    from rat_envs.arena import play_match
    from rat_envs.solving.exploitability import exploitability, why_not_unasked

    too_large = why_not_unasked(game, configuration) if configuration.is_public else None
    exact = configuration.is_public and too_large is None
    measured = (exact or preset is not None) and after.has_policy
    if too_large is not None:
        print(f"The whole game is not measured exactly: {too_large}.", file=sys.stderr)
    results: dict[str, Any] = {"against": {}}
    yardsticks = [RANDOM, *([GREEDY] if GREEDY in game.heuristics else []), *([NASH] if exact else [])]
    for name in yardsticks:
        others = [name] * (configuration.players - 1)
        with waiting(f"playing against {name}"):
            match = play_match(game, [after, *others], configuration, games, seed)
        results["against"][name] = match.to_json()["agents"][0]
    if measured:
        for name, agent in (("before", before), ("after", after)):
            with counted(f"exploitability {name} training") as progress:
                results.setdefault("exploitability", {})[name] = exploitability(
                    game, agent, configuration, preset=preset, progress=progress
                ).exploitability
    return results


def tell(report: dict[str, Any], as_json: bool) -> None:
    """Print the report as tables, or as JSON."""
    from rat_envs.arena import Estimate

    if as_json:
        print(json.dumps(report))
        return
    print(f"{report['steps']:,} steps in {report['seconds']:.0f} s; policy saved in {report['policy']}")
    if report["curve"]:
        print(f"learning curve: {report['curve']}")
    rows = [
        (name, *(f"{Estimate.of(result[what]):+.3f}" for what in ("mean_return", "win_rate")), f"{result['games']:,}")
        for name, result in report["against"].items()
    ]
    against = "against, in whole games" if "preset" in report else "against"
    print_table((against, "mean return (95 %)", "win rate (95 %)", "games"), rows)
    if "exploitability" in report:
        before, after = report["exploitability"]["before"], report["exploitability"]["after"]
        where = f" of the preset {report['preset']}" if "preset" in report else ""
        times = f" ({after / before:.2f}×)" if before > 0 else ""
        print(f"exact exploitability{where}: {before:.4f} before training, {after:.4f} after{times}")


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(cls=NamingSettings)(train)
