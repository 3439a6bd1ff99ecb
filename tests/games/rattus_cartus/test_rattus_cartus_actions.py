"""RC-41 to RC-47 but for the Guard Tower: what a building lets its visitors do."""

import pytest
from rattus_cartus_helpers import (
    asked,
    calm,
    discarded,
    doors,
    go_on,
    hand,
    in_deck,
    influence,
    last_round,
    lay_no_more,
    leave_in_deck,
    looked,
    names,
    node,
    play,
    points,
    rank,
    ranking,
    rats,
    set_deck,
    set_rats,
    set_tokens,
    sizes,
    verbs,
)

from rat_envs.engine.position import Position

GIVES = [
    *(("marketplace", "joker"), ("office", "pass"), ("castle", "sword"), ("pied_pipers_hut", "flute")),
    ("treasury", "gold"),
]
NUN_ROW = "magic 0, magic 0, magic 4, magic 4, magic 4"


def visit(building: str, *hands: str) -> Position:
    """Two players have entered a building and laid nothing, the third another one."""
    position = doors(f"{building} 1, {'farm' if building != 'farm' else 'castle'} 1", *hands, "")
    play(position, "enter 1; enter 1; enter 2")
    return position


# The buildings, RC-41, RC-42


@pytest.mark.parametrize(("building", "card"), GIVES)
def test_rc41_a_building_that_gives_two_cards_or_one(building: str, card: str) -> None:
    position = visit(building, "", "")
    before = in_deck(position, card)
    for seat in range(2):
        assert asked(position, seat, "act", "decline")
        position.apply("act")
    assert [hand(position, seat) for seat in range(3)] == [f"{card}, {card}", card, ""]
    assert in_deck(position, card) == before - 3


def test_rc41_farm() -> None:
    position = visit("farm", "", "")
    position.apply("act")
    for number in range(4):
        assert (verbs(position), sizes(position)) == ({"draw"}, [number, 0, 0])
        position.apply(calm(position))
    assert asked(position, 1, "act", "decline")
    position.apply("act")
    for number in range(2):
        assert (verbs(position), sizes(position)) == ({"draw"}, [4, number, 0])
        position.apply(calm(position))
    assert (position.actor, sizes(position)) == (2, [4, 2, 0])


def test_rc41_monastery() -> None:
    position = visit("monastery", "", "")
    play(position, "act; act")
    assert rats(position) == [8, 9, 10]


def test_rc41_fortune_tellers_tent() -> None:
    position = visit("fortune_tellers_tent", "", "")
    play(position, "act; look 3; nun magic 0; look 1; nun magic 4; act; look 3")
    assert (looked(position, 0), looked(position, 1)) == ([1, 3], [3])
    assert position.actor == 2


def test_rc41_palace() -> None:
    position = visit("palace", "", "")
    play(position, "act; act")
    assert points(position) == [2, 1, 0]
    assert position.state.tokens.sum() == 17


@pytest.mark.parametrize(
    "building",
    ["farm", "marketplace", "office", "monastery", "hospital", "castle", "fortune_tellers_tent", "pied_pipers_hut"]
    + ["palace", "treasury"],
)
def test_rc41_an_action_may_be_declined(building: str) -> None:
    position = visit(building, "gold", "gold")
    assert asked(position, 0, "act", "decline")
    play(position, "decline")
    assert position.actor == 1
    play(position, "done" if building == "hospital" else "decline")
    assert position.actor == 2
    assert (rats(position), sizes(position), points(position)) == ([10] * 3, [1, 1, 0], [0] * 3)
    assert looked(position, 0) == looked(position, 1) == []


@pytest.mark.parametrize(("building", "card"), GIVES)
def test_rc41_without_a_card_in_the_deck_nothing_is_asked(building: str, card: str) -> None:
    for left in (0, 2):
        position = doors(f"{building} 1, farm 1", "", "", "")
        set_deck(position, card, left)
        play(position, "enter 1; enter 1; enter 2", *["act"] * (left > 0))
        assert position.actor == 2, "the premium player takes the last ones"
        assert sizes(position) == [left, 0, 0]


