"""BR-20 to BR-28: the variants, which combine."""

import itertools
from typing import Any

import pytest
from brave_rats_helpers import (
    apply_all,
    both_seats,
    counts,
    hand,
    names,
    on_hold,
    pile,
    play_as,
    play_round,
    rounds_won,
    start,
    start_with,
    stream,
    view,
)

from rat_envs.engine.errors import ConfigurationError, IllegalActionError
from rat_envs.engine.position import Position

CLAN = "musician princess spy assassin ambassador wizard general prince"
TWO_CLANS = " ".join(f"{card} {card}" for card in CLAN.split())


def play_at_random(position: Position, until_games_played: int, seed: int = 0) -> None:
    """Random play until a game of the match has ended."""
    luck = stream(seed)
    while not position.is_over and position.state.games_played < until_games_played:
        position.apply(position.sample(luck))


def win_by_princess(position: Position, seat: int) -> None:
    """A whole game in one round, for ``seat``."""
    play_as(position, seat, "princess", "prince")


def draw_a_game(position: Position) -> None:
    """A whole game of eight rounds on hold."""
    for card in CLAN.split():
        play_round(position, card, card)


def play_setup(position: Position, seed: int = 0) -> None:
    """Chance and keeps at random, up to the first round."""
    luck = stream(seed)
    while position.is_chance or position.legal()[0].startswith("keep"):
        position.apply(position.sample(luck))


# BR-20: the traitor


def test_br20_one_card_of_each_player_is_exchanged_at_random() -> None:
    position = start(traitor=True)
    assert position.chances() == {f"give {card}": 1 for card in CLAN.split()}
    position.apply("give prince")
    position.apply("give spy")
    assert position.actor == 0
    assert hand(position, 0) == "musician princess spy spy assassin ambassador wizard general"
    assert hand(position, 1) == "musician princess assassin ambassador wizard general prince prince"


def test_br20_the_card_received_is_not_the_one_given_back() -> None:
    position = start_with("prince", "spy wizard", traitor=True)
    position.apply("give prince")
    assert position.chances() == {"give spy": 1, "give wizard": 1}


def test_br20_both_may_give_the_same_card() -> None:
    position = start(traitor=True)
    apply_all(position, ["give spy", "give spy"])
    assert hand(position, 0) == hand(position, 1) == CLAN


def test_br20_each_copy_is_given_alike() -> None:
    position = start(hands="princess_attack", traitor=True)
    position.apply("princes player_0")
    assert position.chances()["give prince"] == 2
    position.apply("give prince")
    assert position.chances()["give princess"] == 2


@both_seats
def test_br20_each_player_knows_both_cards(seat: int) -> None:
    position = start(traitor=True)
    apply_all(position, ["give prince", "give spy"])
    assert names(view(position, seat).own_hand) == hand(position, seat)
    assert names(view(position, seat).opponent_cards) == hand(position, 1 - seat)


# BR-21: the draw pile


def test_br21_three_cards_are_held_and_the_others_are_the_pile() -> None:
    position = start(draw_pile=True)
    apply_all(position, ["draw prince", "draw spy", "draw musician", "draw wizard", "draw spy", "draw princess"])
    assert position.actor == 0
    assert hand(position, 0) == "musician spy prince"
    assert pile(position, 0) == "princess assassin ambassador wizard general"
    assert hand(position, 1) == "princess spy wizard"
    assert pile(position, 1) == "musician assassin ambassador general prince"
    assert position.legal() == ["play musician", "play prince", "play spy"]


def test_br21_the_pile_is_shuffled() -> None:
    position = start(draw_pile=True)
    assert position.chances() == {f"draw {card}": 1 for card in CLAN.split()}
    position.apply("draw prince")
    assert "draw prince" not in position.chances()
    assert len(position.chances()) == 7


def test_br21_after_playing_a_card_its_owner_draws_one() -> None:
    position = start_with("", "", draw_pile=True)
    for seat, cards in enumerate(("musician spy prince general", "princess spy wizard assassin")):
        position.state.pile[seat] = counts(cards)
    apply_all(position, ["draw musician", "draw spy", "draw prince", "draw princess", "draw spy", "draw wizard"])
    play_round(position, "prince", "spy")
    assert position.chances() == {"draw general": 1}
    position.apply("draw general")
    assert position.chances() == {"draw assassin": 1}
    position.apply("draw assassin")
    assert hand(position, 0) == "musician spy general"
    assert hand(position, 1) == "princess assassin wizard"


