"""Transitions of recorded games: what environments show and pay, in files that are whole, checked and go on."""

from __future__ import annotations

import copy
import importlib.util
import json
import math
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from games_and_configurations import choose, each_pair

import rat_envs
from rat_envs.agents import Agent, make_agent
from rat_envs.api.agent import chosen_with_probability
from rat_envs.api.seats import SeatViews
from rat_envs.commands.records import play_recorded
from rat_envs.datasets import folder as folder_module
from rat_envs.datasets import (
    game_transitions,
    load_transitions,
    read_manifest,
    stream_transitions,
    with_next,
    write_transitions,
)
from rat_envs.engine.errors import (
    CheckpointError,
    ConfigurationError,
    IllegalActionError,
    MissingExtraError,
    RecordError,
)
from rat_envs.engine.game import TERMINAL
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder, replay
from rat_envs.engine.registry import get_game
from rat_envs.engine.steps import played_steps
from rat_envs.play.seating import Table

HAS_ARROW = importlib.util.find_spec("pyarrow") is not None


def recorded(game="brave_rats", games=3, agents=("greedy", "random"), probabilities=True, **config):
    """Records of games."""
    chosen = get_game(game)
    configuration = chosen.configuration.make(config)
    table = Table(chosen, configuration, agents, 0)
    return [
        play_recorded(table, Recorder(Position(chosen, configuration)), seed, probabilities) for seed in range(games)
    ]


@pytest.fixture(scope="module")
def lines():
    """Seven games, one a line."""
    return [f"{json.dumps(record)}\n" for record in recorded(games=7)]


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != ".lock"}


# What is in a row


@each_pair
def test_rows_are_what_the_environment_shows_and_pays(game, config):
    env, random, decisions = rat_envs.make(game, **config), np.random.default_rng(3), []
    env.reset(seed=5)
    chosen, configuration = env.unwrapped.game, env.unwrapped.batch.configurations[0]
    paid = {}
    for name in env.agent_iter():
        if env.terminations[name]:
            paid[int(name.removeprefix("player_"))] = env.last()[1]
            env.step(None)
            continue
        seen = env.observe(name)
        action = int(choose(seen["action_mask"][None], random)[0])
        decisions.append((int(name.removeprefix("player_")), seen["observation"], seen["action_mask"], action))
        env.step(action)
    recorder, actions = Recorder(Position(chosen, configuration)), np.array([[each[3] for each in decisions]])
    for actor, step in played_steps(chosen, configuration, np.array([5]), actions):
        if actor != TERMINAL:
            recorder.apply(int(step))
    rows = game_transitions(json.loads(json.dumps(recorder.record())))
    assert rows["seat"].tolist() == [each[0] for each in decisions]
    assert rows["action"].tolist() == [each[3] for each in decisions]
    assert (rows["observation"] == np.stack([each[1] for each in decisions])).all()
    assert (rows["action_mask"] == np.stack([each[2] for each in decisions])).all()
    assert np.isnan(rows["probability"]).all() and (rows["agent"] == -1).all()
    for seat in range(configuration.players):
        own = np.flatnonzero(rows["seat"] == seat)
        assert rows["step"][own].tolist() == list(range(len(own)))
        assert rows["next"][own].tolist() == [*own[1:].tolist(), -1]
        assert rows["terminated"][own].tolist() == [False] * (len(own) - 1) + [True]
        assert (rows["reward"][own[:-1]] == 0).all() and rows["reward"][own[-1]] == np.float32(paid[seat])


def test_next_observations_are_gathered_and_0_at_the_end():
    (record,) = recorded(games=1)
    rows = with_next(game_transitions(record))
    for i, following in enumerate(rows["next"].tolist()):
        for name in ("observation", "action_mask"):
            right = 0 if following < 0 else rows[name][following]
            assert (rows[f"next_{name}"][i] == right).all()
    assert rows["observation"][rows["next"][0]].any()


def test_names_of_agents_are_numbered_as_they_occur():
    first, second = recorded(games=2)
    second["agents"], agents = ["nash", "greedy"], []
    rows = [game_transitions(record, number, agents) for number, record in enumerate((first, second))]
    assert agents == ["greedy", "random", "nash"]
    assert [rows[0]["agent"][rows[0]["seat"] == seat][0] for seat in range(2)] == [0, 1]
    assert [rows[1]["agent"][rows[1]["seat"] == seat][0] for seat in range(2)] == [2, 0]
    assert set(rows[1]["game"].tolist()) == {1}


# Probabilities


