"""Any number of agents play each other; what is known of each in the end, and whether it comes out the same again."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rat_envs.api.agent_code import folder_kept
from rat_envs.api.named_agents import demand_trust, names_code
from rat_envs.arena.alpha_rank import alpha_rank
from rat_envs.arena.estimates import Estimate, mean_estimate
from rat_envs.arena.folder import Folder, Manifest
from rat_envs.arena.in_html import in_html
from rat_envs.arena.jobs import Chunk, Job
from rat_envs.arena.pairwise import by_agent, least_of, mean_differences, pairwise
from rat_envs.arena.plan import Entrant, Plan
from rat_envs.arena.playing import Played, joined
from rat_envs.arena.ratings import Rating, rate
from rat_envs.arena.results import MatchResult, agent_results, distinct, learnt_otherwise, returns_by_seat
from rat_envs.arena.workers import Spread, in_this_process
from rat_envs.engine.errors import ConfigurationError, RecordError, reason_of, shown_path

__all__ = ["OneMatch", "TournamentResult", "play_tournament", "replay_tournament"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class OneMatch:
    """One match of a tournament.

    Attributes:
        mean_returns: by the agent's name.
        records: hash of the records of its games.
    """

    mean_returns: dict[str, Estimate]
    records: str


@dataclass(frozen=True, repr=False)
class TournamentResult(MatchResult):
    """The outcome of :func:`play_tournament`; ``games`` are those of all matches.

    Attributes:
        matches: one by one.
        pairwise: by the names of two agents, how much more the first got in games of both; None if they never met.
        ratings: by name; None if openskill is not installed, or all agents are the same.
        alpha_rank: by name, the share of time in alpha-rank; None if two agents never met, or all are the same.
        records: hash of the records of all games.
        version: of the game.
        final_draws: how many times the chance after a game's last decision was drawn.
        are_equal: whether all agents are the same; then there are no ratings and no alpha-rank.
    """

    matches: tuple[OneMatch, ...]
    pairwise: dict[str, dict[str, Estimate | None]]
    ratings: dict[str, Rating] | None
    alpha_rank: dict[str, float] | None
    records: str
    version: int
    final_draws: int
    are_equal: bool = False

    @property
    def names(self) -> list[str]:
        """The agents."""
        return list(self.pairwise)

    def differences(self) -> np.ndarray:
        """(K, K) means of ``pairwise``; NaN for agents that never met."""
        return mean_differences([[self.pairwise[one].get(other) for other in self.names] for one in self.names])

    def pairwise_table(self) -> list[list[str]]:
        """Rows of text: how much more the row's agent got than the column's, with how far the interval reaches."""
        rows = [["mean return less that of", *self.names]]
        for one in self.names:
            cells = [self.pairwise[one].get(other) for other in self.names]
            rows.append([one, *("" if cell is None else f"{cell.mean:+.3f} ± {cell.reach:.3f}" for cell in cells)])
        return rows

    def standings(self) -> list[list[str]]:
        """Rows of text: ratings and alpha-rank, the best rating, or else the best mean return, first."""
        ratings, shares = self.ratings, self.alpha_rank
        returns = {agent.name: agent.mean_return.mean for agent in self.agents}
        rows = [["agent", "rating (mu)", "sigma", "alpha-rank"]]
        for name in sorted(self.names, key=lambda name: -(ratings[name].mu if ratings else returns[name])):
            rating = [f"{ratings[name].mu:.2f}", f"{ratings[name].sigma:.2f}"] if ratings else ["", ""]
            rows.append([name, *rating, f"{shares[name]:.1%}" if shares else ""])
        return rows

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        tables = [self.table()]
        if len(self.agents) > 2:
            tables.append(self.pairwise_table())
        if not self.are_equal:
            tables.append(self.standings())
        return in_html(tables, [*self.totals(), *self.remarks()])

    def rows(self) -> list[dict[str, Any]]:
        """A flat dictionary for each agent, as ``pandas.DataFrame(result.rows())`` takes them."""
        rows = super().rows()
        for row in rows:
            if self.ratings is not None:
                rating = self.ratings[row["agent"]]
                row |= {"rating_mu": rating.mu, "rating_sigma": rating.sigma}
            if self.alpha_rank is not None:
                row["alpha_rank"] = self.alpha_rank[row["agent"]]
        return rows

    def remarks(self) -> list[str]:
        """Sentences on agents for which a fallback may decide, and on agents that are all the same."""
        if not self.are_equal:
            return super().remarks()
        return [
            *super().remarks(),
            f"All agents are {self.agents[0].name}: differences between them are chance, so there are no ratings and "
            "no alpha-rank. Look at the mean return by seat, which says whether a seat is favoured.",
        ]


def play_tournament(
    plan: Plan,
    spread: Spread = in_this_process,
    folder: Folder | None = None,
    progress: Progress | None = None,
    trust: bool = False,
) -> TournamentResult:
    """Play a tournament, or what is left of it.

    Args:
        plan: what is to be played, the one for which the folder was made.
        spread: who plays it; the result is the same.
        folder: where finished chunks are kept, taken from, and the results are written.
        progress: called with the numbers of games done and of all.
        trust: load files even if they may execute code of whoever wrote them.

    Raises:
        CheckpointError: an agent's file or a chunk in the folder is damaged, or not what it was; or another process
            plays in the folder.
        RatEnvsError: an agent is not there, or does not play this configuration.
    """
    notes = _check_agents(plan, trust)  # complain before anything is written
    with contextlib.nullcontext() if folder is None else folder.alone():
        return _play_alone(plan, spread, folder, progress, trust, notes)


def _check_agents(plan: Plan, trust: bool) -> tuple[str, ...]:
    """What there is to say of agents before they play."""
    notes: list[str] = []
    for entrant in plan.agents:
        with folder_kept():
            agent = entrant.make(plan.game, plan.configuration, 0, trust)
            notes += learnt_otherwise([agent], plan.configuration)
    return tuple(dict.fromkeys(notes))


def _play_alone(
    plan: Plan,
    spread: Spread,
    folder: Folder | None,
    progress: Progress | None,
    trust: bool,
    notes: tuple[str, ...],
) -> TournamentResult:
    """:func:`play_tournament` when nobody else writes to the folder."""
    kept = {}
    if folder is not None:
        kept = folder.open()
        plan = folder.manifest.plan  # with the numbers that agents and matches have there
    done = play_chunks(plan, range(len(plan.matches)), spread, folder, progress, trust, kept)
    result = replace(conclude(plan, done), notes=notes)
    if folder is not None:
        folder.finish(result.to_json(), tuple(match.records for match in result.matches), result.records)
    return result


def play_chunks(
    plan: Plan,
    matches: Sequence[int],
    spread: Spread,
    folder: Folder | None = None,
    progress: Progress | None = None,
    trust: bool = False,
    kept: Mapping[tuple[int, int], Chunk] = MappingProxyType({}),
) -> dict[tuple[int, int], Chunk]:
    """All chunks of some matches, by match and chunk: those that are kept, and others, which are played.

    The first chunks of all matches are played first, then the second ones. Args and errors are those of
    :func:`play_tournament`.

    Args:
        folder: where what is played is kept.
        kept: what has been played.
    """
    wanted = [(match, chunk) for chunk, match in itertools.product(range(plan.chunks), matches)]
    done = dict(kept)
    total = plan.deals * plan.players * len(matches)
    games = sum(chunk.played.who.size // plan.players for chunk in done.values())
    if progress is not None:
        progress(games, total)
    with contextlib.closing(spread([Job(plan, *which, trust) for which in wanted if which not in done])) as played:
        for chunk in played:
            done[chunk.match, chunk.chunk] = chunk.without_actions()
            if folder is not None:
                folder.chunks.keep(chunk)
            games += chunk.played.who.size // plan.players
            if progress is not None:
                progress(games, total)
    return done


def match_hash(plan: Plan, match: int, done: dict[tuple[int, int], Chunk]) -> str:
    """SHA-256 over the hashes of a match's chunks in order, in hexadecimal."""
    return joint_hash([done[match, chunk].records for chunk in range(plan.chunks)])


