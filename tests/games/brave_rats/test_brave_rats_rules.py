"""BR-01 to BR-14: the rounds, rule by rule. ``seat`` is the player a rule speaks of; most hold for both."""

import pytest
from brave_rats_helpers import both_seats, hand, on_hold, play_as, play_round, rounds_won, start, start_with, view

CLAN = "musician princess spy assassin ambassador wizard general prince"


def test_br01_each_player_holds_the_eight_cards_of_a_clan() -> None:
    position = start()
    assert hand(position, 0) == hand(position, 1) == CLAN


def test_br01_both_players_choose_and_both_cards_are_spent() -> None:
    position = start()
    assert position.actor == 0
    position.apply("play wizard")
    assert position.actor == 1
    position.apply("play general")
    assert position.actor == 0
    assert hand(position, 0) == CLAN.replace("wizard ", "")
    assert hand(position, 1) == CLAN.replace("general ", "")


def test_br01_every_card_in_hand_may_be_played_and_no_other() -> None:
    position = start()
    play_round(position, "wizard", "general")
    assert position.legal() == sorted(f"play {card}" for card in CLAN.split() if card != "wizard")


@both_seats
@pytest.mark.parametrize(("higher", "lower"), [("general", "ambassador"), ("wizard", "princess"), ("spy", "princess")])
def test_br02_the_higher_value_wins_the_round(seat: int, higher: str, lower: str) -> None:
    position = start()
    play_as(position, seat, higher, lower)
    assert rounds_won(position, seat) == (1, 0)


def test_br02_abilities_are_compulsory() -> None:
    position = start()  # the Assassin may not choose to compare as usual
    play_round(position, "assassin", "princess")
    assert rounds_won(position) == (0, 1)


def test_br03_equal_values_put_the_round_on_hold() -> None:
    position = start()
    play_round(position, "wizard", "wizard")
    assert rounds_won(position) == (0, 0)
    assert on_hold(position) == (1, 1)


@both_seats
def test_br03_the_next_decided_round_is_worth_one_more_for_every_round_on_hold(seat: int) -> None:
    position = start()
    play_as(position, seat, "wizard", "wizard")
    play_as(position, seat, "princess", "princess")
    assert on_hold(position) == (2, 2)
    play_as(position, seat, "general", "spy")
    assert rounds_won(position, seat) == (3, 0)
    assert on_hold(position) == (0, 0)


def test_br03_a_round_on_hold_counts_once() -> None:
    position = start()
    play_round(position, "wizard", "wizard")
    play_round(position, "prince", "assassin")
    play_round(position, "princess", "ambassador")
    assert rounds_won(position) == (2, 2)  # the Ambassador's own two, nothing for the first round


def test_br03_rounds_on_hold_at_the_end_count_for_nobody() -> None:
    position = start_with("wizard", "wizard")
    position.state.rounds_won = (3, 1)
    play_round(position, "wizard", "wizard")
    assert position.is_over
    assert position.scores() == [3, 1]
    assert position.returns() == [0, 0]


@both_seats
def test_br04_the_game_ends_when_a_player_has_won_four_rounds(seat: int) -> None:
    position = start()
    for own, other in [("prince", "general"), ("wizard", "musician"), ("general", "wizard")]:
        play_as(position, seat, own, other)
    assert rounds_won(position, seat) == (3, 0)
    assert not position.is_over

    play_as(position, seat, "princess", "assassin")
    assert rounds_won(position, seat) == (4, 0)
    assert position.is_over
    assert position.returns()[seat] == 1
    assert position.returns()[1 - seat] == -1


@both_seats
def test_br04_more_than_four_rounds_win_too(seat: int) -> None:
    position = start()
    position.state.rounds_won[seat] = 3
    play_as(position, seat, "ambassador", "spy")
    assert position.is_over
    assert rounds_won(position, seat) == (5, 0)
    assert position.scores()[seat] == 5
    assert position.returns()[seat] == 1
    assert position.returns()[1 - seat] == -1


def test_br04_out_of_cards_before_four_rounds_is_a_draw_even_with_more_rounds_won() -> None:
    position = start_with("general", "wizard")
    position.state.rounds_won = (2, 1)
    play_round(position, "general", "wizard")
    assert position.is_over
    assert position.scores() == [3, 1]
    assert position.returns() == [0, 0]


