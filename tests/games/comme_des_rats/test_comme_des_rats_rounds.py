"""CR-01 to CR-32: set-up, turns, rounds and the end of the game; CR-80 to CR-82: its result."""

import pytest
from comme_des_rats_helpers import (
    PLAIN,
    bandages,
    counts,
    discard,
    end_round,
    give,
    lay_out_anyhow,
    out,
    pass_turn,
    pile,
    pile_sizes,
    piles,
    play,
    points,
    rounds_before,
    set_last_round,
    share,
    start,
    stock,
    table,
    verb,
)

from rat_envs.engine.position import Position

every_number = pytest.mark.parametrize("players", [2, 3, 4, 5])


def next_round(position: Position, *stocks: str, roles: str = "") -> None:
    """The round ends with these stocks, and the next one is set up."""
    end_round(position, stocks)
    lay_out_anyhow(position, roles)


def end_game(position: Position, totals: list[int], *stocks: str) -> None:
    """The third round ends with these stocks and total points; seats that have none of either get no more."""
    set_last_round(position)
    worth = {"cheese1": 1, "cheese2": 2}
    gained = [sum(worth.get(card, 0) for card in cards.split()) for cards in stocks] + len(totals) * [0]
    assert any(gained), "else everybody gets two points"
    position.state.points[: len(totals)] = [total - gain for total, gain in zip(totals, gained, strict=False)]
    end_round(position, stocks)


# The course of the game


def test_cr01_there_are_three_rounds() -> None:
    position = table()
    next_round(position)
    next_round(position)
    assert not position.is_over
    end_round(position)
    assert position.is_over


def test_cr01_a_round_is_a_series_of_turns() -> None:
    position = table()
    for _ in range(10):
        pass_turn(position)
    assert verb(position) == "roll"
    assert rounds_before(position) == 0


def test_cr01_points_are_kept_from_round_to_round() -> None:
    position = table()
    next_round(position, "cheese1", "cheese2 cheese2", "")
    assert points(position) == [1, 4, 0]
    next_round(position, "cheese2", "", "")
    assert points(position) == [3, 4, 0]


def test_cr01_being_out_takes_no_points_of_earlier_rounds_away() -> None:
    position = table(players=3)
    next_round(position, "cheese2", "cheese1", "")
    give(position, 0, "cheese2")
    position.state.bandages[0] = 2
    share(position, "claw heal", "player_2", "heal")  # player_1 is active
    play(position, "claw player_0")
    assert points(position) == [2, 3, 2]  # nobody had cheese: CR-24 for the other two


@pytest.mark.parametrize(
    ("players", "number", "doors"),
    [(2, 3, (5, 4, 3, 3)), (3, 3, (5, 4, 3, 3)), (4, 4, (6, 6, 4, 4)), (5, 5, (8, 7, 5, 5))],
)
def test_cr02_door_cards_and_piles_go_by_the_number_of_players(players: int, number: int, doors: tuple[int]) -> None:
    position = start(players=players)
    position.apply("trap 1")
    to_deal = [doors[0] - number, *doors[1:]]
    kinds = ("trap", "cheese1", "cheese2", "clover")
    assert position.chances() == {f"deal {card}": copies for card, copies in zip(kinds, to_deal, strict=True) if copies}
    lay_out_anyhow(position)
    dealt = " ".join(pile(position, place + 1) for place in range(number))
    assert counts(dealt) == list(doors)
    share(position, "key1 key1", "player_1")
    assert position.legal() == [f"pile {place + 1}" for place in range(number)]


@every_number
def test_cr02_roles_and_third_rat_cards_stay_in_the_box_unless_in_play(players: int) -> None:
    position = start(players=players)
    lay_out_anyhow(position)
    assert verb(position) == "roll"  # no role
    share(position, "key1 key1")
    assert ("partner third_rat" in position.legal()) == (players == 2)


@every_number
def test_cr03_player_0_begins(players: int) -> None:
    position = start(players=players)
    lay_out_anyhow(position)
    position.apply("roll key1 key2")
    assert position.actor == 0


def test_cr04_the_guaranteed_trap_is_at_any_place() -> None:
    position = start()
    assert position.chances() == {f"trap {place}": 1 for place in range(1, 6)}


def test_cr04_the_other_four_are_dealt_from_the_top_around_the_trap() -> None:
    position = start(players=3)
    play(position, "trap 3", "deal cheese1", "deal cheese2", "deal clover", "deal trap")
    assert pile(position, 1) == "cheese1 cheese2 trap clover trap"
    assert position.chances() == {f"trap {place}": 1 for place in range(1, 6)}


