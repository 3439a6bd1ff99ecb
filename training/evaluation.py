"""How strong a run's policy is while it learns: now and then some hundred games against agents that stay as they are.

These games change nothing: a run with evaluations learns the same as one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from rat_envs.api.named_agents import make_agent
from rat_envs.arena import play_match
from rat_envs.engine.registry import get_game

if TYPE_CHECKING:
    from rat_envs.training.run import Run

__all__ = ["Evaluation", "Evaluator"]

#: Games against each opponent. In BraveRats the 95 % interval of a mean return is then about 0.12 to either side; in
#: Rattus they take half a second on one core.
GAMES = 200
#: Whom the policy plays, as far as the game has them.
RANDOM, GREEDY = "random", "greedy"


@dataclass(frozen=True)
class Evaluation:
    """How strong a policy was.

    Attributes:
        updates: of the networks before it.
        steps: of the learner.
        seconds: of training.
        returns: against each opponent by name the mean return, and the bounds of its 95 % interval.
    """

    updates: int
    steps: int
    seconds: float
    returns: Mapping[str, tuple[float, float, float]]


class Evaluator:
    """Evaluates a run at its beginning and whenever a further part of its budget is spent.

    Args:
        run: whose ``evaluations`` grow.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.parts = run.options.evaluations
        self.seen = self._part() if run.evaluations else -1

    def _part(self) -> int:
        """How many parts of the budget are spent."""
        return int(self.run.fraction() * self.parts)

    def look(self) -> None:
        """Evaluate the policy, if a further part of the budget is spent."""
        if self.parts and self._part() > self.seen:
            self.seen = self._part()
            with random_numbers_kept():
                found = evaluate(self.run)
            self.run.evaluations.append(found)
            for name, (mean, _, _) in found.returns.items():
                self.run.logger.record(f"evaluation/return_against_{name}", mean)
            self.run.logger.dump(self.run.steps)


def evaluate(run: Run) -> Evaluation:
    """The policy learnt so far in the same deals each time, against each opponent in turn."""
    options = run.options
    game = get_game(options.game)
    configuration = game.configuration.make(options.config)
    returns = {}
    for name in (RANDOM, *([GREEDY] if GREEDY in game.heuristics else [])):
        others = [make_agent(name, game, options.seed + seat) for seat in range(1, configuration.players)]
        mean = play_match(game, [run.agent(), *others], configuration, GAMES, options.seed).agents[0].mean_return
        returns[name] = (mean.mean, mean.low, mean.high)
    return Evaluation(run.updates, run.steps, run.seconds, returns)


@contextmanager
def random_numbers_kept() -> Iterator[None]:
    """Whatever is drawn from the global random numbers of numpy and PyTorch, they go on as if it had not been."""
    of_numpy, of_torch = np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        np.random.set_state(of_numpy)
        torch.set_rng_state(of_torch)
