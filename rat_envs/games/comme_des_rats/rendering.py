"""The table as SVG: the other rats at the top, piles and dice in the middle, the observer at the bottom."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from rat_envs.engine.colours import BADGE, DIM, INK, PAPER, Dark, dark_style
from rat_envs.engine.game import PointOfView
from rat_envs.engine.svg import badge, document, group, label, pips, rectangle, slot, small_tag, symbol, tag
from rat_envs.engine.wording import named, number_of, possessive
from rat_envs.games.comme_des_rats.choices import card_spot, die_spot, pile_spot, rat_spot
from rat_envs.games.comme_des_rats.components import BANDAGES_TO_BE_OUT, CLAW, TRAP
from rat_envs.games.comme_des_rats.symbols import CARD_SYMBOLS, EYE, FACE_SYMBOLS, FIGURE
from rat_envs.games.comme_des_rats.symbols import INK as SYMBOL_INK
from rat_envs.games.comme_des_rats.view import Pile, Rat, ThirdRatCard, View, view
from rat_envs.games.comme_des_rats.wording import (
    CARD_RULES,
    CARD_WORDS,
    FACE_RULES,
    FACE_WORDS,
    ROLE_RULES,
    ROLE_WORDS,
    configuration_in_words,
    die_in_words,
    question,
    result,
    round_in_words,
    statement_in_words,
    text,
    third_rat_card_in_words,
)

__all__ = ["drawing", "text"]

WIDTH, HEIGHT = 760, 520
MARGIN, GAP = 16, 10
HEAD_HEIGHT = 36
OTHERS, OTHERS_HEIGHT = 50, 130
MIDDLE, MIDDLE_HEIGHT = 190, 156
NEAR, NEAR_HEIGHT = 358, 122
FOOT = 505

PILES_WIDTH, DICE_LEFT = 464, 500
PILE_WIDTH, PILE_HEIGHT = 50, 72
DIE_SIDE = 54

TABLE, PANEL = "#e9e3d5", "#f5f1e7"
DOOR, GOLD, DARK_GOLD, RED, SHADE = "#7b5a3c", "#c08a12", "#8f640b", "#b8332e", "#cfc7b5"
SEAT_COLOURS = ("#2f62a3", "#b23b36", "#3b7a45", "#7a4b9c", "#a35413")
THIRD_RAT_COLOUR = "#6b6256"
STYLE = dark_style(
    {TABLE: Dark.TABLE, PANEL: Dark.PANEL, SHADE: Dark.SHADE, SYMBOL_INK: Dark.INK},
    {
        **dict(zip(SEAT_COLOURS, Dark.SEATS, strict=True)),
        THIRD_RAT_COLOUR: Dark.DIM,
        DARK_GOLD: "#e3b04b",
        RED: "#f0958f",
    },
)
#: Lines about earlier events: how many, their height, and letters in each.
LINES, LINE, LETTERS = 3, 17, 104
STRIP_HEIGHT = LINE * LINES + 20


def drawing(row: Any, point_of_view: PointOfView, told: Sequence[str] | None = None) -> str:
    """The table as an SVG document (CR-70 to CR-77).

    Args:
        row: record of ``STATE``.
        point_of_view: a seat, None for a spectator, ``EVERYTHING`` for what all seats know together.
        told: sentences about earlier events; if they are given, the last ones are shown below the table.
    """
    seen = view(row, point_of_view)
    width = (WIDTH - 2 * MARGIN - GAP * (len(seen.others) - 1)) / len(seen.others)
    return document(
        WIDTH,
        HEIGHT + (STRIP_HEIGHT if told is not None else 0),
        TABLE,
        head(seen),
        *(other(seen, rat, MARGIN + place * (width + GAP), width) for place, rat in enumerate(seen.others)),
        rectangle(MARGIN, MIDDLE, WIDTH - 2 * MARGIN, MIDDLE_HEIGHT, PANEL, radius=10),
        piles(seen),
        third_rat_cards(seen),
        ending(seen) if seen.is_over else dice(seen),
        discard(seen),
        near(seen),
        foot(seen),
        *([last_events(told)] if told else []),
        style=STYLE,
    )


def colour(rat: Rat) -> str:
    """A rat's colour."""
    return THIRD_RAT_COLOUR if rat.is_third_rat else SEAT_COLOURS[rat.number]


