"""RT-40 to RT-47: what the class cards are good for; Peasant and Knight in a turn: ``test_rattus_turn.py``."""

import pytest
from rattus_helpers import (
    TOKEN_IDS,
    cubes,
    flipped,
    knows_all,
    lay,
    neighbours,
    options,
    palace,
    pass_turn,
    plague,
    play,
    rats,
    stock,
    supply,
    table,
    tokens,
    verbs,
)
from rattus_referee import TABLE_ORDER

from rat_envs.engine.position import Position

# Merchant


@pytest.mark.parametrize(("there", "most"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3), (9, 3)])
def test_rt40_the_merchant_moves_one_to_three_of_ones_own_cubes(there: int, most: int) -> None:
    position = table("scandia", {"gallia": [5, there]}, cards={"merchant": 1}, active=1)
    assert options(position, "merchant") == {f"gallia {number}" for number in range(1, most + 1)}
    for number in range(1, most + 1):
        other = position.copy()
        play(other, f"merchant gallia {number}", "to italia")
        assert cubes(other, "gallia") == [5, there - number, 0, 0]
        assert cubes(other, "italia") == [0, number, 0, 0]
        assert stock(other) == stock(position)


@pytest.mark.parametrize("region", TABLE_ORDER)
def test_rt40_all_from_one_region_all_to_one_neighbour(region: str) -> None:
    home = {region: [3], min(neighbours(region)): [1]}
    position = table("scandia", home, others=3, cards={"merchant": 0})
    position.apply(f"merchant {region} 2")
    assert position.actor == 0
    assert position.legal() == sorted(f"to {name}" for name in neighbours(region))  # rats do not matter
    position.apply(f"to {min(neighbours(region))}")
    assert (cubes(position, region)[0], cubes(position, min(neighbours(region)))[0]) == (1, 3)
    assert "merchant" not in verbs(position)


def test_rt40_cubes_just_placed_can_be_moved() -> None:
    position = table("scandia", rats={"gallia": 3}, cards={"merchant": 0})
    play(position, "place gallia", "merchant gallia 3", "to hispania")
    assert (cubes(position, "gallia")[0], cubes(position, "hispania")[0]) == (0, 3)


# Monk


@pytest.mark.parametrize("region", TABLE_ORDER)
def test_rt41_the_monk_moves_one_token_to_a_neighbour(region: str) -> None:
    position = table("scandia", rats={region: 3}, cards={"monk": 0})
    position.apply(f"monk {region} 2")
    assert (position.actor, options(position, "to")) == (0, neighbours(region))
    goal = max(neighbours(region))
    position.apply(f"to {goal}")
    assert (rats(position, region), rats(position, goal)) == (2, 2)
    assert "monk" not in verbs(position)


def test_rt41_any_token_on_the_board() -> None:
    position = table("scandia", rats={"gallia": 3, "italia": 0, "anglia": 2}, cards={"monk": 0})
    numbers = {region: rats(position, region) for region in TABLE_ORDER}
    right = {f"{region} {slot}" for region, number in numbers.items() for slot in range(1, number + 1)}
    assert options(position, "monk") == right


def test_rt41_only_to_a_region_with_fewer_than_three() -> None:
    full = {"italia": 3, "anglia": 3, "germania": 2}
    position = table("scandia", rats={"gallia": 2, **full}, cards={"monk": 0})
    position.apply("monk gallia 1")
    assert options(position, "to") == {"hispania", "germania"}
    position.apply("to germania")
    assert rats(position, "germania") == 3


def test_rt41_a_token_whose_neighbours_are_all_full_cannot_be_moved() -> None:
    full = dict.fromkeys(neighbours("gallia"), 3)
    position = table("scandia", rats={"gallia": 2, **full}, cards={"monk": 0})
    regions = {text.split()[0] for text in options(position, "monk")}
    assert "gallia" not in regions
    assert "italia" in regions  # Gallia has room


def test_rt41_the_rulebooks_example_also_right_after_placing_by_it() -> None:
    position = table("scandia", rats={"gallia": 3}, cards={"monk": 0})
    play(position, "place gallia", "monk gallia 3", "to italia")
    assert (cubes(position, "gallia")[0], rats(position, "gallia"), rats(position, "italia")) == (3, 2, 2)
    position = table("scandia", rats={"gallia": 2}, cards={"monk": 0})
    play(position, "monk italia 1", "to gallia", "place gallia")
    assert cubes(position, "gallia")[0] == 3


