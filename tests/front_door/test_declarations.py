"""A game's declaration: what may be left out, and the sentence for what cannot be so."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from kuhn import KUHN
from numba import njit

from rat_envs.describe import describe
from rat_envs.engine.configuration import Configuration, Option, integer, switch
from rat_envs.engine.demands import TAKEN_NAMES
from rat_envs.engine.game import Game, Rules
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import all_games
from rat_envs.engine.seats import share_out
from rat_envs.engine.settings import Ladder
from rat_envs.testing import leak_test


def in_play(game: Game = KUHN) -> Position:
    """Both have their card: 2 and 3."""
    position = Position(game)
    for outcome in ("deal 2", "deal 3"):
        position.apply(outcome)
    return position


def test_a_game_without_words_shows_a_seat_what_it_observes_and_the_others_nothing() -> None:
    position = in_play()
    assert KUHN.text(position.state, 0) == "Kuhn poker, player_0 (you)\ncard: 2\nmoves: 0\nbets: [0 0 0]"
    assert "card: 3" in KUHN.text(position.state, 1)
    assert KUHN.text(position.state, None) == "Kuhn poker, seen by everybody: the game does not say what that shows."
    drawn = KUHN.drawing(position.state, 0)
    assert drawn.startswith("<svg ") and "bets: [0 0 0]" in drawn and "card: 3" not in drawn
    twin = dataclasses.replace(KUHN, title="Two cards")
    assert twin.text(position.state, 0).startswith("Two cards, "), "a twin shows itself"
    own = dataclasses.replace(KUHN, text=lambda row, seat: "five words of its own")
    assert "five words of its own" in own.drawing(position.state, 1)
    wide = dataclasses.replace(KUHN, text=lambda row, seat: "a  b\n" + 200 * "x").drawing(position.state, 1)
    width = ElementTree.fromstring(wide).get("width")
    assert "a\N{NO-BREAK SPACE} b<" in wide and width is not None and int(width) > 200 * 7.8


def test_a_game_without_words_leaks_nothing() -> None:
    import rat_envs

    leak_test(rat_envs.make(KUHN), 300, pictures_every=10)


def test_what_is_left_out_is_left_out_of_the_page() -> None:
    page = describe(KUHN)
    assert "## Chance" in page and "| 0 | `card` |" in page
    assert "Order of nodes" not in page and "Presets" not in page
    assert "- rewards: at the end, from −1 to 1, adding up to 0\n" in page
    assert KUHN.bytes_before_fixed == KUHN.observation.itemsize


class Other(Configuration):
    """Says neither how many play nor what is hidden."""


class Whole(KUHN.configuration):  # type: ignore[name-defined, misc]
    """Kuhn's, under another name."""


class Shows(KUHN.configuration):  # type: ignore[name-defined, misc]
    """Kuhn's, with an attribute in place of a method."""

    hidden_information = "the cards"


@dataclasses.dataclass(frozen=True)
class Flat(KUHN.configuration):  # type: ignore[name-defined, misc]
    """Kuhn's, with a name that ``make`` has."""

    flat: bool = switch(False, "nothing", "K-2")


class Table(Option):
    """An option that nobody can describe."""

    def check(self, value: Any) -> str | None:
        return None

    def encode(self, value: Any) -> int:
        return 0


@dataclasses.dataclass(frozen=True)
class Untold(KUHN.configuration):  # type: ignore[name-defined, misc]
    """Kuhn's, with such an option."""

    table: int = Table(0, "a table", "K-2").declare()


@dataclasses.dataclass(frozen=True)
class Alone(Configuration):
    """One can play."""

    players: int = integer(2, 1, 2, "players", "K-1")

    def hidden_information(self) -> str | None:
        return None


class Undecorated(KUHN.configuration):  # type: ignore[name-defined, misc]
    """Kuhn's, and one more that is not read."""

    more: bool = switch(False, "nothing either", "K-2")


def fields(*names: str, kind: str = "i1") -> np.dtype:
    """A dtype of records."""
    return np.dtype((np.record, [(name, kind) for name in names]))


def counted(row: Any, action: Any, counts: Any) -> None:
    """A ``tally``."""


def observed(row: Any, out: Any) -> None:
    """An ``observe_fixed``."""


def rules_around(number: int) -> Rules:
    """Kuhn's, with a rule that is defined in a function and uses what that knows."""

    def scores(row: Any, out: Any) -> None:
        out[0] = number

    return dataclasses.replace(KUHN.rules, scores=scores)


