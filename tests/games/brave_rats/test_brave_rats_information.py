"""BR-30 to BR-32: what a seat observes and what it does not."""

import pytest
from brave_rats_helpers import (
    apply_all,
    both_seats,
    counts,
    names,
    play_as,
    play_round,
    start,
    state_bytes,
    stream,
    view,
)

from rat_envs.engine.position import Position

CLAN = "musician princess spy assassin ambassador wizard general prince"
DRAWS = [f"draw {card}" for card in ("musician", "spy", "prince", "princess", "wizard", "general")]


def same_view(one: Position, other: Position, seat: int) -> bool:
    """Whether ``seat`` cannot tell the two positions apart."""
    return one.observe(seat).tobytes() == other.observe(seat).tobytes()


# BR-30: a chosen card


def test_br30_a_chosen_card_is_unknown_to_the_other_and_still_counted_as_held() -> None:
    before, position = start(), start()
    position.apply("play prince")
    assert same_view(position, before, seat=1)
    assert names(view(position, 1).opponent_cards) == CLAN
    assert names(view(position, 1).opponent_revealed) == ""
    assert view(position, 1).opponent_hand_size == 8


def test_br30_whatever_was_chosen_looks_the_same_to_the_other() -> None:
    one, other = start(), start()
    one.apply("play prince")
    other.apply("play musician")
    assert same_view(one, other, seat=1)
    assert not same_view(one, other, seat=0)


def test_br30_a_chosen_card_is_shown_to_its_owner() -> None:
    position = start()
    position.apply("play prince")
    assert names(view(position, 0).own_chosen) == "prince"
    assert names(view(position, 0).own_hand) == CLAN
    assert names(view(position, 1).own_chosen) == ""


def test_br30_after_the_reveal_both_cards_are_gone() -> None:
    position = start()
    play_round(position, "general", "wizard")
    assert names(view(position, 0).own_hand) == names(view(position, 1).opponent_cards) == CLAN.replace("general ", "")
    assert names(view(position, 1).own_hand) == names(view(position, 0).opponent_cards) == CLAN.replace("wizard ", "")
    for seat in (0, 1):
        assert names(view(position, seat).own_chosen) == ""
        assert names(view(position, seat).opponent_revealed) == ""
        assert view(position, seat).opponent_hand_size == 7


@both_seats
def test_br30_after_a_spy_the_chosen_card_is_shown(seat: int) -> None:
    position = start()
    play_as(position, seat, "spy", "princess")
    assert names(view(position, seat).opponent_revealed) == ""
    position.apply("play general")
    assert names(view(position, seat).opponent_revealed) == "general"
    assert names(view(position, 1 - seat).own_chosen) == "general"
    assert names(view(position, 1 - seat).opponent_revealed) == ""


def test_br30_after_two_spies_the_chosen_card_is_not_shown() -> None:
    position = start()
    play_round(position, "spy", "spy")
    position.apply("play general")
    assert names(view(position, 1).opponent_revealed) == ""


def test_br30_with_a_draw_pile_a_chosen_card_is_hidden_too() -> None:
    one = start(draw_pile=True)
    apply_all(one, DRAWS)
    other = one.copy()
    one.apply("play prince")
    other.apply("play musician")
    assert same_view(one, other, seat=1)


@both_seats
def test_br30_choices_are_simultaneous_except_after_a_spy(seat: int) -> None:
    position = start()
    assert position.program.simultaneous(position.state)
    play_as(position, seat, "spy", "princess")
    assert not position.program.simultaneous(position.state)


def test_br30_what_is_public_lacks_the_choice_that_is_unseen() -> None:
    before, position = start(), start()
    position.apply("play prince")
    assert not position.program.simultaneous(position.state)
    position.program.public(position.state)
    assert state_bytes(position) == state_bytes(before)


@both_seats
def test_br30_what_is_public_holds_the_choice_of_who_is_spied_on(seat: int) -> None:
    position = start()
    play_as(position, seat, "spy", "princess")
    position.apply("play prince")
    before = state_bytes(position)
    position.program.public(position.state)
    assert state_bytes(position) == before


# BR-31: everything else