def test_rt41_it_stays_face_down_unseen() -> None:
    position = table("scandia", rats={"gallia": "start supply"}, cards={"monk": 0})
    play(position, "monk gallia 2", "to italia")  # no chance node
    assert (tokens(position, "gallia"), tokens(position, "italia")) == ("start", "start supply")
    assert not flipped(position)
    assert all(knows_all(position, seat) == {} for seat in range(4))


# Knight: the move is tested with the turn


def ravage(there: list[int], answer: str, *texts: str, origin: str = "germania", **options: object) -> Position:
    """The Knight moves the plague to Scandia, where these cubes are, and answers; then these texts."""
    laid = {"scandia": "supply supply", "germania": 0}
    position = table(origin, {"scandia": there}, laid, {"knight": 0}, placed=True, **options)
    play(position, "plague scandia", "rat anglia", "rat anglia", answer, *texts)
    return position


@pytest.mark.parametrize("token", ["r11", "r19"])
def test_rt44_the_rulebooks_example_two_cubes_and_the_piece_reach_a_limit_of_3_or_4(token: str) -> None:
    for answer, left in (("bonus", [0, 0, 0, 0]), ("no_bonus", [0, 1, 1, 0])):
        position = ravage([0, 1, 1], answer, "flip 1", f"token {token}", origin="italia")
        assert cubes(position, "scandia") == left


@pytest.mark.parametrize(("there", "acts"), [([0, 2], False), ([0, 3], True)])
def test_rt44_the_piece_counts_as_two_cubes_no_more(there: list[int], acts: bool) -> None:
    position = ravage(there, "bonus", "flip 1", "token r24")  # limit 5, A
    assert (sum(cubes(position, "scandia")) < sum(there)) == acts


@pytest.mark.parametrize("origin", ["germania", "italia"])
def test_rt44_whether_it_moved_one_step_or_two_and_for_all_of_this_ravage(origin: str) -> None:
    position = ravage([0, 1, 1], "bonus", "flip 1", "token r30", "token r12", origin=origin)
    assert cubes(position, "scandia") == [0, 0, 0, 0]  # limit 5 was too much for 4, the second has limit 3


def test_rt44_it_is_asked_after_the_spread_and_before_the_first_flip() -> None:
    position = table("germania", {"scandia": [1]}, {"scandia": 2}, {"knight": 0}, placed=True)
    position.apply("plague scandia")
    for _ in range(2):
        assert verbs(position) == {"rat"}
        position.apply("rat anglia")
    assert (position.actor, position.legal()) == (0, ["bonus", "no_bonus"])
    position.apply("bonus")
    assert verbs(position) == {"flip"}


@pytest.mark.parametrize(("number", "there"), [(0, [2]), (1, []), (0, [])])
def test_rt44_it_is_asked_only_if_there_is_something_to_ravage(number: int, there: list[int]) -> None:
    position = table("germania", {"scandia": there}, {"scandia": number}, {"knight": 0}, placed=True, supply=30)
    position.apply("plague scandia")
    if number:
        position.apply("rat anglia")
    assert position.actor == 1


def test_rt44_only_the_active_player_is_asked() -> None:
    position = table("germania", {"scandia": [1, 1]}, {"scandia": 2}, {"knight": 1}, placed=True)
    play(position, "plague scandia", "rat anglia", "rat anglia")
    assert (position.actor, verbs(position)) == (0, {"flip"})


def test_rt44_neutral_cubes_have_no_majority_and_nothing_to_lose() -> None:
    position = ravage([0, 1, 0, 0], "bonus", "flip 1", "token r11")  # 3 with the piece: M hits player_1, who has one
    assert cubes(position, "scandia") == [0, 0, 0, 0]
    assert plague(position) == "scandia"
    position = ravage([1, 1, 0, 3], "bonus", "flip 1", "token r24", "token r31")  # A twice: 7, then 4 of a limit of 5
    assert cubes(position, "scandia") == [0, 0, 0, 2]


def test_rt44_they_do_not_keep_a_ravage_going() -> None:
    position = ravage([0, 1], "bonus", "flip 1", "token r11")
    assert rats(position, "scandia") == 1
    assert position.actor == 1