PRESET = Preset("small", "")
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "kuhn poker"}, "is not a name: a name is a Python identifier in small letters, such as kuhn_poker"),
    ({"name": "Kuhn"}, "is not a name: a name is a Python identifier in small letters, such as kuhn_poker"),
    ({"version": "1"}, "has version='1': it must be a whole number from 0"),
    ({"version": -1}, "has version=-1: it must be a whole number from 0"),
    ({"seats": 1}, "has seats=1, but 2 can play: it must be a whole number from 2"),
    ({"seats": "2"}, "has seats='2', but 2 can play: it must be a whole number from 2"),
    ({"rules": sys}, "has a module for its rules: write Rules.of(module)"),
    ({"actions": "go"}, "has actions='go': they must be a tuple of texts"),
    ({"observation": np.dtype("i1")}, "has an observation that is not a structured dtype of records"),
    (
        {"configuration": Undecorated},
        "has options that are not read: write @dataclass(frozen=True) above class Undecorated",
    ),
    (
        {"rules": dataclasses.replace(KUHN.rules, actor=njit(KUHN.rules.actor))},
        "has a rule 'actor' that is a CPUDispatcher: it must be a plain function, without decorators such as @njit",
    ),
    ({"configuration": dict}, "has a configuration that is not a subclass of Configuration"),
    ({"configuration": Other}, "has a configuration without 'players': Other has to say it"),
    ({"state": np.dtype("i1")}, "has a state that is not a structured dtype of records"),
    ({"state": np.dtype([("config", "i1")])}, "has a state that is not a structured dtype of records"),
    ({"state": fields("card", "config")}, "has a state whose first field is 'card': it must be 'config'"),
    ({"state": fields("config", "card")}, "has a state whose field 'config' is not KuhnConfiguration.dtype()"),
    ({"observation": fields("card", "copy")}, "has a field 'copy': every record of numpy has that name already"),
    (
        {"observation": fields("card", kind="i2")},
        "has a field 'card' of its observation that is int16: it must be",
    ),
    ({"observation_notes": {"card": "own"}}, "has no note for the field 'moves'"),
    (
        {"observation_notes": dict.fromkeys(["card", "moves", "bets", "cards"], "")},
        "has a note for 'cards', which is not a field of its observation",
    ),
    ({"fixed_from": "cards"}, "has fixed_from='cards', which is not a field of its observation"),
    ({"fixed_from": "bets"}, "has a rule 'observe_fixed' without fixed_from, or fixed_from without 'observe_fixed'"),
    (
        {"rules": dataclasses.replace(KUHN.rules, observe_fixed=observed)},
        "has a rule 'observe_fixed' without fixed_from, or fixed_from without 'observe_fixed'",
    ),
    ({"actions": ("pass", "pass")}, "has the action 'pass' more than once"),
    ({"actions": ()}, "has no actions"),
    (
        {"actions": tuple(f"action {number}" for number in range(40_000))},
        "has 40,000 actions: a game has at most 32,767",
    ),
    ({"outcomes": ("deal 1", "deal 1", "deal 2")}, "has the outcome 'deal 1' more than once"),
    ({"seat_actions": 0}, "has seat_actions=0: they must be a tuple of whole numbers, such as (3,)"),
    ({"seat_actions": (0,)}, "has seat_actions from 0, but not 2 actions from there that name player_0, player_1 and"),
    ({"seat_actions": (1,)}, "has seat_actions from 1, but not 2 actions from there that name player_0, player_1 and"),
    (
        {"actions": ("bet against player_1", "bet against player_0"), "seat_actions": (0,)},
        "has seat_actions from 0, but not 2 actions from there that name player_0, player_1 and so on",
    ),
    (
        {"actions": ("pass", "bet against player_1")},
        "has an action 'bet against player_1' that names a player and stands in no block of seat_actions",
    ),
    ({"configuration": Shows}, "has a configuration whose hidden_information is not a method"),
    ({"configuration": Flat}, "has an option 'flat': what makes an environment has that name"),
    ({"configuration": Untold}, "has an option 'table' whose class Table has no method 'values'"),
    ({"configuration": Alone}, "can be played by 1: a game has two players or more"),
    ({"state": np.dtype((np.record, [("config", "O")]))}, "has a state that holds objects: its fields must be numbers"),
    ({"ranges": {"cards": 3, "moves": (0, 3)}}, "has the range 3 for 'cards': it must be the least and the most"),
    ({"knowledge": "cards"}, "has knowledge='cards': it must be a tuple of fields of its state"),
    ({"knowledge": ("hands",)}, "has knowledge of 'hands', which is not a field of its state"),
    ({"rules": rules_around(3)}, "has a rule 'scores' that uses number of the function around it"),
    (
        {"rules": dataclasses.replace(KUHN.rules, apply=KUHN.rules.actor)},
        "has a rule 'apply' that takes 1 argument: it must take (row, action)",
    ),
    (
        {"heuristics": {"greedy": counted}},
        "has a heuristic 'greedy' that takes 3 arguments: it must take (observation,",
    ),
    ({"shows_everything": True}, "has shows_everything without a 'text' of its own that takes EVERYTHING"),
    ({"metrics": {"bets": "how many"}}, "has metrics without a rule 'tally', or 'tally' without metrics"),
    ({"rules": dataclasses.replace(KUHN.rules, tally=counted)}, "has metrics without a rule 'tally', or 'tally' with"),
    ({"presets": PRESET}, "has presets=Preset(name='small', "),
    ({"presets": ("small",)}, "has presets=('small',): they must be a tuple of presets, such as (Preset(...),)"),
    ({"presets": (PRESET, PRESET)}, "has the preset 'small' more than once"),
    ({"heuristics": {"play well": counted}}, "has a heuristic 'play well' that is not a name with a function"),
    ({"heuristics": {"greedy": 3}}, "has a heuristic 'greedy' that is not a name with a function"),
    ({"heuristics": {}, "ladder": Ladder()}, "is on the ladder without a heuristic 'greedy'"),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG, ids=[sentence[:50] for _, sentence in WRONG])
