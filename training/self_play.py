"""Self-play with ``sb3_contrib.MaskablePPO``: one learner in many games against frozen earlier selves and random.

Read from the top: the options, the run and its one update, then :func:`train`, which repeats it. What is saved as the
policy is the mean of the learner's frozen selves over the last part of the training: the average plays far closer to an
equilibrium than the newest self does.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from agents.policy import PolicyAgent, networks_of, save_policy
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.engine.errors import CheckpointError, ConfigurationError
from training.checkpoints import CHECKPOINT, load_checkpoint, restore, save_checkpoint
from training.margins import MarginVecEnv
from training.opponents import OpponentPool
from training.progress import Report
from training.scaling import Scaled, scale_of

__all__ = ["POLICY", "UNTRAINED", "SelfPlay", "TrainingOptions", "TrainingResult", "saved_options", "train"]

#: Files of a run's folder, beside the checkpoint.
POLICY, UNTRAINED, TENSORBOARD = "policy.npz", "untrained.npz", "tensorboard"

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


@dataclass(frozen=True)
class TrainingOptions:
    """How to train.

    Attributes:
        game: registered name.
        config: options of the game by name.
        folder: where checkpoint, policies and TensorBoard logs go.
        seed: of everything random. The same seed, number of threads and number of steps give the same policy.
        minutes: stop after so much training, what came before a resumption included; None for no limit.
        steps: stop after so many moves of the learner; None for no limit.
        resume: go on from the checkpoint in ``folder``.
        checkpoint_interval: updates between two checkpoints.
        tensorboard: whether to write logs for TensorBoard.
        threads: processor cores that the networks may use; more than one pays for large networks on an idle machine.
        num_games: games at once.
        steps_per_update: moves of the learner in each game between two updates.
        minibatch: moves per gradient step.
        epochs: passes over the moves of an update.
        hidden: sizes of the hidden layers, of the action and of the value network alike.
        activation: between the layers: relu or tanh.
        scaled: whether the networks take only the numbers of an observation that vary in random play, less their mean
            there and over their spread.
        margin_weight: reward for a large lead in points at the end, beside the game's own (:class:`MarginVecEnv`).
        learning_rate: at the start.
        entropy_coefficient: at the start; what keeps the policy mixed.
        halving_steps: learning rate and entropy coefficient fall as 1 / (1 + steps / halving_steps).
        discount: of rewards, per move.
        gae_lambda: bias against variance of the advantages.
        clip_range: how far an update may move a probability, as a ratio.
        opponents: agents by name, as ``agents.make_agent`` takes it, and the part of the games that each is played.
        latest_share: part that is played against the newest frozen self; older selves share the rest.
        older_at_once: how many older selves play at a time.
        history: how many frozen selves are kept, evenly spread over the training.
        average_share: the policy is the mean of the frozen selves of this last part of the training.
    """

    #: Options that a resumed run may change.
    FREE: ClassVar[frozenset[str]] = frozenset(
        {"folder", "minutes", "steps", "resume", "checkpoint_interval", "tensorboard", "average_share"}
    )

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
    num_games: int = 512
    steps_per_update: int = 16
    minibatch: int = 2048
    epochs: int = 3
    hidden: tuple[int, ...] = (64, 64)
    activation: str = "relu"
    scaled: bool = False
    margin_weight: float = 0.0
    learning_rate: float = 3e-3
    entropy_coefficient: float = 0.005
    halving_steps: int = 600_000
    discount: float = 1.0
    gae_lambda: float = 0.9
    clip_range: float = 0.2
    opponents: Mapping[str, float] = field(default_factory=lambda: {"random": 0.85})
    latest_share: float = 0.1
    older_at_once: int = 2
    history: int = 64
    average_share: float = 0.2

    def __post_init__(self) -> None:
        for name in ("num_games", "steps_per_update", "minibatch", "epochs", "threads", "checkpoint_interval"):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name}={getattr(self, name)}: must be a whole number from 1.")
        if self.minutes is None and self.steps is None:
            raise ConfigurationError("Training needs an end: give minutes, steps or both.")
        shares = (*self.opponents.values(), self.latest_share)
        if min(shares) < 0 or sum(shares) > 1 + 1e-9:
            raise ConfigurationError("opponents and latest_share: must be parts from 0 to 1, together at most 1.")
        if self.activation not in ACTIVATIONS:
            raise ConfigurationError(f"activation={self.activation!r}: must be one of {', '.join(ACTIVATIONS)}.")
        if not 0 < self.average_share <= 1:
            raise ConfigurationError(f"average_share={self.average_share}: must be above 0 and at most 1.")


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
        steps: moves of the learner.
        seconds: time spent on training.
        steps_per_second: since the run was started or resumed.
        interrupted: whether Ctrl-C ended it before its budget was spent.
    """

    agent: PolicyAgent
    untrained: PolicyAgent
    policy_path: Path
    untrained_path: Path
    checkpoint_path: Path
    updates: int
    steps: int
    seconds: float
    steps_per_second: float
    interrupted: bool


