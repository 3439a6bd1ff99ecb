"""The question to a person and the choices on offer, in words and as places in the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rat_envs.engine.game import Game
    from rat_envs.engine.position import Position

__all__ = ["Choice", "Offer", "offer", "offered", "plain_words"]


@dataclass(frozen=True)
class Choice:
    """A legal action as it is shown to a person.

    Attributes:
        action: its number.
        words: what happens, as an order: "Play the Prince".
        spot: the place in the drawing that stands for it, by the drawing's name for it; empty if there is none.
        key: what a person types for it; games give it if a card has a number of its own.
        also: other words for it, as a person may say them: "I will play the Prince".
    """

    action: int
    words: str
    spot: str = ""
    key: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Offer:
    """The question to a seat, and all that it may do."""

    question: str
    choices: tuple[Choice, ...]


def plain_words(game: Game, state: Any, seat: int, actions: Sequence[int]) -> Offer:
    """``offer`` of a game that has no words of its own: its notation."""
    return Offer("What do you do?", tuple(Choice(action, game.actions[action]) for action in actions))


def offer(position: Position) -> Offer:
    """The offer to the seat to act, with a unique key for every choice: its card's, or a running number.

    Everything in it follows from what the seat knows.
    """
    actions = [int(action) for action in position.mask().nonzero()[0]]
    return offered(position.game, position.state, position.actor, actions)


def offered(game: Game, state: Any, seat: int, actions: Sequence[int]) -> Offer:
    """The same for a record of ``STATE`` in which ``seat`` is to act, with the numbers of its legal actions."""
    asked = game.offer(state, seat, actions)
    keys = [choice.key for choice in asked.choices]
    if all(keys) and len(set(keys)) == len(keys):
        return asked
    numbered = (replace(one, key=str(k)) for k, one in enumerate(asked.choices, 1))
    return Offer(asked.question, tuple(numbered))
