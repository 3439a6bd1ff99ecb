"""What has been played of a tournament, a file for each chunk."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.arena.jobs import Chunk, decisions_of
from rat_envs.arena.plan import Plan
from rat_envs.arena.playing import Played
from rat_envs.engine.archive import MOST_BYTES, read_archive, write_archive
from rat_envs.engine.errors import CheckpointError, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline

__all__ = ["CHUNK_FORMAT", "Chunks"]

CHUNK_FORMAT = "rat-chunk/5"
#: The folder of the files, and what they are called.
FOLDER, NAME = "chunks", re.compile(r"match-(\d+)-chunk-\d+\.safetensors")
#: Type of each array of a chunk but for ``ACTIONS``.
TYPES = {
    "returns": "float64",
    "mean_returns": "float64",
    "scores": "int32",
    "winners": "int8",
    "tallies": "int32",
    "fallbacks": "int32",
    "decisions": "int32",
    "tokens": "int64",
}
#: Those that stand there only if something else than 0 is in them.
OFTEN_NOTHING = ("decisions", "tokens")
#: The array of what was done in each game, and the most decisions of a game.
ACTIONS, MOST_DECISIONS = "actions", 2**15
#: What agents call the games in files of their own.
GAME_IDS = "game_ids"
#: Bytes of a chunk beside its arrays.
MOST_OUTLINE = 16 * MEBIBYTE


class Chunks:
    """The files of a tournament's chunks.

    Args:
        path: the folder of the tournament.
        plan: of the tournament. Its matches are called by their places in it, and their files by their numbers.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path, self.plan = path, plan

    def path_of(self, match: int, chunk: int) -> Path:
        """Where a chunk is kept."""
        return self.path / FOLDER / f"match-{self.plan.number_of(match)}-chunk-{chunk}.safetensors"

    def numbers(self) -> set[int]:
        """The numbers of the matches of which anything is kept, whether they belong to the plan or not."""
        found = (NAME.fullmatch(file.name) for file in (self.path / FOLDER).glob("match-*.safetensors"))
        return {int(match.group(1)) for match in found if match is not None}

    def holds(self, match: int, chunk: int) -> bool:
        """Whether a chunk has been played."""
        return self.path_of(match, chunk).is_file()

    def drop(self, match: int, chunk: int) -> None:
        """Have a chunk played again."""
        self.path_of(match, chunk).unlink(missing_ok=True)

    def keep(self, chunk: Chunk) -> None:
        """Write what has been played, whole or not at all."""
        header: dict[str, Any] = {
            "format": CHUNK_FORMAT,
            "match": self.plan.number_of(chunk.match),
            "chunk": chunk.chunk,
            "records": chunk.records,
        }
        if chunk.game_ids:
            named = sorted(chunk.game_ids.items())
            header[GAME_IDS] = [{"game": game, "seat": seat, "id": name} for (game, seat), name in named]
        arrays = {name: getattr(chunk.played, name) for name in TYPES}
        arrays = {name: array for name, array in arrays.items() if name not in OFTEN_NOTHING or array.any()}
        write_archive(self.path_of(chunk.match, chunk.chunk), header, {**arrays, ACTIONS: chunk.actions})

    def read(self, match: int, chunk: int) -> Chunk:
        """What has been played.

        Raises:
            CheckpointError: the file is not there, is damaged, or is of another tournament.
        """
        path, who, number = self.path_of(match, chunk), self.plan.seats_of(match, chunk), self.plan.number_of(match)
        shapes = dict.fromkeys(TYPES, who.shape) | {"tallies": (*who.shape, len(self.plan.game.metrics))}
        games = math.prod(who.shape[:2])
        size = sum(math.prod(shape) * np.dtype(TYPES[name]).itemsize for name, shape in shapes.items())
        size += games * MOST_DECISIONS * np.dtype(np.int16).itemsize
        try:
            header, arrays = read_archive(path, CHUNK_FORMAT, "chunk", min(size + MOST_OUTLINE, MOST_BYTES))
        except CheckpointError as error:
            raise CheckpointError(f"{error} Delete it, and it is played again.") from None
        arrays = {**{name: np.zeros(shapes[name], TYPES[name]) for name in OFTEN_NOTHING}, **arrays}
        try:
            actions = arrays.pop(ACTIONS)
            played = Played(who, **arrays)
            whole = (header["match"], header["chunk"]) == (number, chunk) and isinstance(header["records"], str)
            typed = all(array.dtype == TYPES[name] and array.shape == shapes[name] for name, array in arrays.items())
            typed &= (actions.dtype, actions.ndim, len(actions)) == (np.int16, 2, games)
            demand_outline(named := header.get(GAME_IDS, []), [{"game": int, "seat": int, "id": str}])
            game_ids = {(each["game"], each["seat"]): each["id"] for each in named}
            if not whole or not typed or not np.isfinite([played.returns, played.mean_returns]).all():
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise CheckpointError(
                f"{shown_path(path)} is damaged or of another tournament. Delete it, and it is played again."
            ) from None
        return Chunk(match, chunk, played, header["records"], decisions_of(actions), actions, game_ids)
