"""Cards, discs and numbers that the drawing is made of."""

from __future__ import annotations

from collections.abc import Sequence

from rat_envs.engine.colours import BADGE, DIM, INK, PAPER, Dark, dark_style
from rat_envs.engine.svg import badge, circle, group, label, rectangle, symbol
from rat_envs.games.rattus_cartus.components import KINDS, class_of_card, nuns_on
from rat_envs.games.rattus_cartus.symbols import CLASS_SYMBOLS, LIGHT_VIOLET, NUN, SPECIAL_SYMBOLS, VIOLET
from rat_envs.games.rattus_cartus.symbols import INK as SYMBOL_INK
from rat_envs.games.rattus_cartus.tables import CARDS, CLASSES, SPECIALS
from rat_envs.games.rattus_cartus.view import Player
from rat_envs.games.rattus_cartus.wording import COLOURS, card_rules

TABLE, PANEL, WINNER = "#ddd3bd", "#f4eedf", "#f7e6b4"
GOLD, DARK_GOLD, SHADE, BACK = "#c08a12", "#8f640b", "#c3b79d", "#6b4f3a"
#: By number of seat: blue, red, green, purple, orange.
SEAT_COLOURS = ("#2f62a3", "#bd332b", "#2c7d43", "#76479a", "#b85f10")
CLASS_COLOURS = ("#5f6b2c", "#875f14", "#54698a", "#86413c", "#5d4385", "#a03c66")

STYLE = dark_style(
    {
        **{TABLE: Dark.TABLE, PANEL: Dark.PANEL, WINNER: "#4d4120", SHADE: Dark.SHADE},
        **{SYMBOL_INK: Dark.INK, VIOLET: LIGHT_VIOLET},
    },
)

CHIP_WIDTH, CHIP_HEIGHT = 25, 35


def panel(x: float, y: float, width: float, height: float, is_marked: bool = False) -> str:
    """A part of the table; a marked one has a golden border."""
    return rectangle(x, y, width, height, PANEL, GOLD if is_marked else SHADE, 9, 2.6 if is_marked else 1.2)


def disc(x: float, y: float, player: Player, radius: float = 12) -> str:
    """A disc around (x, y) with its owner's sign."""
    middle = y + radius * 0.34
    return group(
        circle(x, y, radius, SEAT_COLOURS[player.number], PAPER, 1.4),
        label(x, middle, player.sign, max(11, radius * 0.9), PAPER, "middle", True),
        hint=f"{player.name}, {COLOURS[player.number]}",
    )


def flat_disc(x: float, y: float, width: float, height: float, player: Player) -> str:
    """A disc of a stack, seen from the side, with its upper left corner at (x, y)."""
    return rectangle(x, y, width, height, SEAT_COLOURS[player.number], PAPER, height * 0.4, 0.8) + label(
        x + width / 2, y + height * 0.8, player.sign, height * 0.82, PAPER, "middle", True
    )


def number_with(drawing: str, x: float, y: float, number: int | str, side: float = 18, hint: str = "") -> str:
    """A picture, and a number beside it."""
    words = label(x + side + 4, y + side * 0.76, str(number), side * 0.72, INK, bold=True)
    return group(symbol(drawing, x, y, side), words, hint=hint)


# Cards


def colour_of(kind: int) -> str:
    """The colour of a card's class; special cards have one of their own."""
    return CLASS_COLOURS[class_of_card(kind)] if kind < KINDS else BADGE


def picture_of(kind: int) -> str:
    """The picture of a card's class, or of a special card."""
    return CLASS_SYMBOLS[class_of_card(kind)] if kind < KINDS else SPECIAL_SYMBOLS[kind - KINDS]


def name_of(kind: int) -> str:
    """A card's class, or its name."""
    return CLASSES[class_of_card(kind)] if kind < KINDS else SPECIALS[kind - KINDS]


