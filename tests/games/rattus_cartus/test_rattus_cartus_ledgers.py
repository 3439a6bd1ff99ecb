"""RC-71 to RC-73: what every seat and an onlooker surely know of the others' cards, sentence by sentence."""

import pytest
from rattus_cartus_helpers import (
    KINDS,
    ONLOOKER,
    at_least,
    at_most,
    calm,
    doors,
    go_on,
    hand,
    know,
    lay_no_more,
    names,
    opened,
    play,
    sizes,
)

from rat_envs.engine.position import Position

TWO = "farm 1, castle 1"


def everybody_but(position: Position, seat: int) -> list[int]:
    """All observers of a seat."""
    return [other for other in (*range(position.configuration.players), ONLOOKER) if other != seat]


# RC-73


def test_rc73_all_begin_at_nothing() -> None:
    position = opened(players=5)
    row = position.state
    assert not row.at_least.any() and not row.at_most.any()
    assert sizes(position) == [5] * 5


@pytest.mark.parametrize(
    ("building", "card"),
    [("marketplace", "joker"), ("office", "pass"), ("castle", "sword"), ("pied_pipers_hut", "flute")]
    + [("treasury", "gold")],
)
def test_rc73_a_special_card_from_a_deck_counts_in_both(building: str, card: str) -> None:
    position = doors(f"{building} 1, farm 1", "", "", "")
    play(position, "enter 1; enter 1; enter 2; act; act")
    for seat, number in ((0, 2), (1, 1)):
        for observer in everybody_but(position, seat):
            assert at_least(position, observer, seat) == ", ".join([card] * number)
            assert at_most(position, observer, seat) == {card: number}


def test_rc73_cards_that_were_not_there_do_not_count() -> None:
    position = doors("marketplace 1, farm 1", "", "", "")
    position.state.special_deck[0] = 1
    play(position, "enter 1; enter 1; enter 2; act")
    assert (at_least(position, 2, 0), at_most(position, 2, 0)) == ("joker", {"joker": 1})


def test_rc73_cards_that_are_drawn_tell_nothing_of_the_others() -> None:
    position = doors(TWO, "", "", "")
    play(position, "enter 1; enter 2; enter 2; act; draw magic 0; draw magic 0; draw magic 0; draw magic 0")
    for observer in (1, 2, ONLOOKER):
        assert (at_least(position, observer, 0), at_most(position, observer, 0)) == ("", {})


def test_rc73_laying_changes_nothing_before_the_cards_are_revealed() -> None:
    position = doors(TWO, "sword, sword, magic 0", "", "")
    play(position, "enter 1; lay sword; lay magic 0; done; enter 1")
    for observer in (1, 2, ONLOOKER):
        assert (at_least(position, observer, 0), at_most(position, observer, 0)) == ("sword, sword", {"sword": 2})


def test_rc73_revealed_cards_leave_openly() -> None:
    """player_2 alone knew of the two magic 0; of the magic 4 nobody did."""
    position = doors(TWO, "sword, sword, magic 0, magic 0, magic 4", "", "")
    know(position, 2, 0, "magic 0, magic 0")
    play(position, "enter 1; lay sword; lay magic 0; lay magic 4; done; enter 2; enter 2")
    assert at_least(position, 2, 0) == "magic 0, sword"
    assert at_least(position, 1, 0) == at_least(position, ONLOOKER, 0) == "sword", "not below 0"
    for observer in (1, 2, ONLOOKER):
        assert at_most(position, observer, 0) == {"sword": 1}


def test_rc73_cards_in_later_buildings_are_not_yet_revealed() -> None:
    position = doors(TWO, "sword", "sword", "")
    play(position, "enter 2; lay sword; enter 1; lay sword; enter 1")
    assert (at_least(position, 2, 0), at_least(position, 2, 1)) == ("sword", "")
    assert (at_most(position, 2, 0), at_most(position, 2, 1)) == ({"sword": 1}, {})


