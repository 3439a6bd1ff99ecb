"""``bench``: measuring the speed of everything, in one table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from rat_envs.commands.arguments import AsJson
from rat_envs.commands.output import print_table
from rat_envs.engine.errors import ConfigurationError

if TYPE_CHECKING:
    from rat_envs.benchmarks.measuring import Row


def bench(
    as_json: AsJson = False,
    peers: Annotated[bool, typer.Option("--peers", help="Also measure the peers that are installed.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A fraction of the time, for a smoke test.")] = False,
    search: Annotated[
        bool, typer.Option("--search", help="Measure search and solvers instead, beside OpenSpiel's.")
    ] = False,
    learners: Annotated[
        bool, typer.Option("--learners", help="Measure learning instead: our ppo beside MaskablePPO.")
    ] = False,
    game: Annotated[str | None, typer.Option(help="One game only.")] = None,
) -> None:
    """Measure steps per second of one core, and what starting costs.

    Quote the ratios within one run: machines differ, and are noisy.

    Example: rat-envs bench --peers
    """
    from rat_envs.benchmarks import run_benchmarks, run_learning_benchmarks, run_search_benchmarks

    if search and learners:
        raise ConfigurationError("--search and --learners: one at a time.")
    effort = 0.1 if quick else 1.0
    if learners:
        rows = run_learning_benchmarks(game, effort)
    else:
        rows = run_search_benchmarks(game, effort) if search else run_benchmarks(game, peers, effort)
    if as_json:
        print(json.dumps([row.to_dict() for row in rows]))
        return
    print_table(
        ("what", "measured", "unit", "beside", "ratio"),
        [(row.what, number(row.value), row.unit, row.beside, with_reach(row)) for row in rows],
    )


def number(value: float | None) -> str:
    """Three digits, or whole thousands; nothing for None."""
    if value is None:
        return ""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def with_reach(row: Row) -> str:
    """The ratio, with its interval if there is one."""
    return number(row.ratio) if row.reach is None else f"{number(row.ratio)} ± {number(row.reach)}"


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(bench)
