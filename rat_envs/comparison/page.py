"""The page of the benchmark, and its curves, from the results."""

from __future__ import annotations

import io
import itertools
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from rat_envs.arena.estimates import mean_estimate
from rat_envs.comparison.algorithms import ALGORITHMS
from rat_envs.comparison.tasks import OPPONENTS, Task, all_tasks, installed_tasks
from rat_envs.describe import markdown_table
from rat_envs.engine.errors import needing, shown_name

__all__ = ["benchmark_page", "curves", "tables"]

#: A run with this share of the budget counts as complete: learners stop at the end of an update or of a game.
WHOLE = 0.9

#: The number of colours in matplotlib's cycle.
COLOURS = 10

#: A description of each algorithm and of the help that it gets.
KINDS = {
    "`uniform`": "learns nothing",
    "`ppo`": "[our own](../training/ppo.py) in self-play, with one setting for all games, which is not the one that a "
    "game recommends. `entropy` has an entropy bonus with the coefficient 0.05 or 0.25. `mmd` has one with 0.05, and a "
    "penalty with the coefficient 0.2 for the divergence from a magnet. The two together keep play mixed about as "
    "strongly as an entropy bonus of 0.25, until the magnet moves away from uniform play",
    "`search`": "[expert iteration](learners.md#search), as in `rat-envs train`",
    "`lookahead`": "[values and a round looked ahead](learners.md#lookahead); learns BraveRats only. It has help: "
    "the game's own setting, with parameters for each pair of hands, and `random_weight=0`",
    "`maskable_ppo`": "[MaskablePPO](learners.md#maskable_ppo); cannot begin at a position. It has help: each "
    "game's own settings. In the three longer games it plays against `random` and `greedy`. In Comme des Rats and "
    "Rattus it is also rewarded for leads in points (`margin_weight=0.5`), and in Rattus Cartus it imitates `greedy` "
    "first, for up to 60 % of the budget",
    "`dqn`, `nfsp`": "OpenSpiel's, through [the bridge](openspiel.md); they play one game at a time in Python, "
    "which is slow. `dqn` explores less and less in the first half of the budget, down to 5 % of its moves. `nfsp` "
    "plays a tenth of its games by its best response, from which alone its average policy learns, as in the paper "
    "(Heinrich and Silver 2016)",
    "`psro`": "policy-space response oracles (Lanctot et al. 2017) with up to 16 responses that our `ppo` learns, "
    "fewer where time is short (OpenSpiel's needs JAX and a solver of its own). Its result is a mixture of "
    "policies, one of which is drawn for a whole game. A network learns to imitate the mixture, in games that count "
    "neither as steps nor in the seconds; its errors are a part of the exploitability. With four or eight "
    "longer responses BraveRats and its small position came no nearer to an equilibrium (one run each)",
}

