"""The table in paragraphs, without columns, for a narrow terminal."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.engine.wording import number_of
from rat_envs.games.rattus_cartus.standing import Score, scores
from rat_envs.games.rattus_cartus.tables import CLASSES, KINDS_OF_CLASS
from rat_envs.games.rattus_cartus.text_table import (
    MAJORITY_HEADS,
    buildings_to_come_in_words,
    decks_sentence,
    known_cards_in_words,
    notes_in_words,
    nun_row_sentence,
    ranks_in_words,
    visitors_in_words,
)
from rat_envs.games.rattus_cartus.view import Building, Player, View, view
from rat_envs.games.rattus_cartus.wording import (
    ACTION_WORDS,
    BUILDING_WORDS,
    COLOURS,
    cards_in_words,
    configuration_in_words,
    nuns_in_a_row,
    question,
    situation,
    supply_in_words,
)


def paragraphs(row: Any, point_of_view: PointOfView) -> list[str]:
    """What the text says, from a point of view (RC-70 to RC-75)."""
    seen = view(row, point_of_view)
    said = [f"Rattus Cartus: {configuration_in_words(seen)}."]
    if seen.is_over or not seen.buildings:
        said.append("No buildings lie in the row.")
    else:
        said += [paragraph for building in seen.buildings for paragraph in building_in_paragraphs(seen, building)]
    said += ["Influence (P1>P0: equal points, P1 came first and ranks better):"]
    said += [f"{name}: {ranks_in_words(seen, track)}." for track, name in enumerate(CLASSES)]
    said += [f"Cards by class with 0 to {KINDS_OF_CLASS - 1} nuns:"]
    said += [counts_in_a_paragraph(seen, track) for track in range(len(CLASSES))]
    points = scores(seen)
    player_in_a_paragraph = final_score if seen.is_over else standing
    said += [player_in_a_paragraph(seen, player, points[player.number]) for player in seen.players]
    said += [nun_row_sentence(seen), decks_sentence(seen), buildings_to_come_in_words(seen)]
    said.append(" ".join(situation(seen)))
    return said + ([question(seen)] if question(seen) else [])


def building_in_paragraphs(seen: View, building: Building) -> list[str]:
    """A building, then its visitors in order of entry."""
    name = f"{BUILDING_WORDS[building.building]} {building.copy + 1} ({CLASSES[building.track]})"
    premium, standard = ACTION_WORDS[building.building]
    now = "now " if building.slot == seen.resolved else ""
    supply = f"supply: {supply_in_words(building)}"
    head = f"Slot {building.slot + 1}: {now}{name}; {supply}; premium action: {premium}; other visitors: {standard}."
    return [head, *(f"{words}." for words in visitors_in_words(seen, building))]


def counts_in_a_paragraph(seen: View, track: int) -> str:
    """Population cards of a class by nuns: discarded, in the deck, in the row."""
    piles = zip(
        ("discarded", "in the deck at most", "in the unseen row at most"),
        (seen.discard, seen.deck_most, seen.unseen_row_most),
        strict=True,
    )
    return f"{CLASSES[track]}: {'; '.join(f'{words} {nuns_in_a_row(cards, track)}' for words, cards in piles)}."


def name_in_full(player: Player) -> str:
    """A player's name and colour."""
    return f"{player.name} {COLOURS[player.number]}{' (you)' if player.is_observer else ''}"


def standing(seen: View, player: Player, score: Score) -> str:
    """A player's numbers, its part in the round, and what is known of its cards."""
    numbers = [number_of(player.held, "card")]
    numbers += [f"{player.laid} laid"] if player.laid else []
    numbers += [number_of(player.rats, "rat"), f"tokens {player.token_points}"]
    numbers.append(f"{number_of(score.total, 'point')} so far")
    more = filter(None, [notes_in_words(seen, player), known_cards_in_words(player)])
    return f"{name_in_full(player)}: {'; '.join([', '.join(numbers), *more])}."


def final_score(seen: View, player: Player, score: Score) -> str:
    """RC-60 to RC-66: what a player scored and for what, and whether it survived."""
    names = (*CLASSES, *MAJORITY_HEADS, "gold", "tokens")
    numbers = (*score.tracks, *score.majorities, score.gold, score.tokens)
    sources = ", ".join(f"{name} {number}" for name, number in zip(names, numbers, strict=True) if number)
    end = ["dead"] if score.is_dead else ["winner"] if score.has_won else []
    parts = [f"{number_of(score.total, 'point')}{f' ({sources})' if sources else ''}", number_of(player.rats, "rat")]
    return f"{name_in_full(player)}: {'; '.join([*parts, *end, f'hand: {cards_in_words(player.hand or ())}'])}."
