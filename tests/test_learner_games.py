"""The learner's view of many games: its own seat and reward, and players whom actions name counted from it."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from typing import Any

import numpy as np
import pytest
from games_and_configurations import LAST, PAIRS, choose, each, each_game, each_pair
from stones import STONES

import rat_envs
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.agents.random import RandomAgent
from rat_envs.api.agent import Agent
from rat_envs.api.learner import LearnerGames
from rat_envs.api.named_agents import make_agent
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.api.seats import SeatViews
from rat_envs.api.single import RatSingleEnv, RatVectorEnv
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, UnknownNameError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game

pytestmark = pytest.mark.filterwarnings("error")


class Scripted(Agent):
    """Plays the legal action that stands first in its list, and counts its choices by seat."""

    def __init__(self, *order: int) -> None:
        super().__init__(0)
        self.order = order
        self.acted = np.zeros(5, int)
        self.games_seen: list[bytes] = []

    def act_batch(self, views: SeatViews) -> np.ndarray:
        np.add.at(self.acted, views.seats, 1)
        self.games_seen += [views.observations[i].tobytes() for i in range(len(views))]
        return np.array([next(action for action in self.order if mask[action]) for mask in views.masks])


HIGH_FIRST, LOW_FIRST = range(7, -1, -1), range(8)


def first_legal(game: str) -> Scripted:
    """An agent of any game that always plays the same in the same situation."""
    return Scripted(*range(len(get_game(game).actions)))


def last_legal(game: str) -> Scripted:
    """Another one."""
    return Scripted(*reversed(first_legal(game).order))


def put(row: Any, other: Any) -> None:
    """Make a row what another is."""
    for name in row.dtype.names:
        row[name] = other[name]


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
    for nobody in ([], "random", {"random": 0.9, "greedy": 0.1}):
        with pytest.raises(ConfigurationError, match="must be a list of at least one opponent"):
            games.set_opponents(nobody)
    with pytest.raises(ConfigurationError, match=r"^7 cannot play: name an agent, or give an object with act_batch"):
        games.set_opponents([7])


def test_opponents_are_agents_by_name_too_seeded_with_the_games() -> None:
    def played(seed: int) -> bytes:
        games = LearnerGames("brave_rats", ["random", "greedy"], 8, seed=seed)
        assert [opponent.name for opponent in games.opponents] == ["random", "greedy"]
        learner = make_agent("random", "brave_rats", 3)
        for _ in range(20):
            games.step(learner.act_batch(SeatViews(games.batch)))
        return games.observations.tobytes()

    assert played(1) == played(1) != played(2)
    with pytest.raises(UnknownNameError, match="There is no agent 'gredy'"):
        LearnerGames("brave_rats", ["gredy"])


def test_several_opponents_are_drawn_by_weight() -> None:
    games = LearnerGames("brave_rats", [Scripted(*LOW_FIRST), Scripted(*HIGH_FIRST)], 400, seed=0)
    games.set_opponents(games.opponents, [3, 1])
    games.reset()
    assert 0.18 < games.opponent_of.mean() < 0.32


@pytest.mark.parametrize(
    "weights",
    [
        [1],
        [1, 2, 3],
        [0, 0],
        [-1, 2],
        [1, float("nan")],
        [1, float("inf")],
        [[1, 1]],
        [1, "x"],
        1,
        "ab",
        [1, None],
        [1e308, 1e308],
    ],
)
def test_weights_are_one_for_each_opponent(weights: Any) -> None:
    games = LearnerGames("brave_rats", ["random", "greedy"], 4, seed=0)
    before = games.opponents
    with pytest.raises(
        ConfigurationError, match=r"^weights=.*: must be 2 finite numbers from 0, one for each opponent"
    ):
        games.set_opponents(["random", "random"], weights)
    assert games.opponents is before and games.weights.tolist() == [0.5, 0.5]


@each_pair
def test_rewards_and_last_views_are_those_of_the_learners_seat(game: str, config: dict[str, Any]) -> None:
    games, random = LearnerGames(game, [RandomAgent(0)], 6, config, seed=1), np.random.default_rng(0)
    position, players = Position(game, config), games.players
    seats_of_game: list[list[int]] = [[] for _ in range(6)]
    while min(map(len, seats_of_game)) <= players:
        assert (games.batch.actors == games.seats).all()
        assert (games.rewards[~games.dones] == 0).all()
        games.step(choose(games.masks, random))
        for i in np.flatnonzero(games.dones):
            put(position.state, games.final_states[i])
            seat = int(games.finished_seats[i])
            assert position.is_over
            assert games.rewards[i] == pytest.approx(position.returns()[seat], abs=1e-6)
            assert games.final_observations[i].tobytes() == position.observe(seat).tobytes()
            seats_of_game[i].append(seat)
    for i, seats in enumerate(seats_of_game):
        assert seats == [(i + number) % players for number in range(len(seats))]


@each([PAIRS[0], ("brave_rats", {"emperor": True}), *LAST])
def test_saved_learner_games_go_on_alike(game: str, config: dict[str, Any]) -> None:
    def run(games: LearnerGames, seed: int) -> list[bytes]:
        seen, random = [], np.random.default_rng(seed)
        for _ in range(30):
            arrays = (games.observations, games.masks, games.rewards, games.dones, games.seats, games.opponent_of)
            seen.append(b"".join(array.tobytes() for array in arrays))
            games.step(choose(games.masks, random))
        return seen

    opponents = [first_legal(game), last_legal(game)]
    games = LearnerGames(game, opponents, 10, config, seed=5)
    run(games, 7)
    games.rewards[:] = games.dones[:] = 0  # of the last step, which is no part of the games
    state = pickle.loads(pickle.dumps(games.get_state()))
    copies = {"copy": copy.copy(games), "deepcopy": copy.deepcopy(games), "pickle": pickle.loads(pickle.dumps(games))}
    expected = run(games, 8)
    other = LearnerGames(game, opponents, 10, config, seed=99)
    other.set_state(state, opponents)
    assert run(other, 8) == expected
    for name, like in copies.items():
        assert run(like, 8) == expected, name


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ({"games": None}, "the state['games'] is None and not"),
        ({"games": b"12"}, "A saved state of 2 bytes does not fit"),
        ({"seats": [0, 1]}, "it is not of 3 games"),
        ({"seats": [0, 1, 2]}, "seats=2: must be from 0 to 1"),
        ({"seats": [1, 0, 1]}, "the learner is not to act in every game"),
        ({"opponent_of": [0, 1, 2]}, "opponent_of=2: must be from 0 to 1"),
        ({"weights": [0, 0]}, "weights=[0, 0]: must be 2 finite numbers"),
        ({"weights": [1]}, "weights=[1]: must be 2 finite numbers"),
        ({"weights": [2, 2]}, "its weights do not add up to 1"),
        ({"random": {}}, "state must be for a PCG64 RNG"),
        ({"illegal_actions": [1]}, "it is not of 3 games"),
        ({"illegal_actions": ["a", "b", "c"]}, "illegal_actions[0] is 'a' and not"),
        ({"illegal_actions": [10**30, 0, 0]}, "illegal_actions: must be whole numbers, not object"),
        ({"illegal_actions": [-1, 0, 0]}, "illegal_actions=-1: must be from 0"),
        ({"illegal_actions": [1.5, 0, 0]}, "illegal_actions[0] is 1.5 and not"),
    ],
)
def test_damaged_learner_games_are_refused_in_one_sentence(damage: dict[str, Any], reason: str) -> None:
    games = LearnerGames("rattus", ["greedy", "random"], 3, {"players": 2}, seed=1)
    state = games.get_state()
    with pytest.raises(CheckpointError, match=re.escape(f"The saved games do not fit: {reason}")):
        games.set_state({**state, **damage}, games.opponents)
    assert games.get_state() == state
    with pytest.raises(CheckpointError, match=r"the state has no 'games'"):
        games.set_state({}, games.opponents)
    with pytest.raises(ConfigurationError, match=r"^opponents=None: must be a list"):
        games.set_state(state, None)
    fixed = LearnerGames("rattus", ["greedy", "random"], 3, {"players": 2}, seed=1, seat=0)
    with pytest.raises(CheckpointError, match=r"the learner's seat is 0 in every game here"):
        fixed.set_state(state, games.opponents)
    games.set_state({**state, "weights": [0.75, 0.25]}, games.opponents)
    assert games.weights.tolist() == [0.75, 0.25]


@each_pair
def test_copies_of_the_learners_environments_go_on_alike(game: str, config: dict[str, Any]) -> None:
    def run(env: Any, seed: int) -> list[bytes]:
        seen, random, masks = [], np.random.default_rng(seed), env.action_masks()
        for _ in range(40):
            many = masks.ndim == 2
            action = choose(masks if many else masks[None], random)
            observation, reward, over, _, info = env.step(action if many else int(action[0]))
            if not many and over:
                observation, info = env.reset()
            masks = info["action_mask"]
            seen.append(observation.tobytes() + np.asarray(reward).tobytes() + masks.tobytes())
        return seen

    for env in (RatSingleEnv(game, first_legal(game), **config), RatVectorEnv(game, 3, first_legal(game), **config)):
        env.reset(seed=2)
        run(env, 1)
        copies = {"copy": copy.copy(env), "deepcopy": copy.deepcopy(env), "pickle": pickle.loads(pickle.dumps(env))}
        expected = run(env, 3)
        for name, like in copies.items():
            assert run(like, 3) == expected, name


@each_pair
def test_nobody_else_says_what_is_legal(game: str, config: dict[str, Any]) -> None:
    games = LearnerGames(game, ["random"], 3, config, seed=0)
    for twin in (games, copy.deepcopy(games), pickle.loads(pickle.dumps(games))):
        with pytest.raises(ValueError, match="read-only"):
            twin.masks[:] = 1
        before = twin.masks.copy()
        for _ in range(20):
            twin.step(twin.masks.argmax(axis=1))
        assert (twin.masks != before).any(), "they are those of the games"


@each_pair
def test_many_games_equal_single_ones(game: str, config: dict[str, Any]) -> None:
    """A deterministic opponent: row ``i`` of a batch equals a batch of one with its seed, for the length of a game."""
    size, seed = 5, 40
    vector = RatVectorEnv(game, size, first_legal(game), seat=1, **config)
    observations, infos = vector.reset(seed=seed)
    singles = [RatSingleEnv(game, first_legal(game), seat=1, **config) for _ in range(size)]
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


@each([("brave_rats", {"fast": True}), *LAST])
def test_stable_baselines3_vec_env_is_the_same_games(game: str, config: dict[str, Any]) -> None:
    vector = RatVectorEnv(game, 8, first_legal(game), **config)
    games = RatVecEnv(LearnerGames(game, [first_legal(game)], 8, config))
    games.seed(6)
    observations, _ = vector.reset(seed=6)
    assert (games.reset() == observations).all()
    random = np.random.default_rng(2)
    ended = 0
    while ended <= 20:
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


def test_what_is_no_list_of_all_games_is_the_same_for_each() -> None:
    games = RatVecEnv(LearnerGames("brave_rats", ["random"], n=4, seed=0), "ansi")
    games.reset()
    table = games.render()
    assert isinstance(table, str) and games.env_method("render", indices=[0, 2]) == [table, table]
    assert games.env_method("seed_opponents", 5) == games.env_method("close") == [None] * 4
    assert games.env_method("seed", 3, indices=1) == [4], "one seed for each game"
    (mask,) = games.env_method("action_masks", indices=-1)
    assert (mask == games.action_masks()[3]).all()
    with pytest.raises(IndexError):
        games.env_method("action_masks", indices=4)


@each_game
def test_stable_baselines3_seeds_opponents_too(game: str) -> None:
    def played(seed: int) -> list[bytes]:
        games = RatVecEnv(LearnerGames(game, [make_agent("random", game)], 8, seed=0))
        games.seed(seed)
        games.reset()
        return [games.step(games.action_masks().argmax(1))[0].tobytes() for _ in range(20)]

    assert played(6) == played(6) != played(7)


@each_game
def test_stable_baselines3_is_told_of_episodes_as_by_its_own_monitor(game: str) -> None:
    from stable_baselines3.common.vec_env import VecMonitor

    games = RatVecEnv(LearnerGames(game, [first_legal(game)], 8))
    noted: list[Any] = []
    step = games.step_wait

    def note() -> Any:
        result = step()
        noted.append([dict(info) for info in result[3]])
        return result

    games.step_wait = note  # type: ignore[method-assign]
    monitor = VecMonitor(games)
    games.seed(6)
    monitor.reset()
    random, ended = np.random.default_rng(2), 0
    while ended <= 20:
        infos = monitor.step(choose(games.action_masks(), random))[3]
        for own, theirs in zip(noted[-1], infos, strict=True):
            assert ("episode" in own) == ("episode" in theirs) == ("terminal_observation" in own)
            if "episode" in own:
                ended += 1
                assert own["episode"]["r"] == pytest.approx(theirs["episode"]["r"], abs=1e-6)
                assert own["episode"]["l"] == theirs["episode"]["l"]
                assert 0 < own["episode"]["t"] == pytest.approx(theirs["episode"]["t"], abs=2)


@pytest.mark.parametrize("action", [9, -1, 16, 2**32, 1.5, None, "spy"])
def test_the_learners_illegal_action_changes_nothing(action: Any) -> None:
    games = LearnerGames("brave_rats", [Scripted(*LOW_FIRST)], 3, seed=1)
    env = RatSingleEnv("brave_rats")
    env.reset(seed=1)
    before = games.batch.states.tobytes(), env._games.batch.states.tobytes()
    with pytest.raises(IllegalActionError, match=r"Game 1: player_\d cannot take action .*; legal are|whole numbers"):
        games.step(np.array([0, action, 0]))
    with pytest.raises(IllegalActionError, match=r"(player_\d|the learner) cannot take action .*; legal are"):
        env.step(action)
    assert (games.batch.states.tobytes(), env._games.batch.states.tobytes()) == before


# Actions that name players


def named_from(seat: int, players: int, text: str) -> str:
    """An action in which players are counted from a seat, in the game's own words."""

    def turn(found: re.Match) -> str:
        number = int(found[1])
        return f"player_{(number + seat) % players}" if number < players else found[0]

    return re.sub(r"player_(\d)", turn, text)


