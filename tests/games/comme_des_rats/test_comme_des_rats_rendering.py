"""Text and drawing of Comme des Rats: what they show, and what they must not show."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from comme_des_rats_helpers import play

from rat_envs.engine.game import EVERYTHING
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.raster import rasterise
from rat_envs.games.comme_des_rats.components import (
    CLOVER,
    PARTNER,
    TRAP,
)
from rat_envs.games.comme_des_rats.configuration import CARDS
from rat_envs.games.comme_des_rats.paragraphs import paragraphs
from rat_envs.games.comme_des_rats.rendering import HEIGHT, WIDTH, drawing, text
from rat_envs.games.comme_des_rats.view import NO_CARDS, view
from rat_envs.games.comme_des_rats.wording import CARD_WORDS
from rat_envs.games.comme_des_rats.wording import WIDTH as COLUMNS

CONFIGURATIONS = [
    {"players": players, "roles": roles, "talk": talk, "extra_rounds": players % 4}
    for players, roles, talk in itertools.product((2, 3, 4, 5), (False, True), (False, True))
] + [
    {"players": 3, "roles": True, "die": [1, 1, 2, 2, 0], "doors": [11, 0, 0, 4]},
    {"players": 2, "roles": True, "talk": True, "doors": [3, 0, 0, 12], "die": [1, 1, 1, 3, 0], "extra_rounds": 3},
    {"players": 5, "roles": True, "talk": True, "doors": [16, 2, 3, 4], "die": [1, 2, 1, 2, 0], "extra_rounds": 3},
]
configurations = pytest.mark.parametrize(
    "config", CONFIGURATIONS, ids=lambda config: "-".join(str(value).replace(" ", "") for value in config.values())
)
SVG = "{http://www.w3.org/2000/svg}"


def new_game(**config: Any) -> Position:
    """The beginning."""
    return Position("comme_des_rats", config)


def random_play(config: dict, seed: int = 0) -> Iterator[Position]:
    """Every position of a random game after the first, the last included."""
    position = new_game(**config)
    stream = new_stream(position.game, seed)
    while not position.is_over:
        position.apply(position.sample(stream))
        yield position


def points_of_view(config: dict) -> tuple[int | None, ...]:
    """All seats, and a spectator."""
    return (*range(config["players"]), None)


def both(position: Position, point_of_view: int | None) -> tuple[str, str]:
    """The words, as text and as paragraphs, and the drawing."""
    words = "\n".join([text(position.state, point_of_view), *paragraphs(position.state, point_of_view)])
    return words, drawing(position.state, point_of_view)


# The table


@configurations
def test_text_fits_the_terminal(config):
    texts = 0
    for number, position in enumerate(random_play(config)):
        for point_of_view in points_of_view(config):
            if (number + (point_of_view or 0)) % 5 and not position.is_over:
                continue
            written = text(position.state, point_of_view)
            assert max(map(len, written.splitlines())) <= COLUMNS
            assert written.isascii()
            texts += 1
    assert texts > 50


@cache
def font(family: str, is_bold: bool) -> Any:
    """A font of size 100: the one of pictures, or the one a drawing asks for."""
    image_font = pytest.importorskip("PIL.ImageFont")
    if family == "Manrope":
        folder = Path(pytest.importorskip("font_manrope").__file__).parent / "files"
        return image_font.truetype(str(folder / f"Manrope-{'Bold' if is_bold else 'Regular'}.ttf"), 100)
    folder = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts" / "ttf"
    return image_font.truetype(str(folder / f"DejaVuSans{'-Bold' if is_bold else ''}.ttf"), 100)


def boxes(root: ElementTree.Element, family: str) -> list[tuple[str, float, float, float, float]]:
    """All words of a drawing, and where they are: left, top, right, bottom."""
    found = []
    for element in root.iter(f"{SVG}text"):
        words, size = element.text or "", float(element.get("font-size", ""))
        width = font(family, element.get("font-weight") == "bold").getlength(words) * size / 100
        x, y = float(element.get("x", "")), float(element.get("y", ""))
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "")]
        found.append((words, left, y - 0.72 * size, left + width, y + 0.2 * size))
    return found


def frames(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """All rectangles that are not within a symbol, the smallest first."""
    symbols = {rectangle for group in root.iter(f"{SVG}g") if group.get("transform") for rectangle in group.iter()}
    places = []
    for rectangle in set(root.iter(f"{SVG}rect")) - symbols:
        x, y, width, height = (float(rectangle.get(name, "")) for name in ("x", "y", "width", "height"))
        places.append((x, y, x + width, y + height))
    return sorted(places, key=lambda place: (place[2] - place[0]) * (place[3] - place[1]))


def check_drawing(svg: str, family: str) -> None:
    """Every text lies in the frame it is written in, and none over another."""
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))
    texts = boxes(root, family)
    for words, left, top, right, bottom in texts:
        middle, centre = (left + right) / 2, (top + bottom) / 2
        frame = next(f for f in frames(root) if f[0] <= middle <= f[2] and f[1] <= centre <= f[3])
        if len(words) > 2:  # a number may sit on the edge of a card
            assert frame[0] - 0.5 <= left and right <= frame[2] + 0.5, (words, frame)
        assert left >= 0 and right <= WIDTH and top >= 0 and bottom <= HEIGHT, words
    for one, other in itertools.combinations(texts, 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)


@pytest.mark.parametrize("family", ["Manrope", "DejaVu Sans"])
@configurations
def test_texts_of_a_drawing_stay_in_their_boxes_and_apart(config, family):
    drawn = 0
    for number, position in enumerate(random_play(config, seed=1)):
        if number % 17 == 0 or position.is_over:
            point_of_view = points_of_view(config)[number % (config["players"] + 1)]
            check_drawing(drawing(position.state, point_of_view), family)
            drawn += 1
    assert drawn > 3


def test_the_longest_sentences_fit():
    position = next(p for p in random_play({"players": 2, "roles": True, "talk": True}) if p.state.third_rat_card >= 0)
    row = position.state
    row.kept[:], row.die, row.rat, row.pile_searched, row.draws_left, row.actor = 1, 1, 2, 2, 1, -1
    for point_of_view in (0, 1, None):
        assert "a second draw is to follow" in drawing(row, point_of_view)
        for family in ("Manrope", "DejaVu Sans"):
            check_drawing(drawing(row, point_of_view), family)


def test_the_picture_shows_the_table_and_its_text():
    for module in ("resvg_py", "PIL", "font_manrope"):
        pytest.importorskip(module)
    svg = drawing(next(p for p in random_play({"players": 4, "roles": True}) if p.state.phase == PARTNER).state, 0)
    picture = rasterise(svg)
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    without_text = rasterise(re.sub(r"<text.*?</text>", "", svg))
    assert (picture != without_text).any(axis=2).mean() > 0.01
    assert np.array_equal(rasterise(svg), picture)


# What must not show


@configurations
def test_cr75_hidden_facts_change_no_byte(config):
    changed = 0
    for number, position in enumerate(random_play(config, seed=3)):
        if number % 7:
            continue
        seat = number % config["players"]
        other = position.copy()
        other.determinize(seat, new_stream(position.game, number))
        changed += other.state.tobytes() != position.state.tobytes()
        for point_of_view in (seat, None):
            assert both(other, point_of_view) == both(position, point_of_view)
    assert changed > 0


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cr70_a_spectator_sees_the_same_whoever_knows_what(players):
    for number, position in enumerate(random_play({"players": players, "roles": True, "talk": True}, seed=5)):
        if number % 9:
            continue
        seen = view(position.state, None)
        assert (seen.node, seen.left_to_place) == (None, NO_CARDS)
        assert not any(pile.known or pile.traps_stored for pile in seen.piles)
        for rat in seen.rats:
            assert rat.is_third_rat or rat.known == NO_CARDS
            assert rat.role is None or rat.role_shown
        assert not re.search(r"\byour?\b", " ".join(both(position, None)), re.IGNORECASE)


def test_cr76_a_window_leaves_no_trace():
    windows = 0
    for seed in range(4):
        for position in random_play({"players": 3, "roles": True, "talk": True}, seed):
            if position.is_chance or position.is_over or "no_claim" not in position.legal():
                continue
            windows += 1
            after = position.copy()
            after.apply("no_claim")
            for point_of_view in {0, 1, 2, None} - {position.actor, after.actor}:
                assert both(after, point_of_view) == both(position, point_of_view)
            assert "Al Ratone" in text(position.state, position.actor)
    assert windows > 0


# A game by hand

#: Three piles from the top. With no roles and no talk player_0 begins.
PILES = (
    ("clover", "cheese1", "trap", "cheese1", "trap"),
    ("trap", "clover", "cheese2", "cheese1", "cheese2"),
    ("cheese2", "trap", "clover", "cheese1", "trap"),
)


def laid_out(piles: Iterable[Iterable[str]] = PILES, roles: Iterable[str] = (), **config: Any) -> Position:
    """A game with these piles and roles."""
    position = new_game(roles=bool(roles), **config)
    for pile in map(list, piles):
        place = pile.index("trap")
        position.apply(f"trap {place + 1}")
        for card in pile[:place] + pile[place + 1 :]:
            position.apply(f"deal {card}")
    for role in roles:
        position.apply(f"role {role}")
    return position


def test_cr60_to_cr67_the_third_rat_is_open():
    position = laid_out(players=2)
    for move in ("roll key1 heal", "keep_dice", "partner third_rat"):
        position.apply(move)
    position.apply("reveal tr2")
    assert "Third rat: which pile is a card drawn from?" in text(position.state, 1)
    assert "Now the third rat's die: one key, player_1 decides." in text(position.state, 0)
    position.apply("pile 1")
    for point_of_view in (0, 1, None):
        assert "1 card: clover" in text(position.state, point_of_view)
        assert "tr2: one key" not in text(position.state, point_of_view)
        assert "tr1: two keys > one key > theft > claw > healing; active decides" in text(position.state, point_of_view)


def test_cr71_cr74_what_a_seat_knows_is_shown_to_it_alone():
    position = laid_out(players=3)
    for move in (
        "roll key1 steal",
        "keep_dice",
        "partner player_1",
        "die key1",
        "pile 1",
        "rob player_1",
        "lose clover",
    ):
        position.apply(move)
    assert "1 card: clover" in text(position.state, 0) and "You hold: clover." in text(position.state, 0)
    assert "1 card: clover" in text(position.state, 1) and "You hold: nothing." in text(position.state, 1)
    for point_of_view in (2, None):
        assert "1 card\n" in text(position.state, point_of_view) and "1 card:" not in text(
            position.state, point_of_view
        )


def test_what_is_asked_is_said_to_who_is_asked_alone():
    position = laid_out(players=3)
    position.apply("roll key1 steal")
    assert text(position.state, 0).endswith("Do you keep these dice, or roll both again?\n")
    assert "Do you keep" in drawing(position.state, 0)
    for point_of_view in (1, 2, None):
        assert "Do you" not in " ".join(both(position, point_of_view))


def test_the_picture_says_for_whose_die_the_others_wait():
    position = laid_out(players=3)
    for move in ("roll key1 steal", "keep_dice"):
        position.apply(move)
    assert "It is player_0&#x27;s turn<" in drawing(position.state, 2)
    position.apply("partner player_1")
    assert "It is your turn: player_1 chooses which die to keep<" in drawing(position.state, 0)
    assert "It is player_0&#x27;s turn: player_1 chooses which die to keep<" in drawing(position.state, 2)
    assert "Which die do you keep?" in drawing(position.state, 1)


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ((3, 8, 2), "The game is over: player_1 has won."),
        ((8, 8, 2), "The game is over: player_0 and player_1 share the win."),
        ((2, 1, 8), "The game is over: the third rat has won."),
    ],
)
def test_the_end_is_announced(points, sentence):
    *_, position = random_play({"players": 2})
    position.state.points[:3], position.state.stock[:3] = points, 0
    assert sentence in text(position.state, None) and sentence in drawing(position.state, None)
    mine = sentence.replace("player_1 has", "you have").replace("player_1", "you")
    assert mine in text(position.state, 1)


@pytest.mark.parametrize(
    ("stocks", "sentence"),
    [
        ((2, 5, 4, 9), "player_1 has won. Of those tied it stored most cards in the last round."),
        ((2, 5, 5, 9), "player_1 and player_2 share the win. Of those tied they stored most cards in the last round."),
        ((5, 5, 5, 9), "player_0, player_1 and player_2 share the win.</text>"),
    ],
)
def test_cr31_what_has_broken_a_tie_is_said(stocks, sentence):
    *_, position = random_play({"players": 4})
    position.state.points[:4] = 8, 8, 8, 3
    position.state.stock[:4] = 0
    position.state.stock[:4, CLOVER] = stocks
    assert f"The game is over: {sentence}" in drawing(position.state, None)
    mine = "you have won. Of those tied you stored most cards in the last round."
    assert (mine in " ".join(text(position.state, 1).split())) == (stocks == (2, 5, 4, 9))


@pytest.mark.parametrize(
    ("points", "sentence", "winners"),
    [
        ((8, 2, 8), "The game is over: player_0 has won.", ["player_0"]),
        ((8, 8, 8), "The game is over: player_0 and player_1 share the win.", ["player_0", "player_1"]),
        ((2, 1, 8), "The game is over: the third rat has won.", ["third rat"]),
    ],
)
def test_cr81_a_seat_at_the_top_with_the_third_rat_wins(points, sentence, winners):
    *_, position = random_play({"players": 2})
    position.state.points[:3], position.state.stock[:3] = points, 0
    drawn = drawing(position.state, None)
    assert sentence in text(position.state, None) and sentence in drawn
    assert [rat.name for rat in view(position.state, None).winners] == winners
    assert drawn.count(">winner<") == len(winners) and (">shared<" in drawn) == (len(winners) > 1)


def test_cr71_together_all_seats_know_roles_piles_and_the_fools_traps():
    position = laid_out(players=3, roles=("manipulator", "fool", "alchemist"))
    first, second = ("trap", "trap", "clover", "cheese1"), ("trap", "clover", "cheese2", "cheese1")
    play(position, "look 1", "look 2", *(f"place {card}" for card in first[:2]))
    assert "trap, trap, ..." in text(position.state, EVERYTHING)
    play(position, *(f"place {card}" for card in (*first[2:], *second)))
    play(position, "roll key1 heal", "keep_dice", "partner player_1", "die key1", "pile 1")
    together = " ".join(text(position.state, EVERYTHING).split())
    assert "trap, clover, 1 cheese, 1 cheese; the Fool drew 1 trap from it Pile 2" in together
    assert "from the top" in together and "trap, clover, 2 cheese, 1 cheese, 2 cheese Pile 3" in together
    assert "has shown the Manipulator" in together
    assert "is the Fool, not shown" in together and "is the Alchemist, not shown" in together
    assert not re.search(r"\byour?\b", together, re.IGNORECASE)
    assert "1 trap drawn by the Fool" in drawing(position.state, EVERYTHING)
    assert "the Manipulator looked through it; you drew 1 trap" in " ".join(text(position.state, 1).split())
    for point_of_view in (0, 1, 2, None):
        assert "not shown" not in text(position.state, point_of_view)


def test_cr61_no_heading_stands_over_no_cards_of_the_third_rat():
    position = laid_out(players=2)
    assert "The third rat's cards to come" in text(position.state, 0)
    position.state.third_rat_shown[:] = 1
    assert "The third rat's cards to come" not in text(position.state, 0)


def test_cr15_who_has_the_claw_is_asked_at_whom_the_cat_is_sent():
    position = laid_out(players=3)
    play(position, "roll claw heal", "keep_dice", "partner player_1", "die claw")
    assert text(position.state, 1).endswith("At whom is the cat sent?\n")


def test_kinds_are_named_in_the_order_of_the_components():
    assert len(CARD_WORDS) == len(CARDS) and CARD_WORDS[TRAP] == CARDS[TRAP] and CARD_WORDS[CLOVER] == CARDS[CLOVER]


def test_cr06_the_word_over_the_first_roll_is_no_fainter_than_others():
    position = laid_out(players=3)
    play(position, "roll claw heal", "reroll", "roll key1 key2")
    root = ElementTree.fromstring(drawing(position.state, 0))
    assert [text.text for text in root.iter(f"{SVG}text")].count("before") == 1
    faint = [group for group in root.iter(f"{SVG}g") if group.get("opacity")]
    assert len(faint) == 1 and not list(faint[0].iter(f"{SVG}text"))
