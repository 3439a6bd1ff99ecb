"""Building blocks of the sentences of games."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Person", "does", "game_over", "listed", "named", "number_of", "possessive", "subject", "wrap"]

#: Verbs that take more than an s: what "you" does, and what others do.
FORMS = {"be": ("are", "is"), "have": ("have", "has"), "do": ("do", "does"), "pass": ("pass", "passes")}


@dataclass(frozen=True)
class Person:
    """A person at the table, as an observer sees them.

    Attributes:
        number: of the seat.
        is_observer: whether it is the observer, who is addressed as "you".
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


def game_over(winners: Sequence[Person], won_with: str = "", tie_break: str = "") -> str:
    """Who has won, with what, and why others who had as much have not.

    Args:
        winners: nobody, somebody, or several who share the win.
        won_with: how much the winners have, for example "12 points".
        tie_break: what the winners did or had, for example "had the fewest rats", if others had as much.
    """
    if not winners:
        return "The game is over: nobody has won."
    first, is_alone = winners[0], len(winners) == 1
    won = f"{'have' if first.is_observer else 'has'} won" if is_alone else "share the win"
    sentence = f"The game is over: {listed(map(named, winners))} {won}{won_with and f' with {won_with}'}."
    if not tie_break:
        return sentence
    who = "they" if not is_alone else "you" if first.is_observer else "it"
    return f"{sentence} Of those tied {who} {tie_break}."


def wrap(sentence: str, width: int, indent: int = 0) -> list[str]:
    """Lines no longer than ``width``, all but the first indented."""
    return textwrap.wrap(sentence, width, subsequent_indent=" " * indent)


def number_of(number: int, thing: str, things: str = "") -> str:
    """``number`` of a thing, whose plural is ``things``, or ``thing`` with an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {things or thing + 's'}"


def listed(words: Iterable[str]) -> str:
    """Words with commas and an "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
