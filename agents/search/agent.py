"""The search agent: it has a budget of simulations, or of milliseconds, for every move."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from rat_envs.agents.heuristics import choose, heuristic
from rat_envs.agents.learnt import LearntAgent, load_guide
from rat_envs.agents.policy import Networks, PolicyAgent
from rat_envs.agents.search.guide import BY_POLICY, new_guide
from rat_envs.agents.search.halving import BY_POLICY_TO_THE_END
from rat_envs.agents.search.selection import MIXED
from rat_envs.agents.search.simulation import (
    BY_ROLLOUT,
    Scratch,
    new_scratch,
    pick,
    pick_at_random,
    pick_by_rule,
    search,
    select,
    select_by_rule,
    select_unguided,
)
from rat_envs.agents.search.tree import BY_WORD, SearchTree, new_tree
from rat_envs.agents.shipped import LEARNT, ShippedAgent
from rat_envs.api.agent import Agent, refuse_unknown_options
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import available_cores
from rat_envs.engine.configuration import Configuration, is_whole_number
from rat_envs.engine.errors import ConfigurationError, reason_of, shown, shown_path
from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.program import program

__all__ = ["BY_THE_POLICY", "RANDOM", "Found", "SearchAgent", "SearchOptions"]

RANDOM, BY_THE_POLICY = "random", "policy"
ROLLOUTS = (RANDOM, "greedy", BY_THE_POLICY)
MOST_SIMULATIONS = 10**9
#: Simulations between two looks at the clock.
CHUNK = 32
#: Simulations in one call if there are many: they take about a second.
AT_ONCE = 20_000

#: What can guide a search.
Guiding = LearntAgent | ShippedAgent


@dataclass(frozen=True)
class SearchOptions:
    """The budget of a search, and how it searches.

    Attributes:
        sims: simulations per move.
        ms: milliseconds per move, in place of ``sims``.
        rollout: how games are played to the end below the tree: ``random``; ``greedy``, the game's heuristic, which
            then also gives the priors within the tree; or ``policy``: then actions are compared in the same sampled
            games, without a tree (:mod:`~rat_envs.agents.search.halving`).
        exploration: the weight of the exploration term in an action's bound; without a tree, that of the policy's
            probabilities.
        trace_decay: with ``rollout=policy``, the factor by which the weight of the network's expected return falls at
            each later choice of a rollout; the final return has the rest of the weight, and with 1 all of it.
        policy: path of a saved policy, or ``learnt`` for the one that comes with the package: it gives the priors and,
            unless it plays the rollouts, the values of positions in place of rollouts; empty for none.

    Raises:
        ConfigurationError: an option is out of range.
    """

    sims: int = 1000
    ms: float = 0.0
    rollout: str = RANDOM
    exploration: float = 1.0
    policy: str = ""
    trace_decay: float = 1.0

    def __post_init__(self) -> None:
        if not is_whole_number(self.sims, 1, MOST_SIMULATIONS):
            raise ConfigurationError(f"sims={shown(self.sims)}: must be a whole number from 1 to {MOST_SIMULATIONS:,}.")
        for name in ("ms", "exploration", "trace_decay"):
            if isinstance(value := getattr(self, name), bool) or not isinstance(value, (int, float)):
                raise ConfigurationError(f"{name}={shown(value)}: must be a number.")
        if not 0 <= self.ms < 1e7:
            raise ConfigurationError(
                f"ms={shown(self.ms)}: must be a number of milliseconds up to 10,000,000, or 0 to go by sims."
            )
        for name, most in (("exploration", 100), ("trace_decay", 1)):
            if not 0 <= (value := getattr(self, name)) <= most:
                raise ConfigurationError(f"{name}={shown(value)}: must be from 0 to {most}.")
        self._check_rollout()

    def _check_rollout(self) -> None:
        """Refuse a rollout that is unknown, or that does not go with the other options."""
        if self.rollout not in ROLLOUTS:
            raise ConfigurationError(f"rollout={shown(self.rollout)}: must be one of {', '.join(ROLLOUTS)}.")
        if self.trace_decay < 1 and self.rollout != BY_THE_POLICY:
            raise ConfigurationError(
                f"trace_decay={shown(self.trace_decay)}: only with rollout={BY_THE_POLICY}, where games are played on."
            )
        if not isinstance(self.policy, str):
            raise ConfigurationError(f"policy={shown(self.policy)}: must be the path of a saved policy.")
        if self.policy and self.rollout not in (RANDOM, BY_THE_POLICY):
            raise ConfigurationError(
                f"rollout={self.rollout}: not with policy={shown(self.policy)}, which is asked instead; "
                f"rollout={BY_THE_POLICY} lets it play on."
            )

    @property
    def name(self) -> str:
        """The agent's name with these options."""
        budget = f"ms={self.ms:g}" if self.ms else f"sims={self.sims}"
        exploration = "" if self.exploration == 1.0 else f",exploration={self.exploration:g}"
        policy = f",policy={self.policy}" if self.policy else ""
        rollout = "" if self.policy and self.rollout == RANDOM else f",rollout={self.rollout}"
        decay = "" if self.trace_decay == 1.0 else f",trace_decay={self.trace_decay:g}"
        return f"ismcts:{budget}{policy}{rollout}{exploration}{decay}"


