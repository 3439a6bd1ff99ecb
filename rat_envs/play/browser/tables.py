"""Tables of a study: a line of JSON for each game that people are to play, and the links that open its seats."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rat_envs.api.named_agents import demand_trust
from rat_envs.engine.archive import write_file
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, RatEnvsError, shown, shown_path
from rat_envs.engine.files import demand_outline, parse_json, text_lines
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game
from rat_envs.play.saved import SUFFIX, SavedGame, new_place, new_tokens
from rat_envs.play.seating import PERSON
from rat_envs.play.session import Session, drawn_seed
from rat_envs.play.terms import Terms

__all__ = ["LINKS", "Line", "lay_tables", "links_of", "read_tables", "write_links"]

#: The file of links in the folder of a study.
LINKS = "links.jsonl"
#: What a line must say and may say.
NEEDED: dict[str, Any] = {"game": str, "seats": [str]}
POSSIBLE: dict[str, Any] = {
    **NEEDED,
    "options": dict,
    "seed": int,
    "labels": {str: str},
    "names": [str],
    "undo": bool,
    "hints": bool,
}
OF_TERMS = ("labels", "names", "undo", "hints")


@dataclass(frozen=True)
class Line:
    """A line of a file of tables.

    Attributes:
        number: its number in the file, from 1.
        seed: the seed of chance and of the agents; None to draw one.
        seats: ``PERSON`` or the name of an agent, by seat.
        terms: of the game; they name the line.
    """

    number: int
    game: Game
    configuration: Configuration
    seats: list[str]
    seed: int | None
    terms: Terms


def read_tables(path: Path, trust: bool = False) -> list[Line]:
    """The lines of a file of tables; empty ones are passed over.

    Args:
        path: the file.
        trust: whether agents may be code.

    Raises:
        ConfigurationError: a line is wrong, or there is none; the error gives its number.
        OSError: the file cannot be read.
    """
    found: Counter[str] = Counter()
    checked: set[str] = set()
    lines = []
    with path.open(encoding="utf-8-sig") as file:
        for number, text in enumerate(text_lines(file), 1):
            if text.strip():
                try:
                    line = _line(number, parse_json(text), found)
                    _demand_agents(line, trust, checked)
                except (RatEnvsError, ValueError) as error:
                    reason = str(error).rstrip(".")
                    raise ConfigurationError(f"{shown_path(path)}, line {number}: {reason}.") from None
                lines.append(line)
    if not lines:
        raise ConfigurationError(f"{shown_path(path)} holds no tables: write a line of JSON for each.")
    return lines


def _line(number: int, value: Any, found: Counter[str]) -> Line:
    """A line.

    Args:
        number: its number.
        value: what it says.
        found: how often the same has been said before.

    Raises:
        RatEnvsError, ValueError: it is wrong.
    """
    demand_outline(value, NEEDED, "the table")
    if unknown := [name for name in value if name not in POSSIBLE]:
        raise ValueError(f"there is no {shown(unknown[0])}: a table has {', '.join(POSSIBLE)}")
    demand_outline(value, {name: POSSIBLE[name] for name in value}, "the table")
    if not 0 <= value.get("seed", 0) <= MOST_SEED:
        raise ValueError(f"seed={shown(value['seed'])}: must be from 0 to {MOST_SEED}")
    game = get_game(value["game"])
    configuration = game.configuration.make(value.get("options"))
    if PERSON not in value["seats"]:
        raise ValueError(f"seats has no {PERSON}: nobody would play there")
    text = json.dumps(value, sort_keys=True)
    found[text] += 1
    digest = hashlib.sha256(f"{found[text]} {text}".encode()).hexdigest()[:16]
    terms = Terms.of({**{name: value[name] for name in OF_TERMS if name in value}, "table": digest})
    return Line(number, game, configuration, value["seats"], value.get("seed"), terms)


def _demand_agents(line: Line, trust: bool, checked: set[str]) -> None:
    """Refuse agents that cannot play; agents that have been checked at the same seats of the same game are passed over.

    Raises:
        RatEnvsError: one cannot.
    """
    line.terms.demand_seats(line.configuration.players)
    table = json.dumps([line.game.name, line.configuration.to_dict(), line.seats])
    if table not in checked:
        demand_trust(line.seats, trust, "The table")
        Session(line.game, line.configuration, line.seats, 0, trust)
        checked.add(table)


def lay_tables(lines: Sequence[Line], folder: Path) -> list[SavedGame]:
    """The game of each line, in order; one that is not in the folder yet is put there, without making its agents.

    Raises:
        OSError: the folder cannot be read or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    there = {saved.terms.table: saved for saved in _games_in(folder)}
    return [there.get(line.terms.table) or _laid(line, folder) for line in lines]


def _games_in(folder: Path) -> Iterator[SavedGame]:
    """The games in a folder that can be opened in the browser."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            saved = SavedGame.read(path)
        except (RatEnvsError, OSError):  # the house says which and why
            continue
        if len(saved.tokens) == len(saved.seats) + 1:
            yield saved


def _laid(line: Line, folder: Path) -> SavedGame:
    """A new game of a line, saved in the folder."""
    seed = drawn_seed() if line.seed is None else line.seed
    about = line.game.name, line.game.version, line.configuration.to_dict(), line.seats, seed
    saved = SavedGame(*about, tokens=new_tokens(len(line.seats)), terms=line.terms)
    saved.write(new_place(folder, line.game.name))
    return saved


def links_of(lines: Sequence[Line], games: Sequence[SavedGame], link: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    """What opens each person's seat, as values for JSON.

    Args:
        lines: the lines of the file.
        games: the game of each.
        link: makes a link of a token.
    """
    for line, saved in zip(lines, games, strict=True):
        for seat, name in enumerate(saved.seats):
            if name == PERSON:
                yield {
                    "line": line.number,
                    "labels": line.terms.labels,
                    "seat": seat,
                    "link": link(saved.tokens[seat]),
                    "watch": link(saved.tokens[-1]),
                }


def write_links(folder: Path, links: Sequence[dict[str, Any]]) -> str:
    """Write the links to the folder's file, which only the user may read; return what is written, a line each."""
    text = "".join(json.dumps(link) + "\n" for link in links)
    write_file(folder / LINKS, text.encode(), mode=0o600)
    return text
