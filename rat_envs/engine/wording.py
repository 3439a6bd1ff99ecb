"""What the sentences of games are made of."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Person", "does", "listed", "named", "number_of", "possessive", "subject", "tie_break", "wrap"]

#: Verbs that take more than an s: what "you" does, and what others do.
FORMS = {"be": ("are", "is"), "have": ("have", "has"), "do": ("do", "does"), "pass": ("pass", "passes")}


@dataclass(frozen=True)
class Person:
    """Somebody at the table, as somebody sees them.

    Attributes:
        number: of the seat.
        is_observer: whether it is whoever sees the table, who is spoken to as "you".
    """

    number: int
    is_observer: bool

    @property
    def name(self) -> str:
        """What others call them."""
        return f"player_{self.number}"

    @property
    def article(self) -> str:
        """What stands before the name in a sentence."""
        return ""


def subject(person: Person) -> str:
    """Somebody at the beginning of a sentence."""
    return "You" if person.is_observer else f"{person.article.capitalize()}{person.name}"


def named(person: Person) -> str:
    """Somebody within a sentence."""
    return "you" if person.is_observer else f"{person.article}{person.name}"


def possessive(person: Person) -> str:
    """Whose something is."""
    return "your" if person.is_observer else f"{named(person)}'s"


def does(person: Person, verb: str) -> str:
    """Somebody as the subject of a verb in the present tense; words may follow the verb."""
    first, *others = verb.split()
    forms = FORMS.get(first, (first, f"{first}s"))
    return " ".join([subject(person), forms[0] if person.is_observer else forms[1], *others])


def tie_break(winners: Sequence[Person], reason: str) -> str:
    """Why these have won, and others with as many points have not; after a sentence that names them."""
    is_alone = len(winners) == 1
    who = "they" if not is_alone else "you" if winners[0].is_observer else "it"
    return f" Of those tied {who} {reason}."


def wrap(sentence: str, width: int, indent: int = 0) -> list[str]:
    """Lines no longer than ``width``, all but the first indented."""
    return textwrap.wrap(sentence, width, subsequent_indent=" " * indent)


def number_of(number: int, thing: str, things: str = "") -> str:
    """So many of a thing, whose plural is ``things``, or ``thing`` with an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {things or thing + 's'}"


def listed(words: Iterable[str]) -> str:
    """Words with commas and an "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
