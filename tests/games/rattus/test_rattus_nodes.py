"""Nodes and notation: the fixed order of nodes, what can happen at each, and results, against a second referee."""

import copy
import itertools
import math
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from rattus_referee import CARDS, TABLE_ORDER, Referee, check_record, default_map, default_tokens

from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder
from rat_envs.engine.registry import get_game

GAME = get_game("rattus")

#: Games of random play for each configuration; a long run sets 200 here.
GAMES = int(os.environ.get("RAT_RECORD_GAMES", "6"))

CONFIGURATIONS = [
    {"players": players, "king_after_plague": king_after_plague}
    for players, king_after_plague in itertools.product((2, 3, 4), (True, False))
]


def a_map(order: Iterable[str], edges: Iterable[Iterable[int]]) -> dict[str, Any]:
    """A map whose light, middle and dark regions follow one another in ``order``; edges join places in it."""
    names = list(order)
    tiers = {"light": names[:8], "middle": names[8:10], "dark": names[10:]}
    return {"tiers": tiers, "edges": [[names[place] for place in edge] for edge in edges]}


def random_map(seed: int, extra: int) -> dict[str, Any]:
    """A tree over the regions in any order, each tied to one before it, and ``extra`` edges more."""
    luck = random.Random(seed)
    tree = [(luck.randrange(place), place) for place in range(1, 12)]
    others = [pair for pair in itertools.combinations(range(12), 2) if pair not in tree]
    edges = [luck.sample(pair, 2) for pair in tree + luck.sample(others, extra)]
    return a_map(luck.sample(TABLE_ORDER, 12), luck.sample(edges, len(edges)))


def all_tokens(**values: Any) -> list[dict[str, Any]]:
    """The default tokens with these values on all of them."""
    return [token | values for token in default_tokens()]


def random_tokens(seed: int) -> list[dict[str, Any]]:
    """Whatever may be printed on a token, in any order."""
    luck = random.Random(seed)
    tokens = []
    for token in luck.sample(default_tokens(), 49):
        classes = [card for card in CARDS for _ in range(luck.choice((0, 0, 0, 1, 2, 3)))]
        m, a = luck.randint(0, 3), luck.randint(0, 3)
        if not (classes or m or a):
            m = 1
        tokens.append(
            token | {"limit": luck.randint(1, 9), "m": m, "a": a, "classes": luck.sample(classes, len(classes))}
        )
    return tokens


LINE = [(place, place + 1) for place in range(11)]
EVERY_PAIR = list(itertools.combinations(range(12), 2))
STAR = [(0, place) for place in range(1, 12)]
RING = [*LINE, (7, 0), (9, 0), (11, 0)]

#: Other component tables: what any map or token can be driven to.
TABLES: dict[str, dict[str, Any]] = {
    "the default tables written out": {"players": 3, "map": default_map(), "tokens": default_tokens()},
    "a line": {"players": 4, "map": a_map(TABLE_ORDER, LINE)},
    "a line the other way round": {"players": 2, "map": a_map(TABLE_ORDER[::-1], LINE), "king_after_plague": False},
    "a star": {"players": 3, "map": a_map(TABLE_ORDER[::-1], STAR)},
    "a star of light regions": {"players": 2, "map": a_map(TABLE_ORDER[3:] + TABLE_ORDER[:3], STAR)},
    "a ring": {"players": 3, "map": a_map(TABLE_ORDER[::2] + TABLE_ORDER[1::2], RING), "king_after_plague": False},
    "every pair": {"players": 4, "map": a_map(TABLE_ORDER, EVERY_PAIR)},
    "a random map": {"players": 2, "map": random_map(1, 14)},
    "a random map with hardly an edge": {"players": 4, "map": random_map(2, 1)},
    "limit 1, M alone": {"players": 2, "tokens": all_tokens(limit=1, m=1, a=0, classes=[])},
    "limit 1, all die": {"players": 4, "tokens": all_tokens(limit=1, m=3, a=3)},
    "limit 9": {"players": 4, "tokens": all_tokens(limit=9, a=3)},
    "three M": {"players": 3, "tokens": all_tokens(limit=2, m=3, a=0, classes=[])},
    "three A, on a line": {
        "players": 3,
        "map": a_map(TABLE_ORDER, LINE),
        "tokens": all_tokens(limit=4, m=0, a=3, classes=[]),
    },
    "the King three times": {"players": 4, "tokens": all_tokens(limit=3, m=0, a=0, classes=3 * ["king"])},
    "every class three times": {"players": 2, "tokens": all_tokens(m=0, a=0, classes=3 * list(CARDS))},
    "one symbol": {"players": 3, "tokens": all_tokens(limit=6, m=0, a=0, classes=["witch"])},
    "random tokens": {"players": 2, "tokens": random_tokens(3), "king_after_plague": False},
    "random tokens on a random map": {"players": 3, "map": random_map(4, 4), "tokens": random_tokens(4)},
    "random tokens on a star": {"players": 4, "map": a_map(TABLE_ORDER, STAR), "tokens": random_tokens(5)},
}

