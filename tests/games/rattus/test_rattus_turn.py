"""RT-10 to RT-16: a turn up to the move of the plague; RT-42, RT-43: Peasant and Knight in it."""

import pytest
from rattus_helpers import (
    cards,
    cubes,
    everything,
    neighbours,
    options,
    pass_turn,
    plague,
    play,
    rats,
    settled,
    stock,
    supply,
    table,
    tokens,
    verbs,
)
from rattus_referee import CARDS, TABLE_ORDER

from rat_envs.engine.errors import IllegalActionError

#: All abilities that are used by an action of their own.
ABILITIES = {"merchant", "monk", "witch", "king"}


def test_rt10_card_and_cubes_in_either_order_then_the_plague() -> None:
    for texts in (["take king", "place anglia"], ["place anglia", "take king"]):
        position = table(rats={"scandia": 0})
        assert verbs(position) == {"take", "place"}
        position.apply(texts[0])
        assert ("take" in verbs(position)) == (texts[0] != "take king")
        assert ("place" in verbs(position)) == (texts[0] == "take king")
        position.apply(texts[1])
        assert verbs(position) == {"plague"}
        position.apply("plague scandia")
        assert position.actor == 1


def test_rt10_the_plague_is_last() -> None:
    position = table("germania", {"scandia": [2]}, {"scandia": 1})
    play(position, "place anglia", "plague scandia")
    assert position.actor == 0
    assert verbs(position) == {"rat"}  # no card can be taken any more
    play(position, "rat russia")
    assert position.is_chance
    play(position, "token s01")
    assert position.actor == 1


def test_rt11_taking_a_card_is_optional() -> None:
    position = table()
    play(position, "place anglia", "plague scandia", "rat russia")
    assert position.actor == 1
    assert cards(position, 0) == set()


def test_rt11_at_most_one_card_a_turn() -> None:
    position = table()
    position.apply("take witch")
    assert "take" not in verbs(position)
    play(position, "place anglia")
    assert "take" not in verbs(position)


def test_rt11_a_card_from_beside_the_board_or_from_another_player_but_none_of_ones_own() -> None:
    position = table(cards={"monk": 0, "king": 2, "witch": 3}, active=2)
    assert options(position, "take") == set(CARDS) - {"king"}
    position.apply("take witch")
    assert (cards(position, 2), cards(position, 3)) == ({"king", "witch"}, set())


def test_rt11_whether_or_not_one_holds_cards_and_from_whoever_holds_several() -> None:
    held = dict.fromkeys(("peasant", "merchant", "monk"), 0) | dict.fromkeys(("knight", "witch"), 1)
    position = table(cards=held)
    assert options(position, "take") == {"knight", "witch", "king"}
    position.apply("take knight")
    assert (cards(position, 0), cards(position, 1)) == ({"peasant", "merchant", "monk", "knight"}, {"witch"})


def test_rt11_one_has_the_abilities_of_all_cards_held() -> None:
    held = dict.fromkeys(CARDS, 0)
    position = table("germania", {"gallia": [2], "italia": [1]}, {"italia": 0}, held)
    assert verbs(position) == {"place", "peasant", "merchant", "monk", "witch", "king"}
    position.apply("place gallia")
    assert verbs(position) == {"merchant", "monk", "witch", "king", "plague"}
    assert len(options(position, "plague")) > len(neighbours("germania"))


def test_rt11_nobody_can_refuse_and_a_card_stays_until_it_is_taken() -> None:
    position = settled()
    position.apply("take merchant")
    for _ in range(4):
        pass_turn(position)
    assert (position.actor, cards(position, 0)) == (0, {"merchant"})
    pass_turn(position)
    position.apply("take merchant")
    assert position.actor == 1  # nobody was asked
    assert (cards(position, 0), cards(position, 1)) == (set(), {"merchant"})


def test_rt12_the_rulebooks_example() -> None:
    for region, number in (("gallia", 3), ("germania", 1)):
        position = table("scandia", rats={"gallia": 3, "germania": 1, "italia": 0}, active=1)
        assert "italia" not in options(position, "place")
        position.apply(f"place {region}")
        assert cubes(position, region) == [0, number, 0, 0]
        assert stock(position) == [20, 20 - number, 20, 20]


