"""The bridge to OpenSpiel: its own checks pass, it agrees with ours node by node, and nothing leaks."""

# ruff: noqa: E402  # what needs OpenSpiel is imported after it is known to be there
from __future__ import annotations

import importlib
import pickle
import re
import subprocess
import sys
import unittest
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from games_and_configurations import GAMES, each, each_game, each_pair

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.integration_tests import api_test
from open_spiel.python import policy, rl_environment
from open_spiel.python.algorithms import cfr, generate_playthrough, ismcts, mcts
from open_spiel_games import load

from rat_envs.api.openspiel import openspiel_name, register_all
from rat_envs.api.openspiel.node import NO_STEP, Node, SeatHistory, arrive, begin
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, UnknownNameError
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import get_game

SMALL = [(game, {"preset": "small"}) for game in GAMES]
DEFAULTS = [(game, {}) for game in GAMES]
TWO_PLAYERS = [(game, {"players": 2}) for game in GAMES if "players" in get_game(game).configuration.options()]


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
        self.look(position)

    def look(self, position: Position) -> None:
        """Let a seat see the table at its own decision, and all at the end."""
        if position.is_over:
            for seat, past in enumerate(self.pasts):
                past.append(position.observe(seat).tobytes())
        elif not position.is_chance:
            self.pasts[position.actor] += [position.observe(position.actor).tobytes(), position.mask().tobytes()]

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
                rows_of[string].add(position.state.tobytes())
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
            replaced += other.state.tobytes() != position.state.tobytes()
            histories = without_a_look(before, state.history()[-1])
            elsewhere = state.clone()
            rows = np.array([other.state], chosen.state)
            elsewhere.node = arrive(
                chosen, before.start, state.node.steps, rows, NO_STEP, histories, before.observations
            )
            assert elsewhere.information_state_string(seat) == state.information_state_string(seat)
            assert elsewhere.observation_string(seat) == state.observation_string(seat)
            observer.set_from(state, seat)
            tensor = observer.tensor.copy()
            observer.set_from(elsewhere, seat)
            assert (observer.tensor == tensor).all()
    assert replaced > 0


def test_tables_are_parameters_in_a_mapping_and_in_a_name() -> None:
    table = {"players": 3, "die": [2, 1, 1, 1, 1], "doors": None, "talk": True}
    by_mapping = load("comme_des_rats", table)
    assert by_mapping.num_players() == 3
    assert str(by_mapping) == "python_rat_comme_des_rats(die=[2; 1; 1; 1; 1],players=3,talk=True)"
    by_name = pyspiel.load_game("python_rat_comme_des_rats(players=3,talk=true,die=[2;1;1;1;1])")
    again = pyspiel.load_game(str(by_mapping))
    right = get_game("comme_des_rats").configuration.make(table)
    for made in (by_mapping, by_name, again):
        rows = made.new_initial_state().node.rows
        assert rows.tobytes() == begin(get_game("comme_des_rats"), Preset("", "", right.to_dict())).rows.tobytes()
    buildings = pyspiel.load_game(
        "python_rat_rattus_cartus(buildings=brewery;office;hospital;castle;pied_pipers_hut;palace)"
    )
    assert "brewery;office" in str(buildings)


