"""RT-20 to RT-30: how the plague spreads and what it does."""

import copy
import itertools
from typing import Any

import pytest
from rattus_helpers import (
    TOKEN_IDS,
    cubes,
    flipped,
    hold,
    known_face,
    lay,
    marked_slots,
    neighbours,
    options,
    play,
    rats,
    stock,
    supply,
    table,
    tokens,
    unseen,
    verbs,
    view,
)
from rattus_referee import TABLE_ORDER, default_tokens

from rat_envs.engine.position import Position


def infected(tokens_there: int | str, cubes_there: list[int], **options: Any) -> Position:
    """The plague arrives in Gallia, with these tokens and cubes there; new tokens went to Italia."""
    position = table("germania", {"gallia": cubes_there}, {"gallia": tokens_there}, placed=True, **options)
    position.apply("plague gallia")
    while verbs(position) == {"rat"}:
        position.apply("rat italia")
    return position


def printed(**faces: dict[str, Any]) -> list[dict[str, Any]]:
    """The tokens, with other values on those named."""
    tokens = copy.deepcopy(default_tokens())
    for token in tokens:
        token |= faces.get(token["id"], {})
    return tokens


# Spread


@pytest.mark.parametrize(("number", "new"), [(0, 0), (1, 1), (2, 2), (3, 2)])
def test_rt20_new_tokens_by_the_number_of_rats_in_the_infected_region(number: int, new: int) -> None:
    position = table("germania", rats={"gallia": number}, placed=True, active=2)
    before = supply(position)
    position.apply("plague gallia")
    for _ in range(new):
        assert position.actor == 2
        assert verbs(position) == {"rat"}
        position.apply("rat italia")
    assert position.actor == 3
    assert (rats(position, "italia"), supply(position)) == (1 + new, before - new)


def test_rt20_each_is_taken_unseen_and_laid_face_down() -> None:
    position = table("germania", rats={"gallia": 2}, placed=True)
    play(position, "plague gallia", "rat italia", "rat anglia")  # no chance node between them
    assert tokens(position, "italia") == tokens(position, "anglia") == "start supply"
    assert all(known_face(position, seat, "italia", 2) is None for seat in range(4))
    assert marked_slots(view(position, 0).laid_out) & {"italia 2", "anglia 2"} == set()


def test_rt20_on_a_neighbour_of_the_infected_region_by_the_active_players_choice() -> None:
    for region in TABLE_ORDER:
        position = table(min(neighbours(region)), rats={region: 2}, placed=True, active=3)
        position.apply(f"plague {region}")
        assert position.actor == 3
        for _ in range(2):
            assert options(position, "rat") == neighbours(region)
            position.apply(f"rat {min(neighbours(region))}")
            assert supply(position) in (36, 35)
        assert position.actor == 0


@pytest.mark.parametrize(("goals", "numbers"), [("italia italia", (3, 1)), ("italia anglia", (2, 2))])
def test_rt20_two_go_to_one_region_or_to_two(goals: str, numbers: tuple[int, int]) -> None:
    position = table("germania", rats={"gallia": 2}, placed=True)
    play(position, "plague gallia", *(f"rat {goal}" for goal in goals.split()))
    assert (rats(position, "italia"), rats(position, "anglia")) == numbers


def test_rt20_whether_or_not_the_region_has_cubes() -> None:
    for there in ([], [1]):
        position = table("germania", {"gallia": there}, {"gallia": 1}, placed=True)
        position.apply("plague gallia")
        assert verbs(position) == {"rat"}


def test_rt21_a_full_region_cannot_be_chosen() -> None:
    position = table("germania", rats={"gallia": 2, "italia": 3, "anglia": 2}, placed=True)
    position.apply("plague gallia")
    assert options(position, "rat") == neighbours("gallia") - {"italia"}
    position.apply("rat anglia")
    assert options(position, "rat") == neighbours("gallia") - {"italia", "anglia"}


def test_rt21_if_every_neighbour_is_full_nothing_is_added() -> None:
    full = dict.fromkeys(neighbours("gallia"), 3)
    position = table("germania", {"gallia": [1]}, {"gallia": 3, **full}, placed=True)
    position.apply("plague gallia")
    assert verbs(position) == {"flip"}  # straight to the ravage
    assert supply(position) == 37


