"""CR-70 to CR-78: what a seat observes, what it does not, and what it surely knows of the others."""

from collections.abc import Iterator

import numpy as np
import pytest
from comme_des_rats_helpers import (
    PLAIN,
    THIRD,
    THIRD_SEEN,
    bandages,
    counts,
    end_round,
    faces,
    give,
    lay_out_anyhow,
    make_sure,
    marked,
    names,
    pass_turn,
    pile,
    pile_sizes,
    place,
    play,
    points,
    roles_seen,
    same_view,
    seen_piles,
    set_last_round,
    share,
    start,
    stock,
    stream,
    sure,
    table,
    third_rat_cards,
    verb,
    view,
)

from rat_envs.engine.position import Position
from rat_envs.games.comme_des_rats.observation import OWN_NODES

ALL_TRAPS = "trap trap trap trap trap"
every_seat = pytest.mark.parametrize("seat", [0, 1, 2, 3])
of_three = pytest.mark.parametrize("seat", [0, 1, 2])


def who(position: Position, seat: int, field: object) -> list[int]:
    """The rats that a field by rat or by seat marks, by their own numbers."""
    players = int(position.state.config.players)
    return sorted(players if at == THIRD_SEEN else (seat + at) % players for at in marked(field))


def node(position: Position, seat: int) -> list[str]:
    """The kind of node that ``seat`` sees as its own."""
    return [OWN_NODES[number][1] for number in marked(view(position, seat).node)]


# CR-70: what everybody sees


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cr70_the_configuration(players: int) -> None:
    third_rat = ["heal claw steal key1 key2 active", *(5 * ["key2 key1 steal claw heal opponent"])]
    position = table(ALL_TRAPS, players=players, talk=True, extra_rounds=2, die=[1, 1, 1, 1, 2], third_rat=third_rat)
    for seat in range(players):
        seen = view(position, seat)
        assert marked(seen.players) == [players - 2]
        assert (seen.roles, seen.talk, seen.extra_rounds) == (0, 1, 2)
        assert seen.faces_of_die.tolist() == [1, 1, 1, 1, 2]
        assert seen.doors.tolist() == counts(" ".join([ALL_TRAPS, *(max(players, 3) - 1) * [PLAIN]]))
        if players == 2:
            assert seen.third_rat_ranks[0].tolist() == [3, 4, 2, 1, 0, 0]
            assert seen.third_rat_ranks[5].tolist() == [1, 0, 2, 3, 4, 1]
        else:
            assert not seen.third_rat_ranks.any()
        assert marked(seen.seat) == [seat]
    assert view(table(roles="fool hypnotist alchemist"), 0).roles == 1


@of_three
def test_cr70_the_round_and_the_rounds_that_break_a_tie(seat: int) -> None:
    position = table(extra_rounds=3)
    seen = []
    for _ in range(5):
        seen.append((int(view(position, seat).rounds_played), int(view(position, seat).extra_rounds_played)))
        end_round(position, 3 * ["cheese1"])
        lay_out_anyhow(position)
    assert seen == [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]


@every_seat
def test_cr70_the_active_seat(seat: int) -> None:
    position = table(players=4)
    for active in range(4):
        assert who(position, seat, view(position, seat).active) == [active]
        pass_turn(position)


@of_three
def test_cr70_first_roll_and_reroll(seat: int) -> None:
    position = table()
    assert (faces(view(position, seat).first_roll), faces(view(position, seat).dice)) == ("", "")
    position.apply("roll key1 claw")
    assert (faces(view(position, seat).first_roll), faces(view(position, seat).dice)) == ("key1 claw", "key1 claw")
    play(position, "reroll")
    assert view(position, seat).rerolled == 0
    play(position, "roll steal steal")
    assert (faces(view(position, seat).first_roll), faces(view(position, seat).dice)) == ("key1 claw", "steal steal")
    assert view(position, seat).rerolled == 1
    play(position, "partner player_1")
    assert view(position, seat).rerolled == 0  # nobody has stock: the next turn
    assert (faces(view(position, seat).first_roll), faces(view(position, seat).dice)) == ("", "")


#: What is about a turn; before the first roll of a round there is none of it.
OF_A_TURN = (
    *("first_roll", "dice", "rerolled", "statements", "partner", "partners_die", "active_die", "visited"),
    *("third_rat_card", "die_resolved", "whose_die", "decider", "pile_searched", "second_draw"),
    *("robbed", "aimed_at", "fool_bandages"),
)


def seen_of_a_turn(position: Position, seat: int) -> list[str]:
    """The fields in which ``seat`` sees anything of a turn."""
    return [field for field in OF_A_TURN if np.any(view(position, seat)[field])]


@pytest.mark.parametrize("players", [2, 3])
def test_cr70_before_the_first_roll_of_the_game_nothing_of_a_turn_is_seen(players: int) -> None:
    roles = "fool manipulator hypnotist"
    position = start(players=players, talk=True, roles=True)
    texts = ["trap 1", *(4 * ["deal cheese1"])]
    for text in texts:
        assert [seen_of_a_turn(position, seat) for seat in range(players)] == players * [[]]
        position.apply(text)
    position = table(players=players, talk=True, roles=" ".join(roles.split()[:players]))
    for text in ("look 1", "look 2", *(2 * [*(3 * ["place cheese1"]), "place trap"])):
        assert [seen_of_a_turn(position, seat) for seat in range(players)] == players * [[]]
        position.apply(text)
    assert [seen_of_a_turn(position, seat) for seat in range(players)] == players * [[]]


def test_cr70_before_the_first_roll_of_a_later_round_nothing_of_the_last_turn_is_seen() -> None:
    position = table(players=3, talk=True, roles="fool alchemist hypnotist")
    give(position, 0, "cheese1")
    position.state.drawn[:2] = 5
    play(position, "roll steal claw", "reroll", "roll steal claw", "say peace", "say die claw")
    play(position, "partner player_1", "die claw", "claw player_0")
    assert verb(position) == "trap"  # the next round
    assert [seen_of_a_turn(position, seat) for seat in range(3)] == 3 * [[]]
    lay_out_anyhow(position, "fool manipulator hypnotist")
    assert verb(position) == "look"
    assert [seen_of_a_turn(position, seat) for seat in range(3)] == 3 * [[]]


