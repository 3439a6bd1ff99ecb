"""Whether drawings can be read: sizes of text, and its contrast with what lies behind it, in light and dark."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import pytest
from drawn_games import GAMES, drawn

from rat_envs.engine.colours import PAPER, dark_rules
from rat_envs.engine.raster import can_rasterise, rasterise
from rat_envs.engine.svg import document, symbol
from rat_envs.games.rattus_cartus.pieces import PANEL, STYLE
from rat_envs.games.rattus_cartus.symbols import CLASS_SYMBOLS
from rat_envs.games.rattus_cartus.tables import CLASSES

SVG = "{http://www.w3.org/2000/svg}"
#: What WCAG asks of text, and of large text, which has so many pixels, or fewer if it is bold.
LEAST, LEAST_OF_LARGE = 4.5, 3.0
LARGE, LARGE_AND_BOLD = 24, 18.6
#: Below this no text is, but what says again in small what a hint says: letters on tokens and cubes.
SMALLEST = 11
SMALL_SIGNS = re.compile(r"[A-Z.]{1,6}|[bryg]{1,4}|\+?\d{1,2}|P\d")
#: Where between its ends the ground of a text is looked at.
PLACES = (0.1, 0.3, 0.5, 0.7, 0.9)
#: A symbol is looked at in a square of this side, without so many pixels at its edge, then so many that are its edge.
SIDE, BLURRED, EDGE = 240, 2, 4
HALF = 0.5

needs_pictures = pytest.mark.skipif(not can_rasterise(), reason='No pictures: pip install "rat-envs[render]".')
games = pytest.mark.parametrize("game", GAMES)


@dataclass(frozen=True)
class Text:
    """A text of a drawing, where it stands and how large, in pixels of the whole drawing."""

    words: str
    x: float
    y: float
    size: float
    anchor: str
    is_bold: bool
    fill: str
    is_faint: bool

    def grounds(self, picture: np.ndarray) -> np.ndarray:
        """(n, 3): what lies behind it in a picture without text."""
        width = 0.55 * self.size * len(self.words)
        left = self.x - width * {"start": 0, "middle": 0.5, "end": 1}[self.anchor]
        row = min(max(round(self.y - 0.36 * self.size), 0), len(picture) - 1)
        columns = [min(max(round(left + width * place), 0), picture.shape[1] - 1) for place in PLACES]
        return picture[row, columns]


def texts(element: ElementTree.Element, x=0.0, y=0.0, scale=1.0, is_faint=False) -> Iterator[Text]:
    """All texts of a drawing."""
    for each in element:
        at_x, at_y, by = x, y, scale
        if move := re.fullmatch(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", each.get("transform", "")):
            at_x, at_y, by = x + scale * float(move[1]), y + scale * float(move[2]), scale * float(move[3] or 1)
        if each.tag == f"{SVG}text":
            place = at_x + by * float(each.get("x", "")), at_y + by * float(each.get("y", ""))
            bold = each.get("font-weight") == "bold"
            how = by * float(each.get("font-size", "")), each.get("text-anchor", ""), bold, each.get("fill", "")
            yield Text(each.text or "", *place, *how, is_faint)
        yield from texts(each, at_x, at_y, by, is_faint or float(each.get("opacity", 1)) < 1)


@functools.cache
def read(svg: str) -> tuple[Text, ...]:
    """All texts of a drawing."""
    return tuple(texts(ElementTree.fromstring(svg)))


def luminance(colour) -> float:
    """Of (R, G, B) from 0 to 255, as WCAG has it."""
    shares = np.asarray(colour) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one, other) -> float:
    """Of two colours: from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def in_the_dark(svg: str, fill: str) -> str:
    """What the fill of a text is there."""
    rules = dark_rules(svg)
    own = re.findall(rf'text\[fill="{fill}"\]{{fill:(#\w+)}}', rules)
    return (own or re.findall(rf'(?:^|}})\[fill="{fill}"\]{{fill:(#\w+)}}', rules) or [fill])[-1]


@games
@needs_pictures
@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground(game, dark):
    pale = {}
    for svg in drawn(game):
        picture = rasterise(re.sub(r"<text.*?</text>", "", svg), dark=dark)
        for text in read(svg):
            if text.is_faint:
                continue
            fill = in_the_dark(svg, text.fill) if dark else text.fill
            colour = [int(fill[place : place + 2], 16) for place in (1, 3, 5)]
            found = float(np.median([contrast(colour, ground) for ground in text.grounds(picture)]))
            is_large = text.size >= LARGE or (text.is_bold and text.size >= LARGE_AND_BOLD)
            if found < (LEAST_OF_LARGE if is_large else LEAST):
                pale[text.words, fill] = round(found, 2)
    assert not pale


@games
def test_no_text_is_too_small(game):
    small = {
        (text.words, round(text.size, 1))
        for svg in drawn(game)
        for text in read(svg)
        if text.size < SMALLEST and not SMALL_SIGNS.fullmatch(text.words)
    }
    assert not small


# Pictures that name something


@needs_pictures
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("number", range(len(CLASSES)), ids=CLASSES)
def test_the_picture_of_a_class_stands_out_where_it_alone_names_it(number, dark):
    """On cards and panels half of its edge, or half of all of it, has the contrast that WCAG 1.4.11 asks for."""
    for ground in (PAPER, PANEL):
        shares = shares_that_stand_out(CLASS_SYMBOLS[number], ground, dark)
        assert max(shares) >= HALF, (ground, shares)


def shares_that_stand_out(drawing: str, ground: str, dark: bool) -> tuple[float, float]:
    """Of the edge of a symbol on a ground, and of all of it."""
    empty, drawn = (
        rasterise(document(SIDE, SIDE, ground, symbol(part, 0, 0, SIDE), style=STYLE), dark=dark)
        for part in ("", drawing)
    )
    colour = empty[0, 0]
    differs = (drawn != colour).any(axis=2)
    stands_out = np.zeros(differs.shape, bool)
    for other in np.unique(drawn[differs], axis=0):
        stands_out |= (drawn == other).all(axis=2) & (contrast(other, colour) >= LEAST_OF_LARGE)
    within = differs
    for _ in range(BLURRED):  # where the ground shines through
        within = shrunk(within)
    inner = within
    for _ in range(EDGE):
        inner = shrunk(inner)
    edge = within & ~inner
    return float(stands_out[edge].mean()), float(stands_out[within].mean())


def shrunk(shape: np.ndarray) -> np.ndarray:
    """A shape without the pixels at its edge."""
    padded = np.pad(shape, 1)
    return shape & padded[2:, 1:-1] & padded[:-2, 1:-1] & padded[1:-1, 2:] & padded[1:-1, :-2]
