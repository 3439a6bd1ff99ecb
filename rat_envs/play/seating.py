"""Agents at the seats of a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rat_envs.agents import Agent, make_agent
from rat_envs.api.agent import chosen_action, chosen_with_probability
from rat_envs.api.agent_code import let_agent_check, naming_agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position
from rat_envs.engine.seeds import one_way_seed
from rat_envs.engine.story import Event

__all__ = ["PERSON", "Table"]

#: The name of a person at a seat.
PERSON = "me"
#: The name of the agent that plays like an unnamed seat.
RANDOM = "random"


class Table:
    """The players by seat: an agent, a person (who is asked elsewhere), or uniform random play.

    Args:
        names: by seat, the name of an agent, ``PERSON``, or None for random play; random play everywhere if empty.
        seed: the argument of :meth:`seed`.
        trust: load policies even in formats that can execute code.

    Attributes:
        names: the players' names by seat.
        agents: the agents by seat; None for a person and for random play.

    Raises:
        ConfigurationError: there are more or fewer agents than seats.
        ConfigurationError, CheckpointError, UnknownNameError: an agent does not exist, or cannot play this.
        AgentError: an agent's own code raises an error.
    """

    def __init__(
        self,
        game: Game,
        configuration: Configuration,
        names: Sequence[str | None] | None,
        seed: int,
        trust: bool = False,
    ) -> None:
        players = configuration.players
        names = names or [None] * players
        if len(names) != players:
            raise ConfigurationError(f"{len(names)} agents for {players} seats: name one for each seat.")
        self.names = [name or RANDOM for name in names]
        self.agents: list[Agent | None] = [
            None if name in (None, PERSON) else make_agent(name, game, _seed_of(seed, seat), trust=trust)
            for seat, name in enumerate(names)
        ]
        self.seed(seed)
        for agent in self.agents:
            if agent is not None:
                let_agent_check(agent, game, configuration)
        self._batch = Batch(game, 1, configuration, seed=0)

    def seed(self, seed: int) -> None:
        """Start the agents' random numbers anew, each from this seed and the number of its seat.

        The seed may also be that of chance, so an agent must not be able to compute it from its own.
        """
        for seat, agent in enumerate(self.agents):
            if agent is not None:
                with naming_agent(agent):
                    agent.seed(_seed_of(seed, seat))

    @property
    def listens(self) -> bool:
        """Whether an agent reads the events of the game."""
        return any(agent is not None and agent.listens for agent in self.agents)

    def remarks(self) -> list[str]:
        """The agents' remarks on their play, a line each."""
        said = []
        for seat, agent in enumerate(self.agents):
            if agent is not None:
                with naming_agent(agent):
                    said += [f"player_{seat}: {agent.remark}."] if agent.remark else []
        return said

    def game_ids(self) -> dict[str, Any]:
        """The agents' names for the game in files of their own, by seat, in the form of a record; empty if no agent has
        one."""
        seated = ((seat, agent) for seat, agent in enumerate(self.agents) if agent is not None)
        names = {f"player_{seat}": agent.game_ids[0, seat] for seat, agent in seated if (0, seat) in agent.game_ids}
        return {"game_ids": names} if names else {}

    def choose(self, position: Position, stream: Any, witnessed: Sequence[Event] = ()) -> str:
        """The notation of what happens next: of chance or random play from ``stream``, or of the agent's action.

        Args:
            witnessed: all events so far, if an agent ``listens``.
        """
        agent = None if position.is_chance else self.agents[position.actor]
        if agent is None:
            return position.sample(stream)
        return position.game.actions[chosen_action(agent, self._views(position, witnessed))]

    def choose_knowingly(
        self, position: Position, stream: Any, witnessed: Sequence[Event] = ()
    ) -> tuple[str, float | None]:
        """The same, and the probability with which the seat's player chose it; None for chance, and where nobody
        knows."""
        agent = None if position.is_chance else self.agents[position.actor]
        if agent is None:
            return position.sample(stream), None if position.is_chance else 1 / int(position.mask().sum())
        action, probability = chosen_with_probability(agent, self._views(position, witnessed))
        return position.game.actions[action], probability

    def _views(self, position: Position, witnessed: Sequence[Event]) -> SeatViews:
        """The view of the seat to act."""
        self._batch.states[0] = position.state
        self._batch.refresh()
        return SeatViews(self._batch, witnessed={0: witnessed})


def _seed_of(seed: int, seat: int) -> int:
    """The seed of the agent at a seat."""
    return one_way_seed("agent at the table", seed, seat)
