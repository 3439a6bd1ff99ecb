"""CR-50 to CR-56: the advanced rules."""

import pytest
from comme_des_rats_helpers import (
    PLAIN,
    bandages,
    discard,
    end_round,
    give,
    lay_out_anyhow,
    out,
    pass_turn,
    pile,
    pile_sizes,
    play,
    points,
    roles_seen,
    seen_piles,
    set_last_round,
    share,
    start,
    stock,
    table,
    verb,
    view,
)

from rat_envs.engine.position import Position

ALL_TRAPS = "trap trap trap trap trap"
ROLES = ("manipulator", "al_ratone", "hypnotist", "fool", "alchemist")


# Dealing


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cr50_each_seat_gets_one_of_five_roles_when_the_piles_are_laid_out(players: int) -> None:
    position = start(players=players, roles=True)
    lay_out_anyhow(position)
    left = list(ROLES)
    for _ in range(players):
        assert position.chances() == {f"role {role}": 1 for role in left}
        position.apply(f"role {left.pop()}")
    assert verb(position) == ("look" if players == 5 else "roll")


def test_cr50_roles_are_dealt_from_player_0() -> None:
    position = table(roles="fool alchemist hypnotist")
    for seat, role in enumerate(("fool", "alchemist", "hypnotist")):
        assert view(position, seat).own_role[ROLES.index(role)] == 1
        assert view(position, seat).own_role.sum() == 1


def test_cr50_a_role_holds_for_the_round() -> None:
    position = table(ALL_TRAPS, roles="alchemist fool hypnotist")
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 1")
    share(position, "key1 heal", "player_2", "heal")
    position.apply("pile 1")
    assert (stock(position, 1), bandages(position)) == ("trap trap", [0, 0, 0])
    end_round(position)
    lay_out_anyhow(position, "fool alchemist hypnotist")
    assert pile(position, 1).startswith("trap")
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 1")
    assert (stock(position, 1), bandages(position)) == ("", [0, 1, 0])


def test_cr50_a_card_shown_in_one_round_works_again_in_the_next() -> None:
    position = table(roles="alchemist al_ratone fool")
    share(position, "heal heal")
    play(position, "claim")
    pass_turn(position)
    end_round(position, ["cheese1", "", ""])
    lay_out_anyhow(position, "alchemist al_ratone fool")
    share(position, "heal heal")
    assert (position.actor, position.legal()) == (1, ["claim", "no_claim"])


# Manipulator


def test_cr51_he_looks_through_two_piles_before_the_first_roll() -> None:
    position = table(players=4, roles="fool manipulator hypnotist alchemist")
    assert (position.actor, position.legal()) == (1, ["look 1", "look 2", "look 3", "look 4"])
    assert roles_seen(position, 3) == {1: "manipulator"}  # shown
    position.apply("look 3")
    assert (position.actor, position.legal()) == (1, ["look 1", "look 2", "look 4"])
    position.apply("look 1")
    assert (position.actor, verb(position)) == (1, "place")


def test_cr51_he_sees_the_first_pile_before_he_chooses_the_second_and_both_before_he_orders() -> None:
    position = table("clover trap cheese2 cheese1 trap", roles="fool manipulator hypnotist")
    assert seen_piles(position, 1) == {}
    position.apply("look 1")
    assert seen_piles(position, 1) == {1: "clover trap cheese2 cheese1 trap"}
    position.apply("look 3")
    assert seen_piles(position, 1) == {1: "? ? ? ? ?", 3: PLAIN}  # the first is taken up to be ordered
    assert view(position, 1).left_to_place.tolist() == [2, 1, 1, 1]


def test_cr51_he_puts_each_in_an_order_he_likes() -> None:
    position = table("clover trap cheese2 cheese1 trap", roles="fool manipulator hypnotist")
    play(position, "look 1", "look 3")
    assert position.legal() == ["place cheese1", "place cheese2", "place clover", "place trap"]
    position.apply("place trap")
    assert position.legal() == ["place cheese1", "place cheese2", "place clover", "place trap"]
    position.apply("place trap")
    assert position.legal() == ["place cheese1", "place cheese2", "place clover"]
    play(position, "place cheese1", "place clover")  # the fifth follows by itself
    assert pile(position, 1) == "trap trap cheese1 clover cheese2"
    assert (position.actor, position.legal()) == (1, ["place cheese1", "place trap"])
    play(position, "place cheese1", "place trap", "place cheese1", "place cheese1")
    assert pile(position, 3) == "cheese1 trap cheese1 cheese1 cheese1"
    assert pile(position, 2) == PLAIN
    assert (position.is_chance, verb(position)) == (True, "roll")


