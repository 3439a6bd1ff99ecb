"""A settled round, for display afterwards: both cards, who won it, and why."""

from __future__ import annotations

from dataclasses import dataclass

from rat_envs.engine.story import Event
from rat_envs.games.brave_rats.components import ASSASSIN, MUSICIAN, NO_CARD, PLAY, PRINCE, PRINCESS, WIZARD
from rat_envs.games.brave_rats.notation import PLAY_FIRST
from rat_envs.games.brave_rats.rounds import ON_HOLD, PRINCESS_WINS, WINNER, WORTH, princess_finds_prince, works
from rat_envs.games.brave_rats.wording import ABILITIES, card_name

__all__ = ["Round", "remembers"]


@dataclass(frozen=True)
class Round:
    """A settled round, which everybody has seen.

    Attributes:
        cards: by seat.
        plus_two: by seat, whether +2 counted for its card (BR-11).
        winner: its seat, or ``ON_HOLD``.
        rounds: how many rounds the winner gains, rounds on hold included.
        why: the reason, in a sentence.
        wins_game: whether it wins the whole game at once (BR-07).
    """

    cards: tuple[int, int]
    plus_two: tuple[bool, bool]
    winner: int
    rounds: int
    why: str
    wins_game: bool = False


def remembers(event: Event, seat: int | None) -> list[Round]:
    """The round that an event settles, if any (BR-01); everybody sees the same."""
    row = event.before
    if row.phase != PLAY or row.chosen[1 - event.actor] == NO_CARD:
        return []
    chosen = row.chosen.tolist()
    chosen[event.actor] = event.action - PLAY_FIRST
    cards: tuple[int, int] = (chosen[0], chosen[1])
    plus_two = (bool(row.plus_two[0]), bool(row.plus_two[1]))
    winner = int(WINNER[cards[0], cards[1], row.plus_two[0], row.plus_two[1]])
    rounds = 0 if winner == ON_HOLD else int(WORTH[cards[winner], cards[1 - winner]] + row.rounds_on_hold[winner])
    return [Round(cards, plus_two, winner, rounds, reason(cards, plus_two), bool(PRINCESS_WINS[cards]))]


def reason(cards: tuple[int, int], plus_two: tuple[bool, bool]) -> str:
    """What decides a round, in the order of BR-14."""
    one, other = cards
    for card, opposing in (cards, (other, one)):
        if works(card, MUSICIAN, opposing):
            return by_ability(MUSICIAN)
    if princess_finds_prince(one, other) or princess_finds_prince(other, one):
        return by_ability(PRINCESS)
    for card, opposing in (cards, (other, one)):
        if works(card, PRINCE, opposing) and opposing != PRINCE:
            return by_ability(PRINCE)
    low, high = sorted((card + 2 * more, card, more) for card, more in zip(cards, plus_two, strict=True))
    if low[0] == high[0]:
        return "Equal values: the round is put on hold."
    if works(one, ASSASSIN, other) or works(other, ASSASSIN, one):
        return by_ability(ASSASSIN)
    cancelled = [card for card in cards if card != WIZARD] if WIZARD in cards else []
    wizard = f"; the Wizard cancels the {card_name(cancelled[0])}" if cancelled else ""
    return f"{in_sum(*high[1:])} is higher than {in_sum(*low[1:])}{wizard}."


def by_ability(card: int) -> str:
    """A card's ability, as a reason."""
    return f"{card_name(card)}: {ABILITIES[card]}."


def in_sum(card: int, has_plus_two: bool) -> str:
    """A card's value, with the +2 if it has one."""
    return f"{card}+2" if has_plus_two else str(card)
