"""Learning from a search: what is remembered, and what comes of it. What it shares is in test_run.py."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

pytest.importorskip("torch")

from rat_envs.agents import make_agent
from rat_envs.agents.learnt import save_policy
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import new_stream
from rat_envs.training.ppo import PPO, PPOOptions
from rat_envs.training.search_learner import SearchLearner, SearchLearnerOptions

GAMES = ["brave_rats", "comme_des_rats", "rattus", "rattus_cartus"]


def small(game: str = "brave_rats", **changes) -> SearchLearnerOptions:
    few = {"num_games": 8, "steps_per_update": 8, "sims": 8, "memory": 8, "minibatch": 64, "hidden": (16,)}
    return SearchLearnerOptions(game=game, minutes=None, steps=10**9, tensorboard=False, **{**few, **changes})


def in_the_middle(run: SearchLearner, moves: int = 9) -> Batch:
    """The run's games after some random moves."""
    for _ in range(moves):
        run.batch.step_random()
    return run.batch


@pytest.mark.parametrize("game", GAMES)
def test_what_is_learnt_to_be_played_is_what_the_search_tried(game):
    run = SearchLearner(small(game, sims=16))
    views = SeatViews(in_the_middle(run))
    twin = SearchAgent(SearchOptions(sims=16), run.options.seed, run.agent())
    shares = twin.search_batch(views).shares
    run.play(imitating=False)
    meanings = np.arange(views.masks.shape[1])[None].repeat(len(views), 0)
    if views.game.seat_actions:
        meanings = views.game.relative_actions[views.players, views.seats]
    learnt = np.zeros_like(shares)
    np.put_along_axis(learnt, meanings, run.memory.policies[0].astype(np.float64), 1)
    assert np.allclose(learnt, shares, atol=1e-3) and np.allclose(shares.sum(1), 1)
    assert (learnt[views.masks == 0] == 0).all()


def test_the_search_may_play_games_on_by_the_network():
    run = SearchLearner(small("rattus", seed=3, sims=16, rollout="policy"))
    views = SeatViews(in_the_middle(run))
    by_values, to_the_end = (
        SearchAgent(options, 3, run.agent()).search_batch(views).shares
        for options in (SearchOptions(sims=16), SearchOptions(sims=16, rollout="policy"))
    )
    run.play(imitating=False)
    assert np.allclose(run.memory.policies[0], to_the_end, atol=1e-3)
    assert not np.allclose(by_values, to_the_end, atol=1e-3)
    with pytest.raises(ConfigurationError, match=r"rollout='greedy': must be policy, or empty"):
        small(rollout="greedy")


def test_it_begins_with_a_policy_of_another_learner(tmp_path):
    path = tmp_path / "policy.safetensors"
    before = PPO(PPOOptions(game="rattus", minutes=None, steps=10**9, num_games=16, minibatch=64, hidden=(16,)))
    before.update()
    save_policy(path, before.agent())
    run = SearchLearner(small("rattus", config={"players": 2}, sims=2, memory=20, begin_with=str(path)))
    views = SeatViews(in_the_middle(run, 20))
    policies, values = before.agent().policy_batch(views), before.agent().value_batch(views)
    assert np.allclose(run.agent().policy_batch(views), policies, atol=1e-3)
    assert np.allclose(run.agent().value_batch(views), values, atol=1e-3)
    assert np.allclose(run.untrained().policy_batch(views), policies, atol=1e-3)
    while run.entropy is None:  # until a game has ended
        run.update()
    assert not np.array_equal(run.agent().policy_batch(views), policies)
    with pytest.raises(ConfigurationError, match=r"begin_with=.*: it has hidden=\[16\] with relu, not hidden=\[8\]"):
        SearchLearner(small("rattus", begin_with=str(path), hidden=(8,)))
    for changes, wrong in (
        ({"recall": 2}, r"it recalls 2 decisions, so begin with recall=2 \(of the learner ppo\)"),
        ({"crossed": ("tokens",)}, r"it tells other combinations of numbers apart than crossed=\(\)"),
    ):
        save_policy(path, PPO(dataclasses.replace(before.options, **changes)).agent())
        with pytest.raises(ConfigurationError, match=wrong):
            SearchLearner(small("rattus", begin_with=str(path)))


def test_shares_count_simulations_where_a_seat_chooses_alone():
    batch = Batch("rattus", 30, {"players": 2}, 3)
    for _ in range(9):
        batch.step_random()
    views = SeatViews(batch)
    found = SearchAgent(SearchOptions(sims=20), 1).search_batch(views)
    assert np.allclose(found.shares * 20, np.round(found.shares * 20))
    assert np.array_equal(found.shares.argmax(1), found.policy.argmax(1))
    assert (found.shares.max(1)[views.masks.sum(1) > 3] < 1).any()