def test_br21_without_a_pile_left_the_hands_are_played_out() -> None:
    position = start(draw_pile=True)
    for seat in (0, 1):
        position.state.pile[seat] = counts("musician spy prince")
    apply_all(position, 2 * ["draw musician", "draw spy", "draw prince"])
    for card in ("musician", "spy", "prince"):
        assert position.actor == 0
        play_round(position, card, card)
    assert position.is_over


def test_br21_nobody_draws_when_the_game_is_over() -> None:
    position = start(draw_pile=True)
    apply_all(position, ["draw prince", "draw spy", "draw musician", "draw wizard", "draw spy", "draw princess"])
    play_round(position, "prince", "princess")
    assert position.is_over


# BR-22: fast


@both_seats
def test_br22_three_rounds_end_a_fast_game(seat: int) -> None:
    position = start(fast=True)
    for own, other in [("prince", "general"), ("wizard", "musician")]:
        play_as(position, seat, own, other)
        assert not position.is_over
    play_as(position, seat, "general", "wizard")
    assert position.is_over
    assert rounds_won(position, seat) == (3, 0)
    assert position.returns()[seat] == 1


# BR-23: the draft


def test_br23_a_packet_of_four_goes_to_and_fro_until_it_is_gone() -> None:
    position = start(hands="draft")
    apply_all(position, ["reveal spy", "reveal prince", "reveal musician", "reveal wizard"])
    assert position.actor == 0
    assert position.legal() == ["keep musician", "keep prince", "keep spy", "keep wizard"]
    position.apply("keep prince")
    assert position.actor == 1
    assert position.legal() == ["keep musician", "keep spy", "keep wizard"]
    position.apply("keep wizard")
    assert position.actor == 0
    assert position.legal() == ["keep musician", "keep spy"]
    position.apply("keep spy")
    assert hand(position, 0) == "spy prince"
    assert hand(position, 1) == "musician wizard"  # the last card needed no choice


def test_br23_all_sixteen_cards_are_shuffled() -> None:
    position = start(hands="draft")
    assert position.chances() == {f"reveal {card}": 2 for card in CLAN.split()}
    position.apply("reveal spy")
    assert position.chances()["reveal spy"] == 1
    position.apply("reveal spy")
    assert "reveal spy" not in position.chances()


def test_br23_a_packet_with_two_copies_of_a_card_offers_it_once() -> None:
    position = start(hands="draft")
    apply_all(position, ["reveal spy", "reveal prince", "reveal prince", "reveal wizard"])
    assert position.legal() == ["keep prince", "keep spy", "keep wizard"]
    assert position.mask().sum() == 3
    position.apply("keep prince")
    assert position.legal() == ["keep prince", "keep spy", "keep wizard"]


def test_br23_the_opener_alternates_until_all_cards_are_dealt() -> None:
    position = start(hands="draft")
    luck = stream(1)
    keepers = []
    while position.is_chance or position.legal()[0].startswith("keep"):
        if not position.is_chance:
            keepers.append(position.actor)
        position.apply(position.sample(luck))
    assert keepers == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
    assert len(hand(position, 0).split()) == len(hand(position, 1).split()) == 8
    assert names(counts(hand(position, 0) + " " + hand(position, 1))) == TWO_CLANS


@pytest.mark.parametrize("seed", range(4))
def test_br23_player_0_opens_the_first_packet_in_every_game_of_a_match(seed: int) -> None:
    position = start(hands="draft", emperor=True)
    play_at_random(position, until_games_played=1, seed=seed)
    apply_all(position, ["reveal spy", "reveal prince", "reveal musician", "reveal wizard"])
    assert position.actor == 0


# BR-24: random hands


