"""Files of games that are saved while they are played: a line about the game, then one for each event."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from rat_envs.api.named_agents import demand_trust
from rat_envs.engine.archive import write_file
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.errors import RecordError, shown, shown_path
from rat_envs.engine.files import MEBIBYTE, NotJsonError, demand_outline, file_size, parse_json, text_lines
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder, replay_steps
from rat_envs.engine.wording import number_of
from rat_envs.play.seating import PERSON
from rat_envs.play.session import Session, Step
from rat_envs.play.terms import Terms
from rat_envs.play.times import TIMES, are_times, in_words, now

__all__ = [
    "MOST_BYTES",
    "SUFFIX",
    "SavedGame",
    "hint_line",
    "new_place",
    "new_tokens",
    "next_line",
    "step_line",
    "undo_line",
]

#: The end of the name of each file in a folder of games.
SUFFIX = ".rat-game"

FORMAT = "rat-game/1"
#: The most bytes of a file: ten times as many as the longest game played so far.
MOST_BYTES = 2 * MEBIBYTE
#: The most characters of a line: names of agents in the first one may be long.
LONGEST_LINE = 2**16
#: The form of the token that opens a seat. It is a part of links, where other characters could lead elsewhere.
TOKEN = re.compile(r"[A-Za-z0-9_-]+")
OUTLINE = {
    "game": str,
    "version": int,
    "config": dict,
    "seats": [str],
    "seed": int,
    "tokens": [str],
}


@dataclass
class SavedGame:
    """A game, finished or not, and who sits where.

    Attributes:
        game: the game's name.
        version: the version of its rules.
        config: its options.
        seats: ``PERSON`` or the name of an agent, by seat.
        seed: the seed of chance and of the agents.
        steps: all events, as in a record.
        tokens: the tokens that open each seat in the browser, the last one for spectators; none at the terminal.
        next_tokens: the tokens of the game that was begun after this one; none if there is no such game.
        terms: what is written down about the game, and what people are shown and may do.
        hints: the hints that people were shown, each with the seat (``hint``), the number of ``steps`` before it, and
            the time (``at``).
        undone: what people took back, each time with the number of steps left (``after``) and the ``steps``.
    """

    game: str
    version: int
    config: dict[str, Any]
    seats: list[str]
    seed: int
    steps: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    next_tokens: list[str] = field(default_factory=list)
    terms: Terms = field(default_factory=Terms)
    hints: list[dict[str, Any]] = field(default_factory=list)
    undone: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, session: Session, tokens: list[str] | None = None) -> SavedGame:
        """The saved form of a session in its present state."""
        game, configuration = session.game, session.position.configuration
        steps = [step.to_dict() for step in session.steps]
        about = game.name, game.version, configuration.to_dict(), session.names, session.seed
        return cls(*about, steps, tokens or [], terms=session.terms)

    @classmethod
    def read(cls, path: str | Path) -> SavedGame:
        """Read a file. An incomplete last line, left when the program was killed, is ignored.

        Raises:
            RecordError: the file is damaged, or not a saved game.
        """
        file_size(path, "saved game", MOST_BYTES, RecordError)
        with Path(path).open(encoding="utf-8-sig") as file:  # some editors begin with a byte order mark
            lines = _lines(file, path)
            saved = cls._begun(next(lines, (1, "{}"))[1], path)
            saved._take_in(lines, path)
        return saved

    @classmethod
    def _begun(cls, line: str, path: str | Path) -> SavedGame:
        """The game from a file's first line, without its steps."""
        header = _parsed(line, 1, path)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise RecordError(f"{shown_path(path)}: no saved game: its first line has no format {FORMAT!r}.")
        try:
            demand_outline({name: header.get(name) for name in OUTLINE}, OUTLINE, "its first line")
            terms = Terms.of(header.get("terms", {}))
        except ValueError as error:
            raise RecordError(f"{shown_path(path)}: no saved game: {error}.") from None
        if not 0 <= header["seed"] <= MOST_SEED:
            raise RecordError(f"{shown_path(path)}: seed={shown(header['seed'])}: must be from 0 to {MOST_SEED}.")
        _demand_tokens(header["tokens"], 1, path)
        return cls(**{name: header[name] for name in OUTLINE}, terms=terms)

    def _take_in(self, lines: Iterator[tuple[int, str]], path: str | Path) -> None:
        """Add the steps that were not taken back, and the tokens of the next game."""
        for number, line in lines:
            step = _parsed(line, number, path)
            if isinstance(step, dict) and set(step) == {"back_to"}:
                if type(step["back_to"]) is not int or not 0 <= step["back_to"] <= len(self.steps):
                    raise RecordError(f"{shown_path(path)}, line {number}: there is no step {shown(step['back_to'])}.")
                if taken_back := self.steps[step["back_to"] :]:
                    self.undone.append({"after": step["back_to"], "steps": taken_back})
                del self.steps[step["back_to"] :]
            elif _is_step(step):
                self.steps.append(step)
            elif _is_next(step):
                _demand_tokens(step["next"], number, path)
                self.next_tokens = step["next"]
            elif _is_hint(step):
                self.hints.append(step)
            else:
                raise RecordError(f"{shown_path(path)}, line {number}: no step: it must have an actor and an action.")

    @property
    def is_over(self) -> bool:
        """Whether the game is over, according to the file."""
        return bool(self.steps) and "ends" in self.steps[-1]

    @property
    def has_begun(self) -> bool:
        """Whether a person has acted; in a game of agents only, whether anything has happened."""
        people = [seat for seat, name in enumerate(self.seats) if name == PERSON]
        return any(not people or step["actor"] in people for step in self.steps)

    def position(
        self,
        steps: list[dict[str, Any]] | None = None,
        on_node: Callable[[Position, dict[str, Any]], None] | None = None,
    ) -> Position:
        """The game after all of its steps, or after others.

        Args:
            steps: the others, if given.
            on_node: called before each step with the position and the step.

        Raises:
            RecordError: the game is of another version, or breaks a rule.
        """
        final = replay_steps({**self.header(), "steps": self.steps if steps is None else steps}, on_node)
        if len(self.seats) != final.configuration.players:
            raise RecordError(f"It names {number_of(len(self.seats), 'seat')}, but {final.configuration.players} play.")
        return final

    def session(self, trust: bool = False) -> Session:
        """A session that goes on with the game.

        Raises:
            RecordError: it is of another version, or breaks a rule.
            CheckpointError: a seat names code or a server, which needs ``trust``.
            RatEnvsError: an agent does not exist, or cannot play this.
        """
        demand_trust(self.seats, trust, "The saved game")
        position = self.position()
        table = position.game, position.configuration, self.seats, self.seed, trust
        return Session(*table, self.steps, self.terms)

    def record(self, options: bool = False, undone: bool = False) -> dict[str, Any]:
        """The record of the game, with its seed and labels, and the times of people's choices; no agent is made for it.

        Args:
            options: whether each step lists all that could have happened.
            undone: whether it has what people took back, as :attr:`undone`.

        Raises:
            RecordError: the game is not over, is of another version, or breaks a rule.
        """
        final = self.position()
        recorder = Recorder(Position(final.game, final.configuration), options)
        for step in self.steps:
            recorder.apply(step["action"])
            recorder.steps[-1].update({name: step[name] for name in TIMES if name in step})
        labels = {"labels": self.terms.labels} if self.terms.labels else {}
        taken_back = {"undone": self.undone} if undone else {}
        return recorder.record({"agents": self.seats, "seed": self.seed, **labels, **taken_back})

    def header(self) -> dict[str, Any]:
        """The first line."""
        terms = self.terms.to_dict()
        parts = {name: getattr(self, name) for name in OUTLINE}
        return {"format": FORMAT, **parts, **({"terms": terms} if terms else {})}

    def write(self, path: str | Path) -> None:
        """Write everything at once, but what was taken back: the file is whole or does not exist. Only the user may
        read it, because it holds the tokens."""
        lines = [_line(each) for each in (self.header(), *self.steps, *self.hints)]
        if self.next_tokens:
            lines.append(next_line(self.next_tokens))
        write_file(path, "".join(lines).encode(), mode=0o600)


