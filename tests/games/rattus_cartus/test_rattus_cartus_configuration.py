"""The configuration: defaults, mistakes in one sentence, replaced buildings, supplies and tokens, records."""

import json
from typing import Any

import numpy as np
import pytest
from rattus_cartus_components import RECOMMENDED, copies_of, default_supply
from rattus_cartus_games import BOTH, BUILDINGS, THE_OTHERS, random_supply
from rattus_cartus_helpers import BUILDING_CARDS, GAME, everything, play, random_texts, start, state_bytes, stream
from refusals import refusal

from rat_envs.engine.configuration import parse_options
from rat_envs.engine.errors import ConfigurationError, RecordError
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder, replay

REST = "marketplace, monastery, castle, fortune_tellers_tent, palace"
WAYS = "recommended, random_building, random_cards"


def refused(**config: Any) -> str:
    """The sentence with which a configuration is refused, without what it repeats of the value."""
    return refusal(GAME, **config)


def supply_with(card: str, triple: Any) -> list[Any]:
    """The default supply with another action on one card."""
    supply: list[Any] = default_supply()
    supply[BUILDING_CARDS.index(card)] = triple
    return supply


def in_use(**config: Any) -> set[str]:
    """The building cards in use, of a list."""
    position = start(**config)
    while "building" not in everything(position)[0]:
        position.apply(everything(position)[0])
    return {text.removeprefix("building ") for text in position.chances()}


def test_the_defaults_are_those_of_the_specification() -> None:
    defaults = {
        "players": 4,
        "buildings": "recommended",
        "fewest_rats_survive": False,
        "supply": "default",
        "vp_tokens": "default",
    }
    assert start().configuration.to_dict() == defaults
    assert list(start().configuration.to_dict()) == list(defaults)


def test_the_default_tables_written_out_are_the_same_game() -> None:
    tables = {"buildings": RECOMMENDED, "supply": default_supply(), "vp_tokens": [1] * 20}
    position, other = start(players=3), start(players=3, **tables)
    assert state_bytes(position) == state_bytes(other)
    for text in random_texts(position, 3):
        assert everything(position) == everything(other)
        play(other, text)
    assert state_bytes(position) == state_bytes(other)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"players": 1}, "players=1: must be a whole number from 2 to 5."),
        ({"players": 6}, "players=6: must be a whole number from 2 to 5."),
        ({"players": 3.0}, "players=3.0: must be a whole number from 2 to 5."),
        ({"players": "3"}, 'players="3": must be a whole number from 2 to 5.'),
        ({"players": True}, "players=true: must be a whole number from 2 to 5."),
        ({"players": None}, "players=null: must be a whole number from 2 to 5."),
        ({"fewest_rats_survive": 1}, "fewest_rats_survive=1: must be true or false."),
        ({"fewest_rats_survive": "no"}, 'fewest_rats_survive="no": must be true or false.'),
        (
            {"rounds": 8},
            "Unknown option rounds: the options are players, buildings, fewest_rats_survive, supply, vp_tokens.",
        ),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        start(**config)
    assert str(error.value) == sentence


# RC-02: buildings


@pytest.mark.parametrize("wrong", [None, 5, True, [], {}, BUILDINGS[::2], {"farm": 5}, RECOMMENDED.split(",")], ids=str)
def test_buildings_are_one_text(wrong: Any) -> None:
    assert refused(buildings=wrong) == f"one of {WAYS}, or a text of buildings parted by commas."


@pytest.mark.parametrize(
    "item",
    ["barn", "farm 0", "farm 6", "farm 1.", "farm  1", "farm1", "Farm", "peasantry", "", "farm 1 2", "farm; castle"]
    + ["random", "farm -1", "1"],
)
@pytest.mark.parametrize("text", ["{}", "{}, farm", "farm, {}, palace", f"{RECOMMENDED},{{}}"])
def test_an_item_that_names_no_building_or_card_is_named(item: str, text: str) -> None:
    right = f'one of {WAYS}, or a text of buildings ("farm") and cards ("farm 3"); {item!r} is none.'
    assert refused(buildings=text.format(item)) == right


def test_of_a_very_long_item_only_the_beginning_is_repeated() -> None:
    assert refused(buildings="x" * 3000).endswith("x.… is none.")


def test_a_way_of_choosing_is_no_item_of_a_list() -> None:
    assert refused(buildings=f"recommended, {REST}").endswith("; 'recommended' is none.")


@pytest.mark.parametrize(
    ("text", "card"),
    [
        (f"farm, farm, {REST}", "farm 1"),
        (f"farm, farm 3, {REST}", "farm 3"),
        (f"farm 2, {REST}, farm", "farm 2"),
        (f"brewery 1, brewery 2, brewery 3, brewery 4, brewery 4, {REST}", "brewery 4"),
        (f"{RECOMMENDED}, palace 5", "palace 5"),
    ],
)
def test_no_card_occurs_twice(text: str, card: str) -> None:
    assert refused(buildings=text) == f"a text in which no card occurs twice; {card} does."