@each_game
def test_relative_actions_are_those_of_the_texts(game: str) -> None:
    """Checked by the words alone; players that do not take part, and whoever is no player, are not renamed."""
    table, words = get_game(game).relative_actions, get_game(game).actions
    for players in range(2, get_game(game).seats + 1):
        for seat in range(players):
            meant = [words[action] for action in table[players, seat]]
            assert meant == [named_from(seat, players, text) for text in words]
            assert sorted(table[players, seat]) == list(range(len(words)))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("roles", [False, True])
def test_the_learners_game_is_that_of_the_table(players: int, roles: bool) -> None:
    """The same chance, opponents and choices at a table of all seats, where actions name players as they are."""
    config = {"players": players, "roles": roles, "talk": True}
    words, random = get_game("comme_des_rats").actions, np.random.default_rng(0)
    for seat in range(players):
        games = LearnerGames("comme_des_rats", [first_legal("comme_des_rats")], 1, config, seat=seat)
        games.reset(3)
        env, own = rat_envs.make("comme_des_rats", **config), f"player_{seat}"
        env.reset(seed=3)
        steps = 0
        while not games.dones[0]:
            while env.agent_selection != own:
                env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
            seen = env.observe(own)
            assert (seen["observation"] == games.observations[0]).all()
            meant = {named_from(seat, players, words[action]) for action in np.flatnonzero(games.masks[0])}
            assert meant == {words[action] for action in np.flatnonzero(seen["action_mask"])}, "the mask is exact"
            choice = choose(games.masks, random)
            env.step(words.index(named_from(seat, players, words[choice[0]])))
            games.step(choice)
            steps += 1
        while not any(env.terminations.values()):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        assert env.rewards[own] == games.rewards[0]
        assert (env.observe(own)["observation"] == games.final_observations[0]).all()
        assert steps > 10


