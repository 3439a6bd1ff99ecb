"""What is compared: a class that learns from so many decisions and answers probabilities, or a function that does."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rat_envs.api.seats import SeatViews
from rat_envs.arena.plan import file_hash
from rat_envs.engine.errors import ConfigurationError, UnknownNameError, needing, reason_of, shown, shown_name
from rat_envs.engine.own_modules import module_named

if TYPE_CHECKING:
    from rat_envs.comparison.tasks import Task

__all__ = [
    "ALGORITHMS",
    "AT_LENGTH",
    "OPEN_SPIEL",
    "Algorithm",
    "Probabilities",
    "code_of",
    "find_algorithm",
    "installed_algorithms",
]

#: ``(views) -> (n, A)`` probabilities of the actions of each seat, 0 for what is not legal.
Probabilities = Callable[[SeatViews], np.ndarray]


class Algorithm(Protocol):
    """What learns. It is made by ``(task, seed, steps)``, the last of which is its whole budget."""

    def learn(self, steps: int) -> int:
        """Learn until ``steps`` decisions, of all seats, have been used in all; return how many were used."""

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the probabilities of the actions of each seat, 0 for what is not legal."""


class Ours:
    """One of the learners of ``rat-envs train``, with the game's settings and a schedule for the budget.

    Args:
        task: what is learnt.
        seed: of everything random.
        steps: the whole budget.
        learner: by its name.
        changes: options that differ.
    """

    def __init__(self, task: Task, seed: int, steps: int, learner: str, changes: Mapping[str, Any]) -> None:
        from rat_envs.training.recommended import options_of, recommended_options

        known = inspect.signature(options_of(learner)).parameters
        given = {"preset": task.preset, "annealing_steps": steps, "config": dict(task.config), "seed": seed, **changes}
        self.folder = tempfile.TemporaryDirectory()
        self.run = recommended_options(
            learner,
            task.game,
            **{name: value for name, value in given.items() if name in known},
            steps=steps,
            minutes=None,
            folder=self.folder.name,
        ).new_run()

    def learn(self, steps: int) -> int:
        """Update until it has learnt from so many decisions."""
        while self.run.steps < steps:
            self.run.update()
        return self.run.steps

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the policy learnt so far."""
        return self.run.agent().policy_batch(views)


class Unlearnt:
    """A function that answers probabilities, and learns nothing.

    Args:
        probabilities: the function.
    """

    def __init__(self, probabilities: Probabilities) -> None:
        self.policy_batch = probabilities

    def learn(self, steps: int) -> int:
        """There is nothing to learn."""
        return steps


def uniform(views: SeatViews) -> np.ndarray:
    """(n, A): every legal action alike."""
    probabilities: np.ndarray = views.masks / views.masks.sum(1, keepdims=True)
    return probabilities


#: No teacher, and nothing else that a game's own settings would add: what is compared is what an algorithm finds by
#: itself, in the same way in every game.
BY_ITSELF = {"teacher_steps": 0, "opponents": {}, "margin_weight": 0.0, "final_entropy": 1.0}
#: Small updates, since the budget is small.
ALONE = {**BY_ITSELF, "num_games": 128, "steps_per_update": 32, "minibatch": 512}
#: After Rudolph et al. 2026, for a smaller budget.
SMALL_STEPS = {"learning_rate": 2.5e-4, "clip_range": 0.1, "hidden": (256, 256)}
#: What Rudolph et al. 2026 used in all games.
THEIRS = {
    **BY_ITSELF,
    "num_games": 8,
    "epochs": 4,
    "hidden": (512, 512, 512),
    "activation": "tanh",
    "separate": True,
    "learning_rate": 2.5e-4,
    "final_rate": 0.0,
    "entropy_coefficient": 0.05,
    "gae_lambda": 0.95,
}
#: Near what they found best for PPO in abrupt dark hex: there minibatches have 256, gradients a norm of up to 2, and
#: the squared error half of this weight.
PPO_IN_DARK_HEX = {
    **THEIRS,
    "steps_per_update": 256,
    "minibatch": 512,
    "clip_range": 0.025,
    "value_coefficient": 0.0625,
}
#: What they found best for MMD in phantom tic-tac-toe; their squared error is half of one, too, with a weight of 0.5.
MMD_IN_TIC_TAC_TOE = {
    **THEIRS,
    "steps_per_update": 128,
    "minibatch": 256,
    "clip_range": 0.1,
    "proximal_coefficient": 0.05,
    "value_coefficient": 0.25,
}


def ours(learner: str, **changes: Any) -> Callable[[Task, int, int], Algorithm]:
    """One of our learners with these options."""
    return functools.partial(Ours, learner=learner, changes=changes)


def lookahead(task: Task, seed: int, steps: int) -> Algorithm | None:
    """Values and a round looked ahead; None where the game has no settings for that, or begins at a preset."""
    if task.preset or "lookahead" not in task.declared.training:
        return None
    return Ours(task, seed, steps, "lookahead", {"random_weight": 0.0})


def maskable_ppo(task: Task, seed: int, steps: int) -> Algorithm | None:
    """MaskablePPO as it is, against earlier selves and chance; None from a preset on, where it cannot begin."""
    return None if task.preset else Ours(task, seed, steps, "maskable_ppo", {})


def psro(task: Task, seed: int, steps: int) -> Algorithm:
    """Policy-space response oracles, whose responses PPO learns."""
    from rat_envs.comparison.psro import PSRO

    return PSRO(task, seed, steps, {**ALONE, **SMALL_STEPS, "entropy_coefficient": 0.01})


def by_open_spiel(name: str, task: Task, seed: int, steps: int) -> Algorithm:
    """An algorithm of OpenSpiel's.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
    """
    with needing(name, "openspiel"):
        from rat_envs.comparison.open_spiel import LEARNERS
    return LEARNERS[name](task, seed, steps)


#: What OpenSpiel learns by.
OPEN_SPIEL = ("dqn", "nfsp")
#: By name: what makes them, or answers None where they cannot learn the task.
ALGORITHMS: dict[str, Callable[[Task, int, int], Algorithm | None]] = {
    "uniform": lambda task, seed, steps: Unlearnt(uniform),
    "ppo:none": ours("ppo", **ALONE, **SMALL_STEPS, regularisation="none", entropy_coefficient=0.0),
    "ppo:entropy": ours("ppo", **ALONE, **SMALL_STEPS, regularisation="entropy", entropy_coefficient=0.05),
    "ppo:entropy=0.25": ours("ppo", **ALONE, **SMALL_STEPS, regularisation="entropy", entropy_coefficient=0.25),
    "ppo:mmd": ours(
        "ppo", **ALONE, **SMALL_STEPS, regularisation="mmd", entropy_coefficient=0.05, magnet_coefficient=0.2
    ),
    "maskable_ppo": maskable_ppo,
    "lookahead": lookahead,
    "search": ours("search", teacher_steps=0),
    "psro": psro,
    **{name: functools.partial(by_open_spiel, name) for name in OPEN_SPIEL},
}

#: By name, too, but not compared unless they are named: they need a larger budget.
AT_LENGTH: dict[str, Callable[[Task, int, int], Algorithm | None]] = {
    "ppo:published": ours("ppo", **PPO_IN_DARK_HEX, regularisation="entropy"),
    "mmd:published": ours("ppo", **MMD_IN_TIC_TAC_TOE, regularisation="entropy"),
    "magnet:published": ours("ppo", **PPO_IN_DARK_HEX, regularisation="mmd", magnet_coefficient=0.05),
    "none:published": ours("ppo", **PPO_IN_DARK_HEX, regularisation="none"),
}


def installed_algorithms() -> list[str]:
    """Those of ``ALGORITHMS`` whose libraries are installed."""
    missing = () if importlib.util.find_spec("pyspiel") else OPEN_SPIEL
    return [name for name in ALGORITHMS if name not in missing]


def find_algorithm(name: str) -> Callable[[Task, int, int], Algorithm | None]:
    """The algorithm of that name, or a class or function of one's own as ``module:object`` or ``file.py:object``.

    Raises:
        UnknownNameError: there is none.
        ConfigurationError: it is something else.
    """
    if name in (known := {**ALGORITHMS, **AT_LENGTH}):
        return known[name]
    place, _, attribute = name.rpartition(":")
    try:
        if not place:
            raise UnknownNameError("it is no module and object")
        found = getattr(module_named(place, "the algorithm"), attribute)
    except (UnknownNameError, AttributeError) as error:
        raise UnknownNameError(
            f"There is no algorithm {shown(name)} ({reason_of(error)}): name one of {', '.join(known)}, or your own as "
            "module:object or file.py:object."
        ) from None
    if _takes(found, 3):
        return found
    if inspect.isclass(found) or not _takes(found, 1):
        raise ConfigurationError(
            f"{shown_name(name)} is not an algorithm: it must be a class that takes a task, a seed and a number of "
            "steps, or a function of views."
        )
    return lambda task, seed, steps: Unlearnt(found)


def code_of(name: str) -> str | None:
    """SHA-256 of the file that holds an algorithm of one's own, hexadecimal; None for ours, and where there is none.

    Raises:
        UnknownNameError: its file or module is not there.
    """
    place = name.rpartition(":")[0]
    if name in {**ALGORITHMS, **AT_LENGTH} or not place:
        return None
    file = getattr(module_named(place, "the algorithm"), "__file__", None)
    return None if file is None else file_hash(Path(file))


def _takes(found: Any, number: int) -> bool:
    """Whether something can be called with so many arguments."""
    try:
        inspect.signature(found).bind(*range(number))
    except (TypeError, ValueError):
        return False
    return True
