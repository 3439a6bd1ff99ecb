"""The few SVG elements that drawings of card tables are made of; each function returns a piece of a document.

Text asks for DejaVu Sans, or any sans-serif font: nothing outside the document is needed to show it.
"""

from __future__ import annotations

from html import escape

from rat_envs.engine.colours import DIM, INK, PAPER, dark_style

__all__ = [
    "badge",
    "card_back",
    "circle",
    "document",
    "group",
    "label",
    "path",
    "pips",
    "placed",
    "rectangle",
    "slot",
    "small_tag",
    "symbol",
    "tag",
]

FONTS = "DejaVu Sans, sans-serif"
#: Symbols are drawn in a square of this side.
SYMBOL_SIDE = 24


def document(width: int, height: int, background: str, *parts: str, style: str = dark_style({})) -> str:
    """A whole document of a fixed size; ``style`` is of :func:`~rat_envs.engine.colours.dark_style`."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    table = rectangle(0, 0, width, height, background)
    return "\n".join([f'{head} font-family="{FONTS}">', style, table, *parts, "</svg>"]) + "\n"


def group(*parts: str, hint: str = "", opacity: float = 1, spot: str = "") -> str:
    """Elements that belong together.

    Args:
        hint: appears in a browser when the pointer rests on them.
        spot: the name of this place, for :class:`~rat_envs.engine.choices.Choice`: what a click on it stands for.
    """
    title = f"<title>{escape(hint)}</title>" if hint else ""
    faint = f' opacity="{opacity:g}"' if opacity != 1 else ""
    place = f' data-spot="{escape(spot)}"' if spot else ""
    return f"<g{place}{faint}>{title}{''.join(parts)}</g>"


def placed(x: float, y: float, scale: float, *parts: str) -> str:
    """Elements drawn around their own origin, moved to (x, y) and scaled."""
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g})">{"".join(parts)}</g>'


def symbol(drawing: str, x: float, y: float, side: float) -> str:
    """A symbol in a square of ``side`` with its upper left corner at (x, y)."""
    return placed(x, y, side / SYMBOL_SIDE, drawing)


def rectangle(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    stroke: str = "none",
    radius: float = 0,
    line: float = 1.5,
    dashes: str = "",
) -> str:
    """A rectangle with rounded corners."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="{line:g}"{dashed}/>'
    )


def circle(x: float, y: float, radius: float, fill: str, stroke: str = "none", line: float = 1.5) -> str:
    """A circle around (x, y)."""
    style = f'fill="{fill}" stroke="{stroke}" stroke-width="{line:g}"'
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'


def path(outline: str, fill: str, stroke: str = "none", line: float = 1.5) -> str:
    """A shape by its outline, in the notation of SVG ("M0 0 L8 4 Z")."""
    style = f'fill="{fill}" stroke="{stroke}" stroke-width="{line:g}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{outline}" {style}/>'


def label(
    x: float, y: float, text: str, size: float = 13, fill: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    """A line of text on the baseline ``y``; ``anchor`` is start, middle or end."""
    weight = ' font-weight="bold"' if bold else ""
    style = f'font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"{weight}'
    return f'<text x="{x:g}" y="{y:g}" {style}>{escape(text)}</text>'


def tag(x: float, y: float, width: float, text: str, fill: str, ink: str = "#ffffff") -> str:
    """A short text on a pill of ``width``, its upper left corner at (x, y), 20 high."""
    return rectangle(x, y, width, 20, fill, radius=10) + label(x + width / 2, y + 14.5, text, 12, ink, "middle", True)


def small_tag(x: float, y: float, width: float, words: str, fill: str, ink: str = PAPER) -> str:
    """A very short text on a pill, 16 high."""
    return rectangle(x, y, width, 16, fill, radius=8) + label(x + width / 2, y + 11.8, words, 11, ink, "middle", True)


def badge(x: float, y: float, text: str, fill: str, radius: float = 8.5) -> str:
    """A number or another very short text in a disc around (x, y)."""
    return circle(x, y, radius, fill, PAPER) + label(
        x, y + 0.42 * radius, text, 1.25 * radius, "#ffffff", "middle", True
    )


def pips(x: float, y: float, full: int, number: int, fill: str, radius: float = 6.5) -> str:
    """A row of ``number`` rings around ``y``, the first ``full`` of them filled."""
    gap = 2 * radius + 4
    return "".join(
        circle(x + radius + place * gap, y, radius, fill if place < full else PAPER, fill) for place in range(number)
    )


def card_back(x: float, y: float, width: float, height: float, colour: str, hint: str = "") -> str:
    """A card face down."""
    return group(
        rectangle(x, y, width, height, PAPER, colour, 8, 2),
        rectangle(x + 5, y + 5, width - 10, height - 10, colour, radius=5),
        rectangle(x + 11, y + 11, width - 22, height - 22, "none", PAPER, 4, 1.5, "3 3"),
        label(x + width / 2, y + height * 0.61, "?", height * 0.32, PAPER, "middle", True),
        hint=hint,
    )


def slot(x: float, y: float, width: float, height: float, text: str, colour: str = DIM) -> str:
    """The empty place of a card, with a word in it."""
    place = rectangle(x, y, width, height, "none", colour, 8, 1.5, "5 4")
    return place + label(x + width / 2, y + height / 2 + 4, text, 11, colour, "middle")
