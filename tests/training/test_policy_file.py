"""Saved policies: what is read back, and what is refused in one clear sentence."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
from damage import damaged

from rat_envs.agents.learnt import load_guide, load_policy, save_policy
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.api.seats import SeatViews
from rat_envs.api.spaces import vector_space
from rat_envs.arena import play_match, play_opponents
from rat_envs.engine.archive import PARTIAL_SUFFIX, read_archive, write_archive
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.registry import get_game

GAME = get_game("brave_rats")
FORMAT = PolicyAgent.form


def random_networks(count: int = 3, seed: int = 0, activation: str = "relu", returns: int = 0) -> Networks:
    random = np.random.default_rng(seed)
    sizes = [GAME.observation.itemsize, 12, 10, len(GAME.actions) + returns]
    shapes = list(itertools.pairwise(sizes))
    weights = tuple(random.normal(size=(count, *shape)).astype(np.float32) for shape in shapes)
    biases = tuple(random.normal(size=(count, shape[1])).astype(np.float32) for shape in shapes)
    return Networks(weights, biases, activation, returns)


@pytest.fixture
def policy_file(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, PolicyAgent(random_networks(), GAME, {"fast": True}, {"steps": 7}))
    return path


def edit_header(path, **changes):
    header, arrays = read_archive(path, FORMAT, "policy")
    write_archive(path, {**header, **changes}, arrays)


def sentence(path, **arguments) -> str:
    """The message with which the file is refused: one line that names the file."""
    with pytest.raises(CheckpointError) as error:
        load_policy(path, **arguments)
    message = str(error.value)
    assert str(path) in message and "\n" not in message
    return message


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_policy_comes_back_as_it_was_saved(tmp_path, activation):
    agent = PolicyAgent(random_networks(activation=activation), GAME, {"fast": True}, {"steps": 7})
    save_policy(tmp_path / "policy.safetensors", agent)
    again = load_policy(tmp_path / "policy.safetensors", "brave_rats")
    assert again.configuration == agent.configuration and again.training == {"steps": 7}
    views = SeatViews(Batch(GAME, 50, seed=1))
    assert np.array_equal(again.policy_batch(views), agent.policy_batch(views))


def test_a_policy_with_returns_comes_back_and_says_its_value(tmp_path):
    networks = random_networks(returns=2)
    networks.weights[-1][:] /= 50  # within −1…1, where values are not cut
    save_policy(tmp_path / "policy.safetensors", PolicyAgent(networks, GAME))
    again = load_policy(tmp_path / "policy.safetensors", GAME)
    views = SeatViews(Batch(GAME, 20, seed=1))
    expected = networks.outputs(views.observations)[:, :, len(GAME.actions)].mean(axis=0)
    assert np.abs(expected).max() < 1 and expected.std() > 0
    assert np.allclose(again.value_batch(views), expected)
    assert PolicyAgent(random_networks(), GAME).value_batch(views) is None


@pytest.mark.parametrize("agent", [None, "greedy", PolicyAgent])
def test_what_is_no_policy_is_not_saved(tmp_path, agent):
    with pytest.raises(ConfigurationError, match=r"agent=.*: must be a policy that load_policy or a learner gives\."):
        save_policy(tmp_path / "policy.safetensors", agent)
    assert not list(tmp_path.iterdir())


def test_returns_do_not_change_the_policy():
    with_returns = random_networks(returns=2)
    weights = (*with_returns.weights[:-1], with_returns.weights[-1][:, :, :-2])
    biases = (*with_returns.biases[:-1], with_returns.biases[-1][:, :-2])
    views = SeatViews(Batch(GAME, 20, seed=1))
    without = PolicyAgent(Networks(weights, biases, "relu"), GAME).policy_batch(views)
    assert np.allclose(PolicyAgent(with_returns, GAME).policy_batch(views), without, atol=1e-6)


@pytest.mark.parametrize("returns", [-1, 18, "two", True, 1])
def test_impossible_returns_are_refused(policy_file, returns):
    edit_header(policy_file, returns=returns)
    assert "return" in sentence(policy_file) or "gives 16, not 71 and 17" in sentence(policy_file)


def test_policy_is_the_mean_of_the_networks_over_legal_actions():
    agent = PolicyAgent(random_networks(), GAME)
    batch = Batch(GAME, 70, {"hands": "random"}, seed=1)
    for _ in range(5):
        batch.step_random()
    views = SeatViews(batch)
    expected = np.zeros(views.masks.shape)
    for k in range(3):
        values = views.observations.astype(np.float64)
        for number, (weight, bias) in enumerate(zip(agent.networks.weights, agent.networks.biases, strict=True)):
            values = values @ weight[k] + bias[k]
            values = values if number == 2 else np.maximum(values, 0)
        shares = np.exp(values - values.max(axis=1, keepdims=True)) * views.masks
        expected += shares / shares.sum(axis=1, keepdims=True) / 3
    assert np.allclose(agent.policy_batch(views), expected, atol=1e-4)
    assert not agent.policy_batch(views)[views.masks == 0].any()


def test_a_row_does_not_depend_on_the_other_rows():
    agent = PolicyAgent(random_networks(), GAME)
    batch = Batch(GAME, 100, {"hands": "random"}, seed=3)
    together = agent.policy_batch(SeatViews(batch))
    alone = [agent.policy_batch(SeatViews(batch, np.array([i])))[0] for i in range(100)]
    assert np.allclose(together, np.array(alone), atol=1e-6)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_file_is_refused(policy_file, part):
    whole = policy_file.read_bytes()
    policy_file.write_bytes(whole[: int(len(whole) * part)])
    assert "truncated" in sentence(policy_file)


def test_damaged_bytes_are_noticed(policy_file):
    damaged = bytearray(policy_file.read_bytes())
    damaged[len(damaged) // 3] ^= 0xFF
    policy_file.write_bytes(bytes(damaged))
    assert "damaged" in sentence(policy_file)


def test_missing_file_is_refused(tmp_path):
    assert "no policy file" in sentence(tmp_path / "nothing.safetensors").lower()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_opened(tmp_path):
    """Opening it would wait for somebody who writes to it; here somebody does, so that a failure does not hang."""
    path, written = tmp_path / "policy.zip", b"PK\3\4" * 100
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        for load in (load_policy, load_guide):
            os.write(pipe, written)
            with pytest.raises(CheckpointError, match="it is no file"):
                load(path, GAME)
            assert os.read(pipe, 1000) == written
    finally:
        os.close(pipe)


def test_other_content_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a policy")
    sentence(path)
    np.savez(tmp_path / "numbers.npz", numbers=np.arange(3))
    sentence(tmp_path / "numbers.npz")
    np.savez(tmp_path / "old.npz", header=np.frombuffer(b'{"format": "rat-policy/1"}', np.uint8))
    assert "train anew" in sentence(tmp_path / "old.npz")


def test_damaged_zip_file_is_refused(tmp_path):
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_stable_baselines3_version", "2.9.2")
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for _ in range(200):
        path.write_bytes(damaged(whole, random))
        sentence(path)


def test_other_format_is_refused(policy_file):
    edit_header(policy_file, format="rat-policy/99")
    assert "rat-policy/99" in sentence(policy_file)


def test_other_version_is_refused(policy_file):
    edit_header(policy_file, version=GAME.version + 1)
    assert f"version {GAME.version + 1}" in sentence(policy_file)


def test_other_game_is_refused(policy_file):
    other = dataclasses.replace(GAME, name="other_game")
    assert "for brave_rats" in sentence(policy_file, game=other)


@pytest.mark.parametrize(
    "changes",
    [
        {"layers": [71, 12, 10, 15]},
        {"layers": [71, 12, 11, 16]},
        {"layers": [71, 12, 10, 10, 16]},
        {"layers": "none"},
        {"layers": []},
        {"activation": "step"},
        {"config": {"unknown": 1}},
    ],
)
def test_header_that_does_not_fit_is_refused(policy_file, changes):
    edit_header(policy_file, **changes)
    sentence(policy_file)


def test_networks_of_another_shape_are_refused(policy_file):
    shapes = [(1, 5, 4), (1, 4, 3)]
    networks = Networks(
        tuple(np.zeros(s, np.float32) for s in shapes), tuple(np.zeros((1, s[2]), np.float32) for s in shapes)
    )
    with pytest.raises(ValueError, match="takes 5 numbers"):
        PolicyAgent(networks, GAME)
    header, _ = read_archive(policy_file, FORMAT, "policy")
    write_archive(policy_file, {**header, **networks.shape()}, networks.arrays())
    assert "takes 5 numbers" in sentence(policy_file)


@pytest.mark.parametrize("by_seat", [True, False])
def test_layers_of_another_library_say_how_they_name_players(by_seat, tmp_path):
    game, random = get_game("comme_des_rats"), np.random.default_rng(1)
    sizes = [game.observation.itemsize, 6, len(game.actions)]
    weights = [random.normal(size=shape) for shape in itertools.pairwise(sizes)]
    biases = [random.normal(size=size) for size in sizes[1:]]
    networks = Networks.from_layers(weights, biases, by_seat=by_seat, activation="relu")
    save_policy(tmp_path / "p.safetensors", PolicyAgent(networks, game, {"talk": True}))
    batch, differ = Batch(game, 64, {"talk": True}, seed=2), False
    for _ in range(30):
        views = SeatViews(batch)
        values = np.maximum(views.observations @ weights[0] + biases[0], 0) @ weights[1] + biases[1]
        if not by_seat:
            meanings = game.relative_actions[views.players, views.seats]
            own, values = values, np.empty_like(values)
            np.put_along_axis(values, meanings, own, 1)
            differ |= bool((own != values).any())
        right = np.exp(values - values.max(axis=1, keepdims=True)) * views.masks
        right /= right.sum(axis=1, keepdims=True)
        found = load_policy(tmp_path / "p.safetensors").policy_batch(views)
        np.testing.assert_allclose(found, right, atol=1e-4)
        batch.step_random()
    assert differ != by_seat


def test_what_are_no_layers_is_refused():
    weights, biases = [np.zeros((5, 4)), np.zeros((4, 3))], [np.zeros(4), np.zeros(3)]
    assert Networks.from_layers(weights, biases, by_seat=True).layers == [5, 4, 3]
    with pytest.raises(TypeError, match="by_seat"):
        Networks.from_layers(weights, biases)
    with pytest.raises(ConfigurationError, match="by_seat=None: must be True or False"):
        Networks.from_layers(weights, biases, by_seat=None)
    for wrong in (
        (weights[::-1], biases),
        (weights, biases[:1]),
        ([], []),
        ([weights[0] + np.nan, weights[1]], biases),
        ([["a"]], [[0]]),
    ):
        with pytest.raises(ConfigurationError, match=r"These layers are no network: .*[^.]\.$"):
            Networks.from_layers(*wrong, by_seat=True)
    with pytest.raises(ConfigurationError, match="the activation 'gelu' is none of relu, tanh"):
        Networks.from_layers(weights, biases, by_seat=True, activation="gelu")


class Bomb:
    """Unpickling it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_pickled_content_is_never_executed(tmp_path):
    sign = tmp_path / "executed"
    pure = tmp_path / "pickle.safetensors"
    pure.write_bytes(pickle.dumps(Bomb(sign)))
    sentence(pure)
    header = np.frombuffer(json.dumps({"format": FORMAT}).encode(), np.uint8)
    for name in ("header", "other"):
        np.savez(tmp_path / "hidden.npz", **{name: header, "weight_0": np.array([Bomb(sign)], object)})
        sentence(tmp_path / "hidden.npz")
    assert not sign.exists()


