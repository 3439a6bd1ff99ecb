"""The configuration and its component tables: defaults, mistakes in one sentence, and what the tables do."""

import io
import json
import sys
from typing import Any

import pytest
from comme_des_rats_helpers import GAME, counts, faces, play, share, start, stream, table, verb, view

from rat_envs.commands.main import main
from rat_envs.engine.configuration import parse_options
from rat_envs.engine.errors import ConfigurationError, RecordError
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder, replay

DIE = (
    "must be 5 whole numbers from 0, the faces that show key1, key2, steal, claw, heal, with the sum 6 and at least "
    "one key."
)
DOORS = "must be null, or 4 whole numbers from 0: trap, cheese1, cheese2, clover."
THIRD_RAT = (
    "must be 6 texts, each with the faces key1, key2, steal, claw, heal in order of preference, then active or "
    "opponent, as in 'key2 key1 steal claw heal active'."
)
CARD = "key2 key1 steal claw heal active"


def six(card: Any) -> list[Any]:
    """Third-rat cards of which the last is ``card``."""
    return [*(5 * [CARD]), card]


def sum_of(piles: int) -> str:
    """What the door cards must be for so many piles."""
    players = "2 players" if piles == 3 else f"{piles} players"
    return f"must be {5 * piles} cards in all, {piles} traps or more among them, for the {piles} piles of {players}."


def refused(config: dict[str, Any]) -> str:
    """The sentence with which a configuration is refused."""
    with pytest.raises(ConfigurationError) as error:
        start(**config)
    return str(error.value)


def test_the_defaults_are_those_of_the_specification() -> None:
    defaults = {
        "players": 4,
        "roles": False,
        "talk": False,
        "extra_rounds": 0,
        "die": [1, 1, 2, 1, 1],
        "doors": None,
        "third_rat": [
            "key2 key1 steal claw heal active",
            "key1 steal key2 claw heal opponent",
            "steal claw key2 key1 heal active",
            "claw key2 steal heal key1 opponent",
            "key2 claw heal key1 steal opponent",
            "heal key1 claw steal key2 active",
        ],
    }
    assert start().configuration.to_dict() == defaults
    assert list(start().configuration.to_dict()) == list(defaults)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"players": 1}, "players=1: must be a whole number from 2 to 5."),
        ({"players": 6}, "players=6: must be a whole number from 2 to 5."),
        ({"players": 2.5}, "players=2.5: must be a whole number from 2 to 5."),
        ({"players": True}, "players=true: must be a whole number from 2 to 5."),
        ({"players": "3"}, 'players="3": must be a whole number from 2 to 5.'),
        ({"roles": 1}, "roles=1: must be true or false."),
        ({"talk": None}, "talk=null: must be true or false."),
        ({"extra_rounds": 4}, "extra_rounds=4: must be a whole number from 0 to 3."),
        ({"extra_rounds": -1}, "extra_rounds=-1: must be a whole number from 0 to 3."),
        (
            {"rolls": 2},
            "Unknown option rolls: the options are players, roles, talk, extra_rounds, die, doors, third_rat.",
        ),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(config: dict[str, Any], sentence: str) -> None:
    assert refused(config) == sentence


@pytest.mark.parametrize(
    "die",
    [
        *([1, 1, 2, 1], [1, 1, 2, 1, 1, 0], [], [1, 1, 2, 1, 2], [1, 1, 2, 1, 0]),
        *(
            [0, 0, 3, 2, 1],
            [2, -1, 3, 1, 1],
            [1.0, 1, 2, 1, 1],
            [True, 1, 2, 1, 1],
            ["1", 1, 2, 1, 1],
            [[1], 1, 2, 1, 1],
        ),
        *(None, 6, "1 1 2 1 1", {"key1": 6}),
    ],
    ids=str,
)
def test_a_wrong_die_is_refused_in_one_sentence(die: Any) -> None:
    assert refused({"die": die}) == f"die={json.dumps(die)}: {DIE}"


@pytest.mark.parametrize(
    "doors",
    [
        [6, 6, 4],
        [6, 6, 4, 4, 0],
        [],
        [21, -1, 0, 0],
        [6, 6, 4, 4.0],
        [True, 11, 4, 4],
        ["6", 6, 4, 4],
        20,
        "6 6 4 4",
        False,
    ],
    ids=str,
)
def test_wrong_doors_are_refused_in_one_sentence(doors: Any) -> None:
    assert refused({"doors": doors}) == f"doors={json.dumps(doors)}: {DOORS}"