def test_cr51_the_pile_looked_at_first_is_ordered_first() -> None:
    position = table(ALL_TRAPS, roles="fool manipulator hypnotist")
    play(position, "look 3", "look 1")
    assert position.legal() == ["place cheese1", "place trap"]
    play(position, "place trap", *(3 * ["place cheese1"]))
    assert position.legal() == ["place trap"]


def test_cr51_without_the_manipulator_nobody_looks() -> None:
    assert verb(table(roles="fool al_ratone hypnotist")) == "roll"


# Al Ratone


def test_cr52_he_may_force_the_active_player_to_take_him() -> None:
    position = table(players=4, roles="fool hypnotist al_ratone alchemist")
    play(position, "roll key1 claw", "keep_dice")
    assert (position.actor, position.legal()) == (2, ["claim", "no_claim"])
    assert roles_seen(position, 0) == {}
    position.apply("claim")
    assert (position.actor, position.legal()) == (2, ["die claw", "die key1"])
    assert roles_seen(position, 0) == {2: "al_ratone"}


def test_cr52_he_may_leave_it() -> None:
    position = table(players=4, roles="fool hypnotist al_ratone alchemist")
    play(position, "roll key1 claw", "keep_dice", "no_claim")
    assert (position.actor, position.legal()) == (0, ["partner player_1", "partner player_2", "partner player_3"])
    assert roles_seen(position, 0) == {}


def test_cr52_once_a_round() -> None:
    position = table(roles="fool al_ratone hypnotist")
    play(position, "roll heal heal", "keep_dice", "no_claim", "partner player_2")
    pass_turn(position)
    share(position, "heal heal")
    assert verb(position) == "claim"  # not yet used
    position.apply("claim")
    share(position, "heal heal")
    assert verb(position) == "partner"


def test_cr52_after_the_reroll_and_the_statements() -> None:
    position = table(roles="fool al_ratone hypnotist", talk=True)
    play(position, "roll key1 claw", "reroll", "roll heal heal")
    assert verb(position) == "say"
    play(position, "say peace", "say peace")
    assert (position.actor, verb(position)) == (1, "claim")
    position.apply("claim")
    assert position.state.active == 1  # two dice alike that do nothing: the turn is over


def test_cr52_not_while_he_is_active_himself() -> None:
    position = table(roles="al_ratone fool hypnotist")
    share(position, "key1 claw")
    assert (position.actor, verb(position)) == (0, "partner")


def test_cr52_not_when_he_would_be_the_partner_anyway() -> None:
    position = table(players=2, roles="fool al_ratone")
    position.state.third_rat_shown[:] = 1
    share(position, "key1 claw")
    assert (position.actor, verb(position)) == (1, "die")


def test_cr52_with_two_players_he_is_asked_while_the_third_rat_may_be_partner() -> None:
    position = table(players=2, roles="fool al_ratone")
    position.state.third_rat_shown[:5] = 1
    share(position, "key1 claw")
    assert (position.actor, verb(position)) == (1, "claim")
    position.apply("claim")
    assert (position.actor, position.legal()) == (1, ["die claw", "die key1"])


# Hypnotist


def test_cr53_he_may_send_the_cat_at_a_rat_of_his_choice() -> None:
    position = table(players=4, roles="fool al_ratone hypnotist alchemist")
    share(position, "claw heal")
    play(position, "no_claim", "partner player_1", "die claw", "claw player_2")
    assert position.actor == 2
    assert position.legal() == ["no_redirect", "redirect player_0", "redirect player_1", "redirect player_3"]
    assert roles_seen(position, 0) == {}
    position.apply("redirect player_1")  # the attacker
    assert bandages(position) == [0, 1, 0, 0]
    assert roles_seen(position, 0) == {2: "hypnotist"}


def test_cr53_before_any_clover() -> None:
    position = table(roles="fool alchemist hypnotist")
    give(position, 2, "clover")
    give(position, 0, "clover")
    share(position, "claw heal", "player_1", "claw")
    position.apply("claw player_2")
    assert (position.actor, verb(position)) == (2, "no_redirect")
    other = position.copy()
    position.apply("no_redirect")
    assert (position.actor, position.legal()) == (2, ["bandage", "clover"])
    other.apply("redirect player_0")
    assert (other.actor, other.legal()) == (0, ["bandage", "clover"])  # who is hit now
    other.apply("clover")
    assert (stock(other, 0), stock(other, 2), bandages(other)) == ("", "clover", [0, 0, 0])


def test_cr53_once_a_round() -> None:
    position = table(roles="fool alchemist hypnotist")
    share(position, "claw heal", "player_1", "claw")
    play(position, "claw player_2", "redirect player_1")
    share(position, "claw key1", "player_0", "claw")
    position.apply("claw player_2")
    assert bandages(position) == [0, 1, 1]
    assert (position.actor, verb(position)) == (1, "pile")


