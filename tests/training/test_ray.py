"""Games gathered on the workers of a Ray cluster: that they are learnt from, and that a lost worker loses no more."""

# ruff: noqa: E402  # what needs Ray is imported after it is known to be there
from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import os
import re
import signal
from types import SimpleNamespace

import numpy as np
import pytest
import typer

pytest.importorskip("sb3_contrib")
ray = pytest.importorskip("ray")

import pennies
from learners import LEARNERS, checkpoint

from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.api.view import NotResetError
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, RatEnvsError
from rat_envs.engine.own_modules import module_named
from rat_envs.engine.registry import register, unregister
from rat_envs.training.checkpoints import CHECKPOINT, restore
from rat_envs.training.gathering import Worker
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.run import train
from rat_envs.training.search_learner import SearchLearnerOptions

KINDS = ["ppo", "search"]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def tiny(name, folder, updates=6.0, **changes):
    return LEARNERS[name].tiny(folder, updates, ray="local", ray_workers=2, **changes)


def kill(actor):
    os.kill(ray.get(actor.__ray_call__.remote(lambda worker: os.getpid())), signal.SIGKILL)


def mean_return(agent, config):
    match = play_match("brave_rats", [agent, make_agent("random", "brave_rats", 1)], config, 500, 1)
    return match.to_json()["agents"][0]["mean_return"]["low"]


def test_workers_know_a_game_in_a_file_that_is_registered_here(tmp_path):
    register(module_named(pennies.__file__, "a test").PENNIES)
    try:
        assert train(tiny("ppo", tmp_path, 2.0, game="pennies", config={})).updates == 2
    finally:
        unregister("pennies")


@pytest.mark.parametrize(
    ("options", "least"),
    [
        (PPOOptions(num_games=256, minibatch=2048, hidden=(64,), entropy_coefficient=0.005, steps=300_000), 0.2),
        (
            SearchLearnerOptions(
                config={"fast": True}, num_games=32, sims=32, memory=8, minibatch=256, hidden=(64,), steps=32 * 32 * 30
            ),
            0.0,
        ),
    ],
    ids=KINDS,
)
def test_workers_games_teach_to_beat_random_play(options, least, tmp_path):
    shared = {"folder": str(tmp_path), "minutes": None, "evaluations": 0, "tensorboard": False}
    result = train(dataclasses.replace(options, ray="local", ray_workers=2, **shared))
    assert mean_return(result.agent, options.config) > least


@pytest.mark.parametrize("name", KINDS)
def test_what_workers_play_is_learnt_from(name, tmp_path):
    result = train(tiny(name, tmp_path))
    assert result.updates == 6 and result.steps >= LEARNERS[name].steps(6)
    before, after = (agent.contents()[1] for agent in (result.untrained, result.agent))
    assert any(not np.array_equal(before[each], after[each]) for each in before)


@pytest.mark.parametrize("name", KINDS)
def test_a_worker_plays_as_its_run_would_here(name, tmp_path):
    run = tiny(name, tmp_path).new_run()
    parameters = copy.deepcopy(run.parameters())
    options = run.options.of_worker()
    actor = ray.remote(Worker).remote(options, 5)
    here, earlier = Worker(options, 5), run.earlier()
    for updates in range(2):
        there = ray.get(actor.play.remote(parameters, updates, False, earlier))
        for each, array in here.play(parameters, updates, False, earlier).items():
            np.testing.assert_array_equal(there[each], array, each)
    others = Worker(options, 6).play(parameters, 0, False, earlier)
    assert not np.array_equal(others["observations"], there["observations"])
    run.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_worker_that_dies_loses_its_games_and_nothing_else(name, tmp_path, capsys):
    run = tiny(name, tmp_path).new_run()
    run.update()
    lost = run.workers.actors[0]
    kill(lost)
    steps = run.steps
    run.update()
    assert "Ray worker 0 died; its games in hand are lost, and a new one begins." in capsys.readouterr().err
    assert run.workers.actors[0] is not lost and run.steps > steps
    run.update()
    assert capsys.readouterr().err == ""
    run.close()


