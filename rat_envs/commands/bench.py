"""``bench``: how fast everything is, in one table."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from rat_envs.commands.arguments import AsJson


def bench(
    as_json: AsJson = False,
    peers: Annotated[bool, typer.Option("--peers", help="Also measure the peers that are installed.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A fraction of the time, for a smoke test.")] = False,
    game: Annotated[str | None, typer.Option(help="One game only.")] = None,
) -> None:
    """Measure steps per second of one core, and what starting costs.

    Ratios within one run are what to quote: machines differ, and are noisy.

    Example: rat-envs bench --peers
    """
    from rat_envs.benchmarks import run_benchmarks

    rows = run_benchmarks(game, peers, 0.2 if quick else 1.0)
    if as_json:
        print(json.dumps([row.to_dict() for row in rows]))
        return
    table = Table("what", "measured", "unit", "beside", "ratio")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        table.add_row(
            row.what, f"{row.value:,.3g}" if row.value < 1000 else f"{row.value:,.0f}", row.unit, row.beside, ratio
        )
    Console().print(table)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(bench)