def test_rt44_they_do_not_count_in_a_later_turn() -> None:
    position = ravage([0, 1, 1], "bonus", "flip 1", "token r31", "token r24")
    assert cubes(position, "scandia") == [0, 1, 1, 0]
    play(position, "place anglia", "plague germania")
    assert position.actor == 2
    lay(position, "scandia", "supply")
    play(position, "place anglia", "plague scandia", "rat russia", "token r12")  # limit 3, and two cubes are there
    assert cubes(position, "scandia") == [0, 1, 1, 0]


# Witch


def test_rt45_the_witch_looks_at_any_token_on_the_board() -> None:
    position = table("scandia", rats={"gallia": 3, "italia": 0}, cards={"witch": 0})
    numbers = {region: rats(position, region) for region in TABLE_ORDER}
    right = {f"{region} {slot}" for region, number in numbers.items() for slot in range(1, number + 1)}
    assert options(position, "witch") == right
    position.apply("witch gallia 3")
    assert position.is_chance
    position.apply("token r09")
    assert knows_all(position, 0) == {"gallia 3": "r09"}
    assert rats(position, "gallia") == 3
    assert not flipped(position)


def test_rt45_then_if_wished_at_a_second_one_in_any_region() -> None:
    position = table("scandia", rats={"gallia": "start supply supply"}, cards={"witch": 0})
    everywhere = options(position, "witch")
    play(position, "witch gallia 2", "token r09")
    assert position.actor == 0
    assert verbs(position) == {"witch", "stop"}
    assert options(position, "witch") == everywhere - {"gallia 2"}
    other = position.copy()
    other.apply("stop")
    assert verbs(other) == {"take", "place"}
    play(position, "witch italia 1", "token s05")
    assert knows_all(position, 0) == {"gallia 2": "r09", "italia 1": "s05"}


def test_rt45_then_if_wished_the_two_exchange_their_slots() -> None:
    laid = {"gallia": "start supply supply", "italia": "start supply"}
    for answer, gallia, italia in (
        ("swap", "start start:s05 supply", "supply:r09 supply"),
        ("keep", "start supply:r09 supply", "start:s05 supply"),
    ):
        position = table("scandia", rats=laid, cards={"witch": 0})
        play(position, "witch gallia 2", "token r09", "witch italia 1", "token s05")
        assert (position.actor, position.legal()) == (0, ["keep", "swap"])
        position.apply(answer)
        assert (tokens(position, "gallia"), tokens(position, "italia")) == (gallia, italia)
        assert verbs(position) == {"take", "place"}


def test_rt45_for_two_tokens_of_one_region_there_is_no_swap() -> None:
    position = table("scandia", rats={"gallia": "start supply supply"}, cards={"witch": 0})
    play(position, "witch gallia 2", "token r09", "witch gallia 1", "token s05")
    assert verbs(position) == {"take", "place"}
    assert tokens(position, "gallia") == "start:s05 supply:r09 supply"


def test_rt45_two_full_regions_can_exchange_tokens() -> None:
    position = table("scandia", others=3, cards={"witch": 0})
    play(position, "witch gallia 1", "token s01", "witch turcia 3", "token r02", "swap")
    assert tokens(position, "gallia") == "supply:r02 supply supply"
    assert tokens(position, "turcia") == "start supply start:s01"


def test_rt45_the_only_token_on_the_board_can_be_looked_at_and_no_second() -> None:
    position = table("scandia", others=0, rats={"gallia": 1}, cards={"witch": 0})
    play(position, "witch gallia 1", "token s01")
    assert position.legal() == ["stop"]


def test_rt45_what_was_swapped_is_what_is_flipped() -> None:
    laid = {"gallia": "supply", "italia": "supply"}
    position = table("germania", {"gallia": [0, 3]}, laid, {"witch": 0}, placed=True)
    play(position, "witch gallia 1", "token r01", "witch italia 1", "token r11", "swap", "plague gallia", "rat anglia")
    assert flipped(position) == {"r11"}
    assert cubes(position, "gallia") == [0, 2, 0, 0]


# King


