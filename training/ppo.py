"""Proximal policy optimisation on ``Batch``. It learns from every decision of every seat in every game.

Read it from top to bottom: the options; the network; the games, and who plays which seat; the decisions of a rollout
and their outcomes; the run with its one update, which :func:`~rat_envs.training.run.train` repeats; and the loss. The
files beside it: ``seeing.py`` has the inputs of a network, ``changes.py`` the first layer, computed from changed
inputs, ``layers.py`` the other layers, ``choices.py`` the probabilities of legal actions, and ``descent.py`` the
optimiser.

Sources: Schulman et al. 2017 (PPO), Schulman et al. 2016 (generalised advantages), Rudolph et al. 2026 (strong
regularisation in games of hidden information), Sokota et al. 2023 (magnetic mirror descent), Ross, Gordon and Bagnell
2011 (imitation in the states that the learner comes to itself).
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import torch
from torch import nn

from rat_envs.agents.crossing import Crossed, Crossing
from rat_envs.agents.learnt import MOST_BYTES, load_guide
from rat_envs.agents.policy import NetworkAgent, Networks, PolicyAgent, the_one
from rat_envs.agents.recall import RecallAgent, counted_from, decision_numbers, size_of_decision
from rat_envs.api.agent import Agent, chosen_actions, draw_actions
from rat_envs.api.recalled import Recollection
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import of_no_game
from rat_envs.engine.counts import fill
from rat_envs.engine.errors import ConfigurationError, shown, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline
from rat_envs.engine.final_chance import FinalChance
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game
from rat_envs.training.changes import LONGEST, Chains, Changes, Inputs, KeptSums, Whole, chains_of
from rat_envs.training.checkpoints import (
    named,
    parameters_of,
    part,
    set_parameters,
)
from rat_envs.training.choices import (
    LastLayer,
    Layer,
    Lessons,
    draw,
    go_back_to_layer,
    last_layer,
    legal_actions,
    legal_log_probabilities,
    outputs_of,
    weigh,
)
from rat_envs.training.descent import Descent
from rat_envs.training.gathering import Earlier, GatheringOptions, GatheringRun, Played
from rat_envs.training.layers import ACTIVATIONS, activated, folded, through
from rat_envs.training.margins import FULL_LEAD, leads
from rat_envs.training.opponents import OpponentPool, demand_playable, new_teacher
from rat_envs.training.scaling import check_crossed, combinations, scale_of
from rat_envs.training.seeing import Numbering, note_centred, stretches
from rat_envs.training.team import Team, new_team

__all__ = ["AUTO", "PPO", "ActorCritic", "Games", "PPOOptions", "check_network", "take_saved"]

REGULARISATIONS = ENTROPY, MAGNET, NONE = "entropy", "mmd", "none"
AUTO = "auto"
PRECISIONS = {AUTO: None, "float32": torch.float32, "bfloat16": torch.bfloat16}
#: The numbers that are logged of gradient steps.
NOTED = ("entropy", "clipped", "divergence", "imitation_loss", "value_loss")
#: The size of a combination's number in bytes.
NUMBER = 2
#: What processes that learn together count in an update, besides the usable decisions of each; bytes of a count.
COUNTED, COUNT = ("learnt", "dones"), 8
PROCESSOR = torch.device("cpu")
#: From this many inputs on, the CPU processes only changed inputs; with fewer, a full multiplication is faster.
MANY = 256
#: A decision counts as certain ("beyond doubt") if its action was more probable than this.
BEYOND_DOUBT = 0.999
#: The largest ``random_moves``: longer than any game.
MOST_RANDOM_MOVES = 1_000_000
#: The name of opponents that are frozen earlier selves.
FROZEN = "frozen"
#: The largest ``recall``: more decisions than a seat makes in a game.
MOST_RECALLED = 1000
#: The number of frozen selves from which opponents are drawn at a time.
FROZEN_AT_ONCE = 2


@dataclass(frozen=True)
class PPOOptions(GatheringOptions):
    """How to train by proximal policy optimisation.

    Attributes:
        steps: decisions to learn from, of all seats that the learner plays. A seat's last decision before an update, in
            a game that goes on, is counted but not learnt from.
        processes: number of processes that play and learn. Each has its share of the games and of every minibatch. All
            shares have equal weight, and each share's advantages are normalised separately. Equal seeds give the same
            policy only with the same number of processes. After a resumption the games of all processes but the first
            begin anew. What is logged of gradient steps comes from the first process.
        steps_per_update: decisions in each game between two updates.
        minibatch: decisions per gradient step.
        epochs: passes over the decisions of an update.
        hidden: sizes of the hidden layers.
        activation: activation function between the layers: relu or tanh.
        separate: whether expected returns have hidden layers of their own; the saved policy then gives no expected
            returns.
        crossed: fields of the observation that are combined: each combination of all their numbers has parameters of
            its own.
        averaged: about how many updates the parameters of the saved and measured policy are averaged over; 1 for the
            last update alone. The network that plays and learns is not averaged.
        recall: how many of its own earlier decisions in the same game a seat is shown, the latest first, each with what
            it saw then; 0 for none. If this is at least the number of its decisions in a game, nothing is forgotten.
        entropy_coefficient: weight of the entropy at the start; it is annealed as the learning rate is.
        final_entropy: part of the entropy's weight that stays.
        regularisation: what keeps the policy mixed: ``entropy`` (a bonus for entropy; Rudolph et al. 2026), ``mmd``
            (that, and a penalty for moving away from a magnet that follows slowly; after Sokota et al. 2023, whose
            magnet follows in probabilities, while the parameters of this one follow), or ``none``.
        proximal_coefficient: weight of the policy's divergence from the policy that played, as it is estimated from the
            actions chosen: the proximal term of magnetic mirror descent, beside or in place of the clipping (a large
            ``clip_range``). With ``entropy``, whose magnet is uniform play, it is the MMD of Rudolph et al. 2026.
        magnet_coefficient: weight of the divergence from the magnet.
        magnet_rate: part of the way to the policy that the magnet moves with every update; all of it while imitating,
            so the magnet then begins as the imitated policy.
        clip_range: how far an update may move a probability, as a ratio.
        gae_lambda: bias against variance of the advantages.
        value_coefficient: weight of the squared error of expected returns: its mean over the returns of all seats and
            of both kinds of rewards, if there are two; advantages use those of the own seat.
        max_gradient_norm: the largest norm of a gradient; longer ones are scaled down.
        opponents: agents by name, as ``make_agent`` takes them, and the part of the games in which they play all seats
            but the learner's; ``frozen`` stands for earlier selves. In the rest the learner plays all seats.
        most_seats: against opponents the learner plays from one seat to this many, drawn for each game; below the
            number of players. With 1 it never learns what to do at a table with both its own kind and others.
        margin_weight: part of the advantages that comes from leads in points at the end, which are a second reward
            beside the game's own; the returns that the policy expects are those of the game.
        final_draws: how many times the chance after a game's last decision is drawn; the learner learns from the mean
            of the results. In Rattus more than half of the variance of returns comes from this chance.
        begin_with: path of a saved policy whose network the learner begins with, trained for any number of players;
            empty for a new network. A game's own ``teacher_steps`` are then left out.
        preset: name of a position at which all games begin, with its options; empty for whole games.
        random_starts: part of the games that begin with random moves, from none to ``random_moves``, which are not
            learnt from. So the policy learns positions that it would not reach by itself.
        random_moves: the most random moves at the start of such a game.
        doubtless_share: part of the decisions beyond doubt that is learnt from: those whose action had a probability
            above 0.999. They teach little, and a policy that knows its game makes mostly these. They are drawn at
            random, and each also counts for those left out.
        history: how many frozen selves are kept, evenly spread over the training.
        teacher_rate: learning rate while a teacher is imitated.
        teacher_minibatch: decisions per gradient step while a teacher is imitated.
        teacher_epochs: passes over the decisions of an update while a teacher is imitated.
        precision: number format in which the layers are computed: ``float32``, ``bfloat16``, or ``auto`` for the latter
            where there are instructions for it. Large first and last layers are computed in float32 on a processor; the
            parameters themselves are float32.
        device: ``cpu``, ``cuda``, or ``auto`` for ``cuda`` where there is one.
    """

    COUNTS: ClassVar[tuple[str, ...]] = (
        *GatheringOptions.COUNTS,
        "steps_per_update",
        "minibatch",
        "epochs",
        "averaged",
        "history",
        "final_draws",
        "processes",
        "teacher_minibatch",
        "teacher_epochs",
    )
    FILES: ClassVar[frozenset[str]] = frozenset({"begin_with"})
    LEARNER: ClassVar[str] = "ppo"

    processes: int = 1
    num_games: int = 512
    steps_per_update: int = 64
    minibatch: int = 4096
    epochs: int = 3
    hidden: tuple[int, ...] = (128, 128)
    activation: str = "relu"
    separate: bool = False
    crossed: tuple[str, ...] = ()
    averaged: int = 1
    recall: int = 0
    annealing_steps: int = 20_000_000
    final_rate: float = 0.05
    regularisation: str = ENTROPY
    entropy_coefficient: float = 0.02
    final_entropy: float = 1.0
    proximal_coefficient: float = 0.0
    magnet_coefficient: float = 0.05
    magnet_rate: float = 0.02
    clip_range: float = 0.1
    gae_lambda: float = 0.95
    value_coefficient: float = 0.5
    max_gradient_norm: float = 0.5
    opponents: Mapping[str, float] = field(default_factory=dict)
    most_seats: int = 1
    margin_weight: float = 0.0
    final_draws: int = 1
    begin_with: str = ""
    preset: str = ""
    random_starts: float = 0.0
    random_moves: int = 16
    doubtless_share: float = 1.0
    history: int = 32
    teacher_rate: float = 2e-3
    teacher_minibatch: int = 1024
    teacher_epochs: int = 3
    precision: str = AUTO
    device: str = AUTO

    def __post_init__(self) -> None:
        super().__post_init__()
        shares = self.opponents.values()
        if not all(share >= 0 for share in shares) or not sum(shares) <= 1 + 1e-9:  # NaN is neither
            raise ConfigurationError("opponents: must be parts from 0 to 1, together at most 1.")
        players = get_game(self.game).configuration.make(self.config).players
        if not 1 <= self.most_seats < players:
            wanted = "1" if players == 2 else f"from 1 to {players - 1}"
            given = f"most_seats={shown(self.most_seats)}"
            raise ConfigurationError(f"{given}: must be {wanted} with {players} players, as opponents need a seat.")
        check_network(self)
        check_crossed(self.game, self.crossed)
        if self.regularisation not in REGULARISATIONS:
            known = ", ".join(REGULARISATIONS)
            raise ConfigurationError(f"regularisation={shown(self.regularisation)}: must be one of {known}.")
        self._demand(0, 1, "final_entropy", "gae_lambda", "magnet_rate", "random_starts")
        self._demand(0, 1, "margin_weight")
        self._demand(0.01, 1, "doubtless_share")
        self._demand(1e-12, math.inf, "teacher_rate", "clip_range", "max_gradient_norm")
        self._demand(0, math.inf, "entropy_coefficient", "magnet_coefficient", "proximal_coefficient")
        self._demand(0, math.inf, "value_coefficient")
        self._demand(0, MOST_RANDOM_MOVES, "random_moves")
        self._demand(0, MOST_RECALLED, "recall")
        check_recall(self)
        self._demand(1, self.num_games * self.steps_per_update, "minibatch")
        if self.num_games % self.processes:
            given = f"num_games={shown(self.num_games)}"
            raise ConfigurationError(f"{given}: must be a multiple of processes={self.processes}, which share them.")
        if self.processes > 1 and self.ray:
            raise ConfigurationError("processes and ray: games are played in one way or the other, not in both.")

    def agents(self) -> tuple[str, ...]:
        """The teacher and the opponents that do not change."""
        return (*super().agents(), *(name for name in self.opponents if name != FROZEN))

    def of_worker(self, **changes: Any) -> PPOOptions:
        """The options of a worker's run, which makes no gradient steps and gets no GPU."""
        options = super().of_worker(minibatch=1, device="cpu", begin_with="", **changes)
        assert isinstance(options, PPOOptions)
        return options

    def new_run(self) -> PPO:
        """Self-play from the start."""
        return PPO(self)


