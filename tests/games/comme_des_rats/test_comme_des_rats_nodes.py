"""Nodes and notation: the fixed order of nodes, what can happen at each, and results, against a second referee."""

import copy
import itertools
import os
from collections.abc import Iterable
from typing import Any

import pytest
from comme_des_rats_referee import check_record

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder
from rat_envs.engine.registry import get_game

GAME = get_game("comme_des_rats")

#: Games of random play for each configuration; a long run sets 200 here.
GAMES = int(os.environ.get("RAT_RECORD_GAMES", "6"))

CONFIGURATIONS = [
    {"players": players, "roles": roles, "talk": talk, "extra_rounds": 0}
    for players, roles, talk in itertools.product((2, 3, 4, 5), (False, True), (False, True))
] + [
    {"players": 2, "roles": False, "talk": False, "extra_rounds": 3},
    {"players": 2, "roles": True, "talk": True, "extra_rounds": 1},
    {"players": 3, "roles": True, "talk": False, "extra_rounds": 2},
    {"players": 4, "roles": False, "talk": False, "extra_rounds": 1},
    {"players": 5, "roles": True, "talk": True, "extra_rounds": 3},
]

#: The six rows of the specification turned round: what is kept last is kept first, and the other seat decides.
TURNED_CARDS = [
    "heal claw steal key1 key2 opponent",
    "heal claw key2 steal key1 active",
    "heal key1 key2 claw steal opponent",
    "key1 heal steal key2 claw active",
    "steal key1 heal claw key2 active",
    "key2 steal claw key1 heal opponent",
]

#: Other component tables: what every die, pile or card of the third rat can be driven to.
TABLES: dict[str, dict[str, Any]] = {
    "no single key, no healing": {"players": 4, "die": [0, 1, 2, 3, 0], "roles": True},
    "much healing, no theft": {"players": 3, "die": [1, 0, 0, 5, 0], "roles": True},
    "keys alone, all traps": {"players": 5, "die": [3, 3, 0, 0, 0], "doors": [25, 0, 0, 0], "roles": True},
    "thieves, cats and a Fool": {"players": 3, "die": [1, 1, 2, 2, 0], "doors": [14, 0, 0, 1], "roles": True},
    "clovers for everyone": {"players": 2, "die": [1, 1, 1, 3, 0], "doors": [3, 0, 0, 12], "roles": True},
    "no cheese": {"players": 5, "doors": [9, 0, 0, 16], "extra_rounds": 3, "talk": True},
    "no cheese, third rat": {"players": 2, "doors": [8, 0, 0, 7], "extra_rounds": 3, "roles": True},
    "rich piles": {"players": 2, "doors": [3, 0, 12, 0], "die": [0, 6, 0, 0, 0], "extra_rounds": 2},
    "third-rat cards turned round": {"players": 2, "third_rat": TURNED_CARDS, "roles": True, "talk": True},
    "all that the third rat does": {
        "players": 2,
        "doors": [6, 3, 2, 4],
        "die": [0, 1, 2, 2, 1],
        "third_rat": TURNED_CARDS[::-1],
        "extra_rounds": 1,
        "roles": True,
    },
}

SEATS = [f"player_{seat}" for seat in range(5)]
RATS = [*SEATS, "third_rat"]
FACES = ("key1", "key2", "steal", "claw", "heal")
CARDS = ("trap", "cheese1", "cheese2", "clover")
ROLES = ("manipulator", "al_ratone", "hypnotist", "fool", "alchemist")
ACTIONS = {
    *("keep_dice", "reroll", "say nothing", "say peace", "claim", "no_claim", "no_redirect", "clover", "bandage"),
    *(f"{verb} {face}" for verb in ("say die", "die") for face in FACES),
    *(f"{verb} {rat}" for verb in ("say claw", "partner", "rob", "claw", "redirect") for rat in RATS),
    *(f"{verb} {number}" for verb in ("pile", "look") for number in range(1, 6)),
    *(f"place {card}" for card in CARDS),
}
OUTCOMES = {
    *(f"trap {place}" for place in range(1, 6)),
    *(f"{verb} {card}" for verb in ("deal", "lose") for card in CARDS),
    *(f"role {role}" for role in ROLES),
    *(f"roll {first} {second}" for first, second in itertools.combinations_with_replacement(FACES, 2)),
    *(f"reveal tr{number}" for number in range(1, 7)),
}