def test_stable_baselines3_file_needs_trust(tmp_path):
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from rat_envs.agents.random import RandomAgent
    from rat_envs.api.learner import LearnerGames
    from rat_envs.api.sb3 import RatVecEnv

    environment = RatVecEnv(LearnerGames(GAME, [RandomAgent(0)], 2, seed=0))
    model = sb3_contrib.MaskablePPO("MlpPolicy", environment, n_steps=8, batch_size=8, seed=0, device="cpu")
    path = tmp_path / "model.zip"
    model.save(path)
    assert "--trust" in sentence(path, game="brave_rats")
    with pytest.raises(CheckpointError, match="allow it with --trust"):
        play_match(GAME, [str(path), "random"], games=4)
    assert play_match(GAME, [str(path), "random"], games=4, trust=True).games == 4
    assert list(play_opponents(GAME, "random", [str(path)], games=4, trust=True)) == [str(path)]
    agent = load_policy(path, "brave_rats", trust=True)
    views = SeatViews(Batch(GAME, 5, seed=1))
    distribution = model.policy.get_distribution(
        model.policy.obs_to_tensor(views.observations)[0], action_masks=views.masks
    )
    assert np.allclose(agent.policy_batch(views), distribution.distribution.probs.detach().numpy(), atol=1e-5)