@pytest.mark.parametrize(
    ("players", "doors"),
    [
        (2, [2, 5, 4, 4]),
        (2, [5, 4, 3, 4]),
        (3, [6, 6, 4, 4]),
        (4, [3, 7, 5, 5]),
        (4, [5, 4, 3, 3]),
        (4, [0, 0, 0, 0]),
        (5, [8, 7, 5, 4]),
        (5, [4, 9, 6, 6]),
        (4, [200, 0, 0, 0]),
        (4, [2**63, 0, 0, 0]),
        (3, [10**30, 4, 3, 3]),
    ],
)
def test_doors_that_do_not_go_with_the_number_of_players_are_refused(players: int, doors: list[int]) -> None:
    piles = max(3, players)
    right = sum_of(piles).replace("2 players", f"{players} players")
    assert refused({"players": players, "doors": doors}) == f"doors={json.dumps(doors)}: {right}"


@pytest.mark.parametrize(
    "third_rat",
    [
        *(5 * [CARD], 7 * [CARD], [], None, CARD, 6),
        six("key2 key1 steal claw heal"),  # nobody decides
        six("key2 key1 steal claw active"),  # four faces
        six("key2 key2 steal claw heal active"),  # one twice
        six("key2 key1 steal claw heal heal active"),
        six("key2 key1 steal claw bite active"),
        six("key2 key1 steal claw heal partner"),
        six("active key2 key1 steal claw heal"),
        six("KEY2 key1 steal claw heal active"),
        *(six(""), six(None), six(["key2", "key1", "steal", "claw", "heal", "active"])),
    ],
    ids=str,
)
def test_wrong_third_rat_cards_are_refused_in_one_sentence(third_rat: Any) -> None:
    written = json.dumps(third_rat)
    shown = written if len(written) <= 80 else written[:80] + "…"
    assert refused({"third_rat": third_rat}) == f"third_rat={shown}: {THIRD_RAT}"


# From the command line