class NetworkOptions(Protocol):
    """The options of a learner that define its network."""

    @property
    def hidden(self) -> tuple[int, ...]:
        """Sizes of the hidden layers."""

    @property
    def activation(self) -> str:
        """The activation function between the layers."""

    @property
    def precision(self) -> str:
        """The number format in which the layers are computed."""

    @property
    def crossed(self) -> tuple[str, ...]:
        """The fields of the observation each of whose combinations has parameters of its own."""

    @property
    def begin_with(self) -> str:
        """Path of a saved policy whose network the learner begins with; empty for a new network."""

    @property
    def goes_on(self) -> bool:
        """Whether the network will come from a checkpoint."""


def check_network(options: NetworkOptions) -> None:
    """Refuse options of which no network can be made.

    Raises:
        ConfigurationError: there are no such layers.
    """
    if not options.hidden or min(options.hidden) < 1:
        raise ConfigurationError(f"hidden={shown(options.hidden)}: must be sizes of layers from 1.")
    for name, known in (("activation", ACTIVATIONS), ("precision", PRECISIONS)):
        if getattr(options, name) not in known:
            raise ConfigurationError(f"{name}={shown(getattr(options, name))}: must be one of {', '.join(known)}.")


def check_recall(options: PPOOptions) -> None:
    """Refuse a ``recall`` so large that the policy could not be loaded again.

    Raises:
        ConfigurationError: its file would be too large.
    """
    if not options.recall:
        return
    inputs = options.recall * size_of_decision(get_game(options.game))
    if inputs * options.hidden[0] * 4 > MOST_BYTES:  # float32
        raise ConfigurationError(
            f"recall={shown(options.recall)}: must be less, because the policy's file would be larger than "
            f"{MOST_BYTES // MEBIBYTE} MiB."
        )


class Layers(NamedTuple):
    """A network's layers: in float32 as parameters, or in the precision in which they are computed.

    Attributes:
        first: weights (H, F, less the two bytes of a combination) and biases (H), with the scale of the inputs
            multiplied in; of the actor and, behind it, of a critic that has layers of its own.
        actor: the other layers.
        critic: likewise; None where the actor's last layer also gives the expected returns.
    """

    first: Layer
    actor: Sequence[Layer]
    critic: Sequence[Layer] | None


