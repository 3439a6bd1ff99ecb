"""What a tournament is: all that decides its games, as plain values."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.agent_code import let_agent_check, naming_agent
from rat_envs.api.named_agents import REACHING_OUT, SEARCHES, AgentName, agent_file, make_agent
from rat_envs.arena.game_code import code_of
from rat_envs.arena.numbering import Numbers
from rat_envs.arena.object_hash import object_hash
from rat_envs.arena.pairing import Purpose, all_matches, deal_seeds, made_seed, number_of_deals, rotations, table_orders
from rat_envs.engine.archive import MOST_BYTES
from rat_envs.engine.checks import checked_seed, checked_whole
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, shown, shown_name, shown_path
from rat_envs.engine.files import MEBIBYTE, demand_outline, file_size
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = [
    "DEALS_AT_ONCE",
    "DEALS_OF_SLOW_AGENTS",
    "OUTLINE",
    "Entrant",
    "Plan",
    "deals_at_once",
    "deals_of_a_chunk",
    "file_hash",
    "make_plan",
]

#: Deals of a chunk, if nothing else is said.
DEALS_AT_ONCE = 256
#: The same where a search takes part, which decides as one draw of its random numbers says: these deals are not
#: independent, and intervals take them to be.
DEALS_OF_A_SEARCH = 4
#: The same where agents have a limit of time, and where a server is asked: only whole chunks are saved, and what stops
#: a chunk loses what it took, or what was paid for it.
DEALS_OF_SLOW_AGENTS = 4
#: The most deals of a chunk, and chunks of a tournament.
MOST_AT_ONCE, MOST_CHUNKS = 100_000, 1_000_000
#: The most times that chance is drawn again.
MOST_DRAWS = 10_000
#: What of a plan is a whole number.
WHOLE = ("version", "games", "seed", "chunk", "final_draws")
#: What of it is written down only where there is such a thing.
OFTEN_NONE = ("numbers", "game_sha256")
#: What is kept of an entrant.
OUTLINE = {"name": str, "sha256": (str, type(None))}


@dataclass(frozen=True)
class Entrant:
    """An agent by name, with the SHA-256 of what is in its file if it has one; or an agent as an object, with a hash.

    The trained policies that come with the package are files, too: another version of it may have others.

    Attributes:
        name: of the agent, as ``make_agent`` takes it.
        sha256: of the file that decides what the agent is, a saved policy or code; or of an object its
            :meth:`~rat_envs.api.agent.Agent.fingerprint`, or else the hash of its class and attributes. None if there
            is none: such agents are told apart by their names alone.
        is_object: whether it has taken part as an object: nobody else can make it by its name.
        agent: the object, which is never changed; None where only a manifest tells of it.
    """

    name: str
    sha256: str | None = None
    is_object: bool = False
    agent: Agent | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, agent: str | Agent, game: Game, configuration: Configuration) -> Entrant:
        """An agent by name or as an object, as it is now, where this is played."""
        if isinstance(agent, Agent):
            with naming_agent(agent):
                return cls(agent.name, agent.fingerprint() or object_hash(agent), True, agent)
        file = agent_file(agent, game, configuration.players)
        return cls(agent, None if file is None else file_hash(file))

    def make(self, game: Game, configuration: Configuration, seed: int, trust: bool = False) -> Agent:
        """The agent itself; of an object a copy, with random numbers that ``seed`` decides.

        Raises:
            CheckpointError: the file holds something else by now.
            UnknownNameError: there is no such agent or file.
            ConfigurationError: it took part as an object and is not there, or does not play this configuration.
            AgentError: its own code raises an error.
        """
        if self.is_object:
            agent = self._copy(seed)
        else:
            file = agent_file(self.name, game, configuration.players)
            if self.sha256 is not None and file is not None and file_hash(file) != self.sha256:
                raise CheckpointError(
                    f"{shown_path(file)} is not the file that entered the tournament, whose SHA-256 is "
                    f"{shown_name(self.sha256)}."
                )
            agent = make_agent(self.name, game, seed, trust=trust)
        let_agent_check(agent, game, configuration)
        return agent

    def _copy(self, seed: int) -> Agent:
        if self.agent is None:
            raise ConfigurationError(
                f"{shown(self.name)} took part as an object of Python, not by a name: it cannot be made again from a "
                "manifest."
            )
        with naming_agent(self.agent):
            agent = copy.deepcopy(self.agent)
            agent.seed(seed)
        return agent

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"name": self.name, "sha256": self.sha256, **({"is_object": True} if self.is_object else {})}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Entrant:
        """The same from what :meth:`to_dict` returned, which is of :data:`OUTLINE`; without the object."""
        return cls(values["name"], values["sha256"], bool(values.get("is_object")))


def file_hash(path: Path) -> str:
    """SHA-256 of what is in a file, in hexadecimal.

    Raises:
        CheckpointError: it is not there, no file, or larger than any that an agent is loaded from.
    """
    file_size(path, "saved policy or code", MOST_BYTES)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(MEBIBYTE):
            digest.update(chunk)
    return digest.hexdigest()


@dataclass(frozen=True)
class Plan:
    """All that decides the games of a tournament.

    Every match is played on the same deals. A deal is played in as many seatings as there are seats, each agent of the
    match sitting in each seat once: the rotations of one order round the table. If there are as many agents as seats,
    that is the order in which they are named; otherwise a match's orders take turns from deal to deal.

    Attributes:
        game: what is played.
        version: of the game.
        config: every option.
        agents: who takes part.
        games: of each match, all seatings together, as asked for; rounded up to whole deals.
        seed: of chance, of who sits where, and of the agents' random numbers.
        chunk: a match is played in parts of so many deals.
        final_draws: how many times the chance after a game's last decision is drawn; its mean return counts.
        numbers: of agents and matches, where agents have come or gone in the tournament's folder; None if they are
            those of their places.
        game_sha256: of the code of the game, as :func:`~rat_envs.arena.game_code.code_of` finds it; None for the
            package's own games, and where nothing is known of it.

    Raises:
        ConfigurationError: there are not two agents or not two deals; the seed, ``chunk`` or ``final_draws`` is out of
            range; or there would be more than ``MOST_CHUNKS`` chunks.
    """

    game: Game
    version: int
    config: dict[str, Any]
    agents: tuple[Entrant, ...]
    games: int
    seed: int
    chunk: int = DEALS_AT_ONCE
    final_draws: int = 1
    numbers: Numbers | None = None
    game_sha256: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.chunk <= MOST_AT_ONCE:
            raise ConfigurationError(f"chunk={shown(self.chunk)}: must be 1 or more deals, at most {MOST_AT_ONCE:,}.")
        checked_seed(self.seed)
        if not 1 <= self.final_draws <= MOST_DRAWS:
            raise ConfigurationError(f"final_draws={shown(self.final_draws)}: must be from 1 to {MOST_DRAWS:,}.")
        if self.chunks * len(self.matches) > MOST_CHUNKS:
            raise ConfigurationError(
                f"chunk={self.chunk}: so many games would be played in {self.chunks * len(self.matches):,} parts, and "
                f"{MOST_CHUNKS:,} are the most: play more deals in one go."
            )

    @cached_property
    def configuration(self) -> Configuration:
        """The configuration of the game."""
        return self.game.configuration.make(self.config)

    @property
    def players(self) -> int:
        """Seats in a game."""
        return self.configuration.players

    @cached_property
    def deals(self) -> int:
        """Different chances of a match."""
        return number_of_deals(self.games, self.players)

    @cached_property
    def matches(self) -> list[tuple[int, ...]]:
        """The agents of every match, by their places; one agent may be there several times."""
        if self.numbers is not None:
            return list(self.numbers.line_ups)
        return all_matches(len(self.agents), self.players, self.seed)

    def number_of(self, match: int) -> int:
        """The number of a match, for its random numbers and its files, by its place."""
        return match if self.numbers is None else self.numbers.matches[match]

    def number_of_agent(self, agent: int) -> int:
        """The number of an agent, for its random numbers, by its place."""
        return agent if self.numbers is None else self.numbers.agents[agent]

    def places_of(self, match: int | None) -> range:
        """The places of all matches, or of the only one that is wanted.

        Raises:
            ConfigurationError: there is no such match.
        """
        if match is None:
            return range(len(self.matches))
        if not 0 <= match < len(self.matches):
            raise ConfigurationError(f"match={shown(match)}: must be a number from 0 to {len(self.matches) - 1}.")
        return range(match, match + 1)

    @property
    def chunks(self) -> int:
        """Chunks of a match."""
        return -(-self.deals // self.chunk)

    def deals_of(self, chunk: int) -> range:
        """The deals of a chunk, by number."""
        return range(chunk * self.chunk, min((chunk + 1) * self.chunk, self.deals))

    def seeds_of(self, chunk: int) -> np.ndarray:
        """(deals) uint64: seeds of chance in the deals of a chunk."""
        deals = self.deals_of(chunk)
        return deal_seeds(self.seed, deals.start, deals.stop)

    def seats_of(self, match: int, chunk: int) -> np.ndarray:
        """(deals, seatings, seats) int64: which agent has the seat, by number."""
        orders = [self.matches[match]]
        if len(self.agents) != self.players:
            orders = table_orders(self.matches[match])
            np.random.default_rng([self.seed, Purpose.ORDER, self.number_of(match)]).shuffle(orders)
        return rotations(np.array([orders[deal % len(orders)] for deal in self.deals_of(chunk)]))

    def agents_of(self, match: int, chunk: int, trust: bool = False) -> dict[int, Agent]:
        """New agents for a chunk by place, with random numbers that depend on nothing but the plan.

        Raises:
            RatEnvsError: as :meth:`Entrant.make` says.
        """
        made = {}
        for place in sorted(set(self.matches[match]), key=self.number_of_agent):
            seed = made_seed(self.seed, Purpose.AGENT, self.number_of(match), chunk, self.number_of_agent(place))
            made[place] = self.agents[place].make(self.game, self.configuration, seed, trust)
        return made

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in OFTEN_NONE}
        code = {} if self.game_sha256 is None else {"game_sha256": self.game_sha256}
        numbers = {} if self.numbers is None else {"numbers": self.numbers.to_dict()}
        agents = [agent.to_dict() for agent in self.agents]
        return {**values, "game": self.game.name, "agents": agents, **code, **numbers}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """A plan from what :meth:`to_dict` returned, other values being passed over.

        Raises:
            KeyError, TypeError, ValueError: a value is missing or cannot be.
            ConfigurationError, UnknownNameError: there is no such game or option.
        """
        values = {"final_draws": 1, "game_sha256": None, **values}  # which some manifests do not name
        code = values["game_sha256"]
        demand_outline(values, {"agents": [OUTLINE], "game_sha256": (str, type(None)), **dict.fromkeys(WHOLE, int)})
        agents = tuple(map(Entrant.from_dict, values["agents"]))
        whole: dict[str, Any] = {name: int(values[name]) for name in WHOLE}
        numbers = Numbers.from_dict(values["numbers"], len(agents)) if "numbers" in values else None
        game, config = get_game(str(values["game"])), dict(values["config"])
        plan = cls(game=game, config=config, agents=agents, numbers=numbers, game_sha256=code, **whole)
        if any(len(line_up) != plan.players for line_up in plan.matches):
            raise ValueError("a match has not as many agents as seats")
        return plan


def is_search(agent: str | Agent) -> bool:
    """Whether an agent decides as one draw of its random numbers says. What a name means is not run to find out."""
    return agent.decides_by_seed if isinstance(agent, Agent) else AgentName.of(agent).who in SEARCHES


def asks_a_server(agent: str | Agent) -> bool:
    """Whether an agent's decisions come from a server. What a name means is not run to find out."""
    return agent.reaches_out if isinstance(agent, Agent) else AgentName.of(agent).who in REACHING_OUT


