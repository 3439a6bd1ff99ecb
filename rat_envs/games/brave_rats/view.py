"""What a drawing or a text of the table may show, built from observations only (BR-30 to BR-32)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rat_envs.engine.attributes import new_record
from rat_envs.engine.game import EVERYTHING, PointOfView
from rat_envs.engine.seen import expand
from rat_envs.games.brave_rats.configuration import GAMES_TO_WIN, HANDS, MOST_GAMES
from rat_envs.games.brave_rats.observation import OBSERVATION, observe, observe_fixed

OWN, OTHER = 0, 1
CLANS = ("Yarg", "Applewood")


@dataclass(frozen=True)
class Side:
    """One player, as an observer sees it.

    Attributes:
        cards: the known cards in hand, sorted; with a draw pile the other player's known cards, hand and pile together.
        pile: the observer's draw pile, sorted; empty for the other player.
        unknown: how many cards are in hand but not known.
        hand_size: how many cards are in hand.
        shown: the card chosen in this round, if it may be seen; it is not among ``cards``.
        rounds_won: capped at the number needed, although the last round may be worth more.
        rounds_on_hold: what the rounds on hold are worth to this player.
    """

    seat: int
    is_observer: bool
    cards: tuple[int, ...]
    pile: tuple[int, ...]
    unknown: int
    hand_size: int
    shown: int | None
    rounds_won: int
    rounds_on_hold: int
    plus_two: bool
    spied: bool
    games_won: int

    @property
    def clan(self) -> str:
        """The name of the player's clan."""
        return CLANS[self.seat]

    @property
    def hidden_in_pile(self) -> int:
        """How many of ``cards`` lie in the pile; only their owner knows which (BR-21)."""
        return max(0, len(self.cards) + self.unknown - self.hand_size)


@dataclass(frozen=True)
class View:
    """The table from a point of view; ``near`` is the observer's own side, or player_0 for a spectator."""

    near: Side
    far: Side
    hands: str
    traitor: bool
    draw_pile: bool
    fast: bool
    emperor: bool
    packet: tuple[int, ...]
    packet_opener: Side | None
    games_played: int

    @property
    def rounds_needed(self) -> int:
        """Round wins that end the game (BR-04, BR-22)."""
        return rounds_needed(self)

    @property
    def spied(self) -> Side | None:
        """Who reveals first in this round (BR-12)."""
        return next((side for side in (self.near, self.far) if side.spied), None)

    @property
    def is_over(self) -> bool:
        """Whether the game, or the match (BR-26), is over."""
        if not self.emperor:
            return self.games_played > 0
        return GAMES_TO_WIN in (self.near.games_won, self.far.games_won) or self.games_played == MOST_GAMES

    @property
    def winner(self) -> Side | None:
        """Who has won more games; None if nobody has."""
        if self.near.games_won == self.far.games_won:
            return None
        return max(self.near, self.far, key=lambda side: side.games_won)


def rounds_needed(seen: Any) -> int:
    """Round wins that end the game (BR-04, BR-22), by a view or an observation."""
    return 3 if seen.fast else 4


def view(row: Any, point_of_view: PointOfView) -> View:
    """The table as a seat knows it; for None, only what both know; for ``EVERYTHING``, what either knows."""
    if point_of_view == EVERYTHING:
        return view_of_everything(row)
    if point_of_view is not None:
        seen = look(row, point_of_view)
        near, far = own_side(seen, point_of_view), other_side(seen, 1 - point_of_view)
        return _view(seen, near, far, seen.packet)
    by_0, by_1 = look(row, 0), look(row, 1)
    near, far = other_side(by_1, 0), other_side(by_0, 1)
    return _view(by_0, near, far, np.minimum(by_0.packet, by_1.packet))


def view_of_everything(row: Any) -> View:
    """The combined knowledge of both: each side as its owner sees it, the packet as seen by whoever saw more of it."""
    by_0, by_1 = look(row, 0), look(row, 1)
    near, far = (replace(own_side(seen, seat), is_observer=False) for seat, seen in enumerate((by_0, by_1)))
    return _view(by_0, near, far, np.maximum(by_0.packet, by_1.packet))


def _view(seen: Any, near: Side, far: Side, packet: Any) -> View:
    """A view whose public facts come from an observation by the near seat."""
    opener = None
    if seen.packet_opener.any():
        opener = near if seen.packet_opener[OWN] else far
    return View(
        near=near,
        far=far,
        hands=HANDS[int(np.argmax(seen.hands))],
        traitor=bool(seen.traitor),
        draw_pile=bool(seen.draw_pile),
        fast=bool(seen.fast),
        emperor=bool(seen.emperor),
        packet=expand(packet),
        packet_opener=opener,
        games_played=int(seen.games_played),
    )


def look(row: Any, seat: int) -> Any:
    """The observation of ``seat``: all that the rest of this file reads."""
    seen = new_record(OBSERVATION)
    observe_fixed(row, seen)
    observe(row, seat, seen)
    return seen


def own_side(seen: Any, seat: int) -> Side:
    """The observer's own side of an observation."""
    cards, pile = expand(seen.own_hand - seen.own_chosen), expand(seen.own_pile)
    return _side(seen, seat, OWN, cards, pile, 0, len(cards), seen.own_chosen)


def other_side(seen: Any, seat: int) -> Side:
    """The other player's side of an observation, without what only that player knows."""
    cards = expand(seen.opponent_cards - seen.opponent_revealed)
    hand_size = int(seen.opponent_hand_size) - int(seen.opponent_revealed.sum())
    return _side(seen, seat, OTHER, cards, (), int(seen.opponent_unknown), hand_size, seen.opponent_revealed)


def _side(
    seen: Any,
    seat: int,
    place: int,
    cards: tuple[int, ...],
    pile: tuple[int, ...],
    unknown: int,
    hand_size: int,
    chosen: Any,
) -> Side:
    return Side(
        seat=seat,
        is_observer=place == OWN,
        cards=cards,
        pile=pile,
        unknown=unknown,
        hand_size=hand_size,
        shown=int(np.argmax(chosen)) if chosen.any() else None,
        rounds_won=min(int(seen.rounds_won[place]), rounds_needed(seen)),
        rounds_on_hold=int(seen.rounds_on_hold[place]),
        plus_two=bool(seen.plus_two[place]),
        spied=bool(seen.spied[place]),
        games_won=int(seen.games_won[place]),
    )
