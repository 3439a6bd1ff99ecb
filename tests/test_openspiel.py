"""The bridge to OpenSpiel: its own checks, agreement with ours node by node, nothing leaks, and its solvers agree."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import unittest
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from games_and_configurations import GAMES, PAIRS, each, each_game, each_pair

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python.algorithms import exploitability as open_spiel_exploitability  # noqa: E402
from open_spiel.python.algorithms import generate_playthrough  # noqa: E402
from open_spiel.python.policy import tabular_policy_from_callable  # noqa: E402

from agents import make_agent  # noqa: E402
from agents.exact.equilibrium import solve_states  # noqa: E402
from agents.exact.tree import Tree, bind, tree_below  # noqa: E402
from agents.exploitability import ask, best_response  # noqa: E402
from agents.protocol import Agent  # noqa: E402
from rat_envs.api.openspiel import openspiel_name, register_all  # noqa: E402
from rat_envs.api.openspiel.node import NO_STEP, Node, SeatHistory, arrive  # noqa: E402
from rat_envs.api.seats import SeatViews  # noqa: E402
from rat_envs.engine.batch import Batch  # noqa: E402
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, UnknownNameError  # noqa: E402
from rat_envs.engine.game import CHANCE, TERMINAL  # noqa: E402
from rat_envs.engine.position import Position, new_stream  # noqa: E402
from rat_envs.engine.presets import Preset  # noqa: E402
from rat_envs.engine.registry import get_game  # noqa: E402

SMALL = [(game, {"preset": "small"}) for game in GAMES]
DEFAULTS = [(game, {}) for game in GAMES]
TWO_PLAYERS = [
    (game, {"players": 2}) for game in GAMES if "players" in get_game(game).configuration.options()
]


def load(game: str, parameters: dict[str, Any]) -> Any:
    """A game of OpenSpiel's, by a mapping of parameters, as a user who has tables gives it."""
    texts = {name: json.dumps(value) if isinstance(value, list | dict) else value for name, value in parameters.items()}
    return pyspiel.load_game(openspiel_name(game), texts)


@each([*DEFAULTS, *TWO_PLAYERS, *SMALL])
def test_open_spiels_random_simulations(game: str, config: dict[str, Any]) -> None:
    pyspiel.random_sim_test(load(game, config), num_sims=1, serialize=True, verbose=False)


def outcome_of(case: type[unittest.TestCase]) -> unittest.TestResult:
    """What comes of all tests of a class."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result


@each(SMALL)
def test_open_spiels_checks_of_sampled_states(game: str, config: dict[str, Any]) -> None:
    held = {"game": load(game, config), "game_name": openspiel_name(game)}
    result = outcome_of(type("SampledStates", (api_test.EnforceAPIOnPartialTreeBase,), held))
    assert result.testsRun >= 5
    assert [text for _, text in result.failures + result.errors] == []


def test_open_spiels_checks_of_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Perfect recall among them; the numbers of nodes are those of a walk without OpenSpiel."""
    name = openspiel_name("brave_rats")
    nodes = list(every_node(get_game("brave_rats").preset("small").position(get_game("brave_rats"))))
    kinds = [min(actor, 0) for actor, _ in nodes]
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, name, tuple(map(kinds.count, (CHANCE, 0, TERMINAL))))
    own_pasts = {(actor, past) for actor, past in nodes if actor >= 0}
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, name, len(own_pasts))
    held = {"game": load("brave_rats", {"preset": "small"}), "game_name": name}
    result = outcome_of(type("EveryState", (api_test.EnforceAPIOnFullTreeBase,), held))
    assert result.testsRun >= 8
    assert [text for _, text in result.failures + result.errors] == []


@each_game
def test_a_playthrough_can_be_written(game: str) -> None:
    text = generate_playthrough.playthrough(f"{openspiel_name(game)}(preset=small)", [], seed=0)
    assert f'GameType.short_name = "{openspiel_name(game)}"' in text
    assert "IsTerminal() = True" in text


class Pasts:
    """What each seat has seen and done, kept as it comes: the second account of information states."""

    def __init__(self, position: Position) -> None:
        self.pasts: list[list[bytes]] = [[] for _ in range(position.configuration.players)]
        self.seen = [b""] * len(self.pasts)
        self.look(position)

    def look(self, position: Position) -> None:
        """Let every seat see the table, but at a chance node."""
        if position.is_chance:
            return
        for seat, past in enumerate(self.pasts):
            observation = position.observe(seat).tobytes()
            if observation != self.seen[seat]:
                past.append(observation)
                self.seen[seat] = observation
        if not position.is_over:
            self.pasts[position.actor].append(position.mask().tobytes())

    def act(self, actor: int, number: int) -> None:
        """Note an action."""
        if actor >= 0:
            self.pasts[actor].append(b"%d" % number)

    def of(self, seat: int) -> bytes:
        """All of a seat's past."""
        return b"|".join(part.hex().encode() for part in self.pasts[seat])


