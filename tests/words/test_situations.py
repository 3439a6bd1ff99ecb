"""A situation in words: complete, from one seat only, and the same for whoever asks."""

from __future__ import annotations

import doctest
import json
from typing import Any

import numpy as np
import pytest
from games_and_configurations import EVERY, FIRST, each

import rat_envs
from rat_envs.api import text
from rat_envs.api.seats import SeatViews
from rat_envs.api.text import Situation, describe, describe_view
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.story import Event, witness

#: By game the steps in which its configurations, and the positions of a game, are gone through: some texts are slow.
STRIDES = {"brave_rats": (3, 3), "comme_des_rats": (3, 23), "rattus": (3, 30), "rattus_cartus": (7, 60)}
ALL = [(game, config) for game, configurations in EVERY.items() for config in configurations[:: STRIDES[game][0]]]


def played(game: str, config: dict[str, Any], seed: int) -> list[tuple[Position, list[Event]]]:
    """Positions of a game of random play at which a seat is to act, each with all that has happened before."""
    position, events, found = Position(game, config), [], []
    stream = new_stream(position.game, seed)
    while not position.is_over:
        if not position.is_chance and len(events) % STRIDES[game][1] == 0:
            found.append((position.copy(), list(events)))
        events.append(witness(position, position.sample(stream)))
    return found


def elsewhere(event: Event, position: Position, seat: int, stream: Any) -> Event:
    """The same event at a table that looks alike to a seat; the event itself if the seat can tell the two apart."""
    before = position.copy()
    for name in event.before.dtype.names:
        before.state[name] = event.before[name]
    before.determinize(seat, stream)
    possible = before.weights() if before.is_chance else before.mask()
    if before.actor != event.actor or not possible[event.action]:
        return event
    there = witness(before, event.action)
    after = position.copy()
    for name in event.after.dtype.names:
        after.state[name] = event.after[name]
    alike = before.observe(seat).tobytes() == after.observe(seat).tobytes() and not after.is_over
    hidden = before.state.tobytes() != after.state.tobytes()  # what was replaced, still
    facts = position.game.open_facts
    return there if alike and hidden and facts(event) == facts(there) else event


@each(ALL)
def test_the_text_tells_a_seat_nothing_that_it_cannot_know(game: str, config: dict[str, Any]) -> None:
    stream, replaced = new_stream(Position(game, config).game, 5), 0
    for position, events in played(game, config, 4):
        lately = events[-6:]
        for seat in range(position.configuration.players):
            told = describe(position, seat, lately, whole_story=True)
            twin = position.copy()
            twin.determinize(seat, stream)
            others = [elsewhere(event, position, seat, stream) for event in lately]
            instead = describe(twin, seat, others, whole_story=True)
            replaced += twin.state.tobytes() != position.state.tobytes()
            assert (instead.table, instead.offer, instead.introduction) == (told.table, told.offer, told.introduction)
            # of one event the order is that in which things were seen to happen (story_test)
            assert sorted(instead.news or ()) == sorted(told.news or ())
            assert sorted(instead.story or ()) == sorted(told.story or ())
            assert instead.text("") == told.text("")
    assert replaced


@each(FIRST)
def test_what_an_agent_is_told_comes_from_its_views_alone(game: str, config: dict[str, Any]) -> None:
    stream = new_stream(Position(game, config).game, 6)
    batch = Batch(game, 1, config, seed=0)
    for position, events in played(game, config, 7):
        lately = events[-6:]
        own = describe(position, None, lately)
        for state in (position, position.copy()):
            if state is not position:
                state.determinize(position.actor, stream)
            batch.states[0] = state.state
            batch.refresh()
            assert describe_view(SeatViews(batch, witnessed={0: lately}), 0) == own
        assert describe(batch).text("") == own.text("")
        assert describe(batch).news is None


def test_a_narrator_brings_the_news_since_the_last_decision() -> None:
    narrator = rat_envs.Narrator(rat_envs.make("brave_rats"))
    narrator.reset(seed=1)
    assert describe(narrator).news == ()
    narrator.step(describe(narrator).action("[Prince]"))
    assert describe(narrator).seat == 1 and describe(narrator).news == ()  # not that the other has chosen what
    narrator.step(describe(narrator).action("3"))
    situation = describe(narrator)
    assert situation.news == ("You choose Prince.", "You play Prince, Applewood plays Assassin.", "You win the round.")
    narrator.step(0)
    narrator.step(describe(narrator).action("Play the Musician"))
    assert describe(narrator).news[0] == "You choose Musician."
    assert describe(narrator, whole_story=True).story[:3] == situation.news


def test_the_text_has_news_table_question_and_numbered_choices() -> None:
    narrator = rat_envs.Narrator(rat_envs.make("brave_rats"))
    narrator.reset(seed=1)
    for card in (7, 3):
        narrator.step(card)
    told = describe(narrator).text()
    parts = [
        "News:\n- You choose Prince.",
        "rounds won 1 of 4",
        "Which card do you play?",
        "Your choices:\n0. Play Mus",
    ]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    assert "So far:" in describe(narrator, whole_story=True).text("all")