def head(seen: View) -> str:
    """The game, the round and the options."""
    return (
        rectangle(0, 0, WIDTH, HEAD_HEIGHT, BADGE)
        + label(MARGIN, 24, "Comme des Rats", 16, "#ffffff", bold=True)
        + label(172, 24, round_in_words(seen), 12.5, "#f4d77a")
        + label(WIDTH - MARGIN, 24, configuration_in_words(seen), 11, "#e4dccb", "end")
    )


def foot(seen: View) -> str:
    """What the observer is asked, or how far the turn has come."""
    words = sentence(seen)
    return label(WIDTH / 2, FOOT, words, min(13, 1050 / len(words)), INK, "middle", True)


def last_events(told: Sequence[str]) -> str:
    """The last sentences, the newest one at the bottom."""
    lines = [line for sentence in told[-LINES:] for line in textwrap.wrap(sentence, LETTERS)][-LINES:]
    words = [
        label(MARGIN + 12, HEIGHT + 18 + LINE * place, line, 12, INK if place == len(lines) - 1 else DIM)
        for place, line in enumerate(lines)
    ]
    strip = rectangle(MARGIN, HEIGHT, WIDTH - 2 * MARGIN, STRIP_HEIGHT - 8, PANEL, SHADE, 8, 1)
    return group(strip, *words, hint="what has happened, the newest at the bottom")


def sentence(seen: View) -> str:
    """The one sentence below the table."""
    if seen.is_over:
        return result(seen)
    if question(seen):
        return question(seen)
    if seen.resolved:
        return f"Now {die_in_words(seen)}"
    partner = next((rat for rat in seen.rats if rat.is_partner), None)
    choosing = "" if partner is None else f": {named(partner)} chooses which die to keep"
    return f"It is {possessive(seen.active)} turn{choosing}"


# Rats


def frame(seen: View, rat: Rat, x: float, y: float, width: float, height: float) -> str:
    """A rat's panel; its border shows whose turn it is, and which rat a die is aimed at."""
    is_aimed_at = rat in (seen.robbed, seen.aimed_at)
    winner = seen.is_over and rat in seen.winners
    if seen.is_over:
        stroke = GOLD if winner else SHADE
    else:
        stroke = RED if is_aimed_at else GOLD if rat.is_active else SHADE
    box = rectangle(x, y, width, height, PANEL, stroke, 10, 1.2 if stroke == SHADE else 2.4)
    if seen.is_over:
        part = "winner" if winner else ""
    else:
        part = "active" if rat.is_active else "partner" if rat.is_partner else ""
    if not part:
        return box
    middle = x + width / 2
    figure = symbol(FIGURE, middle - 48, y - 14, 24) if rat.is_active and not seen.is_over else ""
    return box + figure + small_tag(middle - 27, y - 8, 54, part, BADGE if part == "partner" else DARK_GOLD)


def other(seen: View, rat: Rat, x: float, width: float) -> str:
    """One of the rats at the top."""
    right = x + width - 9
    return group(
        frame(seen, rat, x, OTHERS, width, OTHERS_HEIGHT),
        tag(x + 8, OTHERS + 12, 84, rat.name, colour(rat)),
        label(right, OTHERS + 27, number_of(rat.points, "point"), 12.5, INK, "end", True),
        health(rat, x + 10, OTHERS + 46),
        part_in_roles(rat, right, OTHERS + 38),
        stock(rat, x + 10, OTHERS + 62, width - 20, 28, 38),
        bubble(seen, rat, x + 8, OTHERS + 107, width - 16),
        spot=rat_spot(rat),
    )