def joint_hash(hashes: Sequence[str]) -> str:
    """SHA-256 over hashes in order, in hexadecimal."""
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def conclude(plan: Plan, done: dict[tuple[int, int], Chunk]) -> TournamentResult:
    """What is known of every agent when all has been played."""
    game, names = plan.game, distinct([agent.name for agent in plan.agents])
    matches = [joined(done[match, chunk].played for chunk in range(plan.chunks)) for match in range(len(plan.matches))]
    whole = joined(matches, axis=1)
    table = pairwise(len(names), matches)
    alike, differences = are_equal(plan.agents), mean_differences(table)
    ratings = None if alike else rate(len(names), matches)
    shares = None if alike or np.isnan(differences).any() else alpha_rank(differences).tolist()
    hashes = [match_hash(plan, match, done) for match in range(len(matches))]
    return TournamentResult(
        game=game.name,
        config=plan.config,
        seed=plan.seed,
        games=whole.who.size // plan.players,
        deals=plan.deals,
        welfare=mean_estimate(whole.scores.sum(axis=2).mean(axis=1)),
        agents=agent_results(names, list(game.metrics), whole),
        seat_returns=returns_by_seat(whole),
        length=mean_estimate(mean_lengths(plan, done)),
        matches=tuple(_one_match(names, *each) for each in zip(matches, hashes, strict=True)),
        pairwise={
            one: {other: cell for other, cell in zip(names, row, strict=True) if other != one}
            for one, row in zip(names, table, strict=True)
        },
        ratings=None if ratings is None else dict(zip(names, ratings, strict=True)),
        alpha_rank=None if shares is None else dict(zip(names, shares, strict=True)),
        records=joint_hash(hashes),
        version=plan.version,
        final_draws=plan.final_draws,
        are_equal=alike,
    )