def deals_at_once(agents: Sequence[str | Agent], most: int) -> int:
    """How many deals these agents play in one go, ``most`` at most."""
    return min(most, DEALS_OF_A_SEARCH) if any(map(is_search, agents)) else most


def deals_of_a_chunk(agents: Sequence[str | Agent]) -> int:
    """How many deals of a tournament these agents play before they are saved, if nothing else is said."""
    most = DEALS_OF_SLOW_AGENTS if any(map(asks_a_server, agents)) else DEALS_AT_ONCE
    return deals_at_once(agents, most)


def make_plan(
    game: str | Game,
    agents: Sequence[str | Agent],
    config: Mapping[str, Any] | Configuration | None = None,
    games: int = 1000,
    seed: int = 0,
    chunk: int | None = None,
    final_draws: int = 1,
) -> Plan:
    """A tournament between agents by name, as ``make_agent`` takes it, or as objects.

    Args:
        game: a registered name or a game.
        agents: two or more; one may be there more than once. An object is copied; to play in several processes it must
            be one that pickle can send.
        config: options by name.
        games: of each match, all seatings together.
        seed: equal seeds give equal games.
        chunk: number of deals played in one go. Agents are made anew for each chunk, and progress and saving go by
            chunks, so it should be small for slow agents. If not given, 4 where a search takes part or a server is
            asked, else ``DEALS_AT_ONCE``.
        final_draws: how many times to draw the chance after each game's last decision. Mean returns are over all draws;
            wins, points and ratings are those of the first. The games stay the same. Where this chance decides much,
            fewer games then give as good an estimate.

    Raises:
        ConfigurationError: an option is wrong, there are not two agents or not two deals.
    """
    game = get_game(game)
    configuration = game.configuration.make(config)
    if isinstance(agents, str):
        raise ConfigurationError(f"agents={shown(agents)}: must be a list of two or more.")
    if chunk is None:
        chunk = deals_of_a_chunk(agents)
    entrants = tuple(Entrant.of(agent, game, configuration) for agent in agents)
    given = {"games": games, "seed": seed, "chunk": chunk, "final_draws": final_draws}
    checked: dict[str, Any] = {name: checked_whole(name, number) for name, number in given.items()}
    code = code_of(game)
    sha256 = None if code is None else code.sha256
    return Plan(game, game.version, configuration.to_dict(), entrants, **checked, game_sha256=sha256)