@each_game
def test_what_an_agent_would_do_in_the_learners_place(game: str) -> None:
    """It is asked as a seat of the game is; its answer is in the learner's numbers, and legal."""
    games = LearnerGames(game, [first_legal(game)], 16, seed=0)
    words, random = get_game(game).actions, np.random.default_rng(0)
    asked, renamed = last_legal(game), 0
    for _ in range(60):
        choices = games.choices_of(asked)
        assert np.take_along_axis(games.masks, choices[:, None], 1).all()
        for i, choice in enumerate(choices):
            legal = np.flatnonzero(games.batch.masks[i])
            assert named_from(int(games.seats[i]), games.players, words[choice]) == words[legal[-1]]
            renamed += choice != legal[-1]
        games.step(choose(games.masks, random))
    assert bool(renamed) == bool(get_game(game).seat_actions)


def test_who_is_named_stands_at_that_place_in_the_learners_observation() -> None:
    """A partner, a victim and the cat's target are counted alike in actions and in observations."""
    config = {"players": 5, "talk": True}
    games, random = LearnerGames("comme_des_rats", [RandomAgent(0)], 32, config, seed=0), np.random.default_rng(0)
    position, words = Position("comme_des_rats", config), get_game("comme_des_rats").actions
    fields = {"partner": "partner", "rob": "robbed", "claw": "visited"}
    named = dict.fromkeys(["partner", "rob", "claw", "say claw"], 0)
    for _ in range(150):
        actions = choose(games.masks, random)
        for i, action in enumerate(actions):
            *verb, who = words[action].split()
            if not who.startswith("player_") or " ".join(verb) not in named:
                continue
            place, seat = int(who.removeprefix("player_")), int(games.seats[i])
            put(position.state, games.batch.states[i])
            active = int(position.state.active)
            position.apply(named_from(seat, 5, words[action]))
            if position.is_over or position.state.active != active:
                continue  # the turn is over, and what was said and done in it forgotten
            seen = position.observe(seat)[0]
            if verb[0] == "say":
                assert seen.statements[0].tolist() == [int(text == words[action]) for text in words[2:15]]
            else:
                assert seen[fields[verb[0]]][place] == 1
            assert place != 0, "nobody names itself"
            named[" ".join(verb)] += 1
        games.step(actions)
    assert min(named.values()) > 20


