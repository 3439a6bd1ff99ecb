"""The table in paragraphs, without the map, for a narrow terminal."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.engine.wording import listed, named
from rat_envs.games.rattus.view import Player, Region, View, view
from rat_envs.games.rattus.wording import (
    COLOURS,
    cards_in_words,
    configuration_in_words,
    face_in_words,
    neighbours_in_words,
    pile_in_words,
    question,
    situation,
    supply_in_words,
)


def paragraphs(row: Any, point_of_view: PointOfView) -> list[str]:
    """What the text says, from a point of view (RT-70 to RT-73)."""
    seen = view(row, point_of_view)
    said = [f"Rattus: {configuration_in_words(seen)}."]
    said += [region_in_a_paragraph(seen, region) for region in seen.regions if region.in_play]
    out_of_play = [region.name for region in seen.regions if not region.in_play]
    said += [f"Not in play: {listed(out_of_play)}."] if out_of_play else []
    said += [player_in_a_paragraph(seen, player) for player in seen.players]
    said += [f"Cards beside the board: {cards_in_words(seen, None)}.", supply_in_words(seen)]
    said.append(" ".join(situation(seen)))
    return said + ([question(seen)] if question(seen) else [])


def region_in_a_paragraph(seen: View, region: Region) -> str:
    """The plague, cubes, rats and neighbours of a region."""
    numbers = [f"{number} {COLOURS[index]}" for index, number in enumerate(region.cubes) if number]
    cubes = f"{listed(numbers)} cube{'s' * (sum(region.cubes) > 1)}" if numbers else "no cubes"
    rats = listed(rat_in_words(seen, region, slot) for slot in range(len(region.rats))) if region.rats else "no rats"
    plague = "the plague; " if region.has_plague else ""
    return f"{region.name}: {plague}{cubes}; {rats}; {neighbours_in_words(region)}."


def rat_in_words(seen: View, region: Region, slot: int) -> str:
    """A rat by its slot, and what the observer knows of it."""
    rat = region.rats[slot]
    known = [face_in_words(rat.face)] if rat.face is not None else []
    looked_at_by = [named(seen.players[index]) for index in rat.looked_at_by]
    known += [f"looked at by {listed(looked_at_by)}"] if looked_at_by else []
    known += ["chosen just now"] if rat.is_chosen else []
    more = f" ({'; '.join(known)})" if known else ""
    return f"rat {slot + 1} {pile_in_words(rat)}{more}"


def player_in_a_paragraph(seen: View, player: Player) -> str:
    """A player's cubes, score and cards."""
    side = "you" if player.is_observer else player.side
    name = f"{player.name}{f' ({side})' if side else ''}, {COLOURS[player.number]}"
    pieces = f"stock {player.stock}, palace {player.palace}, score {player.score}"
    return f"{name}: {pieces}; cards: {cards_in_words(seen, player)}."