HEAD = """<!-- Written by `rat-envs benchmark` or `python -m rat_envs.docs` from benchmark.json. -->

# A benchmark of algorithms

Each algorithm learns from the same number of steps (`--steps`, by default 200,000), for at most
`--cell-minutes` (by default 15). Then it is measured: by its exact [exploitability](solvers.md), where that can be
computed, and in the games for two by its mean return (MATCHES). `rat-envs benchmark` plays the missing runs, and those
again that had less time than `--cell-minutes` allows; it can be interrupted.

- A *step* is a decision of any seat. For `maskable_ppo` and `psro` it is a decision of the seat that learns, and for
  `lookahead` it is a state from which a round was looked ahead, for both seats. Other play does not count: the
  simulations of `search`, the rounds that `lookahead` looks ahead, and the random play from which learners estimate the
  distribution of observations, and `lookahead` also the hands that occur.
- Each cell is the mean over its *seeds*, with its 95 % interval where several of them had the whole budget. A row with
  one seed is a sample of one: differences between such rows may be chance.
- A row whose runs ran out of time shows the steps of the shortest and of the longest run, and no interval.
- The interval is over seeds of learning alone. All runs are measured on the same deals; the luck in these deals (about
  ± 0.06 in 1,000 games, ± 0.13 in 200) comes on top. It assumes a normal distribution, so it may reach beyond what is
  possible.
- The games of a run have the seeds from the run's own on, so runs with the seeds 0, 1 and 2 share much of their chance.
- All decisions of a search depend on one draw of its random numbers. In the rows of `dqn` and `nfsp` in BraveRats games
  met another draw every four deals, as in all runs that are played from now on. In each other row all games met the
  same draw; in BraveRats the luck of that draw is up to about ± 0.22.
- An algorithm without a row was not run: it cannot learn the task, or its turn has not come yet.
- The results come with the repository, so that the commands below play only what has no row: with `--results mine.json`
  they play everything again.
- The *seconds*, on two cores with one run or two at a time and sometimes other work beside them, include the
  compilation of what is used for the first time.
- In the pictures a line is the mean over the seeds, as far as the shortest of their runs goes, and the band goes from
  the least to the most of them.

KINDS

`ppo:published` and `mmd:published` are `ppo` with settings of Rudolph et al. (*Reevaluating Policy Gradient Methods for
Imperfect-Information Games*, ICLR 2026) and a larger budget; theirs was ten million decisions. The first has nearly
their best settings for PPO in abrupt dark hex: minibatches of 512 in place of 256, gradients up to a norm of 0.5 in
place of 2, and twice the weight of the squared error. The second has their best settings for magnetic mirror descent in
phantom tic-tac-toe, whose magnet is uniform play and whose other divergence is from the policy that played
(`proximal_coefficient`). In both, returns are not discounted (theirs by 0.99), λ-returns go from one decision of a seat
to its next, and the loss of values is not clipped. `none:published` is `ppo:published` without entropy.
`magnet:published` is `ppo:published` with our moving magnet in addition to entropy. These two settings are not theirs.

```
rat-envs benchmark --task brave_rats --algorithm ppo:published --algorithm mmd:published \\
  --algorithm magnet:published --algorithm none:published --steps 2000000 --cell-minutes 60 --seeds 1
```

## An algorithm of your own

Write a class, which is given the task, a seed and the whole budget in decisions, or a function, which learns nothing.
This is `my_module.py`:

```python
import numpy as np

import rat_envs


class MyAlgorithm:
    def __init__(self, task, seed, steps):
        self.task = task
        self.batch = rat_envs.Batch(task.game, 64, task.config, seed)
        self.begin(np.arange(64))

    def begin(self, games):
        \"\"\"Small positions: games begin there, those after an end, too.\"\"\"
        if self.task.preset:
            preset = self.task.declared.preset(self.task.preset)
            self.batch.begin_at(preset.position(self.task.declared).state, games)

    def learn(self, steps):
        \"\"\"Continue until it has learnt from ``steps`` decisions since the beginning.\"\"\"
        self.batch.step_random()  # replace this with code that learns from self.batch
        self.begin(np.flatnonzero(self.batch.dones))  # after every step
        return steps

    def policy_batch(self, views):
        \"\"\"(n, A): probabilities; `views.observations` are (n, O) int8, `views.masks` (n, A).\"\"\"
        return uniform(views)


def uniform(views):
    return views.masks / views.masks.sum(1, keepdims=True)
```

```
rat-envs benchmark --algorithm my_module:MyAlgorithm --task brave_rats:small --results mine.json
```

Runs are repeated when the file of your algorithm has changed; changes in what it imports are not noticed.

`--task` takes any game for two, also one of yours: `GAME`, `GAME:PRESET` or `GAME:KEY=VALUE`. `--algorithm` takes a
file, too: `my_module.py:MyAlgorithm`.
"""


def benchmark_page(results: Sequence[dict[str, Any]]) -> str:
    """The whole page in Markdown."""
    matches = ", ".join(f"{games:,} games against `{name}`" for name, games in OPPONENTS.items())
    head = HEAD.replace("MATCHES", matches).replace("KINDS", markdown_table(("algorithm", "what it is"), KINDS.items()))
    return "\n".join([head, *(section(task, results) for task in all_tasks())])


def section(task: Task, results: Sequence[dict[str, Any]]) -> str:
    """The section of one task."""
    if not any(result["cell"]["task"] == task.name for result in results):
        return f"## {title_of(task)}\n\nNot played yet.\n"
    picture = f"![{title_of(task)}: learning curves](pictures/{picture_name(task)})"
    return f"{table(task, results)}\n\n{picture}\n\n```\nrat-envs benchmark --task {task.name}\n```\n"


def tables(results: Sequence[dict[str, Any]]) -> str:
    """The tasks with results, each with its table, in Markdown."""
    played = installed_tasks(dict.fromkeys(result["cell"]["task"] for result in results))
    return "\n\n".join(table(task, results) for task in played)


def title_of(task: Task) -> str:
    """The title of a task on the page."""
    switched_on = [name for name, value in task.config.items() if value is True and not task.preset]
    return ", ".join([task.declared.title, task.preset or "two players", *switched_on])


