"""Who beats whom as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from rat_envs.arena.results import MatchResult
from rat_envs.arena.tournament import TournamentResult
from rat_envs.engine.errors import ConfigurationError, needing

__all__ = ["heatmap"]

#: With more agents than this the cells hold no numbers.
MOST_NUMBERS = 20
#: Characters of a name.
LONGEST_NAME = 32


def heatmap(
    names: Sequence[str] | TournamentResult, differences: np.ndarray | None = None, title: str | None = None
) -> bytes:
    """A PNG of mean differences: the row's agent less the column's; white where two never met.

    Args:
        names: of K agents; or a tournament's result, which has the rest, too.
        differences: (K, K) numbers.
        title: above the picture.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ConfigurationError: it is neither a tournament's result, nor names with differences.
    """
    if isinstance(names, TournamentResult):
        result = names
        names, differences = result.names, result.differences() if differences is None else differences
        title = f"{result.game}: who beats whom" if title is None else title
    if isinstance(names, MatchResult) or differences is None or np.shape(differences) != (len(names),) * 2:
        raise ConfigurationError(
            "heatmap needs the TournamentResult of play_tournament, or names of K agents and a (K, K) array of "
            "differences."
        )
    with needing("The heatmap", "arena"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    agents, names = len(names), shortened(names)
    size = 2.5 + 0.7 * min(agents, MOST_NUMBERS)
    figure = Figure(figsize=(size + 1.0, size), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    limit = max(float(np.nanmax(np.abs(differences))), 1e-9)
    image = axes.imshow(differences, cmap="RdBu", vmin=-limit, vmax=limit)
    # Names may have dollar signs, between which matplotlib would read mathematics.
    axes.set_xticks(range(agents), names, rotation=45, ha="right", rotation_mode="anchor", parse_math=False)
    axes.set_yticks(range(agents), names, parse_math=False)
    for row, column in np.ndindex(agents, agents) if agents <= MOST_NUMBERS else ():
        value = differences[row, column]
        if row != column and not np.isnan(value):
            colour = "white" if abs(value) > 0.6 * limit else "black"
            axes.text(column, row, f"{value:+.2f}", ha="center", va="center", color=colour)
    axes.set_title(title or "", parse_math=False)
    figure.colorbar(image, ax=axes, label="mean return: row less column")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    return picture.getvalue()


def shortened(names: Sequence[str]) -> list[str]:
    """The names as there is room for them: of paths without the folder that all have, and of long names the end; whole
    names, if some would not be told apart."""
    folders = [name[: name.rindex("/") + 1] for name in names if "/" in name]
    first, last = min(folders, default=""), max(folders, default="")
    common = max((first[:end] for end in range(len(first) + 1) if last.startswith(first[:end])), key=len)
    common = common[: common.rfind("/") + 1]  # whole names of folders
    short = [name.removeprefix(common) for name in names]
    short = [name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}" for name in short]
    return short if len(set(short)) == len(set(names)) else list(names)