def test_what_a_dead_worker_had_played_before_is_still_remembered(tmp_path):
    run = tiny("search", tmp_path, 50.0, memory=8).new_run()
    for _ in range(4):
        run.update()
    before = {name: array.copy() for name, array in run.memory._asdict().items()}
    kill(run.workers.actors[0])
    run.update()
    assert before["known"][:, :4].any()
    np.testing.assert_array_equal(run.memory.known[:, :4], before["known"][:, :4])
    np.testing.assert_array_equal(run.memory.returns[:, :4], before["returns"][:, :4])
    assert (run.memory.begun[:4] == run.decided).all() and (run.memory.begun[4:] < run.decided).any()
    run.close()


@pytest.mark.parametrize("name", KINDS)
def test_an_update_without_any_worker_changes_nothing(name, tmp_path):
    run = tiny(name, tmp_path, 50.0).new_run()
    for actor in run.workers.actors:
        kill(actor)
    before = copy.deepcopy(run.parameters())
    run.update()
    for each, array in run.parameters().items():
        np.testing.assert_array_equal(array, before[each], each)
    run.close()


def test_workers_that_never_play_are_given_up(tmp_path):
    run = tiny("ppo", tmp_path, 50.0).new_run()
    with pytest.raises(RatEnvsError, match=r"^Ray worker \d died 3 times without playing: "):  # noqa: PT012
        for _ in range(3):
            for actor in run.workers.actors:
                kill(actor)
            run.update()
    run.close()


def test_an_error_of_a_worker_is_the_learners(tmp_path):
    run = tiny("ppo", tmp_path).new_run()
    with pytest.raises(RuntimeError, match="Missing key"):
        run.workers.play({}, 0, False, run.earlier)
    run.close()


def test_more_workers_than_cores_are_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"ray_workers=4: must be at most 2"):
        dataclasses.replace(tiny("ppo", tmp_path), ray_workers=4).new_run()


@pytest.mark.parametrize(("first", "then"), [("local", "local"), ("local", ""), ("", "local")])
def test_memory_is_kept_on_resumption_and_games_in_hand_are_not(first, then, tmp_path):
    train(dataclasses.replace(tiny("search", tmp_path, 4.0), ray=first))
    _, arrays = checkpoint(tmp_path)
    run = dataclasses.replace(SearchLearnerOptions.saved(tmp_path), ray=then).new_run()
    restore(run, tmp_path / CHECKPOINT)
    np.testing.assert_array_equal(run.memory.known, arrays["memory/known"])
    assert run.memory.known.any() and (run.memory.begun == run.decided).all()
    run.update()
    kept = np.arange(run.decided, run.decided + 16) % 24  # of three updates' decisions two are those from before
    assert run.memory.known[kept].any()
    run.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_run_goes_on_with_workers_and_without(name, tmp_path):
    train(tiny(name, tmp_path, 2.0))
    assert LEARNERS[name].kind.saved(tmp_path).ray == "", "whoever wrote the file may have named any cluster"
    saved = LEARNERS[name].kind.saved(tmp_path, trust=True)
    assert saved.ray == "local"
    more = dataclasses.replace(saved, steps=LEARNERS[name].steps(4), ray="")
    assert train(more).updates_before == 2
    again = dataclasses.replace(more, steps=LEARNERS[name].steps(6), ray="local", resume=True)
    assert train(again).steps >= LEARNERS[name].steps(6)


@pytest.mark.parametrize("name", KINDS)
def test_games_that_cannot_be_shared_out_are_refused(name, tmp_path):
    with pytest.raises(ConfigurationError, match=r"must be a multiple of ray_workers=5"):
        dataclasses.replace(tiny(name, tmp_path), ray_workers=5)


def test_a_cluster_that_is_not_there_is_refused_in_a_sentence(tmp_path):
    ray.shutdown()
    try:
        with pytest.raises(RatEnvsError, match=r"^No Ray cluster answers at '127\.0\.0\.1:1' "):
            dataclasses.replace(tiny("ppo", tmp_path), ray="127.0.0.1:1").new_run()
    finally:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)