def test_br24_eight_of_sixteen_cards_are_dealt_to_each() -> None:
    position = start(hands="random")
    assert position.chances() == {f"deal {card}": 2 for card in CLAN.split()}
    apply_all(position, 2 * ["deal prince", "deal spy", "deal musician"])
    assert position.chances() == {
        f"deal {card}": 2 for card in ("princess", "assassin", "ambassador", "wizard", "general")
    }
    apply_all(position, ["deal princess", "deal wizard"])
    assert position.actor == 0
    assert hand(position, 0) == "musician musician princess spy spy wizard prince prince"
    assert hand(position, 1) == "princess assassin assassin ambassador ambassador wizard general general"


def test_br24_both_hands_are_known_to_both() -> None:
    position = start(hands="random")
    play_setup(position)
    for seat in (0, 1):
        assert names(view(position, seat).own_hand) == hand(position, seat)
        assert names(view(position, seat).opponent_cards) == hand(position, 1 - seat)


@pytest.mark.parametrize("hands", ["draft", "random"])
def test_br24_with_a_draw_pile_each_knows_which_eight_cards_either_has(hands: str) -> None:
    position = start(hands=hands, draw_pile=True)
    play_setup(position)
    for seat in (0, 1):
        own = view(position, seat).own_hand + view(position, seat).own_pile
        others = view(position, seat).opponent_cards
        assert own.sum() == others.sum() == 8
        assert names(own + others) == TWO_CLANS


# BR-25: the princess's attack


def test_br25_who_has_the_princes_is_drawn_by_lot() -> None:
    assert start(hands="princess_attack").chances() == {"princes player_0": 1, "princes player_1": 1}


@both_seats
def test_br25_one_player_has_both_princes_the_other_both_princesses(seat: int) -> None:
    position = start(hands="princess_attack")
    position.apply(f"princes player_{seat}")
    assert hand(position, seat) == "musician spy assassin ambassador wizard general prince prince"
    assert hand(position, 1 - seat) == "musician princess princess spy assassin ambassador wizard general"
    assert position.actor == 0


# BR-26: the emperor


@both_seats
def test_br26_two_games_won_take_the_match(seat: int) -> None:
    position = start(emperor=True)
    win_by_princess(position, seat)
    assert not position.is_over
    win_by_princess(position, seat)
    assert position.is_over
    assert position.returns()[seat] == 1
    assert position.returns()[1 - seat] == -1
    assert position.scores()[seat] == 2
    assert position.scores()[1 - seat] == 0


@both_seats
def test_br26_after_one_game_each_the_third_decides(seat: int) -> None:
    position = start(emperor=True)
    for winner in (seat, 1 - seat, seat):
        assert not position.is_over
        win_by_princess(position, winner)
    assert position.is_over
    assert sorted(position.scores()) == [1, 2]
    assert position.returns()[seat] == 1


@pytest.mark.parametrize("games", sorted(set(itertools.permutations(["won", "drawn", "drawn"]))))
def test_br26_a_drawn_game_counts_as_one_of_the_three(games: tuple[str, ...]) -> None:
    position = start(emperor=True)
    for result in games:
        assert not position.is_over
        if result == "won":
            win_by_princess(position, 1)
        else:
            draw_a_game(position)
    assert position.is_over
    assert position.scores() == [0, 1]
    assert position.returns() == [-1, 1]


def test_br26_a_won_a_lost_and_a_drawn_game_are_a_drawn_match() -> None:
    position = start(emperor=True)
    win_by_princess(position, 0)
    win_by_princess(position, 1)
    draw_a_game(position)
    assert position.is_over
    assert position.scores() == [1, 1]
    assert position.returns() == [0, 0]


def test_br26_three_drawn_games_are_a_drawn_match() -> None:
    position = start(emperor=True)
    for _ in range(3):
        draw_a_game(position)
    assert position.is_over
    assert position.scores() == [0, 0]
    assert position.returns() == [0, 0]


def test_br26_fast_matches_count_the_same() -> None:
    position = start(emperor=True, fast=True)
    win_by_princess(position, 0)
    win_by_princess(position, 0)
    assert position.scores() == [2, 0]


@both_seats
@pytest.mark.parametrize(("last", "against"), [("general", "ambassador"), ("spy", "princess")])
def test_br26_no_effect_carries_over(seat: int, last: str, against: str) -> None:
    position = start(emperor=True)
    position.state.rounds_won[seat] = 3
    play_as(position, seat, last, against)
    seen = view(position, seat)
    assert list(seen.games_won) == [1, 0]
    assert seen.games_played == 1
    assert rounds_won(position) == (0, 0)
    assert list(seen.plus_two) == [0, 0]
    assert list(seen.spied) == [0, 0]
    assert position.actor == 0


