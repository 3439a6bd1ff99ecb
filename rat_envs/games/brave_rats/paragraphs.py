"""The table in paragraphs, without columns, for a narrow terminal."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.games.brave_rats.view import Side, View, view
from rat_envs.games.brave_rats.wording import (
    card_name,
    card_names,
    configuration_in_words,
    effects,
    hand_title,
    match_in_words,
    name_in_full,
    situation,
)


def paragraphs(row: Any, point_of_view: PointOfView) -> list[str]:
    """What the text says, from a point of view (BR-30 to BR-32)."""
    seen = view(row, point_of_view)
    said = [f"BraveRats: {configuration_in_words(seen)}."]
    said += [f"{match_in_words(seen)}."] if seen.emperor else []
    said += side_in_paragraphs(seen, seen.far)
    if seen.packet_opener is not None:
        said.append(f"Packet opened by {seen.packet_opener.clan}: {', '.join(card_names(seen.packet)) or 'not seen'}.")
    said += [situation(seen)] if situation(seen) else []
    return said + side_in_paragraphs(seen, seen.near)


def side_in_paragraphs(seen: View, side: Side) -> list[str]:
    """A player's score and effects, then its cards."""
    won = f"{name_in_full(side)}: rounds won {side.rounds_won} of {seen.rounds_needed}"
    said = [" ".join(f"{words}." for words in [won, *([] if seen.is_over else effects(side))])]
    said.append(f"{hand_title(side)}: {', '.join(card_names(side.cards, side.unknown)) or 'none'}.")
    if side.pile or (side.is_observer and seen.draw_pile):
        said.append(f"Pile ({len(side.pile)}): {', '.join(card_names(side.pile)) or 'none'}.")
    if side.shown is not None:
        said.append(f"{'Revealed' if side.spied else 'Chosen'}: {side.shown} {card_name(side.shown)}.")
    return said