def test_rc41_without_a_card_to_draw_nothing_is_asked() -> None:
    position = doors("farm 1, castle 1", "", "", "")
    leave_in_deck(position, "magic 1", NUN_ROW)
    play(position, "enter 1; enter 1; enter 2; act; draw magic 1")
    assert position.actor == 2
    position = doors("brewery 1, castle 1", "joker", "joker, joker", "")
    leave_in_deck(position, "magic 1", NUN_ROW)
    play(position, "enter 1; lay joker; enter 1; lay joker; lay joker; enter 2; act; draw magic 1")
    assert position.actor == 2


@pytest.mark.parametrize("building", ["monastery", "hospital"])
def test_rc41_without_a_rat_nothing_is_asked(building: str) -> None:
    position = doors(f"{building} 1, castle 1", "gold", "gold", "")
    set_rats(position, 0, 0)
    play(position, "enter 1; enter 1; enter 2")
    assert position.actor == 2


def test_rc41_without_a_token_nothing_is_asked() -> None:
    position = doors("palace 1, castle 1", "", "", "")
    set_tokens(position, 2)
    play(position, "enter 1; enter 1; enter 2; act")
    assert (position.actor, points(position)) == (2, [2, 0, 0])


def test_rc41_looking_always_counts_as_something() -> None:
    position = visit("fortune_tellers_tent", "", "")
    position.state.nun[:] = 20
    position.state.looked[:] = 0b11
    assert asked(position, 0, "act", "decline")
    play(position, "act; look 1; look 2")
    assert asked(position, 1, "act", "decline")
    play(position, "act; look 1")
    assert position.actor == 2


def test_rc42_the_premium_player_acts_first_then_the_others_by_entry() -> None:
    position = doors("castle 1, farm 1, palace 1", "", "", "joker", "", "", buildings="recommended")
    play(position, "enter 1; enter 1; enter 1; lay joker; enter 1; enter 1")
    order = []
    for _ in range(5):
        order.append(position.actor)
        position.apply("act")
    assert order == [2, 0, 1, 3, 4]
    assert sizes(position) == [1, 1, 2, 1, 1]


# RC-43


def hospital(*hands: str) -> Position:
    """Everybody with a hand enters the Hospital without laying, and one other player the Palace."""
    position = doors("hospital 1, palace 1", *hands, "")
    for _ in hands:
        position.apply("enter 1")
        lay_no_more(position)
    position.apply("enter 2")
    return position


def test_rc43_premium_drops_a_rat_and_up_to_three_cards_for_a_rat_each() -> None:
    position = hospital("magic 0, joker, sword, gold, pass", "")
    assert asked(position, 0, "act", "decline")
    position.apply("act")
    assert rats(position)[0] == 9
    assert node(position) == (
        0,
        ["discard gold", "discard joker", "discard magic 0", "discard pass", "discard sword", "done"],
    )
    play(position, "discard gold; discard magic 0; discard pass")
    assert rats(position)[0] == 6
    assert hand(position, 0) == "joker, sword"
    assert position.actor == 2, "player_1 has no cards"


def test_rc43_each_card_goes_to_its_pile_or_deck_at_once() -> None:
    position = hospital("magic 0, joker, sword, gold, pass", "")
    play(position, "act; discard joker")
    assert (in_deck(position, "joker"), rats(position)[0]) == (15, 8)
    play(position, "discard magic 0")
    assert (discarded(position), rats(position)[0]) == ("magic 0", 7)
    play(position, "discard sword")
    assert (in_deck(position, "sword"), in_deck(position, "gold")) == (12, 14)


