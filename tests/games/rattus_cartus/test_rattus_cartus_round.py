"""RC-10 to RC-23: a round up to the entering of buildings."""

import pytest
from rattus_cartus_components import SIZES
from rattus_cartus_games import THE_OTHERS
from rattus_cartus_helpers import (
    asked,
    calm,
    doors,
    everything,
    go_on,
    hand,
    in_deck,
    known_replacements,
    laid,
    next_round,
    node,
    opened,
    play,
    rats,
    row_of,
    sizes,
    start,
    verbs,
)

from rat_envs.engine.position import Position

every_number = pytest.mark.parametrize("players", [2, 3, 4, 5])


def first_row(*cards: str, **config: object) -> Position:
    """These building cards have come up in the first round."""
    position = start(**config)
    go_on(position, "building")
    play(position, *(f"building {card}" for card in cards))
    return position


def building_chances(position: Position) -> set[str]:
    """The building cards that can come up."""
    assert verbs(position) == {"building"}
    assert set(position.chances().values()) == {1}
    return {text.removeprefix("building ") for text in position.chances()}


# RC-10, RC-11


@every_number
def test_rc10_the_phases_follow_each_other_in_every_round(players: int) -> None:
    position = start(players=players)
    go_on(position, "building")
    rounds, slots, _ = SIZES[players]
    kinds = {"building": "A", "supply": "B", "draw": "B", "look": "B", "nun": "B", "enter": "C", "lay": "C", "act": "D"}
    for _ in range(rounds):
        phases, cards = "", 0
        played = int(position.state["rounds_played"])
        while not position.is_over and position.state["rounds_played"] == played:
            phase = kinds[next(iter(verbs(position) - {"done", "pass", "decline"}))]
            cards += phase == "A"
            phases += phase if not phases.endswith(phase) else ""
            position.apply(calm(position))
        assert phases == ("ABCD" if played < rounds - 1 else "ABC")
        assert cards >= slots
    assert verbs(position) <= {"nun"}


@every_number
def test_rc10_the_building_deck_is_empty_after_phase_a_of_the_final_round(players: int) -> None:
    position = start(players=players)
    rounds = SIZES[players][0]
    go_on(position, "building")
    for _ in range(rounds - 1):
        next_round(position)
    assert not position.is_over
    go_on(position, "supply")
    assert position.state.unknown.sum() == position.state.replacements_unknown
    next_round(position)
    go_on(position)
    assert position.is_over


@every_number
def test_rc11_building_cards_fill_the_slots_in_order(players: int) -> None:
    cards = ["farm 3", "castle 1", "farm 2"][: SIZES[players][1]]
    position = first_row(players=players)
    for number, card in enumerate(cards):
        assert row_of(position) == cards[:number]
        assert len(building_chances(position)) == 30 - number
        assert not building_chances(position) & set(cards[:number])
        position.apply(f"building {card}")
    assert node(position) == (0, [f"supply {slot + 1}" for slot in range(len(cards))])


# RC-12


def test_rc12_the_last_of_equal_buildings_is_replaced_until_they_differ() -> None:
    position = first_row("farm 1", "farm 2", "farm 3", players=4)
    assert len(building_chances(position)) == 27
    position.apply("building farm 5")
    assert row_of(position) == ["farm 1", "farm 2", "farm 5"]
    assert not building_chances(position) & {"farm 1", "farm 2", "farm 3", "farm 5"}
    position.apply("building palace 1")
    assert row_of(position) == ["farm 1", "farm 2", "palace 1"]
    assert verbs(position) == {"supply"}
    row = position.state
    assert (row.replacements_unknown, row.replacements_known) == (4, 2)


@pytest.mark.parametrize(
    ("players", "cards"),
    [
        (4, ["farm 1", "farm 2", "castle 1"]),
        (4, ["castle 1", "farm 2", "farm 1"]),
        (2, ["farm 1", "brewery 1"]),
        (3, ["farm 4", "castle 4"]),
    ],
    ids=str,
)
def test_rc12_neither_two_of_three_nor_class_nor_copy_make_them_the_same(players: int, cards: list[str]) -> None:
    both = "farm 1, farm 2, farm 4, brewery 1, brewery 2, marketplace, monastery, castle, fortune_tellers_tent, palace"
    position = first_row(*cards, players=players, buildings=both)
    assert verbs(position) == {"supply"}
    assert row_of(position) == cards


