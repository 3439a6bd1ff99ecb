"""A training run: what all learners share. It repeats one update until the budget is spent, saves, and resumes."""

from __future__ import annotations

import dataclasses
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from rat_envs.agents.learnt import LearntAgent, save_policy
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.interrupts import held_back
from rat_envs.training.checkpoints import CHECKPOINT, load_checkpoint, restore, save_checkpoint
from rat_envs.training.progress import Report

__all__ = ["POLICY", "UNTRAINED", "Run", "RunOptions", "TrainingResult", "train"]

#: Files of a run's folder, beside the checkpoint.
POLICY, UNTRAINED, TENSORBOARD = "policy.safetensors", "untrained.safetensors", "tensorboard"


@dataclass(frozen=True)
class RunOptions(ABC):
    """What is to be trained, where, and for how long. Each learner adds how.

    Attributes:
        game: registered name.
        config: options of the game by name.
        folder: where checkpoint, policies and TensorBoard logs go.
        seed: of everything random. The same seed, number of threads and number of steps give the same policy.
        minutes: stop after so much training, what came before a resumption included; None for no limit.
        steps: stop after so many steps; None for no limit.
        resume: go on from the checkpoint in ``folder``.
        checkpoint_interval: updates between two checkpoints.
        tensorboard: whether to write logs for TensorBoard.
        threads: processor cores that the networks may use; more than one pays for large networks on an idle machine.
    """

    #: Options that a resumed run may change.
    FREE: ClassVar[frozenset[str]] = frozenset(
        {"folder", "minutes", "steps", "resume", "checkpoint_interval", "tensorboard"}
    )
    #: Options that are whole numbers from 1.
    COUNTS: ClassVar[tuple[str, ...]] = ("threads", "checkpoint_interval")
    #: What learns, as it is named on the command line.
    LEARNER: ClassVar[str]

    game: str = "brave_rats"
    config: Mapping[str, Any] = field(default_factory=dict)
    folder: str = "runs/brave_rats"
    seed: int = 0
    minutes: float | None = 2.0
    steps: int | None = None
    resume: bool = False
    checkpoint_interval: int = 50
    tensorboard: bool = True
    threads: int = 1

    def __post_init__(self) -> None:
        for name in self.COUNTS:
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name}={getattr(self, name)}: must be a whole number from 1.")
        if self.minutes is None and self.steps is None:
            raise ConfigurationError("Training needs an end: give minutes, steps or both.")

    @abstractmethod
    def new_run(self) -> Run:
        """A run with these options, at its beginning."""

    @classmethod
    def saved(cls, folder: str | Path) -> Any:
        """The options of the run in ``folder``, for resuming it with the same or, by ``replace``, with another budget.

        Raises:
            CheckpointError: there is no whole checkpoint, or it is another learner's.
        """
        path = Path(folder) / CHECKPOINT
        header, _ = load_checkpoint(path, cls.LEARNER)
        try:
            values: dict[str, Any] = {**header["options"], "folder": str(folder), "resume": True}
            values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path} has no options that this version understands: {error}.") from None


@dataclass(frozen=True)
class TrainingResult:
    """What a training run has come to.

    Attributes:
        agent: the learnt policy.
        untrained: the policy before the first update.
        policy_path: where ``agent`` is saved.
        untrained_path: where ``untrained`` is saved.
        checkpoint_path: what to resume from.
        updates: of the networks.
        steps: of the learner.
        seconds: time spent on training.
        steps_per_second: since the run was started or resumed.
        interrupted: whether Ctrl-C ended it before its budget was spent.
    """

    agent: Any
    untrained: Any
    policy_path: Path
    untrained_path: Path
    checkpoint_path: Path
    updates: int
    steps: int
    seconds: float
    steps_per_second: float
    interrupted: bool