def front(x: float, y: float, width: float, height: float, kind: int, number: int = 1) -> str:
    """A card face up: its class, below it how many nuns it has; with a number if there are several."""
    band, side = height * 0.17, width * 0.56
    parts = [
        rectangle(x + 3, y + 3, width, height, SHADE, DIM, 5, 0.8) if number > 1 else "",
        rectangle(x, y, width, height, PAPER, colour_of(kind), 5, 1.6),
        rectangle(x, y, width, band, colour_of(kind), radius=4),
        label(x + width / 2, y + band * 0.74, name_of(kind), 11, PAPER, "middle"),
    ]
    if kind < KINDS:
        parts.append(symbol(picture_of(kind), x + (width - side) / 2, y + band + height * 0.05, side))
        parts.append(nun_count(x + width / 2, y + height * 0.8, nuns_on(kind), height * 0.24))
    else:
        parts.append(symbol(picture_of(kind), x + width * 0.15, y + band + height * 0.14, width * 0.7))
    parts.append(badge(x + width - 3, y + height - 4, f"{number}", BADGE) if number > 1 else "")
    return group(*parts, hint=f"{CARDS[kind]}: {number} ({card_rules(kind)})")


def nun_count(x: float, y: float, number: int, side: float) -> str:
    """How many nuns, around (x, y)."""
    words = label(x - 2, y + side * 0.36, str(number), side * 0.95, INK, "end", True)
    picture = symbol(NUN, x + 1, y - side / 2, side)
    return words + (picture if number else group(picture, opacity=0.25))


def chip(x: float, y: float, kind: int, number: int, visible: float) -> str:
    """A face-up card, as small as can be told apart: the picture, and below it the nuns."""
    parts = [rectangle(x, y, CHIP_WIDTH, CHIP_HEIGHT, PAPER, colour_of(kind), 3, 1.3)]
    if kind < KINDS:
        parts.append(rectangle(x, y + 22, CHIP_WIDTH, 13, colour_of(kind), radius=2))
        parts.append(label(x + min(CHIP_WIDTH / 2, visible / 2), y + 33, str(nuns_on(kind)), 12, PAPER, "middle", True))
        parts.append(symbol(picture_of(kind), x + 3.5, y + 2.5, 18))
    else:
        parts.append(symbol(picture_of(kind), x + 2.5, y + 7.5, 20))
    parts.append(badge(x + min(CHIP_WIDTH - 2, visible - 8), y + 3, str(number), BADGE, radius=8.8) * (number > 1))
    return group(*parts, hint=f"{CARDS[kind]}: {number} ({card_rules(kind)})")


def chips(cards: Sequence[int], x: float, y: float, width: float) -> str:
    """Face-up cards by kind, overlapping if there is no room for them side by side."""
    kinds = [(kind, number) for kind, number in enumerate(cards) if number]
    step = min(CHIP_WIDTH + 4, (width - CHIP_WIDTH) / max(1, len(kinds) - 1))
    return "".join(chip(x + step * place, y, kind, number, step) for place, (kind, number) in enumerate(kinds))


def width_of_chips(cards: Sequence[int]) -> float:
    """The width of chips side by side."""
    return (CHIP_WIDTH + 4) * sum(number > 0 for number in cards)


def back(x: float, y: float, width: float, height: float, words: str = "", fill: str = BACK) -> str:
    """A card face down, with a number or another very short text."""
    return (
        rectangle(x, y, width, height, PAPER, DIM, width * 0.1, 1)
        + rectangle(x + 2, y + 2, width - 4, height - 4, fill, radius=width * 0.07)
        + (label(x + width / 2, y + height * 0.62, words, height * 0.34, PAPER, "middle", True) if words else "")
    )


def width_of_backs(number: int, width: float) -> float:
    """The width of face-down cards with their number, at most ``width``."""
    return step_of_backs(number, width) * (number - 1) + CHIP_WIDTH + 24 if number else 0.0


def step_of_backs(number: int, width: float) -> float:
    """The distance between face-down cards."""
    return min(12.0, (width - CHIP_WIDTH - 24) / max(1, number - 1))


def backs(number: int, x: float, y: float, width: float, fill: str) -> str:
    """Cards face down, small and overlapping, then their number."""
    step = step_of_backs(number, width)
    fan = "".join(back(x + step * place, y, CHIP_WIDTH, CHIP_HEIGHT, "", fill) for place in range(number))
    end = x + step * (number - 1) + CHIP_WIDTH
    return group(fan, label(end + 5, y + 22.5, str(number), 13, INK, bold=True), hint=f"{number} cards face down")
