"""Speed of games in ``Batch``, and in PettingZoo's ordinary loop beside an environment that does nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from rat_envs.api.aec import RatAECEnv
from rat_envs.benchmarks.measuring import Row, best_speed, in_turns
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import Game

__all__ = ["BareAECEnv", "aec_loop", "batch_steps", "measure_games"]

GAMES = 4096


class BareAECEnv(AECEnv):
    """An AEC environment that does nothing, with a game's shapes and length, to measure the cost of the interface."""

    metadata = {"name": "bare", "render_modes": []}

    def __init__(self, players: int, observation: int, actions: int, length: int) -> None:
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.length = length
        vector = spaces.Box(-128, 127, (observation,), np.int8)
        self.space = spaces.Dict({"observation": vector, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})
        self.seen = {"observation": np.zeros(observation, np.int8), "action_mask": np.ones(actions, np.int8)}

    def observation_space(self, agent: str) -> spaces.Space:
        """The same as the game's."""
        return self.space

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Begin again."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self.steps = 0

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The same observation every time."""
        return self.seen

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict]:
        """The same as in any minimal class."""
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """The next agent's turn, until the length is reached."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.steps += 1
        self.agent_selection = self.possible_agents[self.steps % len(self.possible_agents)]
        if self.steps == self.length:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()


def aec_loop(env: AECEnv, games: int) -> int:
    """Run the ordinary loop, with actions picked from the mask by ``nonzero``; return the number of steps."""
    steps = 0
    for _ in range(games):
        env.reset()
        for _agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[steps % len(legal)])
            steps += 1
    return steps


def batch_steps(game: Game) -> Callable[[], int]:
    """A function that plays many games at random on one thread, a few steps of each, and returns the number of
    steps."""
    batch = Batch(game, GAMES, seed=0, threads=1)

    def step_batch() -> int:
        for _ in range(20):
            batch.step_random()
        return 20 * GAMES

    step_batch()
    return step_batch


def measure_games(game: Game, effort: float) -> list[Row]:
    """Steps per second in a batch and through the loop."""
    step_batch = batch_steps(game)
    rows = [Row(f"{game.name}: Batch of {GAMES:,}, random play", best_speed(step_batch, 6 * effort), "steps/s")]
    env = RatAECEnv(game)
    env.reset(seed=0)
    length = round(aec_loop(env, 200) / 200)
    bare = BareAECEnv(len(env.possible_agents), game.observation.itemsize, len(game.actions), length)
    ours, _, ratio = in_turns(functools.partial(aec_loop, env, 50), functools.partial(aec_loop, bare, 50), effort)
    return [*rows, Row(f"{game.name}: agent_iter loop", ours, "steps/s", "bare AEC environment", ratio)]
