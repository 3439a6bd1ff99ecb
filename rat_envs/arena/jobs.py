"""A chunk of a match: what one process plays in one go, and what comes of it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from rat_envs.arena.plan import Plan
from rat_envs.arena.playing import Played, play_deals
from rat_envs.engine.game import Game
from rat_envs.engine.steps import played_steps

__all__ = ["Chunk", "Job", "play_job", "records_hash"]


class Job(NamedTuple):
    """What is to be played: some deals of one match. It says all there is to know, to whichever process plays it."""

    plan: Plan
    match: int
    chunk: int
    trust: bool = False


class Chunk(NamedTuple):
    """What has been played, with the hash of its records as :func:`records_hash` makes it."""

    match: int
    chunk: int
    played: Played
    records: str


def play_job(job: Job) -> Chunk:
    """Play some deals of a match; equal jobs give equal chunks, in whatever process.

    Raises:
        RatEnvsError: an agent is not there any more, or does not play this game or configuration.
    """
    plan = job.plan
    game, seeds = plan.game, plan.seeds_of(job.chunk)
    who = plan.seats_of(job.match, job.chunk)
    agents = plan.agents_of(job.match, job.chunk, job.trust)
    taken: list[np.ndarray] = []
    played = play_deals(game, agents, plan.configuration, seeds, who, taken, plan.final_draws)
    return Chunk(job.match, job.chunk, played, records_hash(game, plan, np.repeat(seeds, who.shape[1]), taken))


def records_hash(game: Game, plan: Plan, seeds: np.ndarray, taken: list[np.ndarray]) -> str:
    """SHA-256 over the records of some games, in hexadecimal.

    It is taken of the steps of all games one after another, each as two little-endian 16-bit numbers: the seat and the
    number of its action, or −1 and the number of the chance outcome; after each game −2 and 0.

    Args:
        seeds: (n) uint64, of chance in each game.
        taken: for every step of the batch (n) actions, negative where a game was over.
    """
    steps = played_steps(game, plan.configuration, seeds, np.array(taken).T)
    return hashlib.sha256(steps.astype("<i2").tobytes()).hexdigest()
