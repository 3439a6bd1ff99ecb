"""Properties of every game of BraveRats: cards are conserved, games end, results balance, equal seeds equal bytes."""

from typing import Any

import numpy as np
import pytest
from brave_rats_helpers import CONFIGURATIONS, HANDS, SWITCHES, counts, names, start, start_with, state_bytes, stream
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.position import Position

#: Draft, traitor and draw pile; eight rounds; five draws each after a round.
MOST_NODES_OF_A_GAME = (16 + 12) + 2 + 6 + 16 + 10

configurations = st.fixed_dictionaries({"hands": st.sampled_from(HANDS), **{name: st.booleans() for name in SWITCHES}})
seeds = st.integers(0, 2**64 - 1)
in_compiled_mode = pytest.mark.skipif(not compiling(), reason="needs compiled mode to compare with")
some_games = settings(max_examples=80, deadline=None, derandomize=True)


@some_games
@given(configurations, seeds)
def test_every_card_is_somewhere_exactly_once(config: dict[str, Any], seed: int) -> None:
    position, luck = start(**config), stream(seed)
    row = position.row
    played: list[str] = []  # in this game of the match
    while not position.is_over:
        revealed = played[: len(played) // 2 * 2]  # a chosen card is in hand until both are revealed
        places = [row.undealt, row.packet, *row.hand, *row.pile, counts(" ".join(revealed))]
        assert np.min(places) >= 0
        if not (position.is_chance and "princes player_0" in position.chances()):  # before it there are no cards
            assert np.sum(places, axis=0).tolist() == 8 * [2]

        text, games_played = position.sample(luck), int(row.games_played)
        position.apply(text)
        if text.startswith("play"):
            played.append(text.removeprefix("play "))
        if row.games_played > games_played:
            played.clear()


@some_games
@given(configurations, seeds)
def test_games_end_and_results_balance(config: dict[str, Any], seed: int) -> None:
    position, luck = start(**config), stream(seed)
    nodes = 0
    while not position.is_over:
        position.apply(position.sample(luck))
        nodes += 1
    assert nodes <= MOST_NODES_OF_A_GAME * (3 if config["emperor"] else 1)

    returns, scores = position.returns(), position.scores()
    assert sorted(returns) in ([-1, 1], [0, 0])
    assert min(scores) >= 0
    if returns != [0, 0]:
        winner = returns.index(1)
        assert scores[winner] > scores[1 - winner]


@some_games
@given(configurations, seeds)
def test_masks_are_exact(config: dict[str, Any], seed: int) -> None:
    position, luck = start(**config), stream(seed)
    while not position.is_over:
        if position.is_chance:
            assert not position.mask().any()
            assert min(position.chances().values()) > 0
        else:
            seen = position.observe(position.actor)[0]
            drafting = seen.packet.any()
            verb, cards = ("keep", seen.packet) if drafting else ("play", seen.own_hand)
            assert position.legal() == sorted({f"{verb} {card}" for card in names(cards).split()})
        position.apply(position.sample(luck))
    assert not position.mask().any()


def test_an_illegal_action_is_refused_in_words_and_changes_nothing() -> None:
    position = start_with("prince spy", "wizard spy")
    before = state_bytes(position)
    with pytest.raises(
        IllegalActionError, match="player_0 cannot do 'play wizard' here; possible are play prince, play spy"
    ):
        position.apply("play wizard")
    assert state_bytes(position) == before


@some_games
@given(configurations, seeds)
def test_equal_seeds_give_equal_bytes(config: dict[str, Any], seed: int) -> None:
    one, other = Position("brave_rats", config), Position("brave_rats", config)
    for position in (one, other):
        luck = stream(seed)
        while not position.is_over:
            position.apply(position.sample(luck))
    assert state_bytes(one) == state_bytes(other)


def filled_arrays(batch: Batch) -> dict[str, np.ndarray]:
    """All that a batch fills in place."""
    filled = ("observations", "masks", "actors", "rewards", "dones", "actions", "rows")
    return {name: getattr(batch, name) for name in filled}


@pytest.mark.parametrize("seed", [0, 7, 2**63])
def test_a_batch_equals_single_games(seed: int) -> None:
    n = len(CONFIGURATIONS)
    batch = Batch("brave_rats", n, CONFIGURATIONS, seed)
    singles = [Batch("brave_rats", 1, config, seed + i) for i, config in enumerate(CONFIGURATIONS)]
    finished = 0
    for _ in range(120):
        for name, array in filled_arrays(batch).items():
            assert array.tobytes() == b"".join(filled_arrays(single)[name].tobytes() for single in singles), name
        batch.step_random()
        for single in singles:
            single.step_random()
        finished += batch.dones.sum()
    assert finished > n  # automatic resets included


def test_equal_seeds_give_equal_batches_and_others_do_not() -> None:
    one, other, third = (Batch("brave_rats", 64, CONFIGURATIONS, seed) for seed in (5, 5, 6))
    for batch in (one, other, third):
        for _ in range(50):
            batch.step_random()
    assert one.get_state() == other.get_state()
    assert one.get_state() != third.get_state()


@in_compiled_mode
def test_interpreted_equals_compiled() -> None:
    compiled = Batch("brave_rats", 64, CONFIGURATIONS, seed=11, compiled=True)
    interpreted = Batch("brave_rats", 64, CONFIGURATIONS, seed=11, compiled=False)
    for _ in range(30):
        for name, array in filled_arrays(compiled).items():
            assert array.tobytes() == filled_arrays(interpreted)[name].tobytes(), name
        compiled.step_random()
        interpreted.step_random()


@in_compiled_mode
@pytest.mark.parametrize("hands", HANDS)
def test_interpreted_determinization_equals_compiled(hands: str) -> None:
    config = {"hands": hands, "draw_pile": True, "traitor": True}
    positions = [Position("brave_rats", config, compiled=compiled) for compiled in (True, False)]
    luck = stream(12)
    while not positions[0].is_over:
        for seat in (0, 1):
            samples = [position.copy() for position in positions]
            for position in samples:
                position.determinize(seat, stream(13))
            assert state_bytes(samples[0]) == state_bytes(samples[1])
        text = positions[0].sample(luck)
        for position in positions:
            position.apply(text)
