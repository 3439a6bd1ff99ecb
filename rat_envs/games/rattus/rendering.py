"""The table as SVG: the map, and beside it the players, the class cards and the supply."""

from __future__ import annotations

import textwrap
from typing import Any

from rat_envs.engine.colours import Dark, dark_style
from rat_envs.engine.game import PointOfView
from rat_envs.engine.svg import badge, document, group, label, placed, rectangle, small_tag, symbol, tag
from rat_envs.engine.wording import number_of
from rat_envs.games.rattus import board, map_drawing
from rat_envs.games.rattus.choices import card_spot
from rat_envs.games.rattus.map_drawing import (
    DARK_COLOURS,
    DARK_GOLD,
    DARK_WORDS,
    GOLD,
    INK,
    LIMIT,
    PAPER,
    SEAT_COLOURS,
    SEAT_INKS,
    cube,
)
from rat_envs.games.rattus.symbols import CARD_SYMBOLS, CASTLE, RAT
from rat_envs.games.rattus.tables import CARDS, LETTERS
from rat_envs.games.rattus.view import Player, View, view
from rat_envs.games.rattus.wording import (
    CARD_RULES,
    CARD_WORDS,
    COLOURS,
    configuration_in_words,
    is_used,
    question,
    situation,
    text,
    unseen_limits,
    which_faces,
)

__all__ = ["drawing", "text"]

WIDTH, HEIGHT = 1010, 640
#: Letters in a line below the map, unless they are written smaller.
LETTERS_IN_LINE = 132
MARGIN = 12
HEAD_HEIGHT = 36
MAP_TOP = HEAD_HEIGHT + MARGIN
SIDE_LEFT = 2 * MARGIN + board.WIDTH
SIDE_WIDTH = WIDTH - SIDE_LEFT - MARGIN
PLAYER_HEIGHT, PLAYER_STEP = 58, 65
CARDS_WIDTH = 66
CARDS_TOP = MAP_TOP + 4 * PLAYER_STEP + 2
CARD_WIDTH, CARD_HEIGHT, CARD_GAP = 88, 82, 5
SUPPLY_TOP = CARDS_TOP + 2 * (CARD_HEIGHT + CARD_GAP) + 3
FOOT_TOP = MAP_TOP + board.HEIGHT

TABLE, PANEL, DIM, SHADE = "#dccfb0", "#f4ecd8", "#645a45", "#bfae87"
HEAD, BAR, BACK = "#3f3222", "#a48a5c", "#54432f"
STYLE = dark_style({TABLE: Dark.TABLE, PANEL: Dark.PANEL, DIM: Dark.DIM, SHADE: Dark.SHADE, **DARK_COLOURS}, DARK_WORDS)


def drawing(row: Any, point_of_view: PointOfView) -> str:
    """The table as an SVG document, from a point of view (RT-70 to RT-73)."""
    seen = view(row, point_of_view)
    return document(
        WIDTH,
        HEIGHT,
        TABLE,
        head(seen),
        placed(MARGIN, MAP_TOP, 1, map_drawing.board(seen)),
        *(player_panel(seen, player) for player in seen.players),
        *(class_card(seen, card) for card in range(len(CARDS))),
        supply(seen),
        foot(seen),
        style=STYLE,
    )


def head(seen: View) -> str:
    """The game and the options."""
    return (
        rectangle(0, 0, WIDTH, HEAD_HEIGHT, HEAD)
        + label(MARGIN + 4, 24, "Rattus", 17, "#ffffff", bold=True)
        + label(MARGIN + 80, 24, "Europe, 1347", 12.5, "#f0d48a")
        + label(WIDTH - MARGIN, 24, configuration_in_words(seen), 11, "#e4dccb", "end")
    )


def foot(seen: View) -> str:
    """The stage of the turn, and what the observer is asked; text that is too long is written smaller."""
    asked = question(seen)
    lines = in_lines(" ".join(situation(seen)), 1 if asked else 2)
    return "".join(
        label(MARGIN + 4, FOOT_TOP + 20 + 20 * place, line, 12.5 * min(1, LETTERS_IN_LINE / len(line)), INK, bold=True)
        for place, line in enumerate([*lines, *([asked] if asked else [])])
    )


def in_lines(words: str, most: int) -> list[str]:
    """Words in at most ``most`` lines, which are longer than usual if necessary."""
    letters = LETTERS_IN_LINE
    while len(lines := textwrap.wrap(words, letters)) > most:
        letters += 1
    return lines


# Players


