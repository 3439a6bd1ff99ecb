"""Measuring: in processor time and in turns, so that a noisy machine disturbs both sides alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Row", "best_in_turns", "best_speed", "in_turns", "speed"]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: the thing that was measured.
        value: the figure.
        unit: the unit of the figure.
        beside: the thing that it is compared to, in the same run.
        ratio: the figure divided by that of ``beside``; None without comparison.
        reach: half the width of the 95 % interval of the ratio, if it was measured in a sample.
    """

    what: str
    value: float
    unit: str
    beside: str = ""
    ratio: float | None = None
    reach: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def speed(work: Callable[[], int], seconds: float) -> float:
    """Steps per second of processor time; ``work`` does some steps and returns their number."""
    done = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


def best_speed(work: Callable[[], int], seconds: float) -> float:
    """The best speed of ten turns that take ``seconds`` together: other work on the machine can only slow a turn
    down."""
    return max(speed(work, seconds / 10) for _ in range(10))


def best_in_turns(works: Sequence[Callable[[], int]], seconds: float) -> list[float]:
    """The best speed of each work over ten turns, one work after the other, which take ``seconds`` together for
    each."""
    for work in works:
        work()  # warm
    turns = [[speed(work, seconds / 10) for work in works] for _ in range(10)]
    return [max(speeds) for speeds in zip(*turns, strict=True)]


def in_turns(
    ours: Callable[[], int], others: Callable[[], int], effort: float, seconds: float = 1.0
) -> tuple[float, float, float]:
    """Both speeds and their ratio: medians over five turns, in each of which one runs after the other; a smoke test has
    one turn.

    Args:
        effort: as for :func:`rat_envs.benchmarks.run_benchmarks`.
        seconds: the time of each side in a turn, if the effort is 1.
    """
    ours(), others()  # warm
    turn = effort * seconds
    pairs = [(speed(ours, turn), speed(others, turn)) for _ in range(5 if effort > 0.1 else 1)]
    ratio = statistics.median(a / b for a, b in pairs)
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), ratio
