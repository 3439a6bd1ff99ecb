"""What other people's tools expect of an environment: learners without masks, SuperSuit, videos, processes."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from games_and_configurations import FIRST, GAMES, LAST, each, each_pair
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import HumanRendering, NormalizeObservation, RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers.vector import DictInfoToList
from pettingzoo.test import api_test, parallel_api_test
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecVideoRecorder

import rat_envs
from rat_envs import warming
from rat_envs.agents import make_agent
from rat_envs.api.illegal import returns_of_losers
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.api.seats import SeatViews
from rat_envs.api.single import RatSingleEnv, RatVectorEnv
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, MissingExtraError, RatEnvsError
from rat_envs.engine.numba_parts import _cache
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.solving.exploitability import exploitability
from rat_envs.warming import warm_one

#: Two cards of BraveRats after which no game is over, whatever the other seat plays.
GENERAL_THEN_WIZARD = (6, 5)
#: An action that is never legal at the beginning of BraveRats: its second half keeps cards of a draft.
KEEPS_A_CARD = 8


def single(game: str, **options: Any) -> Any:
    """An environment of one seat from gymnasium's registry."""
    return gymnasium.make(get_game(game).gymnasium_id, **options)


# flat


@each_pair
def test_flat_observations_are_the_vector_alone(game: str, config: dict[str, Any]) -> None:
    flat, whole = rat_envs.make(game, flat=True, **config), rat_envs.make(game, **config)
    flat.reset(seed=4)
    whole.reset(seed=4)
    assert isinstance(flat.observation_space("player_0"), gymnasium.spaces.Box)
    for _ in range(30):
        (vector, *rest, info), (parts, *others, mask) = flat.last(), whole.last()
        assert rest == others
        assert (vector == parts["observation"]).all()
        assert (info["action_mask"] == parts["action_mask"]).all() and (
            mask["action_mask"] == info["action_mask"]
        ).all()
        for agent in flat.agents:
            assert (flat.observe(agent) == whole.observe(agent)["observation"]).all()
        if rest[1]:
            break
        for env in (flat, whole):
            env.step(int(info["action_mask"].argmax()))
    parallel = rat_envs.make_parallel(game, flat=True, **config)
    observations, infos = parallel.reset(seed=4)
    whole.reset(seed=4)
    for agent in parallel.agents:
        assert parallel.observation_space(agent).contains(observations[agent])
        assert (observations[agent] == whole.observe(agent)["observation"]).all()
        assert infos[agent]["action_mask"].any()


def test_pettingzoos_tests_of_flat_environments() -> None:
    api_test(rat_envs.make("brave_rats", flat=True, illegal="random"), num_cycles=100)
    parallel_api_test(rat_envs.make_parallel("brave_rats", flat=True, illegal="random"), num_cycles=100)


def test_a_single_environment_shows_a_mask_beside_its_vector_if_asked() -> None:
    env = single("brave_rats", flat=False)
    seen, info = env.reset(seed=0)
    assert env.observation_space.contains(seen)
    assert (seen["action_mask"] == info["action_mask"]).all()
    check_env(env.unwrapped, skip_render_check=True)


# illegal


def test_who_loses_gets_what_losing_brings_and_all_others_win_together() -> None:
    assert returns_of_losers(2, [1]).tolist() == [1, -1]
    assert returns_of_losers(3, [0]).tolist() == [-0.5, 0.25, 0.25]
    assert returns_of_losers(4, [0, 1, 2, 3]).tolist() == [0, 0, 0, 0]


def test_illegal_has_three_values() -> None:
    for maker in (rat_envs.make, rat_envs.make_parallel, RatSingleEnv, RatVectorEnv):
        with pytest.raises(ConfigurationError, match="illegal='ignore': must be one of raise, random, lose"):
            maker("brave_rats", illegal="ignore")


@each([*FIRST, *LAST])
def test_an_illegal_action_is_replaced_by_a_legal_one_from_the_environments_own_numbers(
    game: str, config: dict[str, Any]
) -> None:
    def played() -> list[Any]:
        env = rat_envs.make(game, illegal="random", **config)
        env.reset(seed=9)
        courses = []
        while not any(env.terminations.values()):
            agent, mask = env.agent_selection, env.last()[0]["action_mask"]
            before = env.infos[agent]["illegal_actions"]
            env.step(int(mask.argmin()) if not mask.all() else 0)
            assert env.infos[agent]["illegal_actions"] == before + (not mask.all())
            courses.append(env.game_state.tobytes())
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-6)
        return courses

    assert played() == played()