def test_cr53_a_card_not_used_can_be_used_later() -> None:
    position = table(roles="fool alchemist hypnotist")
    share(position, "claw heal", "player_1", "claw")
    play(position, "claw player_2", "no_redirect")
    assert bandages(position) == [0, 0, 1]
    share(position, "claw key1", "player_0", "claw")
    position.apply("claw player_2")
    assert (position.actor, verb(position)) == (2, "no_redirect")


def test_cr53_not_at_who_is_already_visited() -> None:
    position = table(players=4, roles="fool alchemist hypnotist al_ratone")
    share(position, "claw claw")
    play(position, "no_claim", "partner player_1", "claw player_3", "claw player_2")
    assert position.legal() == ["no_redirect", "redirect player_0", "redirect player_1"]


def test_cr53_not_at_who_is_out() -> None:
    position = table(ALL_TRAPS, roles="fool alchemist hypnotist")
    position.state.bandages[1] = 2
    share(position, "key1 claw", "player_1", "key1")
    play(position, "pile 1", "claw player_2")
    assert out(position) == [1]
    assert (position.actor, position.legal()) == (2, ["no_redirect", "redirect player_0"])


def test_cr53_not_offered_without_a_possible_target() -> None:
    position = table(roles="fool alchemist hypnotist")
    set_last_round(position)
    position.state.bandages[:2] = 2
    give(position, 0, "trap trap")
    share(position, "steal claw", "player_1", "steal")
    play(position, "rob player_0", "lose trap")
    assert out(position) == [0, 1]
    position.apply("claw player_2")
    assert position.is_over
    assert bandages(position) == [3, 3, 1]


def test_cr53_a_claw_at_another_does_not_concern_him() -> None:
    position = table(roles="fool alchemist hypnotist")
    share(position, "claw key1", "player_1", "claw")
    position.apply("claw player_0")
    assert (position.actor, verb(position)) == (0, "pile")


def test_cr53_the_third_rats_cat_can_be_sent_back_at_it() -> None:
    position = table(players=2, roles="fool hypnotist")
    share(position, "claw heal", "third_rat")
    position.apply("reveal tr3")  # the active player decides: his opponent is hit
    assert (position.actor, position.legal()) == (1, ["no_redirect", "redirect player_0", "redirect third_rat"])
    position.apply("redirect third_rat")
    assert bandages(position) == [0, 0, 1]


# Fool


def test_cr54_a_trap_he_draws_is_stored_without_a_bandage_every_time() -> None:
    position = table(ALL_TRAPS, roles="alchemist fool hypnotist")
    give(position, 1, "clover")
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert verb(position) == "roll"  # he has no choice
    assert stock(position, 1) == "trap trap clover"
    assert bandages(position) == [0, 0, 0]
    assert pile_sizes(position) == [3, 5, 5]
    assert position.state.traps_beside.sum() == 0


def test_cr54_anybody_else_is_hurt() -> None:
    position = table(ALL_TRAPS, roles="alchemist fool hypnotist")
    share(position, "key1 heal", "player_2", "key1")
    position.apply("pile 1")
    assert (stock(position, 2), bandages(position)) == ("", [0, 0, 1])


def rob_fool(fools_stock: str) -> Position:
    """player_0, Al Ratone and active, is about to rob; player_1 is the Fool."""
    position = table(ALL_TRAPS, roles="al_ratone fool hypnotist")
    give(position, 1, fools_stock)
    share(position, "steal heal", "player_2", "heal")
    return position


def test_cr54_who_steals_a_trap_gets_a_bandage_and_then_the_fool_one_for_each_trap_left() -> None:
    position = rob_fool("trap trap trap cheese1")
    play(position, "rob player_1", "lose trap")
    assert bandages(position) == [1, 2, 0]
    assert (stock(position, 0), stock(position, 1)) == ("", "cheese1")
    assert discard(position) == "trap trap trap"
    assert roles_seen(position, 2) == {1: "fool"}


def test_cr54_the_thief_comes_first() -> None:
    position = rob_fool("trap trap cheese1")
    give(position, 0, "clover")
    play(position, "rob player_1", "lose trap")
    assert (position.actor, verb(position)) == (0, "bandage")
    assert discard(position) == "trap"  # the Fool has not shown his yet
    assert (bandages(position), roles_seen(position, 2)) == ([0, 0, 0], {})
    position.apply("clover")
    assert bandages(position) == [0, 1, 0]
    assert discard(position) == "trap trap clover"


