"""Who meets whom: the matches of a tournament, the deals, and who sits where."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Sequence

import numpy as np

from rat_envs.engine.checks import MOST_GAMES
from rat_envs.engine.errors import ConfigurationError, shown

__all__ = ["Purpose", "all_matches", "deal_seeds", "made_seed", "number_of_deals", "rotations", "table_orders"]

#: Of more than two players: so many matches are all played, and of more a part is drawn.
MOST_MATCHES = 100
#: The most agents of a tournament, whose matches can be listed in seconds.
MOST_AGENTS = 300


class Purpose(enum.IntEnum):
    """What random numbers are for: part of the seed from which they are made, so that no two purposes share any."""

    ORDER = 1
    AGENT = 2
    FINAL_CHANCE = 3
    PLAYED_ON = 4


def number_of_deals(games: int, players: int) -> int:
    """So many deals, each in ``players`` seatings, are at least ``games`` games.

    Raises:
        ConfigurationError: fewer than two deals, or too many games.
    """
    if games > MOST_GAMES:
        raise ConfigurationError(f"games={shown(games)}: must be at most {MOST_GAMES:,}.")
    deals = -(-int(games) // players)
    if deals < 2:
        raise ConfigurationError(
            f"games={shown(games)}: must be more than {players}, because an interval needs two deals."
        )
    return deals


def deal_seeds(seed: int, start: int, stop: int) -> np.ndarray:
    """(stop − start) uint64: the seeds of chance in these of the deals."""
    return np.random.SeedSequence(seed).generate_state(stop, np.uint64)[start:]


def made_seed(*entropy: int) -> int:
    """A seed made from these numbers: always the same one, and for other numbers another."""
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def rotations(orders: np.ndarray) -> np.ndarray:
    """(deals, P, P): in seating ``s``, seat ``j`` has who comes ``j + s`` places on in the order round the table.

    Args:
        orders: (deals, P) who sits round the table in each deal.
    """
    places = np.arange(orders.shape[1])
    return orders[:, (places + places[:, None]) % len(places)]


def table_orders(match: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every order of a match round the table, seats not being counted: (P − 1)! of them."""
    return [(match[0], *others) for others in itertools.permutations(match[1:])]


def all_matches(agents: int, players: int, seed: int, kept: Sequence[tuple[int, ...]] = ()) -> list[tuple[int, ...]]:
    """The agents of every match, by number.

    As many agents as seats play one match. Of more agents every choice of ``players`` different ones plays, or of more
    than two players and more than :data:`MOST_MATCHES` choices a balanced part. Fewer agents fill the seats in every
    way in which not all seats have the same one.

    Args:
        kept: matches that there are already: where a part is drawn, they are in it.

    Raises:
        ConfigurationError: fewer than two agents, or too many.
    """
    if agents < 2:
        raise ConfigurationError(f"Name at least two agents: {agents or 'none'} was given.")
    if agents > MOST_AGENTS:
        raise ConfigurationError(f"{agents} agents: at most {MOST_AGENTS} can take part.")
    if agents < players:
        ways = itertools.combinations_with_replacement(range(agents), players)
        return [way for way in ways if len(set(way)) > 1]
    if players == 2 or math.comb(agents, players) <= MOST_MATCHES:
        return list(itertools.combinations(range(agents), players))
    return balanced_matches(agents, players, np.random.default_rng([seed, agents, players]), kept)


def balanced_matches(
    agents: int, players: int, random: np.random.Generator, kept: Sequence[tuple[int, ...]] = ()
) -> list[tuple[int, ...]]:
    """Matches drawn so that all agents play equally often and every two of them meet about equally often.

    There are at least :data:`MOST_MATCHES`, and so many that two agents meet twice on average. With ``kept``, which
    come first, no agent plays less often than without, and some may play more often.
    """
    pairs = agents * (agents - 1) / (players * (players - 1))
    equal = agents // math.gcd(agents, players)  # of any multiple of it, each agent has the same part
    number = equal * math.ceil(max(MOST_MATCHES, 2 * pairs) / equal)
    played, met = np.zeros(agents, int), np.zeros((agents, agents), int)
    matches = list(kept)
    for match in matches:
        played[list(match)] += 1
        met[np.ix_(match, match)] += 1
    while played.min() < number * players // agents:
        chosen: list[int] = []
        lots = random.permutation(agents)
        for _ in range(players):
            wanted = np.lexsort((lots, met[:, chosen].sum(axis=1), played)).tolist()
            chosen.append(next(agent for agent in wanted if agent not in chosen))
        played[chosen] += 1
        met[np.ix_(chosen, chosen)] += 1
        matches.append(tuple(sorted(chosen)))
    return matches
