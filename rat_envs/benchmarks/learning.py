"""Speed of our learner beside MaskablePPO, in decisions learnt from, and the network's share of the time."""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

from rat_envs.benchmarks.measuring import Row, in_turns
from rat_envs.engine.game import Game
from rat_envs.ladder.rungs import settings

__all__ = ["measure_learning"]

#: The options that both learners share; the others are each one's recommended ones for the game.
SHARED = ("hidden", "epochs")


def measure_learning(games: Iterable[Game], effort: float) -> list[Row]:
    """Decisions per second of processor time, in one thread; nothing if PyTorch is not installed.

    Args:
        games: each is learnt with its default options and, if these are for more players, with two players.
        effort: 1 for figures worth quoting, less for a smoke test.
    """
    if importlib.util.find_spec("sb3_contrib") is None:
        return []
    return [row for game in games for config in settings(game) for row in measure(game, config, effort)]


def measure(game: Game, config: dict[str, Any], effort: float) -> list[Row]:
    """One game in one setting."""
    import torch

    from rat_envs.training.recommended import recommended_options

    players = game.configuration.make(config).players
    threads = torch.get_num_threads()
    with tempfile.TemporaryDirectory() as folder:
        fixed = {"config": config, "folder": folder, "threads": 1, "evaluations": 0, "tensorboard": False}
        theirs: Any = recommended_options("maskable_ppo", game.name, **fixed)
        shared = {name: getattr(theirs, name) for name in SHARED}
        try:
            ours = recommended_options("ppo", game.name, **fixed, **shared, teacher_steps=0).new_run()
            speed, _, ratio = in_turns(updates(ours), updates(theirs.new_run()), effort)
            parts = [time_in_network(ours) for _ in range(3)]
        finally:
            torch.set_num_threads(threads)
    shares = [inside / whole for whole, inside in parts]
    what = f"{game.name}, {players} players: ppo, layers {theirs.hidden}, {theirs.epochs} epochs"
    return [
        Row(what, speed, "decisions/s", "MaskablePPO as it learns the game", ratio),
        Row(what, speed, "decisions/s", "the network alone, asked and fitted", statistics.median(shares)),
    ]


def updates(run: Any) -> Callable[[], int]:
    """A function that makes one update, and returns the number of decisions learnt from."""

    def work() -> int:
        before = run.steps
        run.update()
        return int(run.steps - before)

    return work


def time_in_network(run: Any) -> tuple[float, float]:
    """Processor seconds of one update, and of its parts in which the network is evaluated and fitted."""
    inside = 0.0

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def work_timed(*arguments: Any) -> Any:
            nonlocal inside
            started = time.process_time()
            try:
                return work(*arguments)
            finally:
                inside += time.process_time() - started

        return work_timed

    run.ask, run.descend = timed(run.ask), timed(run.descend)
    started = time.process_time()
    try:
        run.update()
    finally:
        del run.ask, run.descend
    return time.process_time() - started, inside
