"""RT-65, RT-66: the final ravage, and who wins."""

import pytest
from rattus_helpers import (
    cubes,
    final_round,
    flipped,
    hold,
    palace,
    play,
    rats,
    settled,
    tokens,
    verbs,
)
from rattus_referee import TABLE_ORDER

from rat_envs.engine.position import Position


def totals(numbers: list[int], last: int) -> Position:
    """A game that ends with these cubes on the board, after a last turn of ``last``."""
    position = final_round(last, {"gallia": numbers}, others=0, players=len(numbers))
    assert position.is_over
    return position


# The final ravage


def test_rt65_every_region_in_table_order_with_no_spread() -> None:
    home = {region: [1] for region in reversed(TABLE_ORDER)}
    position = final_round(3, home, dict.fromkeys(TABLE_ORDER, "supply") | {"scandia": 0}, others=1)
    left = [region for region in TABLE_ORDER if region != "scandia"]
    faces = ["r02", *(f"r{number}" for number in range(24, 34))]
    for region, face in zip(left, faces, strict=True):
        assert position.is_chance
        assert verbs(position) == {"token"}
        assert rats(position, region) == 1
        position.apply(f"token {face}")
        assert rats(position, region) == 0
    assert position.is_over
    assert flipped(position) == set(faces)
    assert rats(position, "scandia") == 0


def test_rt65_within_a_region_the_next_token_is_drawn_by_lot() -> None:
    position = final_round(3, {"gallia": [9]}, {"gallia": "supply supply supply"})
    assert position.chances() == {"flip 1": 1, "flip 2": 1, "flip 3": 1}
    play(position, "flip 3", "token r24")
    assert position.chances() == {"flip 1": 1, "flip 2": 1}
    play(position, "flip 1", "token r25")
    assert verbs(position) == {"token"}
    position.apply("token r26")
    assert position.is_over
    assert cubes(position, "gallia")[0] == 6


def test_rt65_tokens_where_no_cubes_are_left_stay_unflipped() -> None:
    position = final_round(3, {"gallia": [1]}, {"gallia": "supply supply"}, {"merchant": 0})
    play(position, "pass", "flip 1", "token r02")
    assert position.is_over
    assert (tokens(position, "gallia"), tokens(position, "italia")) == ("supply", "start")
    assert flipped(position) == {"r02"}


def test_rt65_regions_do_not_affect_each_other_and_the_palace_is_safe() -> None:
    home = {"gallia": [2, 1], "italia": [1, 2]}
    position = final_round(3, home, {"gallia": "supply", "italia": "supply", "hispania": 0})
    position.state.palace[0] = 5
    position.state.stock[0] -= 5
    play(position, "token r06")
    assert (cubes(position, "gallia"), cubes(position, "italia")) == ([1, 1, 0, 0], [1, 2, 0, 0])
    play(position, "token r07")
    assert (cubes(position, "gallia"), cubes(position, "italia")) == ([1, 1, 0, 0], [1, 1, 0, 0])
    assert palace(position)[0] == 5
    assert position.scores() == [7, 2, 0, 0]


def test_rt65_known_tokens_need_no_chance() -> None:
    position = final_round(3, {"gallia": [3]}, {"gallia": "supply supply"}, {"witch": 2})
    play(position, "witch gallia 1", "token r24", "witch gallia 2", "token r06")
    assert position.chances() == {"flip 1": 1, "flip 2": 1}
    play(position, "flip 1")
    assert position.is_over
    assert cubes(position, "gallia")[0] == 2
    assert flipped(position) == {"r24", "r06"}


def test_rt65_the_classes_held_at_the_end_count() -> None:
    position = final_round(3, {"gallia": [3, 3]}, {"gallia": "supply"})
    hold(position, merchant=1)
    position.apply("token r01")
    assert position.scores() == [3, 2, 0, 0]


# The result


def test_rt66_the_score_is_the_cubes_on_all_regions_and_in_the_palace() -> None:
    position = final_round(3, {"gallia": [2, 1], "italia": [3, 0, 4]}, others=0)
    assert position.scores() == [5, 1, 4, 0]
    position.state.palace[1] = 6
    position.state.stock[1] -= 6
    assert position.scores() == [5, 7, 4, 0]
    assert position.winners() == [1]
    position = settled(3)
    assert position.scores() == [4, 4, 4]


@pytest.mark.parametrize("winner", [0, 1, 2, 3])
@pytest.mark.parametrize("last", [0, 1, 2, 3])
def test_rt66_the_highest_score_wins_and_the_result_is_zero_sum(winner: int, last: int) -> None:
    position = totals([5 + 2 * (seat == winner) for seat in range(4)], last)
    assert position.winners() == [winner]
    assert position.returns() == pytest.approx([1 if seat == winner else -1 / 3 for seat in range(4)])


@pytest.mark.parametrize(
    ("numbers", "last", "winner"),
    [
        ([5, 5, 5, 5], 0, 1),
        ([5, 5, 5, 5], 2, 3),
        ([5, 5, 5, 5], 3, 0),
        ([5, 4, 5, 5], 0, 2),
        ([5, 4, 4, 5], 0, 3),
        ([5, 5, 4, 4], 0, 1),
        ([5, 5, 4, 4], 1, 0),
        ([6, 5, 6, 5], 3, 0),
        ([6, 5, 6, 5], 1, 2),
        ([4, 9, 1, 9], 2, 3),
        ([4, 9, 1, 9], 3, 1),
        ([3, 3, 3], 1, 2),
        ([3, 3, 2], 2, 0),
        ([2, 3, 3], 1, 2),
        ([2, 3, 3], 2, 1),
        ([7, 7], 0, 1),
        ([7, 7], 1, 0),
        ([0, 0], 0, 1),
    ],
)
def test_rt66_of_those_tied_the_one_whose_turn_would_have_come_next(numbers: list[int], last: int, winner: int) -> None:
    position = totals(numbers, last)
    assert position.winners() == [winner]
    assert position.returns()[winner] == 1
    assert sum(position.returns()) == pytest.approx(0)
    assert position.returns().count(1) == 1
