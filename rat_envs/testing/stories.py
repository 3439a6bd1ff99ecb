"""A test that a story tells a seat no more than it can know: hidden facts are replaced, and the words must stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import LeakError
from rat_envs.engine.game import CHANCE, Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.engine.story import Event, witness

__all__ = ["story_test"]

#: The number of other possible events that are compared with the one that happened.
OTHERS = 3
#: The share of a game's nodes that are looked at: successive nodes are much alike.
SHARE_OF_NODES = 0.25


def story_test(
    game: str | Game,
    config: Mapping[str, Any] | Configuration | None = None,
    nodes: int = 1000,
    seed: int = 0,
) -> int:
    """Show that ``Game.sees`` and ``Game.remembers`` tell no seat what it cannot know, in games of random play.

    At a quarter of the nodes, chance included, and for every seat:

    - Everything that the seat cannot know is replaced, and the same event is applied. If the seat then observes the
      same, and something is still hidden, it must be told the same.
    - Another event is applied. If the two tables after the events differ only in what the seat cannot know (they are
      equal, byte for byte, when that is replaced with equal random numbers), it must be told the same.

    Events that differ in the game's ``open_facts`` are not compared.

    The order of the sentences of one event is not compared: it is the order in which things happened, such as two cards
    drawn one after the other, and an observation after both need not contain it. Events that end the game are not
    compared either: what they reveal is no longer hidden, and an observation need not contain it.

    Args:
        game: a registered name or a game.
        config: options by name.
        nodes: the least number of nodes to look at.
        seed: seed of everything.

    Returns:
        The number of comparisons of words.

    Raises:
        LeakError: a seat is told what it cannot know; one sentence says which, and where.
    """
    game = get_game(game)
    test = _StoryTest(game, config, seed)
    number = 0
    while test.nodes < nodes:
        test.play_game(seed + number)
        number += 1
    return test.compared


class _StoryTest:
    """One run of :func:`story_test`."""

    def __init__(self, game: Game, config: Any, seed: int) -> None:
        self.game = game
        self.configuration = game.configuration.make(config)
        self.random = np.random.default_rng(seed)
        self.nodes = self.compared = 0

    def play_game(self, seed: int) -> None:
        """Look at some nodes of one game."""
        position, stream = Position(self.game, self.configuration), new_stream(self.game, seed)
        step = 0
        while not position.is_over:
            before = position.copy()
            event = witness(position, position.sample(stream))
            where = f"{event.notation!r}, step {step} of the game of seed {seed}"
            step += 1
            if self.random.random() >= SHARE_OF_NODES:
                continue
            if not position.is_over:  # what the end reveals is no longer hidden
                for seat in range(self.configuration.players):
                    self._look_at(before, position, event, seat, where)
            self.nodes += 1

    def _look_at(self, before: Position, after: Position, event: Event, seat: int, where: str) -> None:
        key = int(self.random.integers(2**62))
        resampled = self._resampled(before, seat, key)
        if resampled.actor == before.actor and event.action in _possible(resampled):
            there = witness(resampled, event.action)
            looks_alike = resampled.observe(seat).tobytes() == after.observe(seat).tobytes()
            if looks_alike and resampled.state.tobytes() != after.state.tobytes():  # what was replaced is still hidden
                self._compare(event, there, seat, where)
        others = _possible(before)
        known = self._resampled(after, seat, key).state.tobytes()
        for action in self.random.permutation(others)[:OTHERS].tolist():
            other = before.copy()
            instead = witness(other, action)
            hidden = other.state.tobytes() != after.state.tobytes()
            if hidden and self._resampled(other, seat, key).state.tobytes() == known:
                self._compare(event, instead, seat, where)

    def _resampled(self, position: Position, seat: int, key: int) -> Position:
        copy = position.copy()
        copy.determinize(seat, new_stream(self.game, key))
        return copy

    def _compare(self, event: Event, other: Event, seat: int, where: str) -> None:
        if self.game.open_facts(event) != self.game.open_facts(other):  # everybody at the table can distinguish them
            return
        self.compared += 1
        told, instead = ([*each.seen_by(seat), *map(repr, each.remembered_by(seat))] for each in (event, other))
        if sorted(told) != sorted(instead):
            raise LeakError(
                f"player_{seat} is told what it cannot know of {where}: {' '.join(told)!r}, but {' '.join(instead)!r} "
                f"for {other.notation!r} where hidden facts differ."
            )


def _possible(position: Position) -> np.ndarray:
    """The numbers of all possible next actions or outcomes."""
    return np.flatnonzero(position.weights() if position.actor == CHANCE else position.mask())
