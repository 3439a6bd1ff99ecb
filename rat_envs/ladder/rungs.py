"""Which agents stand on the ladder, and which of them meet."""

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

#: From below: each meets the one before it. A search is guided by the heuristic that it is to beat.
RUNGS = ("random", "greedy", *(f"ismcts:sims={sims},rollout=greedy" for sims in (100, 1000, 10000)))
#: The equilibrium, where there is one, meets all of them.
NASH = "nash"
#: The trained policy that comes with the package meets those that cost little.
LEARNT_MEETS = RUNGS[:3]
#: Searches with that policy, where it can guide one: they meet a search guided by the heuristic. Three hundred games
#: played on by the policy take no more time than a thousand by the heuristic.
GUIDED = (
    f"ismcts:sims=100,policy={LEARNT}",
    *(f"ismcts:sims={sims},policy={LEARNT},rollout=policy" for sims in (100, 300)),
)
GUIDED_MEET = RUNGS[3]
#: Games, all ways to fill the seats together, by the simulations of the stronger side: they must be affordable.
GAMES = {0: 4000, 100: 400, 1000: 120, 10000: 40}
SEED = 1


@dataclass(frozen=True)
class Pairing:
    """Two agents that meet on the ladder.

    Attributes:
        game: its name.
        config: the options that are not the default.
        upper: the agent that should win.
        lower: the other.
        games: of each way to fill the seats with them.
        chunk: deals that are played in one go.
        cost: simulations a move of the stronger side; cheap pairings are played first.
        final_draws: how many times the chance after a game's last decision is drawn; its mean return counts.
        seed: of the deals.
        looks: how many times the result was looked at, the last one included: more than once where games were added
            because of what the first ones said.
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
        """Who meets in which game, however many games they play."""
        return self.game, json.dumps(self.config, sort_keys=True), self.upper, self.lower


def ladder_of(game: Game) -> Ladder:
    """How a game stands on the ladder.

    Raises:
        ConfigurationError: it does not.
    """
    if game.ladder is None:
        raise ConfigurationError(f"{game.name} is not on the ladder: its declaration says nothing of it.")
    return game.ladder


def all_pairings() -> list[Pairing]:
    """Every pairing of the ladder, cheap ones first: few simulations, and among them few players."""
    found = []
    for game in all_games().values():
        if game.ladder is not None:
            here = [(pair, game.configuration.make(pair.config).players) for pair in pairings(game)]
            demand_known(game.ladder, {(players, pair.upper, pair.lower) for pair, players in here})
            found += here
    return [pair for pair, _ in sorted(found, key=lambda each: (each[0].cost, each[1]))]


def demand_known(ladder: Ladder, known: set[tuple[int, str, str]]) -> None:
    """Refuse to ask for more games, draws or another seed of agents that do not meet.

    Raises:
        ConfigurationError: there is no such pairing.
    """
    for name in ("more_of", "final_draws", "seeds"):
        for players, upper, lower in set(getattr(ladder, name)) - known:
            raise ConfigurationError(f"{name}: {upper} does not meet {lower} on the ladder for {players} players.")


def pairings(game: Game) -> Iterator[Pairing]:
    """The pairings of a game: as it is by default, and for two."""
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
    """Searches with the trained policy; none where it cannot guide one."""
    return (*GUIDED, *ladder_of(game).more_searches.get(players, ())) if can_guide(game, players) else ()


def settings(game: Game) -> list[dict[str, Any]]:
    """Options that are not the default: none, and two players where that is another game."""
    always_two = game.configuration.make(None).players == 2 or "players" not in game.configuration.options()
    return [{}] if always_two else [{}, {"players": 2}]


def pairing(game: Game, config: dict[str, Any], upper: str, lower: str) -> Pairing:
    """Two agents, and as many games as they can be asked for."""
    ladder, cost = ladder_of(game), max(simulations(upper), simulations(lower))
    players = game.configuration.make(config).players
    own = players, upper, lower
    known = min((each for each in GAMES if each >= cost), default=max(GAMES))
    games = GAMES[known] // (players - 1)  # so many ways there are to fill the seats
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
    """What an agent spends on a move, by its name."""
    _, found, options = agent.partition("sims=")
    return int(options.partition(",")[0]) if found else 0
