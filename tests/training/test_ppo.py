"""Our own proximal policy optimisation: what is learnt from, and what comes of it. What it shares is in test_run.py."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from learners import LEARNERS, learnt
from learners import PPO as TINY

import rat_envs
from rat_envs.agents import make_agent
from rat_envs.agents.learnt import load_policy, save_policy
from rat_envs.agents.policy import PolicyAgent, seat_probabilities
from rat_envs.agents.shipped import shipped_file
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import of_no_game
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import get_game
from rat_envs.training import ppo
from rat_envs.training.gathering import Worker
from rat_envs.training.ppo import PPO, PPOOptions
from rat_envs.training.run import train

#: Fields of which each combination has parameters of its own.
CROSSED = {"brave_rats": ("own_hand", "opponent_cards"), "rattus_cartus": ("laid", "cards_held")}


def small(game: str = "brave_rats", **changes) -> PPOOptions:
    few = {"num_games": 32, "steps_per_update": 16, "minibatch": 128, "epochs": 2, "hidden": (16,)}
    return PPOOptions(game=game, minutes=None, steps=10**9, tensorboard=False, **{**few, **changes})


def by_hand(decisions: ppo.Decisions, kind: int, players: int, gae_lambda: float):
    """The λ-returns one decision at a time: from each to the same seat's next one in the same game."""
    length, n = decisions.actors.shape
    values, rewards = decisions.values[:, :, kind, :players], decisions.rewards[:, :, kind, :players]
    targets, known = np.zeros((length, n, players)), np.zeros((length, n), bool)

    def after(t: int, i: int, seat: int) -> tuple[np.ndarray, np.ndarray] | None:
        """What the next decision of a seat expects, and what came of it, by seat; None if the rollout ends before."""
        for later in range(t, length):
            if later > t and decisions.actors[later, i] == seat:
                return by_seat(values[later, i], seat), by_seat(targets[later, i], seat)
            if decisions.dones[later, i]:
                return rewards[later, i], rewards[later, i]
        return None

    def by_seat(clockwise: np.ndarray, seat: int) -> np.ndarray:
        return np.array([clockwise[(other - seat) % players] for other in range(players)])

    for t in reversed(range(length)):
        for i in range(n):
            seat = decisions.actors[t, i]
            found = after(t, i, seat)
            known[t, i] = found is not None
            ahead = None if found is None else (1 - gae_lambda) * found[0] + gae_lambda * found[1]
            targets[t, i] = values[t, i] if ahead is None else [ahead[(seat + k) % players] for k in range(players)]
    return targets[:, :, 0] - values[:, :, 0], targets, known


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 2), st.floats(0, 1))
def test_what_came_of_decisions_is_what_the_same_seat_met_next(seed, players, kinds, gae_lambda):
    random = np.random.default_rng(seed)
    shape, seats = (12, 3), 5
    decisions = ppo.Decisions(
        *[np.zeros(0)] * 4,
        values=random.normal(size=(*shape, kinds, seats)).astype(np.float32),
        actors=random.integers(players, size=shape),
        learnt=np.ones(shape, bool),
        rewards=random.normal(size=(*shape, kinds, seats)).astype(np.float32),
        dones=random.random(shape) < 0.15,
    )
    advantages, targets, known = ppo.outcomes(decisions, players, gae_lambda)
    for kind in range(kinds):
        expected = by_hand(decisions, kind, players, gae_lambda)
        assert np.array_equal(known, expected[2])
        assert np.allclose(targets[:, :, kind, :players], expected[1], atol=1e-5)
        assert np.allclose(advantages[:, :, kind], expected[0], atol=1e-5)