def test_a_preset_begins_after_its_opening() -> None:
    for game in GAMES:
        chosen = get_game(game)
        state, position = load(game, {"preset": "small"}).new_initial_state(), chosen.preset("small").position(chosen)
        assert state.history() == []
        assert state.node.rows.tobytes() == position.state.tobytes()
        check_node(state, position)


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ("players=7", ConfigurationError, "players=7: must be a whole number from 2 to 4."),
        ("map=flat", ConfigurationError, 'map="flat": must be "default"'),
        ("players=3,preset=small", ConfigurationError, "players: cannot be set beside preset=small"),
        ("preset=tiny", UnknownNameError, "rattus has no preset 'tiny': its presets are small"),
    ],
)
def test_wrong_parameters_get_one_sentence(parameters: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as raised:
        pyspiel.load_game(f"python_rat_rattus({parameters})")
    assert str(raised.value).startswith(sentence)


def test_what_cannot_happen_is_refused() -> None:
    state = load("brave_rats", {}).new_initial_state()
    state.apply_action(3)
    state.apply_action(2)
    before = str(state)
    for number in (3, 99, -5):
        with pytest.raises(IllegalActionError, match=f"^Step {number} cannot follow here; possible is play musician, "):
            state.apply_action(number)
    assert str(state) == before


def test_what_is_asked_of_a_state_wrongly_is_refused() -> None:
    state = load("rattus", {"preset": "small"}).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(IllegalActionError, match=r"^chance_outcomes: this is no chance node\.$"):
        state.chance_outcomes()
    for player, action in ((0, -1), (-1, -2), (0, 99_999)):
        with pytest.raises(ConfigurationError, match=rf"^action={action}: must be from 0 to "):
            state.action_to_string(player, action)
    for seat in (9, -1, "a"):
        with pytest.raises(ConfigurationError, match=r"^point_of_view=.*: must be from 0 to 1, or None\.$"):
            state.text(seat)
    for number in (-1, 2.0, float("nan")):
        with pytest.raises(ConfigurationError, match=r"^probability_sampler: gave .*, not a number from 0 to 1\.$"):
            state.resample_from_infostate(0, lambda number=number: number)


@each_game
def test_states_are_copied_and_serialised_in_mid_game(game: str) -> None:
    state, random = load(game, {"preset": "small"}).new_initial_state(), np.random.default_rng(2)
    while len(state.history()) < 3 and not state.is_terminal():
        state.apply_action(int(random.choice(state.legal_actions())))
    copy = state.clone()
    _, loaded = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
    if not state.is_terminal():
        copy.apply_action(copy.legal_actions()[0])
        assert copy.history() != state.history()
    assert loaded.history() == state.history()
    assert loaded.node.rows.tobytes() == state.node.rows.tobytes()
    for seat in range(state.num_players()):
        assert loaded.information_state_string(seat) == state.information_state_string(seat)


def to_a_decision(state: Any, random: np.random.Generator, decisions: int = 0) -> Any:
    """The state after so many random decisions and all chance, where a player is to act."""
    while state.is_chance_node() or decisions:
        decisions -= not state.is_chance_node()
        shares = state.chance_outcomes() if state.is_chance_node() else [(a, 1) for a in state.legal_actions()]
        numbers, weights = map(np.array, zip(*shares, strict=True))
        state.apply_action(int(random.choice(numbers, p=weights / weights.sum())))
    return state


@each_pair
def test_hidden_facts_are_drawn_anew(game: str, config: dict[str, Any]) -> None:
    """The seat's own information state stays, whatever it cannot know varies, and the sample can be played on."""
    random = np.random.default_rng(8)
    state = to_a_decision(load(game, config).new_initial_state(), random, 3)
    for seat in range(state.num_players()):
        samples = [state.resample_from_infostate(seat, random.random) for _ in range(20)]
        own = state.information_state_string(seat)
        assert {sample.information_state_string(seat) for sample in samples} == {own}
        assert {sample.current_player() for sample in samples} == {state.current_player()}
        again = [state.resample_from_infostate(seat, lambda: 0.25).node.rows.tobytes() for _ in range(2)]
        assert again[0] == again[1], "equal numbers draw the same"
        for sample in samples:
            assert sample.history() == [], "nobody has played what led there"
            for other in range(state.num_players()):
                same = sample.observation_string(other) == samples[0].observation_string(other)
                alike = sample.information_state_string(other) == samples[0].information_state_string(other)
                assert same <= alike, "who sees the same knows the same"
    sample = samples[0]
    assert sample.legal_actions() == np.flatnonzero(sample.node.possible).tolist()
    copies = [
        sample.clone(),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(sample.get_game(), sample))[1],
    ]
    for each_copy in copies:
        assert each_copy.node.rows.tobytes() == sample.node.rows.tobytes()
        each_copy.apply_action(sample.legal_actions()[0])
        assert each_copy.node.rows.tobytes() != sample.node.rows.tobytes()
    while not to_a_decision(sample, random).is_terminal():
        sample.apply_action(int(random.choice(sample.legal_actions())))
    assert sum(sample.returns()) == pytest.approx(0)


@each([("brave_rats", {"preset": "small"}), ("brave_rats", {"draw_pile": True, "fast": True})])
def test_what_is_drawn_anew_is_as_likely_as_random_play_makes_it(game: str, config: dict[str, Any]) -> None:
    """Frequencies of what another seat sees, beside those among whole games in which the seat has seen the same."""
    random = np.random.default_rng(3)
    root = load(game, config).new_initial_state()
    seen: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    states = {}
    for _ in range(6000):
        state = to_a_decision(root.clone(), random, 1)
        seat = state.current_player()
        own = state.information_state_string(seat)
        seen[own][state.observation_string(1 - seat)] += 1
        states[own] = state
    most = max(seen, key=lambda own: sum(seen[own].values()))
    counts, state = seen[most], states[most]
    seat, total = state.current_player(), sum(counts.values())
    drawn: dict[str, int] = defaultdict(int)
    for _ in range(total):
        drawn[state.resample_from_infostate(seat, random.random).observation_string(1 - seat)] += 1
    kinds = set(counts) | set(drawn)
    distance = sum(abs(counts[kind] - drawn[kind]) for kind in kinds) / 2 / total
    assert total > 100 and len(kinds) > 1
    assert distance < 1.2 * (len(kinds) / total) ** 0.5, "as two samples of one distribution differ"