def test_rt12_as_many_cubes_as_there_are_rats_in_any_region_with_rats() -> None:
    numbers = {region: number % 4 for number, region in enumerate(TABLE_ORDER)}
    position = table(rats=numbers)
    assert options(position, "place") == {region for region, number in numbers.items() if number}
    for region in options(position, "place"):
        other = position.copy()
        other.apply(f"place {region}")
        assert cubes(other, region) == [numbers[region], 0, 0, 0]


def test_rt12_they_join_the_cubes_that_are_there() -> None:
    position = table("scandia", {"gallia": [1, 2, 0, 3]}, {"gallia": 2}, active=1)
    position.apply("place gallia")
    assert cubes(position, "gallia") == [1, 4, 0, 3]
    assert stock(position)[1] == 16


def test_rt13_cubes_are_placed_exactly_once_a_turn() -> None:
    position = table()
    with pytest.raises(IllegalActionError):
        position.apply("plague scandia")
    position.apply("place anglia")
    assert "place" not in verbs(position)
    play(position, "plague scandia", "rat russia")
    assert position.actor == 1
    with pytest.raises(IllegalActionError):
        position.apply("plague russia")  # the next player has to place as well


def test_rt13_taking_a_card_or_using_one_is_no_placing() -> None:
    position = table("scandia", {"gallia": [2]}, cards={"merchant": 0})
    play(position, "take king", "merchant gallia 1", "to italia")
    assert verbs(position) == {"place"}


@pytest.mark.parametrize("left", [1, 2])
def test_rt14_with_fewer_cubes_in_stock_than_due_all_are_placed(left: int) -> None:
    position = table("scandia", {"italia": [20 - left]}, {"gallia": 3})
    position.apply("place gallia")
    assert cubes(position, "gallia")[0] == left
    assert stock(position)[0] == 0


def test_rt14_never_fewer_than_due_otherwise() -> None:
    position = table("scandia", {"italia": [17]}, {"gallia": 3})
    position.apply("place gallia")
    assert cubes(position, "gallia")[0] == 3
    assert stock(position)[0] == 0


@pytest.mark.parametrize("region", TABLE_ORDER)
def test_rt15_the_plague_moves_to_a_neighbour_and_cannot_stay(region: str) -> None:
    position = table(region, placed=True)
    assert options(position, "plague") == neighbours(region)
    assert region not in options(position, "plague")
    goal = min(neighbours(region))
    position.apply(f"plague {goal}")
    assert plague(position) == goal


def test_rt15_first_the_spread_then_the_ravage_of_the_region_reached() -> None:
    position = table("germania", {"gallia": [3], "germania": [3]}, {"gallia": "supply supply"}, placed=True)
    position.apply("plague gallia")
    assert verbs(position) == {"rat"}
    play(position, "rat italia", "rat italia")
    assert verbs(position) == {"flip"}
    play(position, "flip 1", "token r03", "token r04")
    assert (rats(position, "gallia"), rats(position, "germania")) == (0, 1)
    assert position.actor == 1