@pytest.mark.parametrize(("game", "config"), [("rattus", {"players": 3}), ("rattus_cartus", {}), ("brave_rats", {})])
def test_leads_are_a_second_reward_which_the_policy_does_not_expect(game, config):
    run = PPO(small(game, config=config, margin_weight=0.5, steps_per_update=200))
    run.play(imitating=False)
    ended = np.nonzero(run.decisions.dones)
    assert len(ended[0])
    rewards = run.decisions.rewards[ended][:, :, : run.games.players]
    assert (np.abs(rewards) <= 1).all() and (rewards[:, 1].max(1) > -1).any()
    winners = rewards[:, 0] == rewards[:, 0].max(1, keepdims=True)
    assert (rewards[:, 1][~winners] <= 0).all()
    assert not run.decisions.rewards[~run.decisions.dones].any()
    run.fit(imitating=False)
    assert run.agent().networks.returns == run.games.batch.game.seats


@pytest.mark.parametrize("game", ["brave_rats", "comme_des_rats", "rattus", "rattus_cartus"])
def test_every_seat_of_every_game_is_learnt_from(game):
    run = PPO(small(game, num_games=4, steps_per_update=64, minibatch=64))
    run.play(imitating=False)
    assert run.decisions.learnt.all()
    for i in range(4):
        assert set(run.decisions.actors[:, i]) == set(range(run.games.players))
    run.fit(imitating=False)
    assert run.steps == 4 * 64


@pytest.mark.parametrize(
    ("game", "crossed"),
    [*((game, ()) for game in ("brave_rats", "comme_des_rats", "rattus", "rattus_cartus")), *CROSSED.items()],
)
def test_what_is_saved_plays_as_what_was_trained(game, crossed):
    run = PPO(small(game, precision="float32", crossed=crossed, learning_rate=1e-2))
    run.update()
    run.update()
    views = SeatViews(run.games.batch)
    saved = PolicyAgent(run.model.networks(), run.options.game)
    run.play(imitating=False)
    room, meanings = run.decisions, None
    if run.games.batch.game.seat_actions:
        meanings = run.games.batch.game.relative_actions[views.players, views.seats]
    numbered = saved.policy_batch(views)
    policy = numbered if meanings is None else np.take_along_axis(numbered, meanings, 1)
    drawn = np.take_along_axis(policy, room.actions[0][:, None], 1)[:, 0]
    assert np.allclose(np.log(drawn), room.log_probabilities[0], atol=1e-3)
    assert np.allclose(saved.value_batch(views), room.values[0, :, 0, 0].clip(-1, 1), atol=1e-3)
    assert np.array_equal(seat_probabilities(saved.networks, views)[0] > 0, views.masks > 0)


@pytest.mark.parametrize("game", ["brave_rats", "comme_des_rats", "rattus", "rattus_cartus"])
def test_nothing_hidden_reaches_the_learner(game):
    """What the seat to act cannot know is drawn anew before each rollout begins: the same first decisions."""
    noted = []
    for seed in (None, 1, 2):
        run = PPO(small(game))
        batch = run.games.batch
        for _ in range(9):
            batch.step_random()
            batch.reset_done()
        if seed is not None:
            batch.states[:] = SeatViews(batch).determinize(new_stream(batch.game, seed))
            batch.refresh()
        run.play(imitating=False)
        noted.append([each[0].tobytes() for each in run.decisions[:5]])
    assert noted[0] == noted[1] == noted[2]


@pytest.mark.parametrize("game", CROSSED)
def test_each_combination_has_parameters_of_its_own(game, tmp_path):
    run = PPO(small(game, crossed=CROSSED[game], separate=True))
    first = run.model.networks().crossed
    for _ in range(2):
        run.update()
    learnt_now = run.model.networks()
    assert first is not None and learnt_now.crossed is not None
    moved = (learnt_now.crossed.tables != first.tables).any((0, 2))
    seen = run.decisions.observations[..., -2:].reshape(-1, 2).view(np.uint16)[:, 0]
    assert len(set(seen)) > 50
    assert moved[seen].mean() > 0.9, "what was met has been learnt"
    assert moved.mean() < 0.5, "what was not met stays as it was"
    save_policy(tmp_path / "policy", run.agent())
    views = SeatViews(run.games.batch)
    loaded = load_policy(tmp_path / "policy", game)
    assert np.array_equal(loaded.policy_batch(views), run.agent().policy_batch(views))


