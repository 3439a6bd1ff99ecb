"""RT-60 to RT-64: when a game ends, and the final round."""

import pytest
from rattus_helpers import (
    cubes,
    final_round,
    in_play,
    lay,
    neighbours,
    options,
    palace,
    plague,
    play,
    rats,
    stock,
    supply,
    table,
    verbs,
    view,
    who,
)
from rattus_referee import TABLE_ORDER

from rat_envs.engine.position import Position


def has_ended(position: Position) -> bool:
    """Whether the last turn is over."""
    return len(who(position, 0, view(position, 0).last_active)) == 1


# When it ends


def test_rt60_after_the_turn_in_which_the_supply_ran_out() -> None:
    position = table("germania", {"scandia": [1]}, {"scandia": "supply"}, placed=True, supply=1)
    play(position, "plague scandia", "rat anglia")
    assert supply(position) == 0
    assert not has_ended(position)  # the turn goes on
    assert position.is_chance
    position.apply("token r01")
    assert has_ended(position)


def test_rt60_not_while_there_are_tokens_in_the_supply() -> None:
    position = table("germania", {"scandia": [1]}, {"scandia": "supply"}, placed=True, supply=2)
    play(position, "plague scandia", "rat anglia", "token r01")
    assert not has_ended(position)
    assert position.actor == 1


def test_rt60_after_the_turn_in_which_the_active_player_got_all_his_cubes_on_the_board() -> None:
    for left, ended in ((2, True), (3, False)):
        position = table("germania", {"gallia": [0, 20 - left]}, {"italia": 2, "scandia": 0}, active=1)
        play(position, "place italia")
        assert not has_ended(position)
        play(position, "plague scandia")
        assert has_ended(position) == ended
        assert ended or position.actor == 2


def test_rt60_cubes_placed_and_lost_again_in_the_turn_do_not_count() -> None:
    position = table("germania", {"gallia": [18]}, {"italia": 2, "gallia": "supply"}, {"merchant": 0})
    play(position, "place italia")
    assert stock(position)[0] == 0
    play(position, "plague gallia", "rat anglia", "token r01")
    assert stock(position)[0] == 1
    assert not has_ended(position)
    assert position.actor == 1


def test_rt60_cubes_in_the_palace_are_on_the_board() -> None:
    position = table("germania", {"gallia": [18]}, {"italia": 2, "gallia": 0, "scandia": 0}, {"king": 0})
    play(position, "king gallia", "place italia", "plague scandia")
    assert has_ended(position)


def test_rt60_after_everything_in_the_turn_also_the_king() -> None:
    position = table("germania", {"gallia": [18]}, {"italia": 2, "gallia": 0, "scandia": 0}, {"king": 0})
    play(position, "place italia", "plague scandia")
    assert (position.actor, verbs(position)) == (0, {"king", "pass"})
    assert not has_ended(position)
    play(position, "king gallia")
    assert has_ended(position)
    assert palace(position) == [1, 0, 0, 0]


def test_rt60_only_the_active_players_stock_counts() -> None:
    position = table("germania", {"gallia": [0, 20]}, {"scandia": 0}, placed=True)
    position.apply("plague scandia")
    assert not has_ended(position)


# The final round


@pytest.mark.parametrize("last", [0, 1, 2, 3])
def test_rt61_every_other_player_counter_clockwise_from_the_right_of_the_last(last: int) -> None:
    held = {"witch": 0, "knight": 1, "monk": 2, "peasant": 3}
    position = final_round(last, cards=held)
    order = []
    while position.actor >= 0:
        order.append(position.actor)
        position.apply("pass")
    assert order == [(last - 1) % 4, (last - 2) % 4, (last - 3) % 4]
    assert position.is_over  # nobody has a cube on the board


@pytest.mark.parametrize("players", [2, 3])
def test_rt61_with_fewer_players(players: int) -> None:
    position = final_round(0, cards={"witch": 0, "knight": 1, "monk": players - 1}, players=players)
    assert position.actor == players - 1
    position.apply("pass")
    if players == 3:
        assert position.actor == 1
        position.apply("pass")
    assert position.is_over