def test_tables_are_read_from_the_command_line() -> None:
    cards = six("heal claw steal key2 key1 opponent")
    arguments = ["die=[0,1,2,3,0]", "doors=[4,4,4,3]", f"third_rat={json.dumps(cards)}", "players=2", "roles=true"]
    config = start(**parse_options(arguments)).configuration.to_dict()
    assert config == {
        **{"players": 2, "roles": True, "talk": False, "extra_rounds": 0},
        **{"die": [0, 1, 2, 3, 0], "doors": [4, 4, 4, 3], "third_rat": cards},
    }
    assert start(**parse_options(["doors=null"])).configuration.doors is None


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("die=[1,1,2,1,2]", f"die=[1, 1, 2, 1, 2]: {DIE}"),
        ("die=[1,1,2,1,1", f'die="[1,1,2,1,1": {DIE}'),
        ("die=1,1,2,1,1", f'die="1,1,2,1,1": {DIE}'),
        ("die=", f'die="": {DIE}'),
        ("doors=[5,4,3,3]", f"doors=[5, 4, 3, 3]: {sum_of(4)}"),
        ("doors=none", f'doors="none": {DOORS}'),
        (f"third_rat={CARD}", f'third_rat="{CARD}": {THIRD_RAT}'),
        ("third_rat=[]", f"third_rat=[]: {THIRD_RAT}"),
    ],
)
def test_the_command_line_refuses_them_in_the_same_sentence(argument: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        GAME.configuration.make(parse_options([argument]))
    assert str(error.value) == sentence


def command(monkeypatch: pytest.MonkeyPatch, capsys: Any, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """Exit code, output and errors of ``rat-envs`` with these arguments."""
    monkeypatch.setattr(sys, "argv", ["rat-envs", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0), *capsys.readouterr()


def test_the_command_records_with_replaced_tables_and_replays(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    tables = ["die=[0,1,2,3,0]", "doors=[6,3,3,3]", f"third_rat={json.dumps(6 * [CARD])}"]
    code, record, _ = command(monkeypatch, capsys, "record", "comme_des_rats", "--options", "players=2", *tables)
    assert code == 0
    config = json.loads(record)["config"]
    assert (config["die"], config["doors"], config["third_rat"]) == ([0, 1, 2, 3, 0], [6, 3, 3, 3], 6 * [CARD])
    assert command(monkeypatch, capsys, "replay", "--quiet", "-", stdin=record)[0] == 0


def test_the_command_refuses_a_wrong_table(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    code, _, error = command(monkeypatch, capsys, "record", "comme_des_rats", "die=[1,1,2,1,0]")
    assert (code, error) == (1, f"Error: die=[1, 1, 2, 1, 0]: {DIE}\n")


# What the tables do


def test_the_die_decides_what_can_be_rolled() -> None:
    position = table(die=[0, 2, 1, 3, 0])
    rolls = position.chances()
    assert rolls == {
        **{"roll key2 key2": 4, "roll key2 steal": 4, "roll key2 claw": 12},
        **{"roll steal steal": 1, "roll steal claw": 6, "roll claw claw": 9},
    }
    position.apply("roll key2 steal")
    position.apply("reroll")
    assert position.chances() == rolls


def test_a_die_of_one_face_leaves_one_roll() -> None:
    assert table(die=[6, 0, 0, 0, 0]).chances() == {"roll key1 key1": 36}


def test_the_doors_decide_what_is_dealt() -> None:
    position = start(players=3, doors=[3, 0, 12, 0])
    position.apply("trap 5")
    assert position.chances() == {"deal cheese2": 12}  # the guaranteed traps are all there are
    position = start(players=3, doors=[6, 2, 3, 4])
    position.apply("trap 1")
    assert position.chances() == {"deal trap": 3, "deal cheese1": 2, "deal cheese2": 3, "deal clover": 4}
    assert view(position, 2).doors.tolist() == [6, 2, 3, 4]


def test_the_third_rats_cards_decide_what_it_keeps_and_who_decides() -> None:
    cards = [CARD, CARD, "heal claw steal key2 key1 opponent", "claw steal key1 key2 heal active", CARD, CARD]
    for dice, card, kept, decider in (
        ("key1 claw", "tr3", "claw", 1),
        ("key1 key2", "tr3", "key2", 1),
        ("key1 key2", "tr4", "key1", 0),
        ("key1 key2", "tr1", "key2", 0),
    ):
        position = table(players=2, third_rat=cards)
        share(position, dice, "third_rat")
        position.apply(f"reveal {card}")
        if verb(position) == "pile" and kept != "claw":
            assert faces(view(position, 0).partners_die) == kept
            assert position.actor == decider
        else:
            assert position.state.bandages[1 - decider] == 1


def test_with_more_than_two_players_third_rat_cards_change_nothing() -> None:
    other = [" ".join([*reversed(CARD.split()[:5]), "opponent"])] * 6
    one, two = start(players=3), start(players=3, third_rat=other)
    luck = stream(5)
    for _ in range(200):
        if one.is_over:
            break
        assert one.observe(1).tobytes() == two.observe(1).tobytes()
        text = one.sample(luck)
        play(one, text)
        play(two, text)


def test_equal_tables_are_equal_configurations_as_lists_or_tuples() -> None:
    make = GAME.configuration.make
    one = make({"die": [1, 1, 1, 1, 2], "doors": (6, 6, 4, 4)})
    other = make({"die": (1, 1, 1, 1, 2), "doors": [6, 6, 4, 4]})
    assert one == other
    assert hash(one) == hash(other)
    assert one.to_dict()["die"] == [1, 1, 1, 1, 2]


# Records


def recorded(**config: Any) -> dict[str, Any]:
    """The record of a random game, as it is read from a file."""
    recorder, luck = Recorder(Position(GAME, config), options=True), stream(9)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(luck))
    return json.loads(json.dumps(recorder.record()))


@pytest.mark.parametrize(
    "config",
    [
        {"players": 3, "die": [0, 1, 0, 4, 1], "doors": [3, 4, 4, 4], "roles": True},
        {"players": 2, "third_rat": six("heal claw steal key2 key1 opponent"), "doors": [9, 1, 2, 3]},
        {"players": 5, "die": [3, 3, 0, 0, 0], "doors": [5, 20, 0, 0], "talk": True, "extra_rounds": 1},
    ],
    ids=["die and doors", "third rat", "five players"],
)
def test_a_record_with_replaced_tables_replays(config: dict[str, Any]) -> None:
    record = recorded(**config)
    assert {name: record["config"][name] for name in config} == config
    position = replay(record)
    assert position.is_over
    assert position.scores() == record["scores"]


@pytest.mark.parametrize("table_name", ["die", "doors", "third_rat"])
def test_a_record_does_not_replay_with_other_tables(table_name: str) -> None:
    config = {"players": 2, "die": [0, 2, 2, 1, 1], "doors": [5, 6, 2, 2], "third_rat": 6 * [CARD]}
    record = recorded(**config)
    default = start(players=2).configuration.to_dict()[table_name]
    record["config"][table_name] = default
    with pytest.raises(RecordError):
        replay(record)


@pytest.mark.parametrize(("name", "value"), [("die", [1, 1, 2, 1]), ("doors", [1, 2, 3, 4]), ("third_rat", [CARD])])
def test_a_record_with_a_wrong_table_is_refused_in_its_sentence(name: str, value: Any) -> None:
    record = recorded(players=2)
    record["config"][name] = value
    with pytest.raises(RecordError, match=f"{name}=.*must be"):
        replay(record)


def test_the_doors_printed_are_those_of_null() -> None:
    for players, printed in ((2, "15"), (3, "15"), (4, "20"), (5, "25")):
        doors = start(players=players).state.config.doors.tolist()
        assert sum(doors) == int(printed)
        assert start(players=players, doors=doors).configuration.doors == tuple(doors)
    assert counts("trap clover") == [1, 0, 0, 1]