class ActorCritic(nn.Module):
    """Perceptrons from an observation to logits of actions and expected returns, which share hidden layers or do not.

    There may be several kinds of returns: the game's come first. Recalled decisions may stand beside the observation:
    the earlier observation, scaled like the present one, and 1 for the action taken.

    Args:
        mean, spread: (O) float32 of each number of an observation; numbers without spread are left out.
        actions: A.
        seats: P.
        options: those of the network.
        separate: whether expected returns have hidden layers of their own.
        kinds: the number of kinds of returns.
        crossing: combinations of numbers that have parameters of their own, if there are any; actor and critic share
            them.
        recall: how many recalled decisions stand beside an observation.
        device: where it is.

    Attributes:
        numbers: F, the number of inputs.
    """

    def __init__(
        self,
        mean: np.ndarray,
        spread: np.ndarray,
        actions: int,
        seats: int,
        options: NetworkOptions,
        separate: bool = False,
        kinds: int = 1,
        crossing: Crossing | None = None,
        recall: int = 0,
        device: torch.device = PROCESSOR,
    ) -> None:
        super().__init__()
        self.columns = np.flatnonzero(spread)
        self.begins = stretches(self.columns)
        self.size, self.actions, self.seats = len(spread), actions, seats
        self.kinds, self.recall = kinds, recall
        returns = kinds * seats
        self.centre = np.round(mean[self.columns]).astype(np.int8)
        self.scale: torch.Tensor
        self.mean: torch.Tensor
        scale = 1 / spread[self.columns]
        again = np.concatenate([scale, np.ones(actions, np.float32)])
        self.register_buffer("scale", torch.from_numpy(np.concatenate([scale, np.tile(again, recall)])))
        self.offset: torch.Tensor
        self.register_buffer("mean", torch.from_numpy(mean[self.columns]))
        self.register_buffer("offset", torch.from_numpy(self.centre - mean[self.columns]))
        self.activation = options.activation
        self.precision = chosen_precision(options.precision, device)
        self.crossing = crossing
        self.numbers = len(self.scale) + (NUMBER if crossing is not None else 0)
        layers = [len(self.scale), *options.hidden]
        self.actor = perceptron([*layers, actions if separate else actions + returns])
        self.critic = perceptron([*layers, returns]) if separate else None
        with torch.no_grad():  # so that at first all actions are about equally likely, and expected returns about 0
            for network in (self.actor, self.critic):
                if network is not None:
                    network[-1].get_parameter("weight").mul_(0.01)
        self.table = None if crossing is None else nn.Embedding(len(crossing.known) + 1, options.hidden[0])
        if self.table is not None:
            nn.init.normal_(self.table.weight, 0, 0.01)
        self.to(device)

    def see(self, observations: np.ndarray, recalled: np.ndarray | None = None) -> np.ndarray:
        """(n, F) int8: the numbers of (n, O) observations that vary, less their rounded mean; and, where combinations
        have parameters, the two bytes of the combination's number.

        Args:
            recalled: (n, K, O + A) int8: recalled decisions, whose numbers follow those of the observation; missing
                ones stay 0.
        """
        found = np.zeros((len(observations), self.numbers), np.int8)
        self.note(found, np.arange(len(found)), observations, recalled)
        return found

    def note(
        self, found: np.ndarray, rows: np.ndarray, observations: np.ndarray, recalled: np.ndarray | None = None
    ) -> None:
        """Write the result of :meth:`see` for some observations.

        Args:
            found: (n, F) int8, of which these rows are written.
            rows: (k) int64.
            observations: (n, O) int8.
            recalled: (k, K, O + A) int8.
        """
        of_no_game(note_centred)(found, rows, observations, self.columns, self.begins, self.centre)
        if recalled is not None:
            there, done = recalled[:, :, self.size :].any(2, keepdims=True), recalled[:, :, self.size :]
            before = recalled.take(self.columns, 2) - there * self.centre
            again = np.concatenate([before, done], 2).reshape(len(rows), -1)
            found[rows, len(self.columns) : len(self.scale)] = again
        if self.crossing is not None:
            numbers = self.crossing.numbers(observations[rows]).astype("<u2")
            found[rows, len(self.scale) :] = numbers[:, None].view(np.int8)

    def inputs(self) -> np.ndarray:
        """(C + K * (C + A)) int64: the places of the C numbers of an observation that have a spread, and of the numbers
        of K recalled decisions behind it.
        """
        one = np.concatenate([self.columns, np.arange(self.size, self.size + self.actions)])
        starts = self.size + (self.size + self.actions) * np.arange(self.recall)
        return np.concatenate([self.columns, (starts[:, None] + one).ravel()])

    def forward(self, inputs: Inputs) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, A) logits and (n, kinds, P) returns of the acting seat and then clockwise."""
        layers = self.fold()
        values, critic = self.hidden(inputs, layers)
        outputs = outputs_of(values, layers.actor[-1])
        returns = outputs[:, self.actions :]
        if critic is not None and layers.critic is not None:
            returns = outputs_of(critic, layers.critic[-1])
        return outputs[:, : self.actions], returns.unflatten(1, (self.kinds, self.seats))

    def consider(self, inputs: Inputs) -> tuple[LastLayer, torch.Tensor]:
        """For the compiled loss: the actor's last layer, and (n, kinds * P) returns by a critic that has layers of its
        own; (0, 0) where there is none."""
        return self.last(inputs, self.fold())

    @torch.no_grad()
    def choose(
        self, inputs: Inputs, masks: np.ndarray, layers: Layers, returns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n) actions, drawn by their probabilities; (n) the logarithms of these; and (n, R) expected returns.

        Args:
            layers: the result of :meth:`fold` for the present parameters.
            returns: (R) int64: which of the kinds * P returns.
        """
        last, critic = self.last(inputs, layers)
        if self.critic is None:
            return draw(last, masks, returns)
        return *draw(last, masks, returns[:0])[:2], critic.cpu().numpy()[:, returns]

    @torch.no_grad()
    def log_probabilities(self, inputs: Inputs, masks: np.ndarray) -> np.ndarray:
        """(n, A): logarithms of the probabilities of legal actions (:func:`legal_log_probabilities`)."""
        return legal_log_probabilities(self.consider(inputs)[0], masks)

    def last(self, inputs: Inputs, layers: Layers) -> tuple[LastLayer, torch.Tensor]:
        """The same as :meth:`consider`, computed with these layers."""
        values, critic = self.hidden(inputs, layers)
        of_critic = torch.empty(0, 0)
        if critic is not None and layers.critic is not None:
            of_critic = outputs_of(critic, layers.critic[-1])
        return last_layer(values, layers.actor[-1]), of_critic

    def fold(self) -> Layers:
        """The layers, with the scale of the inputs multiplied into the first."""
        networks = [self.actor] if self.critic is None else [self.actor, self.critic]
        firsts, others = [], []
        for network in networks:
            first, *later = (layer for layer in network if isinstance(layer, nn.Linear))
            firsts.append(folded(first.weight, first.bias, self.scale, self.offset))
            others.append([(layer.weight, layer.bias) for layer in later])
        if len(firsts) == 1:
            return Layers(firsts[0], others[0], None)
        weights, biases = zip(*firsts, strict=True)
        return Layers((torch.cat(weights), torch.cat(biases)), *others)

    def hidden(self, inputs: Inputs, layers: Layers) -> tuple[torch.Tensor, torch.Tensor | None]:
        """(n, H) inputs of the actor's last layer, and of the critic's if it has layers of its own."""
        if self.table is None:
            values = inputs.activated(*layers.first, self.activation)
        else:
            sums = inputs.sums(*layers.first)
            low, high = (inputs.last(NUMBER).to(torch.int64) & 0xFF).unbind(1)
            added = self.table(low + 256 * high).to(sums.dtype)
            sums = sums + (added if layers.critic is None else added.repeat(1, 2))
            values = activated(sums, self.activation, self.precision)
        if layers.critic is None:
            return self.through(values, layers.actor), None
        of_actor, of_critic = values.chunk(2, 1)
        return self.through(of_actor, layers.actor), self.through(of_critic, layers.critic)

    def through(self, values: torch.Tensor, layers: Sequence[Layer]) -> torch.Tensor:
        """(n, H) inputs of the last of these layers, computed from the inputs of the first of them, the network's
        second."""
        for layer in layers[:-1]:
            values = through(values, *layer, self.activation)
        return values

    def networks(self) -> Networks:
        """Copies of the networks that play, with the scale folded into the first layer."""
        linear = [layer for layer in self.actor if isinstance(layer, nn.Linear)]
        weights = [layer.weight.detach().cpu().numpy().T.copy()[None] for layer in linear]
        biases = [layer.bias.detach().cpu().numpy().copy()[None] for layer in linear]
        inner = weights[0] * self.scale.cpu().numpy()[:, None]
        biases[0] = biases[0] - self.mean.cpu().numpy() @ inner[:, : len(self.columns)]
        weights[0] = np.zeros((1, self.size + self.recall * (self.size + self.actions), inner.shape[2]), np.float32)
        weights[0][:, self.inputs()] = inner
        centre = np.zeros(self.size, np.float32)
        centre[self.columns] = self.centre
        counted_from(weights[0][0], self.actions, -centre)
        returns = 0 if self.critic is not None else self.seats
        weights[-1] = weights[-1][:, :, : self.actions + returns].copy()
        biases[-1] = biases[-1][:, : self.actions + returns].copy()
        crossed = None
        if self.crossing is not None and self.table is not None:
            crossed = Crossed(self.crossing, self.table.weight.detach().cpu().numpy().copy()[None])
        return Networks(tuple(weights), tuple(biases), self.activation, returns, crossed)

    @torch.no_grad()
    def take(self, networks: Networks, mean: np.ndarray) -> None:
        """Take over the parameters of a network with the same layers: the reverse of :meth:`networks`.

        Args:
            mean: (O) float32 of each number of an observation, also of those that do not vary here.
        """
        inner, centre = networks.weights[0][0].copy(), mean.copy()
        centre[self.columns] = self.centre
        counted_from(inner, self.actions, centre)
        first = inner[self.inputs()] / self.scale.cpu().numpy()[:, None]
        weights = [first, *(each[0] for each in networks.weights[1:])]
        biases = [networks.biases[0][0] + mean @ inner[: self.size], *(each[0] for each in networks.biases[1:])]
        linear = [layer for layer in self.actor if isinstance(layer, nn.Linear)]
        for layer, weight, bias in zip(linear, weights, biases, strict=True):
            layer.weight[: weight.shape[1]] = torch.from_numpy(weight.T.copy())
            layer.bias[: len(bias)] = torch.from_numpy(bias)
        if self.table is not None and networks.crossed is not None:
            self.table.weight.copy_(torch.from_numpy(networks.crossed.tables[0]))


def perceptron(sizes: list[int]) -> nn.Sequential:
    """Linear layers."""
    layers = [nn.Linear(inputs, outputs) for inputs, outputs in itertools.pairwise(sizes)]
    for linear in layers:
        nn.init.orthogonal_(linear.weight, 2**0.5)
        nn.init.zeros_(linear.bias)
    return nn.Sequential(*layers)