def test_a_policy_can_be_the_mean_of_many_updates():
    biases, agents = {}, {}
    for averaged in (1, 2):
        run, biases[averaged] = PPO(small(averaged=averaged, seed=3)), []
        for _ in range(4):
            run.update()
            biases[averaged].append(run.model.networks().biases[-1])
        agents[averaged] = run.agent().networks.biases[-1]
    assert np.array_equal(biases[1], biases[2]), "what is learnt does not depend on it"
    assert np.array_equal(agents[1], biases[1][-1])
    expected = biases[1][0]
    for each in biases[1][1:]:
        expected = (expected + each) / 2
    assert np.allclose(agents[2], expected, atol=1e-6) and not np.array_equal(agents[2], agents[1])


def test_it_learns_to_beat_random_play():
    few = {"num_games": 256, "minibatch": 2048, "hidden": (64,), "entropy_coefficient": 0.005}
    options = PPOOptions(steps=300_000, minutes=None, tensorboard=False, **few)
    run = PPO(options)
    while run.fraction() < 1:
        run.update()
    match = play_match("brave_rats", [run.agent(), make_agent("random", "brave_rats", 1)], None, 500, 1)
    assert match.to_json()["agents"][0]["mean_return"]["low"] > 0.2


def test_it_imitates_its_teacher_first():
    run = PPO(small("rattus", teacher_steps=10**6, learning_rate=5e-3, hidden=(64,)))
    batch = Batch("rattus", 200, seed=1)
    for _ in range(9):
        batch.step_random()
    views = SeatViews(batch)
    shown = make_agent("greedy", "rattus", 0).act_batch(views)[:, None]
    likely = [np.take_along_axis(run.agent().policy_batch(views), shown, 1).mean()]
    for _ in range(40):
        run.update()
        assert run.report()["imitated"] == "greedy"
    likely.append(np.take_along_axis(run.agent().policy_batch(views), shown, 1).mean())
    assert likely[1] > likely[0] + 0.2


@pytest.mark.parametrize(("game", "players"), [("rattus", 2), ("rattus", 4), ("rattus_cartus", 5), ("brave_rats", 2)])
def test_it_begins_with_a_saved_policy_of_any_number_of_players(game, players, tmp_path):
    usual = {"margin_weight": 0.5, "precision": "float32"}
    before = PPO(small(game, **usual))
    for _ in range(3):
        before.update()
    path = tmp_path / "policy.safetensors"
    save_policy(path, before.agent())
    config = {} if game == "brave_rats" else {"players": players}
    run = PPO(small(game, config=config, seed=5, begin_with=str(path), **usual))
    batch = Batch(game, 32, config, 5)
    for _ in range(40):
        batch.step_random()
    views = SeatViews(batch)
    assert np.allclose(run.agent().policy_batch(views), before.agent().policy_batch(views), atol=1e-3)
    assert np.allclose(run.agent().value_batch(views), before.agent().value_batch(views), atol=1e-3)
    logits, _ = run.model(run.whole(run.model.see(views.observations)))
    assert np.allclose(
        logits.detach().cpu(), run.model.networks().outputs(views.observations)[0, :, : logits.shape[1]], atol=1e-3
    )
    run.update()
    assert not np.array_equal(run.agent().policy_batch(views), before.agent().policy_batch(views))


def test_a_run_killed_before_its_first_checkpoint_still_begins_with_the_policy(tmp_path):
    path = tmp_path / "policy.safetensors"
    before = PPO(small())
    save_policy(path, before.agent())
    for folder in (tmp_path, None):  # one that is there, without a checkpoint, and one that is not there yet
        place = str(tmp_path / "new") if folder is None else str(folder)
        run = PPO(small(seed=5, begin_with=str(path), folder=place, resume=folder is not None))
        assert np.allclose(run.first.weights[-1], before.first.weights[-1], atol=1e-6)