#: What random play hardly ever comes to. Three seats, no card but traps: player_0 is the Fool, stores two traps and
#: gets two bandages. Then player_1 steals one of the traps, and the other puts the Fool out.
FOOL = [*(3 * ["trap 1", *(4 * ["deal trap"])]), "role fool", "role alchemist", "role hypnotist"]
OPENINGS = {
    "cr53: nobody left for the Hypnotist": [
        *FOOL,
        *("roll key2 claw", "keep_dice", "partner player_1", "die claw", "claw player_0", "pile 1"),
        *("roll claw claw", "keep_dice", "partner player_0", "claw player_1", "claw player_0"),
        *("roll claw heal", "keep_dice", "partner player_0", "die claw", "claw player_1"),
        *("roll steal claw", "keep_dice", "partner player_1", "die steal", "rob player_0", "lose trap"),
        "claw player_2",
        "trap 1",  # the next round: the Hypnotist was not asked
    ],
    "cr54: a thief who is out": [
        *FOOL,
        *("roll key2 claw", "keep_dice", "partner player_2", "die claw", "claw player_1", "pile 1"),
        *("roll claw claw", "keep_dice", "partner player_0", "claw player_1", "claw player_0"),
        *("roll claw heal", "keep_dice", "partner player_1", "die claw", "claw player_0"),
        *("roll claw heal", "keep_dice", "partner player_2", "die heal", "claw player_2", "no_redirect"),
        *("roll steal claw", "keep_dice", "partner player_2", "die claw", "claw player_1", "rob player_0", "lose trap"),
        "trap 1",  # the next round: player_2 alone had points
    ],
}


def random_game(seed: int, config: dict[str, Any], opening: Iterable[str] = ()) -> dict[str, Any]:
    """The record, with options, of a game of random play after an opening."""
    recorder, luck = Recorder(Position(GAME, config), options=True), new_stream(GAME, seed)
    for text in opening:
        recorder.apply(text)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(luck))
    return recorder.record()


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: "-".join(map(str, config.values())))
def test_nodes_options_and_results_are_those_of_the_specification(config: dict[str, Any]) -> None:
    for seed in range(GAMES):
        check_record(random_game(seed, config))


@pytest.mark.parametrize("table", TABLES)
def test_they_are_with_other_component_tables(table: str) -> None:
    for seed in range(GAMES):
        check_record(random_game(seed, TABLES[table]))


@pytest.mark.parametrize("opening", OPENINGS)
def test_they_are_after_rare_events(opening: str) -> None:
    config = {"players": 3, "doors": [15, 0, 0, 0], "roles": True}
    for seed in range(GAMES):
        check_record(random_game(seed, config, OPENINGS[opening]))


def test_every_action_and_outcome_of_the_notation_occurs_and_no_other() -> None:
    assert (len(ACTIONS), len(OUTCOMES)) == (63, 39)
    actions, outcomes = set(), set()
    for seed, players in itertools.product(range(8), (2, 5)):
        for step in random_game(seed, {"players": players, "roles": True, "talk": True})["steps"]:
            (outcomes if step["actor"] == "chance" else actions).update(step["options"])
    assert actions == ACTIONS
    assert outcomes == OUTCOMES


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_round_is_set_up_pile_by_pile_and_then_come_the_roles(players: int) -> None:
    piles = max(3, players)
    for roles in (False, True):
        record = random_game(1, {"players": players, "roles": roles})
        verbs = [step["action"].split()[0] for step in record["steps"]]
        set_up = piles * (["trap"] + 4 * ["deal"]) + roles * players * ["role"]
        if "role manipulator" in [step["action"] for step in record["steps"][: len(set_up)]]:
            set_up += 2 * ["look"] + 8 * ["place"]
        assert verbs[: verbs.index("roll")] == set_up


@pytest.mark.parametrize("part", ["actor", "option", "weight", "action", "end", "scores", "winners", "returns"])
def test_the_second_referee_refuses_a_damaged_record(part: str) -> None:
    record = random_game(1, {"players": 3})
    check_record(record)
    damaged = copy.deepcopy(record)
    steps = damaged["steps"]
    roll = next(step for step in steps if step["action"].startswith("roll "))
    choice = next(step for step in steps if step["action"] in ("keep_dice", "reroll"))
    if part == "actor":
        choice["actor"] = 1
    elif part == "option":
        choice["options"].append("say nothing")
    elif part == "weight":
        roll["options"][roll["action"]] += 1
    elif part == "action":
        choice["action"] = "no_claim"
    elif part == "end":
        steps.append(steps[-1])
    else:
        damaged[part] = [7, 7, 7]
    with pytest.raises(AssertionError):
        check_record(damaged)
