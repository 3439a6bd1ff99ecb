"""A tournament's folder: its manifest, what has been played so far, and the results."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import rat_envs
from rat_envs.arena.chunks import Chunks
from rat_envs.arena.jobs import Chunk
from rat_envs.arena.plan import Plan
from rat_envs.engine.archive import PARTIAL_SUFFIX, write_file
from rat_envs.engine.errors import CheckpointError, RatEnvsError, reason_of, shown, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline, read_json
from rat_envs.engine.folders import LOCK, locked
from rat_envs.engine.registry import get_game

__all__ = ["MANIFEST", "Folder", "Manifest", "read_manifest", "versions"]

FORMAT = "rat-tournament/1"
#: What a manifest holds beside what the plan asks for.
OUTLINE = {"format": str, "command": str, "versions": {str: str}, "config": dict, "matches": [{}], "agents": [{}]}
#: Bytes of a manifest.
MOST_MANIFEST = 16 * MEBIBYTE
MANIFEST, RESULTS = "manifest.json", "results.json"


def versions() -> dict[str, str]:
    """Versions of what plays."""
    libraries = {name: importlib.metadata.version(name) for name in ("numpy", "numba")}
    return {"rat_envs": rat_envs.__version__, "python": platform.python_version(), **libraries}


class Manifest:
    """What a tournament is, with what it was played, and the hashes of its records.

    Attributes:
        plan: what decides its games.
        versions: of what played it.
        command: that played it.
        matches: the hash of the records of each match; None before the end.
        records: the hash of the records of all games; None before the end.
    """

    def __init__(
        self,
        plan: Plan,
        command: str,
        matches: tuple[str, ...] | None = None,
        records: str | None = None,
        made_with: Mapping[str, str] | None = None,
    ) -> None:
        self.plan = plan
        self.command = command
        self.matches = matches
        self.records = records
        self.versions = dict(versions() if made_with is None else made_with)

    def other_versions(self) -> str:
        """In words what it was played with that is of another version here; empty if there is nothing."""
        here = versions()
        return ", ".join(
            f"{name} {version} then, {here.get(name)} now"
            for name, version in self.versions.items()
            if version != here.get(name)
        )

    def difference(self, other: Manifest) -> str:
        """In words the first thing that ``other`` has not as it is here, numbers of games apart; empty if none is."""
        here, there = self.plan, other.plan
        if here.game.name != there.game.name:
            return "another game"
        if here.config != there.config:
            return "other options"
        if [agent.name for agent in here.agents] != [agent.name for agent in there.agents]:
            return "other agents"
        for own, others in zip(here.agents, there.agents, strict=True):
            if own != others:
                return f"another version of {shown_path(own.name)}"
        for name, said in (("seed", "another seed"), ("chunk", "another chunk"), ("final_draws", "other final draws")):
            if getattr(here, name) != getattr(there, name):
                return said
        libraries = (name for name, version in self.versions.items() if version != other.versions.get(name))
        return next((f"another version of {name}" for name in libraries), "")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = [agent.name for agent in self.plan.agents]
        hashes = (None,) * len(self.plan.matches) if self.matches is None else self.matches
        return {
            "format": FORMAT,
            **self.plan.to_dict(),
            "command": self.command,
            "versions": self.versions,
            "matches": [
                {"agents": [names[number] for number in match], "records": records}
                for match, records in zip(self.plan.matches, hashes, strict=True)
            ],
            "records": self.records,
        }


def read_manifest(path: str | Path) -> Manifest:
    """The manifest in a file.

    Raises:
        CheckpointError: it is not a manifest, is damaged, or is of another version of the game.
    """
    values = read_json(path, "manifest", MOST_MANIFEST)
    found = values.get("format") if isinstance(values, dict) else None
    if found != FORMAT and found is not None:
        raise CheckpointError(
            f"{shown_path(path)} is of format {shown(found)}: a manifest of format {FORMAT!r} is needed."
        )
    try:
        demand_outline(values, OUTLINE)
        game = get_game(values["game"])
        if values["version"] != game.version:
            raise CheckpointError(
                f"{shown_path(path)} is of version {shown(values['version'])} of {game.name}, but this is version "
                f"{game.version}."
            )
        manifest = _manifest_of(values)
    except RatEnvsError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{shown_path(path)} is not a complete manifest ({FORMAT}): it is damaged or holds something else "
            f"({reason_of(error)})."
        ) from None
    return manifest


def _manifest_of(values: Mapping[str, Any]) -> Manifest:
    """A manifest from what :meth:`Manifest.to_dict` returned.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: something is missing or cannot be.
    """
    finished = values["records"] is not None
    demand_outline(values["matches"], [{"records": str if finished else type(None)}], "matches")
    plan = Plan.from_dict(values)
    if len(values["matches"]) != len(plan.matches):
        raise ValueError(f"there are {len(values['matches'])} matches, not {len(plan.matches)}")
    if not finished:
        return Manifest(plan, values["command"], made_with=values["versions"])
    demand_outline(values["records"], str, "records")
    hashes = tuple(match["records"] for match in values["matches"])
    return Manifest(plan, values["command"], hashes, values["records"], values["versions"])


def _is_kept(file: Path) -> bool:
    """Whether a file in a folder says anything: not what is locked, or was left half-written."""
    return file.suffix != PARTIAL_SUFFIX and file.name != LOCK


class Folder:
    """Where a tournament is kept, so that it can be interrupted and gone on with; nothing is written before ``open``.

    A tournament of fewer games that are otherwise the same is gone on with, too: what has been played counts.

    Args:
        path: the folder; it is made if need be.
        plan: of the tournament.
        command: that plays it.

    Attributes:
        path: the folder, from the root, for an agent may change the current folder.
        manifest: what is played, and what there is to say of it.
        chunks: what has been played.

    Raises:
        CheckpointError: the folder holds another tournament, or one of more games, or other files.
    """

    def __init__(self, path: str | Path, plan: Plan, command: str = "") -> None:
        self.path, self._given = Path(os.path.abspath(path)), Path(path)
        self.manifest = Manifest(plan, command)
        self.chunks = Chunks(self.path, plan)
        self._found()

    def _found(self) -> Manifest | None:
        """The manifest that is there; None in a new folder.

        Raises:
            CheckpointError: as the class says.
        """
        if (self.path / MANIFEST).is_file():
            found = read_manifest(self.path / MANIFEST)
            self._demand_same(found)
            return found
        if self.path.is_file():
            raise CheckpointError(f"{shown_path(self._given)} is a file: name a folder.")
        if self.path.is_dir() and any(map(_is_kept, self.path.iterdir())):
            raise CheckpointError(
                f"{shown_path(self._given)} holds other files and no tournament: give a new or an empty folder."
            )
        return None

    def _demand_same(self, found: Manifest) -> None:
        """The folder must hold this tournament or its beginning, played so far with the same versions."""
        ours = self.manifest
        if found.plan.games > ours.plan.games:
            raise CheckpointError(
                f"{shown_path(self._given)} holds a tournament of {found.plan.games:,} games a match, and not of "
                f"{ours.plan.games:,}: ask for as many or more, or give another folder."
            )
        if difference := ours.difference(found):
            place = shown_path(self._given)
            raise CheckpointError(f"{place} holds a tournament with {difference}: give another folder.")

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes out, as :func:`~rat_envs.engine.folders.locked` does.

        Raises:
            CheckpointError: on entering: another process plays there.
        """
        return locked(self.path)

    def open(self) -> dict[tuple[int, int], Chunk]:
        """Write the manifest; what has been played so far, by match and chunk.

        Raises:
            CheckpointError: a file is damaged, or the folder holds another tournament by now.
        """
        if (found := self._found()) is not None:
            self._drop_outgrown(found.plan)
        self._write_json(MANIFEST, self.manifest.to_dict())
        plan, chunks = self.manifest.plan, {}
        for match in range(len(plan.matches)):
            for chunk in range(plan.chunks):
                if self.chunks.holds(match, chunk):
                    chunks[match, chunk] = self.chunks.read(match, chunk).without_actions()
        return chunks

    def _drop_outgrown(self, before: Plan) -> None:
        """Delete the last chunk of every match where it now has more deals than ``before``."""
        plan, last = self.manifest.plan, before.chunks - 1
        if before.deals_of(last) != plan.deals_of(last):
            for match in range(len(plan.matches)):
                self.chunks.drop(match, last)

    def finish(self, results: Mapping[str, Any], matches: tuple[str, ...], records: str) -> None:
        """Write the results, and the hashes into the manifest."""
        plan, command = self.manifest.plan, self.manifest.command
        self._write_json(RESULTS, results)
        self.manifest = Manifest(plan, command, matches, records)
        self._write_json(MANIFEST, self.manifest.to_dict())

    def write(self, name: str, content: bytes) -> None:
        """Write another file into the folder, whole or not at all."""
        write_file(self.path / name, content)

    def _write_json(self, name: str, values: Mapping[str, Any]) -> None:
        self.write(name, (json.dumps(values, indent=1) + "\n").encode())