#: The rulebook's example as the specification writes it.
EXAMPLE = """
plague scandia; place tartaria; place turcia; place bulgaria; place gallia; place tartaria; place bulgaria; place turcia; place tartaria
take monk; place tartaria; plague germania; rat polonia
place turcia; plague scandia; rat anglia
take knight; place gallia; plague germania; rat gallia
take peasant; place tartaria; plague scandia; rat russia
take witch; place tartaria; plague germania; rat gallia
place turcia; plague scandia; rat russia
place bulgaria; plague germania; rat hungaria
take merchant; place tartaria; plague scandia; rat anglia
take king; place tartaria; plague germania; rat italia
place turcia; plague gallia; rat hispania; rat hispania; flip 2; token r01; flip 1; token s03; token r06
"""  # noqa: E501
EXAMPLE_STEPS = EXAMPLE.strip().replace("\n", "; ").split("; ")

ACTIONS = {
    *("stop", "swap", "keep", "bonus", "no_bonus", "pass"),
    *(f"take {card}" for card in CARDS),
    *(f"{verb} {region}" for verb in ("place", "peasant", "to", "king", "plague", "rat") for region in TABLE_ORDER),
    *(f"{verb} {region} {n}" for verb in ("merchant", "monk", "witch") for region in TABLE_ORDER for n in (1, 2, 3)),
    *(f"flip {slot}" for slot in (1, 2, 3)),
}
OUTCOMES = {
    *(f"plague {region}" for region in TABLE_ORDER),
    *(f"token {token['id']}" for token in default_tokens()),
    *(f"flip {slot}" for slot in (1, 2, 3)),
}


def random_game(seed: int, config: dict[str, Any], opening: Iterable[str] = ()) -> dict[str, Any]:
    """The record, with options, of a game of random play after an opening.

    In games of odd seeds the players like some words better than others: so rats and cubes crowd in some regions, some
    abilities are used whenever they can be, and the games end in more ways.
    """
    recorder, luck = Recorder(Position(GAME, config), options=True), random.Random(seed)
    liking: dict[str, int] = defaultdict(lambda: luck.choice((1, 1, 1, 20)) if seed % 2 else 1)
    for text in opening:
        recorder.apply(text)
    while not recorder.position.is_over:
        if recorder.position.is_chance:
            outcomes = sorted(recorder.position.chances().items())
            texts, weights = [text for text, _ in outcomes], [weight for _, weight in outcomes]
        else:
            texts = recorder.position.legal()
            weights = [math.prod(liking[word] for word in text.split()) for text in texts]
        recorder.apply(luck.choices(texts, weights)[0])
    return recorder.record()


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: "-".join(map(str, config.values())))
def test_nodes_options_and_results_are_those_of_the_specification(config: dict[str, Any]) -> None:
    for seed in range(GAMES):
        check_record(random_game(seed, config))


