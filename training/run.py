"""A training run: what all learners share. It repeats one update until the budget is spent, saves, and resumes."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, get_type_hints

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from tensorboard.compat.proto.event_pb2 import Event, SessionLog

from rat_envs.agents.learnt import MOST_BYTES as LARGEST_POLICY
from rat_envs.agents.learnt import LearntAgent, demand_loadable, save_policy
from rat_envs.api.named_agents import agent_file, demand_trust
from rat_envs.arena.plan import Entrant
from rat_envs.engine.archive import MOST_BYTES as LARGEST_ARCHIVE
from rat_envs.engine.archive import demand_finite, write_file
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.errors import (
    LONGEST_VALUE,
    CheckpointError,
    ConfigurationError,
    reason_of,
    shown,
    shown_name,
    shown_path,
)
from rat_envs.engine.files import MEBIBYTE
from rat_envs.engine.folders import locked
from rat_envs.engine.presets import Preset
from rat_envs.engine.registry import get_game
from rat_envs.training.checkpoints import CHECKPOINT, load_checkpoint, restore, save_checkpoint
from rat_envs.training.curve import curve_data, learning_curve
from rat_envs.training.ending import asked_to_end
from rat_envs.training.evaluation import Evaluation, Evaluator
from rat_envs.training.fitting import fitted, words
from rat_envs.training.folder import (
    CURVE,
    CURVE_DATA,
    POLICY,
    TENSORBOARD,
    UNTRAINED,
    is_moved,
    set_aside,
    to_resume,
    whole_files,
)
from rat_envs.training.freed import keep_freed_memory
from rat_envs.training.progress import Report

__all__ = ["POLICY", "UNTRAINED", "Run", "RunOptions", "TrainingResult", "train"]

#: The largest value of any option that counts something, and of those for which memory is taken.
MOST_COUNT = 2**31 - 1
MOST = {
    "num_games": 1_000_000,
    "memory": 1_000_000,
    "threads": 1024,
    "ray_workers": 10_000,
    "processes": 1024,
    "sims": 1_000_000,
    "final_draws": 1_000_000,
}
#: The most steps of an update, hidden layers, and units of a layer.
MOST_IN_UPDATE, MOST_LAYERS, MOST_UNITS = 100_000_000, 32, 16_384
#: Seconds of training after which a checkpoint is saved, however few updates there were.
MOST_UNSAVED = 120.0


@dataclass(frozen=True)
class RunOptions(ABC):
    """What is trained, where, and for how long. Each learner adds how.

    Attributes:
        game: registered name.
        config: options of the game by name.
        folder: where checkpoint, policies, learning curve and TensorBoard logs go; if not given, ``runs/`` and the name
            of the game, and of the learner where it is not the one that the game recommends.
        seed: seed of all random numbers. The same seed, number of threads and number of steps give the same policy.
            With ``minutes`` the number of imitation updates must be the same, too; it depends on the time.
        minutes: stop after this many minutes of training, including those before a resumption; None or infinity for no
            limit.
        steps: stop after this many steps; None for no limit.
        resume: go on from the checkpoint in ``folder``.
        replace: begin anew although ``folder`` holds a run; that run moves to the folder ``previous`` inside it.
        trust: load the agents that take part even from files that can execute code.
        checkpoint_interval: updates between two checkpoints; there is one every two minutes of training, too.
        evaluations: how many times, evenly spread over the budget, the policy is evaluated for the learning curve; 0
            for no curve. The time that it takes does not count.
        tensorboard: whether to write logs for TensorBoard.
        threads: processor cores that PyTorch may use; more than one helps with large networks on an idle machine.
    """

    #: Options that a resumed run may change.
    FREE: ClassVar[frozenset[str]] = frozenset(
        {"folder", "minutes", "steps", "resume", "replace", "trust"}
        | {"checkpoint_interval", "evaluations", "tensorboard"}
    )
    #: Options that name a file which is read only at the beginning: when a run is resumed, the file may be elsewhere.
    FILES: ClassVar[frozenset[str]] = frozenset()
    #: Options that are whole numbers from 1.
    COUNTS: ClassVar[tuple[str, ...]] = ("threads", "checkpoint_interval")
    #: Options whose product is the number of decisions that must fit into memory.
    KEPT: ClassVar[tuple[str, ...]] = ("num_games", "steps_per_update")
    #: The learner's name on the command line.
    LEARNER: ClassVar[str]

    game: str = "brave_rats"
    config: Mapping[str, Any] = field(default_factory=dict)
    folder: str | None = None
    seed: int = 0
    minutes: float | None = 2.0
    steps: int | None = None
    resume: bool = False
    replace: bool = False
    trust: bool = False
    checkpoint_interval: int = 50
    evaluations: int = 20
    tensorboard: bool = True
    threads: int = 1

    @property
    def position(self) -> str | None:
        """The name of the preset at which all games begin; None for whole games. Learners that can begin anywhere have
        an option ``preset``.
        """
        return getattr(self, "preset", "") or None

    def beginning(self) -> Any:
        """The row at which all games begin, a record of ``STATE``; None for new games.

        Raises:
            UnknownNameError: there is no such preset.
            ConfigurationError: options are given beside it.
        """
        if self.position is None:
            return None
        game, preset = get_game(self.game), self._preset()
        if game.configuration.make(self.config) != game.configuration.make(preset.options):
            raise ConfigurationError(
                f"preset={shown_name(preset.name)}: must have its own options: leave out config, or give "
                f"{dict(preset.options)}."
            )
        return preset.position(game).state

    def _preset(self) -> Preset:
        """The position at which all games begin.

        Raises:
            UnknownNameError: there is no such preset.
        """
        name = self.position or ""
        if len(name) > LONGEST_VALUE:
            raise ConfigurationError(f"preset={shown(name)}: must be the name of a position.")
        return get_game(self.game).preset(name)

    def __post_init__(self) -> None:
        self._make_plain()
        if self.folder == "":
            raise ConfigurationError("folder='': must be the path of a folder; of the one you are in it is '.'.")
        for name in self.COUNTS:
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name}={shown(getattr(self, name))}: must be a whole number from 1.")
        self._demand_affordable()
        for name, value in vars(self).items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ConfigurationError(f"{name}={value}: must be a number.")
            if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in value):
                right = "must be text in UTF-8 without a zero byte, because it is saved in a file"
                raise ConfigurationError(f"{name}={shown(value)}: {right}.")
        checked_seed(self.seed)
        self._demand_budget()
        if self.resume and self.replace:
            raise ConfigurationError("A run is resumed or replaced, not both.")

    def _demand_budget(self) -> None:
        """Refuse a run without end, or a negative budget."""
        if self.minutes is None and self.steps is None:
            raise ConfigurationError("Training needs an end: give minutes, steps or both.")
        given = (name for name in ("minutes", "steps", "evaluations") if getattr(self, name) is not None)
        self._demand(0, math.inf, *given)

    def _make_plain(self) -> None:
        """Convert every value to the form in which it is read from a file; an infinite time becomes None."""
        types = get_type_hints(type(self))
        for name, value in vars(self).items():
            given = plain({} if name == "config" and value is None else value)
            try:
                object.__setattr__(self, name, fitted(given, types[name]))
            except TypeError:
                raise ConfigurationError(f"{name}={shown(value)}: must be {words(types[name])}.") from None
        if self.minutes == math.inf:
            object.__setattr__(self, "minutes", None)
        if self.position is not None and not self.config:
            object.__setattr__(self, "config", dict(self._preset().options))

    def _demand_affordable(self) -> None:
        """Refuse options for which no machine has the memory, before any is taken."""
        for name, most in {**dict.fromkeys(self.COUNTS, MOST_COUNT), **MOST}.items():
            if getattr(self, name, 0) > most:
                raise ConfigurationError(f"{name}={shown(getattr(self, name))}: must be at most {most:,}.")
        if math.prod(getattr(self, name, 1) for name in self.KEPT) > MOST_IN_UPDATE:
            raise ConfigurationError(f"{', '.join(self.KEPT)}: their product must be at most {MOST_IN_UPDATE:,} steps.")
        hidden = getattr(self, "hidden", ())
        if len(hidden) > MOST_LAYERS or any(not 1 <= size <= MOST_UNITS for size in hidden):
            raise ConfigurationError(
                f"hidden={shown(hidden)}: must be sizes of layers from 1 to {MOST_UNITS:,}, and at most {MOST_LAYERS}."
            )

    def _demand(self, least: float, most: float, *names: str) -> None:
        """Refuse an option that is out of range."""
        for name in names:
            if not least <= getattr(self, name) <= most:
                wanted = f"from {least:g} to {most:g}" if most < math.inf else f"{least:g} or more"
                raise ConfigurationError(f"{name}={shown(getattr(self, name))}: must be {wanted}.")

    def agents(self) -> tuple[str, ...]:
        """The names of the agents that play in the learner's games, or are imitated there."""
        return ()

    @property
    def place(self) -> Path:
        """``folder``, or the default if none is given."""
        if self.folder is not None:
            return Path(self.folder)
        from rat_envs.training.recommended import recommended_learner  # it imports this module, too

        game = get_game(self.game)
        recommended = recommended_learner(game, game.configuration.make(self.config))
        return Path("runs") / (game.name if recommended == self.LEARNER else f"{game.name}-{self.LEARNER}")

    @property
    def goes_on(self) -> bool:
        """Whether the run in ``folder`` goes on; one that was killed before its first checkpoint begins again."""
        return self.resume and (self.place / CHECKPOINT).exists()

    @abstractmethod
    def new_run(self) -> Run:
        """A run with these options, at its beginning."""

    @classmethod
    def saved(cls, folder: str | Path, trust: bool = False) -> Any:
        """The options of the run in ``folder``, for resuming it with the same or, by ``replace``, with another budget.

        Args:
            trust: the option of this name. With it the checkpoint may also name agents that are code, or that ask a
                server, and a Ray cluster; without it the cluster's address is left out: give it again by ``replace``.

        Raises:
            CheckpointError: there is no complete checkpoint, it is another learner's, or it needs ``trust``.
        """
        path = Path(folder) / CHECKPOINT
        header, _ = load_checkpoint(path, cls.LEARNER)
        try:
            here = {"folder": str(folder), "resume": True, "replace": False, "trust": trust}
            taken = {name: value for name, value in header["options"].items() if trust or name != "ray"}
            options = cls(**{**taken, **here})
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise CheckpointError(
                f"{shown_path(path)} has no options that this version understands: {reason_of(error)}."
            ) from None
        demand_trust(options.agents(), trust, shown_path(path), "trust=True")
        return options


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training run.

    Attributes:
        agent: the learnt policy.
        untrained: the policy before the first update.
        policy_path: where ``agent`` is saved.
        untrained_path: where ``untrained`` is saved.
        checkpoint_path: the file from which to resume.
        curve_path: the learning curve; None if the policy was never evaluated.
        updates_before: updates when the run was resumed; 0 for a new one.
        updates: number of updates of the networks.
        steps: number of steps of the learner.
        seconds: time spent on training.
        steps_per_second: since the run was started or resumed.
        interrupted: whether Ctrl-C, SIGTERM or the like ended it before its budget was spent.
        ended_by: the number of that signal; None without one.
    """

    agent: Any
    untrained: Any
    policy_path: Path
    untrained_path: Path
    checkpoint_path: Path
    curve_path: Path | None
    updates_before: int
    updates: int
    steps: int
    seconds: float
    steps_per_second: float
    interrupted: bool
    ended_by: int | None = None


class Run(ABC):
    """A learner and its counters.

    Args:
        options: how to train.

    Attributes:
        updates: updates so far.
        seconds: time spent on them.
        evaluations: the evaluations of the policy so far.
        files: for each agent in its games that is loaded from a file, by name, the SHA-256 of that file.
        logger: takes numbers for TensorBoard.
    """

    options: RunOptions

    def __init__(self, options: RunOptions) -> None:
        self.folder = Path(os.path.abspath(options.place))  # absolute: an agent may change the working directory
        self.options = options
        self.updates = 0
        self.seconds = 0.0
        self.evaluations: list[Evaluation] = []
        self.files = files_of(options)
        torch.set_num_threads(options.threads)
        keep_freed_memory()
        self.logger = Logger(None, [])

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number of steps that the learner has learnt from so far."""

    @abstractmethod
    def learn(self) -> None:
        """Make one update; write the numbers worth knowing about it to ``logger``."""

    def most_frozen(self) -> tuple[int, int]:
        """The most frozen selves that a checkpoint may hold in the end, and the most of which a policy is the mean."""
        return 0, 1

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
        """The whole state of the learner apart from options, counters and global random numbers: plain values, and
        arrays."""

    @abstractmethod
    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Go on from :meth:`get_state`.

        Raises:
            KeyError, IndexError, TypeError, ValueError, RuntimeError: the state does not fit together.
        """

    def update(self) -> None:
        """Learn once, and count it."""
        started = time.perf_counter()
        self.learn()
        self.updates += 1
        self.seconds += time.perf_counter() - started
        self.logger.record("time/seconds", self.seconds)
        try:
            self.logger.dump(self.steps)
        except OSError as error:
            self.logger.output_formats.clear()
            warnings.warn(f"The log for TensorBoard ends here ({error.strerror or error}).", stacklevel=2)

    def close(self) -> None:
        """Close what is open."""
        with contextlib.suppress(OSError):  # a full disk; the error that ended the run says so, not the log
            self.logger.close()

    def begin_logs(self) -> None:
        """From now on ``logger`` writes to the folder, if logs are wanted.

        A START event makes TensorBoard drop everything logged from its step on. So what a killed run logged after its
        last checkpoint disappears.
        """
        if not self.options.tensorboard:
            return
        log = TensorBoardOutputFormat(str(self.folder / TENSORBOARD))
        first = self.steps + 1 if self.updates or self.evaluations else 0  # otherwise the first evaluation comes again
        writer: Any = log.writer.file_writer  # its types lack this attribute
        writer.add_event(Event(step=first, session_log=SessionLog(status=SessionLog.START)))
        self.logger.output_formats.append(log)

    def fraction(self) -> float:
        """The part of the budget that is spent, from 0 to 1."""
        minutes, steps = self.options.minutes, self.options.steps
        parts = [0.0]
        if minutes is not None:
            parts.append(self.seconds / (60 * minutes) if minutes > 0 else 1.0)
        if steps is not None:
            parts.append(self.steps / steps if steps > 0 else 1.0)
        return min(1.0, max(parts))

    def training(self) -> dict[str, Any]:
        """How the policy was trained so far, as plain values."""
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

    def draw_curve(self) -> Path | None:
        """The learning curve so far, as numbers and as a picture: its file, or None without an evaluation."""
        if not self.evaluations:
            return None
        title = f"{self.options.game}, learner {self.options.LEARNER}, seed {self.options.seed}"
        write_file(self.folder / CURVE_DATA, curve_data(self.evaluations))
        write_file(self.folder / CURVE, learning_curve(self.evaluations, title))
        return self.options.place / CURVE


def plain(value: Any) -> Any:
    """The value of an option as it is read from a file: paths as text, NumPy's numbers as Python's, no lists."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {name: each.item() if isinstance(each, np.generic) else each for name, each in value.items()}
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def files_of(options: RunOptions) -> dict[str, str]:
    """The SHA-256 of the file of each agent in a learner's games that is loaded from a file, by the agent's name."""
    game = get_game(options.game)
    configuration = game.configuration.make(options.config)
    entrants = [Entrant.of(name, game, configuration) for name in options.agents()]
    return {entrant.name: entrant.sha256 for entrant in entrants if entrant.sha256 is not None}