@both_seats
def test_br31_the_configuration_is_seen(seat: int) -> None:
    seen = view(start(hands="random", draw_pile=True), seat)
    assert list(seen.hands) == [0, 0, 1, 0]  # clan, draft, random, princess_attack
    assert [seen.traitor, seen.draw_pile, seen.fast, seen.emperor] == [0, 1, 0, 0]
    seen = view(start(hands="princess_attack", traitor=True, fast=True, emperor=True), seat)
    assert list(seen.hands) == [0, 0, 0, 1]
    assert [seen.traitor, seen.draw_pile, seen.fast, seen.emperor] == [1, 0, 1, 1]


@both_seats
def test_br31_both_hands_are_public_without_a_draw_pile(seat: int) -> None:
    position = start(hands="princess_attack")
    position.apply(f"princes player_{seat}")
    seen = view(position, seat)
    assert names(seen.own_hand) == "musician spy assassin ambassador wizard general prince prince"
    assert names(seen.opponent_cards) == "musician princess princess spy assassin ambassador wizard general"
    assert seen.opponent_unknown == 0
    assert seen.opponent_hand_size == 8


@both_seats
def test_br31_the_score_is_seen_own_numbers_first(seat: int) -> None:
    position = start(emperor=True)
    play_as(position, seat, "princess", "prince")  # a game won
    play_as(position, seat, "prince", "assassin")  # a round won
    play_as(position, seat, "ambassador", "musician")  # on hold, worth two and one
    play_as(position, seat, "musician", "general")  # on hold, worth one and one, and +2 for the opponent
    for who, order in ((seat, slice(None)), (1 - seat, slice(None, None, -1))):
        seen = view(position, who)
        assert list(seen.games_won) == [1, 0][order]
        assert seen.games_played == 1
        assert list(seen.rounds_won) == [1, 0][order]
        assert list(seen.rounds_on_hold) == [3, 2][order]
        assert list(seen.plus_two) == [0, 1][order]


@both_seats
def test_br31_who_is_spied_on_is_seen(seat: int) -> None:
    position = start()
    play_as(position, seat, "spy", "wizard")
    assert list(view(position, seat).spied) == [0, 0]
    position = start()
    play_as(position, seat, "spy", "princess")
    assert list(view(position, seat).spied) == [0, 1]
    assert list(view(position, 1 - seat).spied) == [1, 0]


def test_br31_with_a_draw_pile_the_opponents_hand_and_pile_are_one_set() -> None:
    position = start(draw_pile=True)
    apply_all(position, DRAWS)
    seen = view(position, 0)
    assert names(seen.own_hand) == "musician spy prince"
    assert names(seen.own_pile) == "princess assassin ambassador wizard general"
    assert names(seen.opponent_cards) == CLAN
    assert seen.opponent_hand_size == 3
    assert seen.opponent_unknown == 0


def test_br31_with_a_draw_pile_what_the_opponent_holds_cannot_be_seen() -> None:
    one, other = start(draw_pile=True), start(draw_pile=True)
    apply_all(one, [*DRAWS[:3], "draw musician", "draw spy", "draw prince"])
    apply_all(other, [*DRAWS[:3], "draw princess", "draw wizard", "draw general"])
    assert same_view(one, other, seat=0)
    assert not same_view(one, other, seat=1)


def test_br31_with_a_draw_pile_what_the_opponent_draws_cannot_be_seen() -> None:
    one = start(draw_pile=True)
    apply_all(one, DRAWS)
    play_round(one, "prince", "general")
    one.apply("draw general")
    other = one.copy()
    one.apply("draw musician")
    other.apply("draw prince")
    assert same_view(one, other, seat=0)
    assert names(view(one, 0).opponent_cards) == CLAN.replace("general ", "")
    assert view(one, 0).opponent_hand_size == 3
    assert names(view(one, 1).own_hand) == "musician princess wizard"


def test_br31_at_the_end_of_the_pile_the_hand_shrinks() -> None:
    position = start(draw_pile=True)
    for seat in (0, 1):
        position.state.pile[seat] = counts("musician spy prince")
    apply_all(position, 2 * ["draw musician", "draw spy", "draw prince"])
    play_round(position, "spy", "spy")
    for seat in (0, 1):
        seen = view(position, seat)
        assert names(seen.own_hand) == names(seen.opponent_cards) == "musician prince"
        assert names(seen.own_pile) == ""
        assert seen.opponent_hand_size == 2


# BR-32: a draft under way

