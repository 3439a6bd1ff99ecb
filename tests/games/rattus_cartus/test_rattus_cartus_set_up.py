"""RC-01 to RC-09: players, buildings, rats, decks, the deal and the nun-row."""

import pytest
from rattus_cartus_components import CLASSES, RECOMMENDED, copies_of
from rattus_cartus_games import BOTH, BUILDINGS, THE_OTHERS
from rattus_cartus_helpers import (
    COPIES,
    ONLOOKER,
    asked,
    calm,
    discarded,
    doors,
    go_on,
    hand,
    in_deck,
    influence,
    leave_in_deck,
    looked,
    names,
    opened,
    play,
    points,
    rats,
    set_deck,
    set_rats,
    set_tokens,
    sizes,
    start,
    verbs,
)

from rat_envs.engine.position import Position

every_number = pytest.mark.parametrize("players", [2, 3, 4, 5])


def after_the_deal(**config: object) -> Position:
    """The first chance node of the first row."""
    position = start(**config)
    while verbs(position) != {"building"}:
        position.apply(calm(position))
    return position


def in_use(position: Position) -> set[str]:
    """The building cards that can come up."""
    assert set(position.chances().values()) == {1}
    return {text.removeprefix("building ") for text in position.chances()}


# RC-01


@every_number
def test_rc01_player_0_starts_and_turns_go_clockwise(players: int) -> None:
    position = opened(players=players, supply=[[0, 0, 0]] * 60)
    order = []
    while verbs(position) == {"supply"}:
        order.append(position.actor)
        position.apply("supply 1")
    while verbs(position) & {"enter"}:
        order.append(position.actor)
        play(position, "enter 1", "done")
    assert order == [*range(players)] * 2


# RC-02


def test_rc02_recommended_buildings() -> None:
    right = {card for building in RECOMMENDED.split(",") for card in copies_of(building)}
    assert len(right) == 30
    assert in_use(after_the_deal()) == right


def test_rc02_one_building_of_each_class_by_lot() -> None:
    position = start(buildings="random_building")
    chosen = BUILDINGS[1::2]
    for number, building in enumerate(chosen):
        assert position.chances() == {f"choose {BUILDINGS[2 * number]}": 1, f"choose {building}": 1}
        position.apply(f"choose {building}")
    go_on(position, "building")
    assert in_use(position) == {card for building in chosen for card in copies_of(building)}


def test_rc02_five_of_each_class_s_ten_cards_by_lot() -> None:
    position = start(buildings="random_cards")
    chosen = set()
    for number in range(len(CLASSES)):
        one, other = (copies_of(building) for building in BUILDINGS[2 * number : 2 * number + 2])
        left = [*one, *other]
        for card in (other[4], one[0], other[1], one[3], one[2]):
            assert position.chances() == {f"choose {each}": 1 for each in left}
            position.apply(f"choose {card}")
            left.remove(card)
            chosen.add(card)
    go_on(position, "building")
    assert in_use(position) == chosen


def test_rc02_a_list_names_buildings_and_single_cards() -> None:
    text = "treasury 5,farm, office 1, office 3,marketplace 2, office 5, marketplace 4, hospital,castle 1"
    text += ", castle 2, castle 3, castle 4, guard_tower 5, pied_pipers_hut, palace 1, palace 2, palace 3, palace 4"
    right = {card for each in ("farm", "hospital", "pied_pipers_hut") for card in copies_of(each)}
    right |= {"office 1", "office 3", "office 5", "marketplace 2", "marketplace 4", "guard_tower 5", "treasury 5"}
    right |= {f"{building} {copy}" for building in ("castle", "palace") for copy in (1, 2, 3, 4)}
    assert in_use(after_the_deal(buildings=text)) == right


def test_rc02_the_guard_tower_is_not_forbidden_to_two_players() -> None:
    assert set(copies_of("guard_tower")) <= in_use(after_the_deal(players=2, buildings=THE_OTHERS))


# RC-03, RC-04


@every_number
def test_rc03_nobody_has_influence(players: int) -> None:
    position = start(players=players)
    assert all(influence(position, track) == [0] * players for track in CLASSES)


@every_number
def test_rc04_everybody_starts_with_ten_rats(players: int) -> None:
    assert rats(start(players=players)) == [10] * players


def test_rc04_who_must_drop_more_rats_than_it_has_drops_all_it_has() -> None:
    position = opened(players=3, supply=[[0, 9, 0]] * 60)
    set_rats(position, 8, 0, 12)
    play(position, "supply 1; supply 1; supply 1")
    assert rats(position) == [0, 0, 3]
    position = doors("monastery 1, castle 1", "", "")
    set_rats(position, 1)
    play(position, "enter 1; enter 2; act")
    assert rats(position)[0] == 0


def test_rc04_the_supply_of_rats_never_runs_out() -> None:
    position = doors("monastery 1, castle 1", "magic 0, magic 1", "magic 0")
    set_rats(position, 449, 500)
    play(position, "enter 1; lay magic 0; lay magic 1; enter 1; lay magic 0")
    assert rats(position) == [451, 501]


# RC-05