def player_panel(seen: View, player: Player) -> str:
    """A player's name, pieces, score and cards; the border shows whose turn it is, or who has won."""
    x, y = SIDE_LEFT, MAP_TOP + PLAYER_STEP * player.number
    marked = player is seen.winner if seen.is_over else player.is_active and not seen.is_final_ravage
    box = rectangle(x, y, SIDE_WIDTH, PLAYER_HEIGHT, PANEL, GOLD if marked else SHADE, 8, 3 if marked else 1.2)
    colour, ink = SEAT_COLOURS[player.number], SEAT_INKS[player.number]
    side = "you" if player.is_observer else player.side
    return group(
        box,
        tag(x + 8, y + 7, 84, player.name, colour, ink),
        label(x + 98, y + 21, ", ".join(filter(None, (COLOURS[player.number], side))), 11, DIM),
        label(x + SIDE_WIDTH - 9, y + 22, f"{number_of(player.score, 'point')}", 13, INK, "end", True),
        small_tag(x + SIDE_WIDTH - 76, y + 33, 68, mark_word(seen, player), DARK_GOLD, PAPER) if marked else "",
        cube(player.number, player.stock, x + 10, y + 30),
        label(x + 39, y + 47, "in stock", 11, INK),
        group(
            symbol(CASTLE, x + 90, y + 32, 18),
            label(x + 112, y + 47, str(player.palace), 13, INK, bold=True),
            hint="cubes in the palace",
        ),
        held_cards(player, x + 130, y + 33),
    )


def mark_word(seen: View, player: Player) -> str:
    """Why a player is marked."""
    if seen.is_over:
        return "winner"
    return "your turn" if player.is_observer else "turn"


def held_cards(player: Player, x: float, y: float) -> str:
    """The pictures of the cards that a player holds, smaller if they are many: beside them there may be the mark."""
    step = min(16.0, CARDS_WIDTH / max(1, len(player.cards)))
    return "".join(
        group(symbol(CARD_SYMBOLS[card], x + step * place, y, step - 1), hint=f"{CARD_WORDS[card]}: {CARD_RULES[card]}")
        for place, card in enumerate(player.cards)
    )


# Class cards


def class_card(seen: View, card: int) -> str:
    """A class card: its picture, its letter on tokens, and its holder."""
    x = SIDE_LEFT + (CARD_WIDTH + CARD_GAP) * (card % 3)
    y = CARDS_TOP + (CARD_HEIGHT + CARD_GAP) * (card // 3)
    holder = seen.holder(card)
    colour = SHADE if holder is None else SEAT_COLOURS[holder.number]
    ink = INK if holder is None else SEAT_INKS[holder.number]
    used = is_used(seen, card)
    words = "free" if holder is None else holder.name
    return group(
        rectangle(x, y, CARD_WIDTH, CARD_HEIGHT, PAPER, colour, 7, 1.5 if holder is None else 3),
        group(symbol(CARD_SYMBOLS[card], x + (20 if used else 30), y + 19, 30), opacity=0.4 if used else 1),
        label(x + CARD_WIDTH - 7, y + 39, "used", 11, DIM, "end") if used else "",
        badge(x + 14, y + 14, LETTERS[card], LIMIT),
        label(x + 26, y + 15, CARD_WORDS[card], 11, INK, bold=True),
        rectangle(x + 4, y + CARD_HEIGHT - 23, CARD_WIDTH - 8, 18, colour, radius=4),
        label(x + CARD_WIDTH / 2, y + CARD_HEIGHT - 10, words, 11, ink, "middle", True),
        hint=f"{CARD_WORDS[card]} ({LETTERS[card]} on tokens): {CARD_RULES[card]}",
        spot=card_spot(card),
    )


# Supply


def supply(seen: View) -> str:
    """The supply as a stack, and the limits of the faces that are still to come."""
    x, y = SIDE_LEFT, SUPPLY_TOP
    return group(
        rectangle(x, y, SIDE_WIDTH, FOOT_TOP - y, PANEL, SHADE, 8, 1.2),
        supply_stack(seen, x + 35, y + 40),
        label(x + 35, y + 80, number_of(seen.supply, "token"), 11, INK, "middle", True),
        label(x + 35, y + 92, "in supply", 11, DIM, "middle"),
        label(x + 72, y + 17, f"Faces {which_faces(seen)}, by limit", 11, DIM),
        limits(seen, x + 72, y + 24, SIDE_WIDTH - 82, FOOT_TOP - y - 30),
    )


def supply_stack(seen: View, x: float, y: float) -> str:
    """Tokens face down."""
    tokens = [
        f'<circle cx="{x}" cy="{y - 2 * n}" r="17" fill="{BACK}" stroke="{INK}"/>'
        for n in range((seen.supply + 4) // 5)
    ]
    top = y - 2 * max(0, len(tokens) - 1)
    return "".join(tokens) + (symbol(RAT, x - 12, top - 12, 24) if tokens else label(x, y, "empty", 11, DIM, "middle"))


def limits(seen: View, x: float, y: float, width: float, height: float) -> str:
    """A bar for each limit."""
    counts = unseen_limits(seen)
    step = width / max(6, len(counts))
    most = max((number for _, number in counts), default=1)
    bars = []
    for place, (limit, number) in enumerate(counts):
        tall = (height - 34) * number / most
        middle = x + step * (place + 0.5)
        bars.append(rectangle(middle - step * 0.3, y + height - 18 - tall, step * 0.6, tall, BAR, radius=2))
        bars.append(label(middle, y + height - 21 - tall, str(number), 11, INK, "middle"))
        bars.append(label(middle, y + height - 5, str(limit), 11, LIMIT, "middle", True))
    return "".join(bars)
