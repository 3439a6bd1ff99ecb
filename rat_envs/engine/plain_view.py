"""How a game without its own text or drawing is shown: an observation by its fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from rat_envs.engine import svg
from rat_envs.engine.colours import Dark, dark_style

if TYPE_CHECKING:
    from rat_envs.engine.game import Game

__all__ = ["plain_drawing", "plain_text"]

LEAST_WIDTH, LINE, MARGIN = 640, 20, 16
#: Letters of equal width, if there are such, so that columns stay aligned.
LETTERS, SIZE, LETTER = 'font-family="DejaVu Sans Mono, monospace, sans-serif"', 13, 7.9
GREEN = "#eef2ea"
STYLE = dark_style({GREEN: Dark.TABLE})


def plain_text(game: Game, row: Any, seat: int | None) -> str:
    """What a seat observes, one field per line; for everybody only the title, since what all may know is not declared.

    Args:
        row: a record of the game's ``STATE``.
        seat: whose view it is, or None for everybody's.
    """
    if seat is None:
        return f"{game.title}, seen by everybody: the game does not say what that shows."
    from rat_envs.engine.program import program  # which needs games

    seen = np.zeros(1, game.observation)
    program(game).observe_whole(row, seat, seen[0])
    fields = (f"{name}: {_in_a_line(seen[0][name])}" for name in game.observation.names or ())
    return "\n".join([f"{game.title}, player_{seat} (you)", *fields])


def _in_a_line(value: Any) -> str:
    """A number, or the numbers of an array with brackets round each of its rows."""
    return " ".join(str(np.asarray(value).tolist()).replace(",", "").split())


def plain_drawing(game: Game, row: Any, seat: int | None) -> str:
    """:func:`plain_text`, or the game's own text, as lines of an SVG."""
    lines = game.text(row, seat).splitlines()
    width = max([LEAST_WIDTH, *(2 * MARGIN + round(LETTER * len(line)) for line in lines)])
    kept = [re.sub("^ | (?= )", "\N{NO-BREAK SPACE}", line) for line in lines]  # SVG shows several blanks as one
    drawn = "".join(svg.label(MARGIN, MARGIN + LINE * (number + 1), line, SIZE) for number, line in enumerate(kept))
    words = f"<g {LETTERS}>{drawn}</g>"
    return svg.document(width, 2 * MARGIN + LINE * (len(lines) + 1), GREEN, words, style=STYLE)