def test_a_ppo_without_masks_plays_what_is_legal_too(tmp_path):
    pytest.importorskip("sb3_contrib")
    import gymnasium
    from stable_baselines3 import PPO

    import rat_envs  # noqa: F401

    environment = gymnasium.make("rat_envs/BraveRats-v0", illegal="random")
    model = PPO("MlpPolicy", environment, n_steps=8, batch_size=8, seed=0, device="cpu")
    model.save(tmp_path / "model.zip")
    agent = load_policy(tmp_path / "model.zip", "brave_rats", trust=True)
    views = SeatViews(Batch(GAME, 5, seed=1))
    chances = model.policy.get_distribution(model.policy.obs_to_tensor(views.observations)[0]).distribution.probs
    legal = chances.detach().numpy() * views.masks
    assert np.allclose(agent.policy_batch(views), legal / legal.sum(1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("name", ["brave_rats", "comme_des_rats"])
def test_a_policy_of_the_parallel_form_plays_without_wait(tmp_path, name):
    pytest.importorskip("sb3_contrib")
    import gymnasium
    from stable_baselines3 import PPO

    game = get_game(name)
    environment = gymnasium.Env()
    environment.observation_space = vector_space(game)
    environment.action_space = gymnasium.spaces.Discrete(len(game.actions) + 1)
    model = PPO("MlpPolicy", environment, n_steps=8, batch_size=8, seed=0, device="cpu")
    model.policy.action_net.weight.data *= 100  # so that no two actions are nearly alike
    model.save(tmp_path / "model.zip")
    save_policy(tmp_path / "policy.safetensors", load_policy(tmp_path / "model.zip", name, trust=True))
    batch = Batch(game, 50, seed=1)
    for _ in range(7):  # other seats than the first are asked by then, also for players
        batch.step_random()
    views = SeatViews(batch)
    chances = model.policy.get_distribution(model.policy.obs_to_tensor(views.observations)[0]).distribution.probs
    legal = chances.detach().numpy()[:, :-1] * views.masks
    policy = load_policy(tmp_path / "policy.safetensors").policy_batch(views)
    assert np.allclose(policy, legal / legal.sum(1, keepdims=True), atol=1e-4)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_crash_while_writing_leaves_the_old_file_whole(policy_file, monkeypatch, step):
    before = policy_file.read_bytes()

    def crash(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"rat_envs.engine.archive.os.{step}", crash)
        with pytest.raises(KeyboardInterrupt):
            save_policy(policy_file, PolicyAgent(random_networks(seed=1), GAME))
    assert policy_file.read_bytes() == before
    load_policy(policy_file)
    save_policy(policy_file, PolicyAgent(random_networks(seed=1), GAME))
    assert policy_file.read_bytes() != before
    assert [file.name for file in policy_file.parent.iterdir()] == [policy_file.name], PARTIAL_SUFFIX