@each(FIRST)
def test_the_rules_take_a_page_and_name_no_command(game: str, config: dict[str, Any]) -> None:
    rules = text.rules_for_players(rat_envs.get_game(game))
    assert 1000 < len(rules) < 7000
    assert "--against" not in rules and "](" not in rules and "rat-envs" not in rules and "components" not in rules


COMPONENTS = {"die", "doors", "third_rat", "map", "tokens", "supply", "vp_tokens", "buildings"}


@each(FIRST)
def test_a_player_is_told_of_all_options_that_change_the_rules(game: str, config: dict[str, Any]) -> None:
    """Those of the components are seen on the table; of the others the page says what they mean."""
    rules, options = text.rules_for_players(rat_envs.get_game(game)), rat_envs.get_game(game).configuration.options()
    for name in {*options} - COMPONENTS - {"players"}:
        assert f"`{name}" in rules
    introduction = describe(Position(game, config), 0).introduction
    for name, value in config.items():
        assert f"{name}={json.dumps(value)}" in introduction.splitlines()[0]


def test_who_plays_without_options_is_told_so() -> None:
    assert "in a game of BraveRats without options. Play" in describe(Position("brave_rats")).introduction
    assert "Rats with players=4. Play" in describe(Position("comme_des_rats"), 0).introduction
    changed = describe(
        Position("comme_des_rats", {"players": 2, "roles": True, "die": [0, 3, 0, 3, 0]}), 0
    ).introduction
    assert "Rats with players=2, roles=true, die=[0, 3, 0, 3, 0]. Play" in changed


@each(FIRST)
def test_a_question_that_the_table_asks_is_not_asked_twice(game: str, config: dict[str, Any]) -> None:
    for position, events in played(game, config, 8):
        situation = describe(position, None, events[-6:])
        assert " ".join(situation.text().split()).count(" ".join(situation.question.split())) == 1


def test_who_is_not_to_act_is_asked_nothing() -> None:
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    waiting = describe(env, 1)
    assert waiting.choices == () and waiting.question == "" and "Your choices" not in waiting.text()


def test_what_cannot_be_described_is_refused() -> None:
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    with pytest.raises(ConfigurationError, match=r"seat=2|seat 2|\b2\b"):
        describe(env, 2)
    with pytest.raises(ConfigurationError, match="One game is described at a time, not 3"):
        describe(Batch("brave_rats", 3, seed=0))
    with pytest.raises(ConfigurationError, match="from that seat"):
        describe(SeatViews(env), 1)
    position = Position("brave_rats", {"fast": True})
    stream = new_stream(position.game, 1)
    while not position.is_over:
        position.apply(position.sample(stream))
    with pytest.raises(ConfigurationError, match="Nobody is to act"):
        describe(position)
    assert "won" in describe(position, 0).table


def talk(players: int) -> tuple[Position, list[Event]]:
    """A game with promises in which the first one is asked for."""
    position = Position("comme_des_rats", {"players": players, "talk": True})
    stream, events = new_stream(position.game, 1), []
    while position.is_chance or "say nothing" not in position.legal():
        action = "keep_dice" if "keep_dice" in position.legal() else position.sample(stream)
        events.append(witness(position, action))
    return position, events


def said(situation: Situation, answer: str) -> str:
    return situation.game.actions[situation.action(answer)]


def test_cr40_promises_are_made_in_words_as_in_actions() -> None:
    situation = describe(*(lambda position, events: (position, None, events))(*talk(3)))
    assert situation.seat == 1 and "It binds you to nothing" in situation.question
    die = next(one for one in situation.choices if one.words.startswith("Promise to keep"))
    face = die.words.removeprefix("Promise to keep ")
    for answer, action in [
        ("Promise not to claw player_0", "say peace"),
        ("I will not claw you.", "say peace"),
        ("I promise to not claw player_0", "say peace"),
        ("I'll claw player_2", "say claw player_2"),
        ("Listen: I would claw you!", "say claw player_0"),
        (f"Dear player_0, I will keep {face}, trust me.", situation.game.actions[die.action]),
        ("I say nothing", "say nothing"),
    ]:
        assert said(situation, answer) == action, answer


def test_cr40_promises_are_heard_in_words() -> None:
    position, events = talk(3)
    for action in ("say peace", "say claw player_1"):
        events.append(witness(position, action))
    heard = describe(position, None, events)
    assert heard.seat == 0
    assert "player_1 said: I would not claw you." in heard.news
    assert "player_2 said: I would claw player_1." in heard.news
    assert "said: I would not claw you" in heard.table


def test_the_example_runs() -> None:
    assert doctest.testmod(text).failed == 0


def test_views_hold_the_story_of_their_own_games() -> None:
    batch = Batch("brave_rats", 3, seed=0)
    views = SeatViews(batch, np.array([2, 0]), witnessed={0: []})
    assert (views.news(0), views.story(1), views.decisions(1)) == (None, [], 0)
    assert views.only(np.array([1])).story(0) == []