def test_rc73_a_pass_that_is_played_leaves_openly() -> None:
    position = doors(TWO, "pass, pass, magic 0", "", "")
    play(position, "pass")
    for observer in (1, 2, ONLOOKER):
        assert (at_least(position, observer, 0), at_most(position, observer, 0)) == ("pass", {"pass": 1})


def test_rc73_cards_discarded_at_the_hospital_leave_openly() -> None:
    position = doors("hospital 1, castle 1", "gold, gold, joker, magic 0, magic 1", "", "")
    know(position, 1, 0, "magic 1")
    play(position, "enter 1; done; enter 2; enter 2; act; discard gold; discard magic 1; discard magic 0")
    for observer in (1, 2, ONLOOKER):
        assert at_least(position, observer, 0) == "joker, gold"
        assert at_most(position, observer, 0) == {"joker": 1, "gold": 1}


def gift(held: str, given: str, known: str = "") -> Position:
    """player_0 has a Sword at the Farm and takes half of player_1's hand; player_2 looks on."""
    position = doors(TWO, "sword", held, "")
    for observer in (0, 2):
        know(position, observer, 1, known)
    play(position, "enter 1; lay sword; enter 1")
    lay_no_more(position)
    play(position, "enter 2", *(f"give {card}" for card in given.split("; ")))
    return position


def test_rc73_the_giver_knows_what_it_has_given() -> None:
    position = gift("gold, gold, magic 0, magic 0", "gold; magic 0")
    assert (at_least(position, 1, 0), at_most(position, 1, 0)) == ("magic 0, gold", {"gold": 1})


def test_rc73_for_the_taker_they_leave_openly() -> None:
    position = gift("gold, gold, magic 0, magic 0", "gold; magic 0", known="magic 0")
    assert (at_least(position, 0, 1), at_most(position, 0, 1)) == ("gold", {"gold": 1})
    position = gift("gold, gold, magic 0, magic 0", "magic 0; magic 0")
    assert (at_least(position, 0, 1), at_most(position, 0, 1)) == ("gold, gold", {"gold": 2})


