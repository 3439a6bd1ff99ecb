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
from games_and_configurations import FIRST, GAMES, LAST, PAIRS, choose, each, each_pair
from gymnasium.utils.env_checker import check_env as gymnasium_check
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec, turn_based_aec_to_parallel
from stable_baselines3.common.env_checker import check_env as stable_baselines3_check

import rat_envs
from rat_envs.api.aec import RatAECEnv
from rat_envs.api.parallel import RatParallelEnv
from rat_envs.api.single import RatSingleEnv, RatVectorEnv
from rat_envs.api.view import NotResetError
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, UnknownNameError
from rat_envs.engine.registry import get_game, own_versions

pytestmark = pytest.mark.filterwarnings("error")

#: What api_test says of every environment that is not on a list of PettingZoo's own names and whose observation holds a
#: mask in the form that PettingZoo prescribes; and of a mask that is empty because the game is over.
INEVITABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    r"Action mask numpy array is all zeros \(no legal actions\).",
)

both_kinds = pytest.mark.parametrize("kind", ["aec", "parallel"])


def make(kind: str, game: str, **options: Any) -> Any:
    """An environment from PettingZoo's registry."""
    return pettingzoo.make(kind, get_game(game).environment_id, **options)


def make_single(game: str, **options: Any) -> Any:
    """An environment of one seat from gymnasium's registry."""
    return gymnasium.make(get_game(game).gymnasium_id, **options)


@contextmanager
def without_the_inevitable() -> Iterator[None]:
    """No warning but those of ``INEVITABLE``."""
    with warnings.catch_warnings():
        for message in INEVITABLE:
            warnings.filterwarnings("ignore", f"^{message}$", UserWarning)
        yield


def test_every_game_is_entered_in_the_list_of_the_shared_tests() -> None:
    assert set(own_versions()) == set(GAMES) == {game for game, _ in PAIRS}


# PettingZoo's own tests. max_cycles_test does not apply: a game ends by itself and has no such limit.


@each_pair
@pytest.mark.parametrize("maker", [make, None], ids=["registry", "rat_envs"])
def test_pettingzoo_aec(game: str, config: dict[str, Any], maker: Callable[..., Any] | None) -> None:
    def new() -> Any:
        return rat_envs.make(game, **config) if maker is None else maker("aec", game, **config)

    with without_the_inevitable():
        api_test(new(), num_cycles=300)
    seed_test(new, 100)


@each_pair
@pytest.mark.parametrize("maker", [make, None], ids=["registry", "rat_envs"])
def test_pettingzoo_parallel(game: str, config: dict[str, Any], maker: Callable[..., Any] | None) -> None:
    def new() -> Any:
        return rat_envs.make_parallel(game, **config) if maker is None else maker("parallel", game, **config)

    parallel_api_test(new(), num_cycles=300)
    parallel_seed_test(new, 100)


