"""The middle of the drawing: buildings, influence tracks, the nun-row and the decks, and the points at the end."""

from __future__ import annotations

from rat_envs.engine.colours import DIM, INK, PAPER
from rat_envs.engine.svg import group, label, path, rectangle, slot, tag
from rat_envs.engine.svg import symbol as picture
from rat_envs.engine.wording import number_of
from rat_envs.games.rattus_cartus.choices import building_spot, row_spot
from rat_envs.games.rattus_cartus.pieces import (
    CHIP_HEIGHT,
    CLASS_COLOURS,
    GOLD,
    SEAT_COLOURS,
    SHADE,
    WINNER,
    back,
    backs,
    chips,
    disc,
    flat_disc,
    front,
    number_with,
    panel,
)
from rat_envs.games.rattus_cartus.standing import nuns, scores
from rat_envs.games.rattus_cartus.symbols import CARDS, CLASS_SYMBOLS, EYE, NUN, RAT, SKULL, SPECIAL_SYMBOLS, TOKEN
from rat_envs.games.rattus_cartus.tables import CLASSES, COPIES, KINDS_OF_CLASS, SPECIALS, TREASURY
from rat_envs.games.rattus_cartus.view import Building, Player, RowCard, View
from rat_envs.games.rattus_cartus.wording import (
    ACTION_WORDS,
    BUILDING_WORDS,
    cards_in_words,
    nuns_in_a_row,
    supply_in_words,
)

CROWN = CLASS_SYMBOLS[-1]
GAP = 8
TRACK_LEFT, START_WIDTH, STACK_WIDTH = 98, 56, 28
#: A scale is at least this long.
SHORTEST_TRACK = 12


# Buildings


def buildings(seen: View, x: float, y: float, width: float, height: float) -> str:
    """The row, with a place for each building card that is still to be opened."""
    each = (width - GAP * (seen.slots - 1)) / seen.slots
    drawn = {building.slot: building for building in seen.buildings}
    parts = []
    for number in range(seen.slots):
        left = x + number * (each + GAP)
        if number in drawn:
            parts.append(building_card(seen, drawn[number], left, y, each, height))
        else:
            parts.append(slot(left, y, each, height, "building to come", DIM))
    return "".join(parts)


def building_card(seen: View, building: Building, x: float, y: float, width: float, height: float) -> str:
    """A building: its name, supply and actions, and below them a space for every player."""
    is_now = building.slot == seen.resolved
    copy = f"{CLASSES[building.track]}, card {building.copy + 1}"
    return group(
        panel(x, y, width, height, is_now),
        rectangle(x + 3, y + 3, width - 6, 40, CLASS_COLOURS[building.track], radius=7),
        picture(CLASS_SYMBOLS[building.track], x + 9, y + 9, 28),
        label(x + 43, y + 20, BUILDING_WORDS[building.building], min(13.5, width * 0.065), PAPER, bold=True),
        label(x + 43, y + 35, copy, 11, "#efe6d2"),
        label(x + width - 10, y + 35, f"slot {building.slot + 1}", 11, "#efe6d2", "end"),
        supply(building, x + 10, y + 48),
        actions(building, x + 10, y + 76),
        path(f"M{x + 8:g} {y + 107:g} H{x + width - 8:g}", "none", SHADE, 1),
        spaces(seen, building, x + 10, y + 112, width - 18, height - 116),
        spot=building_spot(building.slot),
    )


def supply(building: Building, x: float, y: float) -> str:
    """The supply action in pictures."""
    parts, left = [label(x, y + 15, "supply", 11, DIM)], x + 48
    for number, drawing in ((building.draw, CARDS), (building.drop, RAT), (building.look, EYE)):
        if number:
            sign = f"-{number}" if drawing is RAT else f"+{number}" if drawing is CARDS else str(number)
            parts.append(number_with(drawing, left, y, sign, 20))
            left += 50
    if len(parts) == 1:
        parts.append(label(left, y + 15, "nothing", 11, DIM))
    return group(*parts, hint=f"supply: {supply_in_words(building)}")


def actions(building: Building, x: float, y: float) -> str:
    """What the premium player and the others may do."""
    premium, standard = ACTION_WORDS[building.building]
    return (
        picture(CROWN, x, y - 1, 14)
        + label(x + 19, y + 11, premium, 11, INK, bold=True)
        + label(x + 19, y + 26, standard, 11, INK)
    )


