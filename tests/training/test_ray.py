"""Games gathered on the workers of a Ray cluster: that they are learnt from, and that a lost worker loses no more."""

# ruff: noqa: E402  # what needs Ray is imported after it is known to be there
from __future__ import annotations

import copy
import dataclasses
import os
import signal

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
ray = pytest.importorskip("ray")

from learners import LEARNERS

from rat_envs.engine.errors import ConfigurationError, RatEnvsError
from rat_envs.training.gathering import Worker
from rat_envs.training.run import train

KINDS = ["ppo", "search"]


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def tiny(name, folder, updates=6.0, **changes):
    return LEARNERS[name].tiny(folder, updates, ray="local", ray_workers=2, **changes)


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
    here = Worker(options, 5)
    for updates in range(2):
        there = ray.get(actor.play.remote(parameters, updates, False))
        for each, array in here.play(parameters, updates, False).items():
            np.testing.assert_array_equal(there[each], array, each)
    run.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_worker_that_dies_loses_its_games_and_nothing_else(name, tmp_path, capsys):
    run = tiny(name, tmp_path).new_run()
    run.update()
    lost = run.workers.actors[0]
    os.kill(ray.get(lost.__ray_call__.remote(lambda worker: os.getpid())), signal.SIGKILL)
    steps = run.steps
    run.update()
    assert "Ray worker 0 died; its games in hand are lost, and a new one begins." in capsys.readouterr().err
    assert run.workers.actors[0] is not lost and run.steps > steps
    run.update()
    assert capsys.readouterr().err == ""
    run.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_run_goes_on_with_workers_and_without(name, tmp_path):
    train(tiny(name, tmp_path, 2.0))
    saved = LEARNERS[name].kind.saved(tmp_path)
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


def test_rllib_learns_the_same_game_with_masks():
    """An illegal action would be an error."""
    pytest.importorskip("ray.rllib")
    from rat_envs.training.rllib import POLICY, configuration

    algorithm = configuration("brave_rats", fast=True).training(train_batch_size_per_learner=256).build_algo()
    entropies = [algorithm.train()["learners"][POLICY]["entropy"] for _ in range(2)]
    algorithm.stop()
    assert 0 < float(entropies[1]) < np.log(8) + 1e-3
