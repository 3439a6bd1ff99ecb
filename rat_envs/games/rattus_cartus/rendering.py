"""The table as SVG: other players at the top, buildings, influence, nun-row and decks, the observer at the bottom."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.colours import DIM, INK, PAPER
from rat_envs.engine.game import PointOfView
from rat_envs.engine.svg import document, group, label, rectangle, tag
from rat_envs.engine.wording import number_of
from rat_envs.games.rattus_cartus.choices import card_spot, player_spot
from rat_envs.games.rattus_cartus.components import CHOOSING, DEALING
from rat_envs.games.rattus_cartus.pieces import (
    CHIP_HEIGHT,
    DARK_GOLD,
    GOLD,
    SEAT_COLOURS,
    STYLE,
    TABLE,
    backs,
    chips,
    front,
    number_with,
    panel,
    width_of_backs,
    width_of_chips,
)
from rat_envs.games.rattus_cartus.standing import Score, scores
from rat_envs.games.rattus_cartus.symbols import CARDS, RAT, TOKEN
from rat_envs.games.rattus_cartus.table_drawing import buildings, decks, final_scores, known_counts, nun_row, tracks
from rat_envs.games.rattus_cartus.text_table import text
from rat_envs.games.rattus_cartus.view import Player, View, view
from rat_envs.games.rattus_cartus.wording import (
    asked_in_words,
    configuration_in_words,
    gifts_in_words,
    phase_in_words,
    question,
    result,
    situation,
)

__all__ = ["drawing", "text"]

WIDTH, HEIGHT = 1040, 822
MARGIN, GAP = 12, 8
HEAD_HEIGHT = 36
OTHERS, OTHERS_HEIGHT = 44, 98
MIDDLE, MIDDLE_HEIGHT = 150, 340
BUILDINGS_WIDTH = 616
STRIP, STRIP_HEIGHT = 498, 134
NUN_ROW_WIDTH = 566
NEAR, NEAR_HEIGHT = 640, 150
FOOT = 808
CARD_WIDTH, CARD_HEIGHT = 70, 98
COUNTS_WIDTH = 232
#: With five players, the other players' panels are narrower than this.
NARROW = 260
SURELY_WIDTH = 36
ORDINALS = ("", "1st", "2nd", "3rd", "4th", "5th")


def drawing(row: Any, point_of_view: PointOfView) -> str:
    """The table as an SVG document, from a point of view (RC-70 to RC-75)."""
    seen = view(row, point_of_view)
    width = (WIDTH - 2 * MARGIN - GAP * (len(seen.others) - 1)) / len(seen.others)
    points = scores(seen)
    right = MARGIN + BUILDINGS_WIDTH + GAP
    middle = final_scores if seen.is_over else buildings
    return document(
        WIDTH,
        HEIGHT,
        TABLE,
        head(seen),
        *(
            other(seen, player, points[player.number], MARGIN + place * (width + GAP), width)
            for place, player in enumerate(seen.others)
        ),
        middle(seen, MARGIN, MIDDLE, BUILDINGS_WIDTH, MIDDLE_HEIGHT),
        tracks(seen, right, MIDDLE, WIDTH - MARGIN - right, MIDDLE_HEIGHT),
        nun_row(seen, MARGIN, STRIP, NUN_ROW_WIDTH, STRIP_HEIGHT),
        decks(seen, MARGIN + NUN_ROW_WIDTH + GAP, STRIP, WIDTH - 2 * MARGIN - NUN_ROW_WIDTH - GAP, STRIP_HEIGHT),
        near(seen, points[seen.near.number]),
        foot(seen),
        style=STYLE,
    )


def head(seen: View) -> str:
    """The game, the round and the options."""
    return (
        rectangle(0, 0, WIDTH, HEAD_HEIGHT, "#38312a")
        + label(MARGIN + 4, 24, "Rattus Cartus", 17, "#ffffff", bold=True)
        + label(MARGIN + 148, 24, phase_in_words(seen), 13, "#f0d48a", bold=True)
        + label(WIDTH - MARGIN, 24, configuration_in_words(seen), 11, "#e4dccb", "end")
    )


def foot(seen: View) -> str:
    """What the observer is asked, or what is happening."""
    words = sentence(seen)
    return label(WIDTH / 2, FOOT, words, min(14, 1800 / len(words)), INK, "middle", True)


def sentence(seen: View) -> str:
    """The sentence below the table."""
    if seen.is_over:
        return " ".join(result(seen))
    if question(seen):
        return question(seen)
    return " ".join([*gifts_in_words(seen), *asked_in_words(seen)]) or " ".join(situation(seen))


# Players


def is_marked(seen: View, player: Player, score: Score) -> bool:
    """Whether a golden border marks who is asked, or who has won."""
    return score.has_won if seen.is_over else player.is_asked


def notes(seen: View, player: Player, score: Score) -> str:
    """A player's part in the round, very short."""
    if seen.is_over:
        return "winner" if score.has_won else "dead" if score.is_dead else ""
    words = ["starts"] if player.is_starting and seen.stage not in (CHOOSING, DEALING) else []
    words += ["gives"] if player is seen.giver else ["will give"] if player.number in seen.givers_to_come else []
    words += ["takes"] if player is seen.taker else []
    words += [f"enters {ORDINALS[player.in_queue]}"] if player.in_queue > 1 else []
    words += ["enters"] if player.in_queue == 1 else []
    words += ["asked"] if player.is_asked and not words else []
    return ", ".join(words)


