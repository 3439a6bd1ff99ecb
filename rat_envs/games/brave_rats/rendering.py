"""The table as SVG: the far side at the top, the near side at the bottom, what both share in the middle."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from rat_envs.engine.colours import BADGE, DIM, INK, PAPER, Dark, dark_style
from rat_envs.engine.game import PointOfView
from rat_envs.engine.svg import badge, card_back, document, group, label, pips, rectangle, slot, tag
from rat_envs.games.brave_rats.choices import hand_spot, packet_spot
from rat_envs.games.brave_rats.last_round import Round
from rat_envs.games.brave_rats.rounds import ON_HOLD
from rat_envs.games.brave_rats.view import Side, View, view
from rat_envs.games.brave_rats.wording import (
    ABILITIES,
    card_name,
    configuration_in_words,
    hand_title,
    match_in_words,
    situation,
    text,
)

__all__ = ["drawing", "text"]

WIDTH, HEIGHT = 960, 596
MARGIN = 20
CARD_WIDTH, CARD_HEIGHT, GAP = 108, 140, 8
PILE_GAP = 24

TABLE, PANEL = "#e9e3d5", "#f5f1e7"
GOLD, NEUTRAL = "#8f640b", "#6b6256"
CLAN_COLOURS = ("#2f62a3", "#b23b36")
STYLE = dark_style(
    {TABLE: Dark.TABLE, PANEL: Dark.PANEL},
    {**dict(zip(CLAN_COLOURS, Dark.SEATS, strict=False)), NEUTRAL: Dark.DIM},
)

HEAD_HEIGHT = 38
FAR_NAME, FAR_CARDS = 45, 72
MIDDLE, MIDDLE_HEIGHT = 222, 156
NEAR_CARDS, NEAR_NAME = 388, 537
FOOT = 582

#: Height of a card's head; the ability below it: most letters in a line, and height of a line.
HEAD_OF_CARD, LETTERS_IN_LINE, LINE = 68, 15, 13.5
LINES = tuple(textwrap.wrap(ability, LETTERS_IN_LINE) for ability in ABILITIES)
LAST_LEFT = 616
DECIDING_LEFT = 512


def drawing(row: Any, point_of_view: PointOfView, rounds: Sequence[Round] = ()) -> str:
    """The table as an SVG document (BR-30 to BR-32).

    Args:
        row: record of ``STATE``.
        point_of_view: a seat, None for a spectator, ``EVERYTHING`` for both players' knowledge together.
        rounds: the settled rounds, if they are known; the last one is shown.
    """
    seen = view(row, point_of_view)
    last = rounds[-1] if rounds else None
    return document(
        WIDTH,
        HEIGHT,
        TABLE,
        head(seen),
        name_line(seen, seen.far, FAR_NAME),
        cards_line(seen.far, FAR_CARDS),
        rectangle(MARGIN - 12, MIDDLE, WIDTH - 2 * MARGIN + 24, MIDDLE_HEIGHT, PANEL, radius=10),
        middle(seen, last),
        cards_line(seen.near, NEAR_CARDS),
        name_line(seen, seen.near, NEAR_NAME),
        foot(seen),
        style=STYLE,
    )


def colour(side: Side) -> str:
    """A player's colour."""
    return CLAN_COLOURS[side.seat]


def middle(seen: View, last: Round | None) -> str:
    """The middle: the end, a packet, or the two cards of a round with the round before."""
    if seen.is_over:
        return ending(seen, last)
    if seen.packet_opener is not None:
        return draft(seen)
    return showdown(seen) + (last_round(seen, last) if last else "")


def ending(seen: View, last: Round | None) -> str:
    """Who has won (BR-04, BR-26), and the last two cards."""
    fill = NEUTRAL if seen.winner is None else colour(seen.winner)
    words = "A draw" if seen.winner is None else f"{seen.winner.clan} wins"
    centre = WIDTH / 2 if last is None else (MARGIN + DECIDING_LEFT) / 2
    result = label(centre, MIDDLE + MIDDLE_HEIGHT / 2 + 12, words, 36, fill, "middle", True)
    return result + (deciding(seen, last) if last else "")


def head(seen: View) -> str:
    """The game and its variants."""
    words = configuration_in_words(seen)
    return (
        rectangle(0, 0, WIDTH, HEAD_HEIGHT, BADGE)
        + label(MARGIN, 25, "BraveRats", 17, "#ffffff", bold=True)
        + label(WIDTH - MARGIN, 25, words, 12.5, "#e4dccb", "end")
    )