def test_rc43_standard_discards_up_to_two_and_is_declined_by_discarding_nothing() -> None:
    position = hospital("", "magic 0, magic 0, magic 1")
    position.apply("decline")
    assert asked(position, 1, "discard magic 0", "discard magic 1", "done")
    play(position, "discard magic 0; discard magic 0")
    assert (position.actor, rats(position), sizes(position)) == (2, [10, 8, 10], [0, 1, 0])
    position = hospital("", "magic 0, magic 0, magic 1")
    play(position, "decline; done")
    assert (position.actor, rats(position), sizes(position)) == (2, [10, 10, 10], [0, 3, 0])


@pytest.mark.parametrize("number", [0, 1, 2])
def test_rc43_one_may_stop_after_any_card(number: int) -> None:
    position = hospital("magic 0, magic 1, magic 2", "")
    play(position, "act", *(f"discard magic {nuns}" for nuns in range(number)), "done")
    assert (position.actor, rats(position)[0], sizes(position)[0]) == (2, 9 - number, 3 - number)


@pytest.mark.parametrize(("before", "discards"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3)])
def test_rc43_only_while_a_rat_is_left(before: int, discards: int) -> None:
    position = doors("hospital 1, palace 1", "gold, gold, gold, gold", "", "")
    set_rats(position, before)
    play(position, "enter 1; enter 2; enter 2; act", *["discard gold"] * discards)
    assert (position.actor, sizes(position)[0]) == (1, 4 - discards)
    assert rats(position)[0] == before - 1 - discards


@pytest.mark.parametrize(("before", "discards"), [(0, 0), (1, 1), (2, 2), (3, 2)])
def test_rc43_standard_only_while_a_rat_is_left(before: int, discards: int) -> None:
    position = doors("hospital 1, palace 1", "", "gold, gold, gold", "")
    set_rats(position, 0, before)
    play(position, "enter 1; enter 1; enter 2", *["discard gold"] * discards)
    assert (position.actor, sizes(position)[1], rats(position)[1]) == (2, 3 - discards, before - discards)


def test_rc43_premium_without_a_card_drops_a_rat() -> None:
    position = hospital("", "")
    play(position, "act")
    assert (rats(position), position.actor) == ([9, 10, 10], 2)


def test_rc43_laid_cards_cannot_be_discarded() -> None:
    position = doors("hospital 1, palace 1", "church 0, gold", "", "")
    play(position, "enter 1; lay church 0; enter 2; enter 2; act")
    assert asked(position, 0, "discard gold", "done")


# RC-45


def test_rc45_in_the_final_round_a_point_for_each_premium_player_and_no_actions() -> None:
    position = doors("farm 1, castle 1, palace 1", "joker", "", "", "", "joker, joker", buildings="recommended")
    last_round(position)
    play(position, "enter 1; lay joker; enter 2; enter 2; enter 3; enter 1; lay joker; lay joker")
    assert verbs(position) == {"nun"}
    assert influence(position, "peasantry") == [1, 0, 0, 0, 3]
    assert influence(position, "chivalry") == [0, 1, 0, 0, 0]
    assert influence(position, "royalty") == [0, 0, 0, 1, 0]
    assert (sizes(position), rats(position), points(position)) == ([0] * 5, [10] * 5, [0] * 5)


def test_rc45_the_point_comes_after_everybody_s_cards() -> None:
    """player_0 reaches the second space first, by its cards; the premium point takes player_1 there later."""
    position = doors("farm 1, castle 1", "joker, joker", "joker", "")
    last_round(position)
    rank(position, "peasantry", 0, 2, 0)
    play(position, "enter 1; lay joker; lay joker; enter 1; lay joker; enter 2")
    assert influence(position, "peasantry") == [3, 3, 0]
    assert ranking(position, "peasantry") == [1, 0]


def test_rc45_two_players_have_one_premium_player() -> None:
    position = doors("farm 1, castle 1", "joker", "joker")
    last_round(position)
    play(position, "enter 1; lay joker; enter 2; lay joker")
    assert (influence(position, "peasantry"), influence(position, "chivalry")) == ([2, 0], [0, 1])