@both_seats
@pytest.mark.parametrize("other", [card for card in CLAN.split() if card != "wizard"])
def test_br05_the_musician_puts_the_round_on_hold_whatever_else_was_played(seat: int, other: str) -> None:
    position = start()
    play_as(position, seat, "musician", other)
    assert rounds_won(position) == (0, 0)
    assert min(on_hold(position)) == 1
    assert not position.is_over


@both_seats
def test_br05_the_musician_puts_the_round_on_hold_with_plus_two_as_well(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "musician", "princess")  # 2 against 1
    assert rounds_won(position, seat) == (1, 0)
    assert on_hold(position) == (1, 1)


@both_seats
def test_br06_the_wizard_beats_the_musician(seat: int) -> None:
    position = start()
    play_as(position, seat, "wizard", "musician")
    assert rounds_won(position, seat) == (1, 0)
    assert on_hold(position) == (0, 0)


@both_seats
@pytest.mark.parametrize("other", ["princess", "spy", "assassin", "ambassador"])
def test_br06_the_wizard_beats_every_lower_value(seat: int, other: str) -> None:
    position = start()
    play_as(position, seat, "wizard", other)
    assert rounds_won(position, seat) == (1, 0)


@both_seats
@pytest.mark.parametrize("other", ["general", "prince"])
def test_br06_the_wizard_loses_to_every_higher_value(seat: int, other: str) -> None:
    position = start()
    play_as(position, seat, "wizard", other)
    assert rounds_won(position, seat) == (0, 1)


@both_seats
def test_br06_the_wizard_does_not_touch_a_plus_two_earned_in_the_round_before(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "ambassador", "wizard")  # 6 against 5
    assert rounds_won(position, seat) == (2, 0)


@both_seats
def test_br06_two_wizards_compare_values(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "wizard", "wizard")  # 7 against 5
    assert rounds_won(position, seat) == (2, 0)


@both_seats
@pytest.mark.parametrize(("fast", "needed"), [(False, 4), (True, 3)])
def test_br07_princess_against_prince_wins_the_game_whatever_the_score(seat: int, fast: bool, needed: int) -> None:
    position = start(fast=fast)
    position.state.rounds_won[1 - seat] = needed - 1
    play_as(position, seat, "princess", "prince")
    assert position.is_over
    assert position.returns()[seat] == 1
    assert position.returns()[1 - seat] == -1
    assert position.scores()[seat] == needed
    assert position.scores()[1 - seat] == needed - 1


@both_seats
def test_br07_plus_two_does_not_save_the_prince(seat: int) -> None:
    position = start()
    play_as(position, seat, "assassin", "general")
    play_as(position, seat, "princess", "prince")
    assert position.is_over
    assert position.returns()[seat] == 1


@both_seats
@pytest.mark.parametrize("other", ["spy", "assassin", "ambassador", "wizard", "general"])
def test_br08_the_prince_wins_the_round(seat: int, other: str) -> None:
    position = start()
    play_as(position, seat, "prince", other)
    assert rounds_won(position, seat) == (1, 0)


@both_seats
def test_br08_the_prince_wins_against_a_higher_value(seat: int) -> None:
    position = start()
    position.state.plus_two[1 - seat] = 1
    play_as(position, seat, "prince", "general")  # 7 against 8
    assert rounds_won(position, seat) == (1, 0)


@both_seats
def test_br08_the_assassin_does_not_reverse_the_prince_even_with_plus_two(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "musician")
    play_as(position, seat, "prince", "assassin")
    assert rounds_won(position, seat) == (2, 0)


@both_seats
def test_br08_two_princes_compare_values(seat: int) -> None:
    position = start()
    play_as(position, seat, "wizard", "wizard")
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "prince", "prince")  # 9 against 7
    assert rounds_won(position, seat) == (3, 0)

    position = start()
    play_as(position, seat, "general", "general")
    play_as(position, seat, "prince", "prince")  # 9 against 9
    assert on_hold(position) == (2, 2)