def new_tokens(seats: int) -> list[str]:
    """Tokens that nobody can guess, one for each seat and one for spectators."""
    return [secrets.token_urlsafe(16) for _ in range(seats + 1)]


def new_place(folder: Path, game: str) -> Path:
    """The file of a new game in a folder of games."""
    return folder / f"{game}-{secrets.token_hex(8)}{SUFFIX}"


def step_line(step: Step, ends: bool = False) -> str:
    """The line that is added for a step, with whether it ends the game."""
    return _line({**step.to_dict(), **({"ends": True} if ends else {})})


def undo_line(steps: int) -> str:
    """The line that is added when steps are taken back, with the number of steps left."""
    return _line({"back_to": steps})


def hint_line(seat: int, steps: int) -> str:
    """The line that is added when a person is shown a hint, with the number of steps before it."""
    return _line({"hint": seat, "steps": steps, "at": in_words(now())})


def next_line(tokens: list[str]) -> str:
    """The line that is added when another game is begun after this one, with its tokens."""
    return _line({"next": tokens})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _lines(file: TextIO, path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without an incomplete last one."""
    try:
        for number, line in enumerate(text_lines(file, LONGEST_LINE), 1):
            if line.endswith("\n"):
                yield number, line
    except RecordError as error:
        raise RecordError(f"{shown_path(path)}: no saved game: {error}") from None


def _is_step(value: Any) -> bool:
    """Whether a line has the form that :func:`step_line` writes."""
    if not isinstance(value, dict) or set(value) - {"ends", *TIMES} != {"actor", "action"}:
        return False
    actor, action, ends = value["actor"], value["action"], value.get("ends", True)
    is_timed = are_times({name: value[name] for name in TIMES if name in value})
    return isinstance(actor, (int, str)) and isinstance(action, str) and ends is True and is_timed


def _is_hint(value: Any) -> bool:
    """Whether a line has the form that :func:`hint_line` writes."""
    if not isinstance(value, dict) or set(value) != {"hint", "steps", "at"} or not are_times({"asked": value["at"]}):
        return False
    return all(type(value[name]) is int and value[name] >= 0 for name in ("hint", "steps"))


def _is_next(value: Any) -> bool:
    """Whether a line has the form that :func:`next_line` writes."""
    if not isinstance(value, dict) or set(value) != {"next"} or not isinstance(value["next"], list):
        return False
    return all(isinstance(token, str) for token in value["next"])


def _demand_tokens(tokens: list[str], number: int, path: str | Path) -> None:
    """Refuse a line with wrong tokens.

    Raises:
        RecordError: one of its tokens has another form than ours.
    """
    for token in tokens:
        if not TOKEN.fullmatch(token):
            raise RecordError(
                f"{shown_path(path)}, line {number}: the token {shown(token)} can stand in no link: it must be letters "
                "and digits, - and _."
            )


def _parsed(line: str, number: int, path: str | Path) -> Any:
    try:
        return parse_json(line)
    except NotJsonError as error:
        raise RecordError(f"{shown_path(path)}, line {number}: not JSON ({error}).") from error