def test_workers_meet_the_earlier_selves_of_the_learner():
    leader = PPO(small(opponents={"frozen": 1.0}, history=2, ray_workers=2))
    for _ in range(3):
        leader.update()
    worker = Worker(leader.options.of_worker(), 0)
    for _ in range(2):
        worker.play(leader.parameters(), leader.updates, False, leader.earlier())
        selves = [
            [(each.update, each.networks.weights[0].tobytes()) for each in run.pool.history]
            for run in (leader, worker.run)
        ]
        assert selves[0] == selves[1] and worker.run.pool.latest.update == leader.updates
        leader.update()


def test_what_cannot_be_begun_with_gets_one_sentence(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, PPO(small("rattus", separate=True)).agent())
    with pytest.raises(ConfigurationError, match=r"begin_with=.*: it must be one network that expects returns"):
        PPO(small("rattus", begin_with=str(path)))
    save_policy(path, PPO(small("rattus")).agent())
    for changes in ({"hidden": (16, 16)}, {"activation": "tanh"}):
        with pytest.raises(ConfigurationError, match=r"begin_with=.*: it has hidden=\[16\] with relu"):
            PPO(small("rattus", begin_with=str(path), **changes))
    with pytest.raises(ConfigurationError, match=r"begin_with=.*: not with separate=true"):
        PPO(small("rattus", begin_with=str(path), separate=True))
    with pytest.raises(
        ConfigurationError, match=r"begin_with=.*: it tells other combinations .* crossed=\('tokens',\)"
    ):
        PPO(small("rattus", begin_with=str(path), crossed=("tokens",)))
    with pytest.raises(CheckpointError, match="one for brave_rats is needed"):
        PPO(small(begin_with=str(path)))
    with pytest.raises(CheckpointError, match="There is no"):
        PPO(small(begin_with=str(tmp_path / "missing")))
    with pytest.raises(ConfigurationError, match="looks ahead itself"):
        PPO(small(begin_with=str(shipped_file(get_game("brave_rats"), 2))))


def test_a_resumed_run_needs_no_policy_to_begin_with(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, PPO(TINY.tiny(tmp_path / "first", 1)).agent())
    changes = {"begin_with": str(path)}
    train(TINY.tiny(tmp_path / "whole", 4, **changes))
    train(TINY.tiny(tmp_path / "half", 2, **changes))
    path.unlink()
    train(TINY.tiny(tmp_path / "half", 4, resume=True, **changes))
    assert learnt(tmp_path / "half") == learnt(tmp_path / "whole")


def test_a_teacher_is_imitated_in_so_many_passes():
    steps = {}
    for passes in (1, 4):
        run = PPO(small("rattus", teacher_steps=10**6, teacher_epochs=passes, teacher_minibatch=128))
        run.update()
        steps[passes] = int(run.descent.steps)
    assert steps[4] == 4 * steps[1] > 0


def test_opponents_play_all_seats_but_one_and_are_not_learnt_from():
    run = PPO(small("comme_des_rats", opponents={"greedy": 0.5, "frozen": 0.2}, steps_per_update=64, num_games=64))
    alone = 0
    for _ in range(4):
        run.update()
        kinds = [each and each.name for each in run.games.opponents]
        alone += kinds.count(None)
        assert run.steps < 64 * 64 * run.updates
    assert 0.1 < alone / (4 * 64) < 0.6 and {"greedy", "frozen self"} <= set(kinds)
    for i in np.flatnonzero(run.games.opponents != None)[:5]:  # noqa: E711
        if not run.decisions.dones[:, i].any():
            own = np.flatnonzero(run.games.seats[i])
            assert len(own) == 1 and set(run.decisions.actors[run.decisions.learnt[:, i], i]) == set(own)