def test_rt16_only_the_active_player_uses_abilities() -> None:
    held = dict.fromkeys(CARDS, 1)
    position = table("germania", {"gallia": [2, 2], "italia": [1, 1]}, {"italia": 0}, held)
    assert verbs(position) == {"take", "place"}
    position.apply("place gallia")
    assert verbs(position) == {"take", "plague"}
    assert options(position, "plague") == neighbours("germania")
    play(position, "plague gallia", "rat italia")
    assert position.is_chance  # nobody was asked for a bonus


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("merchant gallia 1", ["to italia"]),
        ("monk gallia 1", ["to hispania"]),
        ("witch gallia 1", ["token s01", "stop"]),
        ("king italia", []),
    ],
)
def test_rt16_each_card_once_a_turn_and_again_in_the_next(first: str, rest: list[str]) -> None:
    card = first.split()[0]
    position = table("germania", {"gallia": [3], "italia": [2]}, {"italia": 0}, dict.fromkeys(ABILITIES, 0))
    play(position, first, *rest)
    assert verbs(position) & ABILITIES == ABILITIES - {card}
    play(position, "place polonia")
    assert verbs(position) & ABILITIES == ABILITIES - {card}
    play(position, "plague hungaria", "rat polonia")
    assert position.actor == (0 if card != "king" else 1)
    if card != "king":
        assert {"king italia", "pass"} <= set(position.legal())  # RT-47
        position.apply("pass")
    for _ in range(3):
        play(position, "place turcia", f"plague {'bulgaria' if plague(position) != 'bulgaria' else 'hungaria'}")
        while verbs(position) <= {"rat", "token", "flip"}:
            position.apply(everything(position)[-1])
    assert position.actor == 0
    assert verbs(position) & ABILITIES == ABILITIES


def test_rt16_in_any_order_before_between_and_after_the_actions() -> None:
    held = {"merchant": 0, "monk": 0, "king": 0}
    home = {"gallia": [3], "italia": [2]}
    for order in (
        [
            "king italia",
            "merchant gallia 1",
            "to germania",
            "take witch",
            "monk gallia 1",
            "to anglia",
            "place polonia",
        ],
        [
            "place polonia",
            "monk gallia 1",
            "to anglia",
            "take witch",
            "merchant gallia 1",
            "to germania",
            "king italia",
        ],
        [
            "take witch",
            "monk gallia 1",
            "to anglia",
            "king italia",
            "place polonia",
            "merchant gallia 1",
            "to germania",
        ],
    ):
        position = table("scandia", home, {"italia": 0}, held)
        play(position, *order)
        assert (cubes(position, "gallia")[0], cubes(position, "italia")[0], cubes(position, "germania")[0]) == (2, 1, 1)
        assert (rats(position, "gallia"), rats(position, "anglia"), cubes(position, "polonia")[0]) == (0, 2, 1)
        assert verbs(position) == {"witch", "plague"}


def test_rt16_also_a_card_taken_this_turn() -> None:
    position = table("scandia", {"gallia": [3]}, cards={"merchant": 1, "knight": 2})
    position.apply("place anglia")
    assert "merchant" not in verbs(position)
    position.apply("take merchant")
    assert options(position, "merchant") == {"gallia 1", "gallia 2", "gallia 3", "anglia 1"}
    position = table("scandia", cards={"knight": 2}, placed=True)
    assert options(position, "plague") == neighbours("scandia")
    position.apply("take knight")
    assert "italia" in options(position, "plague")


def test_rt16_a_card_used_by_its_holder_can_be_used_by_who_takes_it_in_his_turn() -> None:
    position = table("scandia", {"gallia": [3, 3]}, {"anglia": 0}, {"merchant": 0}, placed=True)
    play(position, "merchant gallia 1", "to hispania", "plague anglia", "take merchant")
    assert "gallia 3" in options(position, "merchant")


def test_rt16_an_ability_is_finished_before_anything_else_begins() -> None:
    held = {"merchant": 0, "monk": 0, "witch": 0, "king": 0}
    position = table("scandia", {"gallia": [3], "italia": [2]}, {"italia": 0}, held)
    for texts, right in (
        (["merchant gallia 1"], {"to"}),
        (["monk gallia 1"], {"to"}),
        (["witch gallia 1", "token s01"], {"witch", "stop"}),
        (["witch gallia 1", "token s01", "witch anglia 1", "token s02"], {"swap", "keep"}),
    ):
        other = position.copy()
        play(other, *texts)
        assert other.actor == 0
        assert verbs(other) == right


def test_rt16_all_are_optional() -> None:
    position = table("germania", {"gallia": [2], "italia": [1]}, {"italia": 0}, dict.fromkeys(CARDS, 0))
    play(position, "place anglia", "plague italia", "pass")
    assert position.actor == 1
    assert cubes(position, "italia")[0] == 1


