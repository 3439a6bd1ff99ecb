"""Text and drawing of BraveRats: what they show, what they must not show, and that a picture comes of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest

from rat_envs.engine.errors import RatEnvsError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.raster import rasterise
from rat_envs.games.brave_rats.configuration import HANDS
from rat_envs.games.brave_rats.paragraphs import paragraphs
from rat_envs.games.brave_rats.rendering import HEIGHT, WIDTH, drawing, text
from rat_envs.games.brave_rats.wording import WIDTH as COLUMNS

SWITCHES = ("traitor", "draw_pile", "fast", "emperor")
CONFIGURATIONS = [
    {"hands": hands, **dict(zip(SWITCHES, values, strict=True))}
    for hands in HANDS
    for values in itertools.product((False, True), repeat=len(SWITCHES))
]
POINTS_OF_VIEW = (0, 1, None)


def random_play(config: dict, seed: int = 0) -> Iterator[Position]:
    """Every position of a random game, the last included."""
    position = Position("brave_rats", config, compiled=False)
    stream = new_stream(position.game, seed, compiled=False)
    yield position
    while not position.is_over:
        position.apply(position.sample(stream))
        yield position


def after(*moves: str, **config: object) -> Position:
    """The position after some moves, chance included."""
    position = Position("brave_rats", config, compiled=False)
    for move in moves:
        position.apply(move)
    return position


def both(position: Position, point_of_view: int | None) -> tuple[str, str]:
    """The words, as text and as paragraphs, and the drawing."""
    words = "\n".join([text(position.state, point_of_view), *paragraphs(position.state, point_of_view)])
    return words, drawing(position.state, point_of_view)


def words(svg: str) -> str:
    """All that is written in a drawing."""
    return " | ".join(
        element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    )


@pytest.mark.parametrize(
    "config", CONFIGURATIONS, ids=lambda config: "-".join(str(int(v) if v in (0, 1) else v) for v in config.values())
)
def test_text_fits_the_terminal_and_drawings_are_well_formed(config):
    for number, position in enumerate(random_play(config)):
        for point_of_view in POINTS_OF_VIEW:
            written = text(position.state, point_of_view)
            assert max(map(len, written.splitlines())) <= COLUMNS
            assert written.isascii()
            if number % 5 and not position.is_over:
                continue  # drawing takes longer
            root = ElementTree.fromstring(drawing(position.state, point_of_view))
            assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("draw_pile", (False, True))
def test_br30_br31_br32_hidden_facts_change_no_byte(hands, draw_pile):
    changed = 0
    for number, position in enumerate(random_play({"hands": hands, "draw_pile": draw_pile, "traitor": True}, seed=3)):
        for seat in (0, 1):
            other = position.copy()
            other.determinize(seat, new_stream(position.game, number, compiled=False))
            changed += other.state.tobytes() != position.state.tobytes()
            for point_of_view in (seat, None):
                assert both(other, point_of_view) == both(position, point_of_view)
    assert changed > 0


@pytest.mark.parametrize("draw_pile", (False, True))
def test_br30_whether_the_other_has_chosen_does_not_show(draw_pile):
    for position in random_play({"draw_pile": draw_pile}, seed=5):
        if position.is_chance or position.is_over or position.state.spied != -1:
            continue
        seat = position.actor
        other = position.copy()
        other.apply(other.legal()[-1])
        if seat == 0:
            for point_of_view in (1, None):
                assert both(other, point_of_view) == both(position, point_of_view)
            assert both(other, 0) != both(position, 0)


def test_br30_only_a_spied_player_is_seen_to_choose():
    position = after("play spy", "play general", "play prince")
    for point_of_view in POINTS_OF_VIEW:
        written, drawn = both(position, point_of_view)
        assert "Applewood has revealed 7 Prince" in written
        assert "Applewood has revealed 7 Prince" in words(drawn)
        assert "Revealed: 7 Prince" in written
    position = after("play prince")
    assert "Chosen: 7 Prince" in text(position.state, 0)
    assert all("Chosen" not in text(position.state, point_of_view) for point_of_view in (1, None))


def test_br10_br11_holds_and_plus_two_are_shown():
    position = after("play ambassador", "play musician", "play musician", "play general")
    for point_of_view in POINTS_OF_VIEW:
        written, drawn = both(position, point_of_view)
        assert "Rounds on hold are worth 3" in written and "Rounds on hold are worth 2" in written
        assert "on hold: 3 for Yarg" in drawn and "on hold: 2 for Applewood" in drawn
        assert written.count("+2 to the card of this round") == 2  # in the text, and in the paragraphs
        assert "+2 for Applewood" in drawn and "+2 for Yarg" not in drawn


def test_own_side_is_below_and_a_spectator_sits_with_player_0():
    row = after().state
    assert text(row, 1).index("Yarg (player_0") < text(row, 1).index("Applewood (player_1, red, you)")
    for point_of_view in (0, None):
        assert text(row, point_of_view).index("Applewood (") < text(row, point_of_view).index("Yarg (")
    assert "you" not in text(row, None) and "(you)" not in words(drawing(row, None))


def test_br21_a_spectator_sees_what_both_know_of_hand_and_pile():
    position = next(p for p in random_play({"draw_pile": True}) if p.actor == 0)
    assert text(position.state, None).count("Hand (3) and pile (5), mixed") == 2
    assert text(position.state, 0).count("Hand (3) and pile (5), mixed") == 1
    assert "Pile (5)" in text(position.state, 0)


def test_br32_first_cards_kept_are_unknown_to_the_other():
    reveals = [f"reveal {card}" for card in ("prince", "prince", "spy", "wizard")]
    position = after(*reveals, "keep prince", hands="draft")
    assert "? unknown" in text(position.state, 1) and "? unknown" in text(position.state, None)
    assert "? unknown" not in text(position.state, 0)
    assert text(after(*reveals, hands="draft").state, 1).count("not seen") == 1


@pytest.mark.parametrize(
    ("config", "sentence"), [({}, "The game is won by Yarg."), ({"emperor": True}, "The match is won by Yarg.")]
)
def test_the_end_is_announced(config, sentence):
    position = Position("brave_rats", config, compiled=False)
    while not position.is_over:
        position.apply("play princess")
        position.apply("play prince")
    for point_of_view in POINTS_OF_VIEW:
        assert sentence in text(position.state, point_of_view)
        assert "Yarg wins" in drawing(position.state, point_of_view)


def test_the_picture_shows_the_table_and_its_text():
    for module in ("resvg_py", "PIL", "font_manrope"):
        pytest.importorskip(module)
    svg = drawing(after("play spy", "play general").state, 0)
    picture = rasterise(svg)
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    without_text = rasterise(re.sub(r"<text.*?</text>", "", svg))
    assert (picture != without_text).any(axis=2).mean() > 0.02
    assert np.array_equal(rasterise(svg), picture)


@pytest.mark.parametrize("module", ("resvg_py", "PIL", "font_manrope"))
def test_missing_packages_are_named_in_a_sentence(module, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(RatEnvsError, match=r'pip install ".*\[render\]"$'):
        rasterise(drawing(after().state, 0))