def test_cr04_cards_are_drawn_from_what_is_left() -> None:
    position = start(players=3)
    play(position, "trap 1", "deal trap", "deal clover", "deal trap")
    assert position.chances() == {"deal cheese1": 4, "deal cheese2": 3, "deal clover": 2}


@every_number
def test_cr04_every_pile_has_five_cards_and_a_trap(players: int) -> None:
    position = start(players=players)
    for number in range(piles(position)):
        play(position, f"trap {number + 1}")
        for _ in range(4):
            card = max(position.chances())  # traps first
            position.apply(card)
    assert verb(position) == "roll"
    assert pile_sizes(position) == piles(position) * [5]
    for number in range(1, piles(position) + 1):
        assert pile(position, number).split()[number - 1] == "trap"


def test_cr05_a_round_starts_without_stocks_bandages_and_with_nobody_out() -> None:
    position = table("trap trap trap cheese1 cheese1")
    position.state.bandages[0] = 1
    give(position, 2, "cheese1")
    share(position, "key1 key2", "player_1", "key1")
    play(position, "pile 1", "pile 1")
    assert (bandages(position), out(position)) == ([0, 0, 0], [])  # player_0 was out: the next round
    assert [stock(position, rat) for rat in range(3)] == ["", "", ""]
    assert discard(position) == ""
    assert position.state.traps_beside.tolist() == [0, 0, 0, 0, 0]
    lay_out_anyhow(position)
    share(position, "claw heal", "player_2")
    assert rounds_before(position) == 1
    play(position, "die heal")
    assert position.legal() == ["claw player_0", "claw player_2"]  # player_0 takes part again


def test_cr06_the_roll_is_of_both_dice() -> None:
    position = table()
    rolls = position.chances()
    assert len(rolls) == 15
    assert sum(rolls.values()) == 36
    assert rolls["roll key1 key1"] == 1
    assert rolls["roll key1 key2"] == 2
    assert rolls["roll steal steal"] == 4
    assert rolls["roll steal claw"] == 4


def test_cr06_the_active_player_may_roll_both_dice_once_more() -> None:
    position = table()
    rolls = position.chances()
    position.apply("roll key1 claw")
    assert (position.actor, position.legal()) == (0, ["keep_dice", "reroll"])
    position.apply("reroll")
    assert position.chances() == rolls
    position.apply("roll key2 heal")
    assert verb(position) == "partner"  # the second result stands
    position.apply("partner player_1")
    assert position.legal() == ["die heal", "die key2"]


def test_cr06_he_may_keep_the_dice() -> None:
    position = table()
    share(position, "key1 claw", "player_1")
    assert position.legal() == ["die claw", "die key1"]


@every_number
def test_cr07_the_partner_is_any_other(players: int) -> None:
    position = start(players=players)
    lay_out_anyhow(position)
    pass_turn(position)
    share(position, "key1 claw")
    others = [f"partner player_{seat}" for seat in range(players) if seat != 1]
    assert position.actor == 1
    assert position.legal() == others + (["partner third_rat"] if players == 2 else [])


def test_cr08_the_partner_keeps_one_die_and_gives_the_other_back() -> None:
    for kept, given_back in (("key1", "claw"), ("claw", "key1")):
        position = table()
        share(position, "key1 claw", "player_2")
        assert (position.actor, position.legal()) == (2, ["die claw", "die key1"])
        position.apply(f"die {kept}")
        verbs = {"key1": "pile", "claw": "claw"}
        assert (position.actor, verb(position)) == (2, verbs[kept])
        position.apply(position.legal()[-1])
        assert (position.actor, verb(position)) == (0, verbs[given_back])


def test_cr08_two_dice_alike_leave_no_choice() -> None:
    position = table()
    share(position, "key1 key1", "player_2")
    assert (position.actor, verb(position)) == (2, "pile")
    play(position, "pile 1")
    assert (position.actor, verb(position)) == (0, "pile")


def test_cr09_the_partners_die_is_resolved_completely_before_the_active_players() -> None:
    position = table("cheese1 trap cheese2 clover cheese1")
    give(position, 1, "clover")
    share(position, "key1 key2", "player_1", "key2")
    play(position, "pile 1")
    assert (position.actor, verb(position)) == (1, "bandage")  # his second card was a trap
    play(position, "bandage")
    assert (position.actor, verb(position)) == (0, "pile")
    play(position, "pile 1")
    assert (stock(position, 0), stock(position, 1)) == ("cheese2", "cheese1 clover")