def test_rc12_known_replacements_come_up_in_the_order_they_went_in_without_a_chance_node() -> None:
    position = first_row("farm 1", "farm 2", "farm 3", "farm 4", "farm 5", "monastery 1", players=2)
    next_round(position)
    play(position, *(f"building castle {copy}" for copy in (1, 2, 3, 4, 5)), "building monastery 2")
    assert (position.state.replacements_unknown, position.state.replacements_known) == (2, 8)
    next_round(position)
    play(position, "building palace 1; building palace 2; building palace 3")
    assert "building palace 4" in position.chances()
    position.apply("building palace 4")
    assert row_of(position) == ["palace 1", "farm 2"]
    assert verbs(position) == {"supply"}
    next_round(position)
    assert "building farm 2" not in position.chances()
    play(position, "building marketplace 1; building marketplace 2")
    assert row_of(position) == ["marketplace 1", "farm 3"]
    castles, palaces = ([f"{building} {copy}" for copy in (2, 3, 4, 5)] for building in ("castle", "palace"))
    assert known_replacements(position) == ["farm 4", "farm 5", *castles, *palaces[:3], "marketplace 2"]


def test_rc12_a_known_replacement_that_is_the_same_goes_back_too() -> None:
    position = first_row("farm 1", "farm 2", "farm 3", "farm 4", "monastery 1", players=2)
    row = position.state
    assert (row.replacements_unknown, row.replacements_known) == (7, 3)
    row.replacements_unknown = 0  # what is left of the replacement deck is known: farm 2, 3, 4
    row.replacement[3] = 30  # and castle 1
    row.replacements_known = 4
    row.unknown[30] = 0
    assert known_replacements(position) == ["farm 2", "farm 3", "farm 4", "castle 1"]
    next_round(position)
    play(position, "building farm 5; building monastery 2")
    next_round(position)
    play(position, "building castle 2; building castle 3")
    assert row_of(position) == ["castle 2", "farm 2"]
    assert known_replacements(position) == ["farm 3", "farm 4", "castle 1", "castle 3"]
    row.replacement[:4] = [30, 32, 2, 3]  # the castles are next
    next_round(position)
    play(position, "building castle 4; building castle 5")
    assert row_of(position) == ["castle 4", "farm 3"]
    assert known_replacements(position) == ["farm 4", "castle 5", "castle 1", "castle 3"]


# RC-15


def test_rc15_everybody_chooses_any_card_of_the_row_in_turn() -> None:
    position = opened("farm 1, castle 2, palace 3", players=4, supply=[[0, 0, 0]] * 60)
    for seat, slot in enumerate((2, 1, 2, 3)):
        assert asked(position, seat, "supply 1", "supply 2", "supply 3")
        position.apply(f"supply {slot}")
    assert verbs(position) == {"enter"}


def test_rc15_the_card_says_how_much() -> None:
    supply = [[0, 0, 0] for _ in range(60)]
    supply[0], supply[31], supply[52] = [0, 1, 0], [0, 5, 0], [0, 8, 0]  # farm 1, castle 2, palace 3
    position = opened("farm 1, castle 2, palace 3", players=4, supply=supply)
    play(position, "supply 2; supply 1; supply 2; supply 3")
    assert rats(position) == [5, 9, 5, 2]


@pytest.mark.parametrize(
    ("copy", "draw", "drop", "look"), [(1, 4, 0, 0), (2, 0, 2, 0), (3, 2, 0, 1), (4, 2, 1, 0), (5, 0, 1, 1)]
)
@pytest.mark.parametrize("building", ["farm", "treasury"])
def test_rc15_default_supplies(building: str, copy: int, draw: int, drop: int, look: int) -> None:
    buildings = THE_OTHERS.replace("brewery", "farm")
    position = opened(f"{building} {copy}, pied_pipers_hut 1", players=2, buildings=buildings)
    position.apply("supply 1")
    for _ in range(draw):
        assert verbs(position) == {"draw"}
        position.apply(calm(position))
    for _ in range(look):
        assert verbs(position) == {"look"}
        play(position, calm(position))
        play(position, calm(position))
    assert position.actor == 1
    assert verbs(position) == {"supply"}
    assert (rats(position), sizes(position)) == ([10 - drop, 10], [5 + draw, 5])


def test_rc15_first_draw_then_drop_then_look() -> None:
    position = opened(players=2, supply=[[2, 3, 1]] * 60)
    position.apply("supply 1")
    assert verbs(position) == {"draw"}
    position.apply(calm(position))
    assert verbs(position) == {"draw"}
    position.apply(calm(position))
    assert (verbs(position), rats(position), sizes(position)) == ({"look"}, [7, 10], [7, 5])


@every_number
def test_rc15_the_starting_player_is_first(players: int) -> None:
    position = opened(players=players, supply=[[0, 0, 0]] * 60)
    next_round(position)
    go_on(position, "supply")
    order = []
    while verbs(position) == {"supply"}:
        order.append(position.actor)
        position.apply("supply 2")
    assert order == [*range(1, players), 0]
    assert position.actor == 1
    assert verbs(position) == {"enter"}


# RC-20, RC-21