@every_seat
def test_cr70_the_partner_and_who_keeps_which_die(seat: int) -> None:
    position = table(players=4)
    share(position, "key1 claw")
    assert who(position, seat, view(position, seat).partner) == []
    play(position, "partner player_2")
    assert who(position, seat, view(position, seat).partner) == [2]
    assert (faces(view(position, seat).partners_die), faces(view(position, seat).active_die)) == ("", "")
    play(position, "die claw")
    assert (faces(view(position, seat).partners_die), faces(view(position, seat).active_die)) == ("claw", "key1")


@every_seat
def test_cr70_how_far_the_turn_has_come(seat: int) -> None:
    position = table(players=4)
    share(position, "claw key2", "player_2", "claw")
    seen = view(position, seat)
    assert (marked(seen.die_resolved), who(position, seat, seen.whose_die)) == ([0], [2])
    assert (who(position, seat, seen.decider), who(position, seat, seen.aimed_at)) == ([2], [])
    give(position, 3, "clover")
    position.apply("claw player_3")
    assert who(position, seat, view(position, seat).aimed_at) == [3]
    position.apply("clover")
    seen = view(position, seat)
    assert (marked(seen.die_resolved), who(position, seat, seen.whose_die)) == ([1], [0])
    assert (who(position, seat, seen.decider), who(position, seat, seen.aimed_at)) == ([0], [])
    assert who(position, seat, seen.visited) == [3]


@every_seat
def test_cr70_the_pile_drawn_from_and_whether_a_second_draw_follows(seat: int) -> None:
    for key, second in (("key1", 0), ("key2", 1)):
        position = table(PLAIN, "trap clover cheese1 cheese1 cheese1", players=4)
        give(position, 1, "clover")
        share(position, f"{key} heal", "player_1", key)
        assert marked(view(position, seat).pile_searched) == []
        position.apply("pile 2")
        assert marked(view(position, seat).pile_searched) == [1]
        assert view(position, seat).second_draw == second
        position.apply("bandage")
        assert marked(view(position, seat).pile_searched) == []
        assert view(position, seat).second_draw == 0


@every_seat
def test_cr70_no_second_draw_is_to_follow_from_an_empty_pile(seat: int) -> None:
    position = table("cheese1 cheese1 cheese1 cheese1 trap", players=4)
    position.state.drawn[0] = 4
    give(position, 1, "clover")
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert view(position, seat).second_draw == 0


@every_seat
def test_cr70_who_is_robbed(seat: int) -> None:
    position = table(players=4)
    give(position, 3, "cheese1")
    share(position, "steal heal", "player_2", "steal")
    assert who(position, seat, view(position, seat).robbed) == []
    position.apply("rob player_3")
    assert who(position, seat, view(position, seat).robbed) == [3]


@every_seat
def test_cr70_rats_visited_by_the_cat_this_turn(seat: int) -> None:
    position = table(players=4, roles="al_ratone alchemist hypnotist fool")
    share(position, "claw key1", "player_1", "claw")
    play(position, "claw player_2", "redirect player_3")
    assert who(position, seat, view(position, seat).visited) == [2, 3]
    position.apply("pile 1")
    assert who(position, seat, view(position, seat).visited) == []


@every_seat
def test_cr70_points_bandages_and_sizes_of_stocks(seat: int) -> None:
    position = table(players=4)
    position.state.points[:4] = (1, 5, 0, 3)
    position.state.bandages[:4] = (2, 0, 1, 0)
    for rat, cards in enumerate(("cheese1", "", "clover clover", "cheese2 clover cheese1")):
        give(position, rat, cards)
    seen = view(position, seat)
    for rat in range(4):
        at = place(position, seat, rat)
        assert seen.points[at] == (1, 5, 0, 3)[rat]
        assert seen.bandages[at] == (2, 0, 1, 0)[rat]
        assert seen.stock_size[at] == (1, 0, 2, 3)[rat]
    assert who(position, seat, seen.out) == []


@every_seat
def test_cr70_who_is_out_and_the_lost_stock_by_kind(seat: int) -> None:
    position = table(players=4)
    position.state.bandages[3] = 2
    give(position, 3, "cheese1 cheese2 cheese2")
    share(position, "claw key1", "player_1", "claw")
    position.apply("claw player_3")
    assert who(position, seat, view(position, seat).out) == [3]
    assert names(view(position, seat).discard) == "cheese1 cheese2 cheese2"


@every_seat
def test_cr70_piles_and_traps_beside_them(seat: int) -> None:
    position = table(PLAIN, "trap clover trap cheese1 cheese1", players=4)
    share(position, "key2 key1", "player_1", "key2")
    play(position, "pile 2")
    play(position, "pile 4")
    seen = view(position, seat)
    assert seen.pile_size.tolist() == [5, 3, 5, 4, 0]
    assert seen.traps_beside.tolist() == [0, 1, 0, 0, 0]


@every_seat
def test_cr70_the_discard_pile_by_kind(seat: int) -> None:
    position = table(players=4)
    give(position, 2, "clover")
    share(position, "claw key1", "player_1", "claw")
    play(position, "claw player_2", "clover")
    assert names(view(position, seat).discard) == "clover"


@every_seat
def test_cr70_roles_shown_and_by_whom(seat: int) -> None:
    position = table(players=4, roles="fool al_ratone hypnotist alchemist")
    assert roles_seen(position, seat) == {}
    share(position, "claw key1")
    position.apply("claim")
    assert roles_seen(position, seat) == {1: "al_ratone"}
    play(position, "die claw", "claw player_2", "redirect player_0")
    assert roles_seen(position, seat) == {1: "al_ratone", 2: "hypnotist"}