def test_rt61_nothing_else_no_card_no_cubes_no_plague() -> None:
    position = final_round(3, {"gallia": [0, 0, 3]}, cards={"merchant": 2, "witch": 0, "knight": 1})
    assert position.actor == 2
    assert verbs(position) == {"merchant", "pass"}
    play(position, "merchant gallia 2", "to italia")
    assert (position.actor, verbs(position)) == (1, {"plague", "pass"})


def test_rt61_each_card_once_more_also_if_it_was_used_before() -> None:
    held = {"witch": 2, "monk": 2}
    position = table("germania", rats={"scandia": 0, "polonia": 0}, cards=held, active=2, supply=0)
    play(position, "witch gallia 1", "token s01", "stop", "place italia", "plague scandia")
    assert has_ended(position)
    assert position.is_chance  # the last player himself has no more part: the final ravage
    position = final_round(3, cards=held)
    assert position.actor == 2
    play(position, "witch gallia 1", "token s01", "stop")
    assert verbs(position) == {"monk", "pass"}
    play(position, "monk gallia 1", "to italia")
    assert position.is_over


def test_rt62_the_peasant_puts_one_cube_on_any_region() -> None:
    laid = {"gallia": 3, "italia": 0}
    for region in TABLE_ORDER:
        position = final_round(3, rats=laid, cards={"peasant": 2})
        assert options(position, "peasant") == set(TABLE_ORDER)
        position.apply(f"peasant {region}")
        assert (cubes(position, region)[2], stock(position)[2]) == (1, 19)
        assert position.is_over == (rats(position, region) == 0)  # else the final ravage has come there


def test_rt62_regions_out_of_play_do_not_exist() -> None:
    position = final_round(1, cards={"peasant": 0}, players=2)
    assert options(position, "peasant") == set(in_play(2))


@pytest.mark.parametrize("left", [0, 1])
def test_rt62_if_there_is_one_in_stock(left: int) -> None:
    position = final_round(3, {"gallia": [0, 0, 20 - left]}, cards={"peasant": 2, "merchant": 2})
    assert ("peasant" in verbs(position)) == bool(left)
    if left:
        position.apply("peasant italia")
        assert stock(position)[2] == 0
        assert "peasant" not in verbs(position)


def test_rt63_the_knight_moves_the_plague_one_or_two_regions() -> None:
    position = final_round(3, cards={"knight": 2})
    two_steps = {beyond for near in neighbours("scandia") for beyond in neighbours(near)}
    assert options(position, "plague") == (neighbours("scandia") | two_steps) - {"scandia"}


def test_rt63_nothing_spreads_and_nothing_is_ravaged_by_it() -> None:
    position = final_round(3, {"gallia": [2, 2]}, {"gallia": 2}, {"knight": 2, "witch": 1})
    position.apply("plague gallia")
    assert (position.actor, verbs(position)) == (1, {"witch", "pass"})
    assert (plague(position), rats(position, "gallia"), cubes(position, "gallia")) == ("gallia", 2, [2, 2, 0, 0])


@pytest.mark.parametrize(("there", "left"), [([1, 1], [0, 0]), ([1, 0], [1, 0])])
def test_rt63_it_counts_as_two_cubes_in_its_region_in_the_final_ravage(there: list[int], left: list[int]) -> None:
    laid = {"gallia": "supply", "italia": "supply"}
    position = final_round(3, {"gallia": there, "italia": there}, laid, {"knight": 2})
    position.apply("plague gallia")
    assert position.is_chance  # nobody is asked
    position.apply("token r19")  # limit 4, M
    assert cubes(position, "gallia")[:2] == left
    position.apply("token r16")  # in Italia it counts nothing
    assert cubes(position, "italia")[:2] == there
    assert position.is_over


def test_rt63_if_no_one_does_this_it_counts_nothing() -> None:
    laid = {"scandia": 0, "gallia": "supply"}
    for last, held, texts in ((3, {"knight": 2}, ["pass"]), (2, {"knight": 2}, []), (3, {}, [])):
        position = table("germania", {"gallia": [1, 1]}, laid, held, active=last, placed=True, supply=0)
        play(position, "plague scandia", *texts)
        position.state.plague = TABLE_ORDER.index("gallia")
        position.apply("token r19")
        assert cubes(position, "gallia") == [1, 1, 0, 0]