def test_rt46_the_king_moves_one_own_cube_from_a_region_without_rats_to_the_palace() -> None:
    home = {"gallia": [2, 1], "italia": [1, 3], "anglia": [0, 2], "polonia": [1]}
    position = table("scandia", home, {"gallia": 0, "italia": 0, "anglia": 0}, {"king": 0})
    assert options(position, "king") == {"gallia", "italia"}  # none in Anglia; rats in Polonia
    before = stock(position)
    position.apply("king gallia")
    assert cubes(position, "gallia") == [1, 1, 0, 0]
    assert palace(position) == [1, 0, 0, 0]
    assert stock(position) == before
    assert "king" not in verbs(position)


def test_rt46_also_where_the_rats_have_just_left() -> None:
    position = table("scandia", {"gallia": [1]}, cards={"king": 0, "monk": 0})
    assert "king" not in verbs(position)
    play(position, "monk gallia 1", "to italia", "king gallia")
    assert palace(position) == [1, 0, 0, 0]


def test_rt46_it_is_safe_and_never_comes_back() -> None:
    position = table("germania", {"gallia": [1, 1]}, {"gallia": 0}, {"king": 0, "merchant": 0})
    play(position, "king gallia", "place hispania")
    assert options(position, "merchant") == {"hispania 1"}
    lay(position, "gallia", "supply:r01 supply:r24")
    play(position, "plague gallia", "rat italia", "rat italia", "flip 1")
    assert palace(position) == [1, 0, 0, 0]
    for _ in range(4):
        pass_turn(position)
    assert palace(position) == [1, 0, 0, 0]


# King after the ravage


def king_late(*texts: str, king_after_plague: bool = True, rats_there: int = 0) -> Position:
    """The King's holder has 2 cubes in Italia, and one in Scandia, which the plague reaches."""
    position = table(
        "germania",
        {"italia": [2, 1], "scandia": [1]},
        {"italia": rats_there, "scandia": "supply"},
        {"king": 0},
        placed=True,
        king_after_plague=king_after_plague,
    )
    play(position, *texts, "plague scandia", "rat anglia", "token r01")
    return position


def test_rt47_the_king_may_be_used_at_the_end_of_the_turn() -> None:
    position = king_late()
    assert (position.actor, position.legal()) == (0, ["king italia", "king scandia", "pass"])  # its last rat is gone
    for text, italia, scandia, inside in (("king italia", 1, 1, 1), ("king scandia", 2, 0, 1), ("pass", 2, 1, 0)):
        other = position.copy()
        other.apply(text)
        assert other.actor == 1
        assert (cubes(other, "italia")[0], cubes(other, "scandia")[0], palace(other)[0]) == (italia, scandia, inside)


def test_rt47_once_a_turn() -> None:
    position = king_late("king italia")
    assert position.actor == 1
    assert palace(position) == [1, 0, 0, 0]


def test_rt47_only_with_a_cube_in_a_region_without_rats() -> None:
    position = table("germania", {"italia": [2, 1]}, {"scandia": 0}, {"king": 0}, placed=True)
    position.apply("plague scandia")
    assert position.actor == 1
    position = table("germania", {"italia": [0, 1]}, {"scandia": 0, "italia": 0}, {"king": 0}, placed=True)
    position.apply("plague scandia")
    assert position.actor == 1


def test_rt47_also_when_nothing_was_ravaged() -> None:
    position = table("germania", {"italia": [1]}, {"scandia": 0, "italia": 0}, {"king": 0}, placed=True)
    position.apply("plague scandia")
    assert position.legal() == ["king italia", "pass"]


def test_rt47_only_the_active_player() -> None:
    position = table("germania", {"italia": [1, 1]}, {"scandia": 0, "italia": 0}, {"king": 1}, placed=True)
    position.apply("plague scandia")
    assert position.actor == 1
    assert verbs(position) == {"take", "place", "king"}  # his turn


def test_rt47_false_before_action_3_only() -> None:
    position = king_late(king_after_plague=False)
    assert position.actor == 1
    assert verbs(position) == {"take", "place"}
    position = king_late("king italia", king_after_plague=False)
    assert (position.actor, palace(position)) == (1, [1, 0, 0, 0])


def test_the_supply_and_the_faces_are_not_touched_by_abilities() -> None:
    held = dict.fromkeys(("merchant", "monk", "king"), 0)
    position = table("scandia", {"gallia": [3], "italia": [1]}, {"italia": 0}, held)
    play(position, "merchant gallia 2", "to germania", "monk gallia 1", "to hispania", "king italia")
    assert supply(position) == 37
    assert not position.state.seen.any()
    assert len(TOKEN_IDS) == 49