def test_a_wrong_declaration_is_named_in_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TypeError) as caught:
        dataclasses.replace(KUHN, **changes)
    text = str(caught.value)
    assert text.startswith(f"The game {changes.get('name', 'kuhn')!r} {sentence}")
    assert text.endswith(".") and "\n" not in text


def test_a_rule_that_is_missing_is_named_with_its_module() -> None:
    module = types.ModuleType("poker_rules")
    names = ["setup", "actor", "legal", "chance", "apply", "observe", "returns", "scores", "determinize"]
    for name in names:
        setattr(module, name, getattr(KUHN.rules, name))
    with pytest.raises(TypeError, match=r"^The module poker_rules has no function 'winners': the rules of a game need"):
        Rules.of(module)
    module.winners = 3  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"^The module poker_rules has 'winners', but not as a function: the rules"):
        Rules.of(module)
    assert Rules.of(sys.modules["kuhn"]) == KUHN.rules


def test_no_option_has_a_name_of_what_makes_an_environment() -> None:
    import rat_envs

    makers = (rat_envs.make, rat_envs.make_parallel, rat_envs.make_vec)
    keywords = {name for maker in makers for name in inspect.signature(maker).parameters}
    assert keywords - {"config"} == TAKEN_NAMES
    with pytest.raises(
        TypeError, match=r"^Own: an option cannot be called 'is_public', as every configuration has that"
    ):

        @dataclasses.dataclass(frozen=True)
        class Own(Configuration):
            is_public: bool = switch(False, "", "")


def test_a_whole_number_is_stored_whatever_its_bounds() -> None:
    @dataclasses.dataclass(frozen=True)
    class Rich(Configuration):
        few: int = integer(1, 0, 127, "", "")
        coins: int = integer(1, 0, 500, "", "")
        debts: int = integer(0, -40_000, 0, "", "")

    assert [Rich.dtype()[name].str[1:] for name in ("few", "coins", "debts")] == ["i1", "i2", "i4"]
    row = np.zeros((), Rich.dtype())
    Rich(coins=300, debts=-40_000).write(row)
    assert (row["coins"], row["debts"]) == (300, -40_000)


def test_a_field_of_a_configuration_that_is_no_option_is_named() -> None:
    @dataclasses.dataclass(frozen=True)
    class Loose(Configuration):
        fast: bool = switch(False, "", "")
        cards: int = 3

    with pytest.raises(
        TypeError, match=r"^Loose\.cards is not an option: declare it with switch, choice or integer\.$"
    ):
        Loose()


# A share of the win


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_win_is_shared_out(players: int) -> None:
    for kind in (np.float32, np.float64):
        for winning in range(players + 1):
            out = np.zeros(5, kind)
            out[:winning] = 1
            share_out(out, players)
            assert out.sum() == pytest.approx(0, abs=1e-6)
            assert (out[players:] == 0).all()
            if winning == 1:
                assert out[:players].tolist() == [1, *[kind(-1 / (players - 1))] * (players - 1)]
            if winning in (0, players):
                assert (out == 0).all()


def test_returns_of_every_game_are_shares_of_the_win() -> None:
    for game in all_games().values():
        for seed in range(5):
            position, stream = Position(game), new_stream(game, seed)
            while not position.is_over:
                position.apply(position.sample(stream))
            out = np.zeros(game.seats)
            out[position.winners()] = 1
            share_out(out, position.configuration.players)
            assert position.returns() == out[: position.configuration.players].tolist()


def test_scores_of_a_batch_are_those_of_its_games() -> None:
    from rat_envs.engine.batch import Batch

    batch, position = Batch("comme_des_rats", 3, [{"players": 2}, {"players": 3}, {"players": 5}], seed=1), None
    for _ in range(40):
        batch.step_random()
    points = batch.scores()
    assert (points.shape, points.dtype) == ((3, 5), np.int32)
    for i, players in enumerate((2, 3, 5)):
        position = Position("comme_des_rats", {"players": players})
        for name in batch.states.dtype.names:
            position.state[name] = batch.states[i][name]
        assert points[i, :players].tolist() == position.scores()
        assert not points[i, players:].any()
    assert batch.winners().shape == (3, 5)