def numbers(player: Player, x: float, y: float, step: float) -> str:
    """Rats, cards in hand and token points."""
    return (
        number_with(RAT, x, y, player.rats, hint=number_of(player.rats, "rat"))
        + number_with(CARDS, x + step, y, player.held, hint=f"{number_of(player.held, 'card')} in hand")
        + number_with(TOKEN, x + 2 * step, y, player.token_points, hint="points of tokens")
    )


def points_words(seen: View, score: Score, width: float = WIDTH) -> str:
    """Points; before the end those for influence and tokens."""
    return number_of(score.total, "point") + ("" if seen.is_over or width < NARROW else " so far")


def other(seen: View, player: Player, score: Score, x: float, width: float) -> str:
    """One of the others: its numbers, and its cards as far as they are known."""
    y = OTHERS
    return group(
        panel(x, y, width, OTHERS_HEIGHT, is_marked(seen, player, score)),
        tag(x + 8, y + 7, 78, player.name, SEAT_COLOURS[player.number]),
        label(x + 92, y + 21, notes(seen, player, score), 11, DIM),
        numbers(player, x + 10, y + 31, 50),
        label(x + width - 9, y + 45, points_words(seen, score, width), 11, INK, "end", True),
        cards_of_other(player, x + 10, y + 55, width - 20),
        spot=player_spot(player.number),
    )


def cards_of_other(player: Player, x: float, y: float, width: float) -> str:
    """A face-down hand, and what is surely known of it (RC-73); at the end the hand itself."""
    if player.hand is not None:
        return chips(player.hand, x, y, width) if player.held else label(x, y + 17, "no cards left", 11, DIM)
    is_sure = any(player.at_least)
    room = width * (0.5 if is_sure else 1)
    hand = backs(player.held, x, y, min(room, 220), SEAT_COLOURS[player.number]) if player.held else ""
    if not is_sure:
        return hand
    right = x + width - min(width_of_chips(player.at_least), width * 0.5)
    sure = group(chips(player.at_least, right, y, width * 0.5), hint="surely among its cards")
    is_free = width >= NARROW or right - x - SURELY_WIDTH > width_of_backs(player.held, min(room, 220))
    return hand + (label(right - 4, y + 18, "surely", 11, DIM, "end") if is_free else "") + sure


def near(seen: View, score: Score) -> str:
    """The observer, or player_0 for a spectator."""
    player = seen.near
    x, y = MARGIN, NEAR
    name = f"{player.name}, you" if player.is_observer else player.name
    return group(
        panel(x, y, WIDTH - 2 * MARGIN, NEAR_HEIGHT, is_marked(seen, player, score)),
        tag(x + 10, y + 9, 112, name, SEAT_COLOURS[player.number]),
        numbers(player, x + 134, y + 10, 56),
        label(x + 312, y + 24, points_words(seen, score), 12, INK, bold=True),
        label(x + 430, y + 24, notes(seen, player, score), 11.5, DIM),
        near_hand(player, x + 12, y + 39, WIDTH - 2 * MARGIN - 40 - COUNTS_WIDTH),
        known_counts(seen, WIDTH - MARGIN - COUNTS_WIDTH, y + 10),
    )


def near_hand(player: Player, x: float, y: float, width: float) -> str:
    """The observer's hand sorted by class, then the cards chosen to be given; for a spectator face down."""
    if player.hand is None:
        return cards_of_other(player, x, y + (CARD_HEIGHT - CHIP_HEIGHT) / 2, 400)
    if not player.held:
        return label(x, y + 40, "no cards in hand", 12, DIM)
    piles = [(kind, number, False) for kind, number in enumerate(player.hand) if number]
    piles += [(kind, number, True) for kind, number in enumerate(player.aside) if number]
    step = min(CARD_WIDTH + 10.0, (width - CARD_WIDTH) / max(1, len(piles) - 1))
    return "".join(hand_pile(x + step * place, y, *pile) for place, pile in enumerate(piles))


def hand_pile(x: float, y: float, kind: int, number: int, is_aside: bool) -> str:
    """Cards of one kind; those lying aside are marked."""
    cards = front(x, y, CARD_WIDTH, CARD_HEIGHT, kind, number)
    if not is_aside:
        return group(cards, spot=card_spot(kind))
    ring = rectangle(x - 2, y - 2, CARD_WIDTH + 4, CARD_HEIGHT + 4, "none", GOLD, 6, 2.4)
    pill = rectangle(x + 3, y + 28, CARD_WIDTH - 6, 16, DARK_GOLD, radius=8)
    return cards + ring + pill + label(x + CARD_WIDTH / 2, y + 40, "to give", 11, PAPER, "middle", True)
