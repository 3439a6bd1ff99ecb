"""Points, deaths and winners as far as a view knows them, counted by the rules themselves (RC-60 to RC-67)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.attributes import new_record
from rat_envs.games.rattus_cartus.components import FLUTE, JOKER, PASS, STATE, SWORD, nuns_on
from rat_envs.games.rattus_cartus.ending import find_winners, gold_points, majority_points, rats_survived, track_points
from rat_envs.games.rattus_cartus.tables import CLASSES
from rat_envs.games.rattus_cartus.view import NO_CARDS, Player, View


@dataclass(frozen=True)
class Score:
    """A seat's points.

    Attributes:
        tracks: by class.
        majorities: population cards and jokers, swords, flutes, passes; 0 while hands are hidden.
        gold: 0 while hands are hidden.
        tokens: points of victory point tokens.
        is_dead, has_won: at the end.
    """

    tracks: tuple[int, ...]
    majorities: tuple[int, ...]
    gold: int
    tokens: int
    is_dead: bool
    has_won: bool

    @property
    def total(self) -> int:
        """All points; before the end those for influence and tokens."""
        return sum(self.tracks) + sum(self.majorities) + self.gold + self.tokens


def scores(seen: View) -> tuple[Score, ...]:
    """Points by seat; before the end, as if the game ended now, without points for hands."""
    row = row_of(seen)
    won = np.zeros(len(seen.players), np.int8)
    find_winners(row, won)
    return tuple(_score(seen, row, player, bool(won[player.number])) for player in seen.players)


def winners(seen: View) -> tuple[Player, ...]:
    """RC-66: who has won, once the game is over."""
    return tuple(player for player, score in zip(seen.players, scores(seen), strict=True) if score.has_won)


def nuns(seen: View) -> int:
    """RC-65: the nuns in the row as far as they are known."""
    return sum(nuns_on(card.kind) for card in seen.row_cards if card.kind is not None)


def row_of(seen: View) -> Any:
    """A row with only those facts of a view from which points are counted."""
    row = new_record(STATE)
    row.config.players = len(seen.players)
    row.config.fewest_rats_survive = seen.fewest_rats_survive
    row.in_use[:] = seen.in_use
    for player in seen.players:
        row.rats[player.number] = player.rats
        row.points[player.number] = player.token_points
        row.hand[player.number] = player.hand if seen.is_over and player.hand is not None else NO_CARDS
    for track in range(len(CLASSES)):
        row.influence[track, : len(seen.players)] = seen.influence[track]
        row.rank[track, : len(seen.players)] = seen.below[track]
    row.nun[:] = [card.kind or 0 for card in seen.row_cards]
    return row


def _score(seen: View, row: Any, player: Player, won: bool) -> Score:
    seat = player.number
    return Score(
        tracks=tuple(int(track_points(row, track, seat)) for track in range(len(CLASSES))),
        majorities=tuple(int(majority_points(row, seat, kind)) for kind in (JOKER, SWORD, FLUTE, PASS)),
        gold=int(gold_points(row, seat)),
        tokens=player.token_points,
        is_dead=seen.is_over and player.rats > int(rats_survived(row)),
        has_won=seen.is_over and won,
    )
