"""Games that are kept while they are played: a line for what they are, then one for everything that happens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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

__all__ = ["MOST_BYTES", "SavedGame", "next_line", "step_line", "undo_line"]

FORMAT = "rat-game/1"
#: Bytes of a file: the longest game that anybody has played takes a tenth.
MOST_BYTES = 2 * MEBIBYTE
#: Characters of a line: names of agents in the first one may be long.
LONGEST_LINE = 2**16
#: What opens a seat stands in links: anything else there could lead elsewhere.
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
        version: of its rules.
        config: its options.
        seats: ``PERSON`` or the name of an agent, by seat.
        seed: of chance and of the agents.
        steps: all that has happened, as in a record.
        tokens: what opens each seat in the browser, and last the place of a spectator; none at the terminal.
        next_tokens: those of the game that was begun after this one; none if there is none.
    """

    game: str
    version: int
    config: dict[str, Any]
    seats: list[str]
    seed: int
    steps: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    next_tokens: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, session: Session, tokens: list[str] | None = None) -> SavedGame:
        """A session as it stands."""
        game, configuration = session.game, session.position.configuration
        steps = [step.to_dict() for step in session.steps]
        return cls(game.name, game.version, configuration.to_dict(), session.names, session.seed, steps, tokens or [])

    @classmethod
    def read(cls, path: str | Path) -> SavedGame:
        """Read a file. A last line that is cut off, since the program was killed as it wrote it, is passed over.

        Raises:
            RecordError: the file is damaged, or no saved game.
        """
        file_size(path, "saved game", MOST_BYTES, RecordError)
        with Path(path).open(encoding="utf-8-sig") as file:  # some editors begin with a byte order mark
            lines = _lines(file, path)
            saved = cls._begun(next(lines, (1, "{}"))[1], path)
            saved._take_in(lines, path)
        return saved

    @classmethod
    def _begun(cls, line: str, path: str | Path) -> SavedGame:
        """The game of a file's first line, without its steps."""
        header = _parsed(line, 1, path)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise RecordError(f"{shown_path(path)}: no saved game: its first line has no format {FORMAT!r}.")
        try:
            demand_outline({name: header.get(name) for name in OUTLINE}, OUTLINE, "its first line")
        except ValueError as error:
            raise RecordError(f"{shown_path(path)}: no saved game: {error}.") from None
        if not 0 <= header["seed"] <= MOST_SEED:
            raise RecordError(f"{shown_path(path)}: seed={shown(header['seed'])}: must be from 0 to {MOST_SEED}.")
        _demand_tokens(header["tokens"], 1, path)
        return cls(**{name: header[name] for name in OUTLINE})

    def _take_in(self, lines: Iterator[tuple[int, str]], path: str | Path) -> None:
        """What has happened and was not taken back, and what came after it."""
        for number, line in lines:
            step = _parsed(line, number, path)
            if isinstance(step, dict) and set(step) == {"back_to"}:
                if type(step["back_to"]) is not int or not 0 <= step["back_to"] <= len(self.steps):
                    raise RecordError(f"{shown_path(path)}, line {number}: there is no step {shown(step['back_to'])}.")
                del self.steps[step["back_to"] :]
            elif _is_step(step):
                self.steps.append(step)
            elif _is_next(step):
                _demand_tokens(step["next"], number, path)
                self.next_tokens = step["next"]
            else:
                raise RecordError(f"{shown_path(path)}, line {number}: no step: it must have an actor and an action.")

    @property
    def is_over(self) -> bool:
        """Whether the game is over, as far as that was written."""
        return bool(self.steps) and "ends" in self.steps[-1]

    @property
    def has_begun(self) -> bool:
        """Whether a person has acted; where only agents sit, whether anything has happened."""
        people = [seat for seat, name in enumerate(self.seats) if name == PERSON]
        return any(not people or step["actor"] in people for step in self.steps)

    def session(self, trust: bool = False) -> Session:
        """The game to be played on.

        Raises:
            RecordError: it is of another version, or breaks a rule.
            CheckpointError: a seat names code or a server, which are used only if ``trust`` says so.
            RatEnvsError: an agent is not there, or cannot play this.
        """
        demand_trust(self.seats, trust, "The saved game")
        position = replay_steps({**self.header(), "steps": self.steps})
        actions = [step["action"] for step in self.steps]
        return Session(position.game, position.configuration, self.seats, self.seed, trust, actions)

    def record(self, options: bool = False) -> dict[str, Any]:
        """The record of the game; no agent is made for it.

        Args:
            options: whether each step lists all that could have happened.

        Raises:
            RecordError: the game is not over, is of another version, or breaks a rule.
        """
        final = replay_steps({**self.header(), "steps": self.steps})
        if len(self.seats) != final.configuration.players:
            raise RecordError(f"It names {number_of(len(self.seats), 'seat')}, but {final.configuration.players} play.")
        recorder = Recorder(Position(final.game, final.configuration), options)
        for step in self.steps:
            recorder.apply(step["action"])
        return recorder.record({"agents": self.seats})

    def header(self) -> dict[str, Any]:
        """The first line."""
        return {"format": FORMAT, **{name: getattr(self, name) for name in OUTLINE}}

    def write(self, path: str | Path) -> None:
        """Write all of it at once; the file is whole or is not there, and the user's alone, for it holds the tokens."""
        lines = [_line(each) for each in (self.header(), *self.steps)]
        if self.next_tokens:
            lines.append(next_line(self.next_tokens))
        write_file(path, "".join(lines).encode(), mode=0o600)


def step_line(step: Step, ends: bool = False) -> str:
    """The line that is added when something happens, and says whether that ends the game."""
    return _line({**step.to_dict(), **({"ends": True} if ends else {})})


def undo_line(steps: int) -> str:
    """The line that is added when something is taken back, so that so many steps are left."""
    return _line({"back_to": steps})


def next_line(tokens: list[str]) -> str:
    """The line that is added when another game is begun after this one, with what opens its seats."""
    return _line({"next": tokens})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _lines(file: TextIO, path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without a last one that is cut off."""
    try:
        for number, line in enumerate(text_lines(file, LONGEST_LINE), 1):
            if line.endswith("\n"):
                yield number, line
    except RecordError as error:
        raise RecordError(f"{shown_path(path)}: no saved game: {error}") from None


def _is_step(value: Any) -> bool:
    """Whether a line holds what :func:`step_line` writes."""
    if not isinstance(value, dict) or set(value) - {"ends"} != {"actor", "action"}:
        return False
    actor, action, ends = value["actor"], value["action"], value.get("ends", True)
    return isinstance(actor, (int, str)) and isinstance(action, str) and ends is True


def _is_next(value: Any) -> bool:
    """Whether a line holds what :func:`next_line` writes."""
    if not isinstance(value, dict) or set(value) != {"next"} or not isinstance(value["next"], list):
        return False
    return all(isinstance(token, str) for token in value["next"])


def _demand_tokens(tokens: list[str], number: int, path: str | Path) -> None:
    """Refuse a line with what cannot open a seat.

    Raises:
        RecordError: one of its tokens is none of ours.
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
