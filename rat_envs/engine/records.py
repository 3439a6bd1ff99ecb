"""Game records: one JSON object per line, replayed without a random stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from rat_envs.engine.checks import whole_or
from rat_envs.engine.configuration import shown_as_json
from rat_envs.engine.errors import IllegalActionError, RatEnvsError, RecordError, shown
from rat_envs.engine.files import NotJsonError, parse_json, text_lines
from rat_envs.engine.position import Position
from rat_envs.engine.registry import get_game

__all__ = ["FORMAT", "Recorder", "finished_record", "read_records", "replay", "replay_steps"]

FORMAT = "rat-record/1"
#: The most characters of an action in notation: the longest of any game has far fewer.
LONGEST_ACTION = 200
#: Optional entries of a record: numbers by which the game can be found or played again.
NUMBERS = ("seed", "match", "deal")
#: Digits of a probability in a record.
DIGITS = 8
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Recorder:
    """Plays a position on and records every node.

    Args:
        position: at the first node of its game.
        options: whether each step lists all that could have happened.
    """

    def __init__(self, position: Position, options: bool = False) -> None:
        self.position = position
        self.options = options
        self.steps: list[dict[str, Any]] = []

    def apply(self, action: int | str, probability: float | None = None) -> None:
        """Record and apply an action, or an outcome at a chance node, by its number or in notation.

        Args:
            probability: the probability with which the seat's player chose the action; None if it is not known. Eight
                digits of it are recorded.

        Raises:
            IllegalActionError: it cannot happen here; nothing is recorded.
        """
        position, game = self.position, self.position.game
        names = game.outcomes if position.is_chance else game.actions
        step: dict[str, Any] = {"actor": "chance" if position.is_chance else position.actor, "action": action}
        if probability is not None:
            step["probability"] = float(f"{probability:.{DIGITS}g}")
        if self.options:
            step["options"] = position.chances() if position.is_chance else position.legal()
        position.apply(action)
        if not isinstance(action, str):
            step["action"] = names[whole_or(action, -1)]
        self.steps.append(step)

    def record(self, about: Mapping[str, Any] = NOTHING) -> dict[str, Any]:
        """The record of a game that is over.

        Args:
            about: as :func:`finished_record` takes it.

        Raises:
            RecordError: the game is not over.
        """
        if not self.position.is_over:
            raise RecordError(
                f"The game is not over after its {len(self.steps)} steps: {_next(self.position)} is to act."
            )
        return finished_record(self.position, self.steps, about)


def finished_record(final: Position, steps: list[dict[str, Any]], about: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a game that is over.

    Args:
        final: its final position.
        steps: all that happened, as a record lists it.
        about: further entries: ``agents``, the names of the players by seat, and numbers by which the game can be found
            or played again: its ``seed``, or its ``match`` and ``deal`` in a tournament.
    """
    return {
        "format": FORMAT,
        "game": final.game.name,
        "version": final.game.version,
        "config": final.configuration.to_dict(),
        **about,
        "steps": steps,
        "returns": final.returns(),
        "scores": final.scores(),
        "winners": final.winners(),
    }


