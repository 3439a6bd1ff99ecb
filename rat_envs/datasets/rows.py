"""Transitions of recorded games: one row for each decision of each seat, with what this seat saw when it decided."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from rat_envs.engine.checks import checked_count
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import RecordError
from rat_envs.engine.files import text_lines
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position
from rat_envs.engine.records import read_records, replay
from rat_envs.engine.registry import get_game

__all__ = [
    "NONE",
    "Column",
    "RowsReader",
    "columns_of",
    "game_transitions",
    "joined",
    "stream_transitions",
    "with_next",
]

#: Stands in ``next`` at a seat's last decision, and in ``agent`` where the record does not say who played.
NONE = -1


class Column(NamedTuple):
    """A column of transitions: the type of its numbers, and the shape of one row."""

    dtype: str
    shape: tuple[int, ...] = ()


def columns_of(game: Game) -> dict[str, Column]:
    """The columns of a game's transitions by name, in their order."""
    return {
        "observation": Column("int8", (game.observation.itemsize,)),
        "action_mask": Column("int8", (len(game.actions),)),
        "action": Column("int64"),
        "reward": Column("float32"),
        "terminated": Column("bool"),
        "next": Column("int64"),
        "probability": Column("float64"),
        "game": Column("int64"),
        "seat": Column("int8"),
        "step": Column("int32"),
        "agent": Column("int16"),
    }


def game_transitions(record: dict[str, Any], number: int = 0, agents: list[str] | None = None) -> dict[str, np.ndarray]:
    """The transitions of one game: for each column an array with one row for each decision, in the order of play.

    Args:
        record: a record of a whole game.
        number: the number of the game, for the column ``game``.
        agents: the agents' names so far, to which those of this game are added; ``agent`` is the place in this list.

    Returns:
        ``observation`` (N, O) int8, ``action_mask`` (N, A) int8, ``action`` (N) int64, by the game's numbers;
        ``reward`` (N) float32: what the seat got until its next decision, or until the end; ``terminated`` (N) bool:
        whether the seat decides no more; ``next`` (N) int64: the row of the seat's next decision, −1 if there is none;
        ``probability`` (N) float64: with which the action was chosen, NaN if the record does not say; ``game`` (N)
        int64; ``seat`` (N) int8; ``step`` (N) int32: how many decisions of the seat came before; ``agent`` (N) int16:
        who played, −1 if the record does not say.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule.
    """
    return _rows_and_final(record, number, [] if agents is None else agents)[0]


def _rows_and_final(record: dict[str, Any], number: int, agents: list[str]) -> tuple[dict[str, np.ndarray], Position]:
    """The same, and the final position."""
    seen: list[np.ndarray] = []
    masks: list[np.ndarray] = []
    chosen: list[tuple[int, int, Any]] = []

    def note(position: Position, step: dict[str, Any]) -> None:
        if (seat := position.actor) < 0:
            return
        seen.append(position.observe(seat).view(np.int8))
        masks.append(position.mask())
        chosen.append((seat, position.game.action_numbers.get(step["action"], NONE), step.get("probability", np.nan)))

    final = replay(record, note)
    count, columns = len(chosen), columns_of(final.game)
    rows = {name: np.zeros((count, *column.shape), column.dtype) for name, column in columns.items()}
    if count:
        rows["observation"][:], rows["action_mask"][:] = np.stack(seen), np.stack(masks)
        rows["seat"][:], rows["action"][:], rows["probability"][:] = zip(*chosen, strict=True)
    rows["game"][:], rows["next"][:], rows["agent"][:] = number, NONE, NONE
    places = _places(record, agents)
    for seat, result in enumerate(final.returns()):
        own = np.flatnonzero(rows["seat"] == seat)
        rows["step"][own], rows["next"][own[:-1]] = np.arange(len(own)), own[1:]
        rows["reward"][own[-1:]], rows["terminated"][own[-1:]] = result, True
        if places:
            rows["agent"][own] = places[seat]
    return rows, final


def _places(record: Mapping[str, Any], agents: list[str]) -> list[int]:
    """The place of each seat's agent among ``agents``, to which new names are added; empty if the record has none."""
    names = record.get("agents", [])
    agents += dict.fromkeys(name for name in names if name not in agents)
    return [agents.index(name) for name in names]


