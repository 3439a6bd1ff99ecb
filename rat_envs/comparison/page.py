"""The page of the benchmark, and its curves, out of what was played."""

from __future__ import annotations

import io
import itertools
import math
import statistics
from collections.abc import Sequence
from typing import Any

from rat_envs.comparison.algorithms import ALGORITHMS
from rat_envs.comparison.tasks import EXPLOITABILITY, Task, all_tasks
from rat_envs.engine.errors import needing

__all__ = ["benchmark_page", "curves"]

HEAD = """<!-- Written by `rat-envs benchmark` or `python -m rat_envs.docs` from benchmark.json. -->

# A benchmark of algorithms

The results of learning from the same number of decisions, of all seats together: the exact
[exploitability](solvers.md) on positions and games where it can be computed, and mean returns against fixed agents on
the games for two. Each cell is the mean over its seeds, with its 95 % interval where there are several. A row with one
seed is a sample of one: differences between such rows may be chance. `rat-envs benchmark` plays the missing runs and
can be interrupted.

`uniform` learns nothing. `ppo` is [our own](../training/ppo.py) in self-play, with each kind of regularisation and one
setting for all games, which is not the one that a game recommends. `maskable_ppo`, `lookahead` and `search` are the
other learners of `rat-envs train`. `dqn` and `nfsp` are OpenSpiel's, through [the bridge](openspiel.md), which is slow:
a row with fewer steps ran out of time, and this time includes the compilation of a search. `psro` is policy-space
response oracles (Lanctot et al. 2017) with 16 responses that our `ppo` learns: OpenSpiel's needs JAX and a solver of
its own. Its result is a mixture of policies, one of which is drawn for a whole game; a network is taught what the
mixture does, by games that do not count as steps.

`ppo:published` and `mmd:published` are `ppo` with the settings that Rudolph et al. 2026 found best, and a larger
budget; theirs was ten million decisions.

```
rat-envs benchmark --task brave_rats --algorithm ppo:published --algorithm mmd:published --steps 2000000 \
--cell-minutes 60 --seeds 1
```

## An algorithm of your own

Write a class, which is given the task, a seed and the whole budget in decisions, or a function, which learns nothing:

```python
class MyAlgorithm:
    def __init__(self, task, seed, steps):
        self.batch = rat_envs.Batch(task.game, 64, task.config, seed)
        if task.preset:  # small positions: games begin there, and again after each end
            self.batch.begin_at(task.declared.preset(task.preset).position(task.declared).state)

    def learn(self, steps):
        \"\"\"Continue until it has learnt from ``steps`` decisions since the beginning.\"\"\"
        return steps

    def policy_batch(self, views):
        \"\"\"(n, A): probabilities; `views.observations` are (n, O) int8, `views.masks` (n, A).\"\"\"


def uniform(views):
    return views.masks / views.masks.sum(1, keepdims=True)
```

```
rat-envs benchmark --algorithm my_module:MyAlgorithm --task brave_rats:small --results mine.json
```
"""


def benchmark_page(results: Sequence[dict[str, Any]]) -> str:
    """The whole page in Markdown."""
    return "\n".join([HEAD, *(section(task, results) for task in all_tasks())])


def section(task: Task, results: Sequence[dict[str, Any]]) -> str:
    """One task."""
    title = ", ".join(
        [task.declared.title, task.preset or "two players", *(["fast"] if task.config.get("fast") else [])]
    )
    of_task = [result for result in results if result["cell"]["task"] == task.name]
    if not of_task:
        return f"## {title}\n\nNot played yet.\n"
    head = ["algorithm", *task.measures, "steps", "seeds", "seconds"]
    rows = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    names = list(dict.fromkeys([*ALGORITHMS, *(result["cell"]["algorithm"] for result in of_task)]))
    budgets = sorted({result["cell"]["steps"] for result in of_task})
    for budget, name in itertools.product(budgets, names):
        runs = [each for each in of_task if each["cell"]["algorithm"] == name and each["cell"]["steps"] == budget]
        if runs:
            rows.append(row(name, task, [run["curve"][-1] for run in runs]))
    picture = f"\n![{title}: learning curves](pictures/{picture_name(task)})\n" if task.is_exact else ""
    return f"## {title}\n\n" + "\n".join(rows) + f"\n{picture}\n```\nrat-envs benchmark --task {task.name}\n```\n"


def row(name: str, task: Task, ends: Sequence[dict[str, Any]]) -> str:
    """One algorithm on a task, from what its runs came to."""
    measured = [interval([end[measure] for end in ends]) for measure in task.measures]
    steps = round(statistics.mean(end["steps"] for end in ends))
    seconds = statistics.mean(end["seconds"] for end in ends)
    return f"| {' | '.join([name, *measured, f'{steps:,}', str(len(ends)), f'{seconds:.0f}'])} |"


#: Student's t for 95 %, by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}


def interval(values: Sequence[float]) -> str:
    """The mean, with its interval where there are several values."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return f"{mean:.3f}"
    half = STUDENT.get(len(values) - 1, 2.0) * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean:.3f} ± {half:.3f}"


def picture_name(task: Task) -> str:
    """The file of a task's curves, in the folder ``docs/pictures``."""
    return f"benchmark-{task.name.replace(':', '-').replace('=', '-')}.svg"


def curves(results: Sequence[dict[str, Any]]) -> dict[str, bytes]:
    """Exploitability over steps, for each task that was played where it is exact: an SVG by the name of its file."""
    of_tasks = [(task, [each for each in results if each["cell"]["task"] == task.name]) for task in all_tasks()]
    of_tasks = [(task, of_task) for task, of_task in of_tasks if task.is_exact]
    return {picture_name(task): draw(task, of_task) for task, of_task in of_tasks if of_task}


def draw(task: Task, results: Sequence[dict[str, Any]]) -> bytes:
    """Exploitability over steps, a line for each run and a colour for each algorithm; of the budget of most runs."""
    with needing("The curves of the benchmark", "training"):
        import matplotlib
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter
    figure = Figure(figsize=(8, 4), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    budget = statistics.mode(result["cell"]["steps"] for result in results)
    results = [result for result in results if result["cell"]["steps"] == budget]
    names = list(dict.fromkeys(result["cell"]["algorithm"] for result in results))
    for result in results:
        name = result["cell"]["algorithm"]
        points = [(point["steps"], point[EXPLOITABILITY]) for point in result["curve"]]
        label = name if result["cell"]["seed"] == 0 else None
        axes.plot(*zip(*points, strict=True), marker=".", color=f"C{names.index(name)}", label=label)
    axes.set(xlabel="decisions learnt from", ylabel=EXPLOITABILITY, ylim=(0, None), title=task.name)
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    picture = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": task.name}):
        figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()
