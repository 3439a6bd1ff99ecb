"""The learning curve of a run as a picture: its evaluations over steps and over time."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rat_envs.engine.errors import needing
from rat_envs.training.evaluation import Evaluation

__all__ = ["learning_curve"]


def learning_curve(evaluations: Sequence[Evaluation], title: str) -> bytes:
    """An SVG: mean return against each opponent, with its 95 % interval, over steps and over minutes of training; where
    exploitability was computed, a third panel shows it.

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
    exact = [(each.seconds / 60, each.exploitability) for each in evaluations if each.exploitability is not None]
    columns = 3 if exact else 2
    figure = Figure(figsize=(4.5 * columns, 4), layout="constrained")
    FigureCanvasSVG(figure)
    over_steps, over_time = (figure.add_subplot(1, columns, place) for place in (1, 2))
    over_time.sharey(over_steps)
    if exact:
        axes = figure.add_subplot(1, columns, 3)
        axes.plot(*zip(*exact, strict=True), marker=".")
        axes.set(xlabel="training time (minutes)", ylabel="exploitability", ylim=(0, None))
        axes.grid(alpha=0.3)
    panels = (
        (over_steps, [each.steps for each in evaluations], "steps of the learner"),
        (over_time, [each.seconds / 60 for each in evaluations], "training time (minutes)"),
    )
    for axes, places, label in panels:
        for name in evaluations[-1].returns:
            means, lows, highs = zip(*(each.returns[name] for each in evaluations), strict=True)
            axes.plot(places, means, marker=".", label=f"against {name}")
            axes.fill_between(places, lows, highs, alpha=0.2)
        axes.set_xlabel(label)
        axes.grid(alpha=0.3)
    over_steps.xaxis.set_major_formatter(EngFormatter())
    over_steps.xaxis.set_major_locator(MaxNLocator(5))  # labels such as 120 M do not touch
    over_steps.set_ylabel("mean return (95 % interval)")
    over_steps.legend(loc="best")
    figure.suptitle(title)
    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()
