"""The table as SVG: the far side above, the near side below, what both deal with between them."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.svg import card, card_back, document, label, pips, rectangle, slot, tag
from rat_envs.games.brave_rats.choices import hand_spot, packet_spot
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

WIDTH, HEIGHT = 720, 480
MARGIN = 28
CARD_WIDTH, CARD_HEIGHT, GAP = 74, 104, 8
PILE_GAP = 24

TABLE, PANEL, DIM = "#e9e3d5", "#f5f1e7", "#6d675a"
GOLD, NEUTRAL = "#b07d12", "#6b6256"
CLAN_COLOURS = ("#2f62a3", "#b23b36")

HEAD_HEIGHT = 38
FAR_NAME, FAR_CARDS = 46, 74
MIDDLE, MIDDLE_HEIGHT = 188, 116
NEAR_CARDS, NEAR_NAME = 314, 424
FOOT = 467


def drawing(row: Any, point_of_view: int | None) -> str:
    """The table as an SVG document, as a seat (or None: a spectator) knows it (BR-30 to BR-32)."""
    seen = view(row, point_of_view)
    return document(
        WIDTH,
        HEIGHT,
        TABLE,
        head(seen),
        name_line(seen, seen.far, FAR_NAME),
        cards_line(seen.far, FAR_CARDS),
        rectangle(MARGIN - 12, MIDDLE, WIDTH - 2 * MARGIN + 24, MIDDLE_HEIGHT, PANEL, radius=10),
        middle(seen),
        cards_line(seen.near, NEAR_CARDS),
        name_line(seen, seen.near, NEAR_NAME),
        foot(seen),
    )


def colour(side: Side) -> str:
    """A player's colour."""
    return CLAN_COLOURS[side.seat]


def middle(seen: View) -> str:
    """What both deal with now: the end, a packet, or the two cards of a round."""
    if seen.is_over:
        return ending(seen)
    return showdown(seen) if seen.packet_opener is None else draft(seen)


def ending(seen: View) -> str:
    """Who has won (BR-04, BR-26)."""
    fill = NEUTRAL if seen.winner is None else colour(seen.winner)
    words = "A draw" if seen.winner is None else f"{seen.winner.clan} wins"
    return label(WIDTH / 2, MIDDLE + MIDDLE_HEIGHT / 2 + 11, words, 32, fill, "middle", True)


def head(seen: View) -> str:
    """The game and its variants."""
    words = configuration_in_words(seen)
    return (
        rectangle(0, 0, WIDTH, HEAD_HEIGHT, "#3b3731")
        + label(MARGIN, 25, "BraveRats", 17, "#ffffff", bold=True)
        + label(WIDTH - MARGIN, 25, words, 12 if len(words) < 72 else 10.5, "#e4dccb", "end")
    )


def foot(seen: View) -> str:
    """The situation in words, and the score of a match (BR-26)."""
    score = label(WIDTH - MARGIN, FOOT, match_in_words(seen), 12, DIM, "end") if seen.emperor else ""
    return label(MARGIN, FOOT, situation(seen), 13, bold=True) + score


def name_line(seen: View, side: Side, top: float) -> str:
    """A player's clan, its hand in words, and the rounds it has won (BR-04)."""
    base = top + 15
    own_pile = f", pile ({len(side.pile)})" if side.pile else ""
    name = f"{side.clan}{' (you)' if side.is_observer else ''}"
    pips_width = 17 * seen.rounds_needed
    return (
        tag(MARGIN, top, 132, name, colour(side))
        + label(MARGIN + 144, base, f"player_{side.seat}", 12, DIM)
        + label(MARGIN + 214, base, hand_title(side) + own_pile, 12, DIM)
        + label(WIDTH - MARGIN - pips_width - 8, base, f"rounds won: {side.rounds_won}", 12, DIM, "end")
        + pips(WIDTH - MARGIN - pips_width + 4, top + 10, side.rounds_won, seen.rounds_needed, colour(side))
    )


def face(x: float, y: float, value: int, fill: str, opacity: float = 1, spot: str = "") -> str:
    """One of the eight cards, face up."""
    name = card_name(value)
    hint = f"{value} {name}: {ABILITIES[value]}"
    return card(x, y, CARD_WIDTH, CARD_HEIGHT, str(value), name, fill, hint, opacity, spot)


def row_start(number: int, extra: float = 0) -> float:
    """Where a centred row of ``number`` cards begins."""
    return (WIDTH - number * CARD_WIDTH - (number - 1) * GAP - extra) / 2


def cards_line(side: Side, top: float) -> str:
    """Known cards, then unknown ones face down, then, apart and pale, the own pile (BR-21)."""
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
        label(MARGIN + 4, MIDDLE + 54, "Packet opened by", 12, DIM),
        label(MARGIN + 4, MIDDLE + 74, opener.clan, 14, colour(opener), bold=True),
    ]
    for place in range(4):
        at = x + place * (CARD_WIDTH + GAP)
        if place < len(seen.packet):
            parts.append(face(at, y, seen.packet[place], NEUTRAL, spot=packet_spot(seen.packet[place])))
        else:
            parts.append(slot(at, y, CARD_WIDTH, CARD_HEIGHT, ""))
    return "".join(parts)


def showdown(seen: View) -> str:
    """The places of the two cards of this round, and for each player what the rounds before do to it."""
    y = MIDDLE + (MIDDLE_HEIGHT - CARD_HEIGHT) / 2
    centre = WIDTH / 2
    return (
        played(seen.near, centre - CARD_WIDTH - 20, y)
        + played(seen.far, centre + 20, y)
        + label(centre, y + CARD_HEIGHT / 2 + 5, "vs", 13, DIM, "middle", True)
        + stakes(seen.near, MARGIN + 4)
        + stakes(seen.far, WIDTH - MARGIN - 4 - STAKES_WIDTH)
    )


def played(side: Side, x: float, y: float) -> str:
    """The card chosen in this round, if it may be seen (BR-30)."""
    if side.shown is not None:
        return face(x, y, side.shown, colour(side))
    return slot(x, y, CARD_WIDTH, CARD_HEIGHT, side.clan, colour(side))


STAKES_WIDTH = 190


def stakes(side: Side, x: float) -> str:
    """What this round is worth to a player because of rounds on hold, a +2, a Spy (BR-03, BR-10 to BR-12)."""
    tags = [(f"on hold: {side.rounds_on_hold} for {side.clan}", NEUTRAL)] if side.rounds_on_hold else []
    tags += [(f"+2 for {side.clan}", GOLD)] if side.plus_two else []
    tags += [(f"{side.clan} reveals first", colour(side))] if side.spied else []
    top = MIDDLE + MIDDLE_HEIGHT / 2 - 13 * len(tags)
    return "".join(tag(x, top + 26 * place + 3, STAKES_WIDTH, words, fill) for place, (words, fill) in enumerate(tags))
