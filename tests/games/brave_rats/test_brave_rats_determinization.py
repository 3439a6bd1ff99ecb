"""Determinization: what a seat cannot know is replaced by a fair sample, and not a byte of what it knows is."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from brave_rats_helpers import (
    CONFIGURATIONS,
    apply_all,
    assert_fair,
    both_seats,
    choices_by_copies,
    counts,
    hand,
    names,
    pile,
    play_as,
    play_round,
    start,
    start_with,
    state_bytes,
    stream,
)

from rat_envs.engine.position import Position
from rat_envs.games.brave_rats.components import CARDS

CLAN = "musician princess spy assassin ambassador wizard general prince"


def sample(position: Position, seat: int, fact: Callable[[Position], Any], number: int) -> Counter[Any]:
    """How often ``fact`` came out in determinizations for ``seat``."""
    luck = stream(2014)
    seen: Counter[Any] = Counter()
    for _ in range(number):
        other = position.copy()
        other.determinize(seat, luck)
        assert other.observe(seat).tobytes() == position.observe(seat).tobytes()
        seen[fact(other)] += 1
    return seen


def chosen(position: Position, seat: int) -> str:
    """The card chosen and not yet revealed."""
    return CARDS[position.state.chosen[seat]]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: "-".join(map(str, config.values())))
def test_determinize_changes_nothing_a_seat_sees_and_leaves_a_game_that_goes_on(config: dict[str, Any]) -> None:
    position, luck = start(**config), stream(3)
    while not position.is_over:
        for seat in (0, 1):
            other = position.copy()
            other.determinize(seat, luck)
            assert other.observe(seat).tobytes() == position.observe(seat).tobytes()
            assert other.actor == position.actor
            if position.actor == seat:
                assert other.legal() == position.legal()
            assert all_cards(other) == all_cards(position)
        position.apply(position.sample(luck))


def all_cards(position: Position) -> list[int]:
    """The cards that are not yet played, wherever they are."""
    row = position.state
    assert min(np.concatenate([row.undealt, row.packet, *row.hand, *row.pile])) >= 0
    return (row.undealt + row.packet + row.hand.sum(0) + row.pile.sum(0)).tolist()


def test_determinize_leaves_everything_when_nothing_is_hidden() -> None:
    position, luck = start(traitor=True), stream(4)
    while not position.is_over:
        for seat in (0, 1):
            other = position.copy()
            other.determinize(seat, luck)
            hidden_choice = (
                position.state.chosen[1 - seat] >= 0 and not position.observe(seat)[0].opponent_revealed.any()
            )
            assert hidden_choice or state_bytes(other) == state_bytes(position)
        position.apply(position.sample(luck))


# BR-30


def test_br30_any_card_in_hand_may_be_the_hidden_choice() -> None:
    position = start()
    play_round(position, "wizard", "general")
    position.apply("play prince")
    held = [card for card in CLAN.split() if card != "wizard"]
    assert_fair(sample(position, 1, lambda other: chosen(other, 0), 2000), dict.fromkeys(held, 1))


def test_br30_an_own_choice_stays() -> None:
    position = start()
    position.apply("play prince")
    assert sample(position, 0, lambda other: chosen(other, 0), 50) == {"prince": 50}


@both_seats
def test_br30_a_choice_seen_after_a_spy_stays(seat: int) -> None:
    position = start()
    play_as(position, seat, "spy", "princess")
    position.apply("play general")
    assert sample(position, seat, lambda other: chosen(other, 1 - seat), 50) == {"general": 50}


# BR-31


def with_piles(cards_0: str, cards_1: str) -> Position:
    """Piles of these cards, three of each drawn at random."""
    position = start_with("", "", draw_pile=True)
    position.state.pile[0], position.state.pile[1] = counts(cards_0), counts(cards_1)
    luck = stream(6)
    while position.is_chance:
        position.apply(position.sample(luck))
    return position


@both_seats
def test_br31_every_three_of_the_unplayed_cards_may_be_the_opponents_hand(seat: int) -> None:
    position = with_piles(CLAN, CLAN)
    assert_fair(sample(position, seat, lambda other: hand(other, 1 - seat), 2000), choices_by_copies(CLAN, 3))


@both_seats
def test_br31_each_copy_of_a_card_is_as_likely(seat: int) -> None:
    cards = "princess princess spy prince prince"
    position = with_piles(cards, cards)
    weights = choices_by_copies(cards, 3)
    assert len(weights) < sum(weights.values())
    assert_fair(sample(position, seat, lambda other: hand(other, 1 - seat), 2000), weights)


@both_seats
def test_br31_own_hand_and_own_pile_stay(seat: int) -> None:
    position = with_piles(CLAN, CLAN)
    own = (hand(position, seat), pile(position, seat))
    assert sample(position, seat, lambda other: (hand(other, seat), pile(other, seat)), 50) == {own: 50}


def test_br31_the_hidden_choice_is_any_card_of_any_hand() -> None:
    cards = "princess spy wizard general prince"
    position = with_piles(cards, cards)
    position.apply(position.legal()[0])
    weights = {(held, card): 1 for held in choices_by_copies(cards, 3) for card in held.split()}
    assert_fair(sample(position, 1, lambda other: (hand(other, 0), chosen(other, 0)), 2000), weights)


@both_seats
def test_br31_a_choice_seen_after_a_spy_is_in_the_opponents_hand(seat: int) -> None:
    position = start(draw_pile=True)
    apply_all(position, 2 * ["draw spy", "draw princess", "draw prince"])
    play_as(position, seat, "spy", "princess")
    apply_all(position, ["draw musician", "draw musician", "play prince"])
    rest = "musician spy assassin ambassador wizard general"
    weights = {names(counts(f"{two} prince")): 1 for two in choices_by_copies(rest, 2)}
    assert_fair(sample(position, seat, lambda other: hand(other, 1 - seat), 1000), weights)


# BR-32

FIRST_PACKET = ["reveal musician", "reveal spy", "reveal wizard", "reveal prince"]
FIRST_KEEPS = ["keep prince", "keep wizard", "keep spy"]
SECOND_PACKET = ["reveal princess", "reveal assassin", "reveal general", "reveal general"]
SECOND_KEEPS = ["keep general", "keep general", "keep assassin"]
THIRD_PACKET = ["reveal princess", "reveal assassin", "reveal wizard", "reveal spy"]
THIRD_KEEPS = ["keep spy", "keep wizard", "keep assassin"]
FOURTH_PACKET = ["reveal musician", "reveal ambassador", "reveal ambassador", "reveal prince"]


def drafted(*parts: list[str]) -> Position:
    """A draft after these nodes."""
    position = start(hands="draft")
    for part in parts:
        apply_all(position, part)
    return position


def unseen(*seen: list[str]) -> str:
    """The cards of the 16 that are not among those a seat has seen."""
    left = Counter(dict.fromkeys(CARDS, 2))
    left.subtract(text.split()[1] for part in seen for text in part)
    return names(left[card] for card in CARDS)


def test_br32_the_packet_before_it_is_passed_on_is_any_four_unseen_cards() -> None:
    position = drafted(FIRST_PACKET)
    packets = sample(position, 1, lambda other: names(other.state.packet), 10_000)
    assert_fair(packets, choices_by_copies(unseen(), 4))


def test_br32_the_first_card_kept_is_any_unseen_card() -> None:
    position = drafted(FIRST_PACKET, FIRST_KEEPS[:1])
    passed_on = [text for text in FIRST_PACKET if text != "reveal prince"]
    assert_fair(sample(position, 1, lambda other: hand(other, 0), 2000), choices_by_copies(unseen(passed_on), 1))


def test_br32_all_first_cards_kept_are_drawn_together() -> None:
    position = drafted(FIRST_PACKET, FIRST_KEEPS, SECOND_PACKET, SECOND_KEEPS, THIRD_PACKET, THIRD_KEEPS[:1])
    passed_on = [
        ["reveal musician", "reveal spy", "reveal wizard"],
        ["reveal princess", "reveal assassin", "reveal wizard"],
    ]
    weights = {
        names(counts(f"princess spy general {two}")): ways  # player_0's known cards and two kept first
        for two, ways in choices_by_copies(unseen(SECOND_PACKET, *passed_on), 2).items()
    }
    assert_fair(sample(position, 1, lambda other: hand(other, 0), 3000), weights)


def test_br32_in_the_last_packet_kept_cards_and_packet_share_what_is_unseen() -> None:
    position = drafted(FIRST_PACKET, FIRST_KEEPS, SECOND_PACKET, SECOND_KEEPS, THIRD_PACKET, THIRD_KEEPS, FOURTH_PACKET)
    pool = "musician ambassador ambassador general prince"  # the last packet, and what player_1 kept of the second
    assert_fair(sample(position, 0, lambda other: names(other.state.packet), 1000), choices_by_copies(pool, 4))


def test_br32_the_opener_knows_everything_of_its_own_packet() -> None:
    position = drafted(FIRST_PACKET, FIRST_KEEPS[:2])
    before = state_bytes(position)
    assert sample(position, 0, state_bytes, 50) == {before: 50}
