"""CR-12 to CR-21: what the dice do, bandages, clovers and elimination."""

import pytest
from comme_des_rats_helpers import (
    bandages,
    discard,
    give,
    out,
    pile,
    pile_sizes,
    play,
    points,
    set_last_round,
    share,
    stock,
    table,
    verb,
)

from rat_envs.engine.position import Position

ALL_TRAPS = "trap trap trap trap trap"


def stocks(position: Position) -> list[str]:
    """The stocks of the first three rats."""
    return [stock(position, rat) for rat in range(3)]


def traps_beside(position: Position) -> list[int]:
    """Traps face up beside the first three piles."""
    return position.state.traps_beside[:3].tolist()


# Keys


def test_cr12_one_key_draws_the_top_card_of_a_pile() -> None:
    position = table("cheese1 trap trap trap trap", "clover cheese2 cheese2 trap trap")
    share(position, "key1 heal", "player_1", "key1")
    assert (position.actor, position.legal()) == (1, ["pile 1", "pile 2", "pile 3"])
    position.apply("pile 2")
    assert stocks(position) == ["", "clover", ""]
    assert pile(position, 2) == "cheese2 cheese2 trap trap"
    assert pile_sizes(position) == [5, 4, 5]
    assert verb(position) == "roll"  # and no more


def test_cr12_the_active_players_key_is_his_own() -> None:
    position = table("cheese1 trap trap trap trap")
    share(position, "key1 heal", "player_1", "heal")
    assert position.actor == 0
    position.apply("pile 1")
    assert stocks(position) == ["cheese1", "", ""]


@pytest.mark.parametrize("key", ["key1", "key2"])
def test_cr12_an_empty_pile_cannot_be_chosen(key: str) -> None:
    position = table()
    position.state.drawn[1] = 5
    share(position, f"{key} heal", "player_1", key)
    assert position.legal() == ["pile 1", "pile 3"]


def test_cr13_two_keys_draw_two_cards_of_the_same_pile() -> None:
    position = table("cheese1 clover cheese2 trap trap")
    share(position, "key2 heal", "player_1", "key2")
    assert position.legal() == ["pile 1", "pile 2", "pile 3"]
    position.apply("pile 1")
    assert stocks(position) == ["", "cheese1 clover", ""]
    assert pile_sizes(position) == [3, 5, 5]
    assert verb(position) == "roll"


def test_cr13_the_first_card_is_settled_entirely_before_the_second_draw() -> None:
    position = table("trap cheese2 cheese1 cheese1 cheese1")
    give(position, 1, "clover")
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert (position.actor, position.legal()) == (1, ["bandage", "clover"])
    assert pile_sizes(position) == [4, 5, 5]
    assert stocks(position)[1] == "clover"
    position.apply("bandage")
    assert pile_sizes(position) == [3, 5, 5]
    assert stocks(position)[1] == "cheese2 clover"


def test_cr13_no_second_draw_from_an_empty_pile() -> None:
    position = table("cheese1 cheese1 cheese1 trap cheese2")
    position.state.drawn[0] = 4
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert stocks(position)[1] == "cheese2"
    assert pile_sizes(position) == [0, 5, 5]
    assert verb(position) == "roll"


def test_cr13_no_second_draw_for_who_was_put_out_by_the_first() -> None:
    position = table("trap cheese2 cheese1 cheese1 cheese1")
    position.state.bandages[1] = 2
    share(position, "key2 claw", "player_1", "key2")
    position.apply("pile 1")
    assert out(position) == [1]
    assert pile_sizes(position) == [4, 5, 5]
    assert stocks(position)[1] == ""
    assert (position.actor, verb(position)) == (0, "claw")


def test_cr13_a_clover_drawn_first_averts_a_trap_drawn_second() -> None:
    position = table("clover trap cheese1 cheese1 cheese1")
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert (position.actor, position.legal()) == (1, ["bandage", "clover"])
    position.apply("clover")
    assert bandages(position) == [0, 0, 0]
    assert (stocks(position)[1], discard(position)) == ("", "clover")


def test_cr13_two_traps_are_two_bandages() -> None:
    position = table("trap trap cheese1 cheese1 cheese1")
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert bandages(position) == [0, 2, 0]
    assert traps_beside(position) == [2, 0, 0]


