"""Nodes and notation: the fixed order of nodes, what can happen at each, and results, against a second referee."""

import copy
import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from rattus_cartus_components import CLASSES, copies_of
from rattus_cartus_games import (
    ACTIONS,
    BEFORE_THE_EXAMPLE,
    BUILDINGS,
    CONFIGURATIONS,
    EXAMPLE,
    OUTCOMES,
    TABLES,
    THE_OTHERS,
    random_player,
    steps_of,
)
from rattus_cartus_referee import Referee, check_record

from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder
from rat_envs.engine.registry import get_game

pytest.importorskip("rat_envs.games.rattus_cartus.declaration", reason="the game is still to be written")

GAME = get_game("rattus_cartus")

#: Games of random play for each configuration; a long run sets 200 here.
GAMES = int(os.environ.get("RAT_RECORD_GAMES", "6"))


def random_game(seed: int, config: dict[str, Any], opening: Iterable[str] = ()) -> dict[str, Any]:
    """The record, with options, of a game of random play after an opening."""
    recorder, pick = Recorder(Position(GAME, config), options=True), random_player(seed)
    for text in opening:
        recorder.apply(text)
    while not recorder.position.is_over:
        position = recorder.position
        recorder.apply(pick(position.chances() if position.is_chance else position.legal()))
    return recorder.record()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_nodes_options_and_results_are_those_of_the_specification(name: str) -> None:
    for seed in range(GAMES):
        check_record(random_game(seed, CONFIGURATIONS[name]))


@pytest.mark.parametrize("table", TABLES)
def test_they_are_with_other_component_tables(table: str) -> None:
    for seed in range(GAMES):
        check_record(random_game(seed, TABLES[table]))


def test_every_action_and_outcome_of_the_notation_occurs_and_no_other() -> None:
    assert (len(ACTIONS), len(OUTCOMES)) == (128, 197)
    assert set(GAME.actions) == ACTIONS
    assert set(GAME.outcomes) == OUTCOMES
    actions: set[str] = set()
    outcomes: set[str] = set()
    for config in TABLES.values():
        for seed in range(3):
            for step in random_game(seed, config)["steps"]:
                (outcomes if step["actor"] == "chance" else actions).update(step["options"])
    assert actions == ACTIONS
    assert outcomes == OUTCOMES


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_recommended_set_up_is_the_deal_and_the_row(players: int) -> None:
    size = 2 + players // 4
    steps = random_game(0, {"players": players})["steps"]
    deal, row = steps[: 5 * players], steps[5 * players : 5 * players + size]
    assert all(step["actor"] == "chance" and step["action"].startswith("draw ") for step in deal)
    assert [sum(step["options"].values()) for step in deal] == [84 - number for number in range(5 * players)]
    assert [list(step["options"].values()) for step in row] == [[1] * (30 - slot) for slot in range(size)]
    assert all(text.startswith("building ") for step in row for text in step["options"])
    first = next(step for step in steps if step["actor"] != "chance")
    assert (first["actor"], first["options"]) == (0, ["supply 1", "supply 2", "supply 3"][:size])


def test_random_buildings_are_chosen_class_by_class() -> None:
    steps = random_game(0, {"buildings": "random_building"})["steps"]
    for place, step in enumerate(steps[: len(CLASSES)]):
        pair = BUILDINGS[2 * place : 2 * place + 2]
        assert (step["actor"], step["options"]) == ("chance", {f"choose {building}": 1 for building in pair})
    steps = random_game(0, {"buildings": "random_cards"})["steps"]
    for place in range(len(CLASSES)):
        left = {f"choose {card}": 1 for each in BUILDINGS[2 * place : 2 * place + 2] for card in copies_of(each)}
        for step in steps[5 * place : 5 * place + 5]:
            assert (step["actor"], step["options"]) == ("chance", left)
            left.pop(step["action"])


def test_the_rulebooks_example_ends_as_the_specification_says() -> None:
    opening = steps_of(BEFORE_THE_EXAMPLE) + steps_of(EXAMPLE)
    record = random_game(1, {}, opening)
    check_record(record)
    assert [step["action"] for step in record["steps"][: len(opening)]] == opening
    assert len(record["steps"][len(opening)]["options"]) == 24
    referee = Referee(record["config"])
    for text in opening:
        referee.apply(text)
    assert [player.rats for player in referee.players] == [5, 9, 9, 4]
    assert [player.hand.total() for player in referee.players] == [8, 5, 4, 3]
    assert [player.influence["church"] for player in referee.players] == [0, 4, 0, 0]
    assert [player.influence["magic"] for player in referee.players] == [0, 0, 3, 0]


def add_an_option(record: dict[str, Any]) -> None:
    first_decision(record)["options"].append("supply 4")


def change_a_weight(record: dict[str, Any]) -> None:
    draw = record["steps"][3]
    draw["options"][draw["action"]] += 1


def leave_out_an_outcome(record: dict[str, Any]) -> None:
    draw = record["steps"][3]
    draw["options"].pop(next(text for text in draw["options"] if text != draw["action"]))


def do_what_is_impossible(record: dict[str, Any]) -> None:
    first_decision(record)["action"] = "pass"


def lay_nothing(record: dict[str, Any]) -> None:
    step = next(step for step in record["steps"] if step["action"].startswith("lay "))
    step["action"] = "done"


def end_later(record: dict[str, Any]) -> None:
    record["steps"].append(record["steps"][-1])


def change_a_score(record: dict[str, Any]) -> None:
    record["scores"][1] += 1


def first_decision(record: dict[str, Any]) -> dict[str, Any]:
    return next(step for step in record["steps"] if step["actor"] != "chance")


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another actor": lambda record: first_decision(record).update(actor=1),
    "chance for a player": lambda record: first_decision(record).update(actor="chance"),
    "an option too many": add_an_option,
    "an option too few": lambda record: first_decision(record)["options"].pop(),
    "options in another order": lambda record: first_decision(record)["options"].reverse(),
    "another weight": change_a_weight,
    "an outcome too few": leave_out_an_outcome,
    "an impossible action": do_what_is_impossible,
    "cards that are not laid": lay_nothing,
    "a step left out": lambda record: record["steps"].pop(4),
    "a step too few": lambda record: record["steps"].pop(),
    "a step too many": end_later,
    "another score": change_a_score,
    "scores too few": lambda record: record["scores"].pop(),
    "other winners": lambda record: record.update(winners=[0, 1, 2]),
    "other returns": lambda record: record.update(returns=[0.5, 0.5, -1]),
    "returns too few": lambda record: record["returns"].pop(),
    "another number of players": lambda record: record["config"].update(players=4),
    "other buildings": lambda record: record["config"].update(buildings=THE_OTHERS),
    "another supply": lambda record: record["config"].update(supply=[[3, 0, 0]] * 60),
    "other tokens": lambda record: record["config"].update(vp_tokens=[1] * 19 + [5]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_second_referee_refuses_a_damaged_record(damage: str) -> None:
    record = random_game(1, {"players": 3})
    check_record(record)
    damaged = copy.deepcopy(record)
    DAMAGES[damage](damaged)
    with pytest.raises(AssertionError):
        check_record(damaged)