def test_the_numbers_of_illegal_actions_begin_anew_and_are_saved() -> None:
    env = rat_envs.make("brave_rats", illegal="random")
    env.reset(seed=1)
    for _ in range(3):
        env.step(KEEPS_A_CARD)
    counts = dict(env.illegal_actions)
    assert sum(counts.values()) == 3
    other = rat_envs.make("brave_rats", illegal="random")
    other.load_state_dict(pickle.loads(pickle.dumps(env.state_dict())))
    twins = [other, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for each_env in [env, *twins]:
        assert {agent: info["illegal_actions"] for agent, info in each_env.infos.items()} == counts
        each_env.step(KEEPS_A_CARD)
    assert len({each_env.game_state.tobytes() for each_env in [env, *twins]}) == 1
    env.reset()
    assert env.illegal_actions == {"player_0": 0, "player_1": 0}


@pytest.mark.parametrize("illegal", ["random", "lose"])
def test_what_is_no_number_is_an_error_all_the_same(illegal: str) -> None:
    env = rat_envs.make("brave_rats", illegal=illegal)
    env.reset(seed=0)
    for action in (None, "play spy", 1.5):
        kind = type(action).__name__
        with pytest.raises(IllegalActionError, match=f"^An action must .* of type {kind}: player_0 cannot take action"):
            env.step(action)
    parallel = rat_envs.make_parallel("brave_rats", illegal=illegal)
    parallel.reset(seed=0)
    with pytest.raises(IllegalActionError, match="player_1 cannot take action None"):
        parallel.step({"player_0": KEEPS_A_CARD})
    assert parallel.illegal_actions == {"player_0": 0, "player_1": 0}
    assert env.infos["player_0"]["illegal_actions"] == 0


@pytest.mark.parametrize("illegal", ["raise", "random", "lose"])
def test_an_error_of_the_rules_themselves_is_shown(illegal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(action: int) -> int:
        raise IndexError("a mistake in a game of one's own")

    env = rat_envs.make("brave_rats", illegal=illegal)
    env.reset(seed=0)
    monkeypatch.setattr(env, "_step_one", broken)
    with pytest.raises(IndexError, match="a mistake"):
        env.step(KEEPS_A_CARD)


@pytest.mark.parametrize("players", [2, 3, 5])
def test_who_plays_an_illegal_action_loses(players: int) -> None:
    env = rat_envs.make("comme_des_rats", players=players, illegal="lose")
    env.reset(seed=2)
    loser = env.agent_selection
    env.step(10**6)
    right = dict.fromkeys(env.agents, pytest.approx(1 / (players - 1) ** 2))
    right[loser] = pytest.approx(-1 / (players - 1))
    assert env.rewards == right
    assert all(env.terminations.values())
    assert not any(info["action_mask"].any() for info in env.infos.values())
    assert env.infos[loser]["illegal_actions"] == 1
    other = rat_envs.make("comme_des_rats", players=players, illegal="lose")
    other.load_state_dict(env.state_dict())
    assert other.rewards == right
    for each_env in (env, other):
        for _ in range(players):
            assert each_env.last()[2]
            each_env.step(None)
        assert each_env.agents == []


def test_of_those_who_choose_at_once_all_who_choose_illegally_lose() -> None:
    for actions, rewards in (((KEEPS_A_CARD, 0), (-1, 1)), ((0, 99), (1, -1)), ((99, -1), (0, 0))):
        env = rat_envs.make_parallel("brave_rats", illegal="lose")
        env.reset(seed=0)
        _, got, over, _, infos = env.step(dict(zip(env.agents, actions, strict=True)))
        assert tuple(got.values()) == rewards and all(over.values()) and env.agents == []
        assert all(info["action_mask"].nonzero()[0].tolist() == [env.wait] for info in infos.values())
        twin = copy.deepcopy(env)
        twin.load_state_dict(env.state_dict())
        assert twin.legal_for("player_0").nonzero()[0].tolist() == [env.wait]
        env.reset()
        assert env.legal_for("player_0").sum() == 8


def test_in_a_parallel_environment_an_illegal_action_is_replaced() -> None:
    env = rat_envs.make_parallel("comme_des_rats", illegal="random")
    env.reset(seed=0)
    steps = 0
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, -1))
        steps += 1
    assert [info["illegal_actions"] for info in infos.values()] == [steps] * len(infos)