def near(seen: View) -> str:
    """The observer, or player_0 for a spectator."""
    rat = seen.near
    x, right = MARGIN, WIDTH - MARGIN - 12
    name = f"{rat.name}, you" if rat.is_observer else rat.name
    return group(
        frame(seen, rat, x, NEAR, WIDTH - 2 * MARGIN, NEAR_HEIGHT),
        tag(x + 12, NEAR + 12, 118, name, colour(rat)),
        label(x + 144, NEAR + 27, number_of(rat.points, "point"), 13, INK, bold=True),
        health(rat, x + 226, NEAR + 22),
        part_in_roles(rat, right, NEAR + 12),
        stock(rat, x + 14, NEAR + 42, 430, 58, 68, are_named=True),
        bubble(seen, rat, right - 230, NEAR + 92, 230),
        label(right, NEAR + 58, role_secret(rat), 11, DIM, "end"),
        spot=rat_spot(rat),
    )


def role_secret(rat: Rat) -> str:
    """Whether others know the observer's role."""
    if rat.role is None or not rat.is_observer:
        return ""
    return "everybody knows this role" if rat.role_shown else "nobody else knows this role"


def health(rat: Rat, x: float, y: float) -> str:
    """Bandages (CR-20), and whether the cat visited it this turn (CR-16)."""
    visited = group(symbol(FACE_SYMBOLS[CLAW], x + 49, y - 6.5, 13), hint="visited by the cat in this turn")
    rings = group(pips(x, y, rat.bandages, BANDAGES_TO_BE_OUT, RED, 5.5), hint=number_of(rat.bandages, "bandage"))
    return rings + (visited if rat.is_visited else "")


def part_in_roles(rat: Rat, right: float, y: float) -> str:
    """The role as far as it is known, or the fact that it is not the Fool (CR-54, CR-70)."""
    if rat.role is not None:
        words = ROLE_WORDS[rat.role].removeprefix("the ")
        return group(tag(right - 90, y, 90, words, BADGE if rat.role_shown else DARK_GOLD), hint=ROLE_RULES[rat.role])
    if rat.trap_shown:
        return symbol(CARD_SYMBOLS[TRAP], right - 66, y + 2, 16) + label(right, y + 14.5, "no Fool", 11, DIM, "end")
    return ""


def bubble(seen: View, rat: Rat, x: float, y: float, width: float) -> str:
    """What a rat has said in this turn (CR-40)."""
    if rat.statement is None:
        return ""
    words = statement_in_words(seen.rats, seen.active, rat.statement).removeprefix("said: ")
    return rectangle(x, y, width, 18, PAPER, SHADE, 9, 1) + label(x + width / 2, y + 12.8, words, 11, INK, "middle")


# Cards


def stock(
    rat: Rat, x: float, y: float, width: float, card_width: float, card_height: float, are_named: bool = False
) -> str:
    """A stock: the known cards by kind, the others face down; a number where there are more than one."""
    if rat.is_out:
        return label(x, y + card_height / 2 + 5, "out of the round", 13, RED, bold=True)
    stacks: list[tuple[int | None, int]] = [(card, number) for card, number in enumerate(rat.known) if number]
    stacks += [(None, rat.unknown)] if rat.unknown else []
    if not stacks:
        return label(x, y + card_height / 2 + 4, "no cards", 11, DIM)
    step = min(card_width + 14, (width - card_width - 6) / max(1, len(stacks) - 1))
    return "".join(
        stack(
            *(x + place * step, y, card_width, card_height, card, number, colour(rat), are_named),
            spot=card_spot(card) if rat.is_observer and card is not None else "",
        )
        for place, (card, number) in enumerate(stacks)
    )


def stack(
    x: float,
    y: float,
    width: float,
    height: float,
    card: int | None,
    number: int,
    fill: str,
    is_named: bool = False,
    spot: str = "",
) -> str:
    """Cards of one kind, or face down, with their number."""
    below = [(shift, shift) for shift in (4, 2) if number > shift / 2]
    edges = "".join(rectangle(x + dx, y + dy, width, height, SHADE, DIM, 5, 0.8) for dx, dy in below)
    top = back(x, y, width, height, fill) if card is None else front(x, y, width, height, card, is_named)
    count = badge(x + width - 2, y + 3, str(number), BADGE) if number > 1 or card is None else ""
    hint = f"{number} unknown" if card is None else f"{CARD_WORDS[card]}: {number} ({CARD_RULES[card]})"
    return group(edges, top, count, hint=hint, spot=spot)