@every_seat
def test_cr70_with_roles_who_has_shown_a_trap_he_drew(seat: int) -> None:
    position = table(ALL_TRAPS, players=4, roles="fool al_ratone hypnotist alchemist")
    share(position, "key1 key1")
    play(position, "no_claim", "partner player_3", "pile 1")
    assert who(position, seat, view(position, seat).trap_shown) == [3]
    play(position, "pile 1")  # the Fool shows nothing
    assert who(position, seat, view(position, seat).trap_shown) == [3]
    position.state.role_shown[0] = 1
    share(position, "key1 heal", "player_0", "key1")
    play(position, "pile 1")  # no longer the Fool
    assert who(position, seat, view(position, seat).trap_shown) == [0, 3]


def test_cr70_without_roles_that_is_not_kept() -> None:
    position = table(ALL_TRAPS)
    share(position, "key1 key1", "player_1")
    play(position, "pile 1", "pile 1")
    assert not view(position, 0).trap_shown.any()


@of_three
def test_cr70_which_piles_the_manipulator_looked_at(seat: int) -> None:
    position = table(roles="fool manipulator hypnotist")
    assert roles_seen(position, seat) == {1: "manipulator"}
    position.apply("look 3")
    assert marked(view(position, seat).looked_at) == [2]
    position.apply("look 1")
    assert marked(view(position, seat).looked_at) == [0, 2]


@pytest.mark.parametrize("seat", [0, 1])
def test_cr70_what_the_third_rat_shows(seat: int) -> None:
    position = table("cheese2 clover trap cheese1 cheese1", players=2)
    position.state.points[THIRD] = 4
    share(position, "key2 claw", "third_rat")
    assert who(position, seat, view(position, seat).partner) == [THIRD]
    assert third_rat_cards(view(position, seat).third_rat_card) == []
    position.apply("reveal tr5")
    seen = view(position, seat)
    assert third_rat_cards(seen.third_rat_card) == ["tr5"]
    assert third_rat_cards(seen.third_rat_unshown) == ["tr1", "tr2", "tr3", "tr4", "tr6"]
    assert who(position, seat, seen.whose_die) == [THIRD]
    assert who(position, seat, seen.decider) == [1]  # the opponent
    play(position, "pile 1", "claw third_rat")
    seen = view(position, seat)
    assert names(seen.third_rat_stock) == "cheese2"
    assert (seen.stock_size[THIRD_SEEN], seen.points[THIRD_SEEN]) == (1, 4)
    assert names(seen.discard) == "clover"
    assert third_rat_cards(seen.third_rat_card) == []  # a new turn
    assert third_rat_cards(seen.third_rat_unshown) == ["tr1", "tr2", "tr3", "tr4", "tr6"]


@pytest.mark.parametrize("seat", [0, 1])
def test_cr70_the_third_rat_robbed_and_aimed_at(seat: int) -> None:
    position = table(players=2)
    give(position, THIRD, "cheese1")
    share(position, "steal heal", "player_1", "steal")
    position.apply("rob third_rat")
    assert who(position, seat, view(position, seat).robbed) == [THIRD]
    position = table(players=2)
    share(position, "claw key1", "player_1", "claw")
    position.apply("claw third_rat")
    assert who(position, seat, view(position, seat).visited) == [THIRD]
    assert view(position, seat).bandages[THIRD_SEEN] == 1


@of_three
def test_cr70_the_bandages_a_fool_has_still_to_take(seat: int) -> None:
    position = table(roles="alchemist fool hypnotist")
    give(position, 0, "clover")
    give(position, 1, "trap trap trap clover clover clover")
    share(position, "steal heal", "player_2", "heal")
    play(position, "rob player_1", "lose trap")
    assert view(position, seat).fool_bandages == 0  # the thief comes first: nobody knows how many
    position.apply("clover")
    left = []
    while verb(position) == "bandage":
        left.append(int(view(position, seat).fool_bandages))
        position.apply("clover")
    assert left in ([2, 1], [1, 0])  # with or without the one that is just asked about
    assert view(position, seat).fool_bandages == 0


# CR-71: what a seat alone knows


@every_seat
def test_cr71_its_own_stock_by_kind(seat: int) -> None:
    position = table(players=4)
    held = ("cheese1", "cheese2 clover", "", "cheese1 cheese1 cheese2")
    for rat, cards in enumerate(held):
        give(position, rat, cards)
    assert names(view(position, seat).own_stock) == held[seat]


def test_cr71_its_own_role_and_whether_it_is_spent() -> None:
    position = table(roles="fool al_ratone hypnotist")
    for seat, role in enumerate((3, 1, 2)):
        assert marked(view(position, seat).own_role) == [role]
        assert view(position, seat).own_role_spent == 0
    share(position, "key1 claw")
    position.apply("claim")
    assert [int(view(position, seat).own_role_spent) for seat in range(3)] == [0, 1, 0]


def test_cr71_the_manipulator_knows_the_order_of_his_piles_until_the_cards_are_drawn() -> None:
    position = table("clover trap cheese1 cheese1 cheese2", roles="manipulator fool hypnotist")
    play(position, "look 1", "look 2")
    play(position, "place cheese2", "place clover", "place cheese1", "place trap")
    play(position, "place trap", *(3 * ["place cheese1"]))
    both = {1: "cheese2 clover cheese1 trap cheese1", 2: "trap cheese1 cheese1 cheese1 cheese1"}
    assert seen_piles(position, 0) == both
    for other in (1, 2):
        assert not view(position, other).known_piles.any()
        assert marked(view(position, other).looked_at) == [0, 1]
    share(position, "key2 heal", "player_1", "key2")
    position.apply("pile 1")
    assert seen_piles(position, 0) == {1: "? ? cheese1 trap cheese1", 2: both[2]}


def test_cr71_while_he_orders_one_what_is_placed_and_what_is_left() -> None:
    position = table("clover trap cheese1 cheese1 cheese2", roles="manipulator fool hypnotist")
    play(position, "look 1", "look 2", "place clover", "place trap")
    assert seen_piles(position, 0) == {1: "clover trap ? ? ?", 2: PLAIN}
    assert names(view(position, 0).left_to_place) == "cheese1 cheese1 cheese2"
    for other in (1, 2):
        assert not view(position, other).left_to_place.any()
        assert not view(position, other).known_piles.any()
    play(position, "place cheese1", "place cheese1")
    assert seen_piles(position, 0)[1] == "clover trap cheese1 cheese1 cheese2"
    assert names(view(position, 0).left_to_place) == names(counts(PLAIN))


