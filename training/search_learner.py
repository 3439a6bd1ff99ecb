"""Expert iteration: a search guided by the network plays all seats, and the network is fitted to its choices.

Read it from top to bottom: the options; the memory of decisions and their outcomes; the run, whose update plays with
the present network and then fits it.

Sources: Anthony, Tian and Barber 2017 (expert iteration), Silver et al. 2017 (visits of a search as the target),
Cowling, Powley and Whitehouse 2012 (search over information sets), Ross, Gordon and Bagnell 2011 (imitation in the
states that the learner comes to itself).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch

from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.agents.search import SearchAgent, SearchOptions
from rat_envs.agents.search.agent import BY_THE_POLICY, RANDOM
from rat_envs.api.agent import chosen_actions, draw_actions
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.training.changes import Whole
from rat_envs.training.checkpoints import (
    named,
    parameters_of,
    part,
    set_parameters,
)
from rat_envs.training.choices import log_probabilities
from rat_envs.training.descent import Descent
from rat_envs.training.gathering import GatheringOptions, GatheringRun, Played
from rat_envs.training.opponents import new_teacher
from rat_envs.training.ppo import AUTO, ActorCritic, check_network, take_saved
from rat_envs.training.scaling import scale_of
from rat_envs.training.seeing import Numbering

__all__ = ["SearchLearner", "SearchLearnerOptions"]

#: The arrays that are filled when a decision is made.
NOTED = ("observations", "masks", "policies", "actors")


@dataclass(frozen=True)
class SearchLearnerOptions(GatheringOptions):
    """How to learn from a search. The search uses all cores that RAT_ENVS_THREADS allows; ``threads`` is for the fits.
    While a teacher is imitated, there is no search.

    Attributes:
        steps: decisions, of all seats.
        steps_per_update: decisions in each game between two fits.
        sims: number of simulations for each decision.
        exploration: the weight of the exploration term in an action's bound; with ``rollout``, that of the network's
            probabilities.
        rollout: ``policy`` to let the network play games on to the end; empty to use its expected returns instead.
        noise: share of uniform play in the actions taken, not in what is learnt, so that positions vary.
        memory: number of updates whose decisions are remembered, and learnt from in each fit.
        minibatch: decisions per gradient step.
        epochs: passes over the memory in each fit.
        hidden: sizes of the hidden layers.
        activation: activation function between the layers: relu or tanh.
        value_coefficient: weight of the error of expected returns.
        max_gradient_norm: the largest norm of a gradient; longer ones are scaled down.
        begin_with: path of a saved policy whose network the learner begins with, trained for any number of players;
            empty for a new network. A game's own ``teacher_steps`` are then left out.
        preset: name of a position at which all games begin, with its options; empty for whole games.
        precision: number format in which the layers are computed while fitting: ``float32``, ``bfloat16``, or ``auto``
            for the latter where the processor has instructions for it.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (
        *GatheringOptions.COUNTS,
        "steps_per_update",
        "sims",
        "memory",
        "minibatch",
        "epochs",
    )
    FILES: ClassVar[frozenset[str]] = frozenset({"begin_with"})
    KEPT: ClassVar[tuple[str, ...]] = (*GatheringOptions.KEPT, "memory")
    LEARNER: ClassVar[str] = "search"
    #: This learner's network has no parameters for combinations.
    crossed: ClassVar[tuple[str, ...]] = ()

    steps_per_update: int = 32
    sims: int = 64
    exploration: float = 1.0
    rollout: str = ""
    noise: float = 0.1
    memory: int = 20
    minibatch: int = 1024
    epochs: int = 1
    hidden: tuple[int, ...] = (128, 128)
    activation: str = "relu"
    value_coefficient: float = 0.5
    max_gradient_norm: float = 0.5
    begin_with: str = ""
    preset: str = ""
    precision: str = AUTO

    def __post_init__(self) -> None:
        super().__post_init__()
        check_network(self)
        if self.rollout not in ("", BY_THE_POLICY):
            raise ConfigurationError(f"rollout={shown(self.rollout)}: must be {BY_THE_POLICY}, or empty.")
        self.search_options()
        self._demand(0, 1, "noise")
        self._demand(1e-12, math.inf, "max_gradient_norm")
        self._demand(0, math.inf, "value_coefficient")

    def of_worker(self, **changes: Any) -> SearchLearnerOptions:
        """The options of a worker's run, which remembers one update."""
        options = super().of_worker(memory=1, begin_with="", **changes)
        assert isinstance(options, SearchLearnerOptions)
        return options

    def search_options(self) -> SearchOptions:
        """The options of the search that plays."""
        return SearchOptions(sims=self.sims, exploration=self.exploration, rollout=self.rollout or RANDOM)

    def new_run(self) -> SearchLearner:
        """Learning from the start."""
        return SearchLearner(self)


