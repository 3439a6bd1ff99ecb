"""``benchmark``: comparing what algorithms learn from the same number of decisions, with results in docs/benchmark.json
and its page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rat_envs.commands.arguments import finite, not_nan
from rat_envs.commands.output import counted
from rat_envs.docs import write_pages
from rat_envs.engine.archive import write_file
from rat_envs.engine.errors import demand_clone, needing

if TYPE_CHECKING:
    from rat_envs.comparison.benchmark import Cell


Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        help="Run only this task, or GAME, GAME:PRESET or GAME:KEY=VALUE of any game for two; repeatable.",
    ),
]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        help="Run only this algorithm, by name, as module:object or as file.py:object; repeat the option for more.",
    ),
]
Seeds = Annotated[
    int, typer.Option(min=1, max=1000, help="Number of runs, each with its own seed, of an algorithm on a task.")
]
Results = Annotated[
    Path | None, typer.Option(help="Keep results in this file, and write no page; docs/benchmark.json if not given.")
]
FirstSeed = Annotated[
    int, typer.Option(min=0, max=10**9, help="Seed of the first run; each further one has the next number.")
]
Merged = Annotated[
    list[Path] | None,
    typer.Option(
        "--merge", metavar="FILE", help="Add the results in this file to those of --results; repeat it for more."
    ),
]


def benchmark(
    tasks: Tasks = None,
    algorithms: Algorithms = None,
    seeds: Seeds = 3,
    first_seed: FirstSeed = 0,
    steps: Annotated[
        int, typer.Option(min=1, max=10**12, help="Number of decisions that each run learns from.")
    ] = 200_000,
    cell_minutes: Annotated[
        float,
        typer.Option(
            min=0.0, callback=finite, help="Time limit of a run in minutes; runs that a lower limit ended are repeated."
        ),
    ] = 15.0,
    minutes: Annotated[
        float, typer.Option(min=0.0, callback=not_nan, help="Minutes after which no new run begins.")
    ] = float("inf"),
    results: Results = None,
    merged: Merged = None,
) -> None:
    """Run what is missing from the benchmark of algorithms, and write its page.

    This needs a clone of the repository, unless --results is given: then no page is written. Ctrl-C loses the current
    run; the same command continues with the others. In an array of jobs each has a --first-seed and a file of its own;
    --merge puts the files together, and runs nothing.

    Example: rat-envs benchmark --task brave_rats:small --algorithm ppo:mmd --seeds 1 --results mine.json
    """
    if merged:
        put_together(results, merged)
        return
    with needing("The benchmark", "training"):
        from rat_envs.comparison.algorithms import ALGORITHMS, find_algorithm, installed_algorithms
        from rat_envs.comparison.benchmark import BENCHMARK, cells, load_benchmark, play_missing, still_missing
        from rat_envs.comparison.page import curves, tables
        from rat_envs.comparison.tasks import find_tasks

    docs = None if results else demand_clone("rat-envs benchmark without --results") / "docs"
    path = results or docs / BENCHMARK  # type: ignore[operator]
    names = algorithms or installed_algorithms()
    for name in names:
        find_algorithm(name)
    wanted = cells(find_tasks(tasks or []), names, seeds, steps, cell_minutes, first_seed)
    try:
        with counted("runs") as progress:
            left = play_missing(path, wanted, minutes, lambda done, total, next_one: progress(done, total))
    finally:
        if docs:
            for name, picture in curves(load_benchmark(path)).items():
                write_file(docs / "pictures" / name, picture)
            write_pages(docs)
    played = load_benchmark(path)
    if results and played:
        print(f"{tables(played)}\n")
    if left:
        print(f"{left} runs are missing.")
    elif algorithms:
        say_what_is_there([], still_missing(played, wanted))
    else:
        say_what_is_there([name for name in ALGORITHMS if name not in names], [])


def put_together(results: Path | None, others: Sequence[Path]) -> None:
    """Add the results of other files to a file, and print the tables.

    Raises:
        typer.BadParameter: there is no file to add to.
    """
    if results is None:
        raise typer.BadParameter("name the file to which they are added: --results FILE.", param_hint="--merge")
    with needing("The benchmark", "training"):
        from rat_envs.comparison.benchmark import load_benchmark, merge
        from rat_envs.comparison.page import tables
    added = merge(results, others)
    print(f"{tables(load_benchmark(results))}\n\n{results}: {added} results added.")


def say_what_is_there(left_out: Sequence[str], beyond: Sequence[Cell]) -> None:
    """Say that nothing is missing, except algorithms that are not installed or cannot learn a task."""
    if left_out:
        print(f"Left out: {', '.join(left_out)}, for which the extra openspiel is missing.")
    for pair in dict.fromkeys((cell.algorithm, cell.task.name) for cell in beyond):
        print("{} cannot learn {}.".format(*pair))
    print("All other runs are there." if left_out or beyond else "All runs are there.")


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(benchmark)
