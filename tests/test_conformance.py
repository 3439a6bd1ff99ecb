"""The environments are what PettingZoo, gymnasium and Stable-Baselines3 say an environment is, without a warning."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from stable_baselines3.common.env_checker import check_env as stable_baselines3_check

import rat_envs
from agents.protocol import Agent
from agents.random import RandomAgent
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.api.seats import SeatViews
from rat_envs.api.single import RatSingleEnv, RatVectorEnv
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, UnknownNameError

pytestmark = pytest.mark.filterwarnings("error")

AEC_ID, SINGLE_ID = "rat/brave-rats-v0", "rat_envs/BraveRats-v0"
CONFIGURATIONS = [
    {},
    {"fast": True, "traitor": True},
    {"hands": "random", "draw_pile": True},
    {"hands": "princess_attack", "emperor": True},
    {"hands": "draft", "draw_pile": True, "emperor": True},
]
#: What api_test says of every environment that is not on a list of PettingZoo's own names and whose observation holds a
#: mask in the form that PettingZoo prescribes; and of a mask that is empty because the game is over.
INEVITABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    r"Action mask numpy array is all zeros \(no legal actions\).",
)

configured = pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: "-".join(config) or "base")
both_kinds = pytest.mark.parametrize("kind", ["aec", "parallel"])


def make(kind: str, **options: Any) -> Any:
    """An environment from PettingZoo's registry."""
    return pettingzoo.make(kind, AEC_ID, **options)


@contextmanager
def without_the_inevitable() -> Iterator[None]:
    """No warning but those of ``INEVITABLE``."""
    with warnings.catch_warnings():
        for message in INEVITABLE:
            warnings.filterwarnings("ignore", f"^{message}$", UserWarning)
        yield


# PettingZoo's own tests. max_cycles_test does not apply: a game ends by itself and has no such limit.


@configured
@pytest.mark.parametrize("maker", [make, None], ids=["registry", "rat_envs"])
def test_pettingzoo_aec(config: dict[str, Any], maker: Callable[..., Any] | None) -> None:
    env = rat_envs.make("brave_rats", **config) if maker is None else maker("aec", **config)
    with without_the_inevitable():
        api_test(env, num_cycles=300)
    seed_test(lambda: rat_envs.make("brave_rats", **config) if maker is None else maker("aec", **config), 100)


@configured
@pytest.mark.parametrize("maker", [make, None], ids=["registry", "rat_envs"])
def test_pettingzoo_parallel(config: dict[str, Any], maker: Callable[..., Any] | None) -> None:
    def new() -> Any:
        return rat_envs.make_parallel("brave_rats", **config) if maker is None else maker("parallel", **config)

    parallel_api_test(new(), num_cycles=300)
    parallel_seed_test(new, 100)