def read_records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records in ``lines``, each with its line number from 1; empty lines are skipped.

    Args:
        lines: texts, or an open file, of which no line is read beyond a bound.

    Raises:
        RecordError: a line is not a record.
    """
    for number, line in enumerate(text_lines(lines), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except NotJsonError as error:
            raise RecordError(f"Line {number}: not JSON ({error}): is it cut off?") from error
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise RecordError(f"Line {number}: not a record of the format {FORMAT!r}.")
        yield number, record


def replay(record: dict[str, Any], on_node: Callable[[Position, dict[str, Any]], None] | None = None) -> Position:
    """Play a record again and check all that it says.

    Args:
        record: as :meth:`Recorder.record` makes it.
        on_node: called before each step with the position and the step.

    Returns:
        The final position.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule; the first such step is named.
    """
    position = replay_steps(record, on_node)
    if record.get("format") != FORMAT:
        raise RecordError(f"The record is of format {shown(record.get('format'))}: {FORMAT!r} is needed.")
    _demand_about(record, position.configuration.players)
    if not position.is_over:
        raise RecordError(f"The game is not over after its {len(record['steps'])} steps: {_next(position)} is to act.")
    for name in ("returns", "scores", "winners"):
        right = getattr(position, name)()
        if not _is(record.get(name), right):
            raise RecordError(f"The record's {name} are {shown(record.get(name))}, but the game ends with {right}.")
    return position


def replay_steps(record: dict[str, Any], on_node: Callable[[Position, dict[str, Any]], None] | None = None) -> Position:
    """As :func:`replay`, for a record whose game need not be over: its results are neither needed nor checked.

    Args:
        record: as :meth:`Recorder.record` makes it; ``returns``, ``scores`` and ``winners`` may be missing.
        on_node: called before each step with the position and the step.

    Returns:
        The position after the last step.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule; the first such step is named.
    """
    position = _start(record)
    steps = record.get("steps")
    if not isinstance(steps, list):
        raise RecordError("The record has no list of steps.")
    for number, step in enumerate(steps, 1):
        if not isinstance(step, dict) or not isinstance(step.get("action"), str):
            raise RecordError(f"Step {number}: must be an object with an actor and an action.")
        if on_node:
            on_node(position, step)
        reason = _fault(position, step)
        if reason:
            raise RecordError(f"Step {number}: {reason}")
    return position


def _demand_about(record: dict[str, Any], players: int) -> None:
    """Refuse wrong optional entries of a record.

    Raises:
        RecordError: its agents are not names by seat, or a number is not one.
    """
    agents = record.get("agents", [""] * players)
    if not isinstance(agents, list) or len(agents) != players or not all(isinstance(name, str) for name in agents):
        raise RecordError(f"The record's agents are {shown(agents)}: they must be {players} names, one for each seat.")
    for name in NUMBERS:
        number = record.get(name, 0)
        if type(number) is not int or number < 0:
            raise RecordError(f"The record's {name} is {shown(number)}: it must be a whole number from 0.")


def _start(record: dict[str, Any]) -> Position:
    if not isinstance(record, dict):
        raise RecordError(f"A record must be an object, not {shown(record)}.")
    if not isinstance(record.get("config"), dict):
        found = shown(record["config"]) if "config" in record else "missing"
        raise RecordError(f"The record's config is {found}: it must be a mapping of option names to values.")
    try:
        name: Any = record.get("game")
        game = get_game(name)
        if not _is(record.get("version"), game.version):
            raise RecordError(
                f"The record is of version {shown(record.get('version'))} of {game.name}, not of {game.version}."
            )
        return Position(game, record.get("config"))
    except RecordError:
        raise
    except RatEnvsError as error:
        raise RecordError(str(error)) from error


def _is(found: Any, right: Any) -> bool:
    """Whether a JSON value is what it has to be; true is not 1, as it is to Python."""
    if isinstance(right, list):
        return isinstance(found, list) and len(found) == len(right) and all(map(_is, found, right))
    if isinstance(right, dict):
        return isinstance(found, dict) and found.keys() == right.keys() and all(_is(found[k], right[k]) for k in right)
    return found == right and not isinstance(found, bool)


def _next(position: Position) -> str:
    return "chance" if position.is_chance else f"player_{position.actor}"


def _is_probability(found: Any) -> bool:
    return type(found) in (int, float) and 0 < found <= 1


def _fault(position: Position, step: dict[str, Any]) -> str | None:
    """Apply a step; the reason if it cannot be applied."""
    if position.is_over:
        return "the game is over before this step."
    actor = "chance" if position.is_chance else position.actor
    if not _is(step.get("actor"), actor):
        return f"the actor is {shown(step.get('actor'))}, but {_next(position)} is to act."
    if "options" in step:
        right: Any = position.chances() if position.is_chance else position.legal()
        if not _is(step["options"], right):
            return f"the options are {shown_as_json(step['options'])}, but the rules say {shown_as_json(right)}."
    if "probability" in step and (actor == "chance" or not _is_probability(step["probability"])):
        return f"the probability is {shown(step['probability'])}: it must be a number above 0, to 1, at a decision."
    if len(step["action"]) > LONGEST_ACTION:
        return f"{_next(position)} cannot do {shown(step['action'])}: no action is that long."
    try:
        position.apply(step["action"])
    except IllegalActionError as error:
        return str(error)
    return None