def table(task: Task, results: Sequence[dict[str, Any]]) -> str:
    """The title and the table of one task with results: a row for each algorithm."""
    of_task = [result for result in results if result["cell"]["task"] == task.name]
    head = ["algorithm", *task.measures, "steps", "seeds", "seconds"]
    rows = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    budgets = sorted({result["cell"]["steps"] for result in of_task})
    for budget, name in itertools.product(budgets, names_in(of_task)):
        runs = [each for each in of_task if each["cell"]["algorithm"] == name and each["cell"]["steps"] == budget]
        if runs:
            rows.append(row(name, task, budget, [run["curve"][-1] for run in runs]))
    return f"## {title_of(task)}\n\n" + "\n".join(rows)


def names_in(results: Sequence[dict[str, Any]]) -> list[str]:
    """The compared algorithms, in the same order everywhere, and then others that have results here."""
    return list(dict.fromkeys([*ALGORITHMS, *(result["cell"]["algorithm"] for result in results)]))


def row(name: str, task: Task, budget: int, ends: Sequence[dict[str, Any]]) -> str:
    """The row of one algorithm on a task, from the ends of its runs."""
    steps = sorted(end["steps"] for end in ends)
    are_whole = steps[0] >= WHOLE * budget
    measured = [interval([end[measure] for end in ends], are_whole) for measure in task.measures]
    learnt_from = f"{round(statistics.mean(steps)):,}" if are_whole else " to ".join(f"{n:,}" for n in span(steps))
    seconds = statistics.mean(end["seconds"] for end in ends)
    return f"| {' | '.join([shown_name(name), *measured, learnt_from, str(len(ends)), f'{seconds:.0f}'])} |"


def span(values: Sequence[int]) -> list[int]:
    """The least and the largest of sorted values; only one if they are equal."""
    return sorted({values[0], values[-1]})


def interval(values: Sequence[float], are_alike: bool = True) -> str:
    """The mean, with its interval if there are several values that differ only by chance."""
    if len(values) < 2 or not are_alike:
        return f"{statistics.mean(values):.3f}"
    estimate = mean_estimate(np.array(values))
    return f"{estimate.mean:.3f} ± {estimate.high - estimate.mean:.3f}"


def picture_name(task: Task) -> str:
    """The file of a task's curves, in the folder ``docs/pictures``."""
    return f"benchmark-{task.name.replace(':', '-').replace('=', '-')}.svg"


def curves(results: Sequence[dict[str, Any]]) -> dict[str, bytes]:
    """The learning curves of each task with results: an SVG by the name of its file."""
    of_tasks = [(task, [each for each in results if each["cell"]["task"] == task.name]) for task in all_tasks()]
    return {picture_name(task): draw(task, of_task) for task, of_task in of_tasks if of_task}


def draw(task: Task, results: Sequence[dict[str, Any]]) -> bytes:
    """Draw the first measure of a task over steps, with a line and a band for each algorithm, for the budget of most
    runs."""
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
    measure = task.measures[0]
    for number, name in enumerate(names_in(results)):
        runs = [result["curve"] for result in results if result["cell"]["algorithm"] == name]
        if runs:
            steps, values = along(runs, measure)
            dashes = "-" if number < COLOURS else "--"
            axes.plot(steps, values.mean(0), dashes, marker=".", color=f"C{number}", label=name)
            axes.fill_between(steps, values.min(0), values.max(0), color=f"C{number}", alpha=0.15, linewidth=0)
    what = measure if task.is_exact else f"mean return against {measure}"
    axes.set(xlabel="decisions learnt from", ylabel=what, title=task.name)
    if task.is_exact:
        axes.set_ylim(0, None)
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.3)
    for text in axes.legend(loc="center left", bbox_to_anchor=(1, 0.5)).get_texts():
        text.set_parse_math(False)  # names may have dollar signs, between which matplotlib would parse mathematics
    picture = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": task.name}):
        figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


def along(runs: Sequence[Sequence[dict[str, Any]]], measure: str) -> tuple[np.ndarray, np.ndarray]:
    """(points) steps as far as all runs of an algorithm go, and (runs, points) the measurements there, interpolated
    linearly."""
    steps = np.linspace(0, min(run[-1]["steps"] for run in runs), max(len(run) for run in runs))
    points = [([point["steps"] for point in run], [point[measure] for point in run]) for run in runs]
    return steps, np.array([np.interp(steps, *each) for each in points])