class Games:
    """The games of one process, and who plays which seat.

    Args:
        options: how many games, and of which game.
        seed: seed of everything random.

    Attributes:
        opponents: (n) objects: the agent that plays all seats but the learner's; None where the learner plays all.
            :meth:`oppose` sets them.
        opponent_ids: (n) int64: a number for each of them; 0 where the learner plays all seats.
        seats: (n, P) bool: the learner's seats, where there are opponents.
        random_moves: (n) how many moves are still random.
        plays_all_seats: whether the learner plays all seats from the first move of every game on.
        rewards: (n, kinds, P) float32, by seat, of the last step: the game's, and leads where these are learnt from.
        final_chance: draws the chance after a last decision again; None where it is drawn once.
        players: seats in each game.
        recollection: the recent decisions of all seats, of the learner's and of others; None without ``recall``.
    """

    def __init__(self, options: PPOOptions, seed: int) -> None:
        number = options.num_games // options.processes
        self.batch = Batch(options.game, number, dict(options.config), seed, auto_reset=False)
        draws = options.final_draws
        self.final_chance = FinalChance(self.batch.game, dict(options.config), draws) if draws > 1 else None
        self.recollection = Recollection(self.batch, options.recall) if options.recall else None
        self.players = int(self.batch.players[0])
        self.rewards = np.zeros((self.batch.n, 2 if options.margin_weight else 1, self.batch.game.seats), np.float32)
        self.random = np.random.default_rng(seed)
        self.opponents = np.full(self.batch.n, None, object)
        self.opponent_ids = np.zeros(self.batch.n, np.int64)
        self.seats = np.zeros((self.batch.n, self.players), bool)
        self.most_seats = options.most_seats
        self.random_moves = np.zeros(self.batch.n, np.int32)
        self.starts = options.random_starts, options.random_moves
        self.plays_all_seats = not options.opponents and not options.random_starts
        self.drawn: tuple[list[Agent], list[float]] = [], []
        self.beginning = options.beginning()
        if self.beginning is not None:
            self.batch.begin_at(self.beginning)
        self.draw(np.arange(self.batch.n))

    def draw(self, games: np.ndarray) -> None:
        """Draw who plays the new games and how they begin."""
        if self.plays_all_seats:
            self.seats[games] = True
            return
        share, most = self.starts
        if share:
            starts = self.random.integers(most + 1, size=len(games))
            self.random_moves[games] = np.where(self.random.random(len(games)) < share, starts, 0)
        agents, shares = self.drawn
        self.oppose(games, None)
        self.seats[games] = self.draw_seats(len(games))
        places = np.searchsorted(np.cumsum(shares), self.random.random(len(games)), side="right")
        for place, agent in enumerate(agents):
            self.oppose(games[places == place], agent)

    def oppose(self, games: np.ndarray, agent: Agent | None) -> None:
        """Let an agent play the other seats of these games; None: the learner plays all."""
        self.opponents[games] = agent
        self.opponent_ids[games] = 0 if agent is None else id(agent)

    def draw_seats(self, number: int) -> np.ndarray:
        """(number, P) bool: the learner's seats in new games; from one to ``most_seats`` are equally likely."""
        if self.most_seats == 1:
            return self.random.integers(self.players, size=number)[:, None] == np.arange(self.players)
        order = self.random.random((number, self.players)).argsort(1)
        return order < self.random.integers(1, self.most_seats + 1, size=number)[:, None]

    def learnt(self) -> np.ndarray:
        """(n) bool: whether the learner is to act."""
        if self.plays_all_seats:
            return np.ones(self.batch.n, bool)
        own = self.seats[np.arange(self.batch.n), self.batch.actors]
        return ((self.opponent_ids == 0) | own) & (self.random_moves == 0)

    def views(self, chosen: np.ndarray | None = None) -> SeatViews:
        """The views of the seats to act, in all games or in some; valid until the games go on."""
        return SeatViews(self.batch, chosen, recollection=self.recollection, at_once=True)

    def recalled(self, chosen: np.ndarray) -> np.ndarray | None:
        """(k, K, O + A) int8: the earlier decisions of the seats to act in some games; None without ``recall``."""
        if self.recollection is None:
            return None
        batch, kept = self.batch, self.recollection
        recalled = kept.of(chosen, batch.actors[chosen], kept.number)
        assert recalled is not None
        return decision_numbers(recalled, batch.game, batch.players[chosen], batch.actors[chosen])

    def step(self, actions: np.ndarray, learnt: np.ndarray) -> None:
        """Apply the learner's actions, random moves, and those of opponents where the learner is not to act."""
        others = np.flatnonzero(~learnt)
        if self.starts[0]:
            at_random = np.flatnonzero(self.random_moves)
            actions[at_random] = draw_actions(self.batch.masks[at_random], self.random)
            self.random_moves[at_random] -= 1
            others = np.setdiff1d(others, at_random)
        while len(others):  # in the order of games, as ids differ from run to run
            alike = self.opponent_ids[others] == self.opponent_ids[others[0]]
            chosen, agent = others[alike], self.opponents[others[0]]
            actions[chosen] = chosen_actions(agent, self.views(chosen))
            others = others[~alike]
        if self.recollection is not None:
            self.recollection.note(self.batch, actions)
        before = None if self.final_chance is None else self.batch.states.copy()
        self.batch.step(actions)
        self.rewards[:] = 0
        ended = np.flatnonzero(self.batch.dones)
        if len(ended):
            self.rewards[ended] = self.rewards_in(self.batch, ended)
            if before is not None:
                for i in ended:
                    self.rewards[i] = self.mean_rewards(self.rewards[i], before[i], actions[i])
            self.begin_anew(ended)

    def rewards_in(self, batch: Batch, ended: np.ndarray) -> np.ndarray:
        """(k, kinds, P) float32: the rewards of the games that have ended."""
        found = np.zeros((len(ended), *self.rewards.shape[1:]), np.float32)
        found[:, 0] = batch.rewards[ended]
        if found.shape[1] > 1:
            lead = leads(batch.program, batch.states.take(ended), self.players)
            found[:, 1, : self.players] = (lead / FULL_LEAD).clip(-1, 1)
        return found

    def mean_rewards(self, rewards: np.ndarray, before: np.ndarray, action: int) -> np.ndarray:
        """(kinds, P): the mean of a game's rewards and of those that it gives when the chance after its last decision
        is drawn again.

        Args:
            rewards: (kinds, P), of the game.
            before: its state before the last decision.
            action: that decision.
        """
        assert self.final_chance is not None
        ended = self.final_chance.draw(before, action, int(self.random.integers(2**32)))
        others = self.rewards_in(self.final_chance.batch, ended)
        mean: np.ndarray = (rewards + others.sum(0)) / (1 + len(others))
        return mean

    def begin_anew(self, ended: np.ndarray) -> None:
        """New games in place of those that have ended."""
        self.batch.reset_done()
        if self.recollection is not None:
            self.recollection.clear(ended)
        if self.beginning is not None:
            self.batch.begin_at(self.beginning, ended)
        self.draw(ended)


class Decisions(NamedTuple):
    """A rollout: T decisions in each of n games. For decisions that the learner did not make, only ``actors``,
    ``learnt``, ``rewards`` and ``dones`` are set; the rest is left over from earlier rollouts.

    Attributes:
        observations: (T, n, F) int8, the numbers that vary.
        masks: (T, n, A) int8, as the network numbers actions.
        actions: (T, n) int64, likewise.
        log_probabilities: (T, n) float32: logarithms of the probabilities of the actions taken.
        values: (T, n, kinds, P) float32: expected returns of the acting seat and then clockwise.
        actors: (T, n) int64.
        learnt: (T, n) bool: whether the learner acted.
        rewards: (T, n, kinds, P) float32, by seat.
        dones: (T, n) bool: whether the decision ended its game.
    """

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    log_probabilities: np.ndarray
    values: np.ndarray
    actors: np.ndarray
    learnt: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray

    @staticmethod
    def room(length: int, games: Games, numbers: int) -> Decisions:
        """Room for a rollout."""
        shape, actions, rewards = (length, games.batch.n), games.batch.masks.shape[1], games.rewards.shape[1:]
        return Decisions(
            observations=np.zeros((*shape, numbers), np.int8),
            masks=np.zeros((*shape, actions), np.int8),
            actions=np.zeros(shape, np.int64),
            log_probabilities=np.zeros(shape, np.float32),
            values=np.zeros((*shape, *rewards), np.float32),
            actors=np.zeros(shape, np.int64),
            learnt=np.zeros(shape, bool),
            rewards=np.zeros((*shape, *rewards), np.float32),
            dones=np.zeros(shape, bool),
        )