# Theft


def test_cr14_only_other_rats_with_stock_can_be_robbed() -> None:
    position = table(players=4)
    for rat, cards in enumerate(("cheese1", "clover", "", "cheese2")):
        give(position, rat, cards)
    share(position, "steal heal", "player_1", "steal")
    assert (position.actor, position.legal()) == (1, ["rob player_0", "rob player_3"])


def test_cr14_the_card_is_random_and_goes_to_the_thief() -> None:
    position = table()
    give(position, 1, "cheese2")
    give(position, 2, "cheese1 clover clover clover")
    share(position, "steal heal", "player_1", "steal")
    position.apply("rob player_2")
    assert position.chances() == {"lose cheese1": 1, "lose clover": 3}
    position.apply("lose clover")
    assert stocks(position) == ["", "cheese2 clover", "cheese1 clover clover"]
    assert verb(position) == "roll"


def test_cr14_without_a_stock_on_any_other_rat_nothing_happens() -> None:
    position = table()
    give(position, 1, "cheese2")
    share(position, "steal heal", "player_1", "steal")
    assert verb(position) == "roll"
    assert stocks(position) == ["", "cheese2", ""]


def test_cr14_the_active_player_may_rob_his_partner() -> None:
    position = table()
    give(position, 1, "cheese2")
    share(position, "steal heal", "player_1", "heal")
    assert (position.actor, position.legal()) == (0, ["rob player_1"])


# Claw


def test_cr15_the_cat_gives_another_rat_a_bandage() -> None:
    position = table(players=4)
    share(position, "claw heal", "player_1", "claw")
    assert (position.actor, position.legal()) == (1, ["claw player_0", "claw player_2", "claw player_3"])
    position.apply("claw player_3")
    assert bandages(position) == [0, 0, 0, 1]


def test_cr15_partner_and_active_player_may_hit_each_other() -> None:
    position = table()
    share(position, "claw claw", "player_1")
    play(position, "claw player_0", "claw player_1")
    assert bandages(position) == [1, 1, 0]


def test_cr15_a_rat_that_is_out_cannot_be_chosen() -> None:
    position = table(ALL_TRAPS)
    position.state.bandages[1] = 2
    share(position, "key1 claw", "player_1", "key1")
    position.apply("pile 1")
    assert out(position) == [1]
    assert (position.actor, position.legal()) == (0, ["claw player_2"])


def test_cr15_a_rat_put_out_by_its_own_key_cannot_be_chosen_even_if_it_is_the_third_rat() -> None:
    position = table(ALL_TRAPS, players=2, third_rat=6 * ["key2 key1 steal heal claw active"])
    position.state.bandages[2] = 2
    share(position, "key1 claw", "third_rat")
    play(position, "reveal tr1", "pile 1")
    assert out(position) == [2]
    assert (position.actor, position.legal()) == (0, ["claw player_1"])


def test_cr15_nothing_happens_when_nobody_is_left() -> None:
    position = table(roles="alchemist fool hypnotist")
    share(position, "claw claw", "player_1")
    play(position, "claw player_2", "redirect player_1")  # so both others have been visited
    assert verb(position) == "roll"
    assert bandages(position) == [0, 1, 0]


def test_cr16_the_second_cat_may_not_be_sent_at_the_rat_named_first() -> None:
    position = table(players=4)
    share(position, "claw claw", "player_1")
    position.apply("claw player_3")
    assert (position.actor, position.legal()) == (0, ["claw player_1", "claw player_2"])


def test_cr16_not_even_if_a_clover_saved_it() -> None:
    position = table(players=4)
    give(position, 3, "clover")
    share(position, "claw claw", "player_1")
    play(position, "claw player_3", "clover")
    assert position.legal() == ["claw player_1", "claw player_2"]


def test_cr16_nor_may_it_be_sent_at_who_the_cat_was_redirected_to() -> None:
    position = table(players=4, roles="al_ratone alchemist fool hypnotist")
    share(position, "claw claw", "player_1")
    play(position, "claw player_3", "redirect player_2")
    assert (position.actor, position.legal()) == (0, ["claw player_1"])
    position.apply("claw player_1")
    assert bandages(position) == [0, 1, 1, 0]