def test_cr71_the_fool_knows_how_many_traps_he_drew_from_each_pile() -> None:
    position = table(ALL_TRAPS, "cheese1 trap trap trap trap", roles="alchemist fool hypnotist")
    share(position, "key2 key1", "player_1", "key2")
    play(position, "pile 2", "pile 2")
    assert view(position, 1).own_fool_drew.tolist() == [0, 1, 0, 0, 0]
    share(position, "key2 heal", "player_2", "heal")
    position.apply("pile 1")
    assert view(position, 1).own_fool_drew.tolist() == [2, 1, 0, 0, 0]
    for other in (0, 2):
        assert not view(position, other).own_fool_drew.any()


# CR-72: the piles


@pytest.mark.parametrize("roles", ["", "fool hypnotist alchemist"])
def test_cr72_nobody_knows_what_lies_in_a_pile_or_where(roles: str) -> None:
    one = table("clover trap cheese1 cheese2 trap", "trap cheese1 cheese1 cheese1 cheese1", roles=roles)
    other = table("trap cheese1 cheese1 cheese1 cheese1", PLAIN, "trap trap cheese2 clover cheese1", roles=roles)
    for seat in range(3):
        assert same_view(one, other, seat)


def test_cr72_nor_while_they_are_laid_out() -> None:
    one, other = table(), table()
    for position in (one, other):
        end_round(position)
    play(one, "trap 1", "deal cheese1")
    play(other, "trap 4", "deal cheese1")
    for seat in range(3):
        assert same_view(one, other, seat)


def test_cr72_the_manipulator_knows_no_third_pile() -> None:
    first, second = "clover trap cheese1 cheese2 cheese1", "trap clover cheese2 cheese1 cheese1"
    one, other = (table(PLAIN, PLAIN, last, roles="manipulator fool hypnotist") for last in (first, second))
    for text in ("look 1", "look 2", *(2 * [*(3 * ["place cheese1"]), "place trap"])):
        play(one, text)
        play(other, text)
        assert same_view(one, other, 0)


# CR-73: who sees a card move


def drawn(card: str, rat: str, roles: str = "", players: int = 3) -> Position:
    """``rat`` has drawn ``card`` from pile 1, in which both cards of a comparison are; whose turn it was is over."""
    rest = "cheese2" if card == "cheese1" else "cheese1"
    position = table(f"{card} {rest} cheese1 trap trap", players=players, roles=roles)
    share(position, "key1 heal", rat, None if rat == "third_rat" else "key1")
    if rat == "third_rat":
        position.apply("reveal tr1")
    position.apply("pile 1")
    return position


def test_cr73_the_drawer_alone_sees_what_he_draws() -> None:
    one, other = drawn("cheese1", "player_1"), drawn("cheese2", "player_1")
    assert not same_view(one, other, 1)
    assert names(view(one, 1).own_stock) == "cheese1"
    for seat in (0, 2):
        assert same_view(one, other, seat)
        assert view(one, seat).stock_size[place(one, seat, 1)] == 1


def test_cr73_the_third_rat_draws_before_everyones_eyes() -> None:
    one, other = (drawn(card, "third_rat", players=2) for card in ("cheese1", "cheese2"))
    for seat in (0, 1):
        assert names(view(one, seat).third_rat_stock) == "cheese1"
        assert names(view(other, seat).third_rat_stock) == "cheese2"


def manipulated(*orders: str, looked: tuple[int, int] = (1, 2), roles: str = "manipulator fool hypnotist") -> Position:
    """The Manipulator has looked at two piles and put them in these orders."""
    position = table(*orders, players=len(roles.split()), roles=roles)
    play(position, *(f"look {number}" for number in looked))
    for number in looked:
        play(position, *(f"place {card}" for card in orders[number - 1].split()[:4]))
    return position


@pytest.mark.parametrize("card", ["trap", "cheese1", "cheese2", "clover"])
def test_cr73_the_manipulator_sees_what_is_stored_from_his_piles(card: str) -> None:
    position = manipulated(f"{card} trap cheese1 cheese1 cheese1", PLAIN)
    share(position, "key1 heal", "player_1", "key1")  # the Fool, who stores traps too
    position.apply("pile 1")
    assert stock(position, 1) == card
    assert sure(position, 0, 1) == card
    assert sure(position, 2, 1) == ""


def test_cr73_the_manipulator_does_not_see_what_is_stored_from_other_piles() -> None:
    position = manipulated(PLAIN, PLAIN, PLAIN)
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 3")
    assert stock(position, 1) == "cheese1"
    assert sure(position, 0, 1) == ""


def test_cr73_a_card_stolen_is_seen_by_thief_and_robbed_alone() -> None:
    one, other = table(players=4), table(players=4)
    for position, stolen in ((one, "cheese1"), (other, "clover")):
        give(position, 1, "cheese1 clover")
        share(position, "steal key1", "player_2", "steal")
        play(position, "rob player_1", f"lose {stolen}")
    for seat in (0, 3):
        assert same_view(one, other, seat)
        assert sure(one, seat, 2) == ""
    assert names(view(one, 2).own_stock) == "cheese1"
    assert sure(one, 2, 2) == ""  # it is no other's stock
    assert sure(one, 1, 2) == "cheese1"
    assert sure(other, 1, 2) == "clover"


def test_cr73_everyone_sees_what_the_third_rat_steals() -> None:
    position = table(players=2)
    give(position, 1, "cheese1 clover")
    make_sure(position, 0, 1, "cheese1 clover")
    share(position, "steal heal", "third_rat")
    play(position, "reveal tr3", "rob player_1", "lose clover")
    assert names(view(position, 0).third_rat_stock) == "clover"
    assert sure(position, 0, 1) == "cheese1"


def test_cr73_everyone_sees_what_is_stolen_from_the_third_rat() -> None:
    position = table(players=2)
    give(position, THIRD, "cheese1 clover")
    share(position, "steal heal", "player_1", "steal")
    play(position, "rob third_rat", "lose clover")
    assert sure(position, 0, 1) == "clover"
    assert names(view(position, 0).third_rat_stock) == "cheese1"


