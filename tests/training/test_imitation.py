"""Imitation: the learner comes to do what the agent does, then goes on by itself."""

from __future__ import annotations

import numpy as np
import pytest
from learners import MASKABLE_PPO, PPO, SEARCH, checkpoint

from rat_envs.agents import make_agent
from rat_envs.agents.heuristics import HeuristicAgent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.registry import get_game
from rat_envs.training.gathering import GatheringRun
from rat_envs.training.maskable_ppo import SelfPlay
from rat_envs.training.run import Pace, report, train

LARGER = {"num_games": 256, "minibatch": 512, "epochs": 4, "hidden": (64, 64), "average_share": 0.1}


def share_alike(run: SelfPlay) -> float:
    """The chance that the learner does what the agent does, in the mean over positions of random play."""
    batch = Batch("brave_rats", 500, seed=1)
    for _ in range(3):
        batch.step_random()
    views = SeatViews(batch)
    shown = make_agent("greedy", "brave_rats", 0).policy_batch(views)
    learnt = run.agent().policy_batch(views)
    return float((learnt * shown).sum(axis=1).mean())


def test_the_learner_comes_to_do_what_the_agent_does(tmp_path):
    run = SelfPlay(MASKABLE_PPO.tiny(tmp_path, steps=10**6, imitation_steps=40 * 256 * 8, **LARGER))
    before = share_alike(run)
    for _ in range(40):
        run.update()
    assert before < 0.3 and share_alike(run) > 0.6


@pytest.mark.parametrize("game", ["brave_rats", "rattus_cartus"])
def test_it_notes_the_agents_moves_in_place_of_its_own(tmp_path, game):
    run = SelfPlay(MASKABLE_PPO.tiny(tmp_path, game=game))
    agent, expected = make_agent("greedy", game, 0), []

    def note() -> bool:
        """What the agent does in the state before each move, in the learner's numbers."""
        actions = agent.act_batch(SeatViews(run.games.batch))
        meanings = get_game(game).relative_actions[run.games.players, run.games.seats]
        expected.append([int(np.flatnonzero(meanings[i] == action)[0]) for i, action in enumerate(actions)])
        return True

    note()
    run.statistics._on_step = note
    for _ in range(2):
        run.play(run.imitating)
        seen = run.model.rollout_buffer
        np.testing.assert_array_equal(seen.actions[..., 0], expected[:-1])
        assert np.take_along_axis(seen.action_masks, seen.actions.astype(int), 2).all()
        del expected[:-1]


def test_afterwards_it_learns_from_its_own_moves_and_their_rewards(tmp_path, monkeypatch):
    run = SelfPlay(MASKABLE_PPO.tiny(tmp_path, 5, halving_steps=64))
    assert "imitating greedy" in report(run, Pace(run), False).words()
    played, learnt = [], []

    def step(actions) -> None:
        played.append(actions)
        type(run.environment).step_async(run.environment, actions)

    def train() -> None:
        learnt.append((run.steps, run.model.lr_schedule(1.0)))
        np.testing.assert_array_equal(run.model.rollout_buffer.actions[..., 0], played[-8:])
        type(run.model).train(run.model)

    monkeypatch.setattr(run.environment, "step_async", step)
    monkeypatch.setattr(run.model, "train", train)
    for _ in range(4):
        run.update()
    rate = run.options.learning_rate
    assert learnt == [(192, rate), (256, rate / 2)], "2 updates of imitation came before"
    assert "imitating" not in report(run, Pace(run), False).words()


def test_it_takes_a_part_of_the_budget_and_never_comes_back(tmp_path):
    tiny = {"imitation_steps": 10**6, "imitation_share": 0.4}
    train(MASKABLE_PPO.tiny(tmp_path, 5, **tiny))
    assert checkpoint(tmp_path)[0]["alone_since"] == MASKABLE_PPO.steps(2)
    train(MASKABLE_PPO.tiny(tmp_path, 20, resume=True, **tiny))
    assert checkpoint(tmp_path)[0]["alone_since"] == MASKABLE_PPO.steps(2)


@pytest.mark.parametrize("learner", [PPO, SEARCH], ids=["ppo", "search"])
def test_nor_does_it_come_back_to_those_who_gather_games_when_the_budget_grows(tmp_path, monkeypatch, learner):
    told, gather = [], GatheringRun.gather

    def note(run: GatheringRun, imitating: bool) -> None:
        told.append(imitating)
        gather(run, imitating)

    monkeypatch.setattr(GatheringRun, "gather", note)
    tiny = {"teacher": "greedy", "teacher_steps": 10**6}
    train(learner.tiny(tmp_path, 5, **tiny))
    number = told.index(False)
    assert 2 <= number < len(told) and told == [True] * number + [False] * (len(told) - number)
    told.clear()
    train(learner.tiny(tmp_path, 20, resume=True, **tiny))
    assert len(told) > 10 and not any(told)


class Counting(HeuristicAgent):
    """Has more than random numbers to keep."""

    decisions = 0

    def act_batch(self, views):
        self.decisions += len(views)
        return super().act_batch(views)

    def get_state(self):
        return {"random": super().get_state(), "decisions": self.decisions}

    def set_state(self, state):
        super().set_state(state["random"])
        self.decisions = state["decisions"]


def test_what_a_teacher_keeps_is_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("rat_envs.training.opponents.make_agent", lambda *_, **__: Counting("greedy", 0))
    run = SelfPlay(MASKABLE_PPO.tiny(tmp_path, 50, imitation_steps=10**6))
    run.update()
    assert run.teacher.decisions
    state, arrays = run.get_state()
    other = SelfPlay(MASKABLE_PPO.tiny(tmp_path, 50, imitation_steps=10**6))
    other.set_state(state, arrays, run.steps)
    assert other.teacher.decisions == run.teacher.decisions