def test_rc20_everybody_enters_any_building_whatever_it_chose_and_whoever_is_there() -> None:
    position = opened("farm 1, castle 1, palace 1", players=5, supply=[[0, 0, 0]] * 60)
    play(position, *["supply 1"] * 5)
    for seat, slot in enumerate((2, 2, 3, 2, 2)):
        assert asked(position, seat, "enter 1", "enter 2", "enter 3")
        play(position, f"enter {slot}", "done")
    assert position.state.slot_of.tolist() == [1, 1, 2, 1, 1]
    assert position.state.entered.tolist() == [0, 1, 2, 3, 4]


def test_rc20_the_starting_player_enters_first() -> None:
    position = doors("farm 1, castle 1", "", "", "")
    next_round(position)
    go_on(position, "enter")
    for seat in (1, 2, 0):
        assert position.actor == seat
        position.apply("enter 1")
        if not position.is_chance and "done" in position.legal():
            position.apply("done")
    assert position.state.entered[:3].tolist() == [1, 2, 0]


def test_rc21_any_number_of_cards_is_laid() -> None:
    cards = "peasantry 0, peasantry 0, joker"
    for number, texts in enumerate(("", "lay joker", "lay peasantry 0; lay joker")):
        position = doors("farm 1, castle 1", cards, cards, "")
        play(position, "enter 2", *([texts] if texts else []), "done")
        assert position.actor == 1
        assert sizes(position) == [3 - number, 3, 0]
        assert position.state.laid.sum(1).tolist() == [number, 0, 0, 0, 0]


def test_rc21_laid_cards_are_not_revealed_before_the_building_is_resolved() -> None:
    position = doors("farm 1, castle 1", "joker", "joker", "")
    play(position, "enter 2; lay joker; enter 1; lay joker")
    assert position.state.revealed.tolist() == [0] * 5
    play(position, "enter 1")
    assert position.state.revealed.tolist() == [0, 1, 1, 0, 0]


# RC-22

ROW = "farm 1, castle 1, palace 1"


def test_rc22_a_pass_can_be_played_by_who_holds_one() -> None:
    position = doors(ROW, "pass", "gold, joker", "", "")
    assert asked(position, 0, "enter 1", "enter 2", "enter 3", "pass")
    position.apply("pass")
    assert asked(position, 1, "enter 1", "enter 2", "enter 3")


def test_rc22_who_passes_returns_when_all_others_have_entered() -> None:
    position = doors(ROW, "pass", "", "", "")
    play(position, "pass; enter 1; enter 1; enter 2")
    assert asked(position, 0, "enter 1", "enter 2", "enter 3")
    position.apply("enter 1")
    assert position.state.entered[:4].tolist() == [1, 2, 3, 0]


def test_rc22_passers_return_in_the_order_in_which_they_passed() -> None:
    position = doors(ROW, "pass", "", "pass", "", "")
    play(position, "pass; enter 1; pass; enter 1; enter 1; enter 1; enter 1")
    assert position.state.entered.tolist() == [1, 3, 4, 0, 2]


def test_rc22_with_another_pass_one_may_pass_again_also_when_nobody_else_is_left() -> None:
    position = doors(ROW, "pass, pass, pass, pass", "pass", "", "")
    play(position, "pass; pass; enter 1; enter 1; pass; enter 1")
    assert asked(position, 0, "enter 1", "enter 2", "enter 3", "pass")
    play(position, "pass")
    assert asked(position, 0, "enter 1", "enter 2", "enter 3", "pass")
    play(position, "pass")
    assert asked(position, 0, "enter 1", "enter 2", "enter 3")
    position.apply("enter 1")
    assert position.state.entered[:4].tolist() == [2, 3, 1, 0]


def test_rc22_the_pass_goes_back_to_its_deck_at_once() -> None:
    position = doors(ROW, "pass, gold", "", "", "")
    assert in_deck(position, "pass") == 11
    position.apply("pass")
    assert (in_deck(position, "pass"), hand(position, 0)) == (12, "gold")


def test_rc22_a_pass_can_be_kept() -> None:
    position = doors(ROW, "pass", "", "", "")
    position.apply("enter 1")
    assert (position.actor, hand(position, 0)) == (1, "pass")


# RC-23


def test_rc23_population_cards_jokers_swords_and_flutes_can_be_laid() -> None:
    position = doors("farm 1, castle 1", "magic 3, royalty 0, joker, sword, flute, pass, gold", "")
    position.apply("enter 2")
    assert asked(position, 0, *(f"lay {card}" for card in ("magic 3", "royalty 0", "joker", "sword", "flute")), "done")


def test_rc23_laying_ends_by_itself_when_nothing_is_left_that_can_be_laid() -> None:
    position = doors("farm 1, castle 1", "joker, sword, pass, gold", "gold, pass", "")
    play(position, "enter 1; lay sword")
    assert asked(position, 0, "done", "lay joker")
    position.apply("lay joker")
    assert position.actor == 1
    assert (laid(position, 0), hand(position, 0)) == ("joker, sword", "pass, gold")
    position.apply("enter 1")
    assert position.actor == 2, "no card of player_1 can be laid"
    position.apply("enter 1")
    assert "enter 1" not in everything(position)
