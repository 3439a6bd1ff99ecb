"""A replay in a notebook, or as a file."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rat_envs.engine.archive import write_file
from rat_envs.replays.page import Wish, make_page

__all__ = ["Replay", "show"]


class Replay:
    """A page with a game, which a notebook shows in place.

    Args:
        page: the page as HTML.
        height: the height of its frame in a notebook, in pixels.
    """

    def __init__(self, page: str, height: int = 820) -> None:
        self.html = page
        self.height = height

    def save(self, path: str | Path) -> None:
        """Write the page to a file.

        Raises:
            OSError: it cannot be written; ``path`` stays as it was.
        """
        write_file(path, self.html.encode())

    def _repr_html_(self) -> str:
        """The page in a frame of its own that may run its script, and nothing else."""
        frame = 'sandbox="allow-scripts" title="Replay" style="border:0;width:100%"'
        return f'<iframe {frame} height="{self.height}" srcdoc="{html.escape(self.html)}"></iframe>'


def show(
    record: dict[str, Any],
    views: Sequence[str] | None = None,
    explain: str | None = None,
    beliefs: bool = False,
    height: int = 820,
) -> Replay:
    """Make a replay from a record; a notebook shows it.

    Args:
        record: a record from :meth:`~rat_envs.engine.records.Recorder.record`.
        views: the names of views: ``player_0`` and so on, ``public``, ``all``; all of them, if not given. With only one
            seat, the replay contains only what that seat can know.
        explain: the agent whose probabilities and values are shown at decisions.
        beliefs: whether samples of what is hidden are shown in the views of seats.
        height: the height of the frame, in pixels.

    Raises:
        RecordError: the record is damaged, of another version, or breaks a rule.
        ConfigurationError: the game has no such view, or the agent cannot play it.
        CheckpointError, UnknownNameError: the agent does not exist.
    """
    return Replay(make_page([record], Wish(views, explain, beliefs)), height)