def test_against_opponents_the_learner_plays_several_seats_if_asked():
    run = PPO(small("comme_des_rats", opponents={"greedy": 1.0}, most_seats=3, steps_per_update=64, num_games=200))
    numbers = np.bincount(run.games.seats.sum(1), minlength=5)
    assert numbers[0] == numbers[4] == 0 and numbers[1:4].min() > 40
    assert len(np.unique(run.games.seats, axis=0)) == 4 + 6 + 4
    seats = run.games.seats.copy()
    run.play(imitating=False)
    decided = run.decisions
    through = np.flatnonzero(~decided.dones.any(0))
    assert len(through) > 20
    for i in through:
        np.testing.assert_array_equal(decided.learnt[:, i], seats[i][decided.actors[:, i]])


def test_a_run_goes_on_with_the_seats_that_the_learner_had():
    options = small("comme_des_rats", opponents={"greedy": 1.0}, most_seats=3)
    run, other = PPO(options), PPO(options)
    run.update()
    state, arrays = run.get_state()
    other.set_state(state, arrays, run.steps)
    np.testing.assert_array_equal(other.games.seats, run.games.seats)
    arrays["seats"] = np.zeros_like(arrays["seats"])
    with pytest.raises(ValueError, match="no seat"):
        other.set_state(state, arrays, run.steps)


@pytest.mark.parametrize(("game", "config"), [("rattus", {}), ("rattus", {"players": 2}), ("brave_rats", {})])
def test_the_chance_after_the_last_decision_can_be_drawn_many_times(game, config):
    changes = {"num_games": 40, "steps_per_update": 300, "final_draws": 400, "margin_weight": 0.5}
    run = PPO(small(game, config=config, **changes))
    games, batch, seen, step = run.games, run.games.batch, [], run.games.batch.step

    def step_and_keep(actions):
        before = batch.states.copy()
        step(actions)
        seen.extend((before[i], actions[i], batch.rewards[i].copy()) for i in np.flatnonzero(batch.dones))

    batch.step = step_and_keep
    run.play(imitating=False)
    learnt_from = run.decisions.rewards[run.decisions.dones]
    assert len(learnt_from) == len(seen) > 20
    assert np.abs(learnt_from[:, 0].sum(1)).max() < 1e-4
    drawn = rat_envs.Batch(game, 400, config, seed=77, auto_reset=False)
    for (before, action, _), (own, lead) in zip(seen, learnt_from, strict=True):
        drawn.states[:] = before
        drawn.refresh()
        drawn.step(np.full(drawn.n, action))
        expected = drawn.rewards[drawn.dones.astype(bool)].mean(0)
        assert np.abs(own - expected).max() < 0.36  # five standard errors of two means of 400, for two players
        assert (np.abs(lead) <= 1).all()
    luck = np.abs(learnt_from[:, 0] - [rewards for *_, rewards in seen]).max()
    assert (luck > 0.5) == (game == "rattus")
    assert games.rewards.dtype == np.float32


def test_games_may_begin_with_random_moves():
    run = PPO(small(random_starts=1.0, random_moves=5, num_games=100))
    assert set(run.games.random_moves) == set(range(6))
    first = run.games.random_moves.copy()
    run.play(imitating=False)
    for i, moves in enumerate(first):
        if run.decisions.dones[: moves + 1, i].any():
            continue
        assert not run.decisions.learnt[:moves, i].any() and run.decisions.learnt[moves, i]