class Memory(NamedTuple):
    """The last T decisions in each of n games, in a ring: decision t is at place t modulo T.

    Attributes:
        observations: (T, n, F) int8, as the network sees them.
        masks: (T, n, A) int8, as the network numbers actions.
        policies: (T, n, A) float16, likewise: the probabilities to learn.
        actors: (T, n) int8.
        returns: (T, n, P) float32 of the acting seat and then clockwise.
        known: (T, n) bool: whether the game has ended, so that there are returns.
        begun: (n) int64: the first decision of the game that is being played.
    """

    observations: np.ndarray
    masks: np.ndarray
    policies: np.ndarray
    actors: np.ndarray
    returns: np.ndarray
    known: np.ndarray
    begun: np.ndarray

    @staticmethod
    def room(length: int, batch: Batch, numbers: int) -> Memory:
        """An empty memory for ``length`` decisions in each game, with ``numbers`` numbers each."""
        shape, actions, seats = (length, batch.n), batch.masks.shape[1], batch.rewards.shape[1]
        return Memory(
            observations=np.zeros((*shape, numbers), np.int8),
            masks=np.zeros((*shape, actions), np.int8),
            policies=np.zeros((*shape, actions), np.float16),
            actors=np.zeros(shape, np.int8),
            returns=np.zeros((*shape, seats), np.float32),
            known=np.zeros(shape, bool),
            begun=np.zeros(batch.n, np.int64),
        )

    def note(self, t: int, observations: np.ndarray, batch: Batch, policies: np.ndarray, numbering: Numbering) -> None:
        """Remember decision t of each game, before it is played.

        Args:
            observations: (n, F).
            policies: (n, A), as the game numbers actions.
            numbering: how the network numbers them.
        """
        place = t % len(self.known)
        self.observations[place], self.actors[place], self.known[place] = observations, batch.actors, False
        self.masks[place] = numbering.masks(batch.masks, batch.actors)
        self.policies[place] = np.take_along_axis(policies, numbering.meanings[batch.actors], 1)

    def conclude(self, t: int, ended: np.ndarray, rewards: np.ndarray, players: int) -> None:
        """Write the returns of all decisions of the games that ended with decision t.

        Args:
            ended: (k) which games.
            rewards: (k, P) float32, by seat.
            players: seats in each game.
        """
        length = len(self.known)
        for i, reward in zip(ended, rewards, strict=True):
            places = np.arange(max(self.begun[i], t + 1 - length), t + 1) % length
            clockwise = (self.actors[places, i, None] + np.arange(players)) % players
            self.returns[places, i, :players] = reward[clockwise]
            self.known[places, i] = True
            self.begun[i] = t + 1