def foot(seen: View) -> str:
    """The situation in words, and the score of a match (BR-26)."""
    score = label(WIDTH - MARGIN, FOOT, match_in_words(seen), 12.5, DIM, "end") if seen.emperor else ""
    return label(MARGIN, FOOT, situation(seen), 14, bold=True) + score


def name_line(seen: View, side: Side, top: float) -> str:
    """A player's clan, its hand in words, and the rounds it has won (BR-04)."""
    base = top + 15
    own_pile = f", pile ({len(side.pile)})" if side.pile else ""
    name = f"{side.clan}{' (you)' if side.is_observer else ''}"
    pips_width = 17 * seen.rounds_needed
    return (
        tag(MARGIN, top, 140, name, colour(side))
        + label(MARGIN + 152, base, f"player_{side.seat}", 12.5, DIM)
        + label(MARGIN + 226, base, hand_title(side) + own_pile, 12.5, DIM)
        + label(WIDTH - MARGIN - pips_width - 8, base, f"rounds won: {side.rounds_won}", 12.5, DIM, "end")
        + pips(WIDTH - MARGIN - pips_width + 4, top + 10, side.rounds_won, seen.rounds_needed, colour(side))
    )


# Cards


def face(x: float, y: float, value: int, fill: str, opacity: float = 1, spot: str = "") -> str:
    """One of the eight cards, face up: its value, its name, and what it does."""
    name, centre = card_name(value), x + CARD_WIDTH / 2
    lines = LINES[value]
    first = y + HEAD_OF_CARD + (CARD_HEIGHT - HEAD_OF_CARD - LINE * len(lines)) / 2 + 8
    return group(
        rectangle(x, y, CARD_WIDTH, CARD_HEIGHT, PAPER, fill, 8, 2),
        rectangle(x + 5, y + 5, CARD_WIDTH - 10, HEAD_OF_CARD - 5, fill, radius=5),
        label(centre, y + 40, str(value), 34, "#ffffff", "middle", True),
        label(centre, y + 60, name, 13, "#ffffff", "middle", True),
        *(label(centre, first + LINE * place, line, 11, INK, "middle") for place, line in enumerate(lines)),
        hint=f"{value} {name}: {ABILITIES[value]}",
        opacity=opacity,
        spot=spot,
    )


def row_start(number: int, extra: float = 0) -> float:
    """Where a centred row of ``number`` cards begins."""
    return (WIDTH - number * CARD_WIDTH - (number - 1) * GAP - extra) / 2


def cards_line(side: Side, top: float) -> str:
    """Known cards, unknown ones face down, and the observer's pile, apart and pale (BR-21)."""
    shown = [(value, 1.0) for value in side.cards] + [(value, 0.45) for value in side.pile]
    apart = PILE_GAP if side.pile else 0
    x = row_start(len(shown) + side.unknown, apart)
    parts = []
    for place, (value, opacity) in enumerate(shown):
        x += apart if place == len(side.cards) else 0
        is_held = side.is_observer and place < len(side.cards)
        parts.append(face(x, top, value, colour(side), opacity, hand_spot(value) if is_held else ""))
        x += CARD_WIDTH + GAP
    for _ in range(side.unknown):
        parts.append(card_back(x, top, CARD_WIDTH, CARD_HEIGHT, colour(side), "a card that has not been seen"))
        x += CARD_WIDTH + GAP
    return "".join(parts)


def draft(seen: View) -> str:
    """BR-32: what has been seen of the packet."""
    opener = seen.packet_opener
    assert opener is not None
    y = MIDDLE + (MIDDLE_HEIGHT - CARD_HEIGHT) / 2
    x = row_start(4)
    parts = [
        label(MARGIN + 4, MIDDLE + 72, "Packet opened by", 12.5, DIM),
        label(MARGIN + 4, MIDDLE + 94, opener.clan, 15, colour(opener), bold=True),
    ]
    for place in range(4):
        at = x + place * (CARD_WIDTH + GAP)
        if place < len(seen.packet):
            parts.append(face(at, y, seen.packet[place], NEUTRAL, spot=packet_spot(seen.packet[place])))
        else:
            parts.append(slot(at, y, CARD_WIDTH, CARD_HEIGHT, ""))
    return "".join(parts)


# Rounds


def showdown(seen: View) -> str:
    """The places of this round's two cards, and the effects of earlier rounds on each player."""
    y = MIDDLE + (MIDDLE_HEIGHT - CARD_HEIGHT) / 2
    centre = WIDTH / 2
    return (
        played(seen.near, centre - CARD_WIDTH - 20, y)
        + played(seen.far, centre + 20, y)
        + label(centre, y + CARD_HEIGHT / 2 + 5, "vs", 13, DIM, "middle", True)
        + stakes(seen)
    )


