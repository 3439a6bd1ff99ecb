"""A tournament's folder: its manifest, what has been played so far, and the results."""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import os
import platform
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import rat_envs
from rat_envs.api.agent import Agent
from rat_envs.arena.changes import counted_matches, who_has_changed
from rat_envs.arena.chunks import Chunks
from rat_envs.arena.game_code import code_of
from rat_envs.arena.jobs import Chunk
from rat_envs.arena.pairing import number_of_deals
from rat_envs.arena.plan import Plan, deals_of_a_chunk
from rat_envs.arena.roster import Roster
from rat_envs.engine.archive import PARTIAL_SUFFIX, write_file
from rat_envs.engine.errors import CheckpointError, RatEnvsError, reason_of, shown, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline, read_json
from rat_envs.engine.folders import LOCK, locked
from rat_envs.engine.registry import get_game

__all__ = ["MANIFEST", "Folder", "Manifest", "chunk_of_folder", "read_manifest", "versions"]

FORMAT = "rat-tournament/1"
#: The format of a tournament whose agents have come or gone; it also lists all agents and matches ever.
FORMAT_OF_CHANGED = "rat-tournament/2"
#: What a manifest holds beside what the plan asks for.
OUTLINE = {"format": str, "command": str, "versions": {str: str}, "config": dict, "matches": [{}], "agents": [{}]}
#: How two tournaments can differ.
ANOTHER_GAME = "another game"
#: Bytes of a manifest.
MOST_MANIFEST = 64 * MEBIBYTE
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
        roster: all agents and matches that the folder has ever had.
    """

    def __init__(
        self,
        plan: Plan,
        command: str,
        matches: tuple[str, ...] | None = None,
        records: str | None = None,
        made_with: Mapping[str, str] | None = None,
        roster: Roster | None = None,
    ) -> None:
        self.plan = plan
        self.command = command
        self.matches = matches
        self.records = records
        self.versions = dict(versions() if made_with is None else made_with)
        self.roster = Roster.of(plan) if roster is None else roster

    def other_versions(self) -> str:
        """In words what it was played with that is of another version here; empty if there is nothing."""
        here = versions()
        return ", ".join(
            f"{name} {version} then, {here.get(name)} now"
            for name, version in self.versions.items()
            if version != here.get(name)
        )

    def other_rules(self) -> str:
        """A sentence's part on code of the game that is not what it was; empty if it is, or if that is not known."""
        then, now = self.plan.game_sha256, code_of(self.plan.game)
        if then is None or (now is not None and now.sha256 == then):
            return ""
        return f"{shown_path(now.name) if now else 'its code'} has changed since"

    def difference(self, other: Manifest) -> str:
        """The first difference from ``other`` in words, apart from agents and numbers of games; empty if there is
        none.
        """
        here, there = self.plan, other.plan
        if here.game.name != there.game.name:
            return ANOTHER_GAME
        if here.config != there.config:
            return "other options"
        for name, said in (("seed", "another seed"), ("chunk", "chunks"), ("final_draws", "other final draws")):
            own, others = getattr(here, name), getattr(there, name)
            if own != others:
                return f"chunks of {others:,} deals, not {own:,}" if name == "chunk" else said
        libraries = (name for name, version in self.versions.items() if version != other.versions.get(name))
        return next((f"another version of {name}" for name in libraries), "")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = [agent.name for agent in self.plan.agents]
        hashes = (None,) * len(self.plan.matches) if self.matches is None else self.matches
        plain = self.plan.numbers is None and self.roster == Roster.of(self.plan)
        return {
            "format": FORMAT if plain else FORMAT_OF_CHANGED,
            **self.plan.to_dict(),
            **({} if plain else {"entered": self.roster.to_dict()}),
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
    if found not in (FORMAT, FORMAT_OF_CHANGED, None):
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
    roster = Roster.from_dict(values["entered"], plan) if values["format"] == FORMAT_OF_CHANGED else None
    if not finished:
        return Manifest(plan, values["command"], made_with=values["versions"], roster=roster)
    demand_outline(values["records"], str, "records")
    hashes = tuple(match["records"] for match in values["matches"])
    return Manifest(plan, values["command"], hashes, values["records"], values["versions"], roster)


def chunk_of_folder(path: str | Path, agents: Sequence[str | Agent]) -> int | None:
    """The number of deals in a chunk of a folder; None if it is new, or if these agents need smaller chunks.

    Raises:
        CheckpointError: the manifest in it is damaged.
    """
    if not (Path(path) / MANIFEST).is_file():
        return None
    chunk = read_manifest(Path(path) / MANIFEST).plan.chunk
    return chunk if chunk <= deals_of_a_chunk(agents) else None


def _is_kept(file: Path) -> bool:
    """Whether a file in a folder says anything: not what is locked, or was left half-written."""
    return file.suffix != PARTIAL_SUFFIX and file.name != LOCK


class Folder:
    """Where a tournament is kept, so that it can be interrupted and gone on with; nothing is written before ``open``.

    The folder may hold the same tournament with fewer games or with other agents. Matches between agents that have not
    changed count. Other matches stay in the folder, and count again when their agents come back.

    Args:
        path: the folder; it is made if need be.
        plan: of the tournament.
        command: that plays it.

    Attributes:
        path: the folder, from the root, for an agent may change the current folder.
        manifest: what is played, and what there is to say of it. Its plan has the agents' and matches' numbers here.
        chunks: what has been played.

    Raises:
        CheckpointError: the folder holds another tournament, or one of more games, or other files.
    """

    def __init__(self, path: str | Path, plan: Plan, command: str = "") -> None:
        self.path, self._given = Path(os.path.abspath(path)), Path(path)
        self._asked, self._command = plan, command
        self._take_up(self._found())

    def _take_up(self, found: Manifest | None) -> None:
        """Continue from the manifest that was found; if nothing has been played yet, the tournament begins anew."""
        played = found is not None and bool(Chunks(self.path, self._asked).numbers())
        self._before = found if played else None
        roster, plan = (Roster() if self._before is None else self._before.roster).enter(self._asked)
        self.manifest = Manifest(plan, self._command, roster=roster)
        self.chunks = Chunks(self.path, plan)

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
        """Demand that the folder holds this tournament or its beginning, perhaps with some other agents, played with
        the same versions.
        """
        asked, place = self._asked, shown_path(self._given)
        if found.plan.games > asked.games:
            raise CheckpointError(
                f"{place} holds a tournament of {found.plan.games:,} games a match, and not of "
                f"{asked.games:,}: ask for as many or more, or give another folder."
            )
        difference = Manifest(asked, "").difference(found)
        if difference != ANOTHER_GAME and (changed := found.other_rules()):
            raise CheckpointError(f"{place} holds a tournament by other rules: {changed}. Give another folder.")
        if {agent.name for agent in found.roster.agents}.isdisjoint(agent.name for agent in asked.agents):
            difference = difference or "other agents"
        if difference:
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
        self._take_up(self._found())
        for match, chunk in self._outgrown():
            self.chunks.drop(match, chunk)
        self._write_json(MANIFEST, self.manifest.to_dict())
        held = self._held()
        self._warn_of_names(held)
        return {which: self.chunks.read(*which).without_actions() for which in held}

    def _warn_of_names(self, held: Sequence[tuple[int, int]]) -> None:
        """Say which agents are objects that may have changed unseen since these chunks of matches were played."""
        plan = self.manifest.plan
        entrants = [plan.agents[place] for place in sorted({each for match, _ in held for each in plan.matches[match]})]
        if names := [each.name for each in entrants if each.is_object and each.sha256 is None]:
            warnings.warn(
                f"{shown_path(self._given)} holds games of {reason_of(', '.join(names))}, which are kept on the name "
                "alone: if the object has changed, give it another name, a fingerprint() or another folder.",
                stacklevel=2,
            )

    def changes(self) -> list[str]:
        """Sentences on what is kept, played and left aside, if the agents have changed; none otherwise."""
        if (before := self._before) is None:
            return []
        plan, roster = self.manifest.plan, self.manifest.roster
        who = who_has_changed(before.plan, len(before.roster.agents), plan, roster)
        if not who and {*before.roster.aside(plan)} <= {*before.roster.aside(before.plan)}:
            return []
        outgrown = {*self._outgrown()}
        kept = plan.players * sum(len(plan.deals_of(each[1])) for each in self._held() if each not in outgrown)
        every, aside = plan.players * plan.deals * len(plan.matches), len(self.left_aside())
        said = [
            f"{shown_path(self._given)} has had other agents ({who or 'in another order'}).",
            f"Of {every:,} games {kept:,} are kept as they were played, and {every - kept:,} are to be played.",
        ]
        if aside:
            said.append(
                f"Left aside: {counted_matches(aside)} played before. The games stay in the folder, and count again "
                "when the same agents are back."
            )
        return said

    def left_aside(self) -> list[int]:
        """The numbers of matches that have been played, at least in part, and do not belong to the tournament now."""
        played = self.chunks.numbers()
        return [number for number in self.manifest.roster.aside(self.manifest.plan) if number in played]

    def _held(self) -> list[tuple[int, int]]:
        """What has been played, by match and chunk."""
        plan = self.manifest.plan
        every = itertools.product(range(len(plan.matches)), range(plan.chunks))
        return [which for which in every if self.chunks.holds(*which)]

    def _outgrown(self) -> list[tuple[int, int]]:
        """The last chunk of each match, by match and chunk, if it is to have more deals now than when it was played."""
        plan, outgrown = self.manifest.plan, []
        meetings = () if self._before is None else self._before.roster.matches
        for match in range(len(plan.matches)):
            if (number := plan.number_of(match)) < len(meetings):
                deals = number_of_deals(meetings[number].games, plan.players)
                last = (deals - 1) // plan.chunk
                if deals < plan.deals_of(last).stop:
                    outgrown.append((match, last))
        return outgrown

    def finish(self, results: Mapping[str, Any], matches: tuple[str, ...], records: str) -> None:
        """Write the results, and the hashes into the manifest."""
        plan, roster = self.manifest.plan, self.manifest.roster
        self._write_json(RESULTS, results)
        self.manifest = Manifest(plan, self._command, matches, records, roster=roster)
        self._write_json(MANIFEST, self.manifest.to_dict())

    def write(self, name: str, content: bytes) -> None:
        """Write another file into the folder, whole or not at all."""
        write_file(self.path / name, content)

    def _write_json(self, name: str, values: Mapping[str, Any]) -> None:
        self.write(name, (json.dumps(values, indent=1) + "\n").encode())