@pytest.mark.parametrize(("game", "config"), [("comme_des_rats", {"players": 3}), ("rattus", {"players": 4})])
def test_returns_are_those_of_the_game_seen_from_who_acted(game, config):
    run = SearchLearner(small(game, config=config, num_games=3, sims=2, memory=60))
    players, actors, ended = config["players"], [], 0
    for _ in range(400):
        actors.append(run.batch.actors.copy())
        begun = run.memory.begun.copy()
        run.decide(imitating=False)
        for i in np.flatnonzero(run.batch.dones):
            ended += 1
            for t in range(max(begun[i], run.decided - len(run.memory.known)), run.decided):
                place = t % len(run.memory.known)
                wanted = [run.batch.rewards[i, (actors[t][i] + k) % players] for k in range(players)]
                assert run.memory.known[place, i]
                assert np.array_equal(run.memory.returns[place, i, :players], np.float32(wanted))
    assert ended > 3
    for i, begun in enumerate(run.memory.begun):
        going_on = np.arange(max(begun, run.decided - len(run.memory.known)), run.decided) % len(run.memory.known)
        assert not run.memory.known[going_on, i].any()


@pytest.mark.parametrize("game", GAMES)
def test_nothing_hidden_reaches_the_learner(game):
    """What the seat to act cannot know is drawn anew before the first decision: the same is learnt and played."""
    noted = []
    for seed in (None, 1, 2):
        run = SearchLearner(small(game))
        batch = in_the_middle(run)
        if seed is not None:
            batch.states[:] = SeatViews(batch).determinize(new_stream(batch.game, seed))
            batch.refresh()
        drawn = []
        batch.step, step = lambda actions, to=drawn: to.append(np.array(actions)), batch.step
        run.decide(imitating=False)
        batch.step = step
        kept = [getattr(run.memory, name)[0] for name in ("observations", "masks", "policies", "actors")]
        noted.append([each.tobytes() for each in (*kept, drawn[0])])
    assert noted[0] == noted[1] == noted[2]


def test_the_search_asks_the_network_as_it_is():
    run = SearchLearner(small(learning_rate=0.05, sims=32, hidden=(32,)))
    views = SeatViews(run.batch)
    before = run.search.search_batch(views)
    for _ in range(6):
        run.update()
    run.search.take_policy(run.agent())
    run.search.seed(run.options.seed)
    after = run.search.search_batch(views)
    fresh = SearchAgent(run.search.options, run.options.seed, run.agent()).search_batch(views)
    assert after.shares.tobytes() == fresh.shares.tobytes() != before.shares.tobytes()


def test_a_search_without_a_policy_cannot_be_given_another():
    run = SearchLearner(small())
    with pytest.raises(ConfigurationError, match="asks no policy"):
        SearchAgent().take_policy(run.agent())


def test_it_learns_to_beat_random_play():
    changes = {"num_games": 32, "steps_per_update": 32, "sims": 32, "memory": 8, "minibatch": 256, "hidden": (64,)}
    run = SearchLearner(small(config={"fast": True}, **changes))
    for _ in range(30):
        run.update()
    match = play_match("brave_rats", [run.agent(), make_agent("random", "brave_rats", 1)], {"fast": True}, 500, 1)
    assert match.to_json()["agents"][0]["mean_return"]["low"] > 0


def test_it_imitates_its_teacher_first_without_searching(monkeypatch):
    changes = {"teacher_steps": 10**6, "learning_rate": 5e-3, "num_games": 32, "memory": 4, "minibatch": 256}
    run = SearchLearner(small("rattus", epochs=2, steps_per_update=32, hidden=(64,), **changes))
    monkeypatch.setattr(run.search, "search_batch", None)
    batch = Batch("rattus", 200, seed=1)
    for _ in range(9):
        batch.step_random()
    views = SeatViews(batch)
    shown = make_agent("greedy", "rattus", 0).act_batch(views)[:, None]
    likely = [np.take_along_axis(run.agent().policy_batch(views), shown, 1).mean()]
    for _ in range(20):
        run.update()
        assert run.report()["imitated"] == "greedy"
    likely.append(np.take_along_axis(run.agent().policy_batch(views), shown, 1).mean())
    assert likely[1] > likely[0] + 0.15


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"num_games": 0}, "num_games"),
        ({"sims": 0}, "sims"),
        ({"memory": 0}, "memory"),
        ({"exploration": -1.0}, "exploration"),
        ({"noise": 1.5}, "noise"),
        ({"activation": "step"}, "activation"),
        ({"hidden": ()}, "hidden"),
        ({"precision": "int8"}, "precision"),
        ({"teacher_steps": -1}, "teacher_steps"),
        ({"final_rate": 2.0}, "final_rate"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"config": {"hands": "none"}}, "hands"),
    ],
)
def test_wrong_options_get_one_sentence(wrong, named):
    with pytest.raises(ConfigurationError, match=named) as error:
        SearchLearner(small(**wrong))
    assert "\n" not in str(error.value)
