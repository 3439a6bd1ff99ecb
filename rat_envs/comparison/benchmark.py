"""Running what is missing from the benchmark, and saving it: one JSON object, written anew after every cell."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.arena.folder import versions
from rat_envs.comparison.algorithms import Algorithm, code_of, find_algorithm
from rat_envs.comparison.tasks import EXPLOITABILITY, Task, all_tasks, installed_tasks
from rat_envs.engine.archive import write_file
from rat_envs.engine.errors import ConfigurationError, RecordError, reason_of, shown, shown_path
from rat_envs.engine.files import demand_outline, read_results
from rat_envs.engine.folders import locked_file

__all__ = ["BENCHMARK", "POINTS", "Cell", "cells", "load_benchmark", "merge", "play_missing", "still_missing"]

#: The file of the benchmark, in the folder ``docs``.
BENCHMARK = "benchmark.json"
FORMAT = "rat-benchmark/2"
#: The keys of a result, besides the measurements.
OUTLINE = {"cell": {"task": str, "algorithm": str, "seed": int, "steps": int}, "minutes": float, "curve": [{}]}
#: The keys of every point of a curve, besides the measurements.
SPENT = ("steps", "seconds")
#: The most decisions that an algorithm learns from before the time is checked.
MOST_AT_ONCE = 2000
#: The number of measurements, evenly spread over the budget.
POINTS = 4


@dataclass(frozen=True)
class Cell:
    """One algorithm on one task.

    Attributes:
        task: the task to learn.
        algorithm: the algorithm's name.
        seed: the algorithm's seed.
        steps: the budget.
        minutes: learning ends after this time, whatever the budget; the policy at that point is measured.
    """

    task: Task
    algorithm: str
    seed: int
    steps: int
    minutes: float

    @property
    def key(self) -> dict[str, Any]:
        """The key that identifies it in the file."""
        return {"task": self.task.name, "algorithm": self.algorithm, "seed": self.seed, "steps": self.steps}

    def is_answered_by(self, result: dict[str, Any]) -> bool:
        """Whether a result is of this cell and of the present code, and had the whole budget or as much time as it may
        take now."""
        if result["cell"] != self.key or result.get("code") != code_of(self.algorithm):
            return False
        return bool(result["curve"][-1]["steps"] >= self.steps or result["minutes"] >= self.minutes)


def cells(
    tasks: Iterable[Task], algorithms: Sequence[str], seeds: int, steps: int, minutes: float, first_seed: int = 0
) -> list[Cell]:
    """All cells, those with the first seed first."""
    kinds = itertools.product(range(first_seed, first_seed + seeds), list(tasks), algorithms)
    return [Cell(task, algorithm, seed, steps, minutes) for seed, task, algorithm in kinds]


def all_results(path: Path) -> list[dict[str, Any]]:
    """All results, also of tasks that do not exist here and of other versions of the rules; empty if there is no file.

    Raises:
        RecordError: the file holds something else.
    """
    return read_results(path, FORMAT, "benchmark", OUTLINE)


def merge(path: Path, others: Iterable[Path]) -> int:
    """Add the results of other files to those in ``path``; of the same cell the one that is there stays.

    Returns:
        The number of results that were added.

    Raises:
        RecordError: one of the files is missing, or holds something else.
        CheckpointError: another process writes the file.
    """
    with locked_file(path):
        results = all_results(path)
        before = len(results)
        for other in others:
            if not other.is_file():
                raise RecordError(f"There is no file {shown_path(other)}: name files that --results has written.")
            cells_there = [each["cell"] for each in results]
            results += [each for each in all_results(other) if each["cell"] not in cells_there]
        _write(path, results)
        return len(results) - before


def _write(path: Path, results: Sequence[dict[str, Any]]) -> None:
    content = json.dumps({"format": FORMAT, "results": results}, indent=1, allow_nan=False)
    write_file(path, f"{content}\n".encode())


def load_benchmark(path: Path) -> list[dict[str, Any]]:
    """The results by the present rules; empty if there is no file yet.

    Raises:
        RecordError: the file holds something else.
    """
    kept = all_results(path)
    tasks = installed_tasks(dict.fromkeys(each["cell"]["task"] for each in kept))
    rules = {task.name: task.declared.version for task in tasks}
    results = [
        each
        for each in kept
        if each.get("version", 0) == rules.get(each["cell"]["task"], 0)  # results without a version are of the first
    ]
    measures = {task.name: task.measures for task in tasks}
    always = {task.name for task in all_tasks()}
    try:
        for number, each in enumerate(results):
            demand_measured(each, number, measures[each["cell"]["task"]] if each["cell"]["task"] in always else ())
    except ValueError as error:
        raise RecordError(
            f"{shown_path(path)} is not a benchmark: {reason_of(error)}; delete it to begin anew."
        ) from None
    return [each for each in results if is_measured_so(each, measures.get(each["cell"]["task"], ()))]


def demand_measured(result: dict[str, Any], number: int, measures: Sequence[str]) -> None:
    """Refuse a result whose curve lacks a measurement, or whose end lacks one that is made only there.

    Raises:
        ValueError: it lacks one; the error gives the result's number.
    """
    spent = dict.fromkeys(SPENT, float)
    exact = dict.fromkeys((name for name in measures if name == EXPLOITABILITY), float)
    demand_outline(result["curve"], [{**spent, **exact}], f"curve {number}")
    demand_outline(
        result["curve"][-1:] or {}, [{**spent, **dict.fromkeys(measures, float)}], f"the end of curve {number}"
    )


def is_measured_so(result: dict[str, Any], measures: Sequence[str]) -> bool:
    """Whether a result has the present measurements: an outside game may have been declared anew."""
    try:
        demand_measured(result, 0, measures)
    except ValueError:
        return False
    return True


def still_missing(results: Sequence[dict[str, Any]], wanted: Sequence[Cell]) -> list[Cell]:
    """The cells that have not been run, or that ran out of time before the present limits."""
    return [cell for cell in wanted if not any(cell.is_answered_by(result) for result in results)]


def play_missing(
    path: Path,
    wanted: Sequence[Cell],
    minutes: float = math.inf,
    progress: Callable[[int, int, str], None] | None = None,
) -> int:
    """Run the missing cells, and write their results to ``path``; results of other cells stay.

    Args:
        path: the file of the benchmark.
        wanted: the cells that should be there.
        minutes: begin no cell after this time.
        progress: called with the number of cells done, the total, and the next cell.

    Returns:
        The number of cells still missing; those that an algorithm cannot learn count as done.

    Raises:
        CheckpointError: another process writes the file.
    """
    started = time.monotonic()
    with locked_file(path):
        left = still_missing(load_benchmark(path), wanted)
        for number, cell in enumerate(left):
            if time.monotonic() - started >= 60 * minutes:
                return len(left) - number
            if progress is not None:
                progress(len(wanted) - len(left) + number, len(wanted), f"{cell.algorithm} on {cell.task.name}")
            result = play(cell)
            if result is not None:
                results = [*(each for each in all_results(path) if each["cell"] != cell.key), result]
                _write(path, results)
    return 0


def play(cell: Cell) -> dict[str, Any] | None:
    """Learn and measure; return None if the algorithm cannot learn the task."""
    learner = find_algorithm(cell.algorithm)(cell.task, cell.seed, cell.steps)
    if learner is None:
        return None
    code = code_of(cell.algorithm)  # checked before it learns, which may take hours
    for method in ("learn", "policy_batch"):
        if not callable(getattr(learner, method, None)):
            raise ConfigurationError(f"{cell.algorithm} cannot be compared: its class has no method {method}.")
    curve, spent, seconds = [], 0, 0.0
    for point in range(POINTS + 1):
        last = point == POINTS or seconds >= 60 * cell.minutes
        curve.append(
            {
                "steps": spent,
                "seconds": round(seconds, 1),
                **cell.task.measure(learner.policy_batch, not last, cell.algorithm),
            }
        )
        if last:
            break
        spent, passed = learn(learner, cell, spent, cell.steps * (point + 1) // POINTS, 60 * cell.minutes - seconds)
        seconds += passed
    rules = cell.task.declared.version
    played = {"cell": cell.key, "version": rules, "minutes": cell.minutes, "curve": curve, "versions": versions()}
    return played if code is None else {**played, "code": code}


def learn(learner: Algorithm, cell: Cell, spent: int, steps: int, seconds: float) -> tuple[int, float]:
    """Learn bit by bit until this number of steps or the end of the time; return the steps and the time that passed."""
    started = time.perf_counter()
    bit = max(1, min(cell.steps // 100, MOST_AT_ONCE))
    while spent < steps and time.perf_counter() - started < seconds:
        learnt = learner.learn(min(steps, spent + bit))
        if not isinstance(learnt, int | np.integer) or learnt <= spent:
            raise ConfigurationError(
                f"{cell.algorithm}: learn returned {shown(learnt)}; it must return from how many decisions it has "
                f"learnt so far, a whole number above {spent:,}."
            )
        spent = int(learnt)
    return spent, time.perf_counter() - started
