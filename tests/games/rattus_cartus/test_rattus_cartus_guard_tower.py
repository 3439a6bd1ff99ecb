"""RC-44: the Guard Tower."""

import pytest
from rattus_cartus_helpers import aside, asked, doors, go_on, hand, lay_no_more, node, play, sizes, verbs

from rat_envs.engine.position import Position

#: Cards that cannot be laid.
FOUR = "gold, gold, gold, pass"
ROW = "guard_tower 1, palace 1, farm 1"


def tower(*hands: str, row: str = ROW, slots: str = "") -> Position:
    """player_0 enters the Guard Tower; the others the Palace or what ``slots`` says; nobody lays anything."""
    position = doors(row, *hands)
    for seat in range(len(hands)):
        slot = slots[seat] if slots else "1" if seat == 0 else "2"
        play(position, f"enter {slot}")
        lay_no_more(position)
    return position


def test_rc44_everybody_with_as_many_cards_gives_three_of_its_choice() -> None:
    position = tower("gold", FOUR, "gold, gold, gold, pass, pass", "gold, pass, pass, pass")
    assert asked(position, 0, "act", "decline")
    position.apply("act")
    assert asked(position, 1, "give gold", "give pass")
    play(position, "give gold; give gold; give pass")
    assert asked(position, 2, "give gold", "give pass")
    play(position, "give gold; give gold; give gold")
    assert asked(position, 3, "give gold", "give pass")
    play(position, "give pass; give pass; give pass")
    assert sizes(position) == [10, 1, 2, 1]
    assert (hand(position, 1), hand(position, 2), hand(position, 3)) == ("gold", "pass, pass", "gold")


def test_rc44_it_may_be_declined() -> None:
    position = tower("gold", FOUR, FOUR, FOUR)
    position.apply("decline")
    assert (sizes(position), position.actor) == ([1, 4, 4, 4], 1)


@pytest.mark.parametrize(
    ("own", "others", "after"),
    [
        ("gold, gold", ["gold", "gold, gold", "pass, gold, gold"], [7, 1, 0, 0]),
        ("", ["", "gold", "gold, gold"], [3, 0, 0, 0]),
        ("gold, gold, gold", ["gold, pass", "gold", "gold, pass, pass"], [6, 2, 1, 0]),
    ],
    ids=str,
)
def test_rc44_a_hand_of_three_or_fewer_goes_over_without_a_node(own: str, others: list[str], after: list[int]) -> None:
    """Who holds fewer cards than the premium player is no giver."""
    position = tower(own, *others)
    play(position, "act")
    assert sizes(position) == after
    assert asked(position, 1, "act", "decline"), "the Palace"


def test_rc44_nobody_is_asked_without_a_giver() -> None:
    for own, others in (("gold, gold", ["gold", "pass", ""]), ("", ["", "", ""])):
        assert asked(tower(own, *others), 1, "act", "decline"), "the Palace"


def test_rc44_hands_are_compared_once_before_the_first_gift() -> None:
    position = tower("gold", FOUR, "gold", "gold, pass")
    play(position, "act; give gold; give gold; give gold")
    assert sizes(position) == [7, 1, 0, 0]


def test_rc44_cards_change_hands_after_the_last_of_a_giver() -> None:
    position = tower("gold", FOUR, FOUR, "")
    play(position, "act; give gold; give gold")
    assert (hand(position, 0), aside(position, 1)) == ("gold", "gold, gold")
    play(position, "give pass")
    assert (hand(position, 0), aside(position, 1)) == ("pass, gold, gold, gold", "")


def test_rc44_givers_act_clockwise_from_the_premium_player() -> None:
    position = doors(ROW, FOUR, FOUR, "gold", FOUR)
    play(position, "enter 2; enter 2; enter 1; enter 3; act")
    order = []
    while "give gold" in position.legal():
        order.append(position.actor)
        play(position, "give gold; give gold; give gold")
    assert order == [3, 0, 1]


def test_rc44_who_has_entered_a_guard_tower_gives_nothing_whichever_it_is() -> None:
    row = "guard_tower 1, guard_tower 2, farm 1"
    position = tower("gold", FOUR, FOUR, FOUR, row=row, slots="1213")
    play(position, "act")
    assert position.actor == 3
    play(position, "give gold; give gold; give gold")
    assert sizes(position) == [4, 4, 4, 1]
    assert asked(position, 3, "act", "decline"), "at the second tower nobody is a giver; the Farm is next"


def test_rc44_a_giver_that_has_given_is_compared_anew_at_the_second_tower() -> None:
    row = "guard_tower 1, guard_tower 2, farm 1"
    position = tower("", "gold", "gold, gold, gold, gold, gold", "", row=row, slots="1233")
    play(position, "act; give gold; give gold; give gold")
    assert sizes(position) == [3, 1, 2, 0]
    play(position, "act")
    assert sizes(position) == [3, 3, 0, 0]


def test_rc44_the_standard_action_is_none() -> None:
    position = tower("gold", FOUR, FOUR, FOUR, slots="1122")
    assert asked(position, 0, "act", "decline")
    play(position, "decline")
    assert asked(position, 2, "act", "decline"), "the Palace; player_1 was not asked"


def test_rc44_laid_cards_are_not_held() -> None:
    """player_1 holds two cards and has laid two, player_0 holds three and has laid one."""
    position = doors(ROW, "gold, gold, gold, joker", "joker, joker, gold, pass", FOUR, "")
    play(position, "enter 1; lay joker; enter 2; lay joker; lay joker; enter 2; enter 2; act")
    assert node(position) == (2, ["give gold", "give pass"])
    play(position, "give gold; give gold; give gold")
    assert sizes(position) == [6, 2, 1, 0]


def test_rc44_cards_already_revealed_and_discarded_are_not_held_either() -> None:
    row = "palace 1, guard_tower 1, farm 1"
    position = doors(row, "gold, gold", "joker, gold", "", "")
    play(position, "enter 2; enter 1; lay joker; enter 1; enter 3")
    play(position, "decline; decline")
    assert asked(position, 3, "act", "decline"), "the Farm: player_1 holds one card"


def test_rc44_two_players_and_the_one_premium_action() -> None:
    position = doors("guard_tower 1, palace 1", "joker, gold", "joker, gold, pass")
    play(position, "enter 1; lay joker; enter 2; lay joker; act")
    assert sizes(position) == [3, 0]
    position = doors("guard_tower 1, palace 1", "gold", "joker, gold, pass")
    play(position, "enter 1; enter 2; lay joker")
    assert asked(position, 1, "act", "decline"), "player_1 is premium, at the Palace"
    go_on(position, "supply")
    assert verbs(position) == {"supply"}
