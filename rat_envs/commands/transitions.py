"""``transitions``: recorded games as arrays to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rat_envs.commands.output import interruptible, kept_in
from rat_envs.commands.record_files import opened
from rat_envs.datasets.folder import GAMES_PER_FILE, write_transitions
from rat_envs.datasets.shards import FORMS, NPZ
from rat_envs.engine.wording import number_of


def transitions(
    file: Annotated[Path, typer.Argument(help="Records of one game, one a line; - for standard input.")],
    out: Annotated[
        Path,
        typer.Option(
            help="Write to this folder. If it holds a part of the same transitions, only the rest is written."
        ),
    ],
    games_per_file: Annotated[int, typer.Option(min=1, help="How many games each file holds.")] = GAMES_PER_FILE,
    form: Annotated[
        str, typer.Option("--format", help=f"{' or '.join(FORMS)}; parquet needs the extra parquet.")
    ] = NPZ,
) -> None:
    """Turn recorded games into arrays of transitions, to learn from offline.

    There is one row for each decision of each seat: what the seat saw, what it could do and did, with which
    probability, its reward, and the row of its next decision. docs/offline.md explains it.

    Example: rat-envs transitions games.jsonl --out runs/dataset
    """
    if form not in FORMS:
        raise typer.BadParameter(f"{form!r} must be one of {', '.join(FORMS)}.", param_hint="--format")
    with opened(file) as lines, interruptible(kept_in(out)):
        manifest = write_transitions(lines, out, games_per_file, form)
    games, files = number_of(manifest["games"], "game"), number_of(len(manifest["shards"]), "file")
    print(f"{out}: {games}, {number_of(manifest['rows'], 'transition')} in {files}.")


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(transitions)