@each([("brave_rats", {}), ("comme_des_rats", {"players": 4})])
@pytest.mark.parametrize("illegal", ["random", "lose"])
def test_illegal_actions_of_a_learner(game: str, config: dict[str, Any], illegal: str) -> None:
    env = RatVectorEnv(game, 32, illegal=illegal, **config)
    players = get_game(game).configuration.make(config).players
    _, infos = env.reset(seed=0)
    random, ended, over = np.random.default_rng(0), 0, np.zeros(32, bool)
    while ended < 200:
        actions = random.integers(0, env.single_action_space.n, 32)
        forbidden = infos["action_mask"][np.arange(32), actions] == 0
        before = infos["illegal_actions"]
        seen, rewards, over, _, infos = env.step(actions)
        assert env.observation_space.contains(seen)
        assert not infos["illegal_actions"][over].any()
        ended_ones = infos["final_info"]["illegal_actions"] if over.any() else 0
        assert (infos["illegal_actions"] + ended_ones == before + forbidden).all()
        if illegal == "lose":
            assert over[forbidden].all()
            assert rewards[forbidden] == pytest.approx(-1 / (players - 1))
            assert infos.get("final_obs", np.ones((32, 1)))[forbidden].any(axis=1).all()
        ended += over.sum()


@pytest.mark.parametrize("illegal", ["random", "lose"])
@pytest.mark.parametrize(
    ("learner", "options"),
    [(PPO, {"n_steps": 64, "batch_size": 64}), (A2C, {}), (DQN, {"learning_starts": 20})],
)
def test_learners_of_stable_baselines3_that_know_no_masks(
    learner: Callable[..., Any], options: dict[str, Any], illegal: str
) -> None:
    with pytest.raises(IllegalActionError):
        learner("MlpPolicy", single("brave_rats"), seed=0, **options).learn(128)
    model = learner("MlpPolicy", single("brave_rats", illegal=illegal), seed=0, **options).learn(128)
    assert model.num_timesteps >= 128


# Sampling, masks and pictures


def test_a_vectorised_space_samples_legally() -> None:
    env = gymnasium.make_vec("rat_envs/CommeDesRats-v0", num_envs=16)
    for seed in range(2):
        env.reset(seed=seed)
        for _ in range(100):
            actions = env.action_space.sample()
            assert env.action_space.contains(actions)
            env.step(actions)
    masks = tuple(env.unwrapped.action_masks().astype(np.int8))
    assert env.action_space.contains(env.action_space.sample(masks))


def test_masks_may_be_written_and_share_nothing() -> None:
    env = rat_envs.make("brave_rats")
    env.reset(seed=0)
    for agent in env.agents:
        for mask in (env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]):
            mask[:] = 1
    assert not env.legal_for("player_1").any()
    env.step(0)
    assert not env.infos["player_0"]["action_mask"].any()


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.filterwarnings("error")
def test_pytorch_takes_masks_and_observations_without_a_warning(flat: bool) -> None:
    """It warns of arrays that cannot be written, as TorchRL does, which takes every part by ``from_numpy``."""
    arrays: list[np.ndarray] = []

    def note(seen: Any, info: dict[str, Any]) -> None:
        arrays.extend(seen.values() if isinstance(seen, dict) else [seen])
        arrays.append(info["action_mask"])

    turns = rat_envs.make("brave_rats", flat=flat)
    turns.reset(seed=0)
    for agent in turns.agent_iter():
        seen, *_, terminated, _, info = turns.last()
        note(seen, info)
        for other in turns.agents:
            note(turns.observe(other), turns.infos[other])
        turns.step(None if terminated else turns.action_space(agent).sample())
    at_once = rat_envs.make_parallel("brave_rats", flat=flat)
    seen, infos = at_once.reset(seed=0)
    for agent in at_once.agents:
        note(seen[agent], infos[agent])
    one = single("brave_rats", flat=flat)
    note(*one.reset(seed=0))
    *_, info = after = one.step(one.action_space.sample())
    note(after[0], info)
    many = RatVectorEnv("brave_rats", 4, flat=flat)
    note(*many.reset(seed=0))
    assert len(arrays) > 30
    for array in arrays:
        torch.from_numpy(array)[...] = 1