def test_rt21_with_room_for_only_one_of_two_one_is_added() -> None:
    full = dict.fromkeys(neighbours("gallia"), 3) | {"italia": 2}
    position = table("germania", {"gallia": [1]}, {"gallia": 3, **full}, placed=True)
    position.apply("plague gallia")
    assert position.legal() == ["rat italia"]
    position.apply("rat italia")
    assert verbs(position) == {"flip"}
    assert (rats(position, "italia"), supply(position)) == (3, 36)


@pytest.mark.parametrize(("left", "due"), [(1, 1), (2, 2), (3, 2)])
def test_rt22_if_the_supply_runs_out_what_is_left_is_placed(left: int, due: int) -> None:
    position = table("germania", {"gallia": [1]}, {"gallia": 3}, placed=True, supply=left)
    position.apply("plague gallia")
    for _ in range(due):
        assert verbs(position) == {"rat"}
        position.apply("rat italia")
    assert verbs(position) == {"flip"}
    assert (rats(position, "italia"), supply(position)) == (1 + due, left - due)


def test_rt22_nothing_is_reshuffled_and_the_game_ends_after_this_turn() -> None:
    position = infected("supply supply supply", [1, 2], supply=1, cards={"merchant": 0})
    play(position, "flip 1", "token r30", "flip 1", "token r31", "token r25")
    assert supply(position) == 0
    assert position.state.last_active == 0  # there is a final round, in which nobody has a card: then the final ravage
    assert position.is_over or position.is_chance


def test_rt23_arrivals_go_to_the_end() -> None:
    position = table("germania", rats={"gallia": 2, "italia": "start:s01", "hispania": "supply:r05"}, placed=True)
    hold(position, monk=0)
    play(position, "monk hispania 1", "to italia")
    assert tokens(position, "italia") == "start:s01 supply:r05"
    play(position, "plague gallia", "rat italia", "rat hispania")
    assert tokens(position, "italia") == "start:s01 supply:r05 supply"
    assert tokens(position, "hispania") == "supply"


@pytest.mark.parametrize(
    ("slot", "left"), [(1, "supply:r02 start:s03"), (2, "start:s01 start:s03"), (3, "start:s01 supply:r02")]
)
def test_rt23_removal_closes_the_gap(slot: int, left: str) -> None:
    three = "start:s01 supply:r02 start:s03"
    position = table("scandia", rats={"gallia": three}, cards={"monk": 0})
    play(position, f"monk gallia {slot}", "to italia")
    assert tokens(position, "gallia") == left
    position = infected(three, [0, 9])
    position.apply(f"flip {slot}")
    assert tokens(position, "gallia") == left


# Ravage


@pytest.mark.parametrize(("number", "there"), [(0, [3, 3]), (2, []), (0, [])])
def test_rt24_nothing_is_ravaged_without_cubes_or_without_rats(number: int, there: list[int]) -> None:
    position = infected(number, there)
    assert position.actor == 1
    assert rats(position, "gallia") == number
    assert cubes(position, "gallia") == (there + [0] * 4)[:4]


def test_rt24_tokens_are_flipped_until_there_are_no_cubes_and_the_rest_stays_face_down() -> None:
    position = infected("supply supply supply", [1])
    play(position, "flip 2", "token r01")  # nobody is a Merchant or a Monk
    assert (cubes(position, "gallia")[0], rats(position, "gallia")) == (1, 2)
    position = infected("supply supply supply", [0, 2], cards={"merchant": 1, "monk": 1})
    play(position, "flip 2", "token r01")
    assert position.actor == 1  # the turn is over
    assert tokens(position, "gallia") == "supply supply"
    assert flipped(position) == {"r01"}
    assert all(unseen(position, seat) == set(TOKEN_IDS) - {"r01"} for seat in range(4))


def test_rt24_tokens_are_flipped_until_there_are_no_rats() -> None:
    position = infected("supply supply", [0, 9])
    play(position, "flip 1", "token r02", "token r03")
    assert (rats(position, "gallia"), cubes(position, "gallia")) == (0, [0, 9, 0, 0])
    assert position.actor == 1


def test_rt24_a_flipped_token_leaves_the_game() -> None:
    position = infected("start supply", [0, 9])
    before = supply(position)
    play(position, "flip 1", "token s04", "token r03")
    assert supply(position) == before
    assert flipped(position) == {"s04", "r03"}
    hold(position, witch=1)
    position.apply("witch anglia 1")
    assert position.chances() == {f"token s{number:02}": 1 for number in range(1, 13) if number != 4}


def test_rt24_cubes_of_any_player_are_enough_also_of_others() -> None:
    position = infected(2, [0, 0, 0, 1])
    assert position.actor == 0
    assert verbs(position) == {"flip"}


