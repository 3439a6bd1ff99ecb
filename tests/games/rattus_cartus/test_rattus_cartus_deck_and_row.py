"""RC-74 and RC-75: what every seat and an onlooker surely know of the deck and the nun-row."""

import numpy as np
from rattus_cartus_components import POPULATION
from rattus_cartus_helpers import (
    CARDS,
    ONLOOKER,
    changed,
    count_cards,
    doors,
    fresh,
    go_on,
    hand,
    know,
    lay_no_more,
    leave_in_deck,
    names,
    opened,
    play,
    row_most,
    start,
)

from rat_envs.engine.position import Position

TWO = "farm 1, castle 1"
NUN_ROW = "magic 0, magic 0, magic 4, magic 4, magic 4"


# RC-74


def test_rc74_the_bound_begins_with_all_cards_and_loses_what_one_draws_oneself() -> None:
    position = start(players=3)
    assert all(fresh(position, observer) == POPULATION for observer in (0, 1, 2, ONLOOKER))
    play(position, *["draw magic 0"] * 2, *["draw church 4"] * 3, "draw magic 0")
    assert changed(POPULATION, fresh(position, 0)) == {"magic 0": -2, "church 4": -3}
    assert changed(POPULATION, fresh(position, 1)) == {"magic 0": -1}
    assert fresh(position, 2) == fresh(position, ONLOOKER) == POPULATION


def test_rc74_supplies_and_the_farm_are_draws_too() -> None:
    position = opened("farm 1, castle 1", players=2, supply=[[1, 0, 0]] * 60)
    before = fresh(position, 0), fresh(position, 1)
    play(position, "supply 1; draw royalty 1")
    assert changed(before[0], fresh(position, 0)) == {"royalty 1": -1}
    assert changed(before[1], fresh(position, 1)) == {}
    assert fresh(position, ONLOOKER) == POPULATION


def test_rc74_a_card_seen_in_the_row_counts_once_for_each_who_sees_it() -> None:
    position = opened(players=3, supply=[[0, 0, 1]] * 60)
    before = fresh(position, 0), fresh(position, 1), fresh(position, 2)
    play(position, "supply 1; look 3; nun royalty 3; supply 1; look 3; supply 1; look 1; nun royalty 2")
    assert changed(before[0], fresh(position, 0)) == {"royalty 3": -1}
    assert changed(before[1], fresh(position, 1)) == {"royalty 3": -1}
    assert changed(before[2], fresh(position, 2)) == {"royalty 2": -1}
    go_on(position, "supply")
    play(position, "supply 1; look 3")
    assert position.actor == 2
    assert changed(before[1], fresh(position, 1)) == {"royalty 3": -1}, "seen again"
    assert fresh(position, ONLOOKER) == POPULATION


def test_rc74_what_is_given_or_revealed_or_discarded_does_not_matter() -> None:
    position = doors("hospital 1, farm 1", "sword, magic 0", "magic 1, magic 2, magic 3, magic 4", "church 4")
    before = [fresh(position, observer) for observer in (0, 1, 2, ONLOOKER)]
    play(position, "enter 1; lay sword; done; enter 1; lay magic 1; done; enter 2; lay church 4")
    play(position, "give magic 2; act; discard magic 3; done")
    assert [fresh(position, observer) for observer in (0, 1, 2, ONLOOKER)] == before


def test_rc74_from_the_first_shuffle_on_the_deck_is_known_but_for_what_others_draw() -> None:
    position = doors(TWO, "", "", "", supply=[[1, 0, 0]] * 60)
    leave_in_deck(position, "royalty 0", NUN_ROW, discarded="church 0, church 0, church 1, church 4, church 4")
    play(position, "enter 1; enter 1; enter 2; act; draw royalty 0")
    deck = {"church 0": 2, "church 1": 1, "church 4": 2}
    assert all(known(fresh(position, observer)) == deck for observer in (0, 1, 2, ONLOOKER))
    play(position, "draw church 0; draw church 0; draw church 1; act; draw church 4")
    assert known(fresh(position, 0)) == {"church 4": 2}
    assert known(fresh(position, 1)) == {"church 0": 2, "church 1": 1, "church 4": 1}
    assert known(fresh(position, 2)) == known(fresh(position, ONLOOKER)) == deck
    play(position, "draw church 4")
    assert all(known(fresh(position, observer)) == {} for observer in (0, 1, 2, ONLOOKER)), "no deck"


def known(bounds: dict[str, int]) -> dict[str, int]:
    """A bound without what is 0."""
    assert min(bounds.values()) >= 0
    return {card: number for card, number in bounds.items() if number}


def test_rc74_there_is_nothing_while_there_is_no_deck_and_then_what_is_discarded() -> None:
    position = doors("farm 1, hospital 1", "", "magic 1, magic 2", "")
    leave_in_deck(position, "royalty 0", NUN_ROW)
    play(position, "enter 1; enter 2; done; enter 2; act; draw royalty 0")
    assert all(known(fresh(position, observer)) == {} for observer in (0, 1, 2, ONLOOKER))
    play(position, "act; discard magic 2")
    assert all(known(fresh(position, observer)) == {"magic 2": 1} for observer in (0, 1, 2, ONLOOKER))
    play(position, "discard magic 1")
    assert all(known(fresh(position, observer)) == {"magic 2": 1} for observer in (0, 1, 2, ONLOOKER))


# RC-75


