"""The configuration: defaults, mistakes in one sentence, replaced maps and tokens, and what they do."""

import copy
import json
from typing import Any

import numpy as np
import pytest
from rattus_helpers import GAME, TOKEN_IDS, at, in_play, marked_regions, options, play, start, stream, table, view
from rattus_referee import CARDS, TABLE_ORDER, TIERS, default_map, default_tokens
from refusals import refusal

from rat_envs.engine.configuration import parse_options, shown_as_json
from rat_envs.engine.errors import ConfigurationError, RecordError
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder, replay

EDGES = default_map()["edges"]


def refused(**config: Any) -> str:
    """The sentence with which a configuration is refused, without what it repeats of the value."""
    return refusal(GAME, **config)


def map_with(**parts: Any) -> dict[str, Any]:
    """The default map with other tiers or edges."""
    return copy.deepcopy({**default_map(), **parts})


def tiers_with(**tiers: Any) -> dict[str, Any]:
    """The default map with other lists of regions."""
    return map_with(tiers={**TIERS, **tiers})


def without(*edges: str) -> dict[str, Any]:
    """The default map without these edges."""
    return map_with(edges=[edge for edge in EDGES if "-".join(edge) not in edges])


def tokens_with(token: str, **values: Any) -> list[dict[str, Any]]:
    """The default tokens with other values on one of them."""
    return [entry | values if entry["id"] == token else entry for entry in copy.deepcopy(default_tokens())]


def test_the_defaults_are_those_of_the_specification() -> None:
    defaults = {"players": 4, "king_after_plague": True, "map": "default", "tokens": "default"}
    assert start().configuration.to_dict() == defaults
    assert list(start().configuration.to_dict()) == list(defaults)


def test_the_default_tables_written_out_are_the_same_game() -> None:
    position, other = start(players=3), start(players=3, map=default_map(), tokens=default_tokens())
    luck = stream(3)
    while not position.is_over:
        assert all(position.observe(seat).tobytes() == other.observe(seat).tobytes() for seat in range(3))
        text = position.sample(luck)
        play(position, text)
        play(other, text)
    assert other.is_over
    assert position.returns() == other.returns()


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"players": 1}, "players=1: must be a whole number from 2 to 4."),
        ({"players": 5}, "players=5: must be a whole number from 2 to 4."),
        ({"players": "3"}, 'players="3": must be a whole number from 2 to 4.'),
        ({"players": True}, "players=true: must be a whole number from 2 to 4."),
        ({"king_after_plague": 1}, "king_after_plague=1: must be true or false."),
        ({"king_after_plague": "no"}, 'king_after_plague="no": must be true or false.'),
        ({"rats": 2}, "Unknown option rats: the options are players, king_after_plague, map, tokens."),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        start(**config)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("config", "right"),
    [
        ({"map": np.zeros((12, 12))}, '"default" or an object with "tiers" and "edges".'),
        ({"tokens": np.zeros(49)}, "a list of objects with id, set, limit, m, a, classes; 0.0 is none."),
        ({"tokens": [{(1, 2): 3}]}, "a list of objects with id, set, limit, m, a, classes; {(1, 2): 3} is none."),
    ],
    ids=["an array for a map", "an array for tokens", "no name of a field"],
)
def test_what_is_not_json_is_refused_in_one_sentence(config: dict[str, Any], right: str) -> None:
    assert refused(**config) == right


def test_of_what_is_very_long_only_the_beginning_is_repeated() -> None:
    assert refused(tokens=[10**5000]).endswith("; a whole number of about 4983 digits is none.")
    assert refused(map=map_with(edges=[*EDGES, ["anglia", "x" * 3000]])).endswith("x… is none.")


def test_a_table_of_an_array_is_that_of_a_list() -> None:
    made = GAME.configuration.make({"map": map_with(edges=np.array(EDGES))})
    assert made == GAME.configuration.make({"map": default_map()})
    assert json.loads(json.dumps(made.to_dict()))["map"]["edges"] == EDGES


# Maps


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, 4, True, "europe", "", [], {}, EDGES, {"tiers": TIERS}, {"edges": EDGES}),
        {**default_map(), "names": []},
        json.dumps(default_map()),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_map_is_default_or_an_object_with_tiers_and_edges(wrong: Any) -> None:
    assert refused(map=wrong) == '"default" or an object with "tiers" and "edges".'