def test_cr54_clovers_avert_any_of_these_one_by_one() -> None:
    position = rob_fool("trap trap trap trap clover clover")
    play(position, "rob player_1", "lose trap")
    assert (position.actor, verb(position)) == (1, "bandage")
    assert (stock(position, 1), discard(position)) == ("clover clover", "trap trap trap trap")
    play(position, "clover")
    assert (position.actor, verb(position)) == (1, "bandage")
    play(position, "bandage")
    assert (position.actor, verb(position)) == (1, "bandage")
    play(position, "clover")
    assert bandages(position) == [1, 1, 0]
    assert verb(position) == "roll"


def test_cr54_what_remains_lapses_when_he_is_out() -> None:
    position = rob_fool("trap trap trap trap clover")
    set_last_round(position)
    position.state.bandages[1] = 2
    play(position, "rob player_1", "lose trap")
    position.apply("bandage")
    assert position.is_over
    assert bandages(position) == [1, 3, 0]
    assert discard(position) == "trap trap trap trap clover"


def test_cr54_afterwards_traps_are_ordinary() -> None:
    position = rob_fool("trap trap cheese1")
    play(position, "rob player_1", "lose trap")
    share(position, "key1 steal")
    play(position, "no_claim", "partner player_0", "die steal", "rob player_1", "lose cheese1", "pile 1")
    assert bandages(position) == [1, 2, 0]
    assert stock(position, 1) == ""
    assert position.state.traps_beside[0] == 1


def test_cr54_his_role_is_discarded_even_if_no_trap_is_left() -> None:
    position = rob_fool("trap cheese1")
    play(position, "rob player_1", "lose trap")
    assert bandages(position) == [1, 0, 0]
    assert roles_seen(position, 2) == {1: "fool"}
    share(position, "key1 heal")
    play(position, "no_claim", "partner player_2", "die heal", "pile 1")
    assert (bandages(position), stock(position, 1)) == ([1, 1, 0], "cheese1")


def test_cr54_any_other_card_stolen_from_him_betrays_nothing() -> None:
    position = rob_fool("trap trap cheese1")
    play(position, "rob player_1", "lose cheese1")
    assert (bandages(position), roles_seen(position, 2)) == ([0, 0, 0], {})
    assert (stock(position, 0), stock(position, 1)) == ("cheese1", "trap trap")


def test_cr54_a_thief_who_is_put_out_leaves_the_fool_his_bandages() -> None:
    position = rob_fool("trap trap cheese1")
    set_last_round(position)
    position.state.bandages[0] = 2
    play(position, "rob player_1", "lose trap")
    assert bandages(position) == [3, 1, 0]


def test_cr54_the_third_rat_is_hurt_for_stealing_a_trap() -> None:
    position = table(players=2, roles="alchemist fool")
    give(position, 1, "trap trap")
    share(position, "steal heal", "third_rat")
    play(position, "reveal tr3", "rob player_1", "lose trap")
    assert bandages(position) == [0, 1, 1]
    assert (stock(position, 2), discard(position)) == ("", "trap trap")


def test_cr55_traps_in_stock_are_worth_nothing() -> None:
    position = table(roles="alchemist fool hypnotist")
    end_round(position, ["cheese1", "trap trap trap cheese2", ""])
    assert points(position) == [1, 2, 0]


def test_cr55_and_are_no_points_for_cr24() -> None:
    position = table(roles="alchemist fool hypnotist")
    end_round(position, ["", "trap trap trap", ""])
    assert points(position) == [2, 2, 2]


def test_cr55_they_can_be_stolen_like_other_cards() -> None:
    position = rob_fool("trap trap trap cheese1")
    position.apply("rob player_1")
    assert position.chances() == {"lose trap": 3, "lose cheese1": 1}


# Alchemist


def test_cr56_the_alchemist_gets_a_point_for_every_clover() -> None:
    position = table(roles="fool alchemist hypnotist")
    end_round(position, ["clover clover", "clover clover cheese2", "cheese1"])
    assert points(position) == [0, 4, 1]


def test_cr56_these_points_count_for_cr24() -> None:
    position = table(roles="fool alchemist hypnotist")
    end_round(position, ["clover", "clover", ""])
    assert points(position) == [0, 1, 0]


def test_cr56_without_clovers_cr24_applies() -> None:
    position = table(roles="fool alchemist hypnotist")
    end_round(position, ["clover", "", ""])
    assert points(position) == [2, 2, 2]


def test_cr56_nothing_when_he_is_out() -> None:
    position = table(roles="fool hypnotist alchemist")
    position.state.bandages[2] = 2
    give(position, 2, "clover clover")
    give(position, 0, "cheese1")
    share(position, "claw heal", "player_1", "claw")
    play(position, "claw player_2", "bandage")
    assert points(position) == [1, 0, 0]


def test_cr56_not_without_the_advanced_rules() -> None:
    position = table()
    end_round(position, ["clover", "clover", "cheese1"])
    assert points(position) == [0, 0, 1]
