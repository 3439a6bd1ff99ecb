"""Checks of a game's texts and drawings, from every point of view and from the first node to the last."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import EVERYTHING, Game, PointOfView
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.story import Event, witness
from rat_envs.testing.demanding import demand, named

__all__ = ["check_shown"]

#: The table is checked at one of this many nodes, and at the end.
EVERY = 10


def check_shown(game: Game, configuration: Configuration, seed: int) -> None:
    """Check the functions that show something in one game of random play.

    Raises:
        ContractError: one of them raises an error, or returns the wrong thing.
    """
    position, stream = Position(game, configuration), new_stream(game, seed)
    people: list[int | None] = [None, *range(configuration.players)]
    remembered: dict[int | None, list[Any]] = {person: [] for person in people}
    for number in range(1_000_000):
        if number % EVERY == 0 or position.is_over:
            for person in people:
                check_table(position, person, remembered[person])
                check_asked(position, person)
            if game.shows_everything:
                check_table(position, EVERYTHING, remembered[None])
        if position.is_over:
            return
        event = witness(position, position.sample(stream))
        for person in people:
            check_told(event, person)
            remembered[person] += check_remembered(event, person)


def check_table(position: Position, point_of_view: PointOfView, remembered: list[Any]) -> None:
    """Check that ``text`` gives a text, ``paragraphs`` (if declared) a list of texts, and ``drawing`` an SVG."""
    seen = f"from the point of view {point_of_view!r}"
    with named(f"text {seen}"):
        words = position.game.text(position.state, point_of_view)
    demand(isinstance(words, str), f"text {seen} returns {type(words).__name__}: it must return a text.")
    if position.game.paragraphs is not None:
        with named(f"paragraphs {seen}"):
            said = position.game.paragraphs(position.state, point_of_view)
        demand(
            isinstance(said, list) and all(isinstance(each, str) for each in said),
            f"paragraphs {seen} returns {said!r}: it must return a list of texts.",
        )
    with named(f"drawing {seen}"):
        drawn = position.game.picture(position.state, point_of_view, remembered)
    demand(
        isinstance(drawn, str) and is_svg(drawn),
        f"drawing {seen} returns what is no SVG: it must return a text that begins with <svg and is well formed.",
    )


def is_svg(drawn: str) -> bool:
    """Whether something is an SVG document."""
    try:
        return ElementTree.fromstring(drawn).tag.rpartition("}")[2] == "svg"
    except ElementTree.ParseError:
        return False


def check_asked(position: Position, person: int | None) -> None:
    """Check that ``asks_openly`` gives yes or no."""
    with named("asks_openly"):
        openly = position.game.asks_openly(position.state, person)
    demand(
        isinstance(openly, int | np.bool_) and openly in (0, 1),
        f"asks_openly returns {openly!r}: it must be true or false.",
    )


def check_told(event: Event, person: int | None) -> None:
    """Check that ``sees`` gives sentences."""
    with named(f"sees of {event.notation!r}"):
        sentences = event.seen_by(person)
    demand(
        isinstance(sentences, list | tuple) and all(isinstance(sentence, str) for sentence in sentences),
        f"sees of {event.notation!r} returns {sentences!r}: it must return a list of sentences.",
    )


def check_remembered(event: Event, person: int | None) -> list[Any]:
    """Check that ``remembers`` gives a list."""
    with named(f"remembers of {event.notation!r}"):
        remembered = event.remembered_by(person)
    demand(isinstance(remembered, list), f"remembers of {event.notation!r} returns {remembered!r}: it must be a list.")
    return remembered