def test_cr73_everyone_sees_a_card_that_a_thief_who_is_out_takes() -> None:
    position = table(players=4)
    set_last_round(position)
    position.state.bandages[0] = 2
    give(position, 2, "cheese1 clover")
    make_sure(position, 3, 2, "cheese1 clover")
    share(position, "claw steal", "player_1", "claw")
    play(position, "claw player_0", "rob player_2", "lose clover")
    assert sure(position, 3, 2) == "cheese1"
    assert names(view(position, 3).discard) == "clover"
    assert sure(position, 2, 0) == sure(position, 3, 0) == ""  # nothing arrived


def test_cr73_everyone_sees_a_fools_trap_being_stolen() -> None:
    position = table(players=4, roles="alchemist fool hypnotist al_ratone")
    give(position, 1, "trap cheese1")
    make_sure(position, 3, 1, "trap cheese1")
    share(position, "steal heal")
    play(position, "no_claim", "partner player_2", "die heal", "rob player_1", "lose trap")
    assert sure(position, 3, 1) == "cheese1"
    assert names(view(position, 3).discard) == "trap"
    assert sure(position, 1, 0) == ""


# CR-74: what a seat surely knows


def theft(owned: str, known: str, stolen: str) -> Position:
    """player_2 has stolen from player_1; it and player_3 had been sure of ``known`` there."""
    position = table(players=4)
    give(position, 1, owned)
    make_sure(position, 3, 1, known)
    make_sure(position, 2, 1, known)
    share(position, "steal key1", "player_2", "steal")
    play(position, "rob player_1", f"lose {stolen}")
    return position


def test_cr74_a_card_that_is_seen_to_enter_counts() -> None:
    position = table(players=4)
    give(position, 1, "cheese1 clover")
    make_sure(position, 1, 2, "cheese2")
    share(position, "steal key1", "player_2", "steal")
    play(position, "rob player_1", "lose cheese1")
    assert sure(position, 1, 2) == "cheese1 cheese2"


def test_cr74_a_card_that_is_seen_to_leave_counts_no_longer() -> None:
    position = theft("cheese1 cheese2 clover", "cheese1 cheese2", "cheese1")
    assert sure(position, 2, 1) == "cheese2"  # the thief


def test_cr74_a_seen_card_of_which_one_was_not_sure_lowers_nothing() -> None:
    position = theft("cheese1 cheese2 clover", "cheese1 cheese2", "clover")
    assert sure(position, 2, 1) == "cheese1 cheese2"


@pytest.mark.parametrize("stolen", ["cheese1", "cheese2", "clover"])
def test_cr74_a_card_that_leaves_unseen_may_have_been_any(stolen: str) -> None:
    position = theft("cheese1 cheese1 cheese2 cheese2 clover", "cheese1 cheese1 cheese2", stolen)
    assert sure(position, 3, 1) == "cheese1"
    assert sure(position, 3, 2) == ""


def test_cr74_an_unseen_card_was_no_trap() -> None:
    position = table(players=4, roles="alchemist fool hypnotist al_ratone")
    give(position, 1, "trap cheese1 cheese2")
    make_sure(position, 3, 1, "trap cheese1")
    share(position, "steal key1")
    play(position, "no_claim", "partner player_2", "die steal", "rob player_1", "lose cheese2")
    assert sure(position, 3, 1) == "trap"


def test_cr74_of_a_stock_wholly_known_and_of_one_kind_a_card_counts_as_seen() -> None:
    position = theft("cheese2 cheese2 cheese2", "cheese2 cheese2 cheese2", "cheese2")
    assert sure(position, 3, 1) == "cheese2 cheese2"
    assert sure(position, 3, 2) == "cheese2"
    assert sure(position, 0, 2) == ""  # who did not know it


def test_cr74_traps_apart() -> None:
    position = table(players=4, roles="alchemist fool hypnotist al_ratone")
    give(position, 1, "trap trap clover")
    make_sure(position, 3, 1, "trap trap clover")
    share(position, "steal key1")
    play(position, "no_claim", "partner player_2", "die steal", "rob player_1", "lose clover")
    assert sure(position, 3, 1) == "trap trap"
    assert sure(position, 3, 2) == "clover"


def test_cr74_not_if_it_is_of_two_kinds() -> None:
    position = theft("cheese2 cheese2 clover", "cheese2 cheese2 clover", "cheese2")
    assert sure(position, 3, 1) == "cheese2"
    assert sure(position, 3, 2) == ""


def test_cr74_not_if_it_is_not_wholly_known() -> None:
    position = theft("cheese2 cheese2 cheese2", "cheese2 cheese2", "cheese2")
    assert sure(position, 3, 1) == "cheese2"
    assert sure(position, 3, 2) == ""


def test_cr74_a_single_card_that_is_known_is_followed() -> None:
    position = theft("clover", "clover", "clover")
    assert (sure(position, 3, 1), sure(position, 3, 2)) == ("", "clover")


def test_cr74_the_robbed_seat_follows_its_own_card() -> None:
    position = theft("cheese1 clover", "", "clover")
    assert sure(position, 1, 2) == "clover"
    assert (sure(position, 3, 1), sure(position, 3, 2)) == ("", "")


def test_cr74_a_clover_used_is_seen_to_leave() -> None:
    position = table(players=4)
    give(position, 2, "clover clover cheese1")
    make_sure(position, 0, 2, "cheese1 clover clover")
    make_sure(position, 3, 2, "cheese1")
    share(position, "claw key1", "player_1", "claw")
    play(position, "claw player_2", "clover")
    assert sure(position, 0, 2) == "cheese1 clover"
    assert sure(position, 3, 2) == "cheese1"


def test_cr74_of_a_lost_stock_nothing_is_left() -> None:
    position = table(players=4)
    position.state.bandages[2] = 2
    give(position, 2, "cheese2 cheese1")
    make_sure(position, 0, 2, "cheese1 cheese2")
    share(position, "claw key1", "player_1", "claw")
    position.apply("claw player_2")
    assert sure(position, 0, 2) == ""