def train(options: RunOptions, progress: Callable[[Report], None] | None = None) -> TrainingResult:
    """Train until the budget is spent, or Ctrl-C, SIGTERM or the like asks to end, then save.

    If the caller has handlers for such signals, they stay in place and decide what these signals do. The caller's
    random numbers and PyTorch's number of threads stay as they are.

    Args:
        options: how to train. With ``resume`` the run in its folder goes on as if it had never stopped.
        progress: called after every update.

    Raises:
        CheckpointError: the folder holds a run, and neither ``resume`` nor ``replace`` is given; another run is writing
            there; the run to resume is missing, damaged, or of another game, version or set of options; or files cannot
            be written.
    """
    with pytorch_as_it_was():
        return _train(options, progress)


@contextlib.contextmanager
def pytorch_as_it_was() -> Iterator[None]:
    """Afterwards restore the caller's random numbers and number of threads of PyTorch."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(range(torch.cuda.device_count())):
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _train(options: RunOptions, progress: Callable[[Report], None] | None) -> TrainingResult:
    run = build(options)
    with contextlib.closing(run), locked(run.folder), whole_files(run.folder), quiet_log():
        begin(run)
        pace = Pace(run)
        with asked_to_end() as ending:
            repeat(run, pace, lambda: ending.signal is not None, progress)
            run.save()
        return result_of(run, pace, ending.signal if run.fraction() < 1 else None, run.draw_curve())


@contextlib.contextmanager
def quiet_log() -> Iterator[None]:
    """Suppress the traceback of TensorBoard's thread if it cannot write: the run's own error says what is wrong."""
    said = threading.excepthook

    def say(ended: threading.ExceptHookArgs) -> None:
        if not (isinstance(ended.exc_value, OSError) and type(ended.thread).__module__.startswith("tensorboard.")):
            said(ended)

    threading.excepthook = say
    try:
        yield
    finally:
        if threading.excepthook is say:  # otherwise a run in another thread still calls ours after its own
            threading.excepthook = said


def build(options: RunOptions) -> Run:
    """A run at its beginning. All errors are raised before anything in the folder is touched."""
    if to_resume(options.place, options.resume, options.replace):
        load_checkpoint(options.place / CHECKPOINT, options.LEARNER, options.game)
    else:
        demand_not_moved(options)
    run = options.new_run()
    try:
        demand_loadable(run.agent())
        demand_room(run)
    except BaseException:
        run.close()
        raise
    return run


def demand_not_moved(options: RunOptions) -> None:
    """Refuse agents whose files a new run would move away: the run could not be resumed with another file in their
    place.

    Raises:
        CheckpointError: there is such an agent.
    """
    game = get_game(options.game)
    players = game.configuration.make(options.config).players
    for file in filter(None, (agent_file(name, game, players) for name in options.agents())):
        if is_moved(file, options.place):
            raise CheckpointError(
                f"{shown_path(file)} would be moved away by this run: copy it, and name the copy, or train in another "
                "folder."
            )


def demand_room(run: Run) -> None:
    """Refuse a run whose files would grow until they are too large to be read again.

    Raises:
        ConfigurationError: they would.
    """
    one = sum(array.nbytes for array in run.agent().contents()[1].values())
    in_checkpoint, in_policy = run.most_frozen()
    now = sum(array.nbytes for array in run.get_state()[1].values())
    for size, most in ((now + one * in_checkpoint, LARGEST_ARCHIVE), (one * in_policy, LARGEST_POLICY)):
        if size > most:
            raise ConfigurationError(
                f"With all its frozen selves a file of this run would have {size / MEBIBYTE:,.0f} MiB, and at most "
                f"{most // MEBIBYTE:,} are read: smaller layers (hidden) or a smaller history make it smaller."
            )


def begin(run: Run) -> None:
    """Save the run for the first time; or restore the run in the folder as it was last saved."""
    if to_resume(run.folder, run.options.resume, run.options.replace):
        restore(run, run.folder / CHECKPOINT)
    else:
        set_aside(run.folder)
        run.save()
    run.begin_logs()


class Pace:
    """The speed of a run.

    Args:
        run: the run, just started or resumed.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.updates, self.steps, self.seconds, self.fraction = run.updates, run.steps, run.seconds, run.fraction()

    def steps_per_second(self) -> float:
        """Steps per second since it was started or resumed."""
        return (self.run.steps - self.steps) / max(self.run.seconds - self.seconds, 1e-9)

    def seconds_left(self) -> float | None:
        """Seconds until its budget is spent, if it goes on at this speed; None before the first update."""
        spent = self.run.fraction() - self.fraction
        return (self.run.seconds - self.seconds) * (1 - self.run.fraction()) / spent if spent > 0 else None