@pytest.mark.parametrize("maker", [rat_envs.make, rat_envs.make_parallel])
@pytest.mark.parametrize("game", ["brave_rats", "comme_des_rats", "rattus", "rattus_cartus"])
def test_a_game_can_begin_at_any_position(game: str, maker: Callable[..., Any]) -> None:
    preset = get_game(game).preset("small")
    position = preset.position(get_game(game))
    env = maker(game, **preset.options)
    env.reset(seed=1)
    for _ in range(2):
        env.reset(seed=2, options={"state": position.state})
        whole = env.game_state.tobytes()
        if not position.is_chance:
            assert whole == position.state.tobytes()
        acting = position.actor if position.actor >= 0 else None
        masks = {agent: info["action_mask"] for agent, info in env.infos.items()} if maker is rat_envs.make else {}
        if acting is not None and masks:
            assert env.agent_selection == f"player_{acting}"
            assert (env.last()[0]["action_mask"] == position.mask()).all() and masks[env.agent_selection].any()
        while env.agents:
            if maker is rat_envs.make:
                over = env.last()[2]
                env.step(None if over else env.action_space(env.agent_selection).sample())
            else:
                env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    env.reset(seed=2)
    assert env.game_state.tobytes() != whole


@pytest.mark.parametrize("maker", [rat_envs.make, rat_envs.make_parallel])
def test_a_game_can_begin_again_where_it_is(maker: Callable[..., Any]) -> None:
    env = maker("rattus", players=2)
    env.reset(seed=1)
    env.batch.step_random() if maker is rat_envs.make else env.step(
        {agent: env.action_space(agent).sample() for agent in env.agents}
    )
    before = env.game_state.tobytes()
    env.reset(seed=2, options={"state": env.game_state})
    assert env.game_state.tobytes() == before


@pytest.mark.parametrize("maker", [rat_envs.make, rat_envs.make_parallel])
@pytest.mark.parametrize("game", GAMES)
def test_a_state_at_which_no_game_can_be_changes_nothing(game: str, maker: Callable[..., Any]) -> None:
    env, random = maker(game), np.random.default_rng(1)
    env.reset(seed=1)
    before, position = env.game_state.tobytes(), Position(game, env.configuration)
    for _ in range(40):
        rows = np.frombuffer(bytearray(random.bytes(env.game.state.itemsize)), env.game.state).copy()
        rows["config"][0] = env.game_state["config"]
        row = rows.view((np.record, env.game.state))[0] if rows.dtype != env.game.state else rows[0]
        with pytest.raises(ConfigurationError, match=r"^state: no game of .* can be there: "):
            env.reset(seed=2, options={"state": row})
        with pytest.raises(ConfigurationError, match=r"^state: no game of .* can be there: "):
            position.state = row
    assert env.game_state.tobytes() == before
    env.action_space("player_0").seed(7)
    drawn = env.action_space("player_0").sample()
    env.action_space("player_0").seed(7)
    with pytest.raises(ConfigurationError, match=r"^state="):
        env.reset(seed=5, options={"state": 5})
    assert env.action_space("player_0").sample() == drawn


@pytest.mark.parametrize("maker", [rat_envs.make, rat_envs.make_parallel])
def test_a_game_that_is_over_is_no_beginning(maker: Callable[..., Any]) -> None:
    env = maker("brave_rats", fast=True)
    env.reset(seed=1)
    position = Position("brave_rats", {"fast": True})
    stream = new_stream("brave_rats", 1)
    while not position.is_over:
        position.apply(position.sample(stream))
    before = env.game_state.tobytes()
    with pytest.raises(ConfigurationError, match=r"^state: no decision is left there"):
        env.reset(options={"state": position.state})
    assert env.game_state.tobytes() == before
    with pytest.raises(ConfigurationError, match=r"^state: a narrator tells a game from its beginning"):
        rat_envs.Narrator(rat_envs.make("brave_rats")).reset(options={"state": Position("brave_rats").state})


@pytest.mark.parametrize("maker", [rat_envs.make_vec, gymnasium.make_vec])
def test_the_vectors_observations_can_have_the_masks_beside_them(maker: Callable[..., Any]) -> None:
    name = "brave_rats" if maker is rat_envs.make_vec else "rat_envs/BraveRats-v0"
    envs, bare = (maker(name, 3, flat=flat, fast=True) for flat in (False, True))
    seen, infos = envs.reset(seed=5)
    vectors, _ = bare.reset(seed=5)
    envs.action_space.seed(1)
    ended = False
    while not ended:
        assert seen in envs.observation_space
        assert (seen["observation"] == vectors).all() and (seen["action_mask"] == infos["action_mask"]).all()
        actions = envs.action_space.sample()
        seen, _, over, _, infos = envs.step(actions)
        vectors, _, _, _, others = bare.step(actions)
        ended = bool(over.any())
    assert (infos["final_obs"]["observation"][over] == others["final_obs"][over]).all()
    assert infos["final_obs"] in envs.observation_space and not infos["final_obs"]["action_mask"].any()