@each(FIRST + LAST)
@pytest.mark.parametrize("point_of_view", ["own", "public"])
def test_pettingzoo_render(
    game: str,
    config: dict[str, Any],
    point_of_view: str,
    capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if point_of_view == "public":  # pictures take long: one point of view will do
        monkeypatch.setattr("rat_envs.api.view.RENDER_MODES", ("human", "ansi"))
    render_test(lambda **options: make("aec", game, point_of_view=point_of_view, **options, **config))
    assert get_game(game).title in capsys.readouterr().out


@each(FIRST)
def test_only_the_parallel_environment_says_that_it_is_one(game: str, config: dict[str, Any]) -> None:
    assert make("parallel", game, **config).metadata["is_parallelizable"]
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(make("aec", game, **config))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what api_test says of a wrapped environment
        api_test(parallel_to_aec(make("parallel", game, **config)), num_cycles=100)


def test_where_no_action_is_legal_spaces_answer_as_gymnasium_says() -> None:
    env = make("aec", "brave_rats").unwrapped
    space = env.action_space("player_1")
    space.seed(0)
    assert len({space.sample() for _ in range(200)}) == space.n, "before the first game any action is drawn"
    env.reset(seed=0)
    assert space.sample(env.infos["player_1"]["action_mask"]) == 0
    assert len({space.sample() for _ in range(200)}) == space.n
    single = make_single("brave_rats").unwrapped
    single.reset(seed=0)
    single.action_space.seed(0)
    over = False
    while not over:
        *_, over, _, _ = single.step(single.action_space.sample())
    assert len({single.action_space.sample() for _ in range(200)}) == space.n
    assert not single.action_masks().any()
    single.reset()
    single.step(single.action_space.sample())


@each(FIRST)
def test_pettingzoos_own_converter_makes_a_parallel_environment(game: str, config: dict[str, Any]) -> None:
    with without_the_inevitable():
        parallel_api_test(turn_based_aec_to_parallel(make("aec", game, **config)), 50)


def test_a_space_without_its_environment_draws_any_action() -> None:
    """In another process, or in a saved learner, it would go on drawing what was legal when it was copied."""
    env, single, games = (
        make("aec", "rattus").unwrapped,
        make_single("rattus").unwrapped,
        rat_envs.make_vec("rattus", 2),
    )
    env.reset(seed=0)
    single.reset(seed=0)
    games.reset(seed=0)
    for space in (env.action_space("player_0"), single.action_space):
        for alone in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
            assert alone == space and len(pickle.dumps(alone)) < 1000
            alone.__dict__.pop("_made_of", None)  # as one that an earlier version has pickled
            assert pickle.loads(pickle.dumps(alone)).sample() in space
            assert len({alone.sample() for _ in range(3000)}) > 0.9 * space.n
    alone = pickle.loads(pickle.dumps(games.action_space))
    assert alone == games.action_space and len({action for _ in range(2000) for action in alone.sample()}) > 150
    for whole in (env, single, games):
        own = whole.action_space("player_0") if whole is env else whole.action_space
        for copied in (copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))):
            for twin, beside in (copied([whole, own]), reversed(copied([own, whole]))):
                actions = twin.action_space("player_0") if whole is env else twin.action_space
                assert actions is beside and actions.owner is (twin._games if whole is games else twin)
                assert own.owner is (whole._games if whole is games else whole)


def test_a_parallel_environment_is_rendered_too() -> None:
    env = make("parallel", "brave_rats", render_mode="ansi", point_of_view="player_1")
    env.reset(seed=1)
    assert "player_1, red, you" in env.render()


@each_pair
@both_kinds
def test_rendered_is_the_point_of_view_that_was_asked_for(game: str, config: dict[str, Any], kind: str) -> None:
    env = make(kind, game, **config)
    for seat, agent in enumerate([*env.possible_agents, "public"]):
        env = make(kind, game, render_mode="ansi", point_of_view=agent, **config)
        env.reset(seed=1)
        expected = env.game.text(env.game_state, None if agent == "public" else seat)
        assert env.render() == env.render_for(agent, "ansi") == expected


# gymnasium and Stable-Baselines3


@both_kinds
def test_a_copied_space_does_not_tell_the_seed_of_the_game(kind: str) -> None:
    """It may be sent to an agent in another process, and all chance comes from that seed."""
    env = make(kind, "brave_rats").unwrapped
    drawn = []
    for _ in range(2):
        env.reset(seed=41)
        unused = [pickle.dumps(env.action_space(agent)) for agent in env.possible_agents]
        drawn.append([[env.action_space(agent).sample() for _ in range(9)] for agent in env.possible_agents])
        used = [pickle.dumps(env.action_space(agent)) for agent in env.possible_agents]
        for space in map(pickle.loads, unused + used):
            told = [space._seed, space._made_of, space.np_random.bit_generator.seed_seq.entropy]
            assert not {41, 42, (41, 0), (41, 1)} & set(told), told
    assert drawn[0] == drawn[1] and drawn[0][0] != drawn[0][1]


def check_step_determinism(env: Any, seed: int = 123) -> None:
    """As gymnasium's, which draws the action before ``reset(seed)`` and so expects it to be legal in another deal."""
    results = []
    for _ in range(2):
        env.reset(seed=seed)
        env.action_space.seed(seed)
        results.append([env.step(env.action_space.sample()) for _ in range(3)])
    assert data_equivalence(*results, exact=True)