def test_cr74_the_traps_a_fool_shows_are_gone_and_the_rest_is_still_known() -> None:
    position = table(players=4, roles="alchemist fool hypnotist al_ratone")
    give(position, 1, "trap trap trap cheese1")
    make_sure(position, 3, 1, "trap trap cheese1")
    share(position, "steal heal")
    play(position, "no_claim", "partner player_2", "die heal", "rob player_1", "lose trap")
    assert sure(position, 3, 1) == "cheese1"


def test_cr74_nothing_is_kept_of_the_own_stock_or_the_third_rats() -> None:
    position = manipulated("cheese2 trap cheese1 cheese1 cheese1", PLAIN, PLAIN, roles="manipulator fool")
    share(position, "key1 key1", "third_rat")
    play(position, "reveal tr1", "pile 1", "pile 2")
    assert not view(position, 0).sure.any()
    assert (stock(position, 0), stock(position, THIRD)) == ("cheese1", "cheese2")


# CR-75: and nothing else


def test_cr75_other_stocks_unshown_roles_and_undealt_roles_are_not_seen() -> None:
    one = table(players=4, roles="fool hypnotist alchemist al_ratone")
    other = table(players=4, roles="fool alchemist al_ratone hypnotist")
    for position, held in ((one, "cheese1 cheese2 clover"), (other, "clover clover clover")):
        for rat in (1, 2, 3):
            give(position, rat, held)
    assert same_view(one, other, 0)
    for seat in (1, 2, 3):
        assert not same_view(one, other, seat)


def test_cr75_while_roles_are_dealt_nobody_sees_anothers() -> None:
    one, other = (table(ALL_TRAPS, players=3, roles=role) for role in ("fool", "alchemist"))
    assert not same_view(one, other, 0)
    assert same_view(one, other, 1)
    assert same_view(one, other, 2)


def test_cr75_the_kind_of_node_is_seen_at_the_own_nodes_only() -> None:
    position = table(players=4, talk=True, roles="fool al_ratone hypnotist manipulator")
    give(position, 0, "clover cheese1")
    walk = [
        *(("look 1", 3, "look"), ("look 2", 3, "look")),
        *((f"place {card}", 3, "place") for card in 2 * (3 * ["cheese1"] + ["trap"])),
        ("roll steal claw", None, None),
        ("reroll", 0, "keep_dice"),
        ("roll key1 claw", None, None),
        *((f"say {what}", seat, "say") for seat, what in enumerate(("peace", "nothing", "die claw"), 1)),
        ("no_claim", 1, "claim"),
        ("partner player_1", 0, "partner"),
        ("die claw", 1, "die"),
        ("claw player_2", 1, "claw"),
        ("redirect player_0", 2, "redirect"),
        ("bandage", 0, "bandage"),
        ("pile 3", 0, "pile"),
        *(("roll steal heal", None, None), ("keep_dice", 1, "keep_dice")),
        *((f"say {what}", seat, "say") for seat, what in ((2, "nothing"), (3, "nothing"), (0, "nothing"))),
        *(("partner player_2", 1, "partner"), ("die steal", 2, "die"), ("rob player_0", 2, "rob")),
        ("lose clover", None, None),
    ]
    for text, actor, kind in walk:
        for seat in range(4):
            assert node(position, seat) == ([kind] if seat == actor else []), text
        position.apply(text)


# CR-76: windows that are not used


def compare_walks(one: Position, other: Position, texts: list[str], windows: list[str], seats: list[int]) -> None:
    """``one`` has the windows and does not use them, ``other`` has none; ``seats`` see the same after every action."""
    for text in texts:
        play(one, text)
        play(other, text)
        while not one.is_chance and one.legal()[0] in windows:
            for seat in seats:
                assert node(one, seat) == []
            one.apply(refusal(one))
        for seat in seats:
            assert same_view(one, other, seat), text


def refusal(position: Position) -> str:
    """The answer with which a window is not used."""
    (text,) = {"no_claim", "no_redirect", "bandage"} & set(position.legal())
    return text


@pytest.mark.parametrize("partner", ["player_1", "player_2"])
def test_cr76_al_ratones_window_leaves_no_trace(partner: str) -> None:
    one = table(players=4, roles="fool al_ratone hypnotist alchemist")
    other = table(players=4, roles="fool hypnotist alchemist al_ratone")
    for position in (one, other):
        play(position, "roll key1 claw", "keep_dice")
    assert (one.actor, other.actor) == (1, 3)
    for seat in (0, 2):  # it is not said who is asked
        assert same_view(one, other, seat) == (seat == 0)  # player_2 has another role
        assert node(one, seat) == []
    none = table(players=3, roles="fool hypnotist alchemist")
    asked = table(players=3, roles="fool al_ratone alchemist")
    compare_walks(asked, none, ["roll key1 claw", "keep_dice", f"partner {partner}", "die key1"], ["claim"], [0, 2])


def test_cr76_a_window_of_al_ratone_looks_to_the_active_seat_as_if_it_were_nobodys_node() -> None:
    asked = table(roles="fool al_ratone alchemist")
    play(asked, "roll key1 claw", "keep_dice")
    none = table(roles="fool hypnotist alchemist")
    play(none, "roll key1 claw", "keep_dice")
    seen, own = view(asked, 0).copy(), view(none, 0).copy()
    assert node(none, 0) == ["partner"]
    own.node[:] = 0
    assert seen.tobytes() == own.tobytes()


def test_cr76_the_hypnotists_window_leaves_no_trace() -> None:
    asked = table(roles="fool alchemist hypnotist")
    none = table(roles="fool alchemist al_ratone")
    texts = ["claw player_2", "pile 1"]
    for position in (asked, none):
        play(position, "roll key1 claw", "keep_dice")
        play(position, *(["no_claim"] if verb(position) == "claim" else []), "partner player_1", "die claw")
    compare_walks(asked, none, texts, ["no_redirect"], [0, 1])


