"""The agents on the ladder, and the pairings of those that meet."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rat_envs.agents.shipped import LEARNT, can_guide, has_policy
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games
from rat_envs.engine.settings import Ladder

__all__ = [
    "GUIDED",
    "GUIDED_MEET",
    "NASH",
    "RUNGS",
    "SEED",
    "Pairing",
    "all_pairings",
    "guided",
    "ladder_of",
    "settings",
]

#: The agents from the bottom up: each meets the one before it. A search is guided by the heuristic that it should beat.
RUNGS = ("random", "greedy", *(f"ismcts:sims={sims},rollout=greedy" for sims in (100, 1000, 10000)))
#: The equilibrium, if there is one, meets all of them.
NASH = "nash"
#: The trained policy that comes with the package meets the cheap ones.
LEARNT_MEETS = RUNGS[:3]
#: Searches with that policy, if it can guide one: they meet a search guided by the heuristic. Three hundred games that
#: the policy plays on take no more time than a thousand by the heuristic.
GUIDED = (
    f"ismcts:sims=100,policy={LEARNT}",
    *(f"ismcts:sims={sims},policy={LEARNT},rollout=policy" for sims in (100, 300)),
)
GUIDED_MEET = RUNGS[3]
#: The number of games, over all ways to fill the seats, by the simulations of the stronger side: it must be affordable.
GAMES = {0: 4000, 100: 400, 1000: 120, 10000: 40}
SEED = 1


@dataclass(frozen=True)
class Pairing:
    """Two agents that meet on the ladder.

    Attributes:
        game: the game's name.
        config: the options that are not the default.
        upper: the agent that should win.
        lower: the other agent.
        games: the number of games for each way to fill the seats with them.
        chunk: the number of deals that are played in one go.
        cost: simulations of the stronger side for each move; cheap pairings are played first.
        final_draws: how many times the chance after a game's last decision is drawn; the mean return counts.
        seed: the seed of the deals.
        looks: how many times the result was looked at, including the last time: more than once if games were added
            because of the first results.
    """

    game: str
    config: dict[str, Any]
    upper: str
    lower: str
    games: int
    chunk: int
    cost: int
    final_draws: int
    seed: int
    looks: int

    @property
    def match(self) -> tuple[str, str, str, str]:
        """The agents and the game, however many games they play."""
        return self.game, json.dumps(self.config, sort_keys=True), self.upper, self.lower


def ladder_of(game: Game) -> Ladder:
    """A game's declaration for the ladder.

    Raises:
        ConfigurationError: it has none.
    """
    if game.ladder is None:
        raise ConfigurationError(f"{game.name} is not on the ladder: its declaration says nothing of it.")
    return game.ladder


def all_pairings() -> list[Pairing]:
    """Every pairing of the ladder, cheap ones first: by simulations, then by players."""
    found = []
    for game in all_games().values():
        if game.ladder is not None:
            here = [(pair, game.configuration.make(pair.config).players) for pair in pairings(game)]
            demand_known(game.ladder, {(players, pair.upper, pair.lower) for pair, players in here})
            found += here
    return [pair for pair, _ in sorted(found, key=lambda each: (each[0].cost, each[1]))]


def demand_known(ladder: Ladder, known: set[tuple[int, str, str]]) -> None:
    """Refuse settings (games, draws, seeds) for agents that do not meet.

    Raises:
        ConfigurationError: there is no such pairing.
    """
    for name in ("more_of", "final_draws", "seeds"):
        for players, upper, lower in set(getattr(ladder, name)) - known:
            raise ConfigurationError(f"{name}: {upper} does not meet {lower} on the ladder for {players} players.")


def pairings(game: Game) -> Iterator[Pairing]:
    """The pairings of a game, with default options and for two players."""
    for config in settings(game):
        configuration = game.configuration.make(config)
        for lower, upper in itertools.pairwise(RUNGS):
            yield pairing(game, config, upper, lower)
        learnt = (LEARNT,) if has_policy(game) else ()
        for lower in LEARNT_MEETS if learnt else ():
            yield pairing(game, config, LEARNT, lower)
        for upper in guided(game, configuration.players):
            yield pairing(game, config, upper, GUIDED_MEET)
        if configuration.is_public:
            for lower in (*RUNGS, *learnt):
                yield pairing(game, config, NASH, lower)


def guided(game: Game, players: int) -> tuple[str, ...]:
    """Searches with the trained policy; none if it cannot guide one."""
    return (*GUIDED, *ladder_of(game).more_searches.get(players, ())) if can_guide(game, players) else ()


def settings(game: Game) -> list[dict[str, Any]]:
    """The sets of options that differ from the defaults: none, and two players if that is another game."""
    always_two = game.configuration.make(None).players == 2 or "players" not in game.configuration.options()
    return [{}] if always_two else [{}, {"players": 2}]


def pairing(game: Game, config: dict[str, Any], upper: str, lower: str) -> Pairing:
    """The pairing of two agents, with as many games as are affordable."""
    ladder, cost = ladder_of(game), max(simulations(upper), simulations(lower))
    players = game.configuration.make(config).players
    own = players, upper, lower
    known = min((each for each in GAMES if each >= cost), default=max(GAMES))
    games = GAMES[known] // (players - 1)  # the number of ways to fill the seats
    if cost > 0:
        games *= ladder.more_games.get(players, 1)
    if upper in guided(game, players):
        games *= ladder.more_guided.get(players, 1)
    factors = ladder.more_of.get(own, (1,))
    return Pairing(
        game=game.name,
        config=config,
        upper=upper,
        lower=lower,
        games=games * factors[-1],
        chunk=256 if cost == 0 else 4,
        cost=cost,
        final_draws=ladder.final_draws.get(own, 1),
        seed=ladder.seeds.get(own, SEED),
        looks=len(factors),
    )


def simulations(agent: str) -> int:
    """The number of simulations of an agent for a move, from its name."""
    _, found, options = agent.partition("sims=")
    return int(options.partition(",")[0]) if found else 0