@pytest.mark.parametrize("order", list(itertools.permutations(("r03", "r08", "r21"))))
def test_rt25_the_active_player_chooses_each_time_which_token_to_flip(order: tuple[str, ...]) -> None:
    left = ["r03", "r08", "r21"]
    position = infected(" ".join(f"supply:{token}" for token in left), [0, 9], active=2)
    for token in order[:2]:
        assert position.actor == 2
        assert position.legal() == [f"flip {slot + 1}" for slot in range(len(left))]
        position.apply(f"flip {left.index(token) + 1}")
        left.remove(token)
        assert token in flipped(position)
    assert flipped(position) == set(order)  # the last without a choice
    assert position.actor == 3


def test_rt25_with_one_token_left_it_is_flipped_without_a_choice() -> None:
    position = infected("supply", [0, 9])
    assert position.is_chance
    position = infected("supply supply", [0, 9])
    position.apply("flip 1")
    position.apply("token r03")
    assert position.is_chance


@pytest.mark.parametrize(
    ("there", "acts"),
    [([3, 0], False), ([2, 1], False), ([4, 0], True), ([1, 3], True), ([2, 2], True), ([0, 5], True)],
)
def test_rt26_a_token_acts_if_the_cubes_of_all_colours_reach_its_limit(there: list[int], acts: bool) -> None:
    position = infected("supply", there, cards={"peasant": 2})
    position.apply("token r19")  # limit 4, M
    lost = sum(there) - sum(cubes(position, "gallia"))
    assert (lost > 0) == acts
    assert flipped(position) == {"r19"}
    assert rats(position, "gallia") == 0


def test_rt26_cubes_are_counted_anew_for_each_token() -> None:
    position = infected("supply supply supply", [0, 3, 0])
    play(position, "flip 1", "token r11")  # limit 3, M: one of three
    assert cubes(position, "gallia")[1] == 2
    play(position, "flip 1", "token r12")  # limit 3: nothing
    assert cubes(position, "gallia")[1] == 2
    play(position, "token r06")  # limit 2, M
    assert cubes(position, "gallia")[1] == 1


def test_rt26_the_plague_piece_and_cubes_elsewhere_do_not_count() -> None:
    position = table("germania", {"gallia": [1, 1], "italia": [5, 5]}, {"gallia": "supply"}, placed=True)
    play(position, "plague gallia", "rat anglia", "token r11")  # limit 3
    assert cubes(position, "gallia") == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("there", "left"),
    [
        ([3, 1, 0, 1], [2, 1, 0, 1]),
        ([1, 1, 4, 0], [1, 1, 3, 0]),
        ([2, 2, 1, 0], [1, 1, 1, 0]),
        ([1, 1, 1, 1], [0, 0, 0, 0]),
        ([0, 0, 0, 2], [0, 0, 0, 1]),
    ],
)
def test_rt27_m_takes_one_cube_from_all_who_have_the_most(there: list[int], left: list[int]) -> None:
    position = infected("supply", there)
    position.apply("token r06")  # limit 2, M; nobody has a class
    assert cubes(position, "gallia") == left


def test_rt27_m_comes_first_and_hits_those_leading_before_the_classes() -> None:
    position = infected("supply", [3, 2, 2, 0], cards={"merchant": 0, "monk": 0})
    position.apply("token r06")  # by M and both classes, player_0 loses three
    assert cubes(position, "gallia") == [0, 2, 2, 0]
    position = infected("supply", [2, 2, 0, 0], cards={"merchant": 0})
    position.apply("token r06")
    assert cubes(position, "gallia") == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("there", "left"), [([5, 4, 0, 0], [2, 4, 0, 0]), ([4, 4, 3, 0], [1, 1, 3, 0]), ([2, 2, 1, 0], [0, 0, 1, 0])]
)
def test_rt27_several_m_hit_the_same_players(there: list[int], left: list[int]) -> None:
    tokens = printed(r06={"m": 3, "classes": []})
    position = infected("supply", there, tokens=tokens)
    position.apply("token r06")
    assert cubes(position, "gallia") == left


def test_rt28_the_holder_of_a_class_takes_one_cube_back() -> None:
    for card, seat in (("merchant", 1), ("monk", 2), ("merchant", 0)):
        position = infected("supply", [2, 2, 2, 2], cards={card: seat})
        position.apply("token r01")  # limit 1: Bourgeoisie, Church
        assert cubes(position, "gallia") == [2 - (other == seat) for other in range(4)]