@pytest.mark.parametrize("config", [CONFIGURATIONS[0], CONFIGURATIONS[-1]], ids=["base", "draft"])
@pytest.mark.parametrize("point_of_view", ["own", "public"])
def test_pettingzoo_render(
    config: dict[str, Any], point_of_view: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    if point_of_view == "public":  # pictures take long: one point of view will do
        monkeypatch.setattr("rat_envs.api.view.RENDER_MODES", ("human", "ansi"))
    render_test(lambda **options: make("aec", point_of_view=point_of_view, **options, **config))
    assert "BraveRats" in capsys.readouterr().out


def test_a_parallel_environment_is_rendered_too() -> None:
    env = make("parallel", render_mode="ansi", point_of_view="player_1")
    env.reset(seed=1)
    assert "player_1, red, you" in env.render()


# gymnasium and Stable-Baselines3


def check_step_determinism(env: Any, seed: int = 123) -> None:
    """As gymnasium's, which draws the action before ``reset(seed)`` and so expects it to be legal in another deal."""
    results = []
    for _ in range(2):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        results.append([env.step(env.action_space.sample()) for _ in range(3)])
    assert data_equivalence(*results, exact=True)


@configured
def test_gymnasium_and_stable_baselines3_checkers(config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    env = gymnasium.make(SINGLE_ID, opponent="random", **config).unwrapped
    check_step_determinism(env)
    if config:
        monkeypatch.setattr("gymnasium.utils.env_checker.check_step_determinism", check_step_determinism)
    gymnasium_check(env, skip_render_check=True)
    stable_baselines3_check(env)


def test_gymnasium_renders_the_learners_view() -> None:
    env = gymnasium.make(SINGLE_ID, render_mode="ansi", seat=1)
    env.reset(seed=0)
    assert "player_1, red, you" in env.render()
    picture = gymnasium.make(SINGLE_ID, render_mode="rgb_array")
    picture.reset(seed=0)
    assert picture.render().dtype == np.uint8


def test_a_game_by_gymnasiums_loop_with_sampled_actions() -> None:
    env = gymnasium.make(SINGLE_ID, opponent="random")
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            assert (info["action_mask"] == env.unwrapped.action_masks()).all()
            _, reward, over, cut, info = env.step(env.action_space.sample())
            assert not cut
        assert reward in (-1, 0, 1)
        assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.step(0)


def test_make_vec_is_one_environment_over_a_batch() -> None:
    env = gymnasium.make_vec(SINGLE_ID, num_envs=16, opponent="random", fast=True)
    assert isinstance(env.unwrapped, RatVectorEnv)
    random = np.random.default_rng(0)
    observations, infos = env.reset(seed=3)
    ended = 0
    for _ in range(60):
        assert env.observation_space.contains(observations)
        assert (infos["action_mask"] == env.unwrapped.action_masks()).all()
        observations, rewards, over, cut, infos = env.step(choose(infos["action_mask"], random))
        assert not cut.any()
        assert (rewards[~over] == 0).all()
        ended += over.sum()
        if over.any():
            assert (infos["_final_obs"] == over).all()
            assert infos["final_obs"][over].any(axis=1).all()
    assert ended > 50


def choose(masks: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A uniform legal action for each row."""
    return (random.random(masks.shape) * masks).argmax(axis=1)


# Copies and saved states continue as the original


def play_to_the_end(env: Any, seed: int) -> list[Any]:
    """All that is seen from here to the end, choices being drawn with ``seed``."""
    random = np.random.default_rng(seed)
    seen: list[Any] = []
    parallel = hasattr(env, "wait")
    while env.agents if parallel else not any(env.terminations.values()):
        if parallel:
            masks = {agent: env.action_space(agent).legal() for agent in env.agents}
            seen.append(env.step({agent: int(choose(mask[None], random)[0]) for agent, mask in masks.items()}))
        else:
            env.step(int(choose(env.observe(env.agent_selection)["action_mask"][None], random)[0]))
            seen.append([env.last(), env.rewards, *(env.observe(agent) for agent in env.possible_agents)])
            seen[-1] = copy.deepcopy(seen[-1])
    return seen


def to_the_middle(kind: str, config: dict[str, Any]) -> Any:
    env = make(kind, **config)
    env.reset(seed=11)
    for _ in range(3):
        if kind == "parallel":
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        else:
            env.step(env.action_space(env.agent_selection).sample())
    return env


def restored(env: Any, kind: str, config: dict[str, Any]) -> Any:
    """Another environment that loads a pickled state_dict."""
    other = make(kind, **config)
    other.load_state_dict(pickle.loads(pickle.dumps(env.state_dict())))
    return other


@configured
@both_kinds
def test_copies_and_saved_states_go_on_alike(config: dict[str, Any], kind: str) -> None:
    env = to_the_middle(kind, config)
    row = env.row.tobytes()
    others = {
        "copy": copy.copy(env),
        "deepcopy": copy.deepcopy(env),
        "pickle": pickle.loads(pickle.dumps(env)),
        "state_dict": restored(env, kind, config),
    }
    sampled = {name: other.action_space("player_0").sample() for name, other in others.items() if name != "state_dict"}
    seen = {name: play_to_the_end(other, 5) for name, other in others.items()}
    assert env.row.tobytes() == row, "a copy must not share the game"
    assert len(set(sampled.values())) == 1
    expected = play_to_the_end(env, 5)
    for name, found in seen.items():
        assert data_equivalence(found, expected), name
    env.reset()
    for name, other in others.items():
        other.reset()
        assert other.row.tobytes() == env.row.tobytes(), f"{name}: the random stream goes on alike"


@both_kinds
def test_a_loaded_state_shares_nothing_and_can_be_loaded_again(kind: str) -> None:
    env = to_the_middle(kind, {})
    state = env.state_dict()
    first = play_to_the_end(env, 1)
    env.load_state_dict(state)
    assert data_equivalence(play_to_the_end(env, 1), first)


@both_kinds
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "chess"}, "The saved state has game 'chess'"),
        ({"version": 99}, "The saved state has version 99"),
        ({"config": {"fast": True}}, "The saved state has config"),
        ({"games": b"123"}, "3 bytes does not fit"),
        ({"agents": None}, "The saved state has no 'agents'"),
    ],
)
def test_a_wrong_state_is_refused_and_changes_nothing(kind: str, change: dict[str, Any], sentence: str) -> None:
    env = to_the_middle(kind, {})
    state = {**env.state_dict(), **change}
    before = pickle.dumps(env.state_dict())
    if change == {"agents": None}:
        del state["agents"]
    with pytest.raises(CheckpointError, match=sentence):
        env.load_state_dict(state)
    assert pickle.dumps(env.state_dict()) == before


# Parallel is AEC


@configured
def test_parallel_equals_aec(config: dict[str, Any]) -> None:
    spied = 0
    for seed in range(25):
        random = np.random.default_rng(seed)
        aec, parallel = make("aec", **config), make("parallel", **config)
        aec.reset(seed=seed)
        seen, infos = parallel.reset(seed=seed)
        while parallel.agents:
            masks = {agent: seen[agent]["action_mask"] for agent in parallel.agents}
            assert all((infos[agent]["action_mask"] == mask).all() for agent, mask in masks.items())
            waiting = [agent for agent, mask in masks.items() if mask[parallel.wait]]
            acting = [agent for agent in parallel.agents if agent not in waiting]
            assert all(masks[agent].sum() == 1 for agent in waiting)
            assert acting[0] == aec.agent_selection
            assert len(acting) >= 1
            spied += bool(waiting) and aec.row.spied >= 0
            for agent in parallel.agents:
                assert (seen[agent]["observation"] == aec.observe(agent)["observation"]).all()
            actions = {agent: int(choose(mask[None], random)[0]) for agent, mask in masks.items()}
            for agent in acting:
                assert (aec.observe(agent)["action_mask"] == masks[agent][: parallel.wait]).all()
                aec.step(actions[agent])
            seen, rewards, over, _, infos = parallel.step(actions)
            assert rewards == aec.rewards
            assert over == aec.terminations
    assert spied > 0


def test_br12_after_a_spy_the_waiting_agent_has_the_single_action_wait() -> None:
    env = make("parallel")
    env.reset(seed=0)
    spy, musician = 2, 0
    general = 6
    seen, *_ = env.step({"player_0": general, "player_1": spy})
    assert seen["player_1"]["action_mask"].nonzero()[0].tolist() == [env.wait]
    assert not seen["player_0"]["action_mask"][env.wait]
    with pytest.raises(
        IllegalActionError, match=r"player_1 cannot take action 0 \(play musician\); legal are 16 \(wait\)"
    ):
        env.step({"player_0": musician, "player_1": musician})
    seen, *_ = env.step({"player_0": musician, "player_1": env.wait})
    assert seen["player_0"]["action_mask"].nonzero()[0].tolist() == [env.wait]
    assert env.row.chosen.tolist() == [musician, -1]
    seen, *_ = env.step({"player_0": env.wait, "player_1": musician})
    assert not any(seen[agent]["action_mask"][env.wait] for agent in env.agents)


# Errors


@pytest.mark.parametrize("action", [8, 15, 16, -1, 10**30, 1.5, "play spy", None, np.int64(9)])
def test_an_illegal_action_is_explained_and_changes_nothing(action: Any) -> None:
    env = make("aec")
    env.reset(seed=0)
    env.step(3)
    before = pickle.dumps(env.state_dict())
    with pytest.raises(IllegalActionError) as caught:
        env.step(action)
    sentence = str(caught.value)
    assert sentence.startswith("player_1 cannot take action ")
    assert "legal are 0 (play musician), 1 (play princess)" in sentence
    if action == 8:
        assert "action 8 (keep musician)" in sentence
    assert pickle.dumps(env.state_dict()) == before
    env.step(0)


@pytest.mark.parametrize(
    "actions", [{}, {"player_0": 0}, {"player_0": 0, "player_1": 8}, {"player_0": True, "player_1": 1}]
)
def test_an_illegal_parallel_action_is_explained_and_changes_nothing(actions: dict[str, Any]) -> None:
    env = make("parallel")
    env.reset(seed=0)
    before = pickle.dumps(env.state_dict())
    with pytest.raises(IllegalActionError, match=r"player_[01] cannot take action .*; legal are 0 \(play musician\)"):
        env.step(actions)
    assert pickle.dumps(env.state_dict()) == before


def test_after_the_end_a_parallel_environment_asks_for_a_reset() -> None:
    env = to_the_middle("parallel", {})
    play_to_the_end(env, 0)
    with pytest.raises(IllegalActionError, match="The game is over"):
        env.step({})


def test_after_the_end_only_none_can_be_stepped() -> None:
    env = make("aec")
    env.reset(seed=0)
    play_to_the_end(env, 0)
    assert sum(env.rewards.values()) == 0
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for _ in range(2):
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"hands": "poker"}, 'hands="poker": must be one of clan, draft, random, princess_attack'),
        ({"fast": 1}, "fast=1: must be true or false"),
        ({"players": 3}, "Unknown option players: the options are hands, traitor"),
        ({"render_mode": "holo"}, "render_mode='holo': must be"),
        ({"point_of_view": "god"}, "point_of_view='god': must be one of own, public, player_0, player_1"),
    ],
)
@both_kinds
def test_a_wrong_option_is_answered_in_a_sentence(kind: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        make(kind, **options)


@pytest.mark.parametrize("maker", [RatSingleEnv, RatVectorEnv])
def test_wrong_options_of_the_learners_environments(maker: Any) -> None:
    with pytest.raises(ConfigurationError, match="Unknown option fats"):
        maker("brave_rats", fats=True)
    with pytest.raises(ConfigurationError, match="seat=2: must be a number from 0 to 1"):
        maker("brave_rats", seat=2)
    with pytest.raises(UnknownNameError, match="There is no agent 'kasparov'"):
        maker("brave_rats", opponent="kasparov")
    with pytest.raises(UnknownNameError, match="There is no game 'chess'"):
        maker("chess")


# The learner's view


class Scripted(Agent):
    """Plays the legal action that stands first in its list, and counts its choices by seat."""

    def __init__(self, *order: int) -> None:
        super().__init__(0)
        self.order = order
        self.acted = np.zeros(2, int)
        self.games_seen: list[bytes] = []

    def act_batch(self, views: SeatViews) -> np.ndarray:
        np.add.at(self.acted, views.seats, 1)
        self.games_seen += [views.observations[i].tobytes() for i in range(len(views))]
        return np.array([next(action for action in self.order if mask[action]) for mask in views.masks])


HIGH_FIRST, LOW_FIRST = range(7, -1, -1), range(8)


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_reward_is_that_of_the_learners_own_seat(seat: int | None) -> None:
    """Highest first beats lowest first from either seat; so who plays the highest must get +1, whatever its seat."""
    for order, other, result in ((HIGH_FIRST, LOW_FIRST, 1), (LOW_FIRST, HIGH_FIRST, -1)):
        games = LearnerGames("brave_rats", [Scripted(*other)], 6, seed=1, seat=seat)
        learner, ends, seats = Scripted(*order), 0, []
        for _ in range(40):
            assert (games.batch.actors == games.seats).all()
            games.step(learner.act_batch(SeatViews(games.batch)))
            assert (games.rewards == result * games.dones).all()
            for i in np.flatnonzero(games.dones):
                ends += 1
                seats.append((i, games.finished_seats[i]))
        assert ends >= 30
        for game in range(6):
            order_of_seats = [int(at) for i, at in seats if i == game]
            start = game % 2
            expected = [(start + k) % 2 if seat is None else seat for k in range(len(order_of_seats))]
            assert order_of_seats == expected, "the seat moves on by one after every game unless it is fixed"


def test_final_observations_are_the_learners_at_the_end() -> None:
    games = LearnerGames("brave_rats", [Scripted(*LOW_FIRST)], 4, seed=1)
    learner, ended = Scripted(*HIGH_FIRST), 0
    while ended < 8:
        games.step(learner.act_batch(SeatViews(games.batch)))
        for i in np.flatnonzero(games.dones):
            final = games.final_observations[i].view(games.batch.game.observation)[0]
            assert final.games_played == 1
            assert final.games_won.tolist() == [1, 0]
            now = games.observations[i].view(games.batch.game.observation)[0]
            assert (now.games_played, now.own_hand.sum()) == (0, 8)
            ended += 1


def test_opponents_change_only_between_games() -> None:
    first, second, third = Scripted(*LOW_FIRST), Scripted(*HIGH_FIRST), RandomAgent(1)
    games = LearnerGames("brave_rats", [first], 8, seed=3)
    learner = RandomAgent(0)
    games.step(learner.act_batch(SeatViews(games.batch)))
    games.set_opponents([second, third], [1.0, 0.0])
    playing = [games.opponents[number] for number in games.opponent_of]
    assert all(opponent is first for opponent in playing)
    started_anew = np.zeros(8, bool)
    for _ in range(30):
        acted = first.acted.sum()
        games.step(learner.act_batch(SeatViews(games.batch)))
        for i in np.flatnonzero(games.dones):
            assert games.opponents[games.finished_opponents[i]] is (second if started_anew[i] else first)
        started_anew |= games.dones
        for i in range(8):
            assert games.opponents[games.opponent_of[i]] is (second if started_anew[i] else first)
        if started_anew.all() and not games.dones.any():
            assert first.acted.sum() == acted, "an opponent that has been replaced acts no more"
    assert started_anew.all()
    games.set_opponents([third])
    assert {id(games.opponents[number]) for number in games.opponent_of} == {id(second)}
    with pytest.raises(ConfigurationError, match="at least one opponent"):
        games.set_opponents([])


def test_several_opponents_are_drawn_by_weight() -> None:
    games = LearnerGames("brave_rats", [Scripted(*LOW_FIRST), Scripted(*HIGH_FIRST)], 400, seed=0)
    games.set_opponents(games.opponents, [3, 1])
    games.reset()
    assert 0.18 < games.opponent_of.mean() < 0.32


def test_saved_learner_games_go_on_alike() -> None:
    def run(games: LearnerGames, learner: Agent) -> list[bytes]:
        seen = []
        for _ in range(30):
            games.step(learner.act_batch(SeatViews(games.batch)))
            arrays = (games.observations, games.masks, games.rewards, games.dones, games.seats, games.opponent_of)
            seen.append(b"".join(array.tobytes() for array in arrays))
        return seen

    opponents = [Scripted(*LOW_FIRST), Scripted(*HIGH_FIRST)]
    games = LearnerGames("brave_rats", opponents, 10, {"emperor": True}, seed=5)
    run(games, RandomAgent(7))
    state = pickle.loads(pickle.dumps(games.get_state()))
    expected = run(games, RandomAgent(8))
    other = LearnerGames("brave_rats", opponents, 10, {"emperor": True}, seed=99)
    other.set_state(state, opponents)
    assert run(other, RandomAgent(8)) == expected


@configured
def test_many_games_equal_single_ones(config: dict[str, Any]) -> None:
    """A deterministic opponent: row ``i`` of a batch equals a batch of one with its seed, for the length of a game."""
    size, seed = 5, 40
    vector = RatVectorEnv("brave_rats", size, Scripted(*LOW_FIRST, *range(8, 16)), seat=1, **config)
    observations, infos = vector.reset(seed=seed)
    singles = [RatSingleEnv("brave_rats", Scripted(*LOW_FIRST, *range(8, 16)), seat=1, **config) for _ in range(size)]
    last = [env.reset(seed=seed + i) for i, env in enumerate(singles)]
    open_games = np.ones(size, bool)
    random = np.random.default_rng(0)
    while open_games.any():
        for i in np.flatnonzero(open_games):
            assert (last[i][0] == observations[i]).all()
            assert (last[i][1]["action_mask"] == infos["action_mask"][i]).all()
        actions = choose(infos["action_mask"], random)
        observations, rewards, over, _, infos = vector.step(actions)
        for i in np.flatnonzero(open_games):
            seen, reward, ended, _, info = singles[i].step(actions[i])
            assert (reward, ended) == (rewards[i], over[i])
            last[i] = (seen, info)
            if ended:
                assert (infos["final_obs"][i] == seen).all()
        open_games &= ~over


def test_stable_baselines3_vec_env_is_the_same_games() -> None:
    vector = RatVectorEnv("brave_rats", 8, Scripted(*LOW_FIRST), fast=True)
    games = RatVecEnv(LearnerGames("brave_rats", [Scripted(*LOW_FIRST)], 8, {"fast": True}))
    games.seed(6)
    observations, _ = vector.reset(seed=6)
    assert (games.reset() == observations).all()
    random = np.random.default_rng(2)
    ended = 0
    for _ in range(40):
        masks = vector.action_masks()
        assert (games.action_masks() == masks).all()
        assert (np.array(games.env_method("action_masks")) == masks).all()
        actions = choose(masks, random)
        observations, rewards, over, _, infos = vector.step(actions)
        seen, returns, dones, notes = games.step(actions)
        assert (seen == observations).all()
        assert (returns == rewards).all()
        assert (dones == over).all()
        for i in np.flatnonzero(dones):
            assert (notes[i]["terminal_observation"] == infos["final_obs"][i]).all()
            ended += 1
    assert ended > 20


@pytest.mark.parametrize("action", [9, -1, 16, 2**32, 1.5, None, "spy"])
def test_the_learners_illegal_action_changes_nothing(action: Any) -> None:
    games = LearnerGames("brave_rats", [Scripted(*LOW_FIRST)], 3, seed=1)
    env = RatSingleEnv("brave_rats")
    env.reset(seed=1)
    before = games.batch.rows.tobytes(), env._games.batch.rows.tobytes()
    with pytest.raises(IllegalActionError, match=r"Game 1: player_\d cannot take action .*; legal are|whole numbers"):
        games.step(np.array([0, action, 0]))
    with pytest.raises(IllegalActionError, match=r"player_\d cannot take action .*; legal are|whole numbers"):
        env.step(action)
    assert (games.batch.rows.tobytes(), env._games.batch.rows.tobytes()) == before