def every_node(position: Position, trail: tuple[int, ...] = ()) -> Iterator[tuple[int, bytes]]:
    """Of every history below a position who acts, and that seat's past (nothing for chance and at the end)."""
    node = position.copy()
    pasts = Pasts(node)
    for number in trail:
        pasts.act(node.actor, number)
        node.apply(number)
        pasts.look(node)
    actor = node.actor
    yield actor, pasts.of(actor) if actor >= 0 else b""
    if not node.is_over:
        for number in np.flatnonzero(node.weights() if node.is_chance else node.mask()):
            yield from every_node(position, (*trail, int(number)))


def check_node(state: Any, position: Position) -> None:
    """Who acts, what is possible, what it is called, and what it brings are the same."""
    actor = position.actor
    assert state.current_player() == {CHANCE: pyspiel.PlayerId.CHANCE, TERMINAL: pyspiel.PlayerId.TERMINAL}.get(
        actor, actor
    )
    assert state.is_terminal() == position.is_over
    assert state.returns() == (position.returns() if position.is_over else [0.0] * state.num_players())
    if position.is_chance:
        weights, total = position.chances(), sum(position.chances().values())
        shown = {state.action_to_string(number): share for number, share in state.chance_outcomes()}
        assert shown == {text: weight / total for text, weight in weights.items()}
        return
    assert state.legal_actions() == np.flatnonzero(position.mask()).tolist()
    assert sorted(state.action_to_string(number) for number in state.legal_actions()) == (
        [] if position.is_over else position.legal()
    )
    for seat in range(state.num_players()):
        observation = position.observe(seat)
        assert (np.array(state.observation_tensor(seat)) == observation.view(np.int8)).all()
        assert state.observation_string(seat) == observation.tobytes().hex()


@each_pair
def test_a_game_is_the_same_node_by_node(game: str, config: dict[str, Any]) -> None:
    position = Position(game, config)
    state, stream = load(game, config).new_initial_state(), new_stream(position.game, 5)
    texts = []
    while not position.is_over:
        check_node(state, position)
        texts.append(position.sample(stream))
        state.apply_action(state.string_to_action(texts[-1]))
        position.apply(texts[-1])
    check_node(state, position)
    assert str(state) == ", ".join(texts)


@pytest.mark.parametrize(
    ("game", "config", "steps"),
    [
        ("brave_rats", {"draw_pile": True, "fast": True}, 14),
        ("comme_des_rats", {"players": 2, "die": [0, 6, 0, 0, 0]}, 24),
        ("rattus", {"players": 2}, 12),
        ("rattus_cartus", {"players": 2}, 18),
    ],
)
def test_information_states_are_what_seats_have_seen_and_done(game: str, config: dict[str, Any], steps: int) -> None:
    """Equal pasts have equal strings whatever is hidden, and other pasts have others."""
    root = load(game, config).new_initial_state()
    stream = new_stream(get_game(game), 11)
    string_of: dict[tuple[int, bytes], str] = {}
    past_of: dict[str, tuple[int, bytes]] = {}
    rows_of: dict[str, set[bytes]] = defaultdict(set)
    for _ in range(60):
        position, state = Position(game, config), root.clone()
        pasts = Pasts(position)
        for _ in range(steps):
            text = position.sample(stream)
            number = state.string_to_action(text)
            pasts.act(position.actor, number)
            position.apply(text)
            state.apply_action(number)
            pasts.look(position)
            for seat in range(2):
                past, string = (seat, pasts.of(seat)), state.information_state_string(seat)
                assert string_of.setdefault(past, string) == string
                assert past_of.setdefault(string, past) == past
                rows_of[string].add(position.row.tobytes())
            if position.is_over:
                break
    assert len(string_of) > 200
    assert sum(len(rows) > 1 for rows in rows_of.values()) > 20, "the same past, and hidden facts that differ"


def without_a_look(before: Node, step: int) -> list[SeatHistory]:
    """The histories after a step, before anybody looks at what has come of it."""
    histories = list(before.histories)
    if before.actor >= 0:
        histories[before.actor] = histories[before.actor].acts(step)
    return histories


@each_pair
def test_information_states_do_not_know_what_is_hidden(game: str, config: dict[str, Any]) -> None:
    """Whatever a seat cannot know is replaced before it looks, and it comes to the same."""
    state, chosen = load(game, config).new_initial_state(), get_game(game)
    observer = state.get_game().make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    position, stream = Position(game, config), new_stream(chosen, 3)
    looks = replaced = 0
    while not position.is_over:
        before, text = state.node, position.sample(stream)
        state.apply_action(state.string_to_action(text))
        position.apply(text)
        looks += 1
        if position.actor < 0 or looks % 5:
            continue
        for seat in range(state.num_players()):
            other = position.copy()
            other.determinize(seat, stream)
            replaced += other.row.tobytes() != position.row.tobytes()
            histories = without_a_look(before, state.history()[-1])
            elsewhere = state.clone()
            rows = np.array([other.row], chosen.state)
            elsewhere.node = arrive(chosen, before.start, state.node.steps, rows, NO_STEP, histories)
            assert elsewhere.information_state_string(seat) == state.information_state_string(seat)
            assert elsewhere.observation_string(seat) == state.observation_string(seat)
            observer.set_from(state, seat)
            tensor = observer.tensor.copy()
            observer.set_from(elsewhere, seat)
            assert (observer.tensor == tensor).all()
    assert replaced > 0
