"""A chunk of a match: what one process plays in one go, and what comes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rat_envs.api.agent_code import folder_kept
from rat_envs.arena.plan import Plan
from rat_envs.arena.playing import Ask, Played, play_deals
from rat_envs.engine.steps import played_steps

__all__ = ["Chunk", "Job", "decisions_of", "play_job", "records_hash"]


class Job(NamedTuple):
    """What is to be played: some deals of one match. It says all there is to know, to whichever process plays it."""

    plan: Plan
    match: int
    chunk: int
    trust: bool = False


class Chunk(NamedTuple):
    """What has been played.

    Attributes:
        match: by number.
        chunk: by number.
        played: what came of it.
        records: the hash of its records as :func:`records_hash` makes it.
        lengths: (games) int64, how many decisions each game had.
        actions: (games, T) int16: those of each game in order, deal by deal and seating by seating, then negative
            numbers; (0, 0) where they are not needed any more.
        game_ids: by the numbers of a game and a seat what the agent there calls it in a file of its own.
    """

    match: int
    chunk: int
    played: Played
    records: str
    lengths: np.ndarray
    actions: np.ndarray
    game_ids: Mapping[tuple[int, int], str]

    def without_actions(self) -> Chunk:
        """The same without the actions, of which there may be many."""
        return self._replace(actions=np.zeros((0, 0), np.int16))


def play_job(job: Job, ask: Ask | None = None) -> Chunk:
    """Play some deals of a match; equal jobs give equal chunks, in whatever process.

    Args:
        ask: asks an agent for its actions, as :func:`play_deals` says.

    Raises:
        RatEnvsError: an agent is not there any more, or does not play this game or configuration.
    """
    plan = job.plan
    game, seeds = plan.game, plan.seeds_of(job.chunk)
    who = plan.seats_of(job.match, job.chunk)
    taken: list[np.ndarray] = []
    with folder_kept():
        agents = plan.agents_of(job.match, job.chunk, job.trust)
        played = play_deals(game, agents, plan.configuration, seeds, who, taken, plan.final_draws, ask)
    actions = np.array(taken, np.int16).T
    steps = played_steps(game, plan.configuration, np.repeat(seeds, who.shape[1]), actions)
    game_ids = {where: name for agent in agents.values() for where, name in agent.game_ids.items()}
    lengths = decisions_of(actions)
    return Chunk(job.match, job.chunk, played, records_hash(steps), lengths, actions, game_ids)


def decisions_of(actions: np.ndarray) -> np.ndarray:
    """(games) int64: how many decisions games had, from their (games, T) actions, negative where a game was over."""
    counts: np.ndarray = (actions >= 0).sum(axis=1)
    return counts


def records_hash(steps: np.ndarray) -> str:
    """SHA-256 over the records of some games, in hexadecimal.

    It is taken of the steps of all games one after another, each as two little-endian 16-bit numbers: the seat and the
    number of its action, or −1 and the number of the chance outcome; after each game −2 and 0.

    Args:
        steps: (n, 2), as :func:`~rat_envs.engine.steps.played_steps` finds them.
    """
    return hashlib.sha256(steps.astype("<i2").tobytes()).hexdigest()