class GameStatistics(BaseCallback):
    """Running mean of the learner's returns against every opponent by name, and against frozen selves.

    Args:
        games: the learner's games.
        pool: who plays against it.
        memory: about how many games the means look back.
    """

    def __init__(self, games: LearnerGames, pool: OpponentPool, memory: float = 2000.0) -> None:
        super().__init__()
        self.games = games
        self.pool = pool
        self.memory = memory
        self.means: dict[str, float | None] = dict.fromkeys([*pool.fixed, "selves"])

    def _on_step(self) -> bool:
        ended = np.flatnonzero(self.games.dones)
        if len(ended):
            kinds = [self.pool.name_of(each) or "selves" for each in self.games.opponents]
            kind_of_game = np.array(kinds)[self.games.finished_opponents[ended]]
            for kind in self.means:
                self._add(kind, self.games.rewards[ended[kind_of_game == kind]])
        return True

    def _add(self, name: str, returns: np.ndarray) -> None:
        if len(returns):
            before, new = self.means[name], float(returns.mean())
            share = min(1.0, len(returns) / self.memory)
            self.means[name] = new if before is None else before + share * (new - before)

    def get_state(self) -> dict[str, float | None]:
        """The means."""
        return self.means

    def set_state(self, state: Mapping[str, float | None]) -> None:
        """Go on from :meth:`get_state`."""
        self.means = {name: state[name] for name in self.means}


class SelfPlay:
    """A training run: the learner, its games, its opponents and its counters.

    Args:
        options: how to train.

    Attributes:
        updates: updates so far.
        seconds: time spent on them.
        entropy: mean entropy of the last update's choices, in nats.
    """

    def __init__(self, options: TrainingOptions) -> None:
        self.options = options
        self.folder = Path(options.folder)
        torch.set_num_threads(options.threads)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.pool = OpponentPool(
            options.game,
            options.seed,
            options.history,
            options.opponents,
            options.latest_share,
            options.older_at_once,
        )
        starters = list(self.pool.fixed.values())[:1]
        self.games = LearnerGames(options.game, starters, options.num_games, dict(options.config), options.seed)
        self.environment = MarginVecEnv(self.games, options.margin_weight)
        self.model = new_learner(options, self.environment)
        self.statistics = GameStatistics(self.games, self.pool)
        self.statistics.init_callback(self.model)
        outputs: list[KVWriter] = []
        if options.tensorboard:
            outputs.append(TensorBoardOutputFormat(str(self.folder / TENSORBOARD)))
        self.model.set_logger(Logger(None, outputs))
        self.updates = 0
        self.seconds = 0.0
        self.entropy: float | None = None
        self.freeze()

    def freeze(self) -> None:
        """Let the learner as it is now into the pool, and draw new opponents for games to come."""
        self.pool.add(networks_of(self.model.policy), self.updates)
        self.games.set_opponents(*self.pool.draw())

    def update(self) -> None:
        """Play ``steps_per_update`` moves in every game and learn from them; then change the opponents."""
        started = time.perf_counter()
        model, options = self.model, self.options
        decay = 1 / (1 + model.num_timesteps / options.halving_steps)
        model.lr_schedule = lambda _: options.learning_rate * decay
        model.ent_coef = options.entropy_coefficient
        model.collect_rollouts(self.environment, self.statistics, model.rollout_buffer, options.steps_per_update)
        model.train()
        self.updates += 1
        self.freeze()
        self.seconds += time.perf_counter() - started
        self.entropy = -float(model.logger.name_to_value["train/entropy_loss"])
        self.log()

    def log(self) -> None:
        """Hand the numbers of this update to TensorBoard."""
        logger = self.model.logger
        for name, mean in self.statistics.means.items():
            if mean is not None:
                logger.record(f"games/return_against_{name}", mean)
        logger.record("time/seconds", self.seconds)
        logger.record("train/entropy_coefficient", self.model.ent_coef)
        logger.dump(self.model.num_timesteps)

    def fraction(self) -> float:
        """Part of the budget that is spent, from 0 to 1."""
        parts = [0.0]
        if self.options.minutes is not None:
            parts.append(self.seconds / (60 * self.options.minutes) if self.options.minutes > 0 else 1.0)
        if self.options.steps is not None:
            parts.append(self.model.num_timesteps / self.options.steps if self.options.steps > 0 else 1.0)
        return min(1.0, max(parts))

    def agent(self) -> PolicyAgent:
        """The policy learnt so far: the mean of the frozen selves of the last part of the training."""
        options = self.options
        training = {
            "algorithm": "MaskablePPO, self-play",
            "updates": self.updates,
            "steps": self.model.num_timesteps,
            "seconds": round(self.seconds, 1),
            "options": dataclasses.asdict(options),
        }
        networks = self.pool.average(options.average_share)
        return PolicyAgent(networks, options.game, options.config, training, options.seed)

    def untrained(self) -> PolicyAgent:
        """The policy before the first update."""
        networks = self.pool.history[0].networks
        return PolicyAgent(networks, self.options.game, self.options.config, {"updates": 0}, self.options.seed)

    def save(self) -> None:
        """Checkpoint and policy, each written whole or not at all."""
        save_checkpoint(self)
        save_policy(self.folder / POLICY, self.agent())
        if not (self.folder / UNTRAINED).exists():
            save_policy(self.folder / UNTRAINED, self.untrained())


