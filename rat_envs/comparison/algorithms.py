"""The algorithms that are compared: classes that learn and return probabilities, or functions that return
probabilities."""

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

#: ``(views) -> (n, A)`` probabilities of the actions of each seat, 0 for illegal ones.
Probabilities = Callable[[SeatViews], np.ndarray]


class Algorithm(Protocol):
    """An algorithm. It is made by ``(task, seed, steps)``, where ``steps`` is its whole budget."""

    def learn(self, steps: int) -> int:
        """Learn until ``steps`` decisions, of all seats, have been used in all; return how many were used."""

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the probabilities of the actions of each seat, 0 for illegal ones."""


class Ours:
    """One of the learners of ``rat-envs train``, with the game's settings and a schedule for the budget.

    Args:
        task: the task to learn.
        seed: seed of everything random.
        steps: the whole budget.
        learner: its name.
        changes: options with other values.
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
        """Update until it has learnt from this many decisions."""
        while self.run.steps < steps:
            self.run.update()
        return self.run.steps

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the policy learnt so far."""
        return self.run.agent().policy_batch(views)


class Unlearnt:
    """A function that returns probabilities, and does not learn.

    Args:
        probabilities: the function.
    """

    def __init__(self, probabilities: Probabilities) -> None:
        self.policy_batch = probabilities

    def learn(self, steps: int) -> int:
        """Do nothing: there is nothing to learn."""
        return steps


def uniform(views: SeatViews) -> np.ndarray:
    """(n, A): every legal action with equal probability."""
    probabilities: np.ndarray = views.masks / views.masks.sum(1, keepdims=True)
    return probabilities


#: No teacher, and nothing else that a game's own settings would add: every algorithm learns by itself, in the same way
#: in every game.
BY_ITSELF = {"teacher_steps": 0, "opponents": {}, "margin_weight": 0.0, "final_entropy": 1.0}
#: Small updates, because the budget is small.
ALONE = {**BY_ITSELF, "num_games": 128, "steps_per_update": 32, "minibatch": 512}
#: After Rudolph et al. 2026, for a smaller budget.
SMALL_STEPS = {"learning_rate": 2.5e-4, "clip_range": 0.1, "hidden": (256, 256)}
#: The settings of Rudolph et al. 2026 in all games.
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
#: Close to their best settings for PPO in abrupt dark hex, where minibatches have 256 decisions, gradients a norm of up
#: to 2, and the squared error half of this weight.
PPO_IN_DARK_HEX = {
    **THEIRS,
    "steps_per_update": 256,
    "minibatch": 512,
    "clip_range": 0.025,
    "value_coefficient": 0.0625,
}
#: Their best settings for MMD in phantom tic-tac-toe; their error is half of the squared one, too, with a weight of
#: 0.5.
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
    """The learner ``lookahead``; None if the game has no settings for it, or the task begins at a preset."""
    if task.preset or "lookahead" not in task.declared.training:
        return None
    return Ours(task, seed, steps, "lookahead", {"random_weight": 0.0})


def maskable_ppo(task: Task, seed: int, steps: int) -> Algorithm | None:
    """MaskablePPO with its defaults, against earlier selves and random play; None for a preset, at which it cannot
    begin."""
    return None if task.preset else Ours(task, seed, steps, "maskable_ppo", {})


def psro(task: Task, seed: int, steps: int) -> Algorithm:
    """Policy-space response oracles, with responses learnt by PPO."""
    from rat_envs.comparison.psro import PSRO

    return PSRO(task, seed, steps, {**ALONE, **SMALL_STEPS, "entropy_coefficient": 0.01})


def by_open_spiel(name: str, task: Task, seed: int, steps: int) -> Algorithm:
    """An algorithm from OpenSpiel.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
    """
    with needing(name, "openspiel"):
        from rat_envs.comparison.open_spiel import LEARNERS
    return LEARNERS[name](task, seed, steps)


#: The algorithms from OpenSpiel.
OPEN_SPIEL = ("dqn", "nfsp")
#: By name, functions that make the algorithms, or return None if they cannot learn the task.
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

#: The same for algorithms that are compared only if they are named, because they need a larger budget.
AT_LENGTH: dict[str, Callable[[Task, int, int], Algorithm | None]] = {
    "ppo:published": ours("ppo", **PPO_IN_DARK_HEX, regularisation="entropy"),
    "mmd:published": ours("ppo", **MMD_IN_TIC_TAC_TOE, regularisation="entropy"),
    "magnet:published": ours("ppo", **PPO_IN_DARK_HEX, regularisation="mmd", magnet_coefficient=0.05),
    "none:published": ours("ppo", **PPO_IN_DARK_HEX, regularisation="none"),
}


def installed_algorithms() -> list[str]:
    """The names in ``ALGORITHMS`` whose libraries are installed."""
    missing = () if importlib.util.find_spec("pyspiel") else OPEN_SPIEL
    return [name for name in ALGORITHMS if name not in missing]


def find_algorithm(name: str) -> Callable[[Task, int, int], Algorithm | None]:
    """The algorithm of that name, or a user's class or function as ``module:object`` or ``file.py:object``.

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
    """The hexadecimal SHA-256 of the file of a user's algorithm; None for ours, and if there is no file.

    Raises:
        UnknownNameError: its file or module does not exist.
    """
    place = name.rpartition(":")[0]
    if name in {**ALGORITHMS, **AT_LENGTH} or not place:
        return None
    file = getattr(module_named(place, "the algorithm"), "__file__", None)
    return None if file is None else file_hash(Path(file))


def _takes(found: Any, number: int) -> bool:
    """Whether something can be called with this number of arguments."""
    try:
        inspect.signature(found).bind(*range(number))
    except (TypeError, ValueError):
        return False
    return True
