"""The table for a terminal, 120 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.engine.wording import number_of, wrap
from rat_envs.games.rattus_cartus.components import CHOOSING, DEALING, KINDS
from rat_envs.games.rattus_cartus.standing import Score, scores
from rat_envs.games.rattus_cartus.tables import CARDS, CLASSES, KINDS_OF_CLASS, POPULATION, SPECIALS
from rat_envs.games.rattus_cartus.view import Building, Player, RowCard, View, view
from rat_envs.games.rattus_cartus.wording import (
    ACTION_WORDS,
    BUILDING_WORDS,
    COLOURS,
    WIDTH,
    building_card_in_words,
    cards_in_words,
    configuration_in_words,
    question,
    situation,
    specials_in_words,
    supply_in_words,
)

RULE = "-" * WIDTH
#: Columns of the list of players.
HEADS = f"  {'player':<24}{'cards':>6}{'laid':>6}{'rats':>6}{'tokens':>8}{'points':>8}  "
MAJORITY_HEADS = ("cards", *SPECIALS[1:-1])


def text(row: Any, point_of_view: PointOfView) -> str:
    """The table for a terminal, 120 columns wide, from a point of view (RC-70 to RC-75)."""
    seen = view(row, point_of_view)
    lines = [*wrap(f"Rattus Cartus: {configuration_in_words(seen)}", WIDTH), RULE]
    lines += [*buildings_in_words(seen), ""]
    lines += [*tracks_in_words(seen), ""]
    lines += [*players_in_words(seen), ""]
    lines += wrap(nun_row_sentence(seen), WIDTH, 9)
    lines += [*wrap(decks_sentence(seen), WIDTH, 2), *wrap(buildings_to_come_in_words(seen), WIDTH, 2)]
    lines += [RULE, *wrap(" ".join(situation(seen)), WIDTH), *wrap(question(seen), WIDTH)]
    return "\n".join(lines) + "\n"


# Buildings


def buildings_in_words(seen: View) -> list[str]:
    """The row: each building, and its visitors in order of entry."""
    if seen.is_over or not seen.buildings:
        return ["No buildings lie in the row."]
    lines = [f"  slot  {'building':<25}{'class':<14}{'supply':<26}{'premium action':<22}other visitors"]
    for building in seen.buildings:
        lines += building_in_words(seen, building)
    return lines


def building_in_words(seen: View, building: Building) -> list[str]:
    """A building in a line, then its visitors."""
    mark = ">" if building.slot == seen.resolved else " "
    name = f"{BUILDING_WORDS[building.building]} {building.copy + 1}"
    premium, standard = ACTION_WORDS[building.building]
    head = f"{mark} {building.slot + 1:>3}   {name:<25}{CLASSES[building.track]:<14}"
    lines = [f"{head}{supply_in_words(building):<26}{premium:<22}{standard}"]
    for words in visitors_in_words(seen, building):
        lines += wrap(f"{'':8}{words}", WIDTH, 11)
    return lines


def visitors_in_words(seen: View, building: Building) -> list[str]:
    """The visitors of a building in order of entry."""
    best = seen.premium(building.slot)
    return [
        f"{player.entry}. {who(player)}: {visit_in_words(seen, player)}{'; premium player' if player is best else ''}"
        for player in seen.visitors(building.slot)
    ]


def visit_in_words(seen: View, player: Player) -> str:
    """What a visitor has laid, as far as it is known."""
    if player.laid == 0:
        is_gone = seen.resolved is not None and player.slot is not None and player.slot < seen.resolved
        return f"scored {player.played or 'nothing'}" if is_gone else "no cards laid"
    if any(player.revealed):
        return f"revealed {cards_in_words(player.revealed)}"
    number = f"{number_of(player.laid, 'card')} face down"
    return number + (f" ({cards_in_words(player.laid_cards)})" if player.laid_cards is not None else "")


def who(player: Player) -> str:
    """A player's sign and colour, as on its discs."""
    return f"{player.sign} {COLOURS[player.number]}"


# Influence, and population cards by class


def tracks_in_words(seen: View) -> list[str]:
    """A line per class: the ranking (RC-32), then population cards by nuns: discarded, in the deck, in the row."""
    numbers = " ".join(map(str, range(KINDS_OF_CLASS)))
    heads = "".join(f"{words:<14}" for words in ("discarded", "deck at most", "unseen row"))
    lines = [
        f"  {'influence (P1>P0: equal points, P1 came first and ranks better)':<70}{heads}".rstrip(),
        f"  {'':<70}{numbers:<14}{numbers:<14}{numbers}",
    ]
    for track, name in enumerate(CLASSES):
        counts = [nuns_in_signs(cards, track) for cards in (seen.discard, seen.deck_most, seen.unseen_row_most)]
        lines.append(f"  {name:<14}{ranks_in_words(seen, track):<56}{counts[0]:<14}{counts[1]:<14}{counts[2]}")
    return lines


def ranks_in_words(seen: View, track: int) -> str:
    """Who has influence in a class, most first (RC-32)."""
    ranking = [(points, there) for points, there in seen.ranking(track) if points]
    return ", ".join(f"{points} {'>'.join(player.sign for player in there)}" for points, there in ranking) or "nobody"


def nuns_in_signs(cards: Sequence[int], track: int) -> str:
    """Population cards of a class by nuns, a dot for none."""
    return " ".join(
        str(number) if number else "." for number in cards[track * KINDS_OF_CLASS : (track + 1) * KINDS_OF_CLASS]
    )


# Players