WORDED = r"\d+ \([a-z0-9_ ]+\)"
ILLEGAL = (
    r"(An action must be a whole number, .*: )?Game [01]: the learner cannot take action "
    rf"(-?\d+|{WORDED}|1\.5|None|'.*'); legal are {WORDED}(, {WORDED})*\."
)


@pytest.mark.parametrize("action", [9, -1, 63, 2**32, 10**30, 1.5, None, "partner player_1", np.uint64(9), np.int8(-1)])
@pytest.mark.parametrize("players", [2, 5])
def test_the_learners_illegal_relative_action_is_one_sentence_and_changes_nothing(action: Any, players: int) -> None:
    games = LearnerGames("comme_des_rats", [first_legal("comme_des_rats")], 3, {"players": players}, seed=1)
    env = RatSingleEnv("comme_des_rats", players=players)
    env.reset(seed=1)
    before = games.batch.get_state(), games.masks.tobytes(), env._games.batch.states.tobytes()
    for step in (lambda: games.step(np.array([games.masks[0].argmax(), action, 0])), lambda: env.step(action)):
        with pytest.raises(IllegalActionError) as caught:
            step()
        assert re.fullmatch(rf"{ILLEGAL}|Actions must be whole numbers, not [a-z0-9]+\.", str(caught.value))
    rows = games.batch.states.tobytes()
    other = LearnerGames("comme_des_rats", [first_legal("comme_des_rats")], 3, {"players": players}, seed=1)
    assert rows == other.batch.states.tobytes()
    assert (games.masks.tobytes(), env._games.batch.states.tobytes()) == before[1:]
    games.step(games.masks.argmax(axis=1))