class Half(Agent):
    """Takes the first legal action half of the time, and otherwise any."""

    def policy_batch(self, views):
        policy = views.masks / (2 * views.masks.sum(axis=1, keepdims=True))
        policy[np.arange(len(views)), views.masks.argmax(axis=1)] += 0.5
        return policy


class Own(Half):
    """Draws by itself, from the same policy."""

    def act_batch(self, views):
        policy = self.policy_batch(views)
        self.random.random()
        return np.array([self.random.choice(len(row), p=row) for row in policy])


class Contrary(Half):
    """Gives all probability to one action and takes another."""

    def act_batch(self, views):
        return views.masks.argmax(axis=1)

    def policy_batch(self, views):
        policy = np.zeros(views.masks.shape)
        policy[:, views.masks.shape[1] - 1 - views.masks[0, ::-1].argmax()] = 1
        return policy


class Silent(Agent):
    """Says actions alone."""

    def act_batch(self, views):
        return views.masks.argmax(axis=1)


class Timed(Own):
    """Decides by something else than its views."""

    has_policy = False


class Seeded(Half):
    """Has a policy that depends on its seed, as a search."""

    decides_by_seed = True


class Asking(Own):
    """Has a policy_batch that turns out to have nothing to ask."""

    def act_batch(self, views):
        return views.masks.argmax(axis=1)

    def policy_batch(self, views):
        raise NotImplementedError


@pytest.fixture
def views():
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    return SeatViews(env.unwrapped.batch)


@pytest.mark.parametrize("kind", [Half, Own])
def test_a_probability_is_that_of_the_action_and_costs_no_random_number(kind, views):
    asked, left = kind(7), kind(7)
    for _ in range(20):
        action, probability = chosen_with_probability(asked, views)
        assert action == left.act(views)
        assert probability == pytest.approx(left.policy_batch(views)[0, action], rel=1e-12)
    assert asked.random.random() == left.random.random()


@pytest.mark.parametrize("kind", [Silent, Timed, Seeded, Asking])
def test_an_agent_whose_policy_cannot_be_known_has_no_probability(kind, views):
    action, probability = chosen_with_probability(kind(7), views)
    assert views.masks[0, action] and probability is None


def test_an_agent_that_contradicts_its_policy_is_refused(views):
    with pytest.raises(IllegalActionError, match="to which its policy_batch gives no probability: set has_policy"):
        chosen_with_probability(Contrary(), views)


@pytest.mark.parametrize("agents", [("greedy", "random"), ("nash", None), ("ismcts:sims=20", "greedy")])
def test_games_are_the_same_with_probabilities_and_without(agents):
    with_them, without = recorded(agents=agents), recorded(agents=agents, probabilities=False)
    for record in with_them:
        assert replay(json.loads(json.dumps(record))).is_over
        for step in record["steps"]:
            searches = agents[step["actor"]] == "ismcts:sims=20"
            assert ("probability" in step) != searches and 0 < step.pop("probability", 1) <= 1
    assert with_them == without


def test_probabilities_are_those_of_the_policy_to_a_millionth():
    (record,) = recorded(games=1, agents=("nash", "random"))
    rows, nash = game_transitions(record), make_agent("nash", "brave_rats")
    position, own = Position("brave_rats"), iter(rows["probability"].tolist())
    for step in record["steps"]:
        mask, env = position.mask(), rat_envs.make("brave_rats")
        env.reset(seed=0, options={"state": position.state})
        right = nash.policy(env)[get_game("brave_rats").action_numbers[step["action"]]]
        right = right if step["actor"] == 0 else 1 / mask.sum()
        assert next(own) == pytest.approx(right, rel=1e-6)
        position.apply(step["action"])


def test_logged_probabilities_tell_what_another_policy_would_get(monkeypatch):
    monkeypatch.setitem(sys.modules, "half", SimpleNamespace(Half=Half, __name__="half"))
    records = recorded(games=400, agents=("half:Half", "random"), fast=True)
    rows = next(stream_transitions(list(map(json.dumps, records)), 400))
    own = {name: column[rows["seat"] == 0] for name, column in rows.items()}
    weights = np.exp(np.bincount(own["game"], -np.log(own["action_mask"].sum(axis=1) * own["probability"])))
    returns = np.bincount(own["game"], own["reward"])
    assert len(returns) == 400 and (returns == [record["returns"][0] for record in records]).all()
    assert weights.mean() == pytest.approx(1, abs=0.15), "probabilities of all that can happen add up to 1"
    estimate = weights @ returns / weights.sum()
    error = np.sqrt(weights**2 @ (returns - estimate) ** 2) / weights.sum()
    assert abs(returns.mean()) > 3 * returns.std() / 20, "low cards are bad"
    assert abs(estimate) < 3 * error < 0.5, "random play against random play gets nothing"


