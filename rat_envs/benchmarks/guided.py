"""Speed of search with a policy, beside rollouts, and of its network, beside the limit of the processor.

From one decision of a seat to its next, a network needs one multiplication and one addition for each weight of an input
that has changed, and after the first layer for each weight of an input that is not 0 and leads to a wanted output. Each
weight is needed once. So nothing can be faster than the processor's inner product of as many numbers, which BLAS
computes best: it reads them from the same cache, aligned to its lines, and does nothing else. That is the limit here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rat_envs.agents.policy import Networks
from rat_envs.agents.search.agent import SearchAgent
from rat_envs.agents.search.guide import find_outputs, new_guide, run_guide
from rat_envs.api.seats import SeatViews
from rat_envs.benchmarks.measuring import Row, in_turns
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.memory import at_cache_line
from rat_envs.engine.program import program

__all__ = ["Question", "evaluations", "measure_guided", "multiplications", "questions", "weights_needed"]

SIMULATIONS = 200
#: The number of random moves before the positions that are searched, and the number of positions.
MOVES, POSITIONS = 20, 8
#: The number of decisions for which the network is evaluated, and how often, so that calls from Python cost hardly
#: anything.
DECISIONS = 200
REPETITIONS = 100
#: The number of observations, from as many games, for which it is evaluated at a time.
TOGETHER = 1000


def measure_guided(games: Iterable[Game], effort: float) -> list[Row]:
    """Simulations per second with the policy of the package, and evaluations per second of its network.

    Games whose policy cannot guide a search are left out.
    """
    return [row for game in games for row in measure(game, effort)]


def measure(game: Game, effort: float) -> list[Row]:
    """One game with its default options."""
    batch = Batch(game, POSITIONS, seed=0, auto_reset=True)
    for _ in range(MOVES):
        batch.step_random()
    try:
        guided = SearchAgent.make(game, 0, sims=SIMULATIONS, policy="learnt")
    except ConfigurationError:
        return []
    players = int(batch.players[0])
    networks = guided.guide_in(game, players)
    assert networks is not None
    rollouts = SearchAgent.make(game, 0, sims=SIMULATIONS, rollout="greedy")
    speed, _, ratio = in_turns(searches(guided, batch), searches(rollouts, batch), effort)
    rows = [Row(f"{game.name}: ISMCTS with the policy learnt", speed, "simulations/s", "rollout=greedy", ratio)]
    speed, _, ratio = in_turns(evaluations(networks, game, players), multiplications(networks, game), effort)
    beside = "an inner product of as many numbers, by BLAS"
    rows.append(Row(f"{game.name}: its network", speed, "observations/s", beside, ratio))
    speed, _, ratio = in_turns(*answers_and_products(networks, game), effort)
    what = f"{game.name}: its network, {TOGETHER:,} observations at a time"
    return [*rows, Row(what, speed, "observations/s", "all of its weights multiplied out, by BLAS", ratio)]


def searches(agent: SearchAgent, batch: Batch) -> Callable[[], int]:
    """A function that runs one search after another in the same positions."""
    views = SeatViews(batch)

    def search() -> int:
        agent.act_batch(views)
        return SIMULATIONS * batch.n

    return search


class Question(NamedTuple):
    """One evaluation of the network.

    Attributes:
        seat: the seat to act.
        seen: (O,) int8 its observation.
        before: (O,) int8 the observation at its previous decision; for its first decision that of its last, because all
            are repeated.
        wanted: which outputs are needed: those of legal actions, and the returns of all players.
    """

    seat: int
    seen: np.ndarray
    before: np.ndarray
    wanted: list[int]


def questions(game: Game, number: int) -> list[Question]:
    """Successive decisions of games, with random moves."""
    batch = Batch(game, 1, seed=0, auto_reset=True)
    batch.reset()
    asked: list[tuple[int, np.ndarray, list[int]]] = []
    while len(asked) < number:
        seat, players = int(batch.actors[0]), int(batch.players[0])
        order = game.relative_actions[players, seat]
        legal = np.flatnonzero(batch.masks[0][order]).tolist()
        asked.append(
            (seat, batch.observations[0].copy(), legal + [len(game.actions) + place for place in range(players)])
        )
        batch.step_random()
    before = {seat: seen for seat, seen, _ in asked}
    found = []
    for seat, seen, wanted in asked:
        found.append(Question(seat, seen, before[seat], wanted))
        before[seat] = seen
    return found


def evaluations(networks: Networks, game: Game, players: int) -> Callable[[], int]:
    """A function that evaluates the compiled network for one decision after another: logits of legal actions, and
    expected returns."""
    asked = questions(game, DECISIONS)
    guide = new_guide(networks, game, players, 1)
    seen = np.zeros((len(asked), guide.seen.shape[1]), np.int8)
    seen[:, : game.observation.itemsize] = [question.seen for question in asked]
    ends = np.cumsum([len(question.wanted) for question in asked])
    wanted = np.concatenate([question.wanted for question in asked])
    seats = np.array([question.seat for question in asked])
    run = program(game).bind(evaluate_all)

    def evaluate() -> int:
        run(seats, seen, wanted, ends, guide, REPETITIONS)
        return REPETITIONS * len(asked)

    return evaluate


def evaluate_all(seats, observations, wanted, ends, guide, repetitions):
    """Evaluate the network for one observation after another, again and again; return the sum of all outputs."""
    total = 0.0
    for _ in range(repetitions):
        start = 0
        for k in range(len(seats)):
            run_guide(seats[k], observations[k], guide)
            number = ends[k] - start
            for place in range(number):
                guide.wanted[place] = wanted[start + place]
            find_outputs(number, guide)
            for place in range(number):
                total += guide.outputs[place]
            start = ends[k]
    return total


def answers_and_products(networks: Networks, game: Game) -> tuple[Callable[[], int], Callable[[], int]]:
    """The network as the agent ``learnt`` evaluates it in many games at once; and the same layers by matrix
    products."""
    batch = Batch(game, TOGETHER, seed=0)
    for _ in range(MOVES):
        batch.step_random()
    inputs = batch.observations.astype(np.float32)
    middle = [np.zeros((len(inputs), size), np.float32) for size in networks.layers[1:]]

    def answer() -> int:
        networks.outputs(batch.observations)
        return batch.n

    def multiply() -> int:
        for before, weight, after in zip([inputs, *middle], networks.weights, middle, strict=False):
            np.matmul(before, weight[0], out=after)
        return batch.n

    return answer, multiply


def multiplications(networks: Networks, game: Game) -> Callable[[], int]:
    """Inner products of as many numbers as one evaluation needs weights."""
    asked = questions(game, DECISIONS)
    seen, before = (np.array(each) for each in list(zip(*asked, strict=True))[1:3])
    needed = weights_needed(networks, seen, before, [question.wanted for question in asked])
    numbers = at_cache_line(np.ones(round(needed), np.float32))
    rows, column = np.broadcast_to(numbers, (REPETITIONS, 1, len(numbers))), numbers[:, None]

    def multiply() -> int:
        np.matmul(rows, column)  # one inner product after another, without Python in between
        return REPETITIONS

    return multiply


def weights_needed(
    networks: Networks, observations: np.ndarray, before: np.ndarray, wanted: Sequence[Sequence[int]]
) -> float:
    """The mean number of weights needed for (n, O) observations after others: those of changed inputs in the first
    layer, then those of inputs that are not 0, in the last layer only for wanted outputs."""
    needed, values = 0.0, observations.astype(np.float32)
    last = len(networks.weights) - 1
    for layer, (weight, bias) in enumerate(zip(networks.weights, networks.biases, strict=True)):
        if layer:
            values = np.tanh(values) if networks.activation == "tanh" else np.maximum(values, 0)
        counted = (values != 0) if layer else (observations != before)
        outputs = np.array([len(each) for each in wanted]) if layer == last else weight.shape[2]
        needed += (counted.sum(1) * outputs).mean()
        values = values @ weight[0] + bias[0]
    return float(needed)