def spaces(seen: View, building: Building, x: float, y: float, width: float, height: float) -> str:
    """RC-20: a space for each player, and the cards laid there."""
    step = min(52.0, height / len(seen.players))
    visitors = seen.visitors(building.slot)
    best = seen.premium(building.slot)
    parts = []
    for number in range(len(seen.players)):
        middle = y + step * (number + 0.5)
        if number < len(visitors):
            parts.append(visit(seen, visitors[number], x, middle, width, visitors[number] is best))
        else:
            parts.append(f'<circle cx="{x + 13:g}" cy="{middle:g}" r="12" fill="none" stroke="{SHADE}" ')
            parts.append('stroke-width="1.5" stroke-dasharray="3 3"/>')
    return "".join(parts)


def visit(seen: View, player: Player, x: float, middle: float, width: float, is_premium: bool) -> str:
    """A disc on its space, its number in order of entry, and its cards."""
    top = middle - CHIP_HEIGHT / 2
    left, room = x + 44, width - 44
    is_gone = seen.resolved is not None and player.slot is not None and player.slot < seen.resolved
    if player.laid and player.laid_cards is not None:
        cards = chips(player.laid_cards, left, top, room)
        cards += picture(EYE, x + 26, middle + 5, 14) if not any(player.revealed) else ""
    elif player.laid:
        cards = backs(player.laid, left, top, room, SEAT_COLOURS[player.number])
    else:
        is_laying = seen.node == "lay" and player is seen.asked
        words = f"scored {player.played}" if is_gone else "is laying cards" if is_laying else "no cards"
        cards = label(left, middle + 4, words, 11, DIM)
    crown = group(picture(CROWN, x + 5, middle - 24, 16), hint="premium player") if is_premium else ""
    order = label(x + 29, middle + 4, f"{player.entry}.", 11, DIM)
    return disc(x + 13, middle, player) + crown + order + cards


# Influence


def tracks(seen: View, x: float, y: float, width: float, height: float) -> str:
    """The six tracks, one below the other, on one scale."""
    step = (height - 8) / len(CLASSES)
    longest = max(SHORTEST_TRACK, *(max(points) for points in seen.influence))
    rows = [track(seen, number, x, y + 4 + step * number, width, step, longest) for number in range(len(CLASSES))]
    return panel(x, y, width, height) + "".join(rows)


def track(seen: View, number: int, x: float, y: float, width: float, height: float, longest: int) -> str:
    """A track: stacks of discs over their points; the lowest disc of a stack ranks best (RC-32)."""
    base = y + height - 13
    left, right = x + TRACK_LEFT, x + width - 12
    parts = [
        rectangle(x + 6, y + 3, TRACK_LEFT - 14, height - 6, CLASS_COLOURS[number], radius=6),
        picture(CLASS_SYMBOLS[number], x + 11, y + height / 2 - 16, 20),
        label(x + TRACK_LEFT / 2, y + height - 9, CLASSES[number], 11, PAPER, "middle", True),
        path(f"M{left:g} {base:g} H{right:g}", "none", SHADE, 2),
    ]
    first = left + START_WIDTH + STACK_WIDTH / 2 + 4
    scale = (right - STACK_WIDTH / 2 - first) / longest
    parts += [path(f"M{first + scale * tick:g} {base:g} v4", "none", SHADE, 1.2) for tick in range(5, longest + 1, 5)]
    groups = [(points, there) for points, there in reversed(seen.ranking(number)) if points]
    places = apart([first + scale * points for points, _ in groups], right - STACK_WIDTH / 2)
    for middle, (points, there) in zip(places, groups, strict=True):
        parts.append(stack(there, middle, base))
        parts.append(label(middle, base + 11, str(points), 11, INK, "middle", True))
    return "".join(parts) + start_box(seen, number, left, base)