def test_rc75_until_the_deck_first_runs_out_it_is_the_bound_of_the_deck() -> None:
    position = opened(players=3, supply=[[1, 0, 1]] * 60)
    play(position, "supply 1; draw magic 4; look 2; nun church 0; supply 1; draw magic 4; look 2")
    for observer in (0, 1, 2, ONLOOKER):
        assert row_most(position, observer) == fresh(position, observer)
    assert row_most(position, 2) != row_most(position, ONLOOKER) != row_most(position, 0)


def empty_the_deck(position: Position, discarded: str = "") -> None:
    """player_0 draws the last card of the deck at the Farm; the others are elsewhere, and lay nothing."""
    leave_in_deck(position, "royalty 0", NUN_ROW, discarded)
    for slot in (1, 2, 2):
        play(position, f"enter {slot}")
        lay_no_more(position)
    play(position, "act; draw royalty 0")
    assert position.state.ran_out


def test_rc75_then_it_keeps_its_value_if_there_is_no_new_deck() -> None:
    position = doors(TWO, "", "magic 0, magic 0", "church 1")
    empty_the_deck(position)
    assert changed(POPULATION, row_most(position, 0)) == {"royalty 0": -1}
    assert changed(POPULATION, row_most(position, 1)) == {"magic 0": -2}
    assert changed(POPULATION, row_most(position, 2)) == {"church 1": -1}
    assert row_most(position, ONLOOKER) == POPULATION


def test_rc75_a_new_deck_lowers_it_to_what_one_cannot_place() -> None:
    """Copies less one's own cards, the new deck, and what the others surely have."""
    position = doors(TWO, "", "magic 0, magic 0, church 1", "church 1")
    know(position, 2, 1, "magic 0, church 1")
    empty_the_deck(position, discarded="magic 0, church 2, church 2")
    assert changed(POPULATION, row_most(position, 0)) == {"royalty 0": -1, "magic 0": -1, "church 2": -2}
    assert changed(POPULATION, row_most(position, 1)) == {"magic 0": -3, "church 1": -1, "church 2": -2}
    assert changed(POPULATION, row_most(position, 2)) == {"magic 0": -2, "church 1": -2, "church 2": -2}
    assert changed(POPULATION, row_most(position, ONLOOKER)) == {"magic 0": -1, "church 2": -2}


def test_rc75_cards_on_the_table_count_if_they_are_revealed_or_one_s_own() -> None:
    position = doors(TWO, "church 3", "church 4", "magic 3")
    leave_in_deck(position, "royalty 0", NUN_ROW, discarded="church 2")
    play(position, "enter 1; lay church 3; enter 1; lay church 4; enter 2; lay magic 3; act; draw royalty 0")
    open_cards = {"church 2": -1, "church 3": -1, "church 4": -1}
    assert changed(POPULATION, row_most(position, 0)) == {**open_cards, "royalty 0": -1}
    assert changed(POPULATION, row_most(position, 1)) == open_cards
    assert changed(POPULATION, row_most(position, 2)) == {**open_cards, "magic 3": -1}
    assert changed(POPULATION, row_most(position, ONLOOKER)) == open_cards


def test_rc75_cards_seen_in_the_row_count_and_later_ones_when_they_are_first_seen() -> None:
    position = opened("farm 1, fortune_tellers_tent 1", players=3, supply=[[0, 0, 1]] * 60)
    play(position, "supply 1; look 2; nun magic 0; supply 1; look 2; supply 1; look 1; nun magic 4")
    for seat in range(3):  # own cards would only disturb
        position.state.hand[seat] = 0
        position.state.fresh[seat] += np.array([*POPULATION.values()]) - position.state.fresh[seat]
    position.state.fresh[:2, CARDS.index("magic 0")] -= 1
    position.state.fresh[2, CARDS.index("magic 4")] -= 1
    position.state.row_most[:] = position.state.fresh
    count_cards(position.state)
    leave_in_deck(position, "royalty 0", NUN_ROW, discarded="church 2")
    position.state.pool[[CARDS.index("magic 0"), CARDS.index("magic 4")]] -= 1  # they are not unseen
    play(position, "enter 1; enter 2; enter 2; act; draw royalty 0; draw church 2")
    common = {"church 2": -1}
    assert changed(POPULATION, row_most(position, 0)) == {**common, "royalty 0": -1, "magic 0": -1}
    assert changed(POPULATION, row_most(position, 1)) == {**common, "magic 0": -1}
    assert changed(POPULATION, row_most(position, 2)) == {**common, "magic 4": -1}
    play(position, "act; look 1; look 5; nun magic 4; act; look 1")
    assert changed(POPULATION, row_most(position, 1)) == {**common, "magic 0": -1, "magic 4": -2}
    assert changed(POPULATION, row_most(position, 2)) == {**common, "magic 4": -1}, "it has seen place 1 before"
    assert changed(POPULATION, row_most(position, ONLOOKER)) == common


def test_rc75_it_is_only_ever_lowered() -> None:
    """With the second new deck fewer cards can be placed; the bound stays as the first has left it."""
    position = doors(TWO, "", "", "")
    empty_the_deck(position, discarded="church 2, church 2")
    assert changed(POPULATION, row_most(position, ONLOOKER)) == {"church 2": -2}
    play(position, "draw church 2; draw church 2")
    assert position.state.deck_size == 0
    go_on(position, "enter")
    play(position, "enter 1; enter 1; enter 1; lay royalty 0; done")
    go_on(position, "enter")
    assert (names(position.state.pool), hand(position, 0)) == ("royalty 0", "church 2, church 2")
    for observer in (1, 2, ONLOOKER):
        assert changed(POPULATION, row_most(position, observer)) == {"church 2": -2, "royalty 0": -1}