@pytest.mark.parametrize(
    "tiers",
    [
        *(None, "light", [], {}, TABLE_ORDER),
        {"light": TIERS["light"], "middle": TIERS["middle"]},
        {**TIERS, "bright": []},
        {**TIERS, "dark": "russia tartaria"},
        {**TIERS, "dark": None},
        {**TIERS, "dark": {"russia": 1, "tartaria": 2}},
    ],
    ids=lambda value: str(value)[:30],
)
def test_the_tiers_are_three_lists(tiers: Any) -> None:
    right = 'a map whose "tiers" are lists of names under "light", "middle" and "dark".'
    assert refused(map=map_with(tiers=tiers)) == right


@pytest.mark.parametrize(
    ("tiers", "sentence"),
    [
        ({"light": TIERS["light"][:7]}, "a map with 8 light regions, not 7."),
        ({"light": TIERS["light"] + ["russia"]}, "a map with 8 light regions, not 9."),
        ({"middle": ["bulgaria"]}, "a map with 2 middle regions, not 1."),
        ({"dark": []}, "a map with 2 dark regions, not 0."),
        ({"dark": ["russia", "tartaria", "turcia"]}, "a map with 2 dark regions, not 3."),
    ],
)
def test_there_are_eight_light_two_middle_and_two_dark_regions(tiers: dict[str, Any], sentence: str) -> None:
    assert refused(map=tiers_with(**tiers)) == sentence


@pytest.mark.parametrize("name", ["britannia", "Russia", "", None, 3, ["russia"], {"russia": 1}], ids=str)
def test_the_names_are_fixed(name: Any) -> None:
    right = f"a map of the regions {', '.join(TABLE_ORDER)}; {json.dumps(name)} is none."
    assert refused(map=tiers_with(dark=["tartaria", name])) == right


@pytest.mark.parametrize("tiers", [{"dark": ["russia", "russia"]}, {"dark": ["tartaria", "turcia"]}], ids=str)
def test_every_region_stands_in_the_tiers_once(tiers: dict[str, Any]) -> None:
    twice = "russia" if tiers["dark"][0] == "russia" else "turcia"
    right = f"a map in whose tiers each region stands once; {twice} stands there twice."
    assert refused(map=tiers_with(**tiers)) == right


@pytest.mark.parametrize("edges", [None, "anglia gallia", {}, {"anglia": "gallia"}, 22], ids=str)
def test_the_edges_are_a_list(edges: Any) -> None:
    assert refused(map=map_with(edges=edges)) == 'a map whose "edges" are a list of pairs of regions.'


@pytest.mark.parametrize(
    "edge",
    [
        *(["anglia"], ["anglia", "gallia", "italia"], [], "anglia-gallia", None, 5, ["anglia", "britannia"]),
        *(["anglia", None], {"anglia": "gallia"}, [["anglia"], "gallia"]),
    ],
    ids=str,
)
def test_every_edge_is_a_pair_of_regions(edge: Any) -> None:
    right = f"a map in which every edge is a pair of regions; {json.dumps(edge)} is none."
    assert refused(map=map_with(edges=[*EDGES, edge])) == right


def test_every_edge_joins_two_different_regions() -> None:
    right = 'a map in which every edge joins two different regions; ["italia", "italia"] does not.'
    assert refused(map=map_with(edges=[*EDGES, ["italia", "italia"]])) == right


@pytest.mark.parametrize("edge", [["gallia", "hispania"], ["hispania", "gallia"]], ids=str)
def test_no_pair_occurs_twice_in_either_order(edge: list[str]) -> None:
    right = f"a map in which every pair of neighbours occurs once; {json.dumps(edge)} occurs again."
    assert refused(map=map_with(edges=[*EDGES, edge])) == right


@pytest.mark.parametrize(
    ("wrong", "players"),
    [
        (map_with(edges=[]), 2),
        (without("gallia-hispania", "hispania-italia"), 2),
        # Turcia and Bulgaria hang together, and on the rest only by a dark region
        (without("bulgaria-hungaria", "italia-turcia"), 3),
        (without("bulgaria-turcia", "italia-turcia"), 3),
        (without("polonia-russia", "russia-tartaria", "russia-scandia"), 4),
        # Light regions that hang together only by way of a middle one
        (tiers_with(light=[*TIERS["light"][:7], "turcia"], middle=["bulgaria", "scandia"]), None),
    ],
)
def test_the_boards_for_2_3_and_4_players_are_connected(wrong: dict[str, Any], players: int | None) -> None:
    if players is None:
        start(map=wrong)  # Italia and Turcia are neighbours: this one is
        wrong["edges"] = [edge for edge in wrong["edges"] if edge != ["italia", "turcia"]]
        players = 2
    right = refused(map=wrong)
    assert right.startswith(f"a map that is connected with {players} players; edges do not lead to ")
    for number in (2, 3, 4):  # it is refused for every number of players
        with pytest.raises(ConfigurationError):
            start(players=number, map=wrong)


