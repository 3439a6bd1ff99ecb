"""What each seat is told of a game of BraveRats, and what it is not told."""

from __future__ import annotations

import pytest

from rat_envs.engine.position import Position
from rat_envs.engine.records import Recorder
from rat_envs.engine.story import events, story, witness
from rat_envs.games.brave_rats.components import CARDS
from rat_envs.testing import story_test

VARIANTS = [
    {},
    {"draw_pile": True, "traitor": True, "hands": "random"},
    {"hands": "draft", "emperor": True},
    {"hands": "princess_attack", "draw_pile": True, "emperor": True},
]


def told(steps: str, seat: int | None, **config) -> list[str]:
    """What a seat is told of these steps."""
    position = Position("brave_rats", config)
    return story([witness(position, step) for step in steps.split("; ")], seat)


@pytest.mark.parametrize("config", VARIANTS, ids=str)
def test_the_story_tells_nothing_hidden(config):
    assert story_test("brave_rats", config, nodes=300) > 100


def test_br30_a_card_chosen_first_is_told_to_its_player_alone():
    assert told("play spy", 0) == ["You choose Spy."]
    assert told("play spy", 1) == []
    assert told("play spy", None) == []


def test_br12_a_spied_card_is_told_to_all():
    steps = "play spy; play ambassador; play prince"
    assert told(steps, 0)[-1] == "Applewood reveals Prince."
    assert told(steps, 1)[-1] == "You reveal Prince."
    assert told(steps, None)[-1] == "Applewood reveals Prince."


def test_br02_br10_both_cards_and_who_wins_are_told_from_each_side():
    assert told("play ambassador; play spy", 0)[1:] == [
        "You play Ambassador, Applewood plays Spy.",
        "You win 2 rounds.",
    ]
    on_hold = "play musician; play princess"
    assert told(on_hold, 1) == ["You play Princess, Yarg plays Musician.", "The round is on hold."]
    assert told(f"{on_hold}; play general; play assassin", None)[-1] == "Applewood wins 2 rounds."


def test_br07_the_princess_ends_the_game():
    sentences = told("play princess; play prince", None)
    assert sentences == [
        "Yarg plays Princess, Applewood plays Prince.",
        "The Princess finds the Prince.",
        "Yarg wins the game.",
    ]


YARG_WINS, APPLEWOOD_WINS = "play princess; play prince", "play prince; play princess"
DRAWN = "; ".join(f"play {card}; play {card}" for card in CARDS)


@pytest.mark.parametrize(
    ("games", "last"),
    [
        ((YARG_WINS,), ["The Princess finds the Prince.", "Yarg wins the game."]),
        ((YARG_WINS, YARG_WINS), ["Yarg wins the game.", "Yarg wins the match."]),
        ((APPLEWOOD_WINS, DRAWN, DRAWN), ["The game is a draw.", "Applewood wins the match."]),
        ((YARG_WINS, DRAWN, APPLEWOOD_WINS), ["Applewood wins the game.", "The match is a draw."]),
    ],
)
def test_br26_who_wins_the_match_is_told_after_its_last_game(games, last):
    steps = "; ".join(games)
    assert told(steps, None, emperor=True)[-2:] == last
    assert told(steps, 0, emperor=True)[-1] == last[-1].replace("Yarg wins", "You win")


def test_br32_a_packet_is_told_to_its_opener_and_the_first_card_kept_to_nobody_else():
    packet = "reveal spy; reveal prince; reveal spy; reveal wizard"
    assert told(packet, 1, hands="draft") == []
    assert told(packet, 0, hands="draft")[1] == "You find Prince in the packet."
    kept = f"{packet}; keep prince; keep wizard; keep spy"
    assert told(kept, 0, hands="draft")[4:] == [
        "You keep Prince.",
        "Applewood keeps Wizard.",
        "You keep Spy.",
        "Applewood gets Spy.",
    ]
    assert told(kept, 1, hands="draft") == ["Yarg keeps a card.", "You keep Wizard.", "Yarg keeps Spy.", "You get Spy."]


def test_br21_a_drawn_card_is_told_to_its_player_alone():
    assert told("draw spy", 0, draw_pile=True) == ["You draw Spy."]
    assert told("draw spy", 1, draw_pile=True) == ["Yarg draws a card."]


def test_br20_br25_exchanged_cards_and_princes_are_told_to_all():
    steps = "princes player_1; give princess; give prince"
    assert told(steps, 0, hands="princess_attack", traitor=True) == [
        "Applewood gets both Princes, you both Princesses.",
        "You give Princess to Applewood.",
        "Applewood gives Prince to you.",
    ]


def test_a_record_tells_the_same_story_as_the_game_did():
    recorder = Recorder(Position("brave_rats", {"fast": True}))
    witnessed = []
    for card in ("princess", "prince"):
        witnessed.append(witness(recorder.position.copy(), f"play {card}"))
        recorder.apply(f"play {card}")
    for seat in (0, 1, None):
        assert story(events(recorder.record()), seat) == story(witnessed, seat)