def played(side: Side, x: float, y: float) -> str:
    """The card chosen in this round, if it may be seen (BR-30)."""
    if side.shown is not None:
        return face(x, y, side.shown, colour(side))
    return slot(x, y, CARD_WIDTH, CARD_HEIGHT, side.clan, colour(side))


STAKES_WIDTH = 210


def stakes(seen: View) -> str:
    """What earlier rounds bring to this one: rounds on hold, a +2, a Spy (BR-03, BR-10 to BR-12)."""
    tags = []
    for side in (seen.far, seen.near):
        if side.rounds_on_hold:
            tags.append((f"on hold: {side.rounds_on_hold} for {side.clan}", NEUTRAL))
        tags += [(f"+2 for {side.clan}", GOLD)] if side.plus_two else []
        tags += [(f"{side.clan} reveals first", colour(side))] if side.spied else []
    top = MIDDLE + MIDDLE_HEIGHT / 2 - 13 * len(tags)
    return "".join(
        tag(MARGIN + 4, top + 26 * place + 3, STAKES_WIDTH, words, fill) for place, (words, fill) in enumerate(tags)
    )


def last_round(seen: View, last: Round) -> str:
    """The round before: both cards, small, who won it, and why (BR-01 to BR-14)."""
    width, height = 76, 88
    y = MIDDLE + 44
    return (
        label(LAST_LEFT, MIDDLE + 28, "The round before", 12.5, DIM, bold=True)
        + "".join(
            small_card(last, side, LAST_LEFT + place * (width + 8), y, width, height)
            for place, side in enumerate((seen.near, seen.far))
        )
        + outcome(seen, last, LAST_LEFT + 2 * width + 20, y + 16, 20)
    )


def deciding(seen: View, last: Round) -> str:
    """The last two cards at full size, and the round's result."""
    y = MIDDLE + (MIDDLE_HEIGHT - CARD_HEIGHT) / 2
    parts = []
    for place, side in enumerate((seen.near, seen.far)):
        x = DECIDING_LEFT + place * (CARD_WIDTH + 12)
        parts.append(face(x, y, last.cards[side.seat], colour(side), 1))
        parts.append(mark(last, side.seat, x, y, CARD_WIDTH, CARD_HEIGHT))
    x = DECIDING_LEFT + 2 * CARD_WIDTH + 30
    title = label(x, MIDDLE + 32, title_of_end(seen), 12.5, DIM, bold=True)
    return "".join(parts) + title + outcome(seen, last, x, MIDDLE + 60, 24)


def title_of_end(seen: View) -> str:
    """A title for the last round: a match can be won although its last game was drawn (BR-26)."""
    game_won = max(seen.near.rounds_won, seen.far.rounds_won) == seen.rounds_needed
    return "What decided" if seen.winner and game_won else "The last round"


def small_card(last: Round, side: Side, x: float, y: float, width: float, height: float) -> str:
    """A card of the round before: value and name."""
    value = last.cards[side.seat]
    return group(
        rectangle(x, y, width, height, colour(side), radius=7),
        label(x + width / 2, y + 50, str(value), 34, "#ffffff", "middle", True),
        label(x + width / 2, y + height - 12, card_name(value), 11, "#ffffff", "middle"),
        mark(last, side.seat, x, y, width, height),
        hint=f"{side.clan} played {value} {card_name(value)}: {ABILITIES[value]}",
    )


def mark(last: Round, seat: int, x: float, y: float, width: float, height: float) -> str:
    """A golden frame around the winning card, and +2 where it counted."""
    ring = rectangle(x - 3, y - 3, width + 6, height + 6, "none", "#d99a12", 10, 3) if last.winner == seat else ""
    return ring + (badge(x + width - 8, y + 9, "+2", GOLD, radius=11) if last.plus_two[seat] else "")


def what_is_won(last: Round) -> str:
    """What a decided round gave its winner (BR-03, BR-07)."""
    return "the game" if last.wins_game else f"{last.rounds} round{'s' * (last.rounds != 1)}"


def outcome(seen: View, last: Round, x: float, y: float, letters: int) -> str:
    """Who won a round, and why, in lines of at most ``letters`` letters."""
    if last.winner == ON_HOLD:
        first, fill = "On hold", INK
    else:
        side = seen.near if seen.near.seat == last.winner else seen.far
        first = f"{side.clan}: {what_is_won(last)}"
        fill = colour(side)
    lines = [
        label(x, y + 18 + LINE * place, line, 11.5, INK) for place, line in enumerate(textwrap.wrap(last.why, letters))
    ]
    return label(x, y, first, 13, fill, bold=True) + "".join(lines)