def test_a_keyword_that_is_no_option_is_a_type_error_as_in_python() -> None:
    """TorchRL's ``GymEnv`` tries ``frameskip``, and goes on without it where Python's words for it come back."""
    for maker in (RatSingleEnv, lambda game, **options: single(game, **options)):
        with pytest.raises(TypeError, match="got an unexpected keyword argument 'frameskip'") as caught:
            maker("brave_rats", frameskip=1)
        assert isinstance(caught.value, ConfigurationError)


WITHOUT_PICTURES = """
import sys
import time
sys.modules["resvg_py"] = None
import gymnasium
import rat_envs
from gymnasium.utils.env_checker import check_env
from rat_envs.engine.errors import MissingExtraError

assert "rgb_array" not in rat_envs.make("brave_rats").metadata["render_modes"]
env = gymnasium.make("rat_envs/BraveRats-v0").unwrapped
assert "rgb_array" not in env.metadata["render_modes"]
check_env(env)
try:
    rat_envs.make("brave_rats", render_mode="rgb_array")
except MissingExtraError as error:
    print(error, file=sys.stderr)
"""


def test_render_modes_are_those_that_can_be_drawn() -> None:
    process = subprocess.run([sys.executable, "-c", WITHOUT_PICTURES], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert process.stderr.startswith("Drawing pictures needs resvg_py: pip install")


def test_without_the_extra_a_picture_is_refused_before_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.setattr("rat_envs.api.view.can_rasterise", lambda: False)
    for maker in (rat_envs.make, rat_envs.make_parallel, RatSingleEnv, RatVectorEnv):
        with pytest.raises(MissingExtraError, match="Drawing pictures needs resvg_py"):
            maker("brave_rats", render_mode="rgb_array")


@each(FIRST)
def test_drawings_as_text(game: str, config: dict[str, Any]) -> None:
    env = rat_envs.make(game, render_mode="svg", **config)
    env.reset(seed=0)
    assert env.render() == env.game.drawing(env.game_state, 0) and env.render().startswith("<svg")
    learner = single(game, render_mode="svg", seat=0, **config)
    learner.reset(seed=0)
    assert learner.render().startswith("<svg")


def vec_env(game: str, n: int, render_mode: str | None) -> RatVecEnv:
    """Stable-Baselines3's environment, against random play."""
    return RatVecEnv(LearnerGames(game, [make_agent("random", game)], n, seed=0), render_mode)


def test_the_environment_of_stable_baselines3_is_rendered(capsys: pytest.CaptureFixture[str]) -> None:
    one, four = vec_env("brave_rats", 1, "rgb_array"), vec_env("brave_rats", 4, "rgb_array")
    height, width, _ = one.render().shape
    assert four.render().shape == (2 * height, 2 * width, 3)
    assert four.render("svg").startswith("<svg")
    assert "you" in vec_env("brave_rats", 4, "ansi").render()
    assert vec_env("brave_rats", 4, "human").render() is None
    assert "you" in capsys.readouterr().out
    assert vec_env("brave_rats", 4, None).render() is None
    with pytest.raises(ConfigurationError, match="render_mode='holo'"):
        vec_env("brave_rats", 1, "holo")
    frames = RatVectorEnv("brave_rats", 3, render_mode="ansi").render()
    assert frames is not None and len(frames) == 3


@pytest.mark.parametrize("maker", [rat_envs.make, rat_envs.make_parallel])
def test_for_people_the_table_is_printed_without_being_asked_for(
    maker: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def act(env: Any) -> None:
        if maker is rat_envs.make:
            env.step(env.action_space(env.agent_selection).sample())
        else:
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})

    env = maker("brave_rats", render_mode="human")
    assert capsys.readouterr().out == ""
    env.reset(seed=1)
    for one in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (shown := capsys.readouterr().out) or one is not env
        act(one)
        out = capsys.readouterr().out
        assert out and out != shown
        assert one.render() is None and capsys.readouterr().out == out
    while env.agents and not any(env.terminations.values() if maker is rat_envs.make else ()):
        capsys.readouterr()
        act(env)
    assert capsys.readouterr().out
    if maker is rat_envs.make:
        env.step(None)
        assert capsys.readouterr().out == "", "nothing has changed"


def test_gymnasium_prints_the_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    env = single("brave_rats", render_mode="human")
    env.reset(seed=1)
    assert "you" in capsys.readouterr().out
    env.step(env.action_space.sample())
    assert "you" in capsys.readouterr().out


# Other people's wrappers


