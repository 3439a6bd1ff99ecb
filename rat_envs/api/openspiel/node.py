"""A game walked node by node, with the history of every seat.

A seat's *information state* is everything that it has seen and done (perfect recall): at each of its own decisions its
observation, the legal actions and the action it took, and at the end its last observation. It does not include the
decisions of others: even the fact that somebody is asked can be a secret. The sequence is kept as a digest, with each
step hashed together with the digest of all steps before. So equal digests mean equal sequences.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from rat_envs.engine.contract import actor, apply, chance, legal, returns
from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.kernels import observe_whole
from rat_envs.engine.presets import Preset
from rat_envs.engine.program import program

__all__ = ["DIGEST_BITS", "NO_STEP", "Node", "SeatHistory", "arrive", "begin", "drawn_anew", "replay"]

DIGEST_BITS = 128
ACTED, ASKED, ENDED, SUPPOSED = b"acted", b"asked", b"ended", b"supposed"
#: Passed in place of a step if nothing happens.
NO_STEP = -1


def digest_of(*parts: bytes) -> bytes:
    """The digest of a history with a new step: a hash of the digest before, the kind of step and its contents."""
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BITS // 8).digest()


@dataclass(frozen=True)
class SeatHistory:
    """Everything that one seat has seen and done.

    Attributes:
        digest: the digest of the whole sequence.
        observation: what the seat saw at its last decision, or at the end; all 0 before its first.
    """

    digest: bytes
    observation: bytes

    def acts(self, action: int) -> SeatHistory:
        """The history with one of the seat's own actions added."""
        return SeatHistory(digest_of(self.digest, ACTED, action.to_bytes(4, "little")), self.observation)

    def is_asked(self, observation: bytes, mask: bytes) -> SeatHistory:
        """The history with a decision of the seat added, at which it sees this and these actions are legal."""
        return SeatHistory(digest_of(self.digest, ASKED, observation, mask), observation)

    def sees_the_end(self, observation: bytes) -> SeatHistory:
        """The history with the seat's observation at the end added."""
        return SeatHistory(digest_of(self.digest, ENDED, observation), observation)


@dataclass(frozen=True, eq=False)
class Node:
    """A game at one node. It never changes, so copies may share it.

    Attributes:
        game: the game.
        start: its configuration, and what was played before the histories begin; None if hidden facts have been drawn
            anew, because no game has led there.
        steps: the numbers of all actions and outcomes since.
        rows: (1,) of ``STATE``.
        actor: the seat to act, ``CHANCE`` or ``TERMINAL``.
        possible: (A,) int8, 1 for every legal action; at a chance node (C,) int32, the weight of every outcome.
        returns: (P,) float64, the zero-sum result by seat; all 0 until the game is over.
        histories: what each seat has seen and done.
        observations: each seat's observation at this node, or at the node before a chance node; as bytes.
    """

    game: Game
    start: Preset | None
    steps: tuple[int, ...]
    rows: np.ndarray
    actor: int
    possible: np.ndarray
    returns: np.ndarray
    histories: tuple[SeatHistory, ...]
    observations: tuple[bytes, ...]

    def after(self, step: int) -> Node:
        """The node to which an action, or an outcome at a chance node, leads.

        Raises:
            IllegalActionError: it cannot happen here.
        """
        if not 0 <= step < len(self.possible) or not self.possible[step]:
            texts = self.game.outcomes if self.actor == CHANCE else self.game.actions
            right = ", ".join(texts[number] for number in np.flatnonzero(self.possible)) or "nothing"
            raise IllegalActionError(f"Step {step} cannot follow here; possible is {right}.")
        histories = list(self.histories)
        if self.actor >= 0:
            histories[self.actor] = histories[self.actor].acts(step)
        rows = self.rows.view(np.uint8).copy().view(self.rows.dtype)  # ten times as fast as field by field
        return arrive(self.game, self.start, (*self.steps, step), rows, step, histories, self.observations)

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def __reduce__(self) -> Any:
        if self.start is None:
            return Node, tuple(getattr(self, field.name) for field in fields(self))
        return replay, (self.game, self.start, self.steps)


def advance(rows, step, mask, weights, out, seen):
    """Apply a step to ``rows[0]``, unless it is negative; write what is possible then, or how the game has ended.

    A template over the game's contract. The observation of every seat is written into ``seen``, except at a chance
    node.

    Returns:
        The seat to act, ``CHANCE`` or ``TERMINAL``.
    """
    row = rows[0]
    if step >= 0:
        apply(row, step)
    who = actor(row)
    if who == CHANCE:
        chance(row, weights)
        return who
    if who == TERMINAL:
        returns(row, out)
    else:
        legal(row, mask)
    for seat in range(len(seen)):
        observe_whole(row, seat, seen[seat])
    return who


def arrive(
    game: Game,
    start: Preset | None,
    steps: tuple[int, ...],
    rows: np.ndarray,
    step: int,
    histories: list[SeatHistory],
    observations: tuple[bytes, ...],
) -> Node:
    """The node to which ``step`` leads from ``rows``, where seats had these histories and observations."""
    mask, weights = np.zeros(len(game.actions), np.int8), np.zeros(len(game.outcomes), np.int32)
    out, seen = np.zeros(game.seats), np.zeros(len(histories), game.observation)
    who = int(program(game).bind(advance)(rows, step, mask, weights, out, seen))
    if who != CHANCE:
        observations = tuple(record.tobytes() for record in seen)
    if who == TERMINAL:
        histories = [history.sees_the_end(view) for history, view in zip(histories, observations, strict=True)]
    elif who != CHANCE:
        histories[who] = histories[who].is_asked(observations[who], mask.tobytes())
    possible = weights if who == CHANCE else mask
    return Node(game, start, steps, rows, who, possible, out[: len(histories)], tuple(histories), observations)


def drawn_anew(node: Node, seat: int, stream: Any) -> Node:
    """The same node to ``seat``, with everything that it cannot know drawn anew by the game's ``determinize``.

    The seat's own history stays. What the others would have seen on the way there is unknown, so their histories are
    only what they see now: seats that see the same have the same information state.

    Args:
        stream: a random stream, as ``new_stream`` makes it.

    Raises:
        IllegalActionError: no seat is to act.
    """
    if node.actor < 0:
        raise IllegalActionError("Hidden facts are drawn anew where a player is to act: not by chance, nor at the end.")
    rows = node.rows.copy()
    program(node.game).determinize(rows[0], seat, stream)
    sample = arrive(node.game, None, (), rows, NO_STEP, list(node.histories), node.observations)
    histories = [
        node.histories[seat] if other == seat else SeatHistory(digest_of(bytes([other]), SUPPOSED, view), view)
        for other, view in enumerate(sample.observations)
    ]
    return replace(sample, histories=tuple(histories))


def begin(game: Game, start: Preset) -> Node:
    """The node where the histories of all seats begin.

    Raises:
        ConfigurationError: an option is wrong.
        IllegalActionError: the opening breaks a rule.
    """
    position = start.position(game)
    rows = game.new_row(position.configuration)
    rows[0] = position.state
    nothing = bytes(game.observation.itemsize)
    seats = range(position.configuration.players)
    histories = [SeatHistory(digest_of(bytes([seat])), nothing) for seat in seats]
    return arrive(game, start, (), rows, NO_STEP, histories, tuple(nothing for _ in seats))


def replay(game: Game, start: Preset, steps: tuple[int, ...]) -> Node:
    """The node to which these steps lead."""
    node = begin(game, start)
    for step in steps:
        node = node.after(step)
    return node