def test_rt63_a_bonus_of_the_last_turn_is_no_more() -> None:
    """The Knight's holder ends the game with a bonus in Scandia; in the final ravage of Scandia it does not count."""
    laid = {"scandia": "supply supply", "anglia": 0}
    position = table("germania", {"scandia": [1, 1]}, laid, {"knight": 0}, placed=True, supply=2)
    play(position, "plague scandia", "rat anglia", "rat anglia", "bonus", "flip 1", "token r24", "token r25")
    assert cubes(position, "scandia") == [1, 1, 0, 0]  # limits of 5
    assert position.is_over
    position = table("germania", {"scandia": [1, 1, 1]}, laid, {"knight": 0, "monk": 3}, placed=True, supply=2)
    play(position, "plague scandia", "rat anglia", "rat anglia", "bonus", "flip 1", "token r32", "token r33")
    assert position.actor == 3
    play(position, "monk anglia 1", "to scandia", "token r24")  # limit 5, with the piece there would be 5
    assert cubes(position, "scandia") == [1, 1, 1, 0]


def test_rt64_merchant_monk_witch_and_king_as_always_in_any_order() -> None:
    held = dict.fromkeys(("merchant", "monk", "witch", "king", "peasant", "knight"), 2)
    home = {"gallia": [0, 0, 4], "italia": [1, 0, 1]}
    for order in (
        ["merchant gallia 3", "monk gallia 1", "witch turcia 1", "king italia", "peasant anglia", "plague russia"],
        ["plague russia", "peasant anglia", "king italia", "witch turcia 1", "monk gallia 1", "merchant gallia 3"],
    ):
        position = final_round(3, home, {"italia": 0}, held)
        rest = {
            "merchant gallia 3": ["to germania"],
            "monk gallia 1": ["to hispania"],
            "witch turcia 1": ["token s08", "witch anglia 1", "token s07", "swap"],
        }
        for number, text in enumerate(order):
            left = {other.split()[0] for other in order[number:]}
            assert position.actor == 2
            assert verbs(position) == {*left, "pass"}
            play(position, text, *rest.get(text, []))
        assert cubes(position, "germania")[2] == 3
        assert rats(position, "hispania") == 2
        assert palace(position)[2] == 1


def test_rt64_an_ability_is_finished_first() -> None:
    position = final_round(3, {"gallia": [0, 0, 4]}, cards={"merchant": 2, "monk": 2})
    position.apply("merchant gallia 3")
    assert verbs(position) == {"to"}


def test_rt64_the_turn_is_over_without_a_node_when_there_is_no_ability_left() -> None:
    position = final_round(3, {"gallia": [0, 1]}, {"gallia": 0}, {"king": 2, "merchant": 1})
    assert position.actor == 1  # player_2 has no cube for the King
    play(position, "merchant gallia 1", "to italia")
    assert position.actor < 0  # player_0 has no card


@pytest.mark.parametrize(
    ("card", "home", "laid", "others"),
    [
        ("merchant", {"gallia": [3]}, {}, 0),
        ("king", {"gallia": [0, 0, 3]}, {}, 1),
        ("king", {"gallia": [3]}, {}, 0),
        ("monk", {}, {}, 0),
        ("monk", {}, {"scandia": 0} | dict.fromkeys(set(TABLE_ORDER) - {"scandia"}, 0), 0),
        ("witch", {}, {}, 0),
        ("peasant", {"gallia": [0, 0, 20]}, {}, 0),
    ],
)
def test_rt64_there_is_no_node_for_a_card_that_cannot_be_used(
    card: str, home: dict[str, list[int]], laid: dict[str, int], others: int
) -> None:
    position = final_round(3, home, laid, {card: 2}, others=others)
    assert position.actor < 0


def test_rt64_a_monk_whose_tokens_have_full_neighbours_has_no_node() -> None:
    position = table("germania", rats={"scandia": 0}, cards={"monk": 2}, others=3, active=3, placed=True, supply=0)
    position.apply("plague scandia")
    assert position.actor == 2  # Scandia has room
    lay(position, "scandia", 3)
    assert position.legal() == ["pass"]


def test_rt64_every_player_has_all_his_cards_again_after_another_has_passed() -> None:
    held = {"merchant": 2, "witch": 1}
    position = final_round(3, {"gallia": [0, 1, 1]}, cards=held)
    play(position, "pass")
    assert (position.actor, verbs(position)) == (1, {"witch", "pass"})
