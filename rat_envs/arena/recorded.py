"""The games of a tournament as records, from what its folder keeps: none of them is played again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.arena.chunks import Chunks
from rat_envs.arena.folder import MANIFEST, read_manifest
from rat_envs.arena.jobs import Chunk, records_hash
from rat_envs.arena.results import distinct
from rat_envs.engine.errors import CheckpointError, shown_path
from rat_envs.engine.game import TERMINAL
from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder
from rat_envs.engine.steps import played_steps

__all__ = ["Recorded"]


class Recorded:
    """The games that have been played so far of a tournament that is kept in a folder, between its agents of now.

    Args:
        path: the folder.

    Attributes:
        plan: of the tournament.
        aside: how many matches of agents that have changed or gone are in the folder, too, and are left out.

    Raises:
        CheckpointError: there is no tournament, or it is of another version of the game.
    """

    def __init__(self, path: str | Path) -> None:
        manifest = read_manifest(Path(path) / MANIFEST)
        self.plan = manifest.plan
        self._chunks = Chunks(Path(path), self.plan)
        self.aside = len(self._chunks.numbers().intersection(manifest.roster.aside(self.plan)))

    def chunks(self, match: int | None = None) -> tuple[int, int]:
        """How many chunks there are, and how many of them have not been played; args and errors as of :meth:`games`."""
        held = [
            self._chunks.holds(number, chunk)
            for number in self.plan.places_of(match)
            for chunk in range(self.plan.chunks)
        ]
        return len(held), held.count(False)

    def games(self, match: int | None = None, options: bool = False) -> Iterator[dict[str, Any]]:
        """The record of every game, match by match, deal by deal and seating by seating.

        Each says who played (``agents``), and the numbers of its ``match`` and its ``deal`` from 0.

        Args:
            match: the number of the only match that is wanted; all, if not given.
            options: whether each step lists all that could have happened.

        Raises:
            CheckpointError: a file is damaged.
            ConfigurationError: there is no such match.
        """
        for number in self.plan.places_of(match):
            for chunk in range(self.plan.chunks):
                if self._chunks.holds(number, chunk):
                    yield from self._games_of(self._chunks.read(number, chunk), options)

    def _games_of(self, chunk: Chunk, options: bool) -> Iterator[dict[str, Any]]:
        plan, who = self.plan, self.plan.seats_of(chunk.match, chunk.chunk)
        names = distinct([agent.name for agent in plan.agents])
        deals = np.repeat(plan.deals_of(chunk.chunk), who.shape[1]).tolist()
        games = zip(deals, who.reshape(-1, plan.players).tolist(), self._steps_of(chunk, who.shape[1]), strict=True)
        for number, (deal, seats, steps) in enumerate(games):
            recorder = Recorder(Position(plan.game, plan.configuration), options)
            for action in steps:
                recorder.apply(action)
            own = {f"player_{seat}": name for (game, seat), name in chunk.game_ids.items() if game == number}
            about = {"agents": [names[each] for each in seats], "match": chunk.match, "deal": deal}
            yield recorder.record({**about, **({"game_ids": own} if own else {})})

    def _steps_of(self, chunk: Chunk, seatings: int) -> Iterator[list[int]]:
        """All actions and outcomes of each game of a chunk, by number."""
        plan, seeds = self.plan, np.repeat(self.plan.seeds_of(chunk.chunk), seatings)
        try:
            steps = played_steps(plan.game, plan.configuration, seeds, chunk.actions)
        except ValueError:
            steps = np.zeros((0, 2), np.int16)
        if records_hash(steps) != chunk.records:
            path = self._chunks.path_of(chunk.match, chunk.chunk)
            raise CheckpointError(f"{shown_path(path)}: its actions do not lead to the games that were played.")
        ends = np.flatnonzero(steps[:, 0] == TERMINAL)
        for first, end in zip([0, *(ends[:-1] + 1).tolist()], ends.tolist(), strict=True):
            yield steps[first:end, 1].tolist()