def test_rllib_learns_the_same_game_with_masks_also_when_a_runner_dies():
    """An illegal action is an error, so that none was chosen."""
    pytest.importorskip("ray.rllib")
    from rat_envs.training.rllib import POLICY, RatMultiAgentEnv, configuration

    env = RatMultiAgentEnv({"game": "rattus"})
    with pytest.raises(NotResetError, match=r"^No game is under way: call reset\(\) before step\(\)\.$"):
        env.step({})
    ((agent, seen),) = env.reset(seed=1)[0].items()
    with pytest.raises(IllegalActionError):
        env.step({agent: int(seen["action_mask"].argmin())})
    for actions in ({}, {"player_1": 0}, {agent: 0, "player_1": 0}):
        with pytest.raises(
            IllegalActionError,
            match=rf"^action_dict=.*: must hold an action of {agent}, whose turn it is, and nothing else",
        ):
            env.step(actions)
    with pytest.raises(
        ConfigurationError, match=r"^config=\{\}: must name the game, as \{'game': 'brave_rats'\} does\.$"
    ):
        RatMultiAgentEnv({})

    config = configuration("brave_rats", runners=2, fast=True).training(train_batch_size_per_learner=256)
    algorithm = config.build_algo()
    entropies = [algorithm.train()["learners"][POLICY]["entropy"] for _ in range(2)]
    assert 0 < float(entropies[1]) < np.log(8) + 1e-3

    first, second = algorithm.env_runner_group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
    assert len({first, second, os.getpid()}) == 3
    os.kill(first, signal.SIGKILL)
    steps = [algorithm.train()["num_env_steps_sampled_lifetime"] for _ in range(3)]
    algorithm.stop()
    assert steps == sorted(set(steps))


def test_what_rllib_has_learnt_is_saved_restored_and_plays(tmp_path, monkeypatch, capsys):
    pytest.importorskip("ray.rllib")
    from ray.rllib.algorithms.algorithm import Algorithm

    from rat_envs.training import rllib

    def little(*arguments, **options):
        return whole(*arguments, **options).training(train_batch_size_per_learner=256)

    whole = rllib.configuration
    monkeypatch.setattr(rllib, "configuration", little)
    rllib.learn("brave_rats", ["fast=true"], minutes=1e-3, runners=1, seed=1, folder=tmp_path / "run")
    said = capsys.readouterr().out
    assert (
        "mean return: player_0 " in said and "checkpoint saved in " in said and "against random, with its 95 %" in said
    )
    algorithm = Algorithm.from_checkpoint(tmp_path / "run" / "checkpoint")
    assert algorithm.config.env_config == {"game": "brave_rats", "fast": True}
    agent = rllib.RLlibAgent(algorithm.get_module(rllib.POLICY), seed=1)
    views = SeatViews(Batch("brave_rats", 50, {"fast": True}, seed=1))
    policy = agent.policy_batch(views)
    np.testing.assert_allclose(policy.sum(axis=1), 1)
    assert not policy[views.masks == 0].any()
    learner = algorithm.learner_group._learner.module[rllib.POLICY]
    np.testing.assert_allclose(policy, rllib.RLlibAgent(learner).policy_batch(views), atol=1e-6)
    algorithm.stop()
    spent = json.loads((tmp_path / "run" / "checkpoint" / "rat_envs.json").read_text())["seconds"]
    own = {"seed": 1, "folder": tmp_path / "run", "resume": True, "trust": True}
    rllib.learn("brave_rats", ["fast=true"], minutes=(spent + 0.01) / 60, **own)
    steps, more = (int(re.search(r"^([\d,]+) steps, ", each, re.M)[1]) for each in (said, capsys.readouterr().out))
    assert more > steps
    with pytest.raises(ConfigurationError, match=r"^runners=50: must be at most 2, the cores that Ray has here\.$"):
        rllib.learn("brave_rats", runners=50, folder=tmp_path / "more")


class Counting:
    """In place of RLlib's algorithm: what it has learnt is a number."""

    learnt = 0

    def train(self):
        self.learnt += 1

    def save_to_path(self, path):
        path.mkdir()
        (path / "learnt").write_text(str(self.learnt))

    def restore_from_path(self, path):
        self.learnt = int((path / "learnt").read_text())

    def __getattr__(self, name):
        return lambda *arguments: self


