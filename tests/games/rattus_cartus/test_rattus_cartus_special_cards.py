"""RC-36 to RC-38: Sword and Flute."""

import pytest
from rattus_cartus_helpers import aside, asked, doors, hand, node, play, rats, set_rats, sizes

#: Three buildings for four or five players, two for three.
THREE = "farm 1, castle 1, fortune_tellers_tent 1"
TWO = "farm 1, castle 1"

# RC-36

FIVE = "magic 0, magic 1, magic 2, magic 3, magic 4"


@pytest.mark.parametrize(("held", "given"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)])
def test_rc36_half_of_the_hand_rounded_down(held: int, given: int) -> None:
    position = doors(TWO, "sword", ", ".join(FIVE.split(", ")[:held]), "")
    play(position, "enter 1; lay sword; enter 1", *["done"] * (held > 0), "enter 2")
    for number in range(given):
        assert node(position) == (1, [f"give magic {nuns}" for nuns in range(number, held)])
        position.apply(f"give magic {number}")
    assert asked(position, 0, "act", "decline")
    assert sizes(position) == [given, held - given, 0]


def test_rc36_cards_that_were_laid_do_not_count_and_any_kind_can_be_given() -> None:
    position = doors(TWO, "sword", f"{FIVE}, gold, pass, joker", "")
    play(position, "enter 1; lay sword; enter 1; lay magic 0; lay magic 1; lay magic 2; lay magic 3; done; enter 2")
    assert node(position) == (1, ["give gold", "give joker", "give magic 4", "give pass"])
    play(position, "give gold; give pass")
    assert (hand(position, 0), hand(position, 1)) == ("pass, gold", "magic 4, joker")


def test_rc36_most_tied_the_earlier_entrant() -> None:
    position = doors(TWO, "magic 3, magic 4", "sword, magic 0", "sword, magic 0")
    play(position, "enter 1; done; enter 1; lay sword; done; enter 1; lay sword; done; give magic 3")
    assert [hand(position, seat) for seat in range(3)] == ["magic 4", "magic 0, magic 3", "magic 0"]


def test_rc36_fewest_tied_the_one_with_the_most_chooses_even_one_with_nothing_to_give() -> None:
    position = doors(THREE, "sword, sword", "magic 0", FIVE, "sword, gold, gold")
    play(position, "enter 1; lay sword; lay sword; enter 1; done; enter 1; done; enter 1; lay sword")
    assert asked(position, 0, "take_from player_1", "take_from player_2")
    position.apply("take_from player_1")
    assert sizes(position) == [0, 1, 5, 2]
    assert asked(position, 0, "act", "decline")


def test_rc36_only_once_however_many_swords_and_however_few_are_played() -> None:
    """Fewest is one sword here, and it is player_2 alone who has played that few."""
    position = doors(TWO, "sword, sword, sword", "sword, sword, gold, gold", f"sword, {FIVE}")
    play(position, "enter 1; lay sword; lay sword; lay sword; enter 1; lay sword; lay sword; enter 1; lay sword; done")
    assert position.actor == 2
    play(position, "give magic 0; give magic 1")
    assert sizes(position) == [2, 2, 3]
    assert asked(position, 0, "act", "decline")


@pytest.mark.parametrize("swords", [0, 1, 2])
def test_rc36_nothing_happens_if_all_played_the_same_number(swords: int) -> None:
    held = ", ".join(["sword"] * swords + ["magic 0", "magic 1"])
    position = doors(TWO, held, held, "")
    text = "; ".join(["enter 1", *["lay sword"] * swords, "done"])
    play(position, text, text, "enter 2")
    assert asked(position, 0, "act", "decline")
    assert sizes(position) == [2, 2, 0]


def test_rc36_a_lone_visitor_has_nobody_to_compare_with() -> None:
    position = doors(TWO, "sword, sword", "magic 0, magic 1", "magic 0, magic 1")
    play(position, "enter 1; lay sword; lay sword; enter 2; done; enter 2; done")
    assert asked(position, 0, "act", "decline")
    assert sizes(position) == [0, 2, 2]


def test_rc36_the_visitors_of_other_buildings_do_not_matter() -> None:
    position = doors(TWO, "sword, sword", "sword, gold, gold", "gold, gold")
    play(position, "enter 2; lay sword; lay sword; enter 1; lay sword; enter 1; give gold")
    assert sizes(position) == [0, 3, 1], "player_1 has played the most here"


# RC-37


def test_rc37_cards_lie_aside_and_change_hands_together_after_the_last() -> None:
    position = doors(TWO, "sword", "magic 0, magic 0, magic 1, gold", "")
    play(position, "enter 1; lay sword; enter 1; done; enter 2; give magic 0")
    assert (hand(position, 0), hand(position, 1), aside(position, 1)) == ("", "magic 0, magic 1, gold", "magic 0")
    assert node(position) == (1, ["give gold", "give magic 0", "give magic 1"])
    position.apply("give gold")
    assert (hand(position, 0), hand(position, 1), aside(position, 1)) == ("magic 0, gold", "magic 0, magic 1", "")


# RC-38


def test_rc38_the_one_who_played_the_most_gives_a_rat_to_the_one_who_played_the_fewest() -> None:
    position = doors(TWO, "flute, flute", "flute", "")
    play(position, "enter 1; lay flute; lay flute; enter 1; lay flute; enter 1")
    assert rats(position) == [9, 10, 11]
    assert asked(position, 0, "act", "decline")


def test_rc38_most_tied_the_earlier_entrant_and_fewest_tied_it_chooses() -> None:
    position = doors(THREE, "flute", "flute", "", "")
    play(position, "enter 1; lay flute; enter 1; lay flute; enter 1; enter 1")
    assert asked(position, 0, "rat_to player_2", "rat_to player_3")
    position.apply("rat_to player_3")
    assert rats(position) == [9, 10, 10, 11]


def test_rc38_without_a_rat_nothing_is_given_or_chosen() -> None:
    position = doors(THREE, "flute", "", "", "")
    set_rats(position, 0)
    play(position, "enter 1; lay flute; enter 1; enter 1; enter 1")
    assert asked(position, 0, "act", "decline")
    assert rats(position) == [0, 10, 10, 10]


def test_rc38_the_rats_just_taken_can_be_given() -> None:
    position = doors(TWO, "flute, magic 0", "", "")
    set_rats(position, 0)
    play(position, "enter 1; lay flute; lay magic 0; enter 1; enter 2")
    assert rats(position) == [0, 11, 10]


def test_rc38_nobody_gives_alone_or_if_all_played_the_same_number() -> None:
    position = doors(TWO, "flute", "", "")
    play(position, "enter 1; lay flute; enter 2; enter 2")
    assert rats(position) == [10, 10, 10]
    position = doors(TWO, "flute", "flute", "")
    play(position, "enter 1; lay flute; enter 1; lay flute; enter 2")
    assert rats(position) == [10, 10, 10]