def test_the_sentence_names_actions_as_the_learner_numbers_them() -> None:
    """The learner in seat 2 of three is to choose its partner: 1 is its left neighbour, player_0."""
    games = LearnerGames("comme_des_rats", [first_legal("comme_des_rats")], 1, {"players": 3}, seed=1, seat=2)
    words = get_game("comme_des_rats").actions
    first = words.index("partner player_0")
    while not games.masks[0, first : first + 5].any():
        games.step(games.masks.argmax(axis=1))
    assert np.flatnonzero(games.masks[0]).tolist() == [first + 1, first + 2]
    legal = f"legal are {first + 1} (partner player_0), {first + 2} (partner player_1)."
    for action, named in ((first, f"{first} (partner player_2)"), (-1, "-1"), (len(words), str(len(words)))):
        with pytest.raises(IllegalActionError) as caught:
            games.step([action])
        assert str(caught.value) == f"Game 0: the learner cannot take action {named}; {legal}"


def turned_games(config: dict[str, Any], by: int, seed: int) -> list[tuple[Position, Position]]:
    """The decisions of a random game, each also as it is when everybody sits ``by`` seats further on."""
    game, players = get_game("comme_des_rats"), config["players"]
    straight, turned = Position(game, config), Position(game, config)
    turned.state.active = by  # who begins is all that tells the seats apart (CR-03)
    stream, pairs = new_stream(game, seed), []
    while not straight.is_over:
        if straight.is_chance and any(outcome.startswith("role ") for outcome in straight.chances()):
            roles = []
            for _ in range(players):
                roles.append(straight.sample(stream))
                straight.apply(roles[-1])
            for seat in range(players):
                turned.apply(roles[seat - by])
            continue
        if not straight.is_chance:
            pairs.append((straight.copy(), turned.copy()))
        text = straight.sample(stream)
        straight.apply(text)
        turned.apply(named_from(by, players, text))
    assert turned.is_over
    assert turned.returns() == straight.returns()[-by:] + straight.returns()[:-by]
    return pairs