def front(x: float, y: float, width: float, height: float, card: int, is_named: bool = False) -> str:
    """A door card face up."""
    side = width * 0.72
    rise = height * 0.1 if is_named else 0
    name = label(x + width / 2, y + height - 7, CARD_WORDS[card], 11, INK, "middle") if is_named else ""
    paper = rectangle(x, y, width, height, PAPER, DIM, 5, 1)
    return paper + symbol(CARD_SYMBOLS[card], x + (width - side) / 2, y + (height - side) / 2 - rise, side) + name


def back(x: float, y: float, width: float, height: float, fill: str) -> str:
    """A card face down."""
    return (
        rectangle(x, y, width, height, PAPER, DIM, 5, 1)
        + rectangle(x + 3, y + 3, width - 6, height - 6, fill, radius=3)
        + rectangle(x + 6, y + 6, width - 12, height - 12, "none", PAPER, 2, 1, "2 2")
    )


def small_cards(cards: tuple[int, ...], x: float, y: float) -> str:
    """Face-up cards side by side, as small as can be told apart."""
    return "".join(front(x + 17 * place, y, 16, 19, card) for place, card in enumerate(cards))


# Piles


def piles(seen: View) -> str:
    """The piles in a row; the third rat's cards, if it takes part, need the space beside them."""
    number = len(seen.piles)
    width = PILES_WIDTH / max(number, 5 if seen.third_rat_cards else number)
    return "".join(
        pile(seen, each, MARGIN + 8 + place * width + (width - 92) / 2) for place, each in enumerate(seen.piles)
    )


def pile(seen: View, each: Pile, x: float) -> str:
    """A pile face down with its size, the traps beside it, and what the observer knows of it."""
    y = MIDDLE + 16
    chosen = each.is_searched and not seen.is_over
    ring = rectangle(x - 4, y - 4, PILE_WIDTH + 8, PILE_HEIGHT + 8, "none", GOLD, 8, 2.5) if chosen else ""
    eye = group(symbol(EYE, x + 57, y + 48, 20), hint="the Manipulator looked through it") if each.is_looked_at else ""
    return group(
        ring,
        pile_cards(each, x, y),
        stack(x + 54, y, 26, 34, TRAP, each.traps_beside, DOOR) if each.traps_beside else "",
        eye,
        label(x + PILE_WIDTH / 2, y + PILE_HEIGHT + 19, f"Pile {each.number + 1}", 12, INK, "middle", True),
        pile_knowledge(each, x, y + PILE_HEIGHT + 29),
        spot=pile_spot(each.number),
    )


def pile_cards(each: Pile, x: float, y: float) -> str:
    """The face-down cards."""
    if each.size == 0:
        return slot(x, y, PILE_WIDTH, PILE_HEIGHT, "empty")
    edges = "".join(
        rectangle(x, y - 2 * depth, PILE_WIDTH, PILE_HEIGHT, SHADE, DIM, 5, 0.8) for depth in range(each.size - 1)
    )
    top = back(x, y - 2 * (each.size - 1), PILE_WIDTH, PILE_HEIGHT, DOOR)
    middle = y - 2 * (each.size - 1) + PILE_HEIGHT / 2
    return edges + top + label(x + PILE_WIDTH / 2, middle + 9, str(each.size), 25, PAPER, "middle", True)


def pile_knowledge(each: Pile, x: float, y: float) -> str:
    """CR-71: the Manipulator's cards from the top, the Fool's traps."""
    if each.known:
        traps = f"; {number_of(each.traps_stored, 'trap')} drawn by the Fool" if each.traps_stored else ""
        return group(small_cards(each.known, x, y), hint=f"from the top, left to right{traps}")
    if not each.traps_stored:
        return ""
    return symbol(CARD_SYMBOLS[TRAP], x, y, 18) + label(x + 23, y + 14, f"{each.traps_stored} drawn", 11, DIM)


# Dice