def test_chance_has_no_probability():
    (record,) = recorded("comme_des_rats", 1, ("greedy", "random"), players=2)
    for step in record["steps"]:
        assert ("probability" in step) == (step["actor"] != "chance")


# Files


def test_a_folder_holds_what_is_streamed(lines, tmp_path):
    manifest = write_transitions(lines, tmp_path, 3)
    assert (manifest["games"], [each["games"] for each in manifest["shards"]]) == (7, [3, 3, 1])
    assert manifest == read_manifest(tmp_path) and manifest["complete"]
    assert manifest["agents"] == ["greedy", "random"] and manifest["config"]["hands"] == "clan"
    agents: list[str] = []
    streamed = list(stream_transitions(lines, 3, agents))
    assert agents == manifest["agents"]
    for here, there, shard in zip(load_transitions(tmp_path, check=True), streamed, manifest["shards"], strict=True):
        assert here.keys() == there.keys() and len(here["next"]) == shard["rows"]
        for name, array in here.items():
            assert array.dtype == there[name].dtype and np.array_equal(array, there[name], equal_nan=True)
            if name in manifest["columns"]:
                column = manifest["columns"][name]
                assert (array.dtype.name, list(array.shape[1:])) == (column["dtype"], column["shape"])
    everything = list(stream_transitions(lines, 100))
    assert [each["game"][-1] for each in everything] == [6]
    assert (everything[0]["next_observation"] == np.concatenate([each["next_observation"] for each in streamed])).all()


def test_equal_records_make_equal_bytes_without_a_time(lines, tmp_path, monkeypatch):
    write_transitions(lines, tmp_path / "one", 3)
    monkeypatch.setattr("time.localtime", lambda *_: (2001, 2, 3, 4, 5, 6, 0, 0, 0))
    monkeypatch.setattr("time.time", lambda: 1e9)
    write_transitions(lines, tmp_path / "two", 3)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    with np.load(tmp_path / "one" / "transitions-00000.npz", allow_pickle=False) as shard:
        assert shard["observation"].dtype == np.int8
    with zipfile.ZipFile(tmp_path / "one" / "transitions-00000.npz") as shard:
        assert {member.date_time for member in shard.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_what_was_interrupted_goes_on(lines, tmp_path, monkeypatch):
    whole, folder = tmp_path / "whole", tmp_path / "folder"
    write_transitions(lines, whole, 2)

    def stop(manifest):
        if len(manifest["shards"]) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_transitions(lines, folder, 2, on_file=stop)
    assert not read_manifest(folder)["complete"]
    assert [len(set(rows["game"].tolist())) for rows in load_transitions(folder, check=True)] == [2, 2]
    made = []
    monkeypatch.setattr(
        folder_module, "to_bytes", lambda *given, to=folder_module.to_bytes: made.append(1) or to(*given)
    )
    write_transitions(lines, folder, 2)
    assert contents(folder) == contents(whole) and len(made) == 2
    write_transitions(lines, folder, 2)
    assert contents(folder) == contents(whole) and len(made) == 2


@pytest.mark.parametrize("games", range(1, 8))
def test_a_file_of_records_may_grow(games, lines, tmp_path):
    whole, folder = tmp_path / "whole", tmp_path / "folder"
    write_transitions(lines, whole, 3)
    write_transitions([*lines[:games], "\n"], folder, 3)
    write_transitions(lines, folder, 3)
    assert contents(folder) == contents(whole)
    with pytest.raises(RecordError, match="Line 8: The record has another hands than the first one"):
        write_transitions([*lines, json.dumps(recorded(games=1, hands="random")[0])], folder, 3)


def test_a_damaged_file_is_made_again(lines, tmp_path):
    write_transitions(lines, tmp_path, 2)
    before, path = contents(tmp_path), tmp_path / "transitions-00001.npz"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CheckpointError, match=r"00001\.npz is not the file that was written"):
        list(load_transitions(tmp_path, check=True))
    with pytest.raises(CheckpointError, match=r"00001\.npz is no file of transitions"):
        list(load_transitions(tmp_path))
    write_transitions(lines, tmp_path, 2)
    assert contents(tmp_path) == before
    path.unlink()
    with pytest.raises(CheckpointError, match="There is no file of transitions"):
        list(load_transitions(tmp_path))