def new_learner(options: TrainingOptions, environment: RatVecEnv) -> MaskablePPO:
    """An untrained learner that has seen the first observations."""
    network: dict[str, Any] = {"net_arch": list(options.hidden), "activation_fn": ACTIVATIONS[options.activation]}
    if options.scaled:
        network["features_extractor_class"] = Scaled
        network["features_extractor_kwargs"] = scale_of(options.game, options.config, options.seed)
    model = MaskablePPO(
        "MlpPolicy",
        environment,
        learning_rate=options.learning_rate,
        n_steps=options.steps_per_update,
        batch_size=options.minibatch,
        n_epochs=options.epochs,
        gamma=options.discount,
        gae_lambda=options.gae_lambda,
        clip_range=options.clip_range,
        normalize_advantage=False,
        policy_kwargs=network,
        seed=options.seed,
        device="cpu",
    )
    model.set_logger(Logger(None, []))  # else Stable-Baselines3 leaves a folder in /tmp for every run
    model._setup_learn(total_timesteps=0)
    return model


def saved_options(folder: str | Path) -> TrainingOptions:
    """The options of the run in ``folder``, for resuming it with the same or, by ``replace``, with another budget.

    Raises:
        CheckpointError: there is no whole checkpoint.
    """
    path = Path(folder) / CHECKPOINT
    header, _ = load_checkpoint(path)
    try:
        values = {**header["options"], "folder": str(folder), "resume": True}
        return TrainingOptions(**{**values, "hidden": tuple(values["hidden"])})
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path} has no options that this version understands: {error}.") from None


def train(options: TrainingOptions, progress: Callable[[Report], None] | None = None) -> TrainingResult:
    """Train until the budget is spent or Ctrl-C is pressed, then save.

    Args:
        options: how to train. With ``resume`` the run in its folder goes on as if it had never stopped.
        progress: called after every update.

    Raises:
        CheckpointError: what is to be resumed is missing, damaged, or of another game, version or set of options.
    """
    run = begin(options)
    steps_before, seconds_before = run.model.num_timesteps, run.seconds

    def speed() -> float:
        return (run.model.num_timesteps - steps_before) / max(run.seconds - seconds_before, 1e-9)

    with interrupts() as interrupted:
        while run.fraction() < 1 and not interrupted.is_set():
            run.update()
            due = run.updates % options.checkpoint_interval == 0
            if due:
                run.save()
            if progress is not None:
                progress(report(run, speed(), due))
        run.save()
    run.model.logger.close()
    return TrainingResult(
        agent=run.agent(),
        untrained=run.untrained(),
        policy_path=run.folder / POLICY,
        untrained_path=run.folder / UNTRAINED,
        checkpoint_path=run.folder / CHECKPOINT,
        updates=run.updates,
        steps=run.model.num_timesteps,
        seconds=run.seconds,
        steps_per_second=speed(),
        interrupted=interrupted.is_set() and run.fraction() < 1,
    )


def begin(options: TrainingOptions) -> SelfPlay:
    """A new run, saved for the first time; or the one in the folder, as it was when it was last saved."""
    checkpoint = Path(options.folder) / CHECKPOINT
    if options.resume and not checkpoint.parent.is_dir():
        raise CheckpointError(f"There is no run in {options.folder} to resume: start one there without --resume.")
    if options.resume and checkpoint.exists():
        load_checkpoint(checkpoint, options.game)  # complain before anything is built
        run = SelfPlay(options)
        restore(run, checkpoint)
        return run
    if checkpoint.exists():
        os.replace(checkpoint, checkpoint.with_name(f"previous-{CHECKPOINT}"))
    (checkpoint.parent / UNTRAINED).unlink(missing_ok=True)
    run = SelfPlay(options)
    run.save()
    return run


def report(run: SelfPlay, steps_per_second: float, saved: bool) -> Report:
    """Where the run is."""
    return Report(
        updates=run.updates,
        steps=run.model.num_timesteps,
        seconds=run.seconds,
        fraction=run.fraction(),
        steps_per_second=steps_per_second,
        returns={name: mean for name, mean in run.statistics.means.items() if mean is not None},
        entropy=run.entropy,
        saved=saved,
    )


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """An event that is set by the first Ctrl-C, so that the update under way can end; the second acts as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    before = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: Any) -> None:
        event.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, handle)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)