def test_cr16_in_the_next_turn_it_may_be() -> None:
    position = table(players=4)
    share(position, "claw heal", "player_2", "claw")
    position.apply("claw player_3")
    share(position, "claw heal", "player_2", "claw")
    assert "claw player_3" in position.legal()


@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 0), (2, 1)])
def test_cr17_healing_gives_back_one_bandage_if_there_is_any(before: int, after: int) -> None:
    position = table()
    position.state.bandages[:3] = (1, before, 1)
    share(position, "heal key1", "player_1", "heal")
    assert bandages(position) == [1, after, 1]
    assert position.actor == 0


def test_cr17_two_dice_heal_two_rats() -> None:
    position = table()
    position.state.bandages[:3] = (2, 2, 2)
    share(position, "heal heal", "player_1")
    assert bandages(position) == [1, 1, 2]


# Cards, bandages, elimination


def test_cr18_a_trap_is_shown_and_stays_beside_its_pile_and_hurts_the_drawer() -> None:
    position = table("cheese1 trap cheese1 cheese1 cheese1", ALL_TRAPS)
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 2")
    assert traps_beside(position) == [0, 1, 0]
    assert bandages(position) == [0, 1, 0]
    assert (stocks(position), discard(position)) == (["", "", ""], "")
    assert pile_sizes(position) == [5, 4, 5]


@pytest.mark.parametrize("card", ["cheese1", "cheese2", "clover"])
def test_cr18_anything_else_goes_into_the_stock(card: str) -> None:
    position = table(f"{card} trap cheese1 cheese1 cheese1")
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 1")
    assert stocks(position) == ["", card, ""]
    assert (bandages(position), traps_beside(position)) == ([0, 0, 0], [0, 0, 0])


@pytest.mark.parametrize("cause", ["trap", "cat", "Fool's trap"])
def test_cr19_a_clover_averts_a_bandage_whatever_its_cause(cause: str) -> None:
    for answer, hurt, left in (("clover", 0, "cheese1"), ("bandage", 1, "cheese1 clover")):
        position = table(ALL_TRAPS, roles="fool al_ratone alchemist")
        give(position, 0, "trap")
        give(position, 2, "cheese1 clover")
        if cause == "trap":
            share(position, "key1 heal")
            play(position, "no_claim", "partner player_2", "die key1", "pile 1")
        elif cause == "cat":
            share(position, "claw heal")
            play(position, "no_claim", "partner player_1", "die claw", "claw player_2")
        else:
            share(position, "steal heal")
            play(position, "no_claim", "partner player_2", "die steal", "rob player_0", "lose trap")
        assert (position.actor, position.legal()) == (2, ["bandage", "clover"])
        assert bandages(position)[2] == 0
        position.apply(answer)
        assert bandages(position)[2] == hurt
        assert stock(position, 2) == left
        assert ("clover" in discard(position)) == (answer == "clover")


def test_cr19_without_a_clover_there_is_no_choice() -> None:
    position = table()
    give(position, 2, "cheese1 cheese2")
    give(position, 0, "clover")
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw player_2")
    assert bandages(position) == [0, 0, 1]
    assert verb(position) == "roll"


def test_cr19_one_clover_averts_one_bandage() -> None:
    position = table("trap trap cheese1 cheese1 cheese1")
    give(position, 1, "clover clover")
    share(position, "key2 heal", "player_1", "key2")
    play(position, "pile 1", "clover")
    assert (position.actor, position.legal()) == (1, ["bandage", "clover"])
    assert stock(position, 1) == "clover"
    position.apply("bandage")
    assert verb(position) == "roll"
    assert (bandages(position)[1], stock(position, 1)) == (1, "clover")


def test_cr19_a_clover_does_not_heal() -> None:
    position = table()
    position.state.bandages[2] = 1
    give(position, 2, "clover")
    share(position, "claw heal", "player_1", "claw")
    play(position, "claw player_2", "clover")
    assert bandages(position) == [0, 0, 1]


