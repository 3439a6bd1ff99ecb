"""Arguments that several commands share."""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.api.named_agents import POLICY_SUFFIXES, AgentName
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.configuration import Configuration, parse_options
from rat_envs.engine.errors import ConfigurationError, UnknownNameError, shown, shown_path
from rat_envs.engine.game import Game
from rat_envs.engine.own_modules import module_named
from rat_envs.engine.registry import get_game, note_command_name, register

__all__ = [
    "AsJson",
    "Continue",
    "GameName",
    "GameNameOrNone",
    "GameOfRecords",
    "Minutes",
    "Options",
    "Players",
    "Replace",
    "Resume",
    "Seed",
    "Steps",
    "TrainingSeed",
    "Trust",
    "TrustGame",
    "TrustManifest",
    "configured",
    "demand_alone",
    "demand_enough",
    "demand_game",
    "finite",
    "going_on",
    "how_to_go_on",
    "known_game",
    "not_nan",
    "options_given",
    "options_of_run",
    "split_options",
]

#: The default training time in minutes.
USUAL_MINUTES = 2.0


def not_nan(value: float | None) -> float | None:
    """Refuse NaN, which Python reads as a number, and which no bound excludes.

    Raises:
        typer.BadParameter: the value is NaN.
    """
    if value is not None and math.isnan(value):
        raise typer.BadParameter("NaN is not a number.")
    return value


def options_of_run(
    configuration: Configuration,
    folder: Path | None,
    minutes: float | None,
    steps: int | None,
    **others: Any,
) -> dict[str, Any]:
    """Options of a training run for ``rat_envs.training.run``; without ``folder`` if none is given.

    Args:
        minutes: if not given, ``steps`` is the only limit; if neither is given, a small default.
        others: further options, passed on.
    """
    own = {} if folder is None else {"folder": str(folder)}
    spent = {"minutes": USUAL_MINUTES if minutes is None and steps is None else minutes, "steps": steps}
    return {"config": configuration.to_dict(), **own, **spent, **others}


def demand_alone(go_on: bool, resume: bool, replace: bool) -> None:
    """Refuse ``--continue`` beside ``--resume`` or ``--replace``.

    Raises:
        typer.BadParameter: it is given with one of them.
    """
    if go_on and (resume or replace):
        raise typer.BadParameter(
            "it goes on with a run, or begins one: leave out --resume and --replace.", param_hint="--continue"
        )


def going_on(training: Any, go_on: bool) -> Any:
    """The options of a run, which with ``--continue`` goes on with the run in its folder, if that is there."""
    return dataclasses.replace(training, resume=True) if go_on and training.place.is_dir() else training


def how_to_go_on(go_on: bool) -> str:
    """What continues a run that has been interrupted, in words."""
    return "the same command goes on" if go_on else "go on with --resume"


def demand_enough(games: int, configuration: Configuration) -> None:
    """Refuse fewer than two deals, which an interval needs; a deal has as many games as the game has seats.

    Raises:
        ConfigurationError: there are not more games than players.
    """
    if games <= configuration.players:
        raise ConfigurationError(
            f"games={shown(games)}: must be more than {configuration.players}, because an interval needs two deals."
        )


def finite(value: float) -> float:
    """Refuse numbers that JSON cannot write.

    Raises:
        typer.BadParameter: the value is NaN or infinite.
    """
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} cannot be written down: give a number.")
    return value


def known_game(name: str | None) -> str | None:
    """The name of a game. A game given as ``module:GAME`` or ``file.py:GAME`` is registered first; its code is run for
    that.

    Raises:
        UnknownNameError: there is no such module or file, or it holds no such game.
        ConfigurationError: its name is that of another game.
    """
    place, _, attribute = (name or "").rpartition(":")
    if not place:
        return name
    module = module_named(place, f"the game {shown(name)}")
    game = getattr(module, attribute, None)
    if not isinstance(game, Game):
        held = [key for key, value in vars(module).items() if isinstance(value, Game)]
        having = f"its games are {', '.join(held)}" if held else "it has no games"
        raise UnknownNameError(f"There is no game {shown(attribute)} in {shown_path(place)}: {having}.")
    register(game)
    note_command_name(game, f"{place}:{attribute}")
    return game.name


