"""Same seed and actions, same bytes: alone or in a batch, compiled or interpreted, on any threads, in any process.

Run as a program it prints the digest of ``GAMES STEPS THREADS``; the tests start it in processes of its own.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from rat_envs import Batch, make
from rat_envs.engine.position import Position

GAMES, STEPS = 10_240, 100
#: Interpreted code is some thousand times slower: it is compared on the first games of the same batch, one of each
#: configuration (some seconds in each of two processes).
INTERPRETED_GAMES = 64
ARRAYS = ("streams", "play_streams", "rows", "actors", "actions", "rewards", "observations", "masks", "dones")
SWITCHES = ("traitor", "draw_pile", "fast", "emperor")
CONFIGURATIONS = [
    {"hands": hands, **dict(zip(SWITCHES, switches, strict=True))}
    for hands in ("clan", "draft", "random", "princess_attack")
    for switches in itertools.product((False, True), repeat=len(SWITCHES))
]


def seed_of(game: int) -> int:
    """Seeds in no order, one beyond the signed range among them."""
    return 2**63 + 7 if game == 5 else (game * 7919) % 1_000_003


def mixed_batch(games: int, **options: Any) -> Batch:
    """Every configuration in turn."""
    configurations = [CONFIGURATIONS[game % len(CONFIGURATIONS)] for game in range(games)]
    return Batch("brave_rats", games, configurations, [seed_of(game) for game in range(games)], **options)


def bytes_of(batch: Batch, games: slice = slice(None)) -> bytes:
    """Everything that a batch shows of some games, and their random streams."""
    return b"".join(getattr(batch, name)[games].tobytes() for name in ARRAYS)


def run(games: int, steps: int, parts: tuple[int, ...] = (), **options: Any) -> tuple[list[str], int, Batch]:
    """Random play with automatic reset: the digest of every byte of every step, of all games and of the first few.

    Returns:
        The digests for the first ``parts`` games and for all; the number of games that ended; the batch.
    """
    batch = mixed_batch(games, **options)
    digests = [hashlib.sha256() for _ in (*parts, games)]
    ended = 0
    for _ in range(steps):
        batch.step_random()
        ended += int(batch.dones.sum())
        for digest, number in zip(digests, (*parts, games), strict=True):
            digest.update(bytes_of(batch, slice(number)))
    return [digest.hexdigest() for digest in digests], ended, batch


@pytest.fixture(scope="module")
def here() -> tuple[list[str], int, Batch]:
    """The run that all others are compared with: in this process, compiled, in one thread."""
    return run(GAMES, STEPS, (INTERPRETED_GAMES,), threads=1, compiled=True)


def elsewhere(games: int, steps: int, threads: int, **environment: str) -> str:
    """The digest from a process of its own."""
    command = [sys.executable, "-W", "error", __file__, str(games), str(steps), str(threads)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_every_game_comes_to_an_end(here: tuple[list[str], int, Batch]) -> None:
    assert here[1] >= 10_000
    assert len(set(here[2].streams["counter"].tolist())) > 100


@pytest.mark.parametrize("threads", [2, 7, None])
def test_one_thread_and_many(here: tuple[list[str], int, Batch], threads: int | None) -> None:
    digests, _, batch = run(GAMES, STEPS, (INTERPRETED_GAMES,), threads=threads)
    assert digests == here[0]
    assert bytes_of(batch) == bytes_of(here[2])


def test_another_process(here: tuple[list[str], int, Batch]) -> None:
    assert elsewhere(GAMES, STEPS, 3, PYTHONHASHSEED="5", NUMBA_DISABLE_JIT="0") == here[0][-1]


def test_interpreted_here_and_in_another_process(here: tuple[list[str], int, Batch]) -> None:
    digests, ended, _ = run(INTERPRETED_GAMES, STEPS, compiled=False)
    assert ended >= INTERPRETED_GAMES
    assert digests[0] == here[0][0]
    assert elsewhere(INTERPRETED_GAMES, STEPS, 1, NUMBA_DISABLE_JIT="1") == here[0][0]


def test_single_games_equal_the_batch(here: tuple[list[str], int, Batch]) -> None:
    """Each game alone: after as many steps the same row, observation, mask and random streams."""
    expected = here[2]
    for game in range(GAMES):
        single = Batch("brave_rats", 1, CONFIGURATIONS[game % len(CONFIGURATIONS)], seed_of(game))
        for _ in range(STEPS):
            single.step_random()
        assert bytes_of(single) == bytes_of(expected, slice(game, game + 1)), game


def test_the_environment_equals_the_batch_in_every_step() -> None:
    """The same actions through the PettingZoo environment, one game of each configuration."""
    games = len(CONFIGURATIONS)
    batch = mixed_batch(games, auto_reset=False)
    environments = [make("brave_rats", **config) for config in CONFIGURATIONS]
    for game, env in enumerate(environments):
        env.reset(seed=seed_of(game))
    while (batch.actors >= 0).any():
        acting = np.flatnonzero(batch.actors >= 0)
        for game in acting:
            env = environments[game]
            seen = env.observe(env.agent_selection)
            assert env.agent_selection == f"player_{batch.actors[game]}"
            assert seen["observation"].tobytes() == batch.observations[game].tobytes()
            assert seen["action_mask"].tobytes() == batch.masks[game].tobytes()
        batch.step_random()
        for game in acting:
            environments[game].step(int(batch.actions[game]))
            assert environments[game].row.tobytes() == batch.rows[game].tobytes()
            if batch.dones[game]:
                rewards = environments[game].rewards
                assert [rewards["player_0"], rewards["player_1"]] == batch.rewards[game].tolist()


def test_a_position_walked_through_the_same_nodes_is_the_same_row() -> None:
    """Node by node with chance in hand: what the environment's stream draws leads to the same rows."""
    for game, config in enumerate(CONFIGURATIONS):
        batch = Batch("brave_rats", 1, config, seed_of(game), auto_reset=False)
        position = Position("brave_rats", config)
        stream = batch.streams[:1].copy()[0]
        stream.counter = 0
        while not position.is_over:
            if position.is_chance:
                position.apply(position.sample(stream))
                continue
            assert position.row.tobytes() == batch.rows[0].tobytes()
            batch.step_random()
            position.apply(int(batch.actions[0]))
        assert position.row.tobytes() == batch.rows[0].tobytes()


if __name__ == "__main__":
    print(run(int(sys.argv[1]), int(sys.argv[2]), threads=int(sys.argv[3]))[0][-1])
