"""The terms of a game with people: what is written down about it, and what the players are shown and may do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.files import demand_outline

__all__ = ["Terms", "checked_labels", "parse_labels"]

#: The names of labels are columns of tables, too.
LABEL = re.compile(r"[A-Za-z]\w*", re.ASCII)
#: The most labels of a game, and the most characters of a label's value or of a name that is shown.
MOST_LABELS, LONGEST = 50, 200
OUTLINE = {"labels": {str: str}, "names": [str], "undo": bool, "hints": bool, "table": str}


@dataclass(frozen=True)
class Terms:
    """The terms of a game.

    Attributes:
        labels: what is written down about the game, as the participant and the condition of a study.
        names: by seat, what people read in place of the name of who sits there; none to show who it is.
        undo: whether a person who plays against agents may take actions back.
        hints: whether people are given hints.
        table: the line of a file of tables that the game was opened for, as a digest; empty if it is another game.
    """

    labels: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    undo: bool = True
    hints: bool = True
    table: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Terms:
        """The terms in an object of JSON; what is missing is as usual.

        Raises:
            ValueError: one has another form; the message says which, without a full stop.
        """
        demand_outline(values, {}, "the terms")
        names = [each.name for each in fields(cls)]
        if unknown := [name for name in values if name not in names]:
            raise ValueError(f"there is no {shown(unknown[0])}")
        found = dict(values)
        demand_outline(found, {name: OUTLINE[name] for name in found}, "the terms")
        checked_labels(found.get("labels", {}))
        for name in found.get("names", ()):
            if not name.strip() or len(name) > LONGEST:
                raise ValueError(f"the shown name {shown(name)} must have from 1 to {LONGEST} characters")
        return cls(**found)

    def to_dict(self) -> dict[str, Any]:
        """Those that are not as usual, as values for JSON."""
        usual = asdict(Terms())
        return {name: value for name, value in asdict(self).items() if value != usual[name]}

    def demand_seats(self, players: int) -> None:
        """Refuse names that are not one for each seat.

        Raises:
            ConfigurationError: there are more or fewer.
        """
        if self.names and len(self.names) != players:
            raise ConfigurationError(
                f"{len(self.names)} shown names for {players} seats: give one for each, as in you,opponent."
            )

    def shown_names(self, names: Sequence[str]) -> list[str]:
        """What a record that players may read says of who played."""
        return list(self.names or names)


def checked_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels, if they are in order.

    Raises:
        ValueError: one is not; the message says what would be right, without a full stop.
    """
    if len(labels) > MOST_LABELS:
        raise ValueError(f"there are {len(labels)} labels, more than {MOST_LABELS}")
    for name, value in labels.items():
        if not LABEL.fullmatch(name) or len(name) > LONGEST:
            raise ValueError(f"the label {shown(name)} must be letters, digits and _, as in participant")
        if len(value) > LONGEST:
            raise ValueError(f"the label {name} must have at most {LONGEST} characters")
    return dict(labels)


def parse_labels(words: Iterable[str]) -> dict[str, str]:
    """Labels from KEY=VALUE texts.

    Raises:
        ValueError: one is none, or is there twice; the message says what would be right, without a full stop.
    """
    labels: dict[str, str] = {}
    for word in words:
        name, mark, value = word.partition("=")
        if not mark:
            raise ValueError(f"{shown(word)} must be KEY=VALUE, as in participant=P017")
        if name in labels:
            raise ValueError(f"the label {shown(name)} is there twice")
        labels[name] = value
    return checked_labels(labels)