@pytest.mark.parametrize("cause", ["claw", "trap"])
def test_cr76_a_clovers_window_leaves_no_trace(cause: str) -> None:
    asked, none = table(ALL_TRAPS, players=4), table(ALL_TRAPS, players=4)
    give(asked, 2, "clover cheese1")
    give(none, 2, "cheese1 cheese2")
    dice, texts = ("key1 claw", ["claw player_2"]) if cause == "claw" else ("key1 heal", ["pile 1"])
    for position in (asked, none):
        share(position, dice, "player_1" if cause == "claw" else "player_2", "claw" if cause == "claw" else "key1")
    after = ["pile 3"] if cause == "claw" else ["roll key1 key2"]
    compare_walks(asked, none, [*texts, *after], ["bandage"], [0, 1, 3])


def test_cr76_at_a_window_the_others_see_neither_who_is_asked_nor_what() -> None:
    """The same claw: the Hypnotist is asked, or whether he uses a clover, or nobody (by his die the turn goes on)."""
    redirect = table(players=4, roles="fool alchemist hypnotist al_ratone")
    clover = table(players=4, roles="fool alchemist hypnotist al_ratone")
    give(redirect, 2, "cheese1")
    give(clover, 2, "clover")
    for position in (redirect, clover):
        share(position, "key1 claw")
        play(position, "no_claim", "partner player_1", "die claw", "claw player_2")
    clover.apply("no_redirect")
    assert (verb(redirect), verb(clover)) == ("no_redirect", "bandage")
    for seat in (0, 1, 3):
        assert same_view(redirect, clover, seat)
        assert node(redirect, seat) == node(clover, seat) == []
    assert (node(redirect, 2), node(clover, 2)) == (["redirect"], ["bandage"])


def test_cr76_two_clovers_in_a_fools_stock_leave_no_trace() -> None:
    asked, none = (table(roles="alchemist fool hypnotist") for _ in range(2))
    for position, held in ((asked, "trap trap trap clover"), (none, "trap trap trap cheese1")):
        give(position, 1, held)
        share(position, "steal heal", "player_2", "heal")
    compare_walks(asked, none, ["rob player_1", "lose trap"], ["bandage"], [0, 2])
    assert bandages(asked) == bandages(none) == [1, 2, 0]


def test_cr76_a_window_that_is_used_does_leave_a_trace() -> None:
    one, other = table(players=4), table(players=4)
    for position, answer in ((one, "clover"), (other, "bandage")):
        give(position, 2, "clover")
        share(position, "key1 claw", "player_1", "claw")
        play(position, "claw player_2", answer)
    for seat in range(4):
        assert not same_view(one, other, seat)


# CR-77: what ends with the round


def test_cr77_roles_and_all_that_was_known_end_when_the_next_round_is_set_up() -> None:
    position = manipulated(ALL_TRAPS, PLAIN, PLAIN, looked=(2, 1))
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 1")
    assert sure(position, 0, 1) == "trap"
    assert roles_seen(position, 2) == {0: "manipulator"}
    assert seen_piles(position, 0).keys() == {1, 2}
    assert view(position, 1).own_fool_drew.sum() == 1
    end_round(position)
    for seat in range(3):
        seen = view(position, seat)
        assert roles_seen(position, seat) == {}
        known = (seen.sure, seen.known_piles, seen.looked_at, seen.own_fool_drew, seen.left_to_place, seen.trap_shown)
        assert not any(field.any() for field in known)
        assert not seen.own_role.any()
        assert seen.own_role_spent == 0
    lay_out_anyhow(position, "fool alchemist manipulator")
    for seat in (0, 1):
        assert not view(position, seat).known_piles.any()
    assert roles_seen(position, 0) == {2: "manipulator"}


def test_cr77_what_stocks_hold_at_the_end_of_a_round_is_in_no_observation() -> None:
    one, other = table(), table()
    end_round(one, ["cheese1", "cheese2 clover", ""])
    end_round(other, ["cheese1", "cheese1 cheese1", ""])
    assert points(one) == points(other)
    for seat in range(3):
        assert same_view(one, other, seat)  # player_1's too: its stock is gone


def test_cr77_after_the_last_action_an_observation_is_as_that_round_stood() -> None:
    one, other = (table(roles="fool al_ratone hypnotist") for _ in range(2))
    for position, held in ((one, "clover clover cheese2"), (other, "clover cheese1 cheese1")):
        set_last_round(position)
        give(position, 0, "cheese1")
        give(position, 1, held)
        position.state.bandages[2] = 1
        position.state.drawn[:2] = 5
        share(position, "steal heal")
        play(position, "no_claim", "partner player_2", "die heal", "rob player_1", "lose clover")
        assert position.is_over
    assert points(one) == points(other) == [1, 2, 0]
    for seat in (0, 2):
        assert same_view(one, other, seat)
    assert not same_view(one, other, 1)
    assert names(view(one, 0).own_stock) == "cheese1 clover"
    assert names(view(one, 1).own_stock) == "cheese2 clover"
    assert sure(one, 1, 0) == "clover"
    assert roles_seen(one, 2) == {}
    assert view(one, 2).stock_size[:3].tolist() == [0, 2, 2]
    assert marked(view(one, 1).own_role) == [1]


# CR-78: determinization is sound (how even it is, test_comme_des_rats_determinization.py measures)


def samples(position: Position, seat: int, number: int = 60) -> Iterator[Position]:
    """Determinizations for ``seat``, none of which changes what it sees."""
    luck = stream(78)
    for _ in range(number):
        other = position.copy()
        other.determinize(seat, luck)
        assert same_view(other, position, seat)
        assert other.actor == position.actor
        yield other


def holders(position: Position) -> list[int]:
    """The seats with a trap in stock."""
    return [seat for seat in range(int(position.state.config.players)) if "trap" in stock(position, seat)]


def test_cr78_stocks_and_piles_are_dealt_anew_and_their_numbers_stay() -> None:
    position = table(ALL_TRAPS, "clover cheese2 cheese2 trap clover", players=4)
    position.state.drawn[1] = 3
    give(position, 1, "cheese2 cheese2 clover")
    seen_stocks, seen_piles_1 = set(), set()
    for other in samples(position, 0):
        assert [len(stock(other, rat).split()) for rat in range(4)] == [0, 3, 0, 0]
        assert pile_sizes(other) == [5, 2, 5, 5]
        seen_stocks.add(stock(other, 1))
        seen_piles_1.add(pile(other, 1))
    assert len(seen_stocks) > 3
    assert len(seen_piles_1) > 10