def test_hidden_facts_are_drawn_anew_for_a_seat_where_somebody_acts() -> None:
    state = load("rattus", {"players": 2}).new_initial_state()
    with pytest.raises(ConfigurationError, match="player_id=2: must be from 0 to 1"):
        state.resample_from_infostate(2, lambda: 0.5)
    assert state.is_chance_node()
    with pytest.raises(IllegalActionError, match="Hidden facts are drawn anew where a player is to act"):
        state.resample_from_infostate(0, lambda: 0.5)


@each([*SMALL, ("brave_rats", {"fast": True}), ("comme_des_rats", {})])
@pytest.mark.parametrize("worlds", [ismcts.UNLIMITED_NUM_WORLD_SAMPLES, 3])
def test_open_spiels_search_plays(game: str, config: dict[str, Any], worlds: int) -> None:
    random, numbers = np.random.default_rng(0), np.random.RandomState(0)
    played = load(game, config)
    evaluator = mcts.RandomRolloutEvaluator(1, numbers)
    bot = ismcts.ISMCTSBot(played, evaluator, 1.4, 8, max_world_samples=worlds, random_state=numbers)
    state = played.new_initial_state()
    for _ in range(3):
        while state.is_chance_node():
            to_a_decision(state, random)
        if not state.is_terminal():
            state.apply_action(int(bot.step(state)))


@each(SMALL)
def test_open_spiels_nfsp_learns_on_a_preset(game: str, config: dict[str, Any]) -> None:
    nfsp = pytest.importorskip("open_spiel.python.pytorch.nfsp", reason="this OpenSpiel has no NFSP on PyTorch")
    env = rl_environment.Environment(load(game, config))
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    options = {"batch_size": 8, "min_buffer_size_to_learn": 8, "learn_every": 4}
    agents = [nfsp.NFSP(seat, size, actions, [8], 50, 0.1, **options) for seat in range(env.num_players)]
    for _ in range(4):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    assert sum(step.rewards) == pytest.approx(0)


def test_open_spiels_deep_cfr_runs_on_a_preset() -> None:
    deep_cfr = pytest.importorskip("open_spiel.python.pytorch.deep_cfr", reason="this OpenSpiel has no deep CFR")
    few = {"num_iterations": 1, "num_traversals": 5, "memory_capacity": 1000}
    few |= {"batch_size_advantage": 8, "batch_size_strategy": 8}  # without them it comes to nan, on kuhn_poker too
    solver = deep_cfr.DeepCFRSolver(load("brave_rats", {"preset": "small"}), **few)
    *_, loss = solver.solve()
    assert np.isfinite(loss)


def test_open_spiels_psro_runs_on_a_preset() -> None:
    reason = "cvxpy, which OpenSpiel's PSRO imports, is not installed"
    psro = pytest.importorskip("open_spiel.python.algorithms.psro_v2.psro_v2", reason=reason)
    oracles = importlib.import_module("open_spiel.python.algorithms.psro_v2.best_response_oracle")
    tree = pyspiel.convert_to_cached_tree(load("brave_rats", {"preset": "small"}))
    oracle = oracles.BestResponseOracle(game=tree, policy=None)
    solver = psro.PSROSolver(
        tree, oracle, sims_per_entry=2, meta_strategy_method="prd", training_strategy_selector="probabilistic"
    )
    solver.iteration()
    assert [len(policies) for policies in solver.get_policies()] == [2, 2]


def test_games_and_what_holds_them_are_pickled() -> None:
    game = pyspiel.load_game("python_rat_brave_rats(preset=small)")
    solver = cfr.CFRPlusSolver(game)
    solver.evaluate_and_update_policy()
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    for whole in (game, state, policy.TabularPolicy(game), solver):
        assert type(pickle.loads(pickle.dumps(whole))) is type(whole)
    again = pickle.loads(pickle.dumps(solver))
    for one in (solver, again):
        one.evaluate_and_update_policy()
    assert policies_of(again) == policies_of(solver)
    table = pyspiel.load_game("python_rat_comme_des_rats(players=3,die=[2;1;1;1;1])")
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer))"
    read = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(table), capture_output=True, check=True)
    assert read.stdout.decode().strip() == str(table), "in a process that has imported nothing"


def policies_of(solver: Any) -> dict[str, dict[int, float]]:
    """The average policy of a solver in Python, by information state."""
    return solver.average_policy().to_dict()


def test_games_are_entered_once() -> None:
    before = pyspiel.registered_names()
    register_all()
    assert pyspiel.registered_names() == before
    assert {openspiel_name(game) for game in GAMES} <= set(before)


def test_a_process_that_used_the_bridge_ends_well() -> None:
    code = "import pyspiel, rat_envs.api.openspiel; print(pyspiel.load_game('python_rat_brave_rats').num_players())"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (process.returncode, process.stdout.strip(), process.stderr) == (0, "2", "")


def test_the_example_in_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parent.parent / "docs" / "openspiel.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(compile(example, "docs/openspiel.md", "exec"), {"__name__": "example"})
    value, distance = map(float, capsys.readouterr().out.split())
    assert -0.32 < value < -0.29
    assert 0 <= distance < 0.01