def joined(games: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The rows of several games, one after the other; ``next`` counts the rows of all of them."""
    rows = {name: np.concatenate([each[name] for each in games]) for name in games[0]}
    starts = np.cumsum([0, *(len(each["next"]) for each in games[:-1])])
    rows["next"] = np.concatenate(
        [np.where(each["next"] < 0, NONE, each["next"] + start) for each, start in zip(games, starts, strict=True)]
    )
    return rows


def with_next(rows: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same rows with ``next_observation`` and ``next_action_mask``: of the seat's next decision; 0 if there is
    none."""
    following, last = rows["next"], rows["next"] < 0
    gathered = {f"next_{name}": rows[name][following] for name in ("observation", "action_mask")}
    for each in gathered.values():
        each[last] = 0
    return {**rows, **gathered}


class _HashedLines:
    """Lines of text, read one by one, and the SHA-256 of those read so far, in UTF-8.

    Args:
        lines: texts, or a file that is open.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self._digest = hashlib.sha256()

    def __iter__(self) -> Iterator[str]:
        for line in text_lines(self._lines):
            self._digest.update(line.encode("utf-8", "backslashreplace"))
            yield line

    @property
    def sha256(self) -> str:
        """The hash, in hexadecimal."""
        return self._digest.hexdigest()


class RowsReader:
    """Reads records and makes rows of them, which must all be of one game with the same options.

    Args:
        lines: as :func:`~rat_envs.engine.records.read_records` takes them.

    Attributes:
        agents: the agents' names, in the order in which they occur.
        games: the number of records read.
        game, configuration: those of all games; None before the first.
        sha256_of_records: the SHA-256 of all lines up to the last record read.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.agents: list[str] = []
        self.games = 0
        self.sha256_of_records = ""
        self.configuration: Configuration | None = None
        self.game: Game | None = None
        self._hashed = _HashedLines(lines)
        self._records = read_records(self._hashed)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all lines read so far; at the end those after the last record are among them."""
        return self._hashed.sha256

    def next_record(self) -> tuple[int, dict[str, Any]] | None:
        """The next record with its line number; None at the end.

        Raises:
            RecordError: the line is not a record.
        """
        found = next(self._records, None)
        if found is not None:
            self.sha256_of_records = self.sha256
        return found

    def skip(self, record: Mapping[str, Any]) -> None:
        """Count a record of which the rows are known, and its agents."""
        _places(record, self.agents)
        self.games += 1

    def expect(self, game: str, config: Mapping[str, Any]) -> None:
        """Say of which game and options all records must be, if rows of some are known."""
        self.game = get_game(game)
        self.configuration = self.game.configuration.make(config)

    def rows(self, line: int, record: dict[str, Any]) -> dict[str, np.ndarray]:
        """The rows of the next game.

        Raises:
            RecordError: the record is damaged, of another version, breaks a rule, or is of another game or of other
                options than the first; the error gives the line.
        """
        try:
            rows, final = _rows_and_final(record, self.games, self.agents)
            self._demand_same(final)
        except RecordError as error:
            raise RecordError(f"Line {line}: {error}") from error
        self.games += 1
        return rows

    def _demand_same(self, final: Position) -> None:
        if self.game is None:
            self.game, self.configuration = final.game, final.configuration
        if self.game.name != final.game.name:
            raise RecordError(f"The record is of the game {final.game.name}, but the first one is of {self.game.name}.")
        assert self.configuration is not None
        here, first = final.configuration.to_dict(), self.configuration.to_dict()
        for name, value in here.items():
            if value != first[name]:
                raise RecordError(
                    f"The record has another {name} than the first one: give each file of transitions the games of one "
                    "set of options."
                )


def stream_transitions(
    lines: Iterable[str], games: int = 1000, agents: list[str] | None = None
) -> Iterator[dict[str, np.ndarray]]:
    """The transitions of recorded games, in memory: what :func:`~rat_envs.datasets.folder.load_transitions` yields.

    Args:
        lines: lines of records, as a file that is open.
        games: the number of games in each part; the last one may have fewer.
        agents: the agents' names are added to this list as they occur; the column ``agent`` is the place in it.

    Yields:
        For each part the columns of :func:`game_transitions`, ``next_observation`` and ``next_action_mask``.

    Raises:
        RecordError: a record is damaged, of another version, breaks a rule, or is of another game or of other options
            than the first.
    """
    games, reader = checked_count("games", games), RowsReader(lines)
    if agents is not None:
        reader.agents = agents
    part: list[dict[str, np.ndarray]] = []
    while (found := reader.next_record()) is not None:
        part.append(reader.rows(*found))
        if len(part) == games:
            yield with_next(joined(part))
            part = []
    if part:
        yield with_next(joined(part))