def test_the_learners_seat_moves_on_from_games_that_a_time_limit_ends() -> None:
    env = single("brave_rats", max_episode_steps=2)
    env.reset(seed=0)
    seats = []
    for _ in range(6):
        seats.append(int(env.unwrapped._games.seats[0]))
        for action in GENERAL_THEN_WIZARD:
            *_, terminated, truncated, _ = env.step(action)
        assert truncated and not terminated
        env.reset()
    assert seats == [0, 1] * 3
    env.reset(seed=0)
    assert env.unwrapped._games.seats[0] == 0
    fixed = single("brave_rats", max_episode_steps=2, seat=1)
    for _ in range(3):
        fixed.reset()
        assert fixed.unwrapped._games.seats[0] == 1


def test_infos_of_games_share_nothing() -> None:
    env = vec_env("brave_rats", 3, None)
    env.reset()
    for _ in range(8):
        masks = env.action_masks()
        env.step_async(masks.argmax(axis=1))
        *_, infos = env.step_wait()
        assert not any("mine" in info for info in infos)
        for info in infos[:2]:
            info["mine"] = True
        assert "mine" not in infos[2]


def test_final_infos_are_those_of_gymnasiums_own_vectors() -> None:
    def ended(env: Any) -> dict[str, Any]:
        *_, infos = env.reset(seed=0)
        while "final_info" not in infos:
            *_, infos = env.step(np.zeros(3, int))
        return infos

    options = {"illegal": "lose"}
    ours = ended(rat_envs.make_vec("brave_rats", 3, **options))
    theirs = ended(
        gymnasium.vector.SyncVectorEnv(
            [lambda: RatSingleEnv("brave_rats", **options)] * 3, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP
        )
    )
    assert ours["final_info"].keys() == theirs["final_info"].keys()
    for name, found in theirs["final_info"].items():
        there = theirs["final_info"].get(f"_{name}", found)
        assert ours["final_info"][name].dtype.kind == found.dtype.kind, name
        assert (ours["final_info"][name][there] == found[there]).all(), name
    assert ours["_final_info"].tolist() == theirs["_final_info"].tolist()
    assert ours["illegal_actions"].tolist() == theirs["illegal_actions"].tolist()
    assert ours["_illegal_actions"].tolist() == theirs["_illegal_actions"].tolist() == [True] * 3
    assert ours["_action_mask"].all()


def test_vector_infos_become_lists_as_gymnasium_makes_them() -> None:
    envs = DictInfoToList(rat_envs.make_vec("brave_rats", 3))
    _, infos = envs.reset(seed=0)
    assert [info["action_mask"].tolist() for info in infos] == envs.unwrapped.action_masks().astype(int).tolist()


def test_a_step_before_the_first_reset_is_refused() -> None:
    for env, action in ((rat_envs.make_vec("brave_rats", 2), [0, 0]), (RatSingleEnv("brave_rats"), 0)):
        with pytest.raises(
            gymnasium.error.ResetNeeded, match=r"^No game is under way: call reset\(\) before step\(\)\.$"
        ):
            env.step(action)


@pytest.mark.parametrize("made", [lambda: RatSingleEnv("brave_rats"), lambda: rat_envs.make_vec("brave_rats", 2)])
def test_environments_of_a_seat_do_not_begin_at_a_position_in_silence(made: Callable[[], Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"^state: only the environments of rat_envs\.make and make_parallel"):
        made().reset(options={"state": rat_envs.Position("brave_rats").state})
    made().reset(options={"another": 1})


@pytest.mark.parametrize("action", [np.array([1]), None, "1", 1.0, True, 2**70, -(2**70)])
def test_what_is_no_action_is_named_and_what_is_legal(action: Any) -> None:
    env = RatSingleEnv("brave_rats")
    env.reset(seed=0)
    before = env._games.batch.states.tobytes()
    name = type(action).__name__
    kind = "" if name == "int" else rf"An action must be a whole .* type {name}( of shape \(1,\))?: "
    with pytest.raises(
        IllegalActionError,
        match=rf"^{kind}Game 0: the learner cannot take action .*; legal are 0 \(play musician\), 1 \(",
    ):
        env.step(action)
    assert env._games.batch.states.tobytes() == before
    with pytest.raises(IllegalActionError, match=r"cannot take action 99; legal are 0"):
        env.step(99)


def test_numbers_of_any_size_are_illegal_actions() -> None:
    env = RatSingleEnv("brave_rats", illegal="random")
    env.reset(seed=0)
    for number in (2**70, -(2**70), 99):
        *_, info = env.step(number)
    assert info["illegal_actions"] == 3
    with pytest.raises(IllegalActionError, match=r"the learner cannot take action .x.; legal are "):
        env.step("x")


def played(env: Any, steps: int = 30) -> Any:
    """The environment after some steps by sampled actions."""
    env.reset(seed=0)
    for _ in range(steps):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    return env


def test_gymnasiums_statistics_and_normalisation() -> None:
    env = RecordEpisodeStatistics(single("brave_rats"))
    played(env, 60)
    assert len(env.return_queue) >= 3
    assert set(env.return_queue) <= {-1.0, 0.0, 1.0}
    assert abs(played(NormalizeObservation(single("brave_rats"))).obs_rms.mean).max() > 0


def test_gymnasiums_videos(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="moviepy, which writes videos, is not installed")
    played(RecordVideo(single("brave_rats", render_mode="rgb_array"), str(tmp_path), lambda i: i == 0), 25).close()
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]


