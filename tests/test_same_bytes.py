"""Same seed and actions, same bytes: alone or in a batch, compiled or interpreted, on any threads, in any process.

Run as a program it prints the digest of ``GAME GAMES STEPS THREADS`` and how many games ended; the tests start it in
processes of its own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "common"))  # as a program
from games_and_configurations import EVERY, GAMES, LAST, each, each_game

from rat_envs import Batch, make
from rat_envs.engine.memory import GAMES_PER_SCRATCH
from rat_envs.engine.position import Position

ARRAYS = ("streams", "play_streams", "states", "actors", "actions", "rewards", "observations", "masks", "dones")


class Size(NamedTuple):
    """How much of a game is played. Interpreted code is some thousand times slower: it is compared on the first games
    of the same batch, one of each configuration, in their first steps (some seconds in a process of its own).
    """

    games: int
    steps: int
    interpreted_games: int
    interpreted_steps: int
    #: So many games end at least, and so many of the interpreted ones.
    ended: int
    interpreted_ended: int


#: A long run compares all 10,240 games of BraveRats interpreted too, in some twenty minutes.
INTERPRETED_GAMES = int(os.environ.get("RAT_INTERPRETED_GAMES", "64"))
INTERPRETED_STEPS = 100 if INTERPRETED_GAMES <= 64 else 30

#: Games that are shorter or longer than most.
SIZES = {
    "brave_rats": Size(10_240, 100, INTERPRETED_GAMES, INTERPRETED_STEPS, 10_240, INTERPRETED_GAMES),
    "rattus": Size(576, 450, 9, 200, 576, 1),
    "rattus_cartus": Size(1216, 400, 19, 120, 1216, 0),
}


def size_of(game: str) -> Size:
    """For a game of some hundred steps."""
    number = len(EVERY[game])
    return SIZES.get(game) or Size(64 * number, 400, number, 120, 64 * number, 1)


def seed_of(game: int) -> int:
    """Seeds in no order, one beyond the signed range among them."""
    return 2**63 + 7 if game == 5 else (game * 7919) % 1_000_003


def mixed_batch(name: str, games: int, **options: Any) -> Batch:
    """Every configuration in turn."""
    configurations = [EVERY[name][game % len(EVERY[name])] for game in range(games)]
    return Batch(name, games, configurations, [seed_of(game) for game in range(games)], **options)


def bytes_of(batch: Batch, games: slice = slice(None)) -> bytes:
    """Everything that a batch shows of some games, and their random streams."""
    return b"".join(getattr(batch, name)[games].tobytes() for name in ARRAYS)


class Run(NamedTuple):
    """What came of some games: digests of every byte of every step, for each of some parts; how many games ended."""

    digests: list[str]
    ended: int
    batch: Batch


def run(name: str, games: int, steps: int, parts: tuple[tuple[int, int], ...] = (), **options: Any) -> Run:
    """Random play with automatic reset; digests for the first games of ``parts`` up to their step, then for all."""
    batch = mixed_batch(name, games, **options)
    parts = (*parts, (games, steps))
    digests = [hashlib.sha256() for _ in parts]
    ended = 0
    for step in range(steps):
        batch.step_random()
        ended += int(batch.dones.sum())
        for digest, (number, until) in zip(digests, parts, strict=True):
            if step < until:
                digest.update(bytes_of(batch, slice(number)))
    return Run([digest.hexdigest() for digest in digests], ended, batch)


@pytest.fixture(scope="module", params=GAMES)
def here(request: pytest.FixtureRequest) -> tuple[str, Run]:
    """A game, and the run that all others are compared with: in this process, compiled, in one thread."""
    games, steps, *part, _, _ = size_of(request.param)
    return request.param, run(request.param, games, steps, (tuple(part),), threads=1, compiled=True)


def elsewhere(name: str, games: int, steps: int, threads: int, **environment: str) -> tuple[str, int]:
    """The digest from a process of its own, and how many games ended there."""
    command = [sys.executable, "-W", "error", __file__, name, str(games), str(steps), str(threads)]
    everything = {**os.environ, **environment}
    done = subprocess.run(command, env=everything, capture_output=True, text=True, timeout=500 + games)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    digest, ended = done.stdout.split()
    return digest, int(ended)


def test_every_game_comes_to_an_end(here: tuple[str, Run]) -> None:
    name, expected = here
    assert expected.ended >= size_of(name).ended
    assert len(set(expected.batch.streams["counter"].tolist())) > 50


@each(LAST)
def test_one_thread_and_many(game: str, config: dict[str, Any]) -> None:
    """So many games that each thread gets some: smaller batches are stepped in one thread, whatever is asked for."""
    size = 3 * GAMES_PER_SCRATCH
    alone, *together = [Batch(game, size, config, 1, threads=threads) for threads in (1, 2, 3, None)]
    for _ in range(30):
        for batch in (alone, *together):
            batch.step_random()
        assert all(bytes_of(batch) == bytes_of(alone) for batch in together)


def test_another_process(here: tuple[str, Run]) -> None:
    name, expected = here
    size = size_of(name)
    digest, _ = elsewhere(name, size.games, size.steps, 3, PYTHONHASHSEED="5", NUMBA_DISABLE_JIT="0")
    assert digest == expected.digests[-1]


def test_interpreted_in_another_process(here: tuple[str, Run]) -> None:
    """Interpreted in this process they are compared in ``test_check_games.py``, node by node."""
    name, expected = here
    games, steps = size_of(name).interpreted_games, size_of(name).interpreted_steps
    digest, ended = elsewhere(name, games, steps, 1, NUMBA_DISABLE_JIT="1")
    assert ended >= size_of(name).interpreted_ended
    assert digest == expected.digests[0]


def test_single_games_equal_the_batch(here: tuple[str, Run]) -> None:
    """Each game alone: after as many steps the same row, observation, mask and random streams."""
    name, expected = here
    configurations = EVERY[name]
    for game in range(size_of(name).games):
        single = Batch(name, 1, configurations[game % len(configurations)], seed_of(game))
        for _ in range(size_of(name).steps):
            single.step_random()
        assert bytes_of(single) == bytes_of(expected.batch, slice(game, game + 1)), game


@each_game
def test_the_environment_equals_the_batch_in_every_step(game: str) -> None:
    """The same actions through the PettingZoo environment, one game of each configuration."""
    batch = mixed_batch(game, len(EVERY[game]), auto_reset=False)
    environments = [make(game, **config) for config in EVERY[game]]
    for number, env in enumerate(environments):
        env.reset(seed=seed_of(number))
    while (batch.actors >= 0).any():
        acting = np.flatnonzero(batch.actors >= 0)
        for number in acting:
            env = environments[number]
            seen = env.observe(env.agent_selection)
            assert env.agent_selection == f"player_{batch.actors[number]}"
            assert seen["observation"].tobytes() == batch.observations[number].tobytes()
            assert seen["action_mask"].tobytes() == batch.masks[number].tobytes()
        batch.step_random()
        for number in acting:
            env = environments[number]
            env.step(int(batch.actions[number]))
            assert env.game_state.tobytes() == batch.states[number].tobytes()
            if batch.dones[number]:
                rewards = [env.rewards[agent] for agent in env.possible_agents]
                assert rewards == batch.rewards[number][: len(rewards)].tolist()
                assert not batch.rewards[number][len(rewards) :].any()


@each_game
def test_a_position_walked_through_the_same_nodes_is_the_same_row(game: str) -> None:
    """Node by node with chance in hand: what the environment's stream draws leads to the same rows."""
    for number, config in enumerate(EVERY[game]):
        batch = Batch(game, 1, config, seed_of(number), auto_reset=False)
        position = Position(game, config)
        stream = batch.streams[:1].copy()[0]
        stream.counter = 0
        while not position.is_over:
            if position.is_chance:
                position.apply(position.sample(stream))
                continue
            assert position.state.tobytes() == batch.states[0].tobytes()
            batch.step_random()
            position.apply(int(batch.actions[0]))
        assert position.state.tobytes() == batch.states[0].tobytes()


if __name__ == "__main__":
    played = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), threads=int(sys.argv[4]))
    print(played.digests[-1], played.ended)
