"""Nodes and notation: the fixed order of nodes, what can happen at each, and results, against a second referee."""

from typing import Any

import pytest
from brave_rats_helpers import CONFIGURATIONS, HANDS, apply_all, counts, start, start_with, stream
from brave_rats_referee import check_record

from rat_envs.engine.records import Recorder

GAMES_PER_CONFIGURATION = 15

SETUP_NODES = {
    "clan": [],
    "random": 8 * ["deal"],
    "draft": 4 * (4 * ["reveal"] + 3 * ["keep"]),
    "princess_attack": ["princes"],
}


def random_game(seed: int, config: dict[str, Any]) -> dict[str, Any]:
    """The record, with options, of a game of random play."""
    recorder, luck = Recorder(start(**config), options=True), stream(seed)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(luck))
    return recorder.record()


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: "-".join(map(str, config.values())))
def test_nodes_options_and_results_are_those_of_the_specification(config: dict[str, Any]) -> None:
    for seed in range(GAMES_PER_CONFIGURATION):
        check_record(random_game(seed, config))


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("draw_pile", [False, True])
@pytest.mark.parametrize("traitor", [False, True])
def test_br27_set_up_is_hands_then_traitor_then_draw_pile(hands: str, traitor: bool, draw_pile: bool) -> None:
    record = random_game(1, {"hands": hands, "traitor": traitor, "draw_pile": draw_pile})
    verbs = [step["action"].split()[0] for step in record["steps"]]
    expected = SETUP_NODES[hands] + traitor * ["give", "give"] + draw_pile * 6 * ["draw"]
    assert verbs[: verbs.index("play")] == expected


def test_a_decision_with_a_single_option_is_still_a_node() -> None:
    position = start_with("spy", "wizard")
    assert (position.actor, position.legal()) == (0, ["play spy"])
    position.apply("play spy")
    assert (position.actor, position.legal()) == (1, ["play wizard"])

    draft = start(hands="draft")
    apply_all(draft, ["reveal spy", "reveal spy", "reveal prince", "reveal wizard", "keep prince", "keep wizard"])
    assert (draft.actor, draft.legal()) == (0, ["keep spy"])


def test_a_chance_node_with_a_single_outcome_is_still_a_node() -> None:
    position = start(draw_pile=True)
    position.state.pile[0] = counts("musician musician musician")
    assert position.chances() == {"draw musician": 3}

    draft = start(hands="draft")
    draft.state.undealt = counts("spy spy wizard wizard")
    apply_all(draft, ["reveal spy", "reveal wizard", "reveal wizard"])
    assert draft.chances() == {"reveal spy": 1}