def test_stable_baselines3s_videos(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="moviepy, which writes videos, is not installed")
    inner = vec_env("brave_rats", 2, "rgb_array")
    env = VecVideoRecorder(inner, str(tmp_path), lambda step: step == 0, video_length=4)
    env.reset()
    for _ in range(6):
        env.step(inner.action_masks().argmax(axis=1))
    env.close()
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]


def test_stable_baselines3s_recorder_finds_what_to_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without moviepy, which is not installed everywhere: what it would be given is noted."""
    given: list[Any] = []

    class Clip:
        """Stands for moviepy's class of this name."""

        def __init__(self, frames: list[np.ndarray], fps: int) -> None:
            given.extend(frames)

        def write_videofile(self, path: str) -> None:
            given.append(path)

    parts = ["moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"]
    for name in parts:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(sys.modules[parts[-1]], "ImageSequenceClip", Clip, raising=False)
    inner = vec_env("brave_rats", 2, "rgb_array")
    env = VecVideoRecorder(inner, str(tmp_path), lambda step: step == 0, video_length=3)
    env.reset()
    for _ in range(5):
        env.step(inner.action_masks().argmax(axis=1))
    *frames, path = given
    assert len(frames) >= 3 and len({frame.shape for frame in frames}) == 1
    assert all(frame.dtype == np.uint8 and frame.std() > 0 for frame in frames)
    assert Path(path).suffix == ".mp4"