def test_cr10_what_a_die_says_is_compulsory() -> None:
    position = table()
    give(position, 2, "cheese1")
    share(position, "key1 steal", "player_1", "key1")
    assert position.legal() == ["pile 1", "pile 2", "pile 3"]
    position.apply("pile 1")
    assert position.legal() == ["rob player_1", "rob player_2"]
    play(position, "rob player_1", "lose cheese1")
    share(position, "claw heal", "player_2", "heal")
    assert position.legal() == ["claw player_0", "claw player_2"]


def test_cr10_what_is_impossible_is_skipped() -> None:
    position = table()
    share(position, "steal heal", "player_1", "heal")  # no bandage, no stock
    assert verb(position) == "roll"
    assert position.state.active == 1


@every_number
def test_cr11_the_left_neighbour_is_active_next(players: int) -> None:
    position = start(players=players)
    lay_out_anyhow(position)
    actors = []
    for _ in range(players + 1):
        position.apply("roll heal heal")
        actors.append(position.actor)
        play(position, "keep_dice", f"partner player_{(position.actor + 1) % players}")
    assert actors == [*range(players), 0]


def test_cr11_a_new_turn_knows_nothing_of_the_last_ones_dice() -> None:
    position = table()
    play(position, "roll key1 key1", "reroll", "roll claw claw", "partner player_1", "claw player_0", "claw player_2")
    assert verb(position) == "roll"
    position.apply("roll key1 key2")
    assert position.legal() == ["keep_dice", "reroll"]


# End of round and game


def test_cr22_the_round_ends_when_two_piles_are_empty() -> None:
    position = table()
    position.state.drawn[0] = 5
    pass_turn(position)
    assert verb(position) == "roll"
    position.state.drawn[2] = 5
    pass_turn(position)
    assert verb(position) == "trap"


def test_cr22_the_round_ends_when_a_rat_is_out() -> None:
    position = table(players=4)
    position.state.bandages[3] = 2
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw player_3")
    assert verb(position) == "trap"
    assert rounds_before(position) == 1


@pytest.mark.parametrize("reason", ["out", "empty"])
def test_cr22_the_round_ends_at_the_end_of_the_turn(reason: str) -> None:
    position = table()
    if reason == "out":
        position.state.bandages[2] = 2
    else:
        position.state.drawn[:2] = (4, 5)
    share(position, "key1 claw", "player_1", "claw" if reason == "out" else "key1")
    position.apply("claw player_2" if reason == "out" else "pile 1")
    assert (position.actor, verb(position)) == (0, "pile" if reason == "out" else "claw")
    position.apply(position.legal()[0])
    assert verb(position) == "trap"


def test_cr22_two_bandages_and_one_empty_pile_end_nothing() -> None:
    position = table(players=5)
    position.state.bandages[:5] = 2
    position.state.drawn[4] = 5
    share(position, "steal steal", "player_1")
    assert verb(position) == "roll"


def test_cr23_cheese_is_worth_what_it_says_and_clover_and_trap_nothing() -> None:
    position = table()
    end_round(position, ["cheese1 cheese1 cheese2", "cheese2 clover clover", "clover trap"])
    assert points(position) == [4, 2, 0]


def test_cr23_who_is_out_gets_no_points() -> None:
    position = table()
    give(position, 0, "cheese1")
    give(position, 2, "cheese2")
    position.state.bandages[2] = 2
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw player_2")
    assert points(position) == [1, 0, 0]


def test_cr24_two_points_for_everybody_when_nobody_has_any() -> None:
    position = table(players=4)
    end_round(position, ["clover clover", "", "trap", ""])
    assert points(position) == [2, 2, 2, 2]


def test_cr24_not_for_who_is_out() -> None:
    position = table(players=4)
    give(position, 3, "cheese2")
    position.state.bandages[3] = 2
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw player_3")
    assert points(position) == [2, 2, 2, 0]


def test_cr24_not_when_anybody_has_a_point() -> None:
    position = table(players=4)
    end_round(position, ["", "", "cheese1", ""])
    assert points(position) == [0, 0, 1, 0]


def test_cr24_points_of_earlier_rounds_do_not_matter() -> None:
    position = table()
    position.state.points[0] = 3
    end_round(position)
    assert points(position) == [5, 2, 2]