@pytest.mark.parametrize(
    ("text", "number", "name"),
    [
        (REST, 0, "peasantry"),
        ("farm", 0, "bourgeoisie"),
        (f"farm, brewery, {REST}", 10, "peasantry"),
        (f"farm, brewery 3, {REST}", 6, "peasantry"),
        (f"farm 1, farm 2, brewery 1, brewery 5, {REST}", 4, "peasantry"),
        (f"{RECOMMENDED}, treasury 1", 6, "royalty"),
        (RECOMMENDED.replace("castle", "castle 1, guard_tower 2"), 2, "chivalry"),
    ],
)
def test_there_are_five_cards_of_each_class(text: str, number: int, name: str) -> None:
    assert refused(buildings=text) == f"a text with 5 cards of each class; there are {number} of {name}."


def test_a_list_may_have_any_order_spaces_and_mixture() -> None:
    assert in_use(buildings=RECOMMENDED) == in_use() == {card for each in BUILDINGS[::2] for card in copies_of(each)}
    text = " , ".join(reversed(RECOMMENDED.split(",")))
    assert in_use(buildings=text) == in_use()
    assert in_use(buildings=f"farm 5,farm 3,  farm 1,farm 2,farm 4,{REST}") == in_use()
    assert in_use(buildings=THE_OTHERS) == {card for each in BUILDINGS[1::2] for card in copies_of(each)}
    assert in_use(buildings=BOTH) == set(BOTH.split(","))
    assert len(in_use(buildings=BOTH)) == 30


def test_a_list_means_the_same_in_any_order_but_ways_of_chance_do_not() -> None:
    reordered = ",".join(reversed(BOTH.split(",")))
    assert start(buildings=BOTH).state.tobytes() == start(buildings=reordered).state.tobytes()
    assert len({start(buildings=way).state.tobytes() for way in WAYS.split(", ")}) == 3


# Supplies


@pytest.mark.parametrize("wrong", [None, 5, True, [], {}, "defaults", "4/0/0", [4, 0, 0], [[4, 0, 0]]], ids=str)
def test_a_supply_is_default_or_sixty_triples(wrong: Any) -> None:
    assert refused(supply=wrong) == '"default" or a list of 60 triples [draw, drop, look].'


@pytest.mark.parametrize("number", [59, 61])
def test_there_are_sixty_of_them(number: int) -> None:
    assert refused(supply=[[0, 0, 0]] * number) == '"default" or a list of 60 triples [draw, drop, look].'