def players_in_words(seen: View) -> list[str]:
    """Each player in a line, and what is known of its cards below it."""
    if seen.is_over:
        return final_scores_in_words(seen)
    lines = [HEADS + "(points: influence and tokens as they are now)"]
    for player, score in zip(seen.players, scores(seen), strict=True):
        lines.append(player_line(seen, player, score))
        lines += wrap(f"      {known_cards_in_words(player)}", WIDTH, 8) if known_cards_in_words(player) else []
    return lines


def player_line(seen: View, player: Player, score: Score) -> str:
    """A player's numbers, and its part in the round."""
    mark = ">" if player.is_asked else " "
    name = f"{player.name} {COLOURS[player.number]}{' (you)' if player.is_observer else ''}"
    numbers = f"{player.held:>6}{player.laid:>6}{player.rats:>6}{player.token_points:>8}{score.total:>8}"
    return f"{mark} {name:<24}{numbers}  {notes_in_words(seen, player)}".rstrip()


def notes_in_words(seen: View, player: Player) -> str:
    """A player's part in the round."""
    notes = ["starts"] if player.is_starting and seen.stage not in (CHOOSING, DEALING) else []
    notes += ["asked"] if player.is_asked else []
    notes += [f"number {player.in_queue} to enter"] if player.in_queue else []
    notes += ["gives"] if player is seen.giver else ["will give"] if player.number in seen.givers_to_come else []
    notes += ["takes"] if player is seen.taker else []
    return ", ".join(notes)


def known_cards_in_words(player: Player) -> str:
    """The hand, if it is known; else what it surely holds (RC-73)."""
    if player.hand is not None:
        aside = f"; to give: {cards_in_words(player.aside)}" if any(player.aside) else ""
        return f"hand: {cards_in_words(player.hand)}{aside}"
    words = [f"surely {cards_in_words(player.at_least)}"] if any(player.at_least) else []
    more = [
        specials_in_words(special, most)
        for special, most in enumerate(player.at_most)
        if most > player.at_least[KINDS + special]
    ]
    words += [f"at most {', '.join(more)}"] if more else []
    return "; ".join(words)


def final_scores_in_words(seen: View) -> list[str]:
    """RC-60 to RC-66: what every player scored, and whether it survived."""
    names = [*(name[:7] for name in CLASSES), *MAJORITY_HEADS, "gold", "tokens", "points", "rats"]
    lines = [f"  {'player':<10}" + columns(names)]
    for player, score in zip(seen.players, scores(seen), strict=True):
        numbers = (*score.tracks, *score.majorities, score.gold, score.tokens, score.total, player.rats)
        end = "dead" if score.is_dead else "winner" if score.has_won else ""
        lines.append(f"  {player.name:<10}" + columns(number or "." for number in numbers))
        hand = cards_in_words(player.hand or ())
        lines += wrap(f"      {f'{end}; ' if end else ''}hand: {hand}", WIDTH, 8)
    return lines


def columns(entries: Iterable[object]) -> str:
    """Entries in columns, those of classes a little wider."""
    return "".join(f"{entry:>8}" if place < len(CLASSES) else f"{entry:>7}" for place, entry in enumerate(entries))


# The nun-row and the decks


def nun_row_sentence(seen: View) -> str:
    """RC-06, RC-09: the row as far as it is known, and who has looked where."""
    parts = [f"{card.place + 1} {row_card_in_words(seen, card)}" for card in seen.row_cards]
    return f"Nun-row: {'; '.join(parts)}."


def row_card_in_words(seen: View, card: RowCard) -> str:
    """A card of the nun-row."""
    words = "unknown" if card.kind is None else POPULATION[card.kind]
    looked = " ".join(seen.players[number].sign for number in card.looked)
    now = ", looked at now" if card.is_looked_at else ""
    return words + (f" (seen by {looked}{now})" if looked or now else "")


def decks_sentence(seen: View) -> str:
    """RC-70: population deck, special decks and tokens."""
    reshuffled = ", shuffled anew" if seen.ran_out else ""
    words = f"Population deck: {seen.deck_size}{reshuffled}; discard pile: {sum(seen.discard)}. "
    decks = [
        f"{name} {number}"
        for name, number, is_used in zip(SPECIALS, seen.special_decks, seen.specials_in_game, strict=True)
        if is_used
    ]
    return f"{words}Decks: {', '.join(decks)}. {tokens_in_words(seen)}"


def tokens_in_words(seen: View) -> str:
    """Victory point tokens left."""
    values = [f"{number} of {value + 1}" for value, number in enumerate(seen.tokens_left) if number]
    return f"Tokens: {', '.join(values) or 'none'}."


def buildings_to_come_in_words(seen: View) -> str:
    """Building cards that nobody has seen, by building and copy, including those of the replacement deck."""
    if seen.stage == CHOOSING:
        return "Buildings to come: not chosen yet."
    copies: dict[int, list[str]] = {}
    for card in seen.unknown_buildings:
        name, copy = building_card_in_words(card).rsplit(" ", 1)
        copies.setdefault(BUILDING_WORDS.index(name), []).append(copy)
    words = ", ".join(f"{BUILDING_WORDS[building]} {' '.join(numbers)}" for building, numbers in copies.items())
    known = ", ".join(building_card_in_words(card) for card in seen.replacements_known)
    behind = f", behind them {known}" if known else ""
    return f"Buildings to come: {words or 'none'}; {seen.replacements_unknown} of them in the replacement deck{behind}."


assert len(CARDS) == KINDS + len(SPECIALS)