def test_cr25_the_next_round_is_set_up_anew_with_all_door_cards() -> None:
    position = start(players=3)
    lay_out_anyhow(position)
    share(position, "key2 key2", "player_1")
    play(position, "pile 1", "pile 2")
    assert verb(position) == "roll"
    end_round(position)
    assert position.chances() == {f"trap {place}": 1 for place in range(1, 6)}
    position.apply("trap 2")
    assert position.chances() == {"deal trap": 2, "deal cheese1": 4, "deal cheese2": 3, "deal clover": 3}
    assert pile_sizes(position)[0] == 5
    assert pile(position, 1) == "? trap ? ? ?"


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_cr25_the_left_neighbour_of_the_last_active_player_begins(turns: int) -> None:
    position = table()
    for _ in range(turns):
        pass_turn(position)
    next_round(position, "cheese1")
    position.apply("roll key1 key2")
    assert position.actor == (turns + 1) % 3


@pytest.mark.parametrize("rounds", [1, 2])
def test_cr30_seven_points_end_the_game_after_the_first_or_second_round(rounds: int) -> None:
    position = table()
    if rounds == 2:
        next_round(position, "", "", "cheese1")
    before = points(position)[2]
    position.state.points[2] = 4
    end_round(position, ["", "", "cheese2 cheese1"])
    assert before < 7
    assert position.is_over
    assert points(position)[2] == 7


def test_cr30_six_points_do_not() -> None:
    position = table()
    end_round(position, ["cheese2 cheese2 cheese2", "cheese2 cheese2 cheese2", ""])
    assert not position.is_over


def test_cr30_seven_points_count_at_the_end_of_a_round_only() -> None:
    position = table()
    give(position, 1, "cheese2 cheese2 cheese2 cheese2")
    pass_turn(position)
    assert verb(position) == "roll"


def test_cr31_most_points_win() -> None:
    position = table()
    end_game(position, [5, 4, 3], "cheese1", "cheese1 clover clover", "")
    assert position.winners() == [0]


def test_cr31_a_tie_is_broken_by_cards_of_any_kind() -> None:
    position = table()
    end_game(position, [4, 5, 5], "clover clover clover", "cheese1 clover trap", "cheese2 clover")
    assert position.winners() == [1]


def test_cr31_then_the_win_is_shared() -> None:
    position = table()
    end_game(position, [5, 5, 5], "cheese1 cheese1", "cheese1 clover", "cheese1")
    assert position.winners() == [0, 1]


def test_cr31_who_is_out_has_no_cards() -> None:
    position = table()
    set_last_round(position)
    position.state.points[:3] = (5, 1, 4)
    give(position, 0, "clover clover clover")
    give(position, 2, "cheese1")
    position.state.bandages[0] = 2
    share(position, "claw heal", "player_1", "claw")
    play(position, "claw player_0", "bandage")
    assert points(position) == [5, 1, 5]
    assert position.winners() == [2]


def test_cr31_cards_of_earlier_rounds_do_not_count() -> None:
    position = table()
    next_round(position, "cheese1 clover clover clover", "cheese1", "")
    next_round(position, "", "", "cheese1")
    end_round(position, ["cheese1", "cheese1 clover", ""])
    assert points(position) == [2, 2, 1]
    assert position.winners() == [1]


def test_cr32_without_extra_rounds_a_tie_is_shared() -> None:
    position = table()
    end_game(position, [5, 5, 1], "cheese1", "cheese1", "")
    assert position.is_over
    assert position.winners() == [0, 1]


def test_cr32_a_tie_is_settled_by_a_further_round_in_which_everyone_plays() -> None:
    position = table(extra_rounds=1)
    end_game(position, [5, 5, 1], "cheese1", "cheese1", "")
    assert not position.is_over
    lay_out_anyhow(position)
    share(position, "key1 claw")
    assert (position.actor, position.legal()) == (1, ["partner player_0", "partner player_2"])
    play(position, "partner player_2", "die key1", "pile 1", "claw player_0")
    end_round(position, ["", "cheese1", "cheese2"])
    assert position.is_over
    assert points(position) == [5, 6, 3]  # total points count anew
    assert position.winners() == [1]


def test_cr32_in_the_further_round_cards_of_that_round_break_the_tie_and_anyone_may_win() -> None:
    position = table(extra_rounds=1)
    end_game(position, [5, 5, 4], "cheese1", "cheese1", "")
    lay_out_anyhow(position)
    end_round(position, ["", "", "cheese2"])
    assert position.winners() == [2]

    position = table(extra_rounds=1)
    end_game(position, [5, 5, 4], "cheese1", "cheese1", "")
    lay_out_anyhow(position)
    end_round(position, ["clover", "", "cheese1"])
    assert points(position) == [5, 5, 5]
    assert position.winners() == [0, 2]  # a card each