def test_cr78_what_is_sure_stays() -> None:
    position = table(players=4)
    give(position, 1, "cheese2 clover cheese1")
    make_sure(position, 0, 1, "cheese2")
    for other in samples(position, 0):
        assert "cheese2" in stock(other, 1)


def test_cr78_unshown_roles_are_dealt_anew_but_never_the_manipulator() -> None:
    position = table(players=4, roles="fool hypnotist alchemist al_ratone")
    dealt = {tuple(other.state.role[:4].tolist()) for other in samples(position, 0, 200)}
    assert len(dealt) == 6
    assert all(role[0] == 3 and 0 not in role for role in dealt)


def test_cr78_roles_shown_stay() -> None:
    position = table(players=4, roles="fool al_ratone alchemist hypnotist")
    share(position, "heal heal")
    position.apply("claim")
    dealt = {tuple(other.state.role[:4].tolist()) for other in samples(position, 0)}
    assert dealt == {(3, 1, 4, 2), (3, 1, 2, 4)}


def test_cr78_the_seat_with_a_trap_in_sure_is_the_fool() -> None:
    position = manipulated("trap cheese1 cheese1 cheese1 cheese1", PLAIN, PLAIN)
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 1")
    for other in samples(position, 0):
        assert other.state.role[1] == 3
        assert holders(other) == [1]
    fools = {int(other.state.role[1]) for other in samples(position, 2)}
    assert len(fools) > 1  # who does not know it


def test_cr78_no_seat_that_has_shown_a_drawn_trap_is_the_fool() -> None:
    position = table(ALL_TRAPS, roles="alchemist fool hypnotist")
    share(position, "key1 key1", "player_2")
    play(position, "pile 1", "pile 2")  # player_2 shows a trap, player_0 stores cheese
    for other in samples(position, 1):
        assert other.state.role[1] == 3
    for other in samples(position, 0):
        assert other.state.role[2] != 3
        assert 2 not in holders(other)


def test_cr78_traps_are_in_the_then_fools_stock_alone() -> None:
    position = table("trap cheese1 trap trap trap", players=4, roles="alchemist fool hypnotist al_ratone")
    share(position, "key1 key1")
    play(position, "no_claim", "partner player_1", "pile 1", "pile 2")
    share(position, "key1 key1")
    play(position, "no_claim", "partner player_2", "pile 1", "pile 2")
    found = set()
    for other in samples(position, 0, 80):
        fool = [seat for seat in range(4) if other.state.role[seat] == 3]
        assert holders(other) in ([], fool)
        found.update(holders(other))
    assert found == {1, 2}  # player_3 has no stock


def test_cr78_every_pile_has_a_trap_beside_it_or_in_it() -> None:
    position = table(ALL_TRAPS, "clover trap clover clover trap")
    position.state.drawn[0] = 3
    position.state.traps_beside[0] = 3
    for other in samples(position, 0):
        assert "trap" in pile(other, 2)
        assert "trap" in pile(other, 3)


def test_cr78_unless_the_fool_can_have_drawn_it_there() -> None:
    position = table("trap cheese1 cheese1 cheese1 cheese1", roles="alchemist fool hypnotist")
    share(position, "key1 heal", "player_1", "key1")
    position.apply("pile 1")
    without = [other for other in samples(position, 0, 200) if "trap" not in pile(other, 1)]
    assert 0 < len(without) < 200
    assert all(stock(other, 1) == "trap" and other.state.role[1] == 3 for other in without)


def test_cr78_at_another_seats_window_the_clover_stays() -> None:
    position = table(players=4)
    give(position, 2, "clover cheese1 cheese1")
    share(position, "claw key1", "player_1", "claw")
    position.apply("claw player_2")
    for seat in (0, 1, 3):
        for other in samples(position, seat):
            assert "clover" in stock(other, 2)
            assert other.legal() == ["bandage", "clover"]


@pytest.mark.parametrize("window", ["claim", "no_redirect"])
def test_cr78_at_another_seats_window_the_role_stays(window: str) -> None:
    position = table(players=4, roles="fool al_ratone hypnotist alchemist")
    share(position, "claw key1")
    if window == "no_redirect":
        play(position, "no_claim", "partner player_3", "die claw", "claw player_2")
    assert verb(position) == window
    asked, role = (1, 1) if window == "claim" else (2, 2)
    for other in samples(position, 0):
        assert other.state.role[asked] == role
        assert other.legal() == position.legal()


def test_cr78_no_other_seat_is_sure_of_anything() -> None:
    position = table("clover clover clover trap trap", players=4)
    give(position, 1, "clover clover clover")
    make_sure(position, 3, 1, "clover clover clover")
    make_sure(position, 0, 1, "clover")
    for other in samples(position, 0):
        assert not other.state.sure[3].any()
        assert names(other.state.sure[0, 1]) == "clover"


def test_cr78_what_was_stolen_between_two_others_is_not_told() -> None:
    """Whatever it was, the onlooker's resamples are the same."""
    worlds = []
    for left, stolen in (("clover", "cheese2"), ("cheese2", "clover")):
        position = table("cheese1 cheese1 cheese1 cheese1 trap", players=3)
        give(position, 1, left)
        give(position, 2, stolen)
        make_sure(position, 1, 2, stolen)
        worlds.append([other.state.tobytes() for other in samples(position, 0)])
    assert worlds[0] == worlds[1]


def test_cr78_the_manipulator_keeps_the_piles_he_knows() -> None:
    position = manipulated("cheese2 clover trap cheese1 cheese1", PLAIN, "clover clover cheese2 trap cheese1")
    for other in samples(position, 0):
        assert (pile(other, 1), pile(other, 2)) == ("cheese2 clover trap cheese1 cheese1", PLAIN)
    assert len({pile(other, 1) for other in samples(position, 2)}) > 5