def test_rt16_after_the_plague_has_moved_no_other_card_is_used() -> None:
    held = {"merchant": 0, "monk": 0, "witch": 0, "peasant": 0}
    position = table("germania", {"scandia": [3]}, {"scandia": 2}, held, placed=True)
    position.apply("plague scandia")
    seen = set()
    while position.actor == 0 or position.is_chance:
        seen |= verbs(position)
        position.apply(next(iter(position.chances() if position.is_chance else position.legal())))
    assert seen == {"rat", "flip", "token"}


# Peasant


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_rt42_the_peasant_may_place_one_cube_more(number: int) -> None:
    position = table("scandia", rats={"gallia": number}, cards={"peasant": 0})
    assert ("gallia" in options(position, "place")) == (number > 0)
    assert "gallia" in options(position, "peasant")
    other = position.copy()
    position.apply("peasant gallia")
    assert (cubes(position, "gallia")[0], stock(position)[0]) == (number + 1, 20 - number - 1)
    if number:
        other.apply("place gallia")
        assert (cubes(other, "gallia")[0], stock(other)[0]) == (number, 20 - number)


def test_rt42_only_for_the_holder() -> None:
    assert "peasant" not in verbs(table(cards={"peasant": 1}))
    assert "peasant" not in verbs(table())


@pytest.mark.parametrize(("left", "most"), [(1, 0), (2, 1), (3, 2), (4, 3)])
def test_rt42_only_if_the_stock_holds_them_all(left: int, most: int) -> None:
    position = table("scandia", {"italia": [20 - left]}, {"anglia": 0, "gallia": 2, "germania": 3}, {"peasant": 0})
    numbers = {region: rats(position, region) for region in TABLE_ORDER}
    assert options(position, "peasant") == {region for region, number in numbers.items() if number <= most}


def test_rt42_it_cannot_be_placed_apart_from_action_2() -> None:
    position = table("scandia", cards={"peasant": 0})
    play(position, "place gallia")
    assert "peasant" not in verbs(position)
    position = table("scandia", cards={"peasant": 0})
    play(position, "peasant gallia")
    assert verbs(position) == {"take", "plague"}
    assert cubes(position, "gallia")[0] == 2


# Knight


@pytest.mark.parametrize("region", TABLE_ORDER)
def test_rt43_the_knight_may_move_the_plague_one_or_two_regions_but_not_back(region: str) -> None:
    position = table(region, cards={"knight": 0}, placed=True)
    two_steps = {beyond for near in neighbours(region) for beyond in neighbours(near)}
    assert options(position, "plague") == (neighbours(region) | two_steps) - {region}


def test_rt43_the_rulebooks_example_from_italia_to_scandia() -> None:
    assert "scandia" not in options(table("italia", placed=True), "plague")
    position = table("italia", cards={"knight": 0}, placed=True)
    position.apply("plague scandia")
    assert plague(position) == "scandia"


def test_rt43_only_the_region_where_it_stops_is_infected() -> None:
    crowded = {"germania": [2, 2], "gallia": [2], "hungaria": [2], "turcia": [2]}
    position = table("italia", crowded, {"scandia": 2}, {"knight": 0}, others=2, placed=True)
    position.apply("plague scandia")
    assert options(position, "rat") == neighbours("scandia")
    play(position, "rat russia", "rat anglia")
    assert position.actor == 1  # nobody is in Scandia
    assert cubes(position, "germania") == [2, 2, 0, 0]
    assert rats(position, "germania") == 2
    assert supply(position) == 35


def test_rt43_only_for_the_holder_in_his_turn() -> None:
    position = table("italia", cards={"knight": 1}, placed=True)
    assert options(position, "plague") == neighbours("italia")


def test_a_turn_leaves_the_other_regions_as_they_were() -> None:
    position = table("germania", {"scandia": [1]}, {"scandia": 1}, placed=True)
    play(position, "plague scandia", "rat anglia", "token s01")
    assert tokens(position, "anglia") == "start supply"
    assert [rats(position, region) for region in TABLE_ORDER if region not in ("anglia", "scandia")] == [1] * 10
