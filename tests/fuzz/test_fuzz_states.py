"""States of games changed in a few places: what is taken can be played to the end, and looked at by every seat.

``RAT_ENVS_FUZZ=100000 NUMBA_BOUNDSCHECK=1 RAT_ENVS_CACHE=/tmp/with-bounds pytest tests/fuzz/test_fuzz_states.py``
changes 100,000 states of each game, with every index of compiled code checked.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from games_and_configurations import GAMES, PAIRS

from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.position import new_stream

TIMES = int(os.environ.get("RAT_ENVS_FUZZ", "300" if compiling() else "30"))
#: Far more steps than any game has.
MOST_STEPS = 5000


def changed(row: np.ndarray, ranges: dict[str, tuple[int, int]], random: np.random.Generator) -> None:
    """Change one to three fields of a row, within their ranges: to any value, by one, or two numbers at once."""
    names = list(ranges)
    for name in random.choice(names, random.integers(1, 4)):
        least, most = ranges[name]
        numbers = row[name].reshape(-1).copy()
        one, other = random.integers(len(numbers), size=2)
        way = random.integers(4)
        if way == 0:
            numbers[one] = random.integers(least, most + 1)
        elif way == 1:
            numbers[one] = np.clip(int(numbers[one]) + random.choice([-1, 1]), least, most)
        elif way == 2:
            numbers[one], numbers[other] = numbers[other], numbers[one]
        elif numbers[one] > least and numbers[other] < most:
            numbers[one] -= 1
            numbers[other] += 1
        row[name] = numbers.reshape(row[name].shape)


def play_on(batch: Batch, random: np.random.Generator) -> None:
    """To the end, looked at by every seat, and with what a seat cannot know replaced now and then."""
    program, stream = batch.program, new_stream(batch.game, int(random.integers(2**60)))
    for step in range(MOST_STEPS):
        if batch.actors[0] < 0:
            break
        for seat in range(batch.players[0]):
            batch.observe_one(0, seat)
            if step < 3 or step % 10 == 0:
                program.determinize_rows(batch.states.copy(), np.array([seat], np.int32), stream)
        assert batch.masks.any()
        batch.step_random()
    assert batch.actors[0] < 0, "the game does not end"
    assert np.isfinite(batch.rewards).all() and (np.abs(batch.rewards) <= 1).all()
    batch.scores()
    batch.winners()


@pytest.mark.parametrize("game", GAMES)
def test_a_changed_state_is_refused_or_can_be_played_to_the_end(game):
    random = np.random.default_rng(2026)
    configs = [config for name, config in PAIRS if name == game]
    sources = [Batch(game, 16, config, seed=number, threads=1) for number, config in enumerate(configs)]
    targets = [Batch(game, 1, config, seed=number, auto_reset=False) for number, config in enumerate(configs)]
    taken = 0
    for _ in range(TIMES):
        number = random.integers(len(configs))
        source, target = sources[number], targets[number]
        for _ in range(random.integers(1, 6)):
            source.step_random()
        target.reset()
        target.states[0] = source.states[random.integers(source.n)]
        changed(target.states, source.game.ranges, random)
        state = target.get_state()
        target.reset()
        try:
            target.set_state(state)
        except CheckpointError:
            continue
        taken += 1
        play_on(target, random)
    assert 0 < taken < TIMES
