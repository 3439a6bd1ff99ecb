"""Self-play with ``sb3_contrib.MaskablePPO``: one learner in many games against frozen earlier selves and random.

Read it from top to bottom: the options, then the run with its one update, which :func:`~rat_envs.training.run.train`
repeats. Where winning is too rare to learn from, the learner begins by imitating an agent. The saved policy is the mean
of the learner's frozen selves over the last part of the training: this average plays far closer to an equilibrium than
the newest self.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import Logger

from rat_envs.agents.policy import PolicyAgent, networks_of
from rat_envs.api.learner import LearnerGames
from rat_envs.api.sb3 import RatVecEnv
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.files import demand_outline
from rat_envs.engine.registry import get_game
from rat_envs.training.checkpoints import (
    named,
    optimiser_state,
    parameters_of,
    part,
    set_optimiser,
    set_parameters,
)
from rat_envs.training.imitation import Imitated, imitate
from rat_envs.training.margins import MarginVecEnv
from rat_envs.training.opponents import OpponentPool, demand_playable
from rat_envs.training.run import Run, RunOptions
from rat_envs.training.scaling import Scaled, scale_of

__all__ = ["MaskablePPOOptions", "SelfPlay"]

ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}
MOST_SEED = 2**32 - 1
#: The running means of returns look back over about this many games.
GAMES_OF_MEAN = 2000


@dataclass(frozen=True)
class MaskablePPOOptions(RunOptions):
    """How to train by self-play.

    Attributes:
        steps: moves of the learner.
        num_games: number of games played at once.
        steps_per_update: moves of the learner in each game between two updates.
        minibatch: moves per gradient step.
        epochs: passes over the moves of an update.
        hidden: sizes of the hidden layers, of the action and of the value network alike.
        activation: activation function between the layers: relu or tanh.
        scaled: whether the networks take only the numbers of an observation that vary in random play, less their mean
            there and divided by their spread.
        imitated: an agent that the learner imitates at first, by name.
        imitation_steps: moves of the learner for which this agent is imitated; 0 for none.
        imitation_share: part of the budget after which imitation ends, even before ``imitation_steps`` moves.
        margin_weight: reward for a large lead in points at the end, beside the game's own (:class:`MarginVecEnv`).
        learning_rate: step size of the optimiser at the start of self-play.
        entropy_coefficient: weight of the entropy, which keeps the policy mixed.
        halving_steps: the learning rate falls as 1 / (1 + steps / halving_steps), where steps are those of self-play.
        discount: factor by which a reward counts less for each move before it.
        gae_lambda: bias against variance of the advantages.
        clip_range: how far an update may move a probability, as a ratio.
        opponents: agents by name, as ``make_agent`` takes them, and the part of the games that is played against each.
        latest_share: part that is played against the newest frozen self; older selves share the rest.
        older_at_once: how many older selves play at a time.
        history: how many frozen selves are kept, evenly spread over the training.
        average_share: the policy is the mean of the frozen selves of this last part of the training.
    """

    FREE: ClassVar[frozenset[str]] = RunOptions.FREE | {"average_share"}
    COUNTS: ClassVar[tuple[str, ...]] = (
        *RunOptions.COUNTS,
        "num_games",
        "steps_per_update",
        "minibatch",
        "epochs",
        "halving_steps",
        "history",
    )
    LEARNER: ClassVar[str] = "maskable_ppo"

    num_games: int = 512
    steps_per_update: int = 16
    minibatch: int = 2048
    epochs: int = 3
    hidden: tuple[int, ...] = (64, 64)
    activation: str = "relu"
    scaled: bool = False
    imitated: str = "greedy"
    imitation_steps: int = 0
    imitation_share: float = 0.4
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
        super().__post_init__()
        if self.seed > MOST_SEED:
            raise ConfigurationError(
                f"seed={shown(self.seed)}: must be at most {MOST_SEED}, as Stable-Baselines3 says."
            )
        shares = (*self.opponents.values(), self.latest_share)
        if not all(share >= 0 for share in shares) or not sum(shares) <= 1 + 1e-9:  # NaN is neither
            raise ConfigurationError("opponents and latest_share: must be parts from 0 to 1, together at most 1.")
        if self.activation not in ACTIVATIONS:
            raise ConfigurationError(f"activation={shown(self.activation)}: must be one of {', '.join(ACTIVATIONS)}.")
        self._demand(0, math.inf, "imitation_steps", "older_at_once")
        self._demand(0, 1, "imitation_share", "discount", "gae_lambda")
        self._demand(0, math.inf, "entropy_coefficient", "margin_weight")
        self._demand(1e-12, 10, "learning_rate")
        self._demand(1e-12, 1e6, "clip_range")
        if not 0 < self.average_share <= 1:
            raise ConfigurationError(f"average_share={shown(self.average_share)}: must be above 0 and at most 1.")

    def agents(self) -> tuple[str, ...]:
        """The agent that is imitated at first, and the opponents that do not change."""
        return (*((self.imitated,) if self.imitation_steps else ()), *self.opponents)

    def new_run(self) -> SelfPlay:
        """Self-play from the start."""
        return SelfPlay(self)


class GameStatistics(BaseCallback):
    """Running means of the learner's returns against every opponent by name, and against frozen selves.

    Args:
        games: the learner's games.
        pool: its opponents.
    """

    def __init__(self, games: LearnerGames, pool: OpponentPool) -> None:
        super().__init__()
        self.games = games
        self.pool = pool
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
            share = min(1.0, len(returns) / GAMES_OF_MEAN)
            self.means[name] = new if before is None else before + share * (new - before)

    def get_state(self) -> dict[str, float | None]:
        """The means."""
        return self.means

    def set_state(self, state: Mapping[str, float | None]) -> None:
        """Go on from :meth:`get_state`."""
        demand_outline(state, dict.fromkeys(self.means, (int, float, type(None))), "statistics")
        self.means = {name: state[name] for name in self.means}


class SelfPlay(Run):
    """The learner, its games and its opponents.

    Args:
        options: how to train.

    Attributes:
        entropy: mean entropy of the last update's choices, in nats.
        alone_since: the number of moves after which imitation ended; None while it imitates.
    """

    options: MaskablePPOOptions

    def __init__(self, options: MaskablePPOOptions) -> None:
        super().__init__(options)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.pool = OpponentPool(
            options.game,
            options.seed,
            options.history,
            options.opponents,
            options.latest_share,
            options.older_at_once,
            options.trust,
        )
        game = get_game(options.game)
        configuration = game.configuration.make(options.config)
        for name, agent in self.pool.fixed.items():
            demand_playable(name, agent, game, configuration)
        starters = list(self.pool.fixed.values())[:1]
        self.games = LearnerGames(options.game, starters, options.num_games, dict(options.config), options.seed)
        self.environment = MarginVecEnv(self.games, options.margin_weight)
        self.model = new_learner(options, self.environment)
        self.statistics = GameStatistics(self.games, self.pool)
        self.statistics.init_callback(self.model)
        self.teacher = self.pool.make_agent(options.imitated) if options.imitation_steps else None
        if self.teacher is not None:
            demand_playable(options.imitated, self.teacher, game, configuration)
            imitated = Imitated(self.games, self.teacher)
            self.imitating = CallbackList([self.statistics, imitated])
            self.imitating.init_callback(self.model)
        self.model.set_logger(self.logger)
        self.entropy: float | None = None
        self.alone_since: int | None = None if options.imitation_steps else 0
        self.freeze(0)

    @property
    def steps(self) -> int:
        """The number of moves of the learner so far."""
        return self.model.num_timesteps

    def freeze(self, update: int) -> None:
        """Add a copy of the learner after an update to the pool, and draw new opponents for games to come."""
        self.pool.add(networks_of(self.model.policy), update)
        self.games.set_opponents(*self.pool.draw())

    def most_frozen(self) -> tuple[int, int]:
        """The numbers of the pool (:meth:`OpponentPool.most_frozen`)."""
        return self.pool.most_frozen(self.options.average_share)

    def learn(self) -> None:
        """Play ``steps_per_update`` moves in every game and learn from them; then change the opponents."""
        if self.is_imitating():
            self.play(self.imitating)
            imitate(self.model)
        else:
            self.set_rates()
            self.play(self.statistics)
            self.model.train()
        self.freeze(self.updates + 1)
        self.entropy = -float(self.logger.name_to_value["train/entropy_loss"])
        for name, mean in self.returns().items():
            self.logger.record(f"games/return_against_{name}", mean)

    def is_imitating(self) -> bool:
        """Whether it still imitates. Once it has stopped it never starts again, even if a resumed run has a larger
        budget."""
        options = self.options
        if self.alone_since is None and (
            self.steps >= options.imitation_steps or self.fraction() >= options.imitation_share
        ):
            self.alone_since = min(self.steps, options.imitation_steps)
        return self.alone_since is None

    def play(self, watching: BaseCallback) -> None:
        """Fill the rollout buffer."""
        steps = self.options.steps_per_update
        self.model.collect_rollouts(self.environment, watching, self.model.rollout_buffer, steps)

    def set_rates(self) -> None:
        """Set the learning rate and the entropy coefficient of the next update of self-play."""
        model, options = self.model, self.options
        assert self.alone_since is not None
        decay = 1 / (1 + (self.steps - self.alone_since) / options.halving_steps)
        model.lr_schedule = lambda _: options.learning_rate * decay
        model.ent_coef = options.entropy_coefficient
        self.logger.record("train/entropy_coefficient", model.ent_coef)

    def returns(self) -> dict[str, float]:
        """Mean return of recent games against each opponent by name, and against ``selves``."""
        return {name: mean for name, mean in self.statistics.means.items() if mean is not None}

    def report(self) -> dict[str, Any]:
        """The returns, the entropy, and the agent that is being imitated."""
        imitated = self.options.imitated if self.alone_since is None else None
        return {"returns": self.returns(), "entropy": self.entropy, "imitated": imitated}

    def agent(self) -> PolicyAgent:
        """The policy learnt so far: the mean of the frozen selves of the last part of the training."""
        options = self.options
        networks = self.pool.average(options.average_share)
        return PolicyAgent(networks, options.game, options.config, self.training(), options.seed)

    def untrained(self) -> PolicyAgent:
        """The policy before the first update."""
        networks = self.pool.history[0].networks
        return PolicyAgent(networks, self.options.game, self.options.config, {"updates": 0}, self.options.seed)

    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks, the optimiser, the games, the opponents and the running means."""
        model, games = self.model, self.games
        opponents, networks = self.pool.get_state(games.opponents)
        games_state = games.get_state()
        state = {
            "gradient_epochs": model._n_updates,
            "alone_since": self.alone_since,
            **({} if self.teacher is None else {"teacher": self.teacher.get_state()}),
            "statistics": self.statistics.get_state(),
            "opponents": opponents,
            "games": {name: value for name, value in games_state.items() if name != "games"},
        }
        arrays = {
            **named("parameters", parameters_of(model.policy)),
            **named("optimiser", optimiser_state(model.policy.optimizer)),
            **named("opponents", networks),
            "games": np.frombuffer(games_state["games"], np.uint8),
            "episode_starts": np.asarray(model._last_episode_starts, bool),
        }
        return state, arrays

    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Go on from :meth:`get_state`."""
        model, games = self.model, self.games
        demand_outline(state, {"gradient_epochs": int, "alone_since": (int, type(None)), "games": dict})
        set_parameters(model.policy, part("parameters", arrays))
        set_optimiser(model.policy.optimizer, part("optimiser", arrays))
        model.num_timesteps = steps
        model._n_updates = state["gradient_epochs"]
        self.alone_since = state["alone_since"]
        if self.teacher is not None:
            self.teacher.set_state(state["teacher"])
        starts = arrays["episode_starts"]
        if starts.shape != (games.n,):
            raise ValueError(f"{starts.size} episode starts for {games.n} games")
        model._last_episode_starts = starts
        playing = self.pool.set_state(state["opponents"], part("opponents", arrays))
        games.set_state({**state["games"], "games": arrays["games"].tobytes()}, playing)
        model._last_obs = games.observations.copy()
        self.statistics.set_state(state["statistics"])


def new_learner(options: MaskablePPOOptions, environment: RatVecEnv) -> MaskablePPO:
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
    model.set_logger(Logger(None, []))  # otherwise Stable-Baselines3 leaves a folder in /tmp for every run
    model._setup_learn(total_timesteps=0)
    return model