class Room(NamedTuple):
    """The memory of one search at a time."""

    tree: SearchTree
    scratch: Scratch
    visits: np.ndarray


class Found(NamedTuple):
    """The results of n searches.

    Attributes:
        policy: (n, A) the probability of playing each action.
        values: (n) the mean return of the simulations; with ``rollout=policy`` each action counts by its weight.
        shares: (n, A) the share of the simulations for each action; where choices are unseen, the mixture tried; where
            actions were compared in the same sampled games, their weights relative to the best, divided by their sum.
        means: (n, A) the mean return of the simulations that began with each action; 0 for an action not tried.
    """

    policy: np.ndarray
    values: np.ndarray
    shares: np.ndarray
    means: np.ndarray


class SearchAgent(Agent):
    """Single-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012).

    It knows what its seat knows: each simulation plays a new sample of ``determinize``. At simultaneous choices it
    tries mixtures by regret matching, and plays the mixture tried; elsewhere it plays the action tried most often. With
    ``rollout=policy`` it has a tree for simultaneous choices only; elsewhere it halves the number of candidate actions
    until one is left. With a budget of simulations and a given seed it plays the same in the same situation.

    Args:
        options: of the search.
        seed: of all random numbers.
        policy: the one that guides it; by default the one that the options name.

    Raises:
        ConfigurationError: a policy is to play the rollouts, and there is none.
    """

    decides_by_seed = True

    def __init__(
        self, options: SearchOptions | None = None, seed: int | None = None, policy: Guiding | None = None
    ) -> None:
        super().__init__(seed)
        self.options = options or SearchOptions()
        self.policy_agent = policy
        if self.options.rollout == BY_THE_POLICY and policy is None and not self.options.policy:
            raise ConfigurationError(
                f"rollout={BY_THE_POLICY}: give a policy, too: policy=PATH, or policy={LEARNT} for one that comes with "
                "the package."
            )
        self.has_policy = self.options.ms == 0
        self.name = self.options.name
        self._rooms: tuple[Any, list[Room]] = None, []

    @classmethod
    def make(cls, game: Game, seed: int | None = None, **options: Any) -> SearchAgent:
        """The search with options by name, those of :class:`SearchOptions`."""
        refuse_unknown_options("ismcts", options, [field.name for field in fields(SearchOptions)])
        if {"sims", "ms"} <= options.keys():
            raise ConfigurationError("sims and ms: give one of them, as each is the budget of a move.")
        agent = cls(SearchOptions(**options), seed)
        agent.guide_in(game, game.configuration.make(None).players)
        return agent

    def guide_in(self, game: Game, players: int) -> Networks | None:
        """The network that guides the search in games of ``players`` players; None if there is none.

        Raises:
            CheckpointError: the policy cannot be read, or plays another game.
            ConfigurationError: it cannot guide a search.
        """
        if self.policy_agent is None and self.options.policy:
            is_shipped = self.options.policy == LEARNT
            self.policy_agent = ShippedAgent(game) if is_shipped else load_guide(self.options.policy, game)
        if self.policy_agent is None:
            return None
        self.policy_agent.demand_game(game)  # compiled code would read beyond the ends of another game's network
        try:
            return self.policy_agent.guiding(players)
        except ConfigurationError as error:
            raise ConfigurationError(f"policy={shown_path(self.options.policy)}: {reason_of(error)}.") from None

    def check(self, game: Game, configuration: Configuration) -> None:
        """Demand that the game has the heuristic of the rollouts, or is the policy's game."""
        self.guide_in(game, configuration.players)
        if self.policy_agent is not None:
            self.policy_agent.check(game, configuration)
        elif self.options.rollout != RANDOM:
            heuristic(self.options.rollout, game)

    def fingerprint(self) -> str | None:
        """The hash of the policy that guides it; None without one."""
        return None if self.policy_agent is None else self.policy_agent.fingerprint()

    def release(self) -> None:
        """Free the trees; they are made again when they are needed."""
        self._rooms = None, []

    def take_policy(self, policy: PolicyAgent) -> None:
        """Use another policy from now on.

        Raises:
            ConfigurationError: it cannot guide a search, or this search uses rollouts and no policy.
        """
        if self.policy_agent is None:
            raise ConfigurationError("The search plays games on: it asks no policy that could be another.")
        policy.guiding(0)
        self.policy_agent = policy
        self.release()  # as rooms hold copies of the previous network

    def seed(self, seed: int | Sequence[int] | None) -> None:
        """Restart all random numbers; those of the searches follow from a key that is drawn here."""
        super().seed(seed)
        self._key = int(self.random.integers(2**63))

    def get_state(self) -> dict[str, Any]:
        """The random numbers and the key of the searches."""
        return {"random": super().get_state(), "key": self._key}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`get_state` returned."""
        super().set_state(state["random"])
        self._key = state["key"]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rooms": (None, [])}  # which are large, and no result depends on what they hold

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A): the policy that each search found; the searches share all cores."""
        return self.search_batch(views).policy

    def value_batch(self, views: SeatViews) -> np.ndarray:
        """(n) float64: the mean return of each search's simulations."""
        return self.search_batch(views).values

    def search_batch(self, views: SeatViews) -> Found:
        """All results of the searches, which share all cores."""
        shape = views.masks.shape
        results = Found(np.zeros(shape), np.zeros(len(views)), np.zeros(shape), np.zeros(shape))
        # The first search compiles, which several threads should not do at once.
        alone = 0 if len(views) > 1 and self._has_searched(views) else min(1, len(views))
        self._search_some(views, range(alone), results)
        threads = min(available_cores(), len(views) - alone)
        if threads > 0:
            with ThreadPoolExecutor(threads) as pool:
                parts = [range(alone + first, len(views), threads) for first in range(threads)]
                for done in [pool.submit(self._search_some, views, part, results) for part in parts]:
                    done.result()
        return results

    def _has_searched(self, views: SeatViews) -> bool:
        """Whether a search in such games has left a room, so that it is compiled already."""
        return len(self._free_rooms(views.game, int(views.players[0]))) > 0

    def _search_some(self, views: SeatViews, numbers: range, results: Found) -> None:
        game, options = views.game, self.options
        run = self._bound(game)
        for k in numbers:
            players = int(views.players[k])
            free = self._free_rooms(game, players)
            try:
                room = free.pop()
            except IndexError:
                room = self._new_room(game, players)
            begin, start = 1, time.perf_counter()
            row = views.determinize_one(k, new_stream(game, 0))[0]
            arguments = row, int(views.seats[k]), self._seed_of(views, k)
            unseen, mean, node = False, 0.5, 0
            left = options.sims
            while begin or (left > 0 if not options.ms else (time.perf_counter() - start) * 1000 < options.ms):
                simulations = CHUNK if options.ms else self._at_once(left)
                limits = simulations, options.exploration
                unseen, mean, node = run(*arguments, *limits, room.tree, room.scratch, begin, room.visits)
                begin, left = 0, left - simulations
            results.policy[k] = _conclusion(room.visits, views.masks[k], unseen)
            results.values[k] = 2 * mean - 1
            results.shares[k] = results.policy[k] if unseen else room.visits / room.visits.sum()
            results.means[k] = 2 * room.tree.nodes["means"][node] - 1
            free.append(room)

    def _at_once(self, left: int) -> int:
        """The number of simulations to make in one call, of those left; Ctrl-C waits until the call ends.

        In a tree only their total number matters; where actions are compared in the same games, all are one call.
        """
        return left if self.options.rollout == BY_THE_POLICY else min(left, AT_ONCE)

    def _free_rooms(self, game: Game, players: int) -> list[Room]:
        """Rooms of this game that no thread is using: they are used again, since new memory is slow."""
        rooms, key = self._rooms, (game, players)  # read once: other threads may search, too
        if rooms[0] != key:
            rooms = self._rooms = key, []
        return rooms[1]

    def _new_room(self, game: Game, players: int) -> Room:
        actions, options = len(game.actions), self.options
        tree = new_tree(4096 if options.ms else options.sims + 1, actions)
        networks = self.guide_in(game, players)
        guide = () if networks is None else new_guide(networks, game, players, len(tree.nodes), options.trace_decay)
        return Room(tree, new_scratch(game, guide), np.zeros(actions))

    def _bound(self, game: Game) -> Any:
        """The search, compiled for what guides it."""
        if self.guide_in(game, game.configuration.make(None).players) is not None:
            to_the_end = self.options.rollout == BY_THE_POLICY
            return program(game).bind(search, {**BY_WORD, **(BY_POLICY_TO_THE_END if to_the_end else BY_POLICY)})
        if self.options.rollout == RANDOM:
            return program(game).bind(search, {**BY_WORD, **BY_ROLLOUT, pick: pick_at_random, select: select_unguided})
        guided = {pick: pick_by_rule, select: select_by_rule, choose: heuristic(self.options.rollout, game)}
        return program(game).bind(search, {**BY_WORD, **BY_ROLLOUT, **guided})

    def _seed_of(self, views: SeatViews, k: int) -> np.uint64:
        """A seed made from what the seat knows, and from nothing else."""
        known = views.observations[k].tobytes() + bytes([views.seats[k]])
        digest = hashlib.blake2b(known, digest_size=8, key=self._key.to_bytes(8, "little")).digest()
        return np.uint64(int.from_bytes(digest, "little"))


def _conclusion(visits: np.ndarray, mask: np.ndarray, unseen: bool) -> np.ndarray:
    """The probability of playing each action, from visit counts or weights."""
    if not unseen:
        return np.eye(len(visits))[visits.argmax()]
    kept = np.maximum(visits - MIXED * visits.sum() / mask.sum(), 0) * mask  # less what was tried only to explore
    return kept / kept.sum() if kept.sum() > 0 else mask / mask.sum()
