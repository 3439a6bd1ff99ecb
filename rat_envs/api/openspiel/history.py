"""What seats have seen and done: a game walked node by node, with perfect recall for every seat.

A seat's *information state* is the sequence of its observations, each time one differs from the one before, and of its
own actions. It looks where an environment would show it the table: at every seat's decisions and at the end, not
between two events of chance. The sequence is kept as a digest, each step of it hashed together with the digest of all
steps before, so that equal digests mean equal sequences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position

__all__ = ["DIGEST_BITS", "Node", "SeatHistory", "begin", "replay"]

DIGEST_BITS = 128
ACTED, SAW = b"acted", b"saw"


def digest_of(*parts: bytes) -> bytes:
    """The digest of a step of a history: of the digest before, the kind of step and what it was."""
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BITS // 8).digest()


@dataclass(frozen=True)
class SeatHistory:
    """All that one seat has seen and done.

    Attributes:
        digest: of the whole sequence.
        observation: what the seat saw last, as bytes; empty before its first look.
    """

    digest: bytes
    observation: bytes = b""

    def acts(self, action: int) -> SeatHistory:
        """With an action of the seat's own added."""
        return SeatHistory(digest_of(self.digest, ACTED, action.to_bytes(4, "little")), self.observation)

    def sees(self, observation: bytes) -> SeatHistory:
        """With a look at the table added, if it shows anything new."""
        if observation == self.observation:
            return self
        return SeatHistory(digest_of(self.digest, SAW, observation), observation)


@dataclass(frozen=True, eq=False)
class Node:
    """A game at one node; never changed, so that copies may share it.

    Attributes:
        position: where the game stands; not to be changed.
        opening: the notation of what was played before the histories begin.
        steps: the numbers of all actions and outcomes after that.
        histories: one for each seat.
    """

    position: Position
    opening: tuple[str, ...]
    steps: tuple[int, ...]
    histories: tuple[SeatHistory, ...]

    def after(self, step: int) -> Node:
        """The node to which an action, or an outcome at a chance node, leads.

        Raises:
            IllegalActionError: it cannot happen here.
        """
        position = self.position.copy()
        histories, actor = list(self.histories), position.actor
        position.apply(step)
        if actor >= 0:
            histories[actor] = histories[actor].acts(step)
        return Node(position, self.opening, (*self.steps, step), look(position, histories))

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def __reduce__(self) -> Any:
        position = self.position
        return replay, (position.game, position.configuration, self.opening, self.steps)


def look(position: Position, histories: Iterable[SeatHistory]) -> tuple[SeatHistory, ...]:
    """The histories after every seat's look at the table; at a chance node nobody looks."""
    if position.is_chance:
        return tuple(histories)
    return tuple(history.sees(position.observe(seat).tobytes()) for seat, history in enumerate(histories))


def begin(game: Game, configuration: Configuration, opening: Iterable[str] = ()) -> Node:
    """The node after an opening, where the histories of all seats begin.

    Raises:
        IllegalActionError: the opening breaks a rule.
    """
    position = Position(game, configuration)
    opening = tuple(opening)
    for action in opening:
        position.apply(action)
    histories = [SeatHistory(digest_of(np.uint8(seat).tobytes())) for seat in range(configuration.players)]
    return Node(position, opening, (), look(position, histories))


def replay(game: Game, configuration: Configuration, opening: tuple[str, ...], steps: tuple[int, ...]) -> Node:
    """The node after an opening and these steps."""
    node = begin(game, configuration, opening)
    for step in steps:
        node = node.after(step)
    return node