@pytest.mark.parametrize("card", ["peasant", "knight", "witch", "king"])
def test_rt28_other_cards_do_not_matter(card: str) -> None:
    position = infected("supply", [2, 2, 2, 2], cards={card: 1})
    position.apply("token r01")
    assert cubes(position, "gallia") == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("token", "card"),
    [("r01", "merchant"), ("r01", "monk"), ("r02", "knight"), ("r03", "peasant"), ("r03", "witch"), ("r04", "king")],
)
def test_rt28_the_classes_are_those_of_the_cards(token: str, card: str) -> None:
    position = infected("supply", [0, 3], cards={card: 1})
    position.apply(f"token {token}")
    assert cubes(position, "gallia")[1] == 2


def test_rt28_without_cubes_there_he_is_not_touched() -> None:
    position = table("germania", {"gallia": [2], "italia": [0, 2]}, {"gallia": "supply"}, {"monk": 1}, placed=True)
    play(position, "plague gallia", "rat anglia", "token r01")
    assert (cubes(position, "gallia"), cubes(position, "italia")) == ([2, 0, 0, 0], [0, 2, 0, 0])


def test_rt28_a_player_with_two_of_the_classes_loses_two() -> None:
    position = infected("supply", [2, 3], cards={"merchant": 1, "monk": 1})
    position.apply("token r01")
    assert cubes(position, "gallia") == [2, 1, 0, 0]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_rt28_a_class_printed_several_times_takes_as_many_cubes(times: int) -> None:
    tokens = printed(r01={"classes": ["merchant"] * times})
    position = infected("supply", [4, 4], cards={"merchant": 1, "monk": 0}, tokens=tokens)
    position.apply("token r01")
    assert cubes(position, "gallia") == [4, 4 - times, 0, 0]


@pytest.mark.parametrize("times", [1, 2])
def test_rt29_a_takes_one_cube_from_every_player_with_a_cube(times: int) -> None:
    tokens = printed(r24={"a": times, "classes": []})
    position = infected("supply", [4, 1, 0, 2], tokens=tokens)
    position.apply("token r24")  # limit 5
    assert cubes(position, "gallia") == [4 - times, 0, 0, 2 - times]


def test_rt29_m_then_classes_and_a() -> None:
    position = infected("supply", [4, 3, 1, 0], cards={"merchant": 1, "knight": 3})
    position.apply("token r32")  # limit 6: M, A, Bourgeoisie, Chivalry
    assert cubes(position, "gallia") == [2, 1, 0, 0]


def test_rt30_cubes_go_back_to_the_stock_and_can_be_placed_again() -> None:
    position = infected("supply", [2, 18], cards={"merchant": 1, "monk": 1})
    assert stock(position) == [18, 2, 20, 20]
    position.apply("token r01")
    assert stock(position) == [18, 4, 20, 20]
    lay(position, "polonia", 3)
    play(position, "place polonia")
    assert (stock(position)[1], cubes(position, "polonia")[1]) == (1, 3)


def test_rt30_nobody_loses_more_cubes_than_he_has_there() -> None:
    held = {"merchant": 1, "knight": 1}
    position = infected("supply", [1, 2, 3, 0], cards=held)
    position.apply("token r32")  # M: player_2; Bourgeoisie, Chivalry: player_1; A: all
    assert cubes(position, "gallia") == [0, 0, 1, 0]
    assert stock(position) == [20, 20, 19, 20]


def test_the_rulebooks_example_of_a_ravage() -> None:
    held = {"knight": 2, "peasant": 3, "merchant": 3, "monk": 0, "witch": 0, "king": 0}
    there = {"gallia": [0, 0, 1, 2]}
    position = table("scandia", there, {"gallia": "start supply supply"}, held, active=1, placed=True)
    play(position, "plague germania", "rat italia")
    assert position.actor == 2
    play(position, "place anglia", "plague gallia", "rat hispania", "rat hispania", "no_bonus")
    assert rats(position, "hispania") == 3
    play(position, "flip 2", "token r01")
    assert cubes(position, "gallia") == [0, 0, 1, 1]
    play(position, "flip 1", "token s03")  # limit 3 > 2
    assert cubes(position, "gallia") == [0, 0, 1, 1]
    play(position, "token r06")
    assert (cubes(position, "gallia"), rats(position, "gallia")) == ([0, 0, 0, 0], 0)
    assert position.actor == 3
