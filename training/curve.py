"""The learning curve of a run: its evaluations over steps and over time, as a picture and as numbers."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

from rat_envs.engine.errors import needing
from rat_envs.training.evaluation import Evaluation

__all__ = ["curve_data", "learning_curve"]


def learning_curve(evaluations: Sequence[Evaluation], title: str) -> bytes:
    """An SVG of the mean return against each opponent, with its 95 % interval, over steps and over minutes of training.
    Where exploitability was computed, it is drawn below, over the same axes.

    Args:
        evaluations: one or more, in order.
        title: above the picture.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with needing("The learning curve", "training"):
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.ticker import EngFormatter, MaxNLocator
    exact = [each for each in evaluations if each.exploitability is not None]
    rows = 2 if exact else 1
    figure = Figure(figsize=(9, 4 * rows), layout="constrained")
    FigureCanvasSVG(figure)
    panels = figure.subplots(rows, 2, sharex="col", sharey="row", squeeze=False)
    for axes, places in zip(panels[0], _over_steps_and_minutes(evaluations), strict=True):
        for name in evaluations[-1].returns:
            means, lows, highs = zip(*(each.returns[name] for each in evaluations), strict=True)
            axes.plot(places, means, marker=".", label=f"against {name}")
            axes.fill_between(places, lows, highs, alpha=0.2)
    panels[0][0].set_ylabel("mean return (95 % interval)")
    for text in panels[0][0].legend(loc="best").get_texts():
        text.set_parse_math(False)  # names may have dollar signs, between which matplotlib would parse mathematics
    if exact:
        for axes, places in zip(panels[1], _over_steps_and_minutes(exact), strict=True):
            axes.plot(places, [each.exploitability for each in exact], marker=".")
        panels[1][0].set(ylabel="exploitability", ylim=(0, None))
    for axes in panels.flat:
        axes.grid(alpha=0.3)
    over_steps, over_time = panels[-1]
    over_steps.set_xlabel("steps of the learner")
    over_time.set_xlabel("training time (minutes)")
    over_steps.xaxis.set_major_formatter(EngFormatter())
    over_steps.xaxis.set_major_locator(MaxNLocator(5))  # labels such as 120 M do not touch
    figure.suptitle(title, parse_math=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()


def curve_data(evaluations: Sequence[Evaluation]) -> bytes:
    """The same numbers as JSON: a list with a dict for each evaluation and opponent, in order, one a line.

    A dict has ``updates``, ``steps``, ``seconds``, ``opponent``, ``mean_return``, ``low`` and ``high`` (the bounds of
    its 95 % interval), and ``exploitability``, which is null where it was not computed.
    """
    rows = [
        {
            "updates": each.updates,
            "steps": each.steps,
            "seconds": each.seconds,
            "opponent": name,
            **dict(zip(("mean_return", "low", "high"), values, strict=True)),
            "exploitability": each.exploitability,
        }
        for each in evaluations
        for name, values in each.returns.items()
    ]
    return ("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n").encode()


def _over_steps_and_minutes(evaluations: Sequence[Evaluation]) -> tuple[list[float], list[float]]:
    return [each.steps for each in evaluations], [each.seconds / 60 for each in evaluations]