def test_gymnasiums_window(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame", reason="pygame, which opens windows, is not installed")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    played(HumanRendering(single("brave_rats", render_mode="rgb_array")), 4).close()


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_gymnasiums_processes(context: str) -> None:
    env = gymnasium.make_vec(
        "rat_envs/BraveRats-v0", num_envs=2, vectorization_mode="async", vector_kwargs={"context": context}
    )
    _, infos = env.reset(seed=0)
    for _ in range(20):
        seen, *_, infos = env.step(env.action_space.sample(tuple(infos["action_mask"])))
        assert env.observation_space.contains(seen)
    env.close()


SUPERSUIT = ["flatten_v0", "pad_observations_v0", "pad_action_space_v0", "agent_indicator_v0"]


@pytest.mark.parametrize("wrapper", SUPERSUIT)
def test_supersuits_wrappers_in_turns(wrapper: str) -> None:
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")
    env = getattr(supersuit, wrapper)(rat_envs.make("comme_des_rats", flat=True))
    env.reset(seed=0)
    for agent in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        assert env.observation_space(agent).contains(seen)
        env.step(None if terminated or truncated else env.action_space(agent).sample(info["action_mask"]))


@pytest.mark.parametrize("wrapper", [*SUPERSUIT, "black_death_v3"])
def test_supersuits_wrappers_at_once(wrapper: str) -> None:
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")
    env = getattr(supersuit, wrapper)(rat_envs.make_parallel("comme_des_rats", flat=True, illegal="random"))
    seen, _ = env.reset(seed=0)
    while env.agents:
        assert all(env.observation_space(agent).contains(seen[agent]) for agent in env.agents)
        seen, *_ = env.step({agent: env.action_space(agent).sample() for agent in env.agents})


def test_supersuits_vectors_of_agents_learn() -> None:
    supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")
    agents = supersuit.black_death_v3(rat_envs.make_parallel("brave_rats", flat=True, illegal="random"))
    vector = supersuit.pettingzoo_env_to_vec_env_v1(agents)
    env = supersuit.concat_vec_envs_v1(vector, 2, num_cpus=0, base_class="stable_baselines3")
    assert PPO("MlpPolicy", env, n_steps=32, batch_size=32).learn(128).num_timesteps == 128


WITHOUT_MUCH = """
import os, sys
for name in ("torch", "stable_baselines3", "sb3_contrib", "pyspiel", "resvg_py"):
    sys.modules[name] = None
for block in sys.stdin.read().split("\\0"):
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
"""


def test_the_readme_is_enough_without_masks_compiled_code_and_pytorch() -> None:
    """Every kind of environment, and all games; the batch of thousands is for compiled code."""
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8").partition("\n## Agents")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    bare = [block for block in blocks if not re.search(r"Batch\(|stable_baselines3|sb3", block)]
    assert len(bare) >= 5
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", WITHOUT_MUCH]
    ended = subprocess.run(command, input="\0".join(bare), env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    for game in GAMES:
        assert f"{get_game(game).title}: " in ended.stdout


# Compiling ahead


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command line in a process of its own."""
    return subprocess.run([sys.executable, "-m", "rat_envs", *arguments], capture_output=True, text=True)


def test_a_game_is_compiled_ahead() -> None:
    ended = command("warm", "brave_rats", "brave_rats")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert re.fullmatch(r"brave_rats: \d+ s\n", ended.stdout)


@pytest.mark.skipif(not compiling(), reason="nothing is compiled")
def test_after_it_nothing_is_missing_of_any_search(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_one("rattus")
    asked_for = []
    monkeypatch.setattr(_cache(), "load_overload", lambda cache, signature, context: asked_for.append(cache._name))
    views = SeatViews(Batch("rattus", 1, seed=0))
    for way in ("", ",rollout=greedy", ",policy=learnt", ",policy=learnt,rollout=policy"):
        make_agent(f"ismcts:sims=30{way}", "rattus", 0).act_batch(views)
    assert not asked_for


def test_searches_at_a_table_are_compiled_ahead_and_nobody_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, made = list[str](), warming.make_agent

    def make(name: str, *rest: Any, **more: Any) -> Any:
        asked.append(name)
        return made(name, *rest, **more)

    monkeypatch.setattr(warming, "make_agent", make)
    game = get_game("brave_rats")
    names = ["me", "greedy", "ismcts:sims=2", "ismcts:sims=2", "llm:model=none"]
    warming.warm_searches(game, game.configuration.make({}), names)
    assert asked == ["ismcts:sims=2"]


@pytest.mark.skipif(not compiling(), reason="nothing is compiled")
def test_after_it_nothing_is_missing_of_what_training_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_one("brave_rats")
    asked_for = []
    monkeypatch.setattr(_cache(), "load_overload", lambda cache, signature, context: asked_for.append(cache._name))
    for opponent in ("random", "greedy", "nash"):
        play_match("brave_rats", ["greedy", opponent], games=4)
    exploitability("brave_rats", make_agent("greedy", "brave_rats"))
    assert not asked_for


def test_what_cannot_be_compiled_ahead_is_answered_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = command("warm", "brave_rats", "chess")
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: There is no game 'chess': the games are ")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert command("warm").stdout == "Nothing is compiled with NUMBA_DISABLE_JIT=1.\n"


def test_a_process_that_compiles_and_is_killed_is_told_of_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    game = get_game("brave_rats")
    monkeypatch.setattr(warming, "get_game", lambda name: game)
    monkeypatch.setattr(warming, "warm_one", exec)
    with pytest.raises(RatEnvsError, match="A process that compiled has been killed, for want of memory perhaps"):
        warming.warm(["import os; os._exit(9)"], lambda name, seconds: None)


@pytest.mark.skipif(os.name != "posix", reason="this system has no such signal")
def test_whoever_compiles_ahead_ends_with_the_process_that_asked_for_it(tmp_path: Path) -> None:
    code = f"""
import os, pathlib, sys
from rat_envs import warming
warming.get_game = lambda name, game=warming.get_game("brave_rats"): game
warming.warm_one = exec
warming.warm(["import os, pathlib, time; pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid())); "
              "time.sleep(600)"], print)
"""
    script = tmp_path / "ahead.py"
    script.write_text(f"if __name__ == '__main__':\n    exec({code!r})\n")
    process = subprocess.Popen([sys.executable, str(script)])
    try:
        number = int(until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
    finally:
        process.terminate()
        process.wait()
    until(lambda: not is_running(number))


def until(answer: Callable[[], Any]) -> Any:
    """What is answered at last."""
    for _ in range(600):
        if found := answer():
            return found
        time.sleep(0.1)
    raise TimeoutError


def is_running(number: int) -> bool:
    """Whether there is such a process, and not only its name because nobody has asked how it ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