@pytest.mark.parametrize(
    ("buildings", "decks"),
    [
        ("recommended", [12, 0, 0, 0]),
        (THE_OTHERS, [0, 12, 12, 15]),
        (BOTH, [12, 12, 12, 15]),
        ("farm,marketplace,hospital,guard_tower,fortune_tellers_tent,palace", [0, 0, 0, 0]),
        (BOTH.replace("treasury 4,treasury 2", "palace 2,palace 4"), [12, 12, 12, 0]),
    ],
    ids=["recommended", "others", "both", "none", "all but one"],
)
def test_rc05_jokers_and_the_decks_that_a_building_in_use_gives(buildings: str, decks: list[int]) -> None:
    position = after_the_deal(buildings=buildings)
    assert in_deck(position, "joker") == 15
    assert [in_deck(position, card) for card in ("sword", "flute", "pass", "gold")] == decks


def test_rc05_the_decks_go_by_the_buildings_that_chance_has_chosen() -> None:
    position = start(buildings="random_building")
    for building in ("farm", "office", "hospital", "castle", "pied_pipers_hut", "palace"):
        position.apply(f"choose {building}")
    assert [in_deck(position, card) for card in ("joker", "sword", "flute", "pass", "gold")] == [15, 12, 12, 12, 0]


def test_rc05_who_should_take_more_cards_than_there_are_takes_what_there_is() -> None:
    position = doors("marketplace 1, castle 1", "", "", "")
    set_deck(position, "joker", 1)
    play(position, "enter 1; enter 1; enter 2; act")
    assert (hand(position, 0), in_deck(position, "joker")) == ("joker", 0)


def test_rc05_who_should_take_more_tokens_than_there_are_takes_what_there_is() -> None:
    position = doors("palace 1, castle 1", "", "", "")
    set_tokens(position, 1)
    play(position, "enter 1; enter 1; enter 2; act")
    assert (points(position), position.state.tokens.sum()) == ([1, 0, 0], 0)


# RC-06


@every_number
def test_rc06_five_cards_each_player_0_first(players: int) -> None:
    position = start(players=players)
    for number in range(5 * players):
        assert sizes(position) == [min(5, max(0, number - 5 * seat)) for seat in range(players)]
        assert verbs(position) == {"draw"}
        assert sum(position.chances().values()) == 84 - number, "the cards of the row are as unknown as the deck"
        position.apply(calm(position))
    assert verbs(position) == {"building"}
    assert sizes(position) == [5] * players
    assert position.state.deck_size == 84 - 5 - 5 * players


def test_rc06_the_deck_has_the_cards_of_the_table() -> None:
    right = {f"draw {each} {nuns}": (4, 2, 2, 2, 4)[nuns] for each in CLASSES for nuns in range(5)}
    assert start().chances() == right
    assert [sum(right[f"draw {each} {nuns}"] for each in CLASSES) for nuns in range(5)] == [24, 12, 12, 12, 24]
    assert COPIES.sum() == 84


def test_rc06_a_card_that_is_drawn_is_gone() -> None:
    position = start()
    position.apply("draw church 1")
    assert position.chances()["draw church 1"] == 1
    position.apply("draw church 1")
    assert "draw church 1" not in position.chances()
    assert hand(position, 0) == "church 1, church 1"


def test_rc06_the_places_of_the_row_never_change() -> None:
    position = doors("fortune_tellers_tent 1, castle 1", "", "", "")
    play(position, "enter 1; enter 1; enter 1; act; look 4; nun magic 3; look 2; nun church 0; act; look 4")
    assert asked(position, 2, "act", "decline"), "what lies there is known"
    assert position.state.nun.tolist()[1::2] == [10, 23]


# RC-07

NUN_ROW = "church 0, church 4, church 4, church 4, church 4"


def test_rc07_an_empty_deck_is_renewed_at_once_from_the_discard_pile() -> None:
    position = doors("farm 1, fortune_tellers_tent 1", "", "", "")
    leave_in_deck(position, "magic 0", NUN_ROW, discarded="royalty 1, royalty 1, royalty 2")
    play(position, "enter 1; enter 1; enter 2; act")
    assert position.chances() == {"draw magic 0": 1, "draw church 0": 1, "draw church 4": 4}
    position.apply("draw magic 0")
    assert position.chances() == {"draw royalty 1": 2, "draw royalty 2": 1}
    assert discarded(position) == ""
    play(position, "draw royalty 1; draw royalty 2")
    assert position.chances() == {"draw royalty 1": 1}
    position.apply("draw royalty 1")
    assert hand(position, 0) == "magic 0, royalty 1, royalty 1, royalty 2"
    assert asked(position, 2, "act", "decline"), "player_1 has no card to draw"
    play(position, "act; look 5")
    assert position.chances() == {"nun church 0": 1, "nun church 4": 4}


def test_rc07_the_deck_is_renewed_although_nobody_draws_on() -> None:
    position = doors("farm 1, castle 1", "", "")
    leave_in_deck(position, "magic 0, magic 1, magic 2, magic 3", NUN_ROW, discarded="royalty 4")
    play(position, "enter 1; enter 2; act; draw magic 0; draw magic 1; draw magic 2; draw magic 3")
    assert (position.state.deck_size, discarded(position)) == (1, "")


