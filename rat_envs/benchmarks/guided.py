"""Search with a policy: beside rollouts, and its network beside what the processor can do.

For one observation a network needs one multiplication and one addition for each weight of the inputs that are not 0,
and each weight is needed once. So nothing is faster than the processor's own inner product of as many numbers, which
BLAS knows best: it reads them from the same cache, and does nothing else. That is the limit here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rat_envs.agents.policy import Networks
from rat_envs.agents.search.agent import SearchAgent
from rat_envs.agents.search.guide import add_fixed, new_guide, run_guide
from rat_envs.api.seats import SeatViews
from rat_envs.benchmarks.measuring import Row, in_turns
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.program import program

__all__ = ["evaluations", "measure_guided", "multiplications", "weights_needed"]

SIMULATIONS = 200
#: Random moves before the positions that are searched, and how many positions there are.
MOVES, POSITIONS = 20, 8
#: Evaluations at a time, so that calls from Python cost next to nothing.
REPETITIONS = 100


def measure_guided(games: Iterable[Game], effort: float) -> list[Row]:
    """Simulations per second with the policy of the package, and evaluations per second of its network.

    Games whose policy guides no search are left out.
    """
    return [row for game in games for row in measure(game, effort)]


def measure(game: Game, effort: float) -> list[Row]:
    """One game by its default."""
    batch = Batch(game, POSITIONS, seed=0, auto_reset=True)
    for _ in range(MOVES):
        batch.step_random()
    try:
        guided = SearchAgent.make(game, 0, sims=SIMULATIONS, policy="learnt")
    except ConfigurationError:
        return []
    networks = guided.guide_in(game, int(batch.players[0]))
    assert networks is not None
    rollouts = SearchAgent.make(game, 0, sims=SIMULATIONS, rollout="greedy")
    speed, _, ratio = in_turns(searches(guided, batch), searches(rollouts, batch), effort)
    rows = [Row(f"{game.name}: ISMCTS with the policy learnt", speed, "simulations/s", "rollout=greedy", ratio)]
    speed, _, ratio = in_turns(evaluations(networks, batch), multiplications(networks, batch), effort)
    beside = "an inner product of as many numbers, by BLAS"
    return [*rows, Row(f"{game.name}: its network", speed, "observations/s", beside, ratio)]


def searches(agent: SearchAgent, batch: Batch) -> Callable[[], int]:
    """One search after another in the same positions."""
    views = SeatViews(batch)

    def search() -> int:
        agent.act_batch(views)
        return SIMULATIONS * batch.n

    return search


def evaluations(networks: Networks, batch: Batch) -> Callable[[], int]:
    """The compiled network, for one observation after another, as the search asks it."""
    game = batch.game
    guide = new_guide(networks, game, int(batch.players[0]), 1)
    changing = np.ascontiguousarray(batch.observations[:, : game.bytes_before_fixed])
    add_fixed(batch.observations[0], game.bytes_before_fixed, guide.first, guide.bias, guide.base)
    run = program(game).bind(evaluate_all)

    def evaluate() -> int:
        run(changing, guide, REPETITIONS)
        return REPETITIONS * batch.n

    return evaluate


def evaluate_all(observations, guide, repetitions):
    """Evaluate the network for each of some observations, over and over again."""
    for _ in range(repetitions):
        for k in range(len(observations)):
            run_guide(observations[k], guide.base, guide)


def multiplications(networks: Networks, batch: Batch) -> Callable[[], int]:
    """Inner products of as many numbers as one evaluation needs weights."""
    fixed = batch.observations.shape[1] - batch.game.bytes_before_fixed
    numbers = np.ones(round(weights_needed(networks, batch.observations, fixed)), np.float32)

    def multiply() -> int:
        for _ in range(REPETITIONS):
            np.dot(numbers, numbers)
        return REPETITIONS

    return multiply


def weights_needed(networks: Networks, observations: np.ndarray, fixed: int) -> float:
    """The mean number of weights of inputs that are not 0, without those of the last ``fixed`` numbers observed, which
    are added up once a search."""
    needed, values = 0.0, observations.astype(np.float32)
    for layer, (weight, bias) in enumerate(zip(networks.weights, networks.biases, strict=True)):
        if layer:
            values = np.tanh(values) if networks.activation == "tanh" else np.maximum(values, 0)
        counted = values if layer else values[:, : values.shape[1] - fixed]
        needed += (counted != 0).sum(1).mean() * weight.shape[2]
        values = values @ weight[0] + bias[0]
    return float(needed)