class SearchLearner(GatheringRun):
    """The network, the search that it guides, and the games that the search plays.

    Args:
        options: how to learn.

    Attributes:
        players: seats in each game.
        dones: (T, n) bool: which of the last update's decisions ended their games, where these are played here.
        rewards: (T, n, P) float32, by seat, likewise.
        entropy: mean entropy of the network's policy in the last fit, in nats; None before the first.
    """

    options: SearchLearnerOptions

    def __init__(self, options: SearchLearnerOptions) -> None:
        super().__init__(options)
        torch.manual_seed(options.seed)
        self.random = np.random.default_rng(options.seed)
        self.batch = Batch(options.game, options.num_games, dict(options.config), options.seed)
        self.beginning = options.beginning()
        if self.beginning is not None:
            self.batch.begin_at(self.beginning)
        scale = scale_of(options.game, options.config, options.seed)
        sizes = self.batch.masks.shape[1], self.batch.rewards.shape[1]
        self.model = ActorCritic(scale["mean"], scale["spread"], *sizes, options)
        take_saved(self.model, options, self.batch.game, scale["mean"])
        self.descent = Descent(self.model, options.learning_rate, options.max_gradient_norm)
        length = options.memory * options.steps_per_update
        self.memory = Memory.room(length, self.batch, self.model.numbers)
        self.players = int(self.batch.players[0])
        self.numbering = Numbering(self.batch.game, self.players)
        self.dones = np.zeros((options.steps_per_update, self.batch.n), bool)
        self.rewards = np.zeros((*self.dones.shape, self.batch.rewards.shape[1]), np.float32)
        self.decided = 0
        self.first = self.model.networks()
        self.player = self.agent()
        self.search = SearchAgent(options.search_options(), options.seed, self.player)
        self.teacher = new_teacher(options, self.batch)
        self.begin_workers()

    @property
    def steps(self) -> int:
        """Decisions, of all seats in all games."""
        return self.decided * self.options.num_games

    def learn(self) -> None:
        """Play ``steps_per_update`` decisions in every game with the network as it is, then fit it."""
        self.search_with(self.updates)
        decided = self.decided
        self.gather(self.decide_to_imitate())
        self.decided = decided + self.options.steps_per_update
        self.fit()

    def search_with(self, updates: int) -> None:
        """Let the present network, the result of this many updates, guide the search."""
        self.player = self.agent()
        self.search.take_policy(self.player)
        self.search.seed([self.options.seed, updates])  # so a repeated position is searched anew

    def play(self, imitating: bool) -> None:
        """Play ``steps_per_update`` decisions in every game."""
        for _ in range(self.options.steps_per_update):
            self.decide(imitating)

    def begin_games(self, seed: int) -> None:
        """Begin other games, with other choices in them."""
        self.random = np.random.default_rng(seed)
        self.batch.reset(seed)
        if self.beginning is not None:
            self.batch.begin_at(self.beginning)

    def parameters(self) -> dict[str, np.ndarray]:
        """The network's parameters."""
        return parameters_of(self.model)

    def take_parameters(self, parameters: Mapping[str, np.ndarray], updates: int) -> None:
        """Let a network with these parameters guide the search."""
        set_parameters(self.model, dict(parameters))
        self.search_with(updates)

    def played(self) -> dict[str, np.ndarray]:
        """The update's decisions, and which of them ended their games with which rewards."""
        places = np.arange(self.decided - self.options.steps_per_update, self.decided) % len(self.memory.known)
        noted = {name: getattr(self.memory, name)[places] for name in NOTED}
        return {**noted, "dones": self.dones, "rewards": self.rewards}

    def take(self, games: slice, played: Played) -> None:
        """Remember a worker's decisions. Lost ones are not learnt from, and other games begin after them."""
        memory, length = self.memory, self.options.steps_per_update
        for t in range(length):
            place = (self.decided + t) % len(memory.known)
            memory.known[place, games] = False
            if played is None:
                continue
            for name in NOTED:
                getattr(memory, name)[place, games] = played[name][t]
            ended = np.flatnonzero(played["dones"][t])
            memory.conclude(self.decided + t, games.start + ended, played["rewards"][t, ended], self.players)
        if played is None:
            memory.begun[games] = self.decided + length

    def decide(self, imitating: bool) -> None:
        """Make one decision in every game: remember it, play it, and write the returns where a game ends."""
        views, batch, noise = SeatViews(self.batch), self.batch, self.options.noise
        if self.teacher is not None and imitating:
            policies = np.eye(batch.masks.shape[1])[chosen_actions(self.teacher, views)]
            played = self.player.policy_batch(views)
        else:
            policies = played = self.searched(views)
        self.memory.note(self.decided, self.model.see(batch.observations), batch, policies, self.numbering)
        uniform = batch.masks / batch.masks.sum(1, keepdims=True)
        batch.step(draw_actions((1 - noise) * played + noise * uniform, self.random))
        t = self.decided % self.options.steps_per_update
        self.dones[t], self.rewards[t] = batch.dones, batch.rewards
        ended = np.flatnonzero(batch.dones)
        self.memory.conclude(self.decided, ended, batch.rewards[ended], self.players)
        if self.beginning is not None and batch.dones.any():
            batch.begin_at(self.beginning, np.flatnonzero(batch.dones))
        self.decided += 1

    def searched(self, views: SeatViews) -> np.ndarray:
        """(n, A): the shares of the search's simulations; where only one action is legal, there is no search."""
        shares = views.masks.astype(np.float64)
        choosing = np.flatnonzero(views.masks.sum(1) > 1)
        if len(choosing):
            shares[choosing] = self.search.search_batch(SeatViews(self.batch, choosing)).shares
        return shares

    def fit(self) -> None:
        """Fit the network to the decisions of ended games."""
        options = self.options
        usable = torch.from_numpy(np.flatnonzero(self.memory.known))
        if not len(usable):
            return
        self.descent.rate = rate = options.learning_rate * self.annealed(options.final_rate)
        noted = [self.fit_to(chosen) for _ in range(options.epochs) for chosen in parts(usable, options.minibatch)]
        means = torch.stack(noted).mean(0).tolist()
        for name, mean in zip(("policy_loss", "value_loss", "entropy"), means, strict=True):
            self.logger.record(f"train/{name}", mean)
        self.logger.record("train/learning_rate", rate)
        self.logger.record("train/decisions", len(usable))
        self.entropy = means[2]

    def fit_to(self, chosen: torch.Tensor) -> torch.Tensor:
        """Make one gradient step; return (3) the losses of policy and returns before it, and the entropy of the
        policy."""
        kept = (self.memory.masks, self.memory.policies, self.memory.returns)
        masks, policies, returns = (torch.from_numpy(each).flatten(0, 1).index_select(0, chosen) for each in kept)
        observations = self.memory.observations.reshape(-1, self.model.numbers)[chosen.numpy()]
        seen = Whole.of(observations, self.model.numbers, self.model.precision, chosen.device)
        logits, values = self.model(seen)
        logs = log_probabilities(logits, masks)
        entropy = -(logs.exp() * logs).detach().sum(1).mean()
        loss = -(policies.float() * logs).sum(1).mean()
        errors = (values[:, 0] - returns)[:, : self.players].square().mean()
        self.descent.step(self.descent.gradient([loss + self.options.value_coefficient * errors]))
        return torch.stack([loss, errors, entropy]).detach()

    def agent(self) -> PolicyAgent:
        """The policy learnt so far, which plays without searching."""
        options = self.options
        return PolicyAgent(self.model.networks(), options.game, options.config, self.training(), options.seed)

    def untrained(self) -> PolicyAgent:
        """The policy before the first fit."""
        return PolicyAgent(self.first, self.options.game, self.options.config, {"updates": 0}, self.options.seed)

    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The network, the optimiser, the games and the memory; the games of workers are not saved."""
        begun = self.memory.begun if self.workers is None else np.full_like(self.memory.begun, self.decided)
        arrays = {
            **named("parameters", parameters_of(self.model)),
            **named("optimiser", self.descent.get_state()),
            **named("first", self.first.arrays()),
            **named("memory", self.memory._replace(begun=begun)._asdict()),
            "games": np.frombuffer(self.batch.get_state(), np.uint8),
        }
        state: dict[str, Any] = {
            **self.imitation_state(),
            "random": self.random.bit_generator.state,
            "first": self.first.shape(),
        }
        return state, arrays

    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Go on from :meth:`get_state`."""
        self.set_imitation_state(state)
        set_parameters(self.model, part("parameters", arrays))
        self.descent.set_state(part("optimiser", arrays))
        self.first = Networks.from_arrays(part("first", arrays), **state["first"])
        self.decided = steps // self.options.num_games
        self.batch.set_state(arrays["games"].tobytes())
        for name, array in self.memory._asdict().items():
            array[:] = arrays[f"memory/{name}"]
        if self.workers is not None:
            self.memory.begun[:] = self.decided
        self.random.bit_generator.state = state["random"]


def parts(numbers: torch.Tensor, size: int) -> Iterator[torch.Tensor]:
    """The numbers in random order, in parts of about ``size``, none of them small."""
    order = numbers[torch.randperm(len(numbers))]
    yield from order.chunk(max(1, round(len(order) / size)))