@each_pair
def test_gymnasium_and_stable_baselines3_checkers(
    game: str, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make_single(game, opponent="random", **config).unwrapped
    check_step_determinism(env)
    if (game, config) != ("brave_rats", {}):
        monkeypatch.setattr("gymnasium.utils.env_checker.check_step_determinism", check_step_determinism)
    gymnasium_check(env, skip_render_check=True)
    stable_baselines3_check(env)


def test_gymnasium_renders_the_learners_view() -> None:
    env = make_single("brave_rats", render_mode="ansi", seat=1)
    env.reset(seed=0)
    assert "player_1, red, you" in env.render()
    env = make_single("comme_des_rats", render_mode="ansi", seat=3)
    env.reset(seed=0)
    assert "player_3 (you)" in env.render()


@each(FIRST)
def test_gymnasium_renders_pictures(game: str, config: dict[str, Any]) -> None:
    picture = make_single(game, render_mode="rgb_array", **config)
    picture.reset(seed=0)
    assert picture.render().dtype == np.uint8


def results(players: int) -> set[float]:
    """A share of the win, less what everybody could expect, so that a sole winner has +1; or nobody has won."""
    shares = [0, *(1 / winners for winners in range(1, players + 1))]
    return {0.0, *(np.float32((share - 1 / players) * players / (players - 1)) for share in shares)}


@each_pair
def test_a_game_by_gymnasiums_loop_with_sampled_actions(game: str, config: dict[str, Any]) -> None:
    env = make_single(game, opponent="random", **config)
    possible = results(get_game(game).configuration.make(config).players)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            assert (info["action_mask"] == env.unwrapped.action_masks()).all()
            _, reward, over, cut, info = env.step(env.action_space.sample())
            assert not cut
            assert over or reward == 0
        assert min(abs(reward - result) for result in possible) < 1e-6
        assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.step(0)


def test_the_learners_seat_is_said() -> None:
    env = make_single("rattus", players=3)
    for seat in (0, 1, 2, 0):
        _, info = env.reset()
        over = False
        while not over:
            assert env.unwrapped.seat == seat
            _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
        assert env.unwrapped.seat == seat, "until the next game begins"
    envs = rat_envs.make_vec("brave_rats", 3)
    envs.reset(seed=0)
    assert envs.seats.tolist() == [0, 1, 0]
    over = np.zeros(3, bool)
    while not over.any():
        before = envs.seats
        _, _, over, _, _ = envs.step(envs.action_space.sample())
    assert (envs.seats != before).tolist() == over.tolist()
    assert make_single("rattus", players=3, seat=2).unwrapped.seat == 2


def test_some_games_alone_do_not_begin_anew() -> None:
    env = rat_envs.make_vec("brave_rats", 2)
    with pytest.raises(ConfigurationError, match=r"^reset_mask: games that end begin anew by themselves"):
        env.reset(options={"reset_mask": np.array([True, False])})


@each([("brave_rats", {"fast": True}), *LAST])
def test_make_vec_is_one_environment_over_a_batch(game: str, config: dict[str, Any]) -> None:
    env = gymnasium.make_vec(get_game(game).gymnasium_id, num_envs=16, opponent="random", **config)
    assert isinstance(env.unwrapped, RatVectorEnv)
    random = np.random.default_rng(0)
    observations, infos = env.reset(seed=3)
    ended = 0
    while ended <= 50:
        assert env.observation_space.contains(observations)
        assert (infos["action_mask"] == env.unwrapped.action_masks()).all()
        observations, rewards, over, cut, infos = env.step(choose(infos["action_mask"], random))
        assert not cut.any()
        assert (rewards[~over] == 0).all()
        ended += over.sum()
        if over.any():
            assert (infos["_final_obs"] == over).all()
            assert infos["final_obs"][over].any(axis=1).all()


def test_in_gymnasiums_own_vector_the_step_after_the_end_has_no_legal_action() -> None:
    """As README says; in ours there is no such step."""
    env = gymnasium.make_vec("rat_envs/BraveRats-v0", 2, vectorization_mode="sync")
    _, infos = env.reset(seed=0)
    over = np.zeros(2, bool)
    for _ in range(30):
        assert (infos["action_mask"].any(axis=1) == ~over).all()
        _, rewards, over_now, _, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert not over_now[over].any() and not rewards[over].any()
        over = over_now


def test_what_is_observed_is_not_changed_with_it_nor_with_a_mask_that_last_has_returned() -> None:
    env = make("aec", "brave_rats")
    env.reset(seed=0)
    agent, other = env.agents
    legal = env.observe(agent)["action_mask"].copy()
    for mask in (env.last()[0]["action_mask"], env.observe(agent)["action_mask"], env.infos[other]["action_mask"]):
        mask[:] = 1 - mask
    assert (env.observe(agent)["action_mask"] == legal).all()
    assert not env.observe(other)["action_mask"].any()


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


def sampled_step(env: Any) -> None:
    """A step by sampled actions."""
    if hasattr(env, "wait"):
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    else:
        env.step(env.action_space(env.agent_selection).sample())


def to_the_middle(kind: str, game: str, config: dict[str, Any]) -> Any:
    """An environment in the middle of its game."""
    env = make(kind, game, **config)
    env.reset(seed=11)
    steps = 0
    while not any(env.terminations.values()) if kind == "aec" else env.agents:
        sampled_step(env)
        steps += 1
    env.reset(seed=11)
    for _ in range(steps // 2):
        sampled_step(env)
    assert steps >= 3
    return env


def restored(env: Any, kind: str, game: str, config: dict[str, Any]) -> Any:
    """Another environment that loads a pickled state_dict."""
    other = make(kind, game, **config)
    other.load_state_dict(pickle.loads(pickle.dumps(env.state_dict())))
    return other


@each_pair
@both_kinds
def test_copies_and_saved_states_go_on_alike(game: str, config: dict[str, Any], kind: str) -> None:
    env = to_the_middle(kind, game, config)
    row = env.game_state.tobytes()
    others = {
        "copy": copy.copy(env),
        "deepcopy": copy.deepcopy(env),
        "pickle": pickle.loads(pickle.dumps(env)),
        "state_dict": restored(env, kind, game, config),
    }
    acting = env.agents[0] if kind == "parallel" else env.agent_selection
    sampled = {name: other.action_space(acting).sample() for name, other in others.items() if name != "state_dict"}
    seen = {name: play_to_the_end(other, 5) for name, other in others.items()}
    assert env.game_state.tobytes() == row, "a copy must not share the game"
    assert len(set(sampled.values())) == 1
    expected = play_to_the_end(env, 5)
    for name, found in seen.items():
        assert data_equivalence(found, expected), name
    env.reset()
    for name, other in others.items():
        other.reset()
        assert other.game_state.tobytes() == env.game_state.tobytes(), f"{name}: the random stream goes on alike"


@both_kinds
def test_a_copy_shares_nothing_that_changes(kind: str) -> None:
    env = to_the_middle(kind, "brave_rats", {})
    env.seen, env.log, env.random = {1}, [[]], np.random.default_rng(1)
    twin = copy.copy(env)
    twin.seen.add(2)
    twin.log[0].append(3)
    twin.random.random()
    twin.observation_space("player_0").seed(1)
    assert (env.seen, env.log) == ({1}, [[]])
    assert env.random.random() == np.random.default_rng(1).random()
    assert twin.observation_space("player_0") is not env.observation_space("player_0")
    assert twin.game is env.game and twin.configuration is env.configuration


@pytest.mark.parametrize("number", [np.int32, np.uint8, np.array])
def test_numbers_are_of_any_type_in_both_interfaces(number: Callable[[int], Any]) -> None:
    env, parallel = rat_envs.make("brave_rats"), rat_envs.make_parallel("brave_rats")
    env.reset(seed=1)
    parallel.reset(seed=1)
    env.step(number(3))
    env.step(number(2))
    parallel.step({"player_0": number(3), "player_1": number(2)})
    assert env.game_state.tobytes() == parallel.game_state.tobytes()


@both_kinds
def test_a_seed_may_be_a_number_of_numpy(kind: str) -> None:
    env, other = make(kind, "brave_rats"), make(kind, "brave_rats")
    env.reset(seed=np.uint8(255))
    other.reset(seed=255)
    for agent in env.possible_agents[: 1 if kind == "aec" else 2]:
        assert env.action_space(agent).sample() == other.action_space(agent).sample()


@each(LAST)
@both_kinds
def test_a_loaded_state_shares_nothing_and_can_be_loaded_again(game: str, config: dict[str, Any], kind: str) -> None:
    env = to_the_middle(kind, game, config)
    state = env.state_dict()
    first = play_to_the_end(env, 1)
    env.load_state_dict(state)
    assert data_equivalence(play_to_the_end(env, 1), first)


@both_kinds
@each(LAST)
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
def test_a_wrong_state_is_refused_and_changes_nothing(
    kind: str, game: str, config: dict[str, Any], change: dict[str, Any], sentence: str
) -> None:
    env = to_the_middle(kind, game, config)
    state = {**env.state_dict(), **change}
    before = pickle.dumps(env.state_dict())
    if change == {"agents": None}:
        del state["agents"]
    with pytest.raises(CheckpointError, match=sentence):
        env.load_state_dict(state)
    assert pickle.dumps(env.state_dict()) == before


def test_a_state_of_another_number_of_players_is_refused() -> None:
    three, four = (to_the_middle("aec", "comme_des_rats", {"players": players}) for players in (3, 4))
    with pytest.raises(CheckpointError, match=r"The saved state has players 3, this environment has 4\."):
        four.load_state_dict(three.state_dict())


# Parallel is AEC


@each_pair
def test_parallel_equals_aec(game: str, config: dict[str, Any]) -> None:
    spied = waited = 0
    for seed in range(25 if game == "brave_rats" else 4):
        random = np.random.default_rng(seed)
        aec, parallel = make("aec", game, **config), make("parallel", game, **config)
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
            waited += bool(waiting)
            spied += bool(waiting) and game == "brave_rats" and aec.game_state.spied >= 0
            for agent in parallel.agents:
                assert (seen[agent]["observation"] == aec.observe(agent)["observation"]).all()
            actions = {agent: int(choose(mask[None], random)[0]) for agent, mask in masks.items()}
            for agent in acting:
                assert (aec.observe(agent)["action_mask"] == masks[agent][: parallel.wait]).all()
                aec.step(actions[agent])
            seen, rewards, over, _, infos = parallel.step(actions)
            assert rewards == aec.rewards
            assert over == aec.terminations
    assert (spied if game == "brave_rats" else waited) > 0


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_where_seats_choose_by_turns_the_others_have_the_single_action_wait(players: int) -> None:
    env = make("parallel", "comme_des_rats", players=players, roles=True, talk=True)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        chose = set()
        while env.agents:
            masks = {agent: seen[agent]["action_mask"] for agent in env.agents}
            (agent,) = (agent for agent, mask in masks.items() if not mask[env.wait])
            chose.add(agent)
            for other in set(env.agents) - {agent}:
                assert masks[other].nonzero()[0].tolist() == [env.wait]
                assert env.action_space(other).sample() == env.wait
            actions = {name: env.action_space(name).sample() for name in env.agents}
            if len(chose) < players:  # as long as not everybody has chosen once, so that this takes no time
                assert_refused(env, {**actions, agent: env.wait}, agent)
                for other in set(env.agents) - {agent}:
                    assert_refused(env, {**actions, other: actions[agent]}, other)
            seen, *_ = env.step(actions)
        assert chose == set(env.possible_agents)


def assert_refused(env: Any, actions: dict[str, int], agent: str) -> None:
    """These actions of all agents are illegal because of one; nothing changes."""
    before = pickle.dumps(env.state_dict())
    with pytest.raises(IllegalActionError, match=rf"^{agent} cannot take action \d+ \(.*\); legal are .*\.$"):
        env.step(actions)
    assert pickle.dumps(env.state_dict()) == before


def test_br12_after_a_spy_the_waiting_agent_has_the_single_action_wait() -> None:
    env = make("parallel", "brave_rats")
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
    assert env.game_state.chosen.tolist() == [musician, -1]
    seen, *_ = env.step({"player_0": env.wait, "player_1": musician})
    assert not any(seen[agent]["action_mask"][env.wait] for agent in env.agents)


# Errors


@pytest.mark.parametrize("action", [8, 15, 16, -1, 10**30, 1.5, "play spy", None, np.array([3]), np.int64(9)])
def test_an_illegal_action_is_explained_and_changes_nothing(action: Any) -> None:
    env = make("aec", "brave_rats")
    env.reset(seed=0)
    env.step(3)
    before = pickle.dumps(env.state_dict())
    with pytest.raises(IllegalActionError) as caught:
        env.step(action)
    sentence = str(caught.value)
    if not isinstance(action, (int, np.integer)):
        kind, _, sentence = sentence.partition(": ")
        assert kind.startswith(f"An action must be a whole number, and this is of type {type(action).__name__}")
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
    env = make("parallel", "brave_rats")
    env.reset(seed=0)
    before = pickle.dumps(env.state_dict())
    with pytest.raises(IllegalActionError, match=r"player_[01] cannot take action .*; legal are 0 \(play musician\)"):
        env.step(actions)
    assert pickle.dumps(env.state_dict()) == before


def test_after_the_end_a_parallel_environment_asks_for_a_reset() -> None:
    env = to_the_middle("parallel", "brave_rats", {})
    play_to_the_end(env, 0)
    for other, actions in ((env, {"player_0": 0}), (make("parallel", "brave_rats"), {})):
        with pytest.raises(NotResetError, match="No game is under way: call reset"):
            other.step(actions)
    assert env.step({}) == ({}, {}, {}, {}, {}), "as PettingZoo's own environments"


def test_after_the_end_only_none_can_be_stepped() -> None:
    env = make("aec", "brave_rats")
    env.reset(seed=0)
    play_to_the_end(env, 0)
    assert sum(env.rewards.values()) == 0
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for _ in range(2):
        env.step(None)
    assert env.agents == []


@each_pair
def test_in_the_middle_of_any_game_an_illegal_action_is_explained_and_changes_nothing(
    game: str, config: dict[str, Any]
) -> None:
    env = to_the_middle("aec", game, config)
    before, words = pickle.dumps(env.state_dict()), env.game.actions
    mask = env.observe(env.agent_selection)["action_mask"]
    legal = ", ".join(f"{action} ({words[action]})" for action in np.flatnonzero(mask))
    for action in [*np.flatnonzero(mask == 0)[[0, -1]].tolist(), -1, len(mask), 2**40, 1.5, None, "x"]:
        named = f"{action} ({words[action]})" if action in range(len(mask)) else repr(action)
        with pytest.raises(IllegalActionError) as caught:
            env.step(action)
        sentence = f"{env.agent_selection} cannot take action {named}; legal are {legal}."
        if type(action) is not int:
            sentence = f"An action must be a whole number, and this is of type {type(action).__name__}: {sentence}"
        assert str(caught.value) == sentence
        assert pickle.dumps(env.state_dict()) == before


@each_pair
def test_the_end_of_any_game(game: str, config: dict[str, Any]) -> None:
    env = to_the_middle("aec", game, config)
    play_to_the_end(env, 0)
    assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-6)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("brave_rats", {"hands": "poker"}, 'hands="poker": must be one of clan, draft, random, princess_attack'),
        ("brave_rats", {"fast": 1}, "fast=1: must be true or false"),
        ("brave_rats", {"players": 3}, "Unknown option players: the options are hands, traitor"),
        ("brave_rats", {"render_mode": "holo"}, "render_mode='holo': must be"),
        ("brave_rats", {"point_of_view": "god"}, "point_of_view='god': must be one of own, public, player_0, player_1"),
        ("comme_des_rats", {"players": 6}, "players=6: must be a whole number from 2 to 5"),
        ("comme_des_rats", {"die": [1, 1, 1, 1, 1]}, r"die=\[1, 1, 1, 1, 1\]: must be 5 whole numbers .* the sum 6"),
        ("comme_des_rats", {"players": 3, "doors": [5, 5, 5, 5]}, r"doors=\[5, 5, 5, 5\]: must be 15 cards in all"),
        ("comme_des_rats", {"players": 3, "point_of_view": "player_3"}, "one of own, public, player_0, .*, player_2"),
    ],
)
@both_kinds
def test_a_wrong_option_is_answered_in_a_sentence(kind: str, game: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        make(kind, game, **options)


@pytest.mark.parametrize("maker", [RatSingleEnv, RatVectorEnv])
def test_wrong_options_of_the_learners_environments(maker: Any) -> None:
    with pytest.raises(ConfigurationError, match="Unknown option fats"):
        maker("brave_rats", fats=True)
    with pytest.raises(ConfigurationError, match="seat=2: must be from 0 to 1, or None to rotate"):
        maker("brave_rats", seat=2)
    with pytest.raises(ConfigurationError, match="seat=3: must be from 0 to 2, or None to rotate"):
        maker("comme_des_rats", seat=3, players=3)
    with pytest.raises(UnknownNameError, match="There is no agent 'kasparov'"):
        maker("brave_rats", opponent="kasparov")
    with pytest.raises(UnknownNameError, match="There is no agent 'loyal': the agents for brave_rats"):
        maker("brave_rats", opponent="loyal")
    with pytest.raises(UnknownNameError, match="There is no game 'chess'"):
        maker("chess")


@pytest.mark.parametrize("kind", [RatAECEnv, RatParallelEnv])
def test_no_hook_stands_in_the_way_of_attributes(kind):
    """With ``__getattr__`` or ``__getattribute__`` in a class CPython finds each attribute more slowly: the loop of
    ``agent_iter`` took a third longer."""
    own = [cls for cls in kind.__mro__ if cls.__module__.startswith("rat_envs")]
    assert not [cls for cls in own if {"__getattr__", "__getattribute__"} & vars(cls).keys()]
