"""Evaluations during training: now and then some hundred games against agents that do not change.

Where exploitability is exact it is computed as well, but less often, since it takes seconds.

These games do not affect learning: a run with evaluations learns the same as one without.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from rat_envs.arena import play_opponents
from rat_envs.engine.registry import get_game
from rat_envs.solving.exploitability import exploitability, why_not_unasked

if TYPE_CHECKING:
    from rat_envs.training.run import Run

__all__ = ["Evaluation", "Evaluator"]

#: Games against each opponent. With these, the 95 % interval of a mean return in BraveRats is about ± 0.12; in Rattus
#: they take half a second on one core.
GAMES = 200
#: The opponents in evaluations, if the game has them.
RANDOM, GREEDY = "random", "greedy"
#: Exploitability is first computed after this many seconds of training, and takes at most this part of its time, not
#: counting the time before a resumption.
EXACT_AFTER, EXACT_AT_MOST = 30.0, 0.1


@dataclass(frozen=True)
class Evaluation:
    """The strength of a policy at one point of its training.

    Attributes:
        updates: number of updates of the networks before it.
        steps: number of steps of the learner.
        seconds: seconds of training.
        returns: the mean return against each opponent by name, and the bounds of its 95 % interval.
        exploitability: the exact exploitability; None where it was not computed.
    """

    updates: int
    steps: int
    seconds: float
    returns: Mapping[str, tuple[float, float, float]]
    exploitability: float | None = None


class Evaluator:
    """Evaluates a run at its beginning and whenever a further part of its budget is spent.

    Args:
        run: the run to whose ``evaluations`` they are added.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.parts = run.options.evaluations
        self.seen = self._part() if run.evaluations else -1
        self.exact_seconds = 0.0
        self.is_too_large = False

    def _part(self) -> int:
        """The number of parts of the budget that are spent."""
        return int(self.run.fraction() * self.parts)

    def is_due(self) -> bool:
        """Whether a further part of the budget is spent."""
        return bool(self.parts and self._part() > self.seen)

    def look(self) -> None:
        """Evaluate the policy, if a further part of the budget is spent."""
        if self.is_due():
            self.seen = self._part()
            with random_numbers_kept():
                found = replace(evaluate(self.run), exploitability=self.exact())
            self.run.evaluations.append(found)
            for name, (mean, _, _) in found.returns.items():
                self.run.logger.record(f"evaluation/return_against_{name}", mean)
            if found.exploitability is not None:
                self.run.logger.record("evaluation/exploitability", found.exploitability)
            self.run.logger.dump(self.run.steps)

    def exact(self) -> float | None:
        """The policy's exploitability, in the position if the run has one; None where it cannot be exact, the game is
        too large, or it is too early to compute it again.
        """
        options, seconds = self.run.options, self.run.seconds
        configuration = get_game(options.game).configuration.make(options.config)
        is_exact = configuration.is_public or options.position is not None
        wait = max(EXACT_AFTER, self.exact_seconds / EXACT_AT_MOST)
        if self.is_too_large or not is_exact or seconds < wait:
            return None
        agent = self.run.agent()
        if not agent.has_policy:
            return None
        started = time.perf_counter()
        if options.position is None and why_not_unasked(get_game(options.game), configuration) is not None:
            self.is_too_large = True
            return None
        found = exploitability(options.game, agent, configuration, preset=options.position)
        self.exact_seconds += time.perf_counter() - started
        return found.exploitability


def evaluate(run: Run) -> Evaluation:
    """Evaluate the policy learnt so far against each opponent in turn, with the same deals every time."""
    options = run.options
    game = get_game(options.game)
    configuration = game.configuration.make(options.config)
    names = (RANDOM, *([GREEDY] if GREEDY in game.heuristics else []))
    results = play_opponents(game, run.agent(), names, configuration, GAMES, options.seed)
    means = {name: result.mean_return for name, result in results.items()}
    returns = {name: (mean.mean, mean.low, mean.high) for name, mean in means.items()}
    return Evaluation(run.updates, run.steps, run.seconds, returns)


@contextmanager
def random_numbers_kept() -> Iterator[None]:
    """Afterwards restore the global random numbers of numpy and PyTorch."""
    of_numpy, of_torch = np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        np.random.set_state(of_numpy)
        torch.set_rng_state(of_torch)
