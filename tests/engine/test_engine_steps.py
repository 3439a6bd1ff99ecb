"""The steps of games played in a batch are those that a record of each game lists."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from stones import STONES

from rat_envs.engine import register, steps
from rat_envs.engine.batch import Batch
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.position import Position
from rat_envs.engine.random import CHANCE_STREAM, STREAM
from rat_envs.engine.records import Recorder
from rat_envs.engine.registry import get_game, unregister
from rat_envs.engine.steps import played_steps

SEEDS = np.array([3, 1, 2**63 + 5], np.uint64)


@pytest.fixture
def stones() -> Iterator[Game]:
    register(STONES)
    yield STONES
    unregister("stones")


def play_at_random(game: Game, config: dict) -> np.ndarray:
    """(n, T): the actions of random play, −1 after a game's end."""
    batch = Batch(game, len(SEEDS), config, SEEDS.tolist(), auto_reset=False)
    taken = []
    while (batch.actors >= 0).any():
        batch.step_random()
        taken.append(batch.actions.copy())
    return np.array(taken).T


def recorded_steps(game: Game, config: dict, seed: int, actions: list[int]) -> list[list[int]]:
    """Actor and action as numbers, from a record of the game played node by node."""
    recorder, streams, left = Recorder(Position(game, config)), np.zeros(1, STREAM), iter(actions)
    position = recorder.position
    position.program.seed_stream(streams[0], np.uint64(seed), CHANCE_STREAM)
    while not position.is_over:
        recorder.apply(position.sample(streams[0]) if position.is_chance else game.actions[next(left)])
    numbers = {"chance": game.outcome_numbers}
    told = [
        [CHANCE if s["actor"] == "chance" else s["actor"], numbers.get(s["actor"], game.action_numbers)[s["action"]]]
        for s in recorder.record()["steps"]
    ]
    return [*told, [TERMINAL, 0]]


@pytest.mark.parametrize("room", [1, steps.USUAL_STEPS])
@pytest.mark.parametrize(
    ("name", "config"),
    [("stones", {}), ("stones", {"pile": "large"}), ("brave_rats", {"draw_pile": True}), ("comme_des_rats", {})],
)
def test_steps_are_those_of_the_records(name, config, room, stones, monkeypatch):
    monkeypatch.setattr(steps, "USUAL_STEPS", room)
    game = get_game(name)
    actions = play_at_random(game, config)
    expected = [
        step
        for seed, own in zip(SEEDS.tolist(), actions.tolist(), strict=True)
        for step in recorded_steps(game, config, seed, own)
    ]
    told = played_steps(game, game.configuration.make(config), SEEDS, actions)
    assert told.dtype == np.int16
    assert told.tolist() == expected


def test_actions_that_end_too_early_are_refused(stones):
    actions = play_at_random(stones, {})
    for cut in (actions[:, :-1], np.where(actions == actions[0, 1], -1, actions)):
        with pytest.raises(ValueError, match="end before the game does"):
            played_steps(stones, stones.configuration.make({}), SEEDS, cut)