def repeat(
    run: Run, pace: Pace, interrupted: Callable[[], bool], progress: Callable[[Report], None] | None = None
) -> None:
    """Update until the budget is spent; evaluate, save and report in between.

    Raises:
        CheckpointError: the parameters are no longer finite.
    """
    evaluator, saved = Evaluator(run), run.seconds
    evaluator.look()
    while run.fraction() < 1 and not interrupted():
        run.update()
        if evaluator.is_due():
            demand_finite(run.folder / POLICY, run.get_state()[1])
        evaluator.look()
        due = run.updates % run.options.checkpoint_interval == 0 or run.seconds - saved >= MOST_UNSAVED
        if due:
            run.save()
            saved = run.seconds
        if progress is not None and not interrupted():  # its reader may have ended by the same signal
            progress(report(run, pace, due))


def report(run: Run, pace: Pace, saved: bool) -> Report:
    """The progress of the run."""
    return Report(
        updates=run.updates,
        steps=run.steps,
        seconds=run.seconds,
        fraction=run.fraction(),
        steps_per_second=pace.steps_per_second(),
        seconds_left=pace.seconds_left(),
        saved=saved,
        **run.report(),
    )


def result_of(run: Run, pace: Pace, ended_by: int | None, curve: Path | None) -> TrainingResult:
    """The result of the run, whether a signal ended it or not; the paths of its files begin as the options name the
    folder."""
    place = run.options.place
    return TrainingResult(
        agent=run.agent(),
        untrained=run.untrained(),
        policy_path=place / POLICY,
        untrained_path=place / UNTRAINED,
        checkpoint_path=place / CHECKPOINT,
        curve_path=curve,
        updates_before=pace.updates,
        updates=run.updates,
        steps=run.steps,
        seconds=run.seconds,
        steps_per_second=pace.steps_per_second(),
        interrupted=ended_by is not None,
        ended_by=ended_by,
    )
