"""The learner's opponents: frozen earlier selves, its newest frozen self, and agents that do not change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rat_envs.agents.policy import Networks, seat_probabilities
from rat_envs.agents.recall import network_inputs, number_recalled
from rat_envs.api.agent import Agent
from rat_envs.api.agent_code import let_agent_check
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown, shown_path
from rat_envs.engine.files import demand_outline
from rat_envs.engine.game import Game
from rat_envs.training.gathering import GatheringOptions

__all__ = ["FrozenSelf", "OpponentPool", "demand_playable", "new_teacher"]


def demand_playable(name: str, agent: Agent, game: Game, configuration: Configuration, kept: int = 0) -> None:
    """Refuse an agent that cannot play in a learner's games.

    Args:
        name: the agent's name.
        kept: number of its own decisions that a seat is shown there.

    Raises:
        ConfigurationError: it does not play this configuration, or recalls more decisions.
    """
    let_agent_check(agent, game, configuration)
    if agent.recall > kept:
        raise ConfigurationError(
            f"{shown_path(name)} recalls its seat's last {agent.recall} decisions, and {kept or 'none'} are kept in "
            f"these games: learn with recall={agent.recall} or more (of the learner ppo)."
        )


def new_teacher(options: GatheringOptions, batch: Batch, kept: int = 0) -> Agent | None:
    """The agent that is imitated at first in these games; None if there is none.

    Args:
        kept: as for :func:`demand_playable`.

    Raises:
        ConfigurationError: see :func:`demand_playable`.
    """
    if not options.teacher_steps:
        return None
    teacher = make_agent(options.teacher, batch.game.name, options.seed, trust=options.trust)
    demand_playable(options.teacher, teacher, batch.game, batch.configurations[0], kept)
    return teacher


class FrozenSelf(Agent):
    """The learner as it was after some update.

    Args:
        networks: its network.
        update: the number of the update.
        random: the pool's random numbers, shared by all its opponents.
    """

    name = "frozen self"

    def __init__(self, networks: Networks, update: int, random: np.random.Generator) -> None:
        self.networks = networks
        self.update = update
        self.random = random

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float32: the network's probabilities. It recalls as many decisions as the learner."""
        inputs = network_inputs(views, number_recalled(self.networks, views.game))
        return seat_probabilities(self.networks, views, inputs=inputs)[0]