def test_rc45_two_players_the_later_one_by_more_cards() -> None:
    position = doors("farm 1, castle 1", "joker", "joker, joker")
    last_round(position)
    play(position, "enter 1; lay joker; enter 2; lay joker; lay joker")
    assert (influence(position, "peasantry"), influence(position, "chivalry")) == ([1, 0], [0, 3])


def test_rc45_swords_and_flutes_work_as_always() -> None:
    position = doors("farm 1, castle 1", "sword, flute", "gold, gold", "")
    last_round(position)
    play(position, "enter 1; lay sword; lay flute; enter 1; enter 2; give gold")
    assert (sizes(position), rats(position)) == ([1, 1, 0], [9, 11, 10])
    assert verbs(position) == {"nun"}


def test_rc45_laid_cards_are_discarded_in_the_final_round_too() -> None:
    position = doors("farm 1, castle 1", "joker, magic 3", "", "")
    last_round(position)
    play(position, "enter 1; lay joker; lay magic 3; enter 2; enter 2")
    assert (discarded(position), in_deck(position, "joker")) == ("magic 3", 15)


# RC-47


def test_rc47_there_is_no_hand_limit() -> None:
    position = doors("marketplace 1, farm 1", "pass, pass, pass, pass, pass, pass, pass, pass, gold, gold, gold", "")
    play(position, "enter 1; enter 2; act; act; draw magic 0; draw magic 0")
    assert sizes(position) == [13, 2]
    go_on(position, "supply")
    assert names(position.state.hand[0]).count("pass") == 8


def test_rc47_the_brewery_pays_for_the_points_scored_there() -> None:
    """Three points: three cards for the premium player; three: one for the others; one: nothing, and nobody asks."""
    position = doors("brewery 1, palace 1, castle 1", "joker, joker, magic 0", "joker, joker, joker", "joker", "")
    rank(position, "peasantry", 0, 9, 9, 0)
    play(position, "enter 1; lay joker; lay joker; lay magic 0; enter 1; lay joker; lay joker; lay joker")
    play(position, "enter 1; lay joker; enter 2; act")
    for number in range(3):
        assert (verbs(position), sizes(position)) == ({"draw"}, [number, 0, 0, 0])
        position.apply(calm(position))
    assert asked(position, 1, "act", "decline")
    position.apply("act")
    assert verbs(position) == {"draw"}
    position.apply(calm(position))
    assert (sizes(position), position.actor) == ([3, 1, 0, 0], 3)


def test_rc47_no_points_no_beer() -> None:
    position = doors("brewery 1, palace 1", "", "", "")
    play(position, "enter 1; enter 1; enter 2")
    assert position.actor == 2


def test_rc47_with_two_players_a_lone_visitor_of_the_brewery_may_have_half() -> None:
    position = doors("brewery 1, palace 1", "joker, joker", "joker, joker, joker")
    play(position, "enter 1; lay joker; lay joker; enter 2; lay joker; lay joker; lay joker; act")
    assert verbs(position) == {"draw"}
    position.apply(calm(position))
    assert (sizes(position), position.actor) == ([1, 0], 1)


# RC-50


def test_rc50_discs_come_back_the_row_is_discarded_and_the_left_neighbour_starts() -> None:
    position = doors("farm 1, castle 1", "joker", "", "")
    play(position, "enter 1; lay joker; enter 2; enter 1; decline; decline; decline")
    row = position.state
    assert verbs(position) == {"building"}
    assert (int(row["rounds_played"]), int(row.starting)) == (1, 1)
    assert row.slot_of[:3].tolist() == [-1, -1, -1]
    assert row.slot.tolist() == [-1, -1, -1]
    assert not {"building farm 1", "building castle 1"} & set(position.chances())
    assert len(position.chances()) == 28
    for seat in (2, 0, 1):
        go_on(position, "enter")
        play(position, *[calm(position)])
        go_on(position, "building")
        assert int(row.starting) == seat