def views_of(positions: list[Position]) -> SeatViews:
    """The view of who is to act in each position."""
    batch = Batch("comme_des_rats", len(positions), positions[0].configuration, 0)
    for row, position in zip(batch.states, positions, strict=True):
        put(row, position.state)
    batch.refresh()
    return SeatViews(batch)


def networks_blind_for_the_own_number() -> Networks:
    """Random networks to which the own seat's number, the only thing that differs when all move on, is nothing."""
    game, random = get_game("comme_des_rats"), np.random.default_rng(1)
    sizes = [game.observation.itemsize, 24, len(game.actions)]
    weights = [random.normal(size=(2, *shape)).astype(np.float32) for shape in itertools.pairwise(sizes)]
    field, offset = game.observation.fields["seat"][:2]
    weights[0][:, offset : offset + field.itemsize] = 0
    return Networks(tuple(weights), tuple(random.normal(size=(2, size)).astype(np.float32) for size in sizes[1:]))


@pytest.mark.parametrize(("players", "by"), [(2, 1), (3, 1), (3, 2), (4, 3), (5, 2)])
@pytest.mark.parametrize("roles", [False, True])
def test_a_policy_plays_alike_from_every_seat(players: int, by: int, roles: bool) -> None:
    """The same situation, everybody sitting some seats further on: the same choice, with the names that go with it."""
    config = {"players": players, "roles": roles, "talk": True}
    straight, turned = map(list, zip(*turned_games(config, by, seed=players), strict=True))
    views, turned_views = views_of(straight), views_of(turned)
    assert ((views.seats + by) % players == turned_views.seats).all()
    field, offset = views.game.observation.fields["seat"][:2]
    others = np.ones(views.observations.shape[1], bool)
    others[offset : offset + field.itemsize] = False
    assert (views.observations[:, others] == turned_views.observations[:, others]).all()
    names = views.game.action_numbers
    turn = np.array([names[named_from(by, players, text)] for text in names])
    assert (views.masks == turned_views.masks[:, turn]).all()
    agent = PolicyAgent(networks_blind_for_the_own_number(), views.game, config)
    policy, turned_policy = agent.policy_batch(views), agent.policy_batch(turned_views)
    assert ((policy > 0) <= (views.masks > 0)).all()
    assert np.allclose(policy, turned_policy[:, turn], atol=1e-7)
    assert not np.allclose(policy, turned_policy, atol=0.1), "names matter"