@pytest.mark.parametrize(
    "triple",
    [
        *([], [0, 0], [0, 0, 0, 0], None, 4, "4/0/0", {"draw": 1}),
        *([10, 0, 0], [0, 10, 0], [0, 0, 6], [-1, 0, 0], [0, -1, 0], [0, 0, -1], [1.0, 0, 0], [0, True, 0]),
        *(["1", 0, 0], [None, 0, 0], [[1], 0, 0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("card", ["farm 1", "guard_tower 3", "treasury 5"])
def test_a_wrong_supply_action_is_named(card: str, triple: Any) -> None:
    right = f"a list in which {card} has three numbers, to draw 0–9, to drop 0–9, to look at 0–5."
    assert refused(supply=supply_with(card, triple)) == right


def test_the_extremes_are_admissible() -> None:
    for triple in ([9, 9, 5], [0, 0, 0]):
        assert start(supply=[triple] * 60).configuration.to_dict()["supply"] == [triple] * 60


# Tokens


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, 1, True, "default ", "1", {}, [], [1] * 19, [1] * 21),
        *([1] * 19 + [value] for value in (0, 6, -1, 1.0, True, "1", None, [1])),
    ],
    ids=lambda value: str(value)[-12:],
)
def test_tokens_are_default_or_twenty_values_from_one_to_five(wrong: Any) -> None:
    assert refused(vp_tokens=wrong) == '"default" or a list of 20 whole numbers from 1 to 5.'


def test_the_order_of_tokens_means_nothing() -> None:
    values = [5, 1, 2, 2] * 5
    assert start(vp_tokens=values).state.tobytes() == start(vp_tokens=sorted(values)).state.tobytes()
    assert start(vp_tokens=values).state.tokens.tolist() == [5, 10, 0, 0, 5]


# Equality, JSON, the command line, records


REPLACED: dict[str, Any] = {
    "players": 3,
    "buildings": BOTH,
    "fewest_rats_survive": True,
    "supply": random_supply(7),
    "vp_tokens": [5] * 5 + [1] * 15,
}


def test_to_dict_goes_through_json_and_back() -> None:
    make = GAME.configuration.make
    for config in ({}, {"players": 2}, {"buildings": "random_cards"}, REPLACED):
        made = make(config)
        text = json.dumps(made.to_dict())
        again = make(json.loads(text))
        assert again == made
        assert hash(again) == hash(made)
        assert json.loads(text) == {**start().configuration.to_dict(), **config}


def test_tables_may_be_arrays() -> None:
    make = GAME.configuration.make
    made = make({**REPLACED, "supply": np.array(REPLACED["supply"]), "vp_tokens": np.array(REPLACED["vp_tokens"])})
    assert made == make(REPLACED) and json.loads(json.dumps(made.to_dict())) == REPLACED
    assert refused(supply=np.zeros((59, 3), int)) == '"default" or a list of 60 triples [draw, drop, look].'
    assert refused(vp_tokens=np.ones(20)) == '"default" or a list of 20 whole numbers from 1 to 5.'


def test_equal_tables_are_equal_configurations_and_others_are_not() -> None:
    make = GAME.configuration.make
    as_tuples = {**REPLACED, "supply": tuple(map(tuple, REPLACED["supply"])), "vp_tokens": (5,) * 5 + (1,) * 15}
    assert make(REPLACED) == make(as_tuples)
    assert hash(make(REPLACED)) == hash(make(as_tuples))
    assert len({make(REPLACED), make(as_tuples), make({}), make(None)}) == 2
    assert make(REPLACED) != make({**REPLACED, "supply": supply_with("farm 1", [3, 0, 0])})
    assert make(REPLACED) != make({**REPLACED, "vp_tokens": [5] * 4 + [1] * 16})
    assert make(REPLACED) != make({**REPLACED, "buildings": "recommended"})


def test_a_configuration_is_not_changed_by_what_is_done_to_the_tables_it_was_made_from() -> None:
    config = {**REPLACED, "supply": random_supply(7), "vp_tokens": list(REPLACED["vp_tokens"])}
    made = GAME.configuration.make(config)
    config["supply"][0][0] = 8
    config["vp_tokens"][0] = 1
    made.to_dict()["supply"][1][1] = 8
    assert made.to_dict() == REPLACED


def test_tables_are_read_from_the_command_line() -> None:
    arguments = ["players=3", f"buildings={BOTH}", "fewest_rats_survive=true"]
    arguments += [f"supply={json.dumps(REPLACED['supply'])}", f"vp_tokens={json.dumps(REPLACED['vp_tokens'])}"]
    assert GAME.configuration.make(parse_options(arguments)).to_dict() == REPLACED
    arguments = ["buildings=random_cards", "supply=default", "vp_tokens=default"]
    assert GAME.configuration.make(parse_options(arguments)) == GAME.configuration.make({"buildings": "random_cards"})


def recorded(**config: Any) -> dict[str, Any]:
    """The record of a random game, as it is read from a file."""
    recorder, luck = Recorder(Position(GAME, config), options=True), stream(9)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(luck))
    return json.loads(json.dumps(recorder.record()))


@pytest.mark.parametrize("config", [{"players": 2}, {"buildings": "random_building"}, REPLACED], ids=["", "lot", "all"])
def test_a_record_replays(config: dict[str, Any]) -> None:
    record = recorded(**config)
    assert record["config"] == {**start().configuration.to_dict(), **config}
    position = replay(record)
    assert position.is_over
    assert position.scores() == record["scores"]


@pytest.mark.parametrize("name", ["buildings", "supply", "vp_tokens"])
def test_a_record_does_not_replay_with_other_tables(name: str) -> None:
    record = recorded(**REPLACED)
    record["config"][name] = start().configuration.to_dict()[name]
    with pytest.raises(RecordError):
        replay(record)


@pytest.mark.parametrize(("name", "value"), [("buildings", REST), ("supply", [[0, 0, 0]]), ("vp_tokens", [1] * 19)])
def test_a_record_with_a_wrong_table_is_refused_in_its_sentence(name: str, value: Any) -> None:
    record = recorded(players=2)
    record["config"][name] = value
    with pytest.raises(RecordError, match=f"{name}=.*must be"):
        replay(record)


@pytest.mark.parametrize("way", ["random_building", "random_cards"])
def test_the_configuration_of_a_game_by_lot_does_not_tell_the_lot(way: str) -> None:
    position, other = start(buildings=way), start(buildings=way)
    for _ in range(6):
        play(position, everything(position)[0])
        play(other, everything(other)[-1])
    assert position.configuration == other.configuration
    assert position.state.in_use.tolist() != other.state.in_use.tolist()