def test_records_that_are_damaged_lose_nothing(lines, tmp_path):
    other = json.loads(lines[4])
    other["steps"][3]["action"] = "play nobody"
    for broken, sentence in (
        (lines[4][:80], "Line 5: not JSON"),
        (json.dumps(other), "Line 5: Step 4: player_1 cannot do 'play nobody'"),
    ):
        with pytest.raises(RecordError, match=sentence):
            write_transitions([*lines[:4], broken], tmp_path / "folder", 2)
        assert len(list(load_transitions(tmp_path / "folder", check=True))) == 2
    write_transitions(lines, tmp_path / "folder", 2)
    write_transitions(lines, tmp_path / "whole", 2)
    assert contents(tmp_path / "folder") == contents(tmp_path / "whole")


def test_a_folder_of_something_else_is_refused(lines, tmp_path):
    folder = tmp_path / "folder"
    write_transitions(lines, folder, 2)
    before = contents(folder)
    with pytest.raises(CheckpointError, match="holds transitions of another number of games in each file"):
        write_transitions(lines, folder, 3)
    with pytest.raises(CheckpointError, match="holds transitions of other records: give another folder"):
        write_transitions(lines[1:], folder, 2)
    with pytest.raises(CheckpointError, match="holds transitions of other records: give another folder"):
        write_transitions(lines[:3], folder, 2)
    assert contents(folder) == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    with pytest.raises(CheckpointError, match="holds other files and no transitions: give a new or an empty folder"):
        write_transitions(lines, tmp_path / "other", 3)
    manifest = json.loads(before["manifest.json"])
    manifest["versions"]["numpy"] = "0.1"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match="made with other versions of the libraries"):
        write_transitions(lines, folder, 2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: m.update(format="x"), "its format is 'x'"),
        (lambda m: m.pop("columns"), "it has no 'columns'"),
        (lambda m: m["shards"][0].update(file="../x.npz"), "its files cannot be"),
        (lambda m: m.update(files="csv"), "its files cannot be"),
    ],
)
def test_a_damaged_manifest_is_refused(change, sentence, lines, tmp_path):
    manifest = copy.deepcopy(write_transitions(lines, tmp_path, 4))
    change(manifest)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match=f"is no manifest of transitions .rat-transitions/1.: {sentence}"):
        list(load_transitions(tmp_path))


def test_what_cannot_be_asked_for(lines, tmp_path):
    with pytest.raises(ConfigurationError, match="form='csv': must be one of npz, parquet"):
        write_transitions(lines, tmp_path / "new", form="csv")
    with pytest.raises(ConfigurationError, match="games_per_file=0: must be"):
        write_transitions(lines, tmp_path / "new", 0)
    with pytest.raises(RecordError, match="There are no records"):
        write_transitions(["\n"], tmp_path / "new")
    (comme,) = recorded("comme_des_rats", 1, ("greedy", "random"), players=2)
    with pytest.raises(RecordError, match="Line 8: The record is of the game comme_des_rats, but the first one is of"):
        list(stream_transitions([*lines, json.dumps(comme)]))


@pytest.mark.skipif(HAS_ARROW, reason="pyarrow is installed")
def test_parquet_without_its_package_is_refused_in_a_sentence(lines, tmp_path):
    with pytest.raises(MissingExtraError, match=r"Parquet needs .*parquet"):
        write_transitions(lines, tmp_path / "new", form="parquet")
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(not HAS_ARROW, reason="pyarrow is not installed")
def test_parquet_holds_the_same_rows(lines, tmp_path):
    write_transitions(lines, tmp_path / "npz", 3)
    for name in ("one", "two"):
        write_transitions(lines, tmp_path / name, 3, form="parquet")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    for here, there in zip(load_transitions(tmp_path / "one", True), load_transitions(tmp_path / "npz"), strict=True):
        for name, array in there.items():
            assert here[name].dtype == array.dtype and np.array_equal(here[name], array, equal_nan=True)


def test_a_probability_must_be_one(lines):
    record = json.loads(lines[0])
    for wrong in (0, -0.5, 1.5, True, "1", None, [1]):
        record["steps"][1]["probability"] = wrong
        with pytest.raises(RecordError, match=r"Step 2: the probability is .*: it must be a number above 0, to 1"):
            replay(record)
    record["steps"][1]["probability"] = 1
    assert replay(record).is_over and math.isclose(game_transitions(record)["probability"][1], 1)