FIRST_PACKET = ["reveal musician", "reveal spy", "reveal wizard", "reveal prince"]
SECOND_PACKET = ["reveal princess", "reveal assassin", "reveal general", "reveal general"]


def draft_view(position: Position, seat: int) -> tuple[str, str, str, int, list[int]]:
    """Own cards, the other's known cards, the seen part of the packet, number of unknown cards, whose packet."""
    seen = view(position, seat)
    assert seen.opponent_hand_size == seen.opponent_cards.sum() + seen.opponent_unknown
    return (
        names(seen.own_hand),
        names(seen.opponent_cards),
        names(seen.packet),
        int(seen.opponent_unknown),
        list(seen.packet_opener),
    )


def test_br32_the_opener_alone_sees_the_packet() -> None:
    position = start(hands="draft")
    apply_all(position, FIRST_PACKET)
    assert draft_view(position, 0) == ("", "", "musician spy wizard prince", 0, [1, 0])
    assert draft_view(position, 1) == ("", "", "", 0, [0, 1])


def test_br32_the_other_sees_the_three_passed_on_and_not_the_card_kept() -> None:
    position = start(hands="draft")
    apply_all(position, [*FIRST_PACKET, "keep prince"])
    assert draft_view(position, 0) == ("prince", "", "musician spy wizard", 0, [1, 0])
    assert draft_view(position, 1) == ("", "", "musician spy wizard", 1, [0, 1])


def test_br32_both_know_the_second_card_kept() -> None:
    position = start(hands="draft")
    apply_all(position, [*FIRST_PACKET, "keep prince", "keep wizard"])
    assert draft_view(position, 0) == ("prince", "wizard", "musician spy", 0, [1, 0])
    assert draft_view(position, 1) == ("wizard", "", "musician spy", 1, [0, 1])


def test_br32_both_know_the_last_two_cards() -> None:
    position = start(hands="draft")
    apply_all(position, [*FIRST_PACKET, "keep prince", "keep wizard", "keep spy", *SECOND_PACKET])
    assert draft_view(position, 0) == ("spy prince", "musician wizard", "", 0, [0, 1])
    assert draft_view(position, 1) == ("musician wizard", "spy", "princess assassin general general", 1, [1, 0])


def test_br32_the_second_packet_is_the_other_way_round() -> None:
    position = start(hands="draft")
    apply_all(position, [*FIRST_PACKET, "keep prince", "keep wizard", "keep spy", *SECOND_PACKET])
    position.apply("keep general")
    assert draft_view(position, 0) == ("spy prince", "musician wizard", "princess assassin general", 1, [0, 1])
    assert draft_view(position, 1)[:4] == ("musician wizard general", "spy", "princess assassin general", 1)
    position.apply("keep general")
    assert draft_view(position, 0) == ("spy general prince", "musician wizard", "princess assassin", 1, [0, 1])
    assert draft_view(position, 1)[:4] == ("musician wizard general", "spy general", "princess assassin", 1)


def test_br32_a_first_card_kept_stays_unknown_until_the_end_of_the_draft() -> None:
    one, other = start(hands="draft"), start(hands="draft")
    apply_all(one, [*FIRST_PACKET, "keep prince", "keep wizard", "keep spy"])
    apply_all(other, [*FIRST_PACKET[:3], "reveal ambassador", "keep ambassador", "keep wizard", "keep spy"])
    rest = [*SECOND_PACKET, "keep general", "keep general", "keep assassin"]
    rest += ["reveal princess", "reveal assassin", "reveal wizard", "reveal spy"]
    rest += ["keep spy", "keep wizard", "keep assassin"]
    for text in rest:
        one.apply(text)
        other.apply(text)
        assert same_view(one, other, seat=1)
        assert not same_view(one, other, seat=0)
    assert view(one, 1).opponent_unknown == 2


@pytest.mark.parametrize("seed", range(5))
def test_br32_after_the_draft_both_hands_are_public(seed: int) -> None:
    position, luck = start(hands="draft"), stream(seed)
    while position.is_chance or position.legal()[0].startswith("keep"):
        position.apply(position.sample(luck))
    for seat in (0, 1):
        own, others, packet, unknown, opener = draft_view(position, seat)
        assert (packet, unknown, opener) == ("", 0, [0, 0])
        assert names(counts(f"{own} {others}")) == names([2] * 8)
    assert view(position, 0).own_hand.tobytes() == view(position, 1).opponent_cards.tobytes()