@pytest.fixture
def counted_run(tmp_path, monkeypatch):
    """A function that learns by the script, without RLlib's algorithm; and the folder of the run."""
    pytest.importorskip("ray.rllib")
    from rat_envs.training import rllib

    clock = itertools.count()  # which goes on by a second whenever it is read
    monkeypatch.setattr(rllib, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(rllib, "configuration", lambda *arguments, **options: Counting())
    monkeypatch.setattr(rllib, "tell", lambda *arguments: None)
    monkeypatch.setattr(rllib, "measure", lambda *arguments: None)
    folder = tmp_path / "run"

    def learn(options=("fast=true",), minutes=0.1, **more):
        rllib.learn("brave_rats", list(options), minutes, folder=folder, **more)
        return int((folder / "checkpoint" / "learnt").read_text())

    return learn, folder


def test_the_same_command_begins_a_run_of_rllib_and_goes_on_with_it(counted_run, capsys):
    learn, _ = counted_run
    with pytest.raises(CheckpointError, match="allow it with --trust"):
        learn(go_on_or_begin=True)  # before it has learnt anything: the next time it will be asked
    assert learn(go_on_or_begin=True, trust=True) == 3 and learn(minutes=0.2, go_on_or_begin=True, trust=True) == 5
    with pytest.raises(typer.BadParameter, match="leave out --resume and --replace"):
        learn(go_on_or_begin=True, replace=True)


def test_a_run_of_rllib_that_a_scheduler_ends_is_saved_and_says_so(counted_run, monkeypatch, capsys):
    from rat_envs.training import rllib

    learn, folder = counted_run
    monkeypatch.setattr(rllib, "tell", lambda *arguments: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(typer.Exit) as ended:
        learn(minutes=10)
    assert ended.value.exit_code == 128 + signal.SIGTERM and (folder / "checkpoint" / "learnt").exists()
    assert capsys.readouterr().err == "Interrupted; go on with --resume.\n"


def test_a_run_of_rllib_is_resumed_or_replaced_as_others_are(counted_run, capsys):
    learn, folder = counted_run
    assert learn() == 3 and learn(minutes=0.2, resume=True, trust=True) == 5
    assert capsys.readouterr().err == ""
    assert learn(minutes=0.2, resume=True, trust=True) == 5
    assert "Nothing was learnt: the budget was spent already (0.2 minutes)" in capsys.readouterr().err
    assert learn(replace=True) == 3
    assert (folder / "previous" / "checkpoint" / "learnt").read_text() == "5"
    assert {each.name for each in folder.iterdir()} == {".lock", "checkpoint", "previous"}


@pytest.mark.parametrize(
    ("more", "kind", "sentence"),
    [
        ({}, CheckpointError, r"run holds a run: go on with it \(--resume --trust\), replace it \(--replace\), or "),
        ({"resume": True}, CheckpointError, r"^A checkpoint of RLlib can execute code of whoever wrote it when it is"),
        ({"resume": True, "replace": True}, ConfigurationError, r"^A run is resumed or replaced, not both\.$"),
        ({"resume": True, "trust": True, "seed": 5}, CheckpointError, r"is of a run with seed=0, not 5: resume it wi"),
        ({"resume": True, "trust": True, "options": ()}, CheckpointError, r"is of a run with config=.*, not .*: resu"),
    ],
)
def test_a_run_of_rllib_is_not_taken_for_another(more, kind, sentence, counted_run):
    learn, folder = counted_run
    learn()
    (folder / "checkpoint" / "learnt").write_text("7")
    with pytest.raises(kind, match=sentence):
        learn(**more)
    assert (folder / "checkpoint" / "learnt").read_text() == "7" and not (folder / "previous").exists()


def test_a_checkpoint_of_rllib_that_is_damaged_or_was_being_saved(counted_run):
    learn, folder = counted_run
    with pytest.raises(CheckpointError, match=r"^There is no run in .*run to resume: start one there without --resume"):
        learn(resume=True, trust=True)
    learn()
    os.replace(folder / "checkpoint", folder / "checkpoint.part")
    assert learn(minutes=0.2, resume=True, trust=True) == 5 and not (folder / "checkpoint.part").exists()
    (folder / "checkpoint" / "learnt").write_text("x")
    with pytest.raises(CheckpointError, match=r"checkpoint cannot be restored \(ValueError: .*\): begin anew with --r"):
        learn(resume=True, trust=True)
    (folder / "checkpoint" / "rat_envs.json").write_text('{"game": 1}')
    with pytest.raises(CheckpointError, match=r"rat_envs\.json is damaged \("):
        learn(resume=True, trust=True)


@pytest.mark.parametrize("minutes", [0.0, -1.0, np.nan])
def test_rllib_learns_for_some_time(minutes):
    pytest.importorskip("ray.rllib")
    from typer import BadParameter

    from rat_envs.training.rllib import more_than_zero

    with pytest.raises(BadParameter, match=r"is no time to learn in: give a number above 0\."):
        more_than_zero(minutes)
