"""Flat tables in files of comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rat_envs.engine.archive import write_file
from rat_envs.engine.errors import ConfigurationError, shown_path

__all__ = ["demand_csv", "write_csv"]


def demand_csv(path: Path) -> None:
    """Refuse a name that is not that of such a file: another file would be lost.

    Raises:
        ConfigurationError: it is not.
    """
    if path.suffix.lower() != ".csv":
        raise ConfigurationError(f"--table {shown_path(path)}: the name of the table must end with .csv.")


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> None:
    """Write rows under the names of their columns, in UTF-8; what a row does not have is left empty.

    Raises:
        OSError: the file cannot be written; it stays as it was.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_file(path, text.getvalue().encode())