def dice(seen: View) -> str:
    """Both dice, their owners once known, and the first roll."""
    left = DICE_LEFT + 14
    if not seen.dice:
        return "".join(slot(left + 84 * place, MIDDLE + 14, DIE_SIDE, DIE_SIDE, "") for place in range(2))
    faces = seen.kept or seen.dice
    owners = (seen.partner, seen.active) if seen.kept else (None, None)
    pair = "".join(
        die(left + 84 * place, MIDDLE + 14, face, owner, seen.resolved == place + 1)
        for place, (face, owner) in enumerate(zip(faces, owners, strict=True))
    )
    return pair + (first_roll(seen, left + 168) if seen.rerolled else "")


def die(x: float, y: float, face: int, owner: Rat | None, is_resolved: bool) -> str:
    """A die, its face, and its owner."""
    middle = x + DIE_SIDE / 2
    whose = label(middle, y + DIE_SIDE + 31, owner.name, 11.5, colour(owner), "middle", True) if owner else ""
    line = rectangle(x, y, DIE_SIDE, DIE_SIDE, PAPER, GOLD if is_resolved else INK, 11, 3.5 if is_resolved else 1.8)
    name = label(middle, y + DIE_SIDE + 16, FACE_WORDS[face], 11, DIM, "middle")
    picture = symbol(FACE_SYMBOLS[face], x + 8, y + 8, DIE_SIDE - 16)
    hint = f"{FACE_WORDS[face]}: {FACE_RULES[face]}"
    return group(line, picture, name, whose, hint=hint, spot=die_spot(face))


def first_roll(seen: View, x: float) -> str:
    """CR-06: the first roll, if it was rerolled."""
    small_dice = [
        rectangle(at, MIDDLE + 34, 22, 22, PAPER, DIM, 5, 1) + symbol(FACE_SYMBOLS[face], at + 3, MIDDLE + 37, 16)
        for at, face in zip((x, x + 26), seen.first_roll, strict=True)
    ]
    return label(x + 24, MIDDLE + 25, "before", 11, DIM, "middle") + group(*small_dice, opacity=0.75)


def ending(seen: View) -> str:
    """The end of the game (CR-30, CR-81)."""
    middle = (DICE_LEFT + WIDTH - MARGIN) / 2
    best = seen.winners[0]
    is_alone = len(seen.winners) == 1
    words = named(best) if is_alone else "shared"
    return (
        label(middle, MIDDLE + 34, "The game is over", 13, DIM, "middle")
        + label(middle, MIDDLE + 66, words, 25, colour(best) if is_alone else DARK_GOLD, "middle", True)
        + label(middle, MIDDLE + 88, f"with {number_of(best.points, 'point')}", 12, DIM, "middle")
    )


def discard(seen: View) -> str:
    """The discard pile by kind (CR-70)."""
    y = MIDDLE + 112
    cards = [(card, number) for card, number in enumerate(seen.discard) if number]
    words = label(DICE_LEFT + 14, y + 22, "discarded", 11, DIM)
    none = label(DICE_LEFT + 84, y + 22, "nothing", 11, DIM)
    shown = [stack(DICE_LEFT + 84 + 38 * place, y, 24, 32, *each, DOOR) for place, each in enumerate(cards)]
    return words + ("".join(shown) or none)


# The third rat's cards


def third_rat_cards(seen: View) -> str:
    """CR-60 to CR-63: its six cards, the shown ones pale, this turn's marked."""
    return "".join(
        third_rat_card(card, f"tr{number + 1}", MIDDLE + 10 + 23 * number, number == seen.third_rat_card)
        for number, card in enumerate(seen.third_rat_cards)
    )


def third_rat_card(card: ThirdRatCard, name: str, y: float, is_current: bool) -> str:
    """One card in a line: the faces in order of preference, and who decides."""
    x = MARGIN + 8 + PILES_WIDTH * 3 / 5
    return group(
        rectangle(x, y, 180, 21, PAPER, GOLD if is_current else SHADE, 5, 2.2 if is_current else 1),
        label(x + 6, y + 15, name, 11, THIRD_RAT_COLOUR, bold=True),
        *(symbol(FACE_SYMBOLS[face], x + 30 + 18 * place, y + 3, 15) for place, face in enumerate(card.faces)),
        label(x + 174, y + 14.5, "opponent" if card.opponent_decides else "active", 11, DIM, "end"),
        hint=third_rat_card_in_words(card),
        opacity=0.35 if card.is_shown and not is_current else 1,
    )