def are_equal(agents: Sequence[Entrant]) -> bool:
    """Whether all agents are known to be the same."""
    return len(set(agents)) == 1 and not (agents[0].is_object and agents[0].sha256 is None)


def mean_lengths(plan: Plan, done: Mapping[tuple[int, int], Chunk]) -> np.ndarray:
    """(deals): how many decisions the games of each deal had, as the mean over all matches."""
    chunks = [[done[match, chunk].lengths for match in range(len(plan.matches))] for chunk in range(plan.chunks)]
    by_game = np.concatenate([np.stack(matches, axis=1) for matches in chunks])
    means: np.ndarray = by_game.reshape(plan.deals, -1).mean(axis=1)
    return means


def _one_match(names: Sequence[str], played: Played, records: str) -> OneMatch:
    returns = by_agent(played, played.mean_returns)
    least = least_of(played)
    means = {names[number]: mean_estimate(of.mean(axis=1), least, 1.0) for number, of in returns.items()}
    return OneMatch(means, records)


def replay_tournament(
    manifest: Manifest,
    match: int | None = None,
    spread: Spread = in_this_process,
    progress: Progress | None = None,
    trust: bool = False,
) -> tuple[int, str]:
    """Play a tournament, or one of its matches, again, and compare the hashes of all records.

    Args:
        match: by number from 0; all, if not given.

    Returns:
        The number of games and the hash of their records, if all of them are the same.

    Raises:
        RecordError: other games were played; the first such match is named.
        ConfigurationError: there is no such match, or the tournament was not finished.
        CheckpointError: the manifest names code or a server, and is not trusted.
    """
    plan = manifest.plan
    if manifest.matches is None or manifest.records is None:
        raise ConfigurationError(
            "The manifest is of a tournament that has not been finished: there is nothing to compare."
        )
    numbers = plan.places_of(match)
    if joint_hash(manifest.matches) != manifest.records:
        raise RecordError("The hashes of the matches in the manifest do not make up its hash of all records.")
    demand_trust([entrant.name for entrant in plan.agents], trust, "The manifest")
    _check_agents(plan, trust)
    done = play_chunks(plan, numbers, spread, None, progress, trust)
    for number in numbers:
        if match_hash(plan, number, done) != manifest.matches[number]:
            names = [plan.agents[agent].name for agent in plan.matches[number]]
            other = ", ".join(filter(None, (manifest.other_rules(), manifest.other_versions())))
            reason = f" ({reason_of(other)})" if other else ""
            if own := next(filter(names_code, names), ""):
                reason += f"; perhaps the play of {shown_path(own)} does not follow from its seed, as check_agent tells"
            who = reason_of(", ".join(names))
            raise RecordError(f"Match {number} ({who}) has other records than the manifest says{reason}.")
    return plan.deals * plan.players * len(numbers), manifest.records if match is None else manifest.matches[match]