@pytest.mark.parametrize("extra_rounds", [1, 2, 3])
def test_cr32_extra_rounds_are_at_most_as_many_as_fixed_beforehand(extra_rounds: int) -> None:
    position = table(extra_rounds=extra_rounds)
    end_game(position, [5, 5, 1], "cheese1", "cheese1", "")
    for _ in range(extra_rounds):
        assert not position.is_over
        lay_out_anyhow(position)
        end_round(position, ["cheese1", "cheese1", "cheese1"])
    assert position.is_over
    assert position.winners() == [0, 1]
    assert rounds_before(position) == 2


def test_cr32_no_further_round_without_a_tie_at_the_top() -> None:
    position = table(extra_rounds=3)
    end_game(position, [5, 4, 4], "cheese1", "", "")
    assert position.is_over


def test_cr32_a_tie_that_cards_break_needs_no_further_round() -> None:
    position = table(extra_rounds=3)
    end_game(position, [5, 5, 4], "cheese1", "cheese1 clover", "")
    assert position.is_over


def test_cr32_a_tie_after_the_first_round_is_settled_at_once() -> None:
    position = table(extra_rounds=1)
    position.state.points[:2] = 6
    next_round(position, "cheese1", "cheese1", "")
    assert not position.is_over
    end_round(position, ["", "cheese1", ""])
    assert position.is_over  # the second round is not played


# The result


@pytest.mark.parametrize("players", [3, 4, 5])
def test_cr80_a_sole_winner_has_one_and_the_losers_share_the_loss(players: int) -> None:
    position = table(players=players)
    end_game(position, [5, *((players - 1) * [1])], "cheese1", *((players - 1) * [""]))
    loss = -1 / (players - 1)
    assert position.returns() == pytest.approx([1, *((players - 1) * [loss])])


def test_cr80_a_shared_win_is_shared_evenly() -> None:
    position = table(players=4)
    end_game(position, [5, 5, 1, 1], "cheese1", "cheese1", "", "")
    assert position.winners() == [0, 1]
    assert position.returns() == pytest.approx([1 / 3, 1 / 3, -1 / 3, -1 / 3])


@every_number
def test_cr80_a_win_shared_by_all_is_worth_nothing(players: int) -> None:
    position = table(players=players)
    rats = max(3, players)
    end_game(position, rats * [5], *(rats * ["cheese1"]))
    assert position.winners() == [*range(players)]
    assert position.returns() == players * [0]


def test_cr81_the_third_rat_alone_at_the_top_leaves_no_winner() -> None:
    position = table(players=2)
    end_game(position, [4, 5, 6], "cheese1", "cheese1", "cheese1")
    assert position.winners() == []
    assert position.returns() == [0, 0]


def test_cr81_the_third_rats_cards_break_a_tie_too() -> None:
    position = table(players=2)
    end_game(position, [4, 5, 5], "cheese1", "cheese1", "cheese1 clover")
    assert position.winners() == []
    assert position.returns() == [0, 0]


@pytest.mark.parametrize("seat", [0, 1])
def test_cr81_a_seat_at_the_top_with_the_third_rat_wins(seat: int) -> None:
    position = table(players=2)
    totals = [4, 4, 5]
    totals[seat] = 5
    end_game(position, totals, "cheese1", "cheese1", "cheese1")
    assert position.winners() == [seat]
    assert position.returns()[seat] == 1
    assert position.returns()[1 - seat] == -1


def test_cr81_a_seat_before_the_third_rat_wins() -> None:
    position = table(players=2)
    end_game(position, [4, 6, 5], "cheese1", "cheese1", "cheese1")
    assert position.winners() == [1]
    assert position.returns() == [-1, 1]


def test_cr81_a_tie_with_the_third_rat_alone_calls_for_a_further_round() -> None:
    position = table(players=2, extra_rounds=1)
    end_game(position, [5, 1, 5], "cheese1", "", "cheese1")
    assert not position.is_over


@every_number
def test_cr82_scores_are_the_seats_points(players: int) -> None:
    position = table(players=players)
    totals = [3, 5, 4, 2, 6][: max(3, players)]
    end_game(position, totals, "cheese1", *((len(totals) - 1) * [""]))
    assert position.scores() == totals[:players]


def test_the_table_of_these_tests_is_laid_out_as_written() -> None:
    position = table("clover trap cheese1 trap cheese2")
    assert pile(position, 1) == "clover trap cheese1 trap cheese2"
    assert pile(position, 3) == PLAIN
