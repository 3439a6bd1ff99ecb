"""Learning values: it gets better, and stopping loses nothing that was saved."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from agents.archive import read_archive, write_archive
from agents.arena import play_match
from agents.learnt import load_policy
from agents.registry import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine import Batch
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from training.checkpoints import CHECKPOINT, FORMAT
from training.fitted_values import FittedValues, LookaheadOptions
from training.run import POLICY, train
from training.self_play import TrainingOptions

STEPS_OF_UPDATE = 64 * 4


def tiny(folder, updates: float = 6, **changes) -> LookaheadOptions:
    """A run of seconds."""
    return LookaheadOptions(
        **{
            "config": {"fast": True},
            "folder": str(folder),
            "minutes": None,
            "steps": int(updates * STEPS_OF_UPDATE),
            "num_games": 64,
            "fits_per_update": 4,
            "hidden": (16, 16),
            "crossed": ("own_hand", "opponent_cards"),
            "checkpoint_interval": 4,
            "tensorboard": False,
            "threads": 1,
            **changes,
        }
    )


def learnt(folder) -> dict[str, bytes]:
    """All that a run's checkpoint holds but how long it took."""
    header, arrays = read_archive(Path(folder) / CHECKPOINT, FORMAT, "checkpoint")
    header["counters"].pop("seconds")
    header.pop("options")
    return {"header": json.dumps(header).encode(), **{name: array.tobytes() for name, array in arrays.items()}}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """A run of 6 updates that was never stopped."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    reports = []
    result = train(tiny(folder), reports.append)
    return folder, result, reports


def test_run_reports_and_saves(uninterrupted):
    folder, result, reports = uninterrupted
    assert [report.updates for report in reports] == list(range(1, 7))
    assert [report.updates for report in reports if report.saved] == [4]
    assert (result.updates, result.steps, result.interrupted) == (6, 6 * STEPS_OF_UPDATE, False)
    assert "expects" in reports[-1].words() and set(reports[-1].expected) == {"at worst", "against random"}
    views = SeatViews(Batch("brave_rats", 20, {"fast": True}, seed=1))
    assert np.array_equal(load_policy(folder / POLICY).policy(views), result.agent.policy(views))
    assert not result.untrained.network(views.observations).any(), "nothing is known before"
    assert result.agent.network(views.observations).any()


def test_saved_network_values_as_the_learner_does(tmp_path):
    run = FittedValues(tiny(tmp_path))
    run.update()
    batch = Batch("brave_rats", 100, {"fast": True}, seed=3)
    for _ in range(5):
        batch.step_random()
    assert np.allclose(run.network()(batch.observations), run.value(batch.observations), atol=1e-5)


def test_some_seconds_of_learning_are_worth_something(tmp_path):
    """Some hundred gradient steps; the untrained agent sees one round, and what ends there."""
    result = train(tiny(tmp_path, 40, num_games=256, steps=40 * 4 * 256, hidden=(32, 32)))
    returns = {}
    for name, agent in (("learnt", result.agent), ("untrained", result.untrained)):
        match = play_match("brave_rats", [agent, make_agent("random", "brave_rats", 1)], {"fast": True}, 2000, seed=2)
        returns[name] = match.agents[0].mean_return
    assert returns["learnt"].low > returns["untrained"].high


def test_same_seed_gives_the_same_run_and_another_one_another(uninterrupted, tmp_path):
    train(tiny(tmp_path / "same"))
    assert learnt(tmp_path / "same") == learnt(uninterrupted[0])
    train(tiny(tmp_path / "other", seed=1))
    assert learnt(tmp_path / "other")["mean/first.weight"] != learnt(uninterrupted[0])["mean/first.weight"]


@pytest.mark.parametrize("updates", [0, 3])
def test_resumed_run_equals_one_that_was_never_stopped(uninterrupted, tmp_path, updates):
    train(tiny(tmp_path, updates))
    result = train(dataclasses.replace(LookaheadOptions.saved(tmp_path), steps=6 * STEPS_OF_UPDATE))
    assert result.updates == 6
    assert learnt(tmp_path) == learnt(uninterrupted[0])


def test_tensorboard_logs_are_written(tmp_path):
    train(tiny(tmp_path, 2, tensorboard=True))
    assert any(tmp_path.glob("tensorboard/events.*"))


@pytest.fixture
def stopped(uninterrupted, tmp_path):
    """The folder of a run that can be damaged."""
    (tmp_path / CHECKPOINT).write_bytes((uninterrupted[0] / CHECKPOINT).read_bytes())
    return tmp_path


def refusal(options) -> str:
    """The one sentence with which a resumption is refused."""
    with pytest.raises(CheckpointError) as error:
        train(options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("part", ["counters", "random", "fits", "options", "numpy_random"])
def test_edited_checkpoint_is_refused(stopped, part):
    header, arrays = read_archive(stopped / CHECKPOINT, FORMAT, "checkpoint")
    write_archive(stopped / CHECKPOINT, {**header, part: None}, arrays)
    assert CHECKPOINT in refusal(tiny(stopped, 9, resume=True))


@pytest.mark.parametrize(
    "part", ["games", "newest/first.weight", "optimiser/0.step", "optimiser/1.exp_avg", "crossed_keys"]
)
def test_checkpoint_without_an_array_is_refused(stopped, part):
    header, arrays = read_archive(stopped / CHECKPOINT, FORMAT, "checkpoint")
    write_archive(stopped / CHECKPOINT, header, {name: array for name, array in arrays.items() if name != part})
    assert CHECKPOINT in refusal(tiny(stopped, 9, resume=True))


def test_checkpoint_of_another_learner_or_other_options_is_refused(stopped):
    assert "'lookahead', not 'ppo'" in refusal(TrainingOptions(folder=str(stopped), resume=True, tensorboard=False))
    assert "random_weight" in refusal(tiny(stopped, 9, resume=True, random_weight=0.1))


def test_a_refusal_leaves_the_folder_as_it_was(uninterrupted, tmp_path):
    for name in ("checkpoint.npz", "policy.npz", "untrained.npz"):
        (tmp_path / name).write_bytes((uninterrupted[0] / name).read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ConfigurationError, match="draw_pile"):
        train(tiny(tmp_path, config={"draw_pile": True}, tensorboard=True))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("fits", [-1, 10**6, float("inf")])
def test_a_number_of_steps_that_cannot_be_is_refused(stopped, fits):
    header, arrays = read_archive(stopped / CHECKPOINT, FORMAT, "checkpoint")
    write_archive(stopped / CHECKPOINT, {**header, "fits": fits}, arrays)
    assert CHECKPOINT in refusal(tiny(stopped, 9, resume=True))


def test_nothing_needs_to_be_crossed(tmp_path):
    assert train(tiny(tmp_path, 1, crossed=())).agent.network.table.shape == (2, 16)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"num_games": 0}, "num_games"),
        ({"random_weight": 1.5}, "random_weight"),
        ({"hidden": ()}, "hidden"),
        ({"crossed": ("no_such_field",)}, "opponent_cards"),
        ({"config": {"draw_pile": True}}, "draw_pile"),
        ({"game": "rattus", "config": {}, "crossed": ()}, "simultaneous"),
    ],
)
def test_wrong_options_are_refused(tmp_path, wrong, reason):
    with pytest.raises(ConfigurationError, match=reason):
        train(tiny(tmp_path, 1, **wrong))