@both_seats
def test_br08_a_wizard_with_plus_two_holds_the_prince(seat: int) -> None:
    position = start()
    play_as(position, seat, "spy", "general")
    play_as(position, seat, "prince", "wizard")  # 7 against 7, and the Prince's ability is void
    assert rounds_won(position, seat) == (0, 1)
    assert on_hold(position) == (1, 1)


@both_seats
@pytest.mark.parametrize(("other", "assassin_wins"), [("spy", False), ("princess", False), ("general", True)])
def test_br09_the_lower_value_wins_against_the_assassin(seat: int, other: str, assassin_wins: bool) -> None:
    position = start()
    play_as(position, seat, "assassin", other)
    assert rounds_won(position, seat) == ((1, 0) if assassin_wins else (0, 1))


@both_seats
def test_br09_a_plus_two_of_the_other_card_counts(seat: int) -> None:
    position = start()
    play_as(position, seat, "ambassador", "general")
    play_as(position, seat, "assassin", "spy")  # 3 against 4
    assert rounds_won(position, seat) == (1, 1)

    position = start()
    play_as(position, seat, "ambassador", "general")
    play_as(position, seat, "assassin", "princess")  # 3 against 3
    assert rounds_won(position, seat) == (0, 1)
    assert on_hold(position) == (1, 1)


@both_seats
def test_br09_a_plus_two_of_the_assassin_counts(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "assassin", "ambassador")  # 5 against 4
    assert rounds_won(position, seat) == (1, 2)


@both_seats
def test_br09_of_two_assassins_the_one_without_plus_two_wins(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "ambassador")
    play_as(position, seat, "assassin", "assassin")
    assert rounds_won(position, seat) == (1, 1)


@both_seats
def test_br10_a_round_won_with_the_ambassador_counts_two(seat: int) -> None:
    position = start()
    play_as(position, seat, "ambassador", "spy")
    assert rounds_won(position, seat) == (2, 0)


@both_seats
def test_br10_a_round_won_against_the_ambassador_counts_one(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "ambassador")
    assert rounds_won(position, seat) == (1, 0)


@both_seats
def test_br10_two_for_the_ambassador_plus_the_rounds_on_hold(seat: int) -> None:
    position = start()
    play_as(position, seat, "musician", "prince")
    play_as(position, seat, "ambassador", "spy")
    assert rounds_won(position, seat) == (3, 0)


@both_seats
def test_br10_a_held_ambassador_makes_the_next_round_worth_three_to_its_owner(seat: int) -> None:
    position = start()
    play_as(position, seat, "ambassador", "musician")
    assert on_hold(position, seat) == (2, 1)
    play_as(position, seat, "general", "spy")
    assert rounds_won(position, seat) == (3, 0)
    assert on_hold(position) == (0, 0)


@both_seats
def test_br10_a_held_ambassador_makes_the_next_round_worth_two_to_the_other(seat: int) -> None:
    position = start()
    play_as(position, seat, "ambassador", "musician")
    play_as(position, seat, "spy", "general")
    assert rounds_won(position, seat) == (0, 2)
    assert on_hold(position) == (0, 0)


@both_seats
def test_br10_two_ambassadors_hold_two_for_both(seat: int) -> None:
    position = start()
    play_as(position, seat, "ambassador", "ambassador")
    assert on_hold(position) == (2, 2)
    play_as(position, seat, "general", "spy")
    assert rounds_won(position, seat) == (3, 0)


@both_seats
def test_br10_an_ambassador_counts_two_against_an_ambassador(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "ambassador", "ambassador")  # 6 against 4
    assert rounds_won(position, seat) == (3, 0)


@both_seats
def test_br10_against_the_wizard_the_ambassador_is_worth_one(seat: int) -> None:
    # "Won or held": a round of Ambassador and Wizard is never held, 4 and 5 differ by an odd number with any +2.
    position = start()
    play_as(position, seat, "general", "musician")
    assert on_hold(position) == (1, 1)
    play_as(position, seat, "ambassador", "wizard")  # 6 against 5
    assert rounds_won(position, seat) == (2, 0)


