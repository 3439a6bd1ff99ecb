"""What a seat witnesses of a game, in sentences: told from a record, or while a game is played.

A game says in ``Game.sees`` who sees what of one event. Nothing of it is kept in the row: callers that want a story
keep the nodes of the game, or its record, and ask for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rat_envs.engine.checks import checked_index
from rat_envs.engine.game import CHANCE, Game
from rat_envs.engine.position import Position
from rat_envs.engine.records import replay

__all__ = ["Event", "events", "moments", "news", "story", "unfold", "witness"]


@dataclass(frozen=True, eq=False)
class Event:
    """What has happened at one node.

    Attributes:
        game: the game.
        actor: the seat that has acted, or ``CHANCE``.
        action: the number of its action, or of the outcome.
        before: record of ``STATE`` at the node.
        after: record of ``STATE`` at the next node.
        players: how many seats the game has.
    """

    game: Game
    actor: int
    action: int
    before: Any
    after: Any
    players: int
    _moments: list[Any] = field(default_factory=list, init=False, repr=False)

    @property
    def notation(self) -> str:
        """The action or outcome as in records."""
        return (self.game.outcomes if self.actor == CHANCE else self.game.actions)[self.action]

    def seen_by(self, seat: int | None) -> list[str]:
        """What a seat, or for None a spectator who knows what everybody knows, sees of it, in sentences."""
        return self.game.sees(self, seat)

    def remembered_by(self, seat: int | None) -> list[Any]:
        """What the game's drawing may keep showing a seat, or for None everybody, of it."""
        return [] if self.game.remembers is None else self.game.remembers(self, seat)


def witness(position: Position, action: int | str) -> Event:
    """Apply an action, or an outcome at a chance node, to ``position``: the event.

    Raises:
        IllegalActionError: it cannot happen here; the position is left as it was.
    """
    before = position.copy()
    position.apply(action)
    return _event(before, action, position.copy())


def events(record: dict[str, Any]) -> list[Event]:
    """All that has happened in a record, in order.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule.
    """
    nodes: list[tuple[Position, str]] = []
    final = replay(record, lambda position, step: nodes.append((position.copy(), step["action"])))
    following = [*(position for position, _ in nodes[1:]), final]
    return [_event(before, action, after) for (before, action), after in zip(nodes, following, strict=True)]


def unfold(position: Position, stream: Any) -> list[Event]:
    """Draw outcomes of chance nodes in ``position`` until a seat is to act or the game is over: the events.

    Args:
        stream: a random stream; that of an environment gives the outcomes that are drawn there.
    """
    witnessed = []
    while position.is_chance:
        witnessed.append(witness(position, position.sample(stream)))
    return witnessed


def moments(
    event: Event, take: Callable[[Any, int], None], go_on_once: Callable[[Any], None], going_on: int
) -> list[Any]:
    """The rows from before an event to after it: the rules take one step from each to the next.

    Args:
        event: of a game whose ``apply`` is ``take``, then ``go_on_once`` for as long as something follows by itself.
        take: applies the action, without what follows.
        go_on_once: applies the next thing that follows.
        going_on: the value of ``row.phase`` while something follows.
    """
    rows = event._moments  # the same for everybody who is told of it
    if not rows:
        row = event.before.copy()
        take(row, event.action)
        rows += [event.before, row.copy()]
        while row.phase == going_on:
            go_on_once(row)
            rows.append(row.copy())
    return rows


def story(witnessed: Iterable[Event], seat: int | None) -> list[str]:
    """The sentences of some events that a seat, or for None a spectator, is told.

    The nodes between which a sentence was told are left out on purpose: it can be a secret that somebody was asked.

    Raises:
        ConfigurationError: the game has no such seat.
    """
    witnessed = list(witnessed)
    if witnessed and seat is not None:
        seat = checked_index("seat", seat, witnessed[0].players, "or None for a spectator")
    return list(itertools.chain.from_iterable(event.seen_by(seat) for event in witnessed))


def news(witnessed: Sequence[Event], seat: int) -> list[str]:
    """What a seat has been told since it last decided something, and the result of that; all, if it never did."""
    own = (number for number in reversed(range(len(witnessed))) if witnessed[number].actor == seat)
    return story(witnessed[next(own, 0) :], seat)


def _event(before: Position, action: int | str, after: Position) -> Event:
    game, actor = before.game, before.actor
    numbers = game.outcome_numbers if actor == CHANCE else game.action_numbers
    number = numbers[action] if isinstance(action, str) else int(action)
    return Event(game, actor, number, before.state, after.state, before.configuration.players)