class Run(ABC):
    """A learner and its counters.

    Args:
        options: how to train.

    Attributes:
        updates: updates so far.
        seconds: time spent on them.
        logger: takes numbers for TensorBoard.
    """

    options: RunOptions

    def __init__(self, options: RunOptions) -> None:
        self.folder = Path(options.folder)
        self.options = options
        self.updates = 0
        self.seconds = 0.0
        torch.set_num_threads(options.threads)
        self.logger = Logger(None, [])

    @property
    @abstractmethod
    def steps(self) -> int:
        """What the learner has learnt from so far."""

    @abstractmethod
    def learn(self) -> None:
        """One update; what is worth knowing about it goes to ``logger``."""

    @abstractmethod
    def agent(self) -> LearntAgent:
        """The policy learnt so far."""

    @abstractmethod
    def untrained(self) -> LearntAgent:
        """The policy before the first update."""

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Fields of :class:`Report` that only the learner knows."""

    @abstractmethod
    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """All that the learner is beside options, counters and global random numbers: plain values, and arrays."""

    @abstractmethod
    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Go on from :meth:`get_state`.

        Raises:
            KeyError, IndexError, TypeError, ValueError, RuntimeError: it does not fit together.
        """

    def update(self) -> None:
        """Learn once, and count it."""
        started = time.perf_counter()
        self.learn()
        self.updates += 1
        self.seconds += time.perf_counter() - started
        self.logger.record("time/seconds", self.seconds)
        self.logger.dump(self.steps)

    def begin_logs(self) -> None:
        """From now on ``logger`` writes to the folder, if it is to."""
        if self.options.tensorboard:
            self.logger.output_formats.append(TensorBoardOutputFormat(str(self.folder / TENSORBOARD)))

    def fraction(self) -> float:
        """Part of the budget that is spent, from 0 to 1."""
        minutes, steps = self.options.minutes, self.options.steps
        parts = [0.0]
        if minutes is not None:
            parts.append(self.seconds / (60 * minutes) if minutes > 0 else 1.0)
        if steps is not None:
            parts.append(self.steps / steps if steps > 0 else 1.0)
        return min(1.0, max(parts))

    def training(self) -> dict[str, Any]:
        """How the policy has come about so far, as plain values."""
        return {
            "learner": self.options.LEARNER,
            "updates": self.updates,
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "options": dataclasses.asdict(self.options),
        }

    def save(self) -> None:
        """Checkpoint and policy, each written whole or not at all."""
        save_checkpoint(self)
        save_policy(self.folder / POLICY, self.agent())
        if not (self.folder / UNTRAINED).exists():
            save_policy(self.folder / UNTRAINED, self.untrained())


def train(options: RunOptions, progress: Callable[[Report], None] | None = None) -> TrainingResult:
    """Train until the budget is spent or Ctrl-C is pressed, then save.

    Args:
        options: how to train. With ``resume`` the run in its folder goes on as if it had never stopped.
        progress: called after every update.

    Raises:
        CheckpointError: what is to be resumed is missing, damaged, or of another game, version or set of options.
    """
    run = begin(options)
    steps_before, seconds_before = run.steps, run.seconds

    def speed() -> float:
        return (run.steps - steps_before) / max(run.seconds - seconds_before, 1e-9)

    with held_back() as interrupted:
        while run.fraction() < 1 and not interrupted.is_set():
            run.update()
            due = run.updates % options.checkpoint_interval == 0
            if due:
                run.save()
            if progress is not None:
                progress(report(run, speed(), due))
        run.save()
    run.logger.close()
    return TrainingResult(
        agent=run.agent(),
        untrained=run.untrained(),
        policy_path=run.folder / POLICY,
        untrained_path=run.folder / UNTRAINED,
        checkpoint_path=run.folder / CHECKPOINT,
        updates=run.updates,
        steps=run.steps,
        seconds=run.seconds,
        steps_per_second=speed(),
        interrupted=interrupted.is_set() and run.fraction() < 1,
    )


def begin(options: RunOptions) -> Run:
    """A new run, saved for the first time; or the one in the folder, as it was when it was last saved."""
    checkpoint = Path(options.folder) / CHECKPOINT
    if options.resume and not checkpoint.parent.is_dir():
        raise CheckpointError(f"There is no run in {options.folder} to resume: start one there without --resume.")
    if options.resume and checkpoint.exists():
        load_checkpoint(checkpoint, options.LEARNER, options.game)  # complain before anything is built
        run = options.new_run()
        restore(run, checkpoint)
    elif options.resume and (old := checkpoint.with_suffix(".npz")).exists():
        raise CheckpointError(f"{old} is of an earlier version and cannot be resumed: start anew without --resume.")
    else:
        run = options.new_run()  # complains before anything in the folder is touched
        if checkpoint.exists():
            os.replace(checkpoint, checkpoint.with_name(f"previous-{CHECKPOINT}"))
        (checkpoint.parent / UNTRAINED).unlink(missing_ok=True)
        run.save()
    run.begin_logs()
    return run


def report(run: Run, steps_per_second: float, saved: bool) -> Report:
    """Where the run is."""
    return Report(
        updates=run.updates,
        steps=run.steps,
        seconds=run.seconds,
        fraction=run.fraction(),
        steps_per_second=steps_per_second,
        saved=saved,
        **run.report(),
    )