@both_seats
@pytest.mark.parametrize("against", ["ambassador", "prince", "musician"], ids=["won", "lost", "after a Musician"])
def test_br11_the_card_after_the_general_has_plus_two(seat: int, against: str) -> None:
    position = start()
    play_as(position, seat, "general", against)
    assert list(view(position, seat).plus_two) == [1, 0]

    before = rounds_won(position, seat)
    play_as(position, seat, "princess", "spy")  # 3 against 2
    after = rounds_won(position, seat)
    assert (after[0] > before[0], after[1] > before[1]) == (True, False)


def test_br11_two_generals_give_both_plus_two() -> None:
    position = start()
    play_round(position, "general", "general")
    assert list(view(position, 0).plus_two) == [1, 1]
    play_round(position, "princess", "spy")  # 3 against 4
    assert rounds_won(position) == (0, 2)


@both_seats
def test_br11_against_the_wizard_the_general_gives_nothing(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "wizard")
    assert list(view(position, seat).plus_two) == [0, 0]
    play_as(position, seat, "princess", "spy")  # 1 against 2
    assert rounds_won(position, seat) == (1, 1)


@both_seats
def test_br11_plus_two_is_for_the_next_round_only(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "ambassador")
    play_as(position, seat, "musician", "prince")
    assert list(view(position, seat).plus_two) == [0, 0]
    play_as(position, seat, "princess", "spy")  # 1 against 2: the +2 was the Musician's
    assert rounds_won(position, seat) == (1, 2)


def test_br11_a_second_general_carries_the_plus_two_on() -> None:
    position = start_with("general general princess", "ambassador assassin spy")
    play_round(position, "general", "ambassador")
    play_round(position, "general", "assassin")  # 8 against 3: the lower wins
    play_round(position, "princess", "spy")  # 3 against 2, not 5: the first +2 is spent
    assert rounds_won(position) == (2, 1)


@both_seats
@pytest.mark.parametrize(
    "against",
    ["princess", "assassin", "musician", "prince"],
    ids=["won", "won against", "after a Musician", "lost to the Prince"],
)
def test_br12_after_a_spy_the_opponent_reveals_first(seat: int, against: str) -> None:
    position = start()
    play_as(position, seat, "spy", against)
    assert list(view(position, seat).spied) == [0, 1]
    assert position.actor == 1 - seat
    position.apply("play general")
    assert position.actor == seat


@both_seats
def test_br12_against_the_wizard_the_spy_is_void(seat: int) -> None:
    position = start()
    play_as(position, seat, "spy", "wizard")
    assert list(view(position, 0).spied) == [0, 0]
    assert position.actor == 0


def test_br12_two_spies_cancel_out() -> None:
    position = start()
    play_round(position, "spy", "spy")
    assert list(view(position, 0).spied) == [0, 0]
    assert position.actor == 0


def test_br12_a_spy_lasts_one_round() -> None:
    position = start()
    play_round(position, "spy", "princess")
    assert position.actor == 1
    play_round(position, "wizard", "assassin")
    assert list(view(position, 0).spied) == [0, 0]
    assert position.actor == 0


@both_seats
@pytest.mark.parametrize(
    ("own", "other", "winner"),
    [
        pytest.param("wizard", "musician", "own", id="Wizard before Musician"),
        pytest.param("musician", "prince", "nobody", id="Musician before Prince"),
        pytest.param("musician", "assassin", "nobody", id="Musician before Assassin"),
        pytest.param("musician", "princess", "nobody", id="Musician before Princess"),
        pytest.param("princess", "prince", "own", id="Princess before Prince"),
        pytest.param("prince", "assassin", "own", id="Prince before Assassin"),
        pytest.param("wizard", "assassin", "own", id="Wizard before Assassin"),
        pytest.param("assassin", "general", "own", id="Assassin instead of plain comparison"),
        pytest.param("general", "wizard", "own", id="plain comparison"),
    ],
)
def test_br14_order_within_a_round(seat: int, own: str, other: str, winner: str) -> None:
    position = start()
    play_as(position, seat, own, other)
    won = rounds_won(position, seat)
    assert (won[0] > 0, won[1] > 0) == (winner == "own", False)


def test_br14_wizard_before_prince() -> None:
    position = start()
    position.state.plus_two[0] = 1
    play_round(position, "wizard", "prince")  # 7 against 7: the Prince's ability would have won
    assert on_hold(position) == (1, 1)