def test_of_decisions_beyond_doubt_a_part_stands_for_all():
    run = PPO(small("rattus_cartus", doubtless_share=0.25, num_games=100, steps_per_update=64))
    run.play(imitating=False)
    logs = run.decisions.log_probabilities
    logs[:] = np.where(run.games.random.random(logs.shape) < 0.5, -1e-4, -0.01)
    chains, lessons = run.prepare(imitating=False)
    all_chains, everything = run.prepare(imitating=True)
    doubtless = everything.log_probabilities == np.float32(-1e-4)
    assert (everything.weights == 1).all() and 0.4 < doubtless.mean() < 0.6
    kept = np.isin(all_chains.rows, chains.rows)
    assert kept[~doubtless].all()
    assert abs(kept[doubtless].mean() - 0.25) < 0.05  # five standard errors
    assert ((lessons.weights == 4) == (lessons.log_probabilities == np.float32(-1e-4))).all()
    assert set(lessons.weights) == {1, 4}
    assert not np.array_equal(run.prepare(imitating=False)[0].rows, chains.rows)  # others the next time
    learnt = run.steps
    run.fit(imitating=False)
    assert run.steps - learnt == run.decisions.learnt.sum()


def flat(network):
    """A copy of all parameters of a network, one after the other."""
    return torch.cat([each.flatten() for each in network.parameters()]).detach().clone()


def divergence(run: PPO) -> float:
    """Of the policy from the magnet, where the run's games are."""
    views = SeatViews(run.games.batch)
    policy, magnet = (run.agent_of(each.networks(), {}).policy_batch(views) for each in (run.model, run.magnet))
    return float((policy * np.log(np.where(policy > 0, policy / np.where(policy > 0, magnet, 1), 1))).sum(1).mean())


def test_the_magnet_follows_slowly_and_holds_back():
    free, held = (PPO(small(regularisation=kind, magnet_coefficient=5.0, seed=1)) for kind in ("none", "mmd"))
    for run in (free, held):
        run.update()
        before = flat(run.magnet)
        for _ in range(5):
            run.update()
        moved = (flat(run.magnet) - before).norm()
        assert (moved > 0) == (run is held)
        assert moved < (flat(run.model) - before).norm()
    assert 0 < divergence(held) < 0.5 * divergence(free)


def test_the_magnet_is_what_was_imitated():
    run = PPO(small(regularisation="mmd", magnet_rate=0.0, teacher_steps=100, seed=1))
    drawn = flat(run.model)
    run.update()
    imitated = flat(run.model)
    assert not torch.equal(drawn, imitated)
    assert torch.equal(flat(run.magnet), imitated)
    assert not run.is_imitating()
    run.update()
    assert torch.equal(flat(run.magnet), imitated)
    assert not torch.equal(flat(run.model), imitated)


def test_who_asks_whether_it_imitates_does_not_change_the_run():
    run = PPO(small(teacher_steps=100))
    run.learnt_from = 200
    assert not run.is_imitating()
    run.learnt_from = 0
    assert run.is_imitating() and run.decide_to_imitate()
    run.learnt_from = 200
    assert not run.decide_to_imitate()
    run.learnt_from = 0
    assert not run.is_imitating(), "from playing alone there is no way back"


def test_the_bonus_keeps_the_policy_mixed():
    entropies = []
    for options in ({"regularisation": "none"}, {"entropy_coefficient": 1.0}):
        run = PPO(small(seed=1, learning_rate=1e-2, **options))
        for _ in range(15):
            run.update()
        entropies.append(run.entropy)
    assert entropies[1] > entropies[0] + 0.08


def test_separate_networks_tell_no_value():
    run = PPO(small(separate=True))
    run.update()
    assert run.agent().value_batch(SeatViews(run.games.batch)) is None
    assert run.model.critic is not None