def test_a_region_may_have_another_tier_and_table_order_stays() -> None:
    other = tiers_with(light=["tartaria", "russia", *TIERS["light"][2:]], dark=["gallia", "anglia"])
    other["edges"] = [*EDGES, ["hispania", "scandia"]]
    position = start(players=2, map=other)
    right = [*TIERS["light"][2:], "russia", "tartaria"]
    assert list(position.chances()) == [f"plague {region}" for region in right]
    assert list(marked_regions(view(position, 0).in_play)) == right
    play(position, "plague tartaria")
    assert options(position, "place") == set(right)


def test_edges_to_regions_out_of_play_do_not_exist() -> None:
    for players in (2, 3, 4):
        row = start(players=players).state
        for region in TABLE_ORDER:
            near = {TABLE_ORDER[number] for number in range(12) if row.config.map[at(region), number]}
            assert near <= set(in_play(players))
            assert (region in near) == (region in in_play(players))


def test_other_edges_are_used() -> None:
    other = map_with(edges=[[TABLE_ORDER[place], TABLE_ORDER[place + 1]] for place in range(11)])
    position = table("italia", map=other, placed=True)
    assert options(position, "plague") == {"hungaria", "polonia"}


# Tokens


@pytest.mark.parametrize("wrong", [None, 49, "none", {}, {"s01": {}}, json.dumps(default_tokens())[:200]], ids=str)
def test_tokens_are_default_or_a_list(wrong: Any) -> None:
    assert refused(tokens=wrong) == '"default" or a list of 49 tokens.'


@pytest.mark.parametrize(
    "token",
    [
        *(None, "s01", ["s01"], {}, {"id": "s01"}),
        {"id": "s01", "set": "start", "limit": 2, "m": 1, "a": 0},
        {"id": "s01", "set": "start", "limit": 2, "m": 1, "a": 0, "classes": [], "name": "rat"},
    ],
    ids=lambda value: str(value)[:30],
)
def test_every_token_is_an_object_with_six_fields(token: Any) -> None:
    right = f"a list of objects with id, set, limit, m, a, classes; {shown_as_json(token)} is none."
    assert refused(tokens=[token, *default_tokens()[1:]]) == right


@pytest.mark.parametrize("name", ["s13", "r38", "r00", "S01", "", None, 1, "x01", "r1"], ids=str)
def test_the_ids_are_fixed(name: Any) -> None:
    right = f"a list of the tokens s01 to s12 and r01 to r37; {json.dumps(name)} is none of them."
    assert refused(tokens=tokens_with("s01", id=name)) == right


@pytest.mark.parametrize(("token", "right"), [("s12", "start"), ("r01", "regular"), ("s01", "start")])
@pytest.mark.parametrize("wrong", ["other", None, "regular", "start"])
def test_the_set_goes_with_the_id(token: str, right: str, wrong: Any) -> None:
    if wrong != right:
        sentence = f'a list in which the set of {token} is "{right}".'
        assert refused(tokens=tokens_with(token, set=wrong)) == sentence


@pytest.mark.parametrize("limit", [0, 10, -1, 2.0, 2.5, "2", None, True, [2]], ids=str)
def test_the_limit_is_from_1_to_9(limit: Any) -> None:
    right = "a list in which the limit of r07 is a whole number from 1 to 9."
    assert refused(tokens=tokens_with("r07", limit=limit)) == right


@pytest.mark.parametrize("symbol", ["m", "a"])
@pytest.mark.parametrize("number", [-1, 4, 1.0, "1", None, False, [1]], ids=str)
def test_m_and_a_are_from_0_to_3(symbol: str, number: Any) -> None:
    right = f"a list in which {symbol} of r07 is a whole number from 0 to 3."
    assert refused(tokens=tokens_with("r07", **{symbol: number})) == right


@pytest.mark.parametrize(
    "classes", [None, "peasant", "PK", {}, ["peasant", "bishop"], ["P"], [None], [["king"]], ["king"] * 4], ids=str
)
def test_the_classes_are_those_of_cards_each_three_times_at_most(classes: Any) -> None:
    right = f"a list in which the classes of r07 are of {', '.join(CARDS)}, each 3 times at most."
    assert refused(tokens=tokens_with("r07", classes=classes)) == right


def test_there_is_a_symbol_on_every_token() -> None:
    assert refused(tokens=tokens_with("r07", m=0, a=0, classes=[])) == "a list in which r07 has a symbol."
    for values in ({"m": 1, "a": 0, "classes": []}, {"m": 0, "a": 1, "classes": []}, {"m": 0, "classes": ["king"]}):
        start(tokens=tokens_with("r07", **values))