def test_cr20_the_third_bandage_puts_a_rat_out_and_costs_its_whole_stock() -> None:
    position = table()
    position.state.bandages[2] = 1
    give(position, 2, "cheese1 cheese2 clover")
    share(position, "claw heal", "player_1", "claw")
    play(position, "claw player_2", "bandage")
    assert (bandages(position)[2], out(position), stock(position, 2)) == (2, [], "cheese1 cheese2 clover")
    share(position, "claw key1", "player_0", "claw")
    play(position, "claw player_2", "bandage")
    assert (bandages(position)[2], out(position), stock(position, 2)) == (3, [2], "")
    assert discard(position) == "cheese1 cheese2 clover"


def test_cr20_it_cannot_be_robbed_any_more() -> None:
    position = table()
    position.state.bandages[2] = 2
    give(position, 1, "cheese1")
    give(position, 2, "cheese2")
    share(position, "claw steal", "player_1", "claw")
    position.apply("claw player_2")
    assert (position.actor, position.legal()) == (0, ["rob player_1"])


def test_cr20_it_is_out_of_the_round_not_of_the_game() -> None:
    position = table()
    position.state.points[2] = 4
    position.state.bandages[2] = 2
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw player_2")
    assert points(position) == [2, 2, 4]
    assert out(position) == []


def put_out_active_player(dice: str, last_round: bool = False) -> Position:
    """player_0 is put out by the claw of his partner player_1, and his own die comes next."""
    position = table(players=4)
    if last_round:
        set_last_round(position)
    position.state.bandages[:4] = (2, 1, 1, 1)
    for rat in range(4):
        give(position, rat, "cheese1")
    share(position, f"{dice} claw", "player_1", None if dice == "claw" else "claw")
    position.apply("claw player_0")
    return position


def test_cr21_who_is_out_still_steals_and_the_card_goes_to_the_discard_pile() -> None:
    position = put_out_active_player("steal")
    assert (position.actor, position.legal()) == (0, ["rob player_1", "rob player_2", "rob player_3"])
    assert discard(position) == "cheese1"  # his own stock
    position.apply("rob player_3")
    assert discard(position) == "cheese1"
    position.apply("lose cheese1")
    assert points(position) == [0, 1, 1, 0]


def test_cr21_a_card_stolen_by_who_is_out_is_in_nobodys_stock() -> None:
    position = put_out_active_player("steal", last_round=True)
    play(position, "rob player_3", "lose cheese1")
    assert position.is_over
    assert (stock(position, 0), stock(position, 3), discard(position)) == ("", "", "cheese1 cheese1")


def test_cr21_who_is_out_still_sends_the_cat() -> None:
    position = put_out_active_player("claw")
    assert (position.actor, position.legal()) == (0, ["claw player_1", "claw player_2", "claw player_3"])


@pytest.mark.parametrize("die", ["key1", "key2", "heal"])
def test_cr21_who_is_out_neither_draws_nor_heals(die: str) -> None:
    position = put_out_active_player(die, last_round=True)
    assert position.is_over
    assert points(position) == [0, 1, 1, 1]
    assert (bandages(position), out(position)) == ([3, 1, 1, 1], [0])
    assert pile_sizes(position) == [5, 5, 5, 5]


def test_cr21_several_rats_may_go_out_in_one_turn() -> None:
    position = table(players=4)
    set_last_round(position)
    position.state.bandages[:4] = 2
    share(position, "claw claw", "player_1")
    play(position, "claw player_0", "claw player_2")
    assert position.is_over
    assert out(position) == [0, 2]
    assert bandages(position) == [3, 2, 3, 2]


def test_cr21_all_actions_are_finished_when_a_second_pile_has_become_empty() -> None:
    position = table()
    position.state.drawn[:2] = (5, 4)
    share(position, "key1 key2", "player_1", "key1")
    position.apply("pile 2")
    assert (position.actor, position.legal()) == (0, ["pile 3"])


def test_cr21_a_rat_that_is_out_gets_no_more_bandages() -> None:
    position = table(players=4, roles="al_ratone alchemist fool hypnotist")
    set_last_round(position)
    position.state.bandages[0] = 2
    give(position, 2, "trap")
    share(position, "steal claw", "player_1", "claw")
    position.apply("claw player_0")
    play(position, "rob player_2", "lose trap")
    assert position.is_over
    assert bandages(position) == [3, 0, 0, 0]