def test_with_opponents_and_a_teacher_a_resumed_run_is_the_same(tmp_path):
    changes = {
        "opponents": {"random": 0.3, "frozen": 0.4},
        "teacher_steps": 150,
        "regularisation": "mmd",
        "random_starts": 0.5,
        "crossed": CROSSED["brave_rats"],
        "averaged": 3,
        "final_draws": 3,
        "doubtless_share": 0.5,
    }
    whole = TINY.tiny(tmp_path / "whole", 8, **changes)
    train(whole)
    steps = whole.steps
    half = TINY.tiny(tmp_path / "half", 8, **changes)
    run = PPO(half)
    run.folder.mkdir()
    for _ in range(4):
        run.update()
    run.save()
    train(TINY.tiny(tmp_path / "half", 8, resume=True, **changes))
    assert steps == half.steps
    assert learnt(tmp_path / "half") == learnt(tmp_path / "whole")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"num_games": 0}, "num_games"),
        ({"opponents": {"random": 0.7, "greedy": 0.7}}, "opponents"),
        ({"opponents": {"random": -0.1}}, "opponents"),
        ({"most_seats": 0}, "most_seats"),
        ({"most_seats": 2}, "most_seats=2: must be 1 with 2 players, as opponents need a seat"),
        ({"activation": "step"}, "activation"),
        ({"regularisation": "much"}, "regularisation"),
        ({"hidden": ()}, "hidden"),
        ({"gae_lambda": 1.5}, "gae_lambda"),
        ({"minibatch": 10**6}, "minibatch"),
        ({"precision": "int8"}, "precision"),
        ({"device": "abacus"}, "device"),
        ({"random_moves": -1}, "random_moves"),
        ({"clip_range": 0.0}, "clip_range"),
        ({"learning_rate": -1.0}, "learning_rate"),
        ({"crossed": ("own_hands",)}, "crossed"),
        ({"averaged": 0}, "averaged"),
        ({"final_draws": 0}, "final_draws"),
        ({"doubtless_share": 0.0}, "doubtless_share"),
        ({"history": 0}, "history"),
        ({"learning_rate": float("inf")}, "learning_rate=inf: must be a number"),
    ],
)
def test_wrong_options_get_one_sentence(wrong, named):
    with pytest.raises(ConfigurationError, match=named) as error:
        PPO(small(**wrong))
    assert "\n" not in str(error.value)


def annealed(run, final: float, steps: int) -> float:
    """What is left of something after the steps of a run."""
    return 1 - (1 - final) * min(1.0, run.steps / steps)


@pytest.mark.parametrize("name", ["ppo", "search"])
def test_the_learning_rate_falls_as_the_options_say(tmp_path, name):
    learner = LEARNERS[name]
    steps = learner.steps(2)
    run = learner.tiny(tmp_path, 50, learning_rate=0.01, final_rate=0.5, annealing_steps=steps).new_run()
    rates = []
    for _ in range(5):
        run.update()
        rates.append(run.descent.rate)
        assert rates[-1] == pytest.approx(0.01 * annealed(run, 0.5, steps))
    run.close()
    assert 0.01 > rates[0] > rates[-1] == 0.005


def test_the_entropy_bonus_falls_as_the_options_say(tmp_path, monkeypatch):
    weights = []

    def noting(function):
        def found(*arguments):
            weights.append(arguments[-9])
            return of_no_game(function)(*arguments)

        return found if function is ppo.find_gradients else of_no_game(function)

    monkeypatch.setattr(ppo, "of_no_game", noting)
    steps = TINY.steps(2)
    more = {"regularisation": "entropy", "entropy_coefficient": 0.2, "final_entropy": 0.5, "annealing_steps": steps}
    run = TINY.tiny(tmp_path, 50, **more).new_run()
    for _ in range(5):
        run.update()
        assert weights[-1] == pytest.approx(0.2 * annealed(run, 0.5, steps))
    run.close()
    assert 0.2 > weights[0] > weights[-1] == 0.1


def test_while_it_imitates_it_learns_at_the_teachers_rate(tmp_path):
    rates = {"teacher_rate": 0.02, "learning_rate": 0.01}
    run = TINY.tiny(tmp_path, 50, teacher_steps=1, teacher_minibatch=32, **rates).new_run()
    found = []
    for _ in range(2):
        run.update()
        found.append(run.descent.rate)
    run.close()
    assert found == pytest.approx([0.02, 0.01], rel=1e-4)