def test_a_policy_answers_in_the_learners_numbers() -> None:
    """What a network says of its own observation and mask is what the agent does in the game's numbers."""
    config = {"players": 5, "talk": True}
    games, random = LearnerGames("comme_des_rats", [RandomAgent(0)], 40, config, seed=0), np.random.default_rng(0)
    agent = PolicyAgent(networks_blind_for_the_own_number(), "comme_des_rats", config)
    words = agent.game.actions
    for _ in range(20):
        views = SeatViews(games.batch)
        own = agent.networks.probabilities(games.observations, games.masks).mean(axis=0)
        policy = agent.policy_batch(views)
        for i in range(games.n):
            by_words = {named_from(views.seats[i], 5, words[a]): own[i, a] for a in np.flatnonzero(games.masks[i])}
            assert by_words == pytest.approx({words[a]: policy[i, a] for a in np.flatnonzero(views.masks[i])}, abs=1e-6)
        games.step(choose(games.masks, random))


def test_a_game_is_the_same_object_in_every_copy() -> None:
    """So that a policy knows its game again in a copied or pickled environment."""
    game = get_game("comme_des_rats")
    assert copy.deepcopy(game) is game
    assert pickle.loads(pickle.dumps(game)) is game


@pytest.mark.parametrize("seed", [-3, 1.5, "x", True, 2**64])
def test_a_wrong_seed_is_refused_where_it_is_given(seed: Any) -> None:
    games = RatVecEnv(LearnerGames("brave_rats", [make_agent("random", "brave_rats")], 2, seed=0))
    for seeding in (games.seed, games.seed_opponents):
        with pytest.raises(
            ConfigurationError, match=rf"^seed={re.escape(repr(seed))}: must be a whole number from 0 to "
        ):
            seeding(seed)
    games.reset()


def test_attributes_are_of_games_that_are_there() -> None:
    games = RatVecEnv(LearnerGames("brave_rats", [first_legal("brave_rats")], 4))
    assert games.get_attr("num_envs", [0, 3]) == [4, 4] and games.get_attr("num_envs") == [4] * 4
    with pytest.raises(IndexError):
        games.get_attr("num_envs", 4)


class Greediest(Agent):
    """Takes as many stones as it may."""

    def act_batch(self, views: SeatViews) -> np.ndarray:
        return np.where(views.masks[:, 1], 1, views.masks.argmax(axis=1))


def test_a_game_that_others_end_before_the_learner_has_acted_is_not_reported() -> None:
    games = LearnerGames(STONES, [Greediest()], 20, {"players": 4}, seed=1, seat=3)
    for _ in range(5):
        assert (games.observations.view(STONES.observation)["stones"] == 1).all(), "of 5 or 6 nothing would be left"
        games.step(np.zeros(20, int))
        assert games.dones.all() and (games.rewards == 1).all(), "whoever takes the last stone wins"


def test_a_seat_that_never_acts_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rat_envs.api.learner.MOST_MOVES_OF_OTHERS", 2)
    sentence = r"^The learner's seat 3 had nothing to decide in 2 moves of others in Stones: give it another seat\.$"
    with pytest.raises(ConfigurationError, match=sentence):
        LearnerGames(STONES, [Greediest()], 1, {"players": 4}, seed=1, seat=3)


def test_a_class_is_no_opponent() -> None:
    with pytest.raises(ConfigurationError, match="cannot play: name an agent, or give an object with act_batch"):
        LearnerGames("brave_rats", [RandomAgent])  # type: ignore[list-item]


@pytest.mark.parametrize("seed", [-1, 1.5, "one"])
def test_a_seed_that_is_none_is_refused_in_our_words(seed):
    with pytest.raises(ConfigurationError, match=r"^seed=.*: must be a whole number from 0 to "):
        LearnerGames("brave_rats", ["random"], n=2).reset(seed)


def test_who_is_drawn_does_not_tell_what_is_played():
    games = LearnerGames("brave_rats", ["random", "random"], n=1, seed=5)
    for seed in (None, 6):
        games.reset(seed)
        randoms = [games.random, *(each.random for each in games.opponents)]
        assert len({copy.deepcopy(each).random() for each in randoms}) == 3
