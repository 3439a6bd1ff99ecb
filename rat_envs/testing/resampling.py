"""All that a seat cannot know, replaced: by what a check shows that something does not depend on it."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.program import Program

__all__ = ["resample"]


def resample(program: Program, row: Any, seat: int, stream: Any) -> None:
    """Replace in ``row`` what ``seat`` cannot know by a sample, what others know included.

    Args:
        program: of the game.
        row: record of ``STATE``; it is changed.
        seat: whose knowledge stays.
        stream: a random stream, as ``new_stream`` makes it.
    """
    program.determinize(row, seat, stream)
    program.forget(row, seat)