@pytest.mark.parametrize(
    ("held", "given", "bounds"),
    [
        # of five cards two are given and three kept
        ("gold, gold, gold, gold, magic 0", "gold; gold", ((2, 1), (3, 2))),
        ("gold, gold, gold, gold, magic 0", "gold; magic 0", ((2, 1), (3, 2))),
        ("gold, gold, gold, gold, gold", "gold; gold", ((3, 2), (3, 2))),
        ("gold, gold, gold, magic 0, magic 0", "magic 0; magic 0", ((1, 0), (3, 2))),
        ("gold, magic 0, magic 0, magic 1, magic 2", "magic 0; magic 0", ((0, 0), (1, 1))),
        ("magic 0, magic 0, magic 0, magic 1, magic 2", "magic 0; magic 0", ((0, 0), (0, 0))),
        # of two, one
        ("gold, gold", "gold", ((1, 1), (1, 1))),
        ("gold, magic 0", "gold", ((0, 0), (1, 1))),
    ],
    ids=str,
)
def test_rc73_who_sees_neither_side_knows_bounds(
    held: str, given: str, bounds: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    """Of giver and taker the least, and the most, for player_2 and the onlooker."""
    position = gift(held, given)
    for observer in (2, ONLOOKER):
        for seat, least, most in zip((1, 0), *bounds, strict=True):
            assert at_least(position, observer, seat) == ", ".join(["gold"] * least)
            assert at_most(position, observer, seat) == ({"gold": most} if most else {})


def test_rc73_known_population_cards_are_followed_too_but_not_by_the_onlooker() -> None:
    """player_2 knows four of the five cards; two go over, so that one of them at least is among those given."""
    cards = "magic 0, magic 0, magic 0, magic 0"
    position = gift(f"{cards}, church 1", "church 1; magic 0", known=cards)
    assert (at_least(position, 2, 1), at_least(position, 2, 0)) == ("magic 0, magic 0", "magic 0")
    assert at_least(position, ONLOOKER, 1) == at_least(position, ONLOOKER, 0) == ""


def test_rc73_what_the_taker_had_already_is_added_to() -> None:
    position = doors(TWO, "sword, gold, gold", "gold, gold, gold", "")
    play(position, "enter 1; lay sword; enter 1; enter 2; give gold")
    assert (at_least(position, 2, 0), at_most(position, 2, 0)) == ("gold, gold, gold", {"gold": 3})
    assert (at_least(position, 2, 1), at_most(position, 2, 1)) == ("gold, gold", {"gold": 2})


def test_rc73_unrevealed_laid_cards_are_kept_cards() -> None:
    """player_1 has laid two of six cards at the Palace, perhaps those of one kind; player_2 has yet to give."""
    four = "gold, gold, gold, gold"
    position = doors("guard_tower 1, palace 1", "gold, gold", "joker, joker, gold, gold, pass, pass", four)
    play(position, "enter 1; enter 2; lay joker; lay joker; enter 2; act; give gold; give gold; give pass")
    assert sizes(position) == [5, 1, 4]
    for observer in (2, ONLOOKER):
        assert at_least(position, observer, 1) == ""
        assert at_least(position, observer, 0) == "gold, gold"
        assert at_most(position, observer, 1) == {"joker": 2, "pass": 2, "gold": 2}
        assert at_most(position, observer, 0) == {"joker": 2, "pass": 2, "gold": 4}
    assert (at_least(position, 1, 0), at_most(position, 1, 0)) == (
        "pass, gold, gold, gold, gold",
        {"pass": 1, "gold": 4},
    )
    assert (at_least(position, 0, 1), at_most(position, 0, 1)) == ("joker, joker, pass", {"joker": 2, "pass": 1})


def test_rc73_a_hand_that_goes_over_as_a_whole_is_known_to_all() -> None:
    position = doors("guard_tower 1, palace 1", "gold", "pass, gold, gold", "")
    play(position, "enter 1; enter 2; enter 2; act")
    for observer in (2, ONLOOKER):
        assert (at_least(position, observer, 1), at_most(position, observer, 1)) == ("", {})
        assert at_least(position, observer, 0) == "pass, gold, gold, gold"
        assert at_most(position, observer, 0) == {"pass": 1, "gold": 3}


def test_rc73_nobody_has_more_than_it_has_cards() -> None:
    """After a gift unseen player_1 may have three gold among three cards; two of them turn out to be something else."""
    position = doors("farm 1, hospital 1", "sword", "gold, gold, gold, joker, joker, pass", "")
    play(position, "enter 1; lay sword; enter 1; done; enter 2; give gold; give gold; give pass")
    assert hand(position, 1) == "joker, joker, gold"
    assert at_most(position, 2, 1) == {"joker": 2, "pass": 1, "gold": 3}
    go_on(position, "enter")
    play(position, "enter 1")
    play(position, "lay joker; lay joker")
    while position.state.laid[1].any() and not position.state.revealed[1]:
        position.apply(calm(position))
    assert hand(position, 1) == "gold"
    assert at_most(position, 2, 1) == {"pass": 1, "gold": 1}
    assert at_most(position, 0, 1) == {"gold": 1}


def test_rc71_at_the_end_hands_lie_open() -> None:
    position = opened(players=3)
    position.state["rounds_played"] = 8
    go_on(position)
    assert position.is_over
    for seat in range(3):
        for other in {0, 1, 2} - {seat}:
            assert at_least(position, seat, other) == hand(position, other)
            assert names([0] * KINDS + position.state.at_most[seat, other].tolist()) == names(
                [0] * KINDS + position.state.hand[other, KINDS:].tolist()
            )
        assert at_least(position, ONLOOKER, seat) == "", "the onlooker's fields stay"
