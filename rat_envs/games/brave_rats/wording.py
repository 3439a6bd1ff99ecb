"""The table in words: the sentences that text and drawing share, and the text for a terminal (80 columns)."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.engine.wording import wrap
from rat_envs.games.brave_rats.components import CARDS
from rat_envs.games.brave_rats.configuration import MOST_GAMES
from rat_envs.games.brave_rats.view import Side, View, view

WIDTH = 80
CARDS_PER_LINE = 4
COLOURS = ("blue", "red")

#: What each card does, by value (the table of components).
ABILITIES = (
    "the round is put on hold",
    "against the Prince: wins the game",
    "next round the opponent reveals first",
    "the lower value wins",
    "winning with it counts for two rounds",
    "cancels the opposing card's ability",
    "+2 to your card of the next round",
    "wins against all but Princess and Musician",
)
HANDS_IN_WORDS = {
    "clan": "a clan of eight cards each",
    "draft": "drafted hands",
    "random": "random hands",
    "princess_attack": "Princes against Princesses",
}


def text(row: Any, point_of_view: PointOfView) -> str:
    """The table for a terminal, 80 columns wide, from a point of view (BR-30 to BR-32)."""
    seen = view(row, point_of_view)
    lines = [*wrap(f"BraveRats: {configuration_in_words(seen)}", WIDTH), "-" * WIDTH]
    lines += [*side_in_words(seen, seen.far), ""]
    if seen.packet_opener is not None:
        lines += [f"Packet opened by {seen.packet_opener.clan}:", *cards_in_words(seen.packet, empty="not seen"), ""]
    lines += [*wrap(situation(seen), WIDTH), ""] if situation(seen) else []
    lines += [*side_in_words(seen, seen.near), "-" * WIDTH]
    return "\n".join(lines) + "\n"


def configuration_in_words(seen: View) -> str:
    """The variants in play (BR-20 to BR-27)."""
    words = [HANDS_IN_WORDS[seen.hands]]
    words += ["a card exchanged"] if seen.traitor else []
    words += ["draw piles"] if seen.draw_pile else []
    words += ["3 rounds win"] if seen.fast else ["4 rounds win"]
    words += [f"match of {MOST_GAMES} games"] if seen.emperor else []
    return ", ".join(words)


def situation(seen: View) -> str:
    """What the next choice is about, in a sentence; empty when there is nothing to say."""
    if seen.is_over:
        return f"The {'match' if seen.emperor else 'game'} is {result(seen)}."
    if seen.packet_opener is not None:
        return "The draft is under way."
    spied = seen.spied
    if spied is None:
        return ""
    if spied.shown is None:
        return f"A Spy was played: {spied.clan} reveals first."
    return f"A Spy was played: {spied.clan} has revealed {spied.shown} {card_name(spied.shown)}."


def result(seen: View) -> str:
    """How a finished game ended."""
    return "a draw" if seen.winner is None else f"won by {seen.winner.clan}"


def match_in_words(seen: View) -> str:
    """Games won and played (BR-26)."""
    score = f"{seen.near.clan} {seen.near.games_won}, {seen.far.clan} {seen.far.games_won}"
    return f"Games won: {score} (played: {seen.games_played} of {MOST_GAMES})"


def card_name(card: int) -> str:
    """A card's printed name."""
    return CARDS[card].capitalize()


def name_in_full(side: Side) -> str:
    """A player's clan, number and colour."""
    return f"{side.clan} (player_{side.seat}, {COLOURS[side.seat]}{', you' if side.is_observer else ''})"


def hand_title(side: Side) -> str:
    """A title for the shown cards of a player (BR-21)."""
    if side.hidden_in_pile:
        return f"Hand ({side.hand_size}) and pile ({side.hidden_in_pile}), mixed"
    return f"Hand ({side.hand_size})"


def side_in_words(seen: View, side: Side) -> list[str]:
    """A player's name, score, effects and cards."""
    pips = "#" * side.rounds_won + "." * (seen.rounds_needed - side.rounds_won)
    lines = [f"{name_in_full(side):<44}rounds won {side.rounds_won} of {seen.rounds_needed} [{pips}]"]
    if seen.emperor:
        lines.append(f"  Games won: {side.games_won} ({seen.games_played} of {MOST_GAMES} played)")
    lines += [] if seen.is_over else [f"  {effect}" for effect in effects(side)]
    lines += [f"  {hand_title(side)}:", *cards_in_words(side.cards, side.unknown)]
    if side.pile or (side.is_observer and seen.draw_pile):
        lines += [f"  Pile ({len(side.pile)}):", *cards_in_words(side.pile)]
    if side.shown is not None:
        lines.append(f"  {'Revealed' if side.spied else 'Chosen'}: {side.shown} {card_name(side.shown)}")
    return lines


def effects(side: Side) -> list[str]:
    """Effects of earlier rounds on a player in this one (BR-03, BR-10 to BR-12)."""
    words = [f"Rounds on hold are worth {side.rounds_on_hold}"] if side.rounds_on_hold else []
    words += ["+2 to the card of this round"] if side.plus_two else []
    return words + (["Spied on: reveals first"] if side.spied else [])


def card_names(cards: tuple[int, ...], unknown: int = 0) -> list[str]:
    """Cards with their values, then the unknown ones."""
    return [f"{card} {card_name(card)}" for card in cards] + ["? unknown"] * unknown


def cards_in_words(cards: tuple[int, ...], unknown: int = 0, empty: str = "none") -> list[str]:
    """Cards in columns, four in a line."""
    names = card_names(cards, unknown) or [empty]
    lines = [names[start : start + CARDS_PER_LINE] for start in range(0, len(names), CARDS_PER_LINE)]
    return ["    " + "".join(f"{name:<16}" for name in line).rstrip() for line in lines]