def demand_game(path: Path, found: str, wanted: str | None) -> None:
    """Refuse another game than the wanted one, if one is given.

    Raises:
        ConfigurationError: it is another game.
    """
    if wanted not in (None, found):
        raise ConfigurationError(f"{shown_path(path)} is of the game {found}, not of {wanted}.")


_game_name = typer.Argument(
    metavar="GAME",
    callback=known_game,
    help="A game by name; `rat-envs games` lists them. Or a game in code: module:GAME or file.py:GAME.",
)
GameName = Annotated[str, _game_name]
GameNameOrNone = Annotated[str | None, _game_name]
GameOfRecords = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        callback=known_game,
        help="The game of the records: for one in code, module:GAME or file.py:GAME, which no record can name.",
    ),
]
Options = Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Options of the game.")]
Players = Annotated[int | None, typer.Option(help="Number of players: short for players=N.")]
Seed = Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Equal seeds give equal games.")]
TrainingSeed = Annotated[
    int,
    typer.Option(
        min=0,
        max=MOST_SEED,
        help="With equal seeds and --steps, training on CPUs of one kind gives equal policies. Game i of a run has the "
        "seed N + i: for independent runs take seeds far apart, as 1000, 2000, 3000.",
    ),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        callback=not_nan,
        help="Total training time in minutes, including the time before --resume. If not given, "
        f"{USUAL_MINUTES:g}, or no limit with --steps.",
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Stop after the update that reaches this many steps, including those before --resume; with --minutes, at "
        "whichever comes first.",
    ),
]
_trust = "Load saved policies even in formats that can execute code."
_named = "also run code that it names, and send your key to a server that it names."
Trust = Annotated[bool, typer.Option("--trust", help=_trust)]
TrustGame = Annotated[
    bool,
    typer.Option("--trust", help=f"{_trust} With a saved game (--from, or those of --browser) {_named}"),
]
TrustManifest = Annotated[bool, typer.Option("--trust", help=f"{_trust} With a manifest (--from) {_named}")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="Start a new run even if the folder holds one, which moves to `previous` in it."),
]
Continue = Annotated[
    bool,
    typer.Option(
        "--continue",
        help="Go on with the run in the folder, or begin one if there is none: for jobs that a cluster starts again.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def configured(name: str, options: list[str] | None, players: int | None = None) -> tuple[Game, Configuration]:
    """The game of that name, and its configuration from KEY=VALUE texts and from --players, if given."""
    game = get_game(name)
    values = parse_options(options or [])
    if players is None or "players" in game.configuration.options():
        if players is not None and "players" in values:
            raise ConfigurationError("players is there twice: as an option and as --players.")
        return game, game.configuration.make(values if players is None else {**values, "players": players})
    configuration = game.configuration.make(values)
    if players != configuration.players:
        raise ConfigurationError(f"{name} is always for {configuration.players}: leave out --players.")
    return game, configuration


def options_given(context: typer.Context, names: Iterable[str]) -> str:
    """The options and arguments among ``names`` that are on the command line, as they are written there, separated by
    commas."""
    sources = {name: context.get_parameter_source(name) for name in names}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    parameters = {each.name: each for each in context.command.params}
    return ", ".join(_as_written(parameters[name]) for name in given)


def _as_written(parameter: Any) -> str:
    """An option's first name, or the word that stands for an argument."""
    name = parameter.opts[0]
    return name if name.startswith("-") else str(parameter.metavar or name)


def split_options(words: list[str]) -> tuple[list[str], list[str]]:
    """Split words into names of agents and options, which have an equals sign. (The path of an agent's file may have
    one, too.)"""
    names = [word for word in words if _names_agent(word)]
    return names, [word for word in words if word not in names]


def _names_agent(word: str) -> bool:
    if "=" not in word or any(mark in word.partition("=")[0] for mark in "/:"):
        return True
    who = AgentName.of(word).who
    return bool(re.search(r"\.py:\w+$", who)) or (who.endswith(POLICY_SUFFIXES) and os.path.isfile(who))