def apart(places: list[float], last: float) -> list[float]:
    """Places in order, moved just enough that stacks do not overlap."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + STACK_WIDTH + 1) if moved else place)
    for number in reversed(range(len(moved))):
        limit = last if number == len(moved) - 1 else moved[number + 1] - STACK_WIDTH - 1
        moved[number] = min(moved[number], limit)
    return moved


def stack(there: tuple[Player, ...], middle: float, base: float) -> str:
    """Discs on one space, the first at the bottom."""
    tall = min(13.5, 41 / len(there))
    return "".join(
        flat_disc(middle - STACK_WIDTH / 2, base - 1 - tall * (number + 1), STACK_WIDTH, tall, player)
        for number, player in enumerate(there)
    )


def start_box(seen: View, number: int, x: float, base: float) -> str:
    """RC-03: discs without influence, in no order."""
    there = [player for player in seen.players if not seen.influence[number][player.number]]
    discs = [
        flat_disc(x + 28 * (place % 2), base - 14 - 13.5 * (place // 2), 27, 13.5, player)
        for place, player in enumerate(there)
    ]
    return group(*discs, label(x + 28, base + 11, "0", 11, DIM, "middle"), hint="no influence") if there else ""


# The nun-row and the decks


def nun_row(seen: View, x: float, y: float, width: float, height: float) -> str:
    """RC-06: five cards, the known ones face up, and beside each who has looked at it."""
    known = [card for card in seen.row_cards if card.kind is not None]
    step = (width - 72) / len(seen.row_cards)
    words = f"{number_of(nuns(seen), 'nun')}" if known else "unknown"
    return group(
        panel(x, y, width, height),
        label(x + 10, y + 21, "Nun-row", 12.5, INK, bold=True),
        picture(NUN, x + 14, y + 33, 38),
        label(x + 10, y + 92, words, 11.5, INK, bold=bool(known)),
        label(x + 10, y + 108, f"on {number_of(len(known), 'card')}" if known else "", 11, DIM),
        *(row_card(seen, card, x + 74 + step * card.place, y + 10, height - 33) for card in seen.row_cards),
    )


def row_card(seen: View, card: RowCard, x: float, y: float, height: float) -> str:
    """A card of the row."""
    width = height * 0.68
    face = back(x, y, width, height, "?") if card.kind is None else front(x, y, width, height, card.kind)
    ring = rectangle(x - 3, y - 3, width + 6, height + 6, "none", GOLD, 7, 2.6) if card.is_looked_at else ""
    discs = [
        disc(x + width + 11, y + 9 + 20.5 * place, seen.players[number], 9.5)
        for place, number in enumerate(card.looked)
    ]
    names = ", ".join(seen.players[number].name for number in card.looked)
    return group(
        ring,
        face,
        *discs,
        label(x + width / 2, y + height + 15, str(card.place + 1), 11, DIM, "middle"),
        hint=f"place {card.place + 1}, seen by {names or 'nobody'}",
        spot=row_spot(card.place),
    )


def decks(seen: View, x: float, y: float, width: float, height: float) -> str:
    """The population deck, the discard pile, the special decks, tokens and the building cards to come."""
    tops = [
        (back(0, 0, 38, 54, str(seen.deck_size)), "deck", "population deck" + (", ran out before" * seen.ran_out)),
        (discard_top(seen), "discarded", f"discarded: {cards_in_words(seen.discard)}"),
    ]
    pairs = zip(seen.special_decks, seen.specials_in_game, strict=True)
    for special, (number, is_used) in enumerate(pairs):
        top = special_top(special, number) if is_used else slot(0, 0, 38, 54, "none", DIM)
        tops.append((top, SPECIALS[special], f"{number} in the deck"))
    left = sum(seen.tokens_left)
    tops.append((picture(TOKEN, 1, 2, 36) + count(left), "tokens", f"{left} tokens left"))
    unknown = len(seen.unknown_buildings)
    hint = f"{unknown} building cards nobody has seen, {seen.replacements_unknown} of them for replacement"
    tops.append((back(0, 0, 38, 54, str(unknown), CLASS_COLOURS[2]), "buildings", hint))
    step = (width - 10) / len(tops)
    parts = []
    for place, (top, words, hint) in enumerate(tops):
        middle = x + 5 + step * (place + 0.5)
        shifted = f'<g transform="translate({middle - 19:g} {y + 26:g})">{top}</g>'
        parts.append(group(shifted, label(middle, y + height - 28, words, 11, INK, "middle"), hint=hint))
    return panel(x, y, width, height) + "".join(parts)


def discard_top(seen: View) -> str:
    """The discard pile: an empty place, or stacked cards with their number."""
    number = sum(seen.discard)
    if not number:
        return slot(0, 0, 38, 54, "0", DIM)
    below = rectangle(3, 3, 38, 54, SHADE, DIM, 4, 0.8) if number > 1 else ""
    return below + rectangle(0, 0, 38, 54, PAPER, DIM, 4, 1) + label(19, 34, str(number), 18, INK, "middle", True)


def special_top(special: int, number: int) -> str:
    """A special deck with the number of its cards."""
    if number == 0:
        return slot(0, 0, 38, 54, "0", DIM)
    return rectangle(0, 0, 38, 54, PAPER, INK, 4, 1.2) + picture(SPECIAL_SYMBOLS[special], 6, 4, 26) + count(number)


def count(number: int) -> str:
    """A number at the lower end of a deck."""
    return label(19, 50, str(number), 14, INK, "middle", True)


def known_counts(seen: View, x: float, y: float) -> str:
    """RC-70, RC-74: population cards by class and nuns, in the discard pile and at most in the deck."""
    parts = []
    for words, left in (("discarded", x + 26), ("deck at most", x + 132)):
        parts.append(label(left + 44, y + 9, words, 11, INK, "middle", True))
        parts += [label(left + 8 + 18 * nun, y + 23, str(nun), 11, DIM, "middle") for nun in range(KINDS_OF_CLASS)]
    parts += [class_counts(seen, number, x, y + 40 + 18 * number) for number in range(len(CLASSES))]
    return group(*parts, hint="population cards by class and number of nuns")


def class_counts(seen: View, number: int, x: float, base: float) -> str:
    """The counts of a class, in a line; its hint says what the column heads show."""
    parts = [picture(CLASS_SYMBOLS[number], x, base - 13, 16)]
    said = []
    for words, left, cards in (("discarded", x + 34, seen.discard), ("in the deck at most", x + 140, seen.deck_most)):
        here = cards[number * KINDS_OF_CLASS : (number + 1) * KINDS_OF_CLASS]
        parts += [number_or_none(left + 18 * nun, base, copies, 11) for nun, copies in enumerate(here)]
        said.append(f"{words} {nuns_in_a_row(cards, number)}")
    return group(*parts, hint=f"{CLASSES[number]} with 0 to {KINDS_OF_CLASS - 1} nuns: {'; '.join(said)}")


def number_or_none(x: float, base: float, number: int, size: float, bold: bool = False) -> str:
    """A number centred at ``x``; a dash in place of 0."""
    return label(x, base, str(number or "-"), size, INK if number else DIM, "middle", bold and bool(number))


# The end


def final_scores(seen: View, x: float, y: float, width: float, height: float) -> str:
    """RC-60 to RC-66: points by source, rats, and who has survived."""
    heads = [*CLASS_SYMBOLS, CARDS, *SPECIAL_SYMBOLS[1:4]]
    heads += (
        [SPECIAL_SYMBOLS[SPECIALS.index("gold")]]
        if any(seen.in_use[TREASURY * COPIES : (TREASURY + 1) * COPIES])
        else []
    )
    heads += [TOKEN]
    step = (width - 198) / len(heads)
    parts = [panel(x, y, width, height), label(x + 12, y + 26, "Points", 14, INK, bold=True)]
    parts += [picture(head, x + 94 + step * place + step / 2 - 11, y + 10, 22) for place, head in enumerate(heads)]
    parts += [label(x + width - 78, y + 26, "total", 11, DIM, "middle"), picture(RAT, x + width - 42, y + 10, 22)]
    tall = min(54.0, (height - 46) / len(seen.players))
    for player, score in zip(seen.players, scores(seen), strict=True):
        top = y + 42 + tall * player.number
        middle = top + tall / 2
        fill = WINNER if score.has_won else PAPER
        parts.append(rectangle(x + 6, top + 2, width - 12, tall - 4, fill, GOLD if score.has_won else SHADE, 7, 1.4))
        parts.append(tag(x + 10, middle - 10, 78, player.name, SEAT_COLOURS[player.number]))
        points = [*score.tracks, *score.majorities]
        points += [score.gold] if len(heads) > len(points) + 1 else []
        for place, number in enumerate([*points, score.tokens]):
            parts.append(number_or_none(x + 94 + step * (place + 0.5), middle + 5, number, 13, bold=True))
        parts.append(label(x + width - 78, middle + 7, str(score.total), 20, INK, "middle", True))
        parts.append(label(x + width - 42, middle + 5, str(player.rats), 13, INK, "middle", True))
        parts.append(picture(SKULL, x + width - 29, middle - 9, 18) if score.is_dead else "")
        parts.append(picture(CROWN, x + width - 29, middle - 9, 18) if score.has_won else "")
    return "".join(parts)