@pytest.mark.parametrize("table", TABLES)
def test_they_are_with_other_component_tables(table: str) -> None:
    for seed in range(GAMES):
        check_record(random_game(seed, TABLES[table]))


def test_every_action_and_outcome_of_the_notation_occurs_and_no_other() -> None:
    assert (len(ACTIONS), len(OUTCOMES)) == (195, 64)
    actions, outcomes = set(), set()
    for seed in range(36):
        for step in random_game(seed, {})["steps"]:
            (outcomes if step["actor"] == "chance" else actions).update(step["options"])
    assert actions == ACTIONS
    assert outcomes == OUTCOMES


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_set_up_is_the_plague_and_two_rounds_of_placing(players: int) -> None:
    steps = random_game(1, {"players": players})["steps"][: 2 * players + 2]
    seats = list(range(players))
    assert [step["actor"] for step in steps] == ["chance", *seats, *seats[::-1], 0]
    in_play = TABLE_ORDER[: 4 + 2 * players]
    assert steps[0]["options"] == {f"plague {region}": 1 for region in in_play}
    for step in steps[1:-1]:
        assert step["options"] == sorted(f"place {region}" for region in in_play)


def test_the_rulebooks_example_ends_as_the_specification_says() -> None:
    record = random_game(1, {}, EXAMPLE_STEPS)
    check_record(record)
    assert [step["action"] for step in record["steps"][: len(EXAMPLE_STEPS)]] == EXAMPLE_STEPS
    assert record["steps"][len(EXAMPLE_STEPS)]["actor"] == 2
    referee = Referee(record["config"])
    gallia, hispania = referee.regions["gallia"], referee.regions["hispania"]
    for text in EXAMPLE_STEPS:
        if text == "plague gallia":
            assert (len(gallia.rats), list(gallia.cubes.values())) == (3, [0, 0, 1, 2])
        referee.apply(text)
    assert (len(gallia.rats), list(gallia.cubes.values())) == (0, [0, 0, 0, 0])
    assert (len(hispania.rats), referee.supply, referee.actor()) == (3, 26, 2)


def add_an_option(record: dict[str, Any]) -> None:
    first_decision(record)["options"].append("stop")


def change_a_weight(record: dict[str, Any]) -> None:
    token = next(step for step in record["steps"] if step["action"].startswith("token "))
    token["options"][token["action"]] += 1


def do_what_is_impossible(record: dict[str, Any]) -> None:
    first_decision(record)["action"] = "pass"


def end_later(record: dict[str, Any]) -> None:
    record["steps"].append(record["steps"][-1])


def first_decision(record: dict[str, Any]) -> dict[str, Any]:
    return next(step for step in record["steps"] if step["actor"] != "chance")


DAMAGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another actor": lambda record: first_decision(record).update(actor=1),
    "chance for a player": lambda record: first_decision(record).update(actor="chance"),
    "an option too many": add_an_option,
    "an option too few": lambda record: first_decision(record)["options"].pop(),
    "options in another order": lambda record: first_decision(record)["options"].reverse(),
    "another weight": change_a_weight,
    "an impossible action": do_what_is_impossible,
    "a step left out": lambda record: record["steps"].pop(4),
    "a step too few": lambda record: record["steps"].pop(),
    "a step too many": end_later,
    "other scores": lambda record: record.update(scores=[7, 7, 7]),
    "other winners": lambda record: record.update(winners=[0, 1, 2]),
    "other returns": lambda record: record.update(returns=[0, 0, 0]),
    "another number of players": lambda record: record["config"].update(players=4),
    "another map": lambda record: record["config"].update(map=a_map(TABLE_ORDER, LINE)),
    "other tokens": lambda record: record["config"].update(tokens=all_tokens(limit=9)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_second_referee_refuses_a_damaged_record(damage: str) -> None:
    record = random_game(1, {"players": 3})
    check_record(record)
    damaged = copy.deepcopy(record)
    DAMAGES[damage](damaged)
    with pytest.raises(AssertionError):
        check_record(damaged)