class OpponentPool:
    """Frozen selves, evenly spread over the training so far, and the choice of opponents among them.

    Args:
        seed: seed of the choice of opponents and of all their actions.
        history: the most frozen selves that are kept for good; when there are more, every other one is dropped.
        game: the game that they play.
        opponents: agents that do not change, by name, and the part of the new games that each plays.
        latest_share: part that is played against the newest frozen self; older ones share the rest.
        older_at_once: how many older ones play between two changes.
        trust: load agents even from files that can execute code.

    Attributes:
        fixed: the agents that do not change, by name.
        latest: the newest frozen self.
        history: the frozen selves that are kept, oldest first.
        spacing: updates between two of them.
        random: the pool's random numbers.
    """

    def __init__(
        self,
        game: str,
        seed: int,
        history: int,
        opponents: Mapping[str, float],
        latest_share: float,
        older_at_once: int,
        trust: bool = False,
    ) -> None:
        self.random = np.random.default_rng(seed)
        self.fixed_shares = dict(opponents) or {"random": 0.0}  # the first games need an opponent
        self.game, self.seed, self.trust = game, seed, trust
        self.fixed: dict[str, Agent] = {name: self.make_agent(name) for name in self.fixed_shares}
        self.limit = history
        self.latest_share, self.older_at_once = latest_share, older_at_once
        self.history: list[FrozenSelf] = []
        self.spacing = 1
        self.latest: FrozenSelf

    def make_agent(self, name: str) -> Agent:
        """An agent whose random numbers are the pool's, so that they are saved with it."""
        agent = make_agent(name, self.game, self.seed, trust=self.trust)
        agent.random = self.random
        return agent

    def add(self, networks: Networks, update: int) -> None:
        """Freeze the learner as it is after ``update``; updates come in order, from 0."""
        self.latest = FrozenSelf(networks, update, self.random)
        if update % self.spacing == 0:
            self.history.append(self.latest)
        if len(self.history) > self.limit:
            self.spacing *= 2
            self.history = [frozen for frozen in self.history if frozen.update % self.spacing == 0]

    def name_of(self, opponent: object) -> str | None:
        """The name of an agent that does not change; None for a frozen self."""
        return next((name for name, agent in self.fixed.items() if agent is opponent), None)

    def draw(self) -> tuple[list[Agent], list[float]]:
        """Draw opponents for new games, and the part of the games that each plays."""
        older = [frozen for frozen in self.history if frozen is not self.latest]
        number = min(self.older_at_once, len(older))
        chosen = [older[i] for i in self.random.choice(len(older), number, replace=False)] if number else []
        fixed = [self.fixed_shares[name] for name in self.fixed]
        rest = max(0.0, 1 - sum(fixed) - self.latest_share)
        shares = [*fixed, self.latest_share + (0 if chosen else rest), *[rest / max(number, 1)] * number]
        opponents: list[Agent] = [*self.fixed.values(), self.latest, *chosen]
        playing = [i for i, share in enumerate(shares) if share > 0]
        return [opponents[i] for i in playing], [shares[i] for i in playing]

    def most_frozen(self, share: float) -> tuple[int, int]:
        """The most frozen selves that there may be in the end, including those that only play; and the most in
        :meth:`average`."""
        return self.limit + self.older_at_once + 1, min(self.limit, math.ceil(self.limit * share) + 1) + 1

    def average(self, share: float) -> Networks:
        """The frozen selves of the last part ``share`` of the training, the newest among them."""
        first = self.latest.update * (1 - share)
        chosen = [frozen for frozen in self.history if frozen.update >= first]
        if self.latest not in chosen:
            chosen.append(self.latest)
        return Networks.stack([frozen.networks for frozen in chosen])

    def get_state(self, playing: Sequence[Any]) -> tuple[dict[str, object], dict[str, np.ndarray]]:
        """The state of the pool and of the opponents that are ``playing``, as plain values and arrays."""
        frozen = {each.update: each for each in (*self.history, self.latest)}
        frozen |= {each.update: each for each in playing if isinstance(each, FrozenSelf)}
        networks = Networks.stack([each.networks for each in frozen.values()])
        state = {
            "frozen": list(frozen),
            "history": [each.update for each in self.history],
            "latest": self.latest.update,
            "playing": [each.update if isinstance(each, FrozenSelf) else self.name_of(each) for each in playing],
            "spacing": self.spacing,
            "random": self.random.bit_generator.state,
            "fixed": {name: agent.get_state() for name, agent in self.fixed.items()},
            "layers": networks.layers,
            "activation": networks.activation,
        }
        return state, networks.arrays()

    def set_state(self, state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> list[Agent]:
        """Go on from :meth:`get_state`; return the opponents that were playing.

        Raises:
            ValueError: the state does not fit together.
        """
        demand_outline(
            state, {"frozen": [int], "history": [int], "latest": int, "spacing": int, "playing": []}, "a pool"
        )
        if state["spacing"] < 1:
            raise ValueError(f"the history has each {shown(state['spacing'])}th self")
        networks = Networks.from_arrays(arrays, state["layers"], state["activation"])
        if len(networks) != len(state["frozen"]):
            raise ValueError(f"{len(networks)} networks for {len(state['frozen'])} frozen selves")
        frozen = {
            update: FrozenSelf(networks[i : i + 1], update, self.random) for i, update in enumerate(state["frozen"])
        }
        self.history = [frozen[update] for update in state["history"]]
        self.latest = frozen[state["latest"]]
        self.spacing = state["spacing"]
        for name, agent in self.fixed.items():
            agent.set_state(state["fixed"][name])
        self.random.bit_generator.state = state["random"]
        return [frozen[each] if isinstance(each, int) else self.fixed[each] for each in state["playing"]]