def outcomes(decisions: Decisions, players: int, gae_lambda: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The outcome of each decision. Entries for decisions of others than the learner are meaningless.

    The λ-return of a seat goes from one of its own decisions to the next, because the views in between belong to
    others. If a game goes on, a seat's last decision has no outcome yet; it only gives the value for the decision
    before.

    Returns:
        advantages: (T, n, kinds) float32.
        targets: (T, n, kinds, P) float32: λ-returns of the acting seat and then clockwise.
        has_outcome: (T, n) bool: whether the decision has an outcome yet.
    """
    length, n = decisions.actors.shape
    kinds, seats = decisions.values.shape[2:]
    advantages, has_outcome = np.zeros((length, n, kinds), np.float32), np.zeros((length, n), bool)
    targets = np.zeros(decisions.values.shape, np.float32)
    given = decisions.actors, decisions.dones, decisions.rewards, decisions.values, players, np.float32(gae_lambda)
    upcoming = *np.zeros((2, n, players, kinds, seats), np.float32), np.zeros((n, players), bool)
    of_no_game(find_outcomes)(*given, *upcoming, advantages, targets, has_outcome)
    return advantages, targets, has_outcome


class Order(NamedTuple):
    """The leader's message to a team before an update.

    Attributes:
        imitating: whether the update is one of imitation.
        updates, steps: their numbers before it.
        state, arrays: what the others have to take over first (:meth:`PPO.shared_state`); empty if they have it.
    """

    imitating: bool
    updates: int
    steps: int
    state: dict[str, Any]
    arrays: dict[str, np.ndarray]


class PPO(GatheringRun):
    """The learner and its games.

    Args:
        options: how to train.
        team: the processes that it learns with, if it does not lead them.

    Attributes:
        model: the network that is trained.
        magnet: the slowly moving copy to which magnetic mirror descent holds the policy.
        averaged: the running average of the network, which is what is saved to play; ``model`` itself with
            ``averaged=1``.
        descent: the optimiser.
        entropy: mean entropy of the last update's decisions, in nats.
        together: whether all processes of the team have the same network.
        return_columns: (kinds * players) int64: which of the kinds * P returns belong to seats that are taken.
    """

    options: PPOOptions

    def __init__(self, options: PPOOptions, team: Team | None = None) -> None:
        super().__init__(options)
        torch.manual_seed(options.seed)
        self.device = chosen_device(options.device)
        self.games = Games(options, options.seed)
        batch = self.games.batch
        scale = scale_of(options.game, options.config, options.seed)
        sizes = batch.masks.shape[1], batch.rewards.shape[1]
        crossing = combinations(options.game, options.config, options.crossed) if options.crossed else None
        kinds = self.games.rewards.shape[1]
        shape = *sizes, options, options.separate, kinds, crossing, options.recall, self.device
        self.model = ActorCritic(scale["mean"], scale["spread"], *shape)
        take_saved(self.model, options, batch.game, scale["mean"])
        self.magnet = copy.deepcopy(self.model)
        self.averaged = self.model if options.averaged == 1 else copy.deepcopy(self.model)
        self.descent = Descent(self.model, options.learning_rate, options.max_gradient_norm)
        self.numbering = Numbering(batch.game, self.games.players)
        self.decisions = Decisions.room(options.steps_per_update, self.games, self.model.numbers)
        is_incremental = self.device.type == "cpu" and len(self.model.scale) >= MANY
        self.kept = (
            KeptSums(batch.n, self.games.players, len(self.model.scale), self.model.precision)
            if is_incremental
            else None
        )
        places = np.arange(kinds * self.model.seats)
        self.return_columns = places[places % self.model.seats < self.games.players]
        self.learnt_from = 0
        self.first = self.model.networks()
        self.pool = self.new_pool()
        self.teacher = new_teacher(options, self.games.batch, options.recall)
        self.together = False
        room = max(self.descent.all.nbytes, COUNT * (len(COUNTED) + options.processes))
        self.team = team or new_team(options.processes, room, learn_with, self.games.batch.game, options)
        self.begin_workers()

    def new_pool(self) -> OpponentPool | None:
        """The opponents of the learner in games in which it does not play all seats."""
        options = self.options
        share = sum(options.opponents.values())
        if not share:
            return None
        fixed = {name: part / share for name, part in options.opponents.items() if name != FROZEN}
        pool = OpponentPool(options.game, options.seed, options.history, fixed, 0.0, FROZEN_AT_ONCE, options.trust)
        batch = self.games.batch
        for name, agent in pool.fixed.items():
            demand_playable(name, agent, batch.game, batch.configurations[0], options.recall)
        pool.add(self.first, 0)
        self.set_opponents(pool)
        self.games.draw(np.arange(self.games.batch.n))
        return pool

    def most_frozen(self) -> tuple[int, int]:
        """The most frozen selves of the pool, 0 without a pool; and 1, because the policy is one network."""
        return (0 if self.pool is None else self.pool.most_frozen(0)[0]), 1

    def set_opponents(self, pool: OpponentPool) -> None:
        """Draw opponents for games to come."""
        agents, shares = pool.draw()
        self.games.drawn = agents, [share * sum(self.options.opponents.values()) for share in shares]

    @property
    def steps(self) -> int:
        """Decisions that were learnt from."""
        return self.learnt_from

    def learn(self) -> None:
        """Play ``steps_per_update`` decisions in every game, learn from them, and change the opponents."""
        shared = ({}, {}) if self.together or self.team.size == 1 else self.shared_state()
        order = Order(self.decide_to_imitate(), self.updates, self.steps, *shared)
        self.together = True
        self.team.tell(order)
        self.improve(order.imitating)

    def obey(self, order: Order) -> None:
        """Do what the leader of the team does."""
        if order.arrays:
            self.obey_first(order.state, order.arrays, order.updates)
        self.updates, self.learnt_from = order.updates, order.steps
        self.improve(order.imitating)

    def obey_first(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], updates: int) -> None:
        """Take over the leader's state after this many updates, and begin games of its own."""
        self.set_shared_state(state, arrays)
        seed = np.random.SeedSequence([self.options.seed, self.team.rank, updates]).generate_state(1)
        self.begin_games(int(seed[0]))

    def improve(self, imitating: bool) -> None:
        """The update itself, in which all processes take part."""
        self.gather(imitating)
        self.fit(imitating)
        if self.options.regularisation == MAGNET:
            move_towards(self.magnet, self.model, 1.0 if imitating else self.options.magnet_rate)
        if self.averaged is not self.model:
            move_towards(self.averaged, self.model, 1 / min(self.options.averaged, self.updates + 1))
        if self.pool is not None:
            self.pool.add(self.model.networks(), self.updates + 1)
            self.set_opponents(self.pool)

    def close(self) -> None:
        """End the other processes, too."""
        super().close()
        self.team.close()

    def inputs(self, t: int, asked: np.ndarray) -> Inputs:
        """The inputs of the network for the seats to act in these games at decision ``t``, which must have been
        noted."""
        room = self.decisions
        if self.kept is None:
            return self.whole(room.observations[t].take(asked, 0))
        return self.kept.at(room.observations, t, asked, room.actors[t, asked])

    def ask(self, t: int, asked: np.ndarray, layers: Layers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For the seats to act in these games: (k) actions, (k) the logarithms of their probabilities, and (k, R)
        expected returns.

        Args:
            t: the decision; its observations and masks are noted already.
            asked: (k) the games.
            layers: the present layers of the network.
        """
        return self.model.choose(
            self.inputs(t, asked), self.decisions.masks[t].take(asked, 0), layers, self.return_columns
        )

    @torch.no_grad()
    def begin_rollout(self) -> Layers:
        """The network's present layers, before any is used; all but the last have the precision in which they are
        computed."""
        if self.kept is not None:
            self.kept.forget()
        (first, actor, critic), precision = self.model.fold(), self.model.precision
        first = converted(first, precision) if self.kept is None else first
        return Layers(first, inner_converted(actor, precision), critic and inner_converted(critic, precision))

    @torch.no_grad()
    def play(self, imitating: bool) -> None:
        """Fill ``decisions`` where the learner acts; while imitating, with the teacher's choice in place of the action
        taken."""
        games, batch, room = self.games, self.games.batch, self.decisions
        actions, layers = np.zeros(batch.n, np.int64), self.begin_rollout()
        for t in range(self.options.steps_per_update):
            room.actors[t], room.learnt[t] = batch.actors, games.learnt()
            asked = np.flatnonzero(room.learnt[t])
            if len(asked):
                actions[asked] = self.decide(t, asked, imitating, layers)
            games.step(actions, room.learnt[t])
            room.rewards[t], room.dones[t] = games.rewards, batch.dones

    def decide(self, t: int, asked: np.ndarray, imitating: bool, layers: Layers) -> np.ndarray:
        """(k) the learner's actions in these games, as the game numbers them; note them as decision ``t``."""
        batch, room = self.games.batch, self.decisions
        self.model.note(room.observations[t], asked, batch.observations, self.games.recalled(asked))
        self.numbering.note(room.masks[t], asked, batch.masks, batch.actors)
        chosen, log_probabilities, values = self.ask(t, asked, layers)
        seats = batch.actors[asked]
        own = self.numbering.meanings[seats, chosen]
        done, shown = self.demonstrate(own, asked, imitating)
        if shown is not own:
            chosen = self.numbering.numbers[seats, shown]
        room.actions[t, asked], room.log_probabilities[t, asked] = chosen, log_probabilities
        room.values[t, asked, :, : self.games.players] = values.reshape(len(asked), -1, self.games.players)
        return done

    def demonstrate(self, own: np.ndarray, asked: np.ndarray, imitating: bool) -> tuple[np.ndarray, np.ndarray]:
        """(k) the actions to take, and (k) the actions to learn from: the teacher's while imitating, else the learner's
        own.

        Args:
            own: (k) actions of the game that the learner has chosen.
            asked: (k) in which games.
        """
        if self.teacher is None or not imitating:
            return own, own
        return own, chosen_actions(self.teacher, self.games.views(asked))

    def begin_games(self, seed: int) -> None:
        """Begin other games, with other choices in them."""
        torch.manual_seed(seed)
        self.games = Games(self.options, seed)
        if self.pool is not None:
            self.pool.random.bit_generator.state = np.random.default_rng(seed).bit_generator.state
            self.set_opponents(self.pool)
            self.games.draw(np.arange(self.games.batch.n))

    def parameters(self) -> dict[str, np.ndarray]:
        """The network's parameters."""
        return parameters_of(self.model)

    def take_parameters(self, parameters: Mapping[str, np.ndarray], updates: int) -> None:
        """Play with these parameters, and with the network as one of the frozen selves."""
        set_parameters(self.model, dict(parameters))
        if self.pool is not None:
            if self.pool.latest.update != updates:
                self.pool.add(self.model.networks(), updates)
            self.set_opponents(self.pool)

    def earlier(self) -> Earlier:
        """The frozen selves."""
        state, arrays = ({}, {}) if self.pool is None else self.pool.get_state([])
        return state, arrays

    def take_over(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Meet the learner's frozen selves."""
        if self.pool is not None:
            self.pool.set_state(state, arrays)

    def played(self) -> dict[str, np.ndarray]:
        """The decisions."""
        return self.decisions._asdict()

    def take(self, games: slice, played: Played) -> None:
        """Put a worker's decisions in their place among the decisions; lost ones are not learnt from."""
        self.decisions.learnt[:, games] = self.decisions.dones[:, games] = False
        for name, array in (played or {}).items():
            getattr(self.decisions, name)[:, games] = array

    def fit(self, imitating: bool) -> None:
        """Learn from ``decisions``."""
        chains, lessons = self.prepare(imitating)
        counts = [int(getattr(self.decisions, name).sum()) for name in COUNTED]
        own = [len(chains.rows) if rank == self.team.rank else 0 for rank in range(self.team.size)]
        learnt, ended, *usable = self.team.all_reduce(np.array(counts + own)).tolist()
        self.learnt_from += learnt
        self.logger.record("games/ended", ended)
        options = self.options
        rate = options.teacher_rate if imitating else options.learning_rate * self.annealed(options.final_rate)
        self.descent.rate = rate
        if not min(usable):  # everything played is lost, or no game has reached a second decision of a seat
            return
        means = self.descend(chains, lessons, imitating, self.number_of_parts(usable, imitating))
        self.entropy = means.get("entropy")
        self.log(means)

    def prepare(self, imitating: bool) -> tuple[Chains, Lessons]:
        """The decisions that have an outcome, and the lessons from them."""
        weight, decisions = self.options.margin_weight, self.decisions
        by_kind, targets, has_outcome = outcomes(decisions, self.games.players, self.options.gae_lambda)
        advantages = by_kind @ np.array([1 - weight, weight][: by_kind.shape[2]], np.float32)
        longest = 1 if self.kept is None else LONGEST
        weights = self.weights_of(decisions.learnt & has_outcome, imitating)
        chains = chains_of(weights > 0, decisions.actors, longest)
        rows, targets = chains.rows, targets.reshape(advantages.size, -1)
        choices = legal_actions(decisions.masks.reshape(-1, self.model.actions), decisions.actions.ravel(), rows)
        log_probabilities, advantages, weights = (
            each.ravel()[rows] for each in (decisions.log_probabilities, advantages, weights)
        )
        return chains, Lessons(*choices, log_probabilities, advantages, targets[rows], weights)

    def weights_of(self, usable: np.ndarray, imitating: bool) -> np.ndarray:
        """(T, n) float32: how many decisions each one stands for; 0 if it is not learnt from.

        Args:
            usable: (T, n) bool: the decisions that have an outcome.
            imitating: whether the teacher's choices are learnt; then no decision is left out.
        """
        weights, share = usable.astype(np.float32), self.options.doubtless_share
        if share < 1 and not imitating:
            doubtless = np.nonzero(usable & (self.decisions.log_probabilities > math.log(BEYOND_DOUBT)))
            kept = self.games.random.random(len(doubtless[0])) < share
            weights[doubtless] = kept / np.float32(share)
        return weights

    def number_of_parts(self, usable: Sequence[int], imitating: bool) -> int:
        """The number of minibatches, given each process's number of usable decisions; every minibatch has some from
        each process."""
        size = self.options.teacher_minibatch if imitating else self.options.minibatch
        return max(1, min(round(sum(usable) / size), *usable))

    def descend(self, chains: Chains, lessons: Lessons, imitating: bool, parts: int) -> dict[str, float]:
        """Make ``parts`` gradient steps in each pass over the decisions; return the mean of each number to log."""
        options, seen, noted = self.options, self.seen(chains), []
        for _ in range(options.teacher_epochs if imitating else options.epochs):
            for chosen in chains.parts(parts):
                inputs = seen.part(chosen)
                magnets = None if imitating else self.magnets(inputs, chosen.rows)
                gradient, notes = self.learn_from(inputs, lessons.part(chosen.numbers), magnets, imitating)
                self.descent.step(self.mean_of_all(gradient))
                noted.append(notes)
        means = dict(zip(NOTED, np.mean(noted, 0).tolist(), strict=True))
        left_out = ("clipped", "divergence") if imitating else ("imitation_loss",)
        return {name: mean for name, mean in means.items() if name not in left_out}

    def mean_of_all(self, gradient: torch.Tensor) -> torch.Tensor:
        """The mean of the gradients of all processes."""
        if self.team.size == 1:
            return gradient
        total = torch.from_numpy(self.team.all_reduce(gradient.cpu().numpy()))
        return total.to(self.device).div_(self.team.size)

    def seen(self, chains: Chains) -> Changes | Whole:
        """The inputs of the network at the decisions of these chains."""
        observations = self.decisions.observations.reshape(-1, self.model.numbers)
        if self.kept is None:
            return self.whole(observations)
        return Changes(chains, observations, len(self.model.scale), self.model.precision)

    def whole(self, observations: np.ndarray) -> Whole:
        """(n, F) int8 observations as inputs of a network."""
        return Whole.of(observations, len(self.model.scale), self.model.precision, self.device)

    def magnets(self, inputs: Inputs, rows: np.ndarray) -> np.ndarray | None:
        """(n, A): logarithms of the magnet's probabilities in these decisions, if there is a magnet."""
        if self.options.regularisation != MAGNET:
            return None
        return self.magnet.log_probabilities(inputs, self.decisions.masks.reshape(-1, self.model.actions)[rows])

    def learn_from(
        self, inputs: Inputs, lessons: Lessons, magnets: np.ndarray | None, imitating: bool
    ) -> tuple[torch.Tensor, np.ndarray]:
        """The gradient of the loss in some decisions (:func:`find_gradients`), and the numbers to log (``NOTED``)."""
        options = self.options
        last, critic = self.model.consider(inputs)
        outputs = *last, critic
        arrays = *last.arrays(), critic.detach().cpu().numpy()
        weights = (
            options.clip_range,
            options.proximal_coefficient,
            0.0
            if options.regularisation == NONE
            else options.entropy_coefficient * self.annealed(options.final_entropy),
            0.0 if magnets is None else options.magnet_coefficient,
            options.value_coefficient,
        )
        magnets = np.empty((0, self.model.actions), np.float32) if magnets is None else magnets
        given, weight, bias, of_critic = arrays
        found = np.empty_like(given), np.zeros_like(weight), np.zeros_like(bias), np.zeros_like(of_critic)
        noted = np.zeros(len(NOTED))
        of_no_game(find_gradients)(*arrays, *lessons, magnets, self.return_columns, *weights, imitating, *found, noted)
        learnt = [k for k, each in enumerate(outputs) if each.requires_grad]
        gradients = [torch.from_numpy(found[k]).to(outputs[k].device) for k in learnt]
        return self.descent.gradient([outputs[k] for k in learnt], gradients), noted

    def log(self, means: Mapping[str, float]) -> None:
        """Numbers for TensorBoard."""
        for name, mean in means.items():
            self.logger.record(f"train/{name}", mean)
        self.logger.record("train/learning_rate", self.descent.rate)

    def agent(self) -> NetworkAgent:
        """The policy learnt so far."""
        return self.agent_of(self.averaged.networks(), self.training())

    def untrained(self) -> NetworkAgent:
        """The policy before the first update."""
        return self.agent_of(self.first, {"updates": 0})

    def agent_of(self, networks: Networks, training: dict[str, Any]) -> NetworkAgent:
        """The agent that plays by these networks."""
        options = self.options
        kind = RecallAgent if options.recall else PolicyAgent
        return kind(networks, options.game, options.config, training, options.seed)

    def shared_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state with which all processes of a team begin: the networks, the optimiser and the frozen selves."""
        state, arrays = self.network_state()
        state["pool"], networks = self.earlier()
        return state, {**arrays, **named("pool", networks)}

    def set_shared_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from :meth:`shared_state`."""
        self.set_network_state(state, arrays)
        self.take_over(state["pool"], part("pool", arrays))

    def network_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks, the first one among them, and the optimiser."""
        arrays = {
            **named("parameters", parameters_of(self.model)),
            **named("magnet", parameters_of(self.magnet)),
            **named("mean", parameters_of(self.averaged) if self.averaged is not self.model else {}),
            **named("optimiser", self.descent.get_state()),
            **named("first", self.first.arrays()),
        }
        return {"first": self.first.shape()}, arrays

    def set_network_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from :meth:`network_state`."""
        set_parameters(self.model, part("parameters", arrays))
        set_parameters(self.magnet, part("magnet", arrays))
        if self.averaged is not self.model:
            set_parameters(self.averaged, part("mean", arrays))
        self.descent.set_state(part("optimiser", arrays))
        self.first = Networks.from_arrays(part("first", arrays), **state["first"])
        demand_combinations(self.model.crossing, self.first)

    def get_state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks, the optimiser, the games and the opponents; in a team, those of the leader."""
        games = self.games
        state, arrays = self.network_state()
        arrays |= {
            "games": np.frombuffer(games.batch.get_state(), np.uint8),
            "seats": games.seats,
            "random_moves": games.random_moves,
        }
        if games.recollection is not None:
            arrays |= named("recollection", games.recollection.get_state())
        state |= {**self.imitation_state(), "games_random": games.random.bit_generator.state}
        if self.pool is not None:
            playing = list(
                {id(each): each for each in [*games.opponents, *games.drawn[0]] if each is not None}.values()
            )
            state["pool"], networks = self.pool.get_state(playing)
            state["drawn"] = [[playing.index(agent) for agent in games.drawn[0]], games.drawn[1]]
            state["opponents"] = [None if each is None else playing.index(each) for each in games.opponents]
            arrays |= named("pool", networks)
        return state, arrays

    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Go on from :meth:`get_state`."""
        games = self.games
        self.set_imitation_state(state)
        self.set_network_state(state, arrays)
        self.learnt_from = steps
        games.batch.set_state(arrays["games"].tobytes())
        if arrays["seats"].shape != games.seats.shape or not arrays["seats"].any(1).all():
            raise ValueError("a game has no seat for the learner")
        games.seats[:] = arrays["seats"].astype(bool)
        if (arrays["random_moves"] < 0).any():
            raise ValueError("a game has fewer random moves left than none")
        games.random_moves[:] = arrays["random_moves"]
        if games.recollection is not None:
            games.recollection.set_state(part("recollection", arrays), self.model.actions)
        games.random.bit_generator.state = state["games_random"]
        if self.pool is not None:
            playing = self.pool.set_state(state["pool"], part("pool", arrays))
            chosen, shares = state["drawn"]
            demand_outline([chosen, shares], [[float]], "what was drawn")
            if len(chosen) != len(shares) or len(state["opponents"]) != games.batch.n:
                raise ValueError("there are opponents for another number of games")
            demand_outline(state["opponents"], [(int, type(None))], "opponents")
            games.drawn = [playing[place] for place in chosen], shares
            for game, place in enumerate(state["opponents"]):
                games.oppose(np.array([game]), None if place is None else playing[place])


def learn_with(game: Game, options: PPOOptions, team: Team) -> None:
    """Learn along with the leader of the team, who sends the state to begin with, until the leader ends.

    Args:
        game: not used; unpickling it registers the game in this process, where ``options`` name it.
    """
    run = PPO(dataclasses.replace(options, begin_with=""), team)
    while True:
        run.obey(team.hear())


def chosen_device(name: str) -> torch.device:
    """The device of the networks.

    Raises:
        ConfigurationError: there is no such device.
    """
    found = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in (AUTO, "cpu", found):
        there = ", ".join(dict.fromkeys([AUTO, "cpu", found]))
        raise ConfigurationError(f"device={shown(name)}: must be one of {there} on this machine.")
    return torch.device(found if name == AUTO else name)


def chosen_precision(name: str, device: torch.device) -> torch.dtype:
    """The precision in which layers are computed."""
    if device.type == "cuda":
        able = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        abilities: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()  # reported by PyTorch from 2.12 on
        able = abilities.get("avx512_bf16", False)
    precision = PRECISIONS[("bfloat16" if able else "float32") if name == AUTO else name]
    assert precision is not None  # only AUTO's is None
    return precision


def converted(layer: Layer, precision: torch.dtype) -> Layer:
    """A layer, converted to this precision."""
    weight, bias = layer
    return weight.to(precision), bias.to(precision)


def inner_converted(layers: Sequence[Layer], precision: torch.dtype) -> Sequence[Layer]:
    """Layers, all but the last converted to this precision."""
    return [*(converted(layer, precision) for layer in layers[:-1]), layers[-1]]


@torch.no_grad()
def move_towards(slow: ActorCritic, fast: ActorCritic, part: float) -> None:
    """Move a network's parameters a part of the way to those of another one with the same layers."""
    for behind, ahead in zip(slow.parameters(), fast.parameters(), strict=True):
        behind.lerp_(ahead, part)


def demand_combinations(crossing: Crossing | None, networks: Networks) -> None:
    """Refuse networks that distinguish other combinations of numbers.

    Raises:
        ValueError: they do.
    """
    theirs = None if networks.crossed is None else networks.crossed.crossing
    if theirs is not crossing and (theirs is None or crossing is None or not theirs.equals(crossing)):
        raise ValueError("it tells other combinations of numbers apart")


def take_saved(model: ActorCritic, options: NetworkOptions, game: Game, mean: np.ndarray) -> None:
    """Begin with the network of the saved policy that the options name, if they name one.

    Args:
        mean: as for :meth:`ActorCritic.take`.

    Raises:
        CheckpointError: the policy cannot be read, or plays another game.
        ConfigurationError: its network does not fit these options.
    """
    if options.begin_with and not options.goes_on:
        model.take(network_to_begin_with(model, options, game), mean)


def network_to_begin_with(model: ActorCritic, options: NetworkOptions, game: Game) -> Networks:
    """The network of a saved policy.

    Raises:
        CheckpointError: the policy cannot be read, or plays another game.
        ConfigurationError: its network has other layers, gives no expected returns, or recalls another number of
            decisions.
    """
    policy = load_guide(options.begin_with, game)
    path = shown_path(options.begin_with)
    if not isinstance(policy, NetworkAgent):
        raise ConfigurationError(f"begin_with={path}: it looks ahead itself, and is not a network.")
    recall = policy.recall
    if recall != model.recall:
        raise ConfigurationError(
            f"begin_with={path}: it recalls {recall} decisions, so begin with recall={recall} (of the learner ppo)."
        )
    try:
        networks = the_one(policy.networks)
    except ConfigurationError:
        raise ConfigurationError(
            f"begin_with={path}: it must be one network that expects returns, as the learners ppo and search save it."
        ) from None
    layers, wanted = (networks.layers[1:-1], networks.activation), (list(options.hidden), options.activation)
    if model.critic is not None:
        raise ConfigurationError(
            f"begin_with={path}: not with separate=true, because it expects returns by the same layers."
        )
    if layers != wanted:
        raise ConfigurationError(
            f"begin_with={path}: it has hidden={layers[0]} with {layers[1]}, not hidden={wanted[0]} with {wanted[1]}."
        )
    try:
        demand_combinations(model.crossing, networks)
    except ValueError as error:
        raise ConfigurationError(f"begin_with={path}: {error} than crossed={shown(options.crossed)}.") from None
    return networks


def find_outcomes(
    actors, dones, rewards, values, players, gae_lambda, next_values, next_targets, next_known, advantages, targets,
    has_outcome
):  # fmt: skip
    """Write the outcome of each decision.

    Args:
        actors, dones, rewards, values: the arrays of :class:`Decisions`.
        players: seats that are taken.
        gae_lambda: float32.
        next_values, next_targets, next_known: (n, players, kinds, P) twice, and (n, players): room for the expected
            returns at each seat's next decision, for the λ-returns there, and for whether there is a next decision.
        advantages, targets, has_outcome: zeros, to be written: the results of :func:`outcomes`.
    """
    for t in range(len(actors) - 1, -1, -1):
        for game in range(len(actors[t])):
            if dones[t, game]:
                fill(next_known[game], True)
                for seat in range(players):
                    note_rewards(rewards[t, game], seat, players, next_values[game, seat], next_targets[game, seat])
            seat = actors[t, game]
            has_outcome[t, game] = next_known[game, seat]
            next_known[game, seat] = True
            for kind in range(values.shape[2]):
                for k in range(players):
                    value, target = values[t, game, kind, k], values[t, game, kind, k]
                    if has_outcome[t, game]:
                        ahead = next_values[game, seat, kind, k]
                        target = ahead + gae_lambda * (next_targets[game, seat, kind, k] - ahead)
                    targets[t, game, kind, k] = target
                    next_values[game, seat, kind, k], next_targets[game, seat, kind, k] = value, target
                advantages[t, game, kind] = targets[t, game, kind, 0] - values[t, game, kind, 0]


def note_rewards(rewards, seat, players, values, targets):
    """Write a game's rewards both as a seat's expected returns and as its λ-returns: (kinds, P), counted from the
    seat."""
    for kind in range(len(rewards)):
        for k in range(players):
            values[kind, k] = targets[kind, k] = rewards[kind, (seat + k) % players]


def mean_and_spread(numbers, weights):
    """The weighted mean and standard deviation of the numbers (never 0), and the sum of the weights."""
    total, squares, count = 0.0, 0.0, 0.0
    for i in range(len(numbers)):
        total += weights[i] * numbers[i]
        count += weights[i]
    mean = total / count
    for i in range(len(numbers)):
        squares += weights[i] * (numbers[i] - mean) ** 2
    return mean, math.sqrt(squares / max(1.0, count - 1)) + 1e-8, count


def gradient_of_surrogate(ratio, pull, clip_range):
    """The derivative of minus the clipped surrogate (Schulman et al. 2017, equation 7) with respect to the logarithm of
    the probability: 0 once the probability has moved far enough in the direction in which the advantage pulls.

    Args:
        ratio: of the probability to its value when the decision was made.
        pull: the advantage.
        clip_range: how far the ratio may move from 1.
    """
    farther = ratio > 1 + clip_range if pull > 0 else ratio < 1 - clip_range
    return 0.0 if farther else -pull * ratio


def find_gradients(
    given, weight, bias, critic, ends, legal, done, before, advantages, targets, weights, magnets, returns, clip_range,
    proximal_weight, entropy_weight, magnet_weight, value_weight, imitating, of_given, of_weight, of_bias, of_critic,
    noted
):  # fmt: skip
    """Write the gradients of the loss in n decisions.

    The loss is minus the clipped surrogate, plus the weighted divergence from the policy that played, minus the
    weighted entropy, plus the weighted divergence from the magnet, which is minus the sum of the entropy and the mean
    of the magnet's logarithms; or, while imitating, minus the logarithm of the probability of the action taken. The
    weighted squared error of expected returns is added. All are means over the decisions, by their weights.

    Args:
        given, weight, bias: the arrays of :class:`LastLayer`.
        critic: (n, kinds * P) returns that a critic expects, or (0, 0) where the last layer gives them.
        ends, legal, done, before, advantages, targets, weights: the arrays of :class:`Lessons`.
        magnets: (n, A) logarithms of the magnet's probabilities, or (0, A).
        returns: (R) which of the kinds * P returns belong to seats that are taken.
        clip_range, proximal_weight, entropy_weight, magnet_weight, value_weight: the clip range, and the weights of the
            parts of the loss.
        imitating: whether the action taken is imitated.
        of_given: to be written.
        of_weight, of_bias, of_critic: zeros, to which gradients are added.
        noted: to be written: means, by the names of ``NOTED``.
    """
    n, number = len(done), magnets.shape[1]
    outputs = len(bias) if len(bias) else given.shape[1]
    places, results = np.zeros(outputs, np.int32), np.zeros(outputs, np.float32)
    probabilities, gradients = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    others = returns[: 0 if len(critic) else len(returns)]
    mean, spread, count = mean_and_spread(advantages, weights)
    factor = 2 * value_weight / (count * len(returns))
    mixed = 0.0 if imitating else entropy_weight + magnet_weight
    entropies, outside, divergence, imitation, errors = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        end, share = ends[i + 1] - ends[i], weights[i] / count
        for place in range(end):
            places[place] = legal[ends[i] + place]
        weigh(given[i], weight, bias, number, others, places, results, probabilities, end)
        moved = results[done[i]] - before[i]
        ratio = math.exp(moved)
        gradient = -1.0
        if not imitating:  # the divergence is the mean of r log r - r + 1, since the other policy drew the actions
            gradient = gradient_of_surrogate(ratio, (advantages[i] - mean) / spread, clip_range)
            gradient += proximal_weight * ratio * moved
        imitation -= share * results[done[i]]
        outside += share * (abs(ratio - 1) > clip_range)
        divergence += share * (ratio - 1 - moved)
        entropy = gradients_of_logits(results, probabilities, end, done[i], gradient * share, mixed * share, gradients)
        entropies += share * entropy
        if len(magnets):
            gradients_to_magnet(probabilities, end, places, magnets[i], magnet_weight * share, gradients)
        for k in range(len(returns)):
            missed = (critic[i, returns[k]] if len(critic) else results[end + k]) - targets[i, returns[k]]
            errors += share * missed * missed
            if len(critic):
                of_critic[i, returns[k]] = factor * weights[i] * missed
            else:
                gradients[end + k] = factor * weights[i] * missed
        go_back_to_layer(given[i], weight, of_given[i], of_weight, of_bias, places, gradients, end + len(others))
    noted[0], noted[1], noted[2], noted[3], noted[4] = entropies, outside, divergence, imitation, errors / len(returns)


def gradients_of_logits(log_probabilities, probabilities, end, done, gradient, mixed, gradients):
    """Write the gradients of the logits of one decision's legal actions; return its entropy.

    For probabilities p, the derivative of the loss with respect to the logits is p (g - Σ p g), where g is that with
    respect to p.

    Args:
        log_probabilities, probabilities: those of the legal actions, which come first.
        end: the number of legal actions.
        done: which of them was chosen.
        gradient: the derivative of the loss with respect to the logarithm of its probability.
        mixed: the weight of minus the entropy in the loss.
        gradients: to be written.
    """
    entropy = 0.0
    for place in range(end):
        entropy -= probabilities[place] * log_probabilities[place]
    for place in range(end):
        gradients[place] = probabilities[place] * (mixed * (log_probabilities[place] + entropy) - gradient)
    gradients[done] += gradient
    return entropy


def gradients_to_magnet(probabilities, end, legal, magnet, weight, gradients):
    """Add the gradient of minus the weighted mean of the magnet's logarithms to the gradients of the logits.

    Args:
        probabilities, end, gradients: as for :func:`gradients_of_logits`.
        legal: the legal actions.
        magnet: (A) the magnet's logarithms.
        weight: the weight of their mean.
    """
    mean = 0.0
    for place in range(end):
        mean += probabilities[place] * magnet[legal[place]]
    for place in range(end):
        gradients[place] -= probabilities[place] * weight * (magnet[legal[place]] - mean)
