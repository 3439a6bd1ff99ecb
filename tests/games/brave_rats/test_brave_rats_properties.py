"""Properties of every game of BraveRats: cards are conserved, games end, results balance."""

from typing import Any

import numpy as np
from brave_rats_helpers import HANDS, SWITCHES, counts, names, start, stream
from hypothesis import given, settings
from hypothesis import strategies as st

#: Draft, traitor and draw pile; eight rounds; five draws each after a round.
MOST_NODES_OF_A_GAME = (16 + 12) + 2 + 6 + 16 + 10

configurations = st.fixed_dictionaries({"hands": st.sampled_from(HANDS), **{name: st.booleans() for name in SWITCHES}})
seeds = st.integers(0, 2**64 - 1)
some_games = settings(max_examples=80, deadline=None, derandomize=True)


@some_games
@given(configurations, seeds)
def test_every_card_is_somewhere_exactly_once(config: dict[str, Any], seed: int) -> None:
    position, luck = start(**config), stream(seed)
    row = position.state
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