def test_rc07_cards_still_in_front_of_players_are_not_in_the_new_deck() -> None:
    position = doors("farm 1, castle 1", "peasantry 1", "magic 4", "royalty 2")
    leave_in_deck(position, "magic 0", NUN_ROW, discarded="chivalry 3")
    play(position, "enter 1; lay peasantry 1; enter 1; lay magic 4; enter 2; lay royalty 2; act; draw magic 0")
    assert position.chances() == {"draw chivalry 3": 1}


def test_rc07_draws_are_forgone_while_deck_and_discard_pile_are_empty() -> None:
    position = doors("farm 1, castle 1", "peasantry 1", "", "")
    leave_in_deck(position, "magic 0, magic 1", NUN_ROW)
    play(position, "enter 1; lay peasantry 1; enter 2; enter 2; act; draw magic 0; draw magic 1")
    assert asked(position, 1, "act", "decline")
    assert (hand(position, 0), position.state.deck_size) == ("magic 0, magic 1", 1)
    assert discarded(position) == "", "what was laid has become the deck as soon as it was discarded"


def test_rc07_the_first_card_discarded_is_the_new_deck_then() -> None:
    position = doors("hospital 1, brewery 1", "church 1, church 2, joker", "")
    leave_in_deck(position, "magic 0", NUN_ROW)
    play(position, "enter 1; done; enter 2; act; discard church 1")
    assert discarded(position) == "church 1", "there is a deck"
    position = doors("hospital 1, brewery 1", "church 1, church 2, joker", "")
    leave_in_deck(position, "magic 0", NUN_ROW)
    position.state.ran_out, position.state.deck_size = 1, 0
    position.state.sleeping[:], position.state.pool[:] = position.state.pool, 0
    play(position, "enter 1; done; enter 2; act; discard church 1")
    assert (position.state.deck_size, names(position.state.pool), discarded(position)) == (1, "church 1", "")
    play(position, "discard church 2")
    assert (position.state.deck_size, discarded(position)) == (1, "church 2"), "the new deck is not empty"


def test_rc07_supplies_are_forgone_too() -> None:
    position = opened("farm 1, castle 1", players=2, supply=[[3, 1, 0]] * 60)
    leave_in_deck(position, "magic 0", NUN_ROW)
    play(position, "supply 1; draw magic 0")
    assert asked(position, 1, "supply 1", "supply 2")
    play(position, "supply 2")
    assert (sizes(position), rats(position)) == ([6, 5], [9, 9])


# RC-08


@pytest.mark.parametrize(("players", "cards"), [(2, 10), (3, 12), (4, 6), (5, 6)])
def test_rc08_the_replacement_deck_is_taken_off_unseen(players: int, cards: int) -> None:
    position = after_the_deal(players=players)
    assert len(in_use(position)) == 30
    assert (position.state.replacements_unknown, position.state.replacements_known) == (cards, 0)
    rounds, slots = {2: (10, 2), 3: (9, 2), 4: (8, 3), 5: (8, 3)}[players]
    assert 30 - cards == rounds * slots


# RC-09


def test_rc09_the_looks_of_one_action_go_to_different_places() -> None:
    position = opened(players=2, supply=[[0, 0, 3]] * 60)
    position.apply("supply 1")
    assert asked(position, 0, *(f"look {place}" for place in (1, 2, 3, 4, 5)))
    position.apply("look 4")
    assert verbs(position) == {"nun"}
    play(position, "nun magic 0")
    assert asked(position, 0, "look 1", "look 2", "look 3", "look 5")
    play(position, "look 1; nun magic 4")
    assert asked(position, 0, "look 2", "look 3", "look 5")


def test_rc09_five_looks_are_at_every_place() -> None:
    position = opened(players=2, supply=[[0, 0, 5]] * 60)
    position.apply("supply 1")
    go_on(position, "supply")
    assert looked(position, 0) == [1, 2, 3, 4, 5]


def test_rc09_a_card_stays_and_can_be_looked_at_again_by_anybody() -> None:
    position = opened(players=2, supply=[[0, 0, 1]] * 60)
    play(position, "supply 1; look 2; nun royalty 3; supply 2; look 2")
    assert (looked(position, 0), looked(position, 1)) == ([2], [2])
    go_on(position, "supply")
    assert position.actor == 1
    play(position, "supply 1; look 2; supply 1; look 3")
    assert verbs(position) == {"nun"}
    assert "nun royalty 3" in position.chances()
    assert position.chances()["nun royalty 3"] == COPIES[28] - 1 - sum(
        hand(position, seat).split(", ").count("royalty 3") for seat in (0, 1)
    )


def test_rc09_only_who_looked_has_looked() -> None:
    position = opened(players=3, supply=[[0, 0, 1]] * 60)
    play(position, "supply 1; look 2; nun royalty 3; supply 1; look 5; nun royalty 4")
    assert [looked(position, seat) for seat in (0, 1, 2, ONLOOKER)] == [[2], [5], [], []]
