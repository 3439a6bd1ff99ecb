"""A folder of transitions: files of a fixed number of games each, and a manifest that says what they are."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.datasets.rows import Column, RowsReader, columns_of, joined, with_next
from rat_envs.datasets.shards import FORMS, NPZ, demand_packages, from_bytes, to_bytes, versions_of
from rat_envs.engine.archive import PARTIAL_SUFFIX, write_file
from rat_envs.engine.checks import checked_count
from rat_envs.engine.errors import CheckpointError, ConfigurationError, RecordError, reason_of, shown, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline, read_bytes, read_json
from rat_envs.engine.folders import LOCK, locked

__all__ = ["GAMES_PER_FILE", "MANIFEST", "load_transitions", "read_manifest", "write_transitions"]

FORMAT, MANIFEST = "rat-transitions/1", "manifest.json"
#: The games of a file, if nothing else is said.
GAMES_PER_FILE = 1000
#: Bytes of a manifest and of a file that are read at most.
MOST_MANIFEST, MOST_SHARD = 64 * MEBIBYTE, 4096 * MEBIBYTE
SHARD = {"file": str, "games": int, "rows": int, "sha256": str, "records": str}
COLUMN = {"dtype": str, "shape": [int]}
OUTLINE = {
    "format": str,
    "files": str,
    "games_per_file": int,
    "complete": bool,
    "agents": [str],
    "shards": [SHARD],
    "versions": {str: str},
}


def write_transitions(
    lines: Iterable[str],
    folder: str | Path,
    games_per_file: int = GAMES_PER_FILE,
    form: str = NPZ,
    on_file: Callable[[Mapping[str, Any]], None] = lambda manifest: None,
) -> dict[str, Any]:
    """Write the transitions of recorded games into a folder, some games at a time.

    Each file is written whole or not at all. If the folder holds the transitions of these records, or of their first
    games, only what is missing is written.

    Args:
        lines: lines of records, as a file that is open.
        folder: the folder; it is made if need be.
        games_per_file: the number of games in each file; the last one may have fewer.
        form: ``npz``, or ``parquet``, which needs the extra ``parquet``.
        on_file: called with the manifest after each file.

    Returns:
        The manifest.

    Raises:
        RecordError: a record is damaged, breaks a rule, or is of another game or of other options than the first; the
            error gives its line. Files of the games before it stay.
        CheckpointError: the folder holds something else, or another process writes to it.
        ConfigurationError: an argument is wrong.
        MissingExtraError: the format needs packages that are not installed.
    """
    games_per_file = checked_count("games_per_file", games_per_file)
    if form not in FORMS:
        raise ConfigurationError(f"form={shown(form)}: must be one of {', '.join(FORMS)}.")
    demand_packages(form)
    place = Path(folder)
    _demand_ours(place)
    with locked(place):
        writer = _Writer(place, RowsReader(lines), games_per_file, form, on_file)
        writer.take_up()
        writer.write()
    return writer.manifest(complete=True)


def _demand_ours(folder: Path) -> None:
    """Refuse a folder that holds other files.

    Raises:
        CheckpointError: it does.
    """
    if not folder.is_dir() or (folder / MANIFEST).is_file():
        return
    if any(file.name != LOCK and file.suffix != PARTIAL_SUFFIX for file in folder.iterdir()):
        raise CheckpointError(
            f"{shown_path(folder)} holds other files and no transitions: give a new or an empty folder."
        )


@dataclass
class _Writer:
    """Writes the files of a folder, and its manifest after each."""

    folder: Path
    reader: RowsReader
    games_per_file: int
    form: str
    on_file: Callable[[Mapping[str, Any]], None]
    shards: list[dict[str, Any]] = field(default_factory=list)
    #: Records of an unfinished file that were read already.
    waiting: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def take_up(self) -> None:
        """Pass over the records whose transitions the folder holds.

        Raises:
            CheckpointError: it holds those of other records, or made in another way.
        """
        if not (self.folder / MANIFEST).is_file():
            return
        found = read_manifest(self.folder)
        self._demand_same(found)
        for shard in found["shards"]:
            if not self._is_whole(shard):
                break
            records = list(itertools.islice(iter(self.reader.next_record, None), shard["games"]))
            if self.reader.sha256_of_records != shard["records"]:
                raise CheckpointError(
                    f"{shown_path(self.folder)} holds transitions of other records: give another folder."
                )
            if shard["games"] < self.games_per_file and (more := self.reader.next_record()) is not None:
                self.waiting = [*records, more]
                break
            for _, record in records:
                self.reader.skip(record)
            self.shards.append(shard)
        if self.shards:
            self.reader.expect(found["game"], found["config"])

    def _demand_same(self, found: Mapping[str, Any]) -> None:
        right = {"files": self.form, "games_per_file": self.games_per_file, "versions": versions_of(self.form)}
        said = {"files": "in another format", "games_per_file": "of another number of games in each file"}
        for name, value in right.items():
            if found[name] != value:
                how = said.get(name, "made with other versions of the libraries")
                raise CheckpointError(f"{shown_path(self.folder)} holds transitions {how}: give another folder.")

    def _is_whole(self, shard: Mapping[str, Any]) -> bool:
        """Whether a file is there as it was written."""
        path = self.folder / shard["file"]
        return path.is_file() and _sha256(read_bytes(path, "file of transitions", MOST_SHARD)) == shard["sha256"]

    def write(self) -> None:
        """Write what is missing.

        Raises:
            RecordError: as :func:`write_transitions`.
        """
        part: list[dict[str, np.ndarray]] = []
        while (found := self._next_record()) is not None:
            part.append(self.reader.rows(*found))
            if len(part) == self.games_per_file:
                self._finish(part)
                part = []
        if part:
            self._finish(part)
        if not self.shards:
            raise RecordError("There are no records.")
        self._write_manifest(complete=True)

    def _next_record(self) -> tuple[int, dict[str, Any]] | None:
        return self.waiting.pop(0) if self.waiting else self.reader.next_record()

    def _about(self) -> dict[str, Any]:
        """What is the same for all games."""
        game, configuration = self.reader.game, self.reader.configuration
        assert game is not None and configuration is not None
        columns = {name: {"dtype": each.dtype, "shape": list(each.shape)} for name, each in columns_of(game).items()}
        about = {"game": game.name, "version": game.version, "config": configuration.to_dict()}
        return {**about, "columns": columns}

    def _finish(self, part: list[dict[str, np.ndarray]]) -> None:
        """Write the next file."""
        rows = joined(part)
        content = to_bytes(rows, self.form)
        name = f"transitions-{len(self.shards):05}.{self.form}"
        self._write_manifest(complete=False)
        write_file(self.folder / name, content)
        about = {"file": name, "games": len(part), "rows": len(rows["next"]), "sha256": _sha256(content)}
        self.shards.append({**about, "records": self.reader.sha256_of_records})
        self._write_manifest(complete=False)
        self.on_file(self.manifest(complete=False))

    def manifest(self, complete: bool) -> dict[str, Any]:
        """What the folder holds, as plain values."""
        return {
            "format": FORMAT,
            **self._about(),
            "files": self.form,
            "games_per_file": self.games_per_file,
            "complete": complete,
            "games": sum(shard["games"] for shard in self.shards),
            "rows": sum(shard["rows"] for shard in self.shards),
            "records": self.reader.sha256 if complete else None,
            "agents": self.reader.agents,
            "shards": self.shards,
            "versions": versions_of(self.form),
        }

    def _write_manifest(self, complete: bool) -> None:
        content = json.dumps(self.manifest(complete), indent=1) + "\n"
        write_file(self.folder / MANIFEST, content.encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """What a folder of transitions holds: its game, options, agents, columns and files.

    Raises:
        CheckpointError: there is no manifest, or it is damaged.
    """
    path = Path(folder) / MANIFEST
    values = read_json(path, "manifest", MOST_MANIFEST)
    try:
        demand_outline(values, {**OUTLINE, "columns": {str: COLUMN}})
        demand_outline(values["columns"], dict.fromkeys(("observation", "action_mask", "next"), COLUMN), "columns")
        if values["format"] != FORMAT:
            raise ValueError(f"its format is {shown(values['format'])}")
        if values["files"] not in FORMS or any(Path(shard["file"]).name != shard["file"] for shard in values["shards"]):
            raise ValueError("its files cannot be")
    except ValueError as error:
        raise CheckpointError(
            f"{shown_path(path)} is no manifest of transitions ({FORMAT}): {reason_of(error)}."
        ) from None
    manifest: dict[str, Any] = values
    return manifest


def load_transitions(folder: str | Path, check: bool = False) -> Iterator[dict[str, np.ndarray]]:
    """The transitions in a folder, one file after the other.

    Args:
        folder: as :func:`write_transitions`, or ``rat-envs transitions``, writes it.
        check: whether to compare each file's SHA-256 with the manifest.

    Yields:
        For each file the columns of :func:`~rat_envs.datasets.rows.game_transitions`, ``next_observation`` (N, O) int8
        and ``next_action_mask`` (N, A) int8, which are 0 where the seat decides no more. ``next`` counts the rows of
        the one file.

    Raises:
        CheckpointError: a file is missing, damaged, or not the one that was written.
        MissingExtraError: the files are Parquet, and the extra ``parquet`` is not installed.
    """
    manifest = read_manifest(folder)
    columns = {name: Column(each["dtype"], tuple(each["shape"])) for name, each in manifest["columns"].items()}
    for shard in manifest["shards"]:
        path = Path(folder) / shard["file"]
        content = read_bytes(path, "file of transitions", MOST_SHARD)
        if check and _sha256(content) != shard["sha256"]:
            raise CheckpointError(f"{shown_path(path)} is not the file that was written: its SHA-256 is another.")
        try:
            rows = with_next(from_bytes(content, manifest["files"], columns, shard["rows"]))
        except (ValueError, IndexError, KeyError) as error:
            raise CheckpointError(f"{shown_path(path)} is no file of transitions: {reason_of(error)}.") from None
        yield rows