def test_br26_rounds_on_hold_do_not_carry_over() -> None:
    position = start(emperor=True)
    draw_a_game(position)
    assert on_hold(position) == (0, 0)


@pytest.mark.parametrize(
    ("config", "first_node"),
    [
        ({"hands": "random"}, {f"deal {card}": 2 for card in CLAN.split()}),
        ({"hands": "draft", "traitor": True}, {f"reveal {card}": 2 for card in CLAN.split()}),
        ({"hands": "princess_attack", "draw_pile": True}, {"princes player_0": 1, "princes player_1": 1}),
        ({"traitor": True}, {f"give {card}": 1 for card in CLAN.split()}),
        ({"draw_pile": True}, {f"draw {card}": 1 for card in CLAN.split()}),
    ],
    ids=["random", "draft", "princess_attack", "traitor", "draw_pile"],
)
def test_br26_hands_are_set_up_anew(config: dict[str, Any], first_node: dict[str, int]) -> None:
    position = start(emperor=True, **config)
    play_at_random(position, until_games_played=1)
    assert position.chances() == first_node


def test_br26_clans_are_set_up_anew() -> None:
    position = start(emperor=True)
    win_by_princess(position, 0)
    assert hand(position, 0) == hand(position, 1) == CLAN


def test_br26_without_emperor_one_game_decides() -> None:
    position = start()
    win_by_princess(position, 1)
    assert position.is_over


# BR-27: the configuration


def test_br27_defaults() -> None:
    defaults = {"hands": "clan", "traitor": False, "draw_pile": False, "fast": False, "emperor": False}
    assert start().configuration.to_dict() == defaults
    assert list(start().configuration.to_dict()) == list(defaults)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"hands": "mixed"}, 'hands="mixed": must be one of clan, draft, random, princess_attack.'),
        ({"hands": 1}, "hands=1: must be one of clan, draft, random, princess_attack."),
        ({"traitor": 1}, "traitor=1: must be true or false."),
        ({"draw_pile": "yes"}, 'draw_pile="yes": must be true or false.'),
        ({"fast": None}, "fast=null: must be true or false."),
        ({"emperor": 0}, "emperor=0: must be true or false."),
        ({"slow": True}, "Unknown option slow: the options are hands, traitor, draw_pile, fast, emperor."),
    ],
)
def test_br27_a_wrong_configuration_is_refused_in_one_sentence(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        start(**config)
    assert str(error.value) == sentence


def test_br27_hands_then_traitor_then_draw_pile() -> None:
    position = start(hands="princess_attack", traitor=True, draw_pile=True)
    position.apply("princes player_1")
    apply_all(position, ["give princess", "give prince"])
    assert position.chances() == {  # player_0 draws from what the exchange has left it
        "draw princess": 1,
        **{f"draw {card}": 1 for card in ("musician", "spy", "assassin", "ambassador", "wizard", "general", "prince")},
    }


# BR-28: duplicate cards


def test_br28_a_hand_is_a_count_per_card() -> None:
    position = start_with("general general spy", "musician wizard princess")
    assert position.legal() == ["play general", "play spy"]
    play_round(position, "general", "musician")
    assert hand(position, 0) == "spy general"
    assert position.legal() == ["play general", "play spy"]


@both_seats
def test_br28_a_second_copy_has_the_same_ability(seat: int) -> None:
    hands = ("prince prince", "spy princess")
    position = start_with(*(hands if seat == 0 else hands[::-1]))
    play_as(position, seat, "prince", "spy")
    play_as(position, seat, "prince", "princess")
    assert position.is_over
    assert position.returns()[seat] == -1


def test_br28_a_card_that_is_used_up_cannot_be_played() -> None:
    position = start_with("spy general", "musician wizard")
    play_round(position, "general", "musician")
    with pytest.raises(IllegalActionError, match="player_0 cannot do 'play general' here; possible are play spy"):
        position.apply("play general")