@pytest.mark.parametrize("count", [0, 48, 50])
def test_every_token_occurs_once(count: int) -> None:
    tokens = [*default_tokens(), default_tokens()[48]][:count]
    missing = {0: "s01", 48: "r37", 50: "r37"}[count]
    right = f"a list in which every token from s01 to s12 and r01 to r37 occurs once, {missing} too."
    assert refused(tokens=tokens) == right
    tokens = default_tokens()
    tokens[5] = tokens[6]
    assert refused(tokens=tokens).endswith("occurs once, s06 too.")


def test_what_may_be_printed_at_most_and_equal_faces() -> None:
    values = {"limit": 9, "m": 3, "a": 3, "classes": 3 * list(CARDS)}
    position = start(tokens=[token | values for token in default_tokens()])
    assert view(position, 0).tokens.tolist() == [[9, 3, 3, *[3] * 6]] * 49


def test_tokens_in_any_order_mean_the_same() -> None:
    tokens = tokens_with("r07", limit=5, classes=["king", "peasant", "king"])
    one, other = start(tokens=tokens), start(tokens=tokens[::-1])
    assert one.state.config.tokens.tobytes() == other.state.config.tokens.tobytes()
    assert one.state.config.tokens[TOKEN_IDS.index("r07")].tolist() == [5, 1, 0, 1, 0, 0, 0, 0, 2]


# Equality, the command line, records


REPLACED = {
    "players": 3,
    "king_after_plague": False,
    "map": map_with(edges=EDGES[::-1]),
    "tokens": tokens_with("s05", limit=9, classes=["king", "king"]),
}


def test_to_dict_goes_through_json_and_back() -> None:
    make = GAME.configuration.make
    for config in ({}, {"players": 2}, REPLACED):
        made = make(config)
        text = json.dumps(made.to_dict())
        again = make(json.loads(text))
        assert again == made
        assert hash(again) == hash(made)
        assert json.loads(text) == {**start().configuration.to_dict(), **config}


def test_equal_tables_are_equal_configurations_and_others_are_not() -> None:
    make = GAME.configuration.make
    one = make(REPLACED)
    as_tuples = {"tiers": {name: tuple(tier) for name, tier in TIERS.items()}, "edges": tuple(map(tuple, EDGES[::-1]))}
    other = make({**REPLACED, "map": as_tuples, "tokens": tuple(REPLACED["tokens"])})
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, make({}), make(None)}) == 2
    assert one != make({**REPLACED, "tokens": tokens_with("s05", limit=8)})
    assert one != make({**REPLACED, "map": without("italia-turcia")})


def test_a_configuration_is_not_changed_by_what_is_done_to_the_tables_it_was_made_from() -> None:
    config = copy.deepcopy(REPLACED)
    made = GAME.configuration.make(config)
    config["tokens"][0]["limit"] = 1
    config["map"]["edges"].pop()
    made.to_dict()["tokens"][0]["limit"] = 1
    assert made.to_dict() == REPLACED


def test_tables_are_read_from_the_command_line() -> None:
    arguments = [f"map={json.dumps(REPLACED['map'])}", f"tokens={json.dumps(REPLACED['tokens'])}", "players=3"]
    made = GAME.configuration.make(parse_options([*arguments, "king_after_plague=false"]))
    assert made.to_dict() == REPLACED
    assert GAME.configuration.make(parse_options(["map=default", "tokens=default"])) == GAME.configuration.make({})


def recorded(**config: Any) -> dict[str, Any]:
    """The record of a random game, as it is read from a file."""
    recorder, luck = Recorder(Position(GAME, config), options=True), stream(9)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(luck))
    return json.loads(json.dumps(recorder.record()))


def test_a_record_holds_default_or_the_whole_object_and_replays() -> None:
    record = recorded(players=2)
    assert (record["config"]["map"], record["config"]["tokens"]) == ("default", "default")
    assert replay(record).is_over
    record = recorded(**REPLACED)
    assert record["config"] == REPLACED
    assert replay(record).scores() == record["scores"]


@pytest.mark.parametrize(("name", "value"), [("map", without("gallia-hispania", "hispania-italia")), ("tokens", [])])
def test_a_record_with_a_wrong_table_is_refused_in_its_sentence(name: str, value: Any) -> None:
    record = recorded(players=2)
    record["config"][name] = value
    with pytest.raises(RecordError, match=f"{name}=.*must be"):
        replay(record)
