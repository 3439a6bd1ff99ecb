"""What a template may use of the game it is bound to. All names are declared here, so that editors can resolve them.

A *template* is a plain function that is written once and serves every game: a kernel of the engine, a search, a solver.
It imports what it needs from here and calls it by its name. :meth:`~rat_envs.engine.program.Program.bind` copies the
template, with all that it calls, and replaces each declared name by what it stands for in the game. Names that belong
to one family of templates are declared beside it, with :func:`declared` and :func:`declare`.

The rules below are the contract of a game (:class:`~rat_envs.engine.game.Rules`): plain functions over one row, in the
part of Python that Numba compiles. They allocate nothing, raise nothing and hold no random numbers. ``row`` is a record
of the game's ``STATE``, whose first field ``config`` is the stored configuration. What a function writes into
(``mask``, ``weights``, ``out``) is all zero when it is called. A game may leave out those with a default in ``Rules``:
then the functions below hold.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

__all__ = [
    "NUMBER_OF_ACTIONS",
    "NUMBER_OF_OUTCOMES",
    "Declared",
    "actor",
    "answering",
    "apply",
    "chance",
    "declare",
    "declared",
    "determinize",
    "eliminated",
    "is_declared",
    "legal",
    "observe",
    "observe_fixed",
    "possible",
    "public",
    "returns",
    "scores",
    "setup",
    "simultaneous",
    "tally",
    "winners",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_declared_functions: set[Any] = set()


class Declared:
    """A constant, such as a number or a dtype, that stands for something else in every game.

    Args:
        name: its name in templates.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name} of the bound game>"


def declare(names: str) -> Any:
    """Constants of these names, separated by spaces: one, or a tuple of several."""
    constants = tuple(Declared(name) for name in names.split())
    return constants if len(constants) > 1 else constants[0]


def declared(function: Function) -> Function:
    """Mark a function that stands for another one in every game; its docstring says what that one must do."""
    _declared_functions.add(function)
    return function


def is_declared(value: Any) -> bool:
    """Whether a value of a template's globals stands for something else."""
    return isinstance(value, Declared) or (isinstance(value, FunctionType) and value in _declared_functions)


#: Sizes of the mask and of the weights.
NUMBER_OF_ACTIONS, NUMBER_OF_OUTCOMES = declare("NUMBER_OF_ACTIONS NUMBER_OF_OUTCOMES")


@declared
def setup(row):
    """Sets up the table before the first node; all of ``row`` but ``config`` is zero at entry."""


@declared
def actor(row):
    """The seat to act, ``CHANCE`` or ``TERMINAL``."""


@declared
def legal(row, mask):
    """1 for every action the actor may take; ``mask`` is int8 of shape (A,)."""


@declared
def chance(row, weights):
    """An integer weight for every outcome; ``weights`` is int32 of shape (C,)."""


@declared
def apply(row, action):
    """Applies a legal action, or an outcome at a chance node."""


@declared
def observe(row, seat, out):
    """Writes what that seat knows into a record of ``OBSERVATION``."""


@declared
def observe_fixed(row, out):
    """Writes the rest of what seats know: what is the same for all of them, from a game's first decision to its end.

    It is written once per game, into the fields from ``Game.fixed_from`` on; by default there are none.
    """


@declared
def returns(row, out):
    """The zero-sum result by seat, from −1 to 1, when the game is over; ``out`` is float32 or float64, (P,)."""


@declared
def scores(row, out):
    """The game's own points by seat; ``out`` is int32 of shape (P,)."""


@declared
def winners(row, out):
    """1 for every seat that has won when the game is over, for at least one if a return is above 0; ``out`` is int8 of
    shape (P,)."""


@declared
def eliminated(row, out):
    """1 for every seat that could not have won with any number of points when the game is over; by default there is
    none. ``out`` is int8 of shape (P,), and 0 at entry."""


@declared
def determinize(row, seat, stream):
    """Replaces what that seat cannot know, including what others know, by a sample of what it could be.

    The new row is a function of what the seat observes, of what is public, and of ``stream``: with equal random
    numbers, two rows that look alike to the seat become the same bytes.
    """


@declared
def tally(row, action, counts):
    """Counts what a legal action means for the game's ``metrics``, before it is applied; by default nothing. ``counts``
    is int32 of shape (P, M), summed over a game."""


@declared
def simultaneous(row):
    """Whether the actor's choice stays unseen until the next seat has chosen too; by default never. For the last of the
    seats that choose simultaneously it does not."""
    return False


@declared
def answering(row):
    """Whether the actor answers a choice that has been made openly but is not settled yet, so that both belong together
    as if they were made at once; by default never."""
    return False


@declared
def public(row):
    """Takes back a choice that is still unseen, so that the row is what everybody may know; by default nothing."""


@declared
def possible(row):
    """Whether a row from outside is one at which a seat acts or the game is over, so that the other rules can go on
    from it; by default always. Every field lies within ``Game.ranges`` when this is called."""
    return True
