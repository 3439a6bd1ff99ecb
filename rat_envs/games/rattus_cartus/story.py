"""Who sees what of an action or outcome, in sentences (RC-70, RC-71).

The action is told first, then everything automatic that followed, one step of the rules after another: so each event is
told by itself, although one action may resolve a whole building.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from rat_envs.engine.story import Event, moments
from rat_envs.engine.wording import Person, listed, named, number_of, possessive, subject
from rat_envs.games.rattus_cartus.components import (
    ALL_KINDS,
    GO_ON,
    KINDS,
    NONE,
    OPENING,
    OVER,
    REVEALING,
    building_of,
    rounds,
    seats,
    slots,
)
from rat_envs.games.rattus_cartus.configuration import DRAW, DROP, LOOK
from rat_envs.games.rattus_cartus.ending import nuns_in_row
from rat_envs.games.rattus_cartus.flow import go_on_once
from rat_envs.games.rattus_cartus.notation import (
    CHOOSE_BUILDING_FIRST,
    CHOOSE_CARD_FIRST,
    DISCARD_FIRST,
    DRAW_FIRST,
    ENTER_FIRST,
    LAY_FIRST,
    LOOK_FIRST,
    NUN_FIRST,
    SUPPLY_FIRST,
    TAKE_FROM_FIRST,
)
from rat_envs.games.rattus_cartus.rules import take
from rat_envs.games.rattus_cartus.tables import CLASSES, KINDS_OF_CLASS, POPULATION, SPECIALS
from rat_envs.games.rattus_cartus.view import Building, view
from rat_envs.games.rattus_cartus.visits import is_here
from rat_envs.games.rattus_cartus.wording import (
    BUILDING_WORDS,
    SPECIAL_PLURALS,
    building_card_in_words,
    cards_in_words,
    result,
    specials_in_words,
    supply_in_words,
    upper_first,
)

__all__ = ["hidden_facts", "sees"]

People = Sequence[Person]


def sees(event: Event, seat: int | None) -> list[str]:
    """What a seat, or a spectator (None), sees of an event."""
    people = [Person(number, number == seat) for number in range(seats(event.before))]
    verb = event.notation.partition(" ")[0]
    sentences = TOLD[verb](event, people) if verb in TOLD else []
    for was, now in itertools.pairwise(moments(event, take, go_on_once, GO_ON)):
        for follow in FOLLOWING:
            sentences += follow(was, now, people)
    return sentences + end(event, people, seat)


def hidden_facts(row: Any) -> dict[str, str]:
    """Facts that somebody may not know (RC-70 to RC-72): row cards looked at, cards laid, and cards in hand."""
    facts = {f"row card {place + 1}": POPULATION[card] for place, card in enumerate(row.nun) if card != NONE}
    for player in (Person(number, False) for number in range(seats(row))):
        seat = player.number
        if row.cards_laid[seat] and not row.revealed[seat]:
            facts[f"{player.name} has laid"] = cards_in_words(row.laid[seat])
        cards = (row.hand[seat] + row.aside[seat]).tolist()
        for place, name in enumerate(CLASSES):
            number = sum(cards[place * KINDS_OF_CLASS : (place + 1) * KINDS_OF_CLASS])
            facts[f"{name} cards in {possessive(player)} hand"] = str(number)
        for special, number in zip(SPECIAL_PLURALS, cards[KINDS:], strict=True):
            facts[f"{special} in {possessive(player)} hand"] = str(number)
    return facts


def building_at(row: Any, slot: int) -> str:
    """A building of the row within a sentence; with its slot if the row has another of that name."""
    building = building_of(row.slot[slot])
    twins = sum(building_of(row.slot[other]) == building for other in range(slots(row)))
    return f"the {BUILDING_WORDS[building]}" + (f" in slot {slot + 1}" if twins > 1 else "")


def supply_at(row: Any, slot: int) -> str:
    """The supply of a building card of the row (RC-15)."""
    numbers = row.config.supply[row.slot[slot]]
    return supply_in_words(Building(slot, 0, 0, int(numbers[DRAW]), int(numbers[DROP]), int(numbers[LOOK])))


def one_card(kind: int) -> str:
    """A card by its kind."""
    return cards_in_words(number == kind for number in range(ALL_KINDS))


# Actions and outcomes


def choose(event: Event, people: People) -> list[str]:
    """RC-02: buildings by lot."""
    number = event.action - CHOOSE_CARD_FIRST
    if number >= 0:
        return [f"{building_card_in_words(number)} will be in the game."]
    return [f"The {BUILDING_WORDS[event.action - CHOOSE_BUILDING_FIRST]} will be in the game."]


def draw(event: Event, people: People) -> list[str]:
    """RC-06, RC-71: only its owner is told a drawn card."""
    player = people[event.before.doer]
    return [f"{subject(player)} drew {one_card(event.action - DRAW_FIRST) if player.is_observer else 'a card'}."]


def supply(event: Event, people: People) -> list[str]:
    """RC-15."""
    row, slot = event.before, event.action - SUPPLY_FIRST
    return [f"{subject(people[event.actor])} took the supply of {building_at(row, slot)}: {supply_at(row, slot)}."]


def look(event: Event, people: People) -> list[str]:
    """RC-09: others see which place; the card there is told when it is known."""
    player, place = people[event.actor], event.action - LOOK_FIRST
    known = event.before.nun[place]
    if player.is_observer and known == NONE:
        return []
    seen = f": {POPULATION[known]}" if player.is_observer else ""
    return [f"{subject(player)} looked at row card {place + 1}{seen}."]


def nun(event: Event, people: People) -> list[str]:
    """RC-09: whoever looks at a row card is told it; RC-65: cards uncovered at the end are told after the game."""
    row = event.before
    if row.stage == REVEALING or not people[row.doer].is_observer:
        return []
    return [f"You looked at row card {row.place + 1}: {POPULATION[event.action - NUN_FIRST]}."]


def enter(event: Event, people: People) -> list[str]:
    """RC-20."""
    return [f"{subject(people[event.actor])} entered {building_at(event.before, event.action - ENTER_FIRST)}."]


def pass_on(event: Event, people: People) -> list[str]:
    """RC-22."""
    return [f"{subject(people[event.actor])} passed."]


def lay(event: Event, people: People) -> list[str]:
    """RC-21: face down."""
    player = people[event.actor]
    return [f"{subject(player)} laid {one_card(event.action - LAY_FIRST) if player.is_observer else 'a card'}."]


def take_from(event: Event, people: People) -> list[str]:
    """RC-36: told here only if the giver has nothing to give; ``gift`` tells the other case."""
    giver = people[event.action - TAKE_FROM_FIRST]
    if event.before.cards_held[giver.number] > 1:
        return []
    whose = upper_first(possessive(people[event.actor]))
    return [f"{whose} Sword: {named(giver)} had fewer than 2 cards and gave nothing."]


def act(event: Event, people: People) -> list[str]:
    """RC-41."""
    return [f"{subject(people[event.actor])} used {building_at(event.before, event.before.resolved)}."]


def decline(event: Event, people: People) -> list[str]:
    """RC-41."""
    return [f"{subject(people[event.actor])} did not use {building_at(event.before, event.before.resolved)}."]


def discard(event: Event, people: People) -> list[str]:
    """RC-43: openly."""
    return [f"{subject(people[event.actor])} discarded {one_card(event.action - DISCARD_FIRST)} for a rat."]


TOLD = {
    **{"choose": choose, "draw": draw, "supply": supply, "look": look, "nun": nun, "enter": enter, "pass": pass_on},
    **{"lay": lay, "take_from": take_from, "act": act, "decline": decline, "discard": discard},
}


# Consequences, from one step of the rules to the next


def round_begun(was: Any, now: Any, people: People) -> list[str]:
    """RC-10, RC-50."""
    if now.stage == REVEALING != was.stage:
        return ["The last round is over."]
    if now.stage != OPENING or was.stage == OPENING:
        return []
    return [f"Round {now.rounds_played + 1} of {rounds(now)} begins; {named(people[now.starting])} will start."]


def opened(was: Any, now: Any, people: People) -> list[str]:
    """RC-11, RC-12: building cards of the row."""
    sentences = []
    for slot in range(slots(now)):
        card, before = now.slot[slot], was.slot[slot]
        if card in (NONE, before):
            continue
        instead = "" if before == NONE else f", in place of {building_card_in_words(before)}"
        lies = f"{building_card_in_words(card)} lies in slot {slot + 1} (supply: {supply_at(now, slot)})"
        sentences.append(f"{lies}{instead}.")
    return sentences


def revealed(was: Any, now: Any, people: People) -> list[str]:
    """RC-30, RC-31."""
    return [
        f"{subject(player)} revealed {cards_in_words(now.laid[seat])} at {building_at(now, now.slot_of[seat])}."
        for seat, player in enumerate(people)
        if now.revealed[seat] > was.revealed[seat] and any(now.laid[seat])
    ]


def influence(was: Any, now: Any, people: People) -> list[str]:
    """RC-31, RC-45."""
    return [
        f"{subject(player)} gained {more} influence in {CLASSES[track]} ({now.influence[track, seat]} in all)."
        for seat, player in enumerate(people)
        for track in range(len(CLASSES))
        if (more := now.influence[track, seat] - was.influence[track, seat])
    ]


def rats(was: Any, now: Any, people: People) -> list[str]:
    """RC-04, RC-31; RC-38: the Flute."""
    more = {seat: int(now.rats[seat] - was.rats[seat]) for seat in range(len(people))}
    if sorted(more.values())[0] < 0 < sorted(more.values())[-1]:
        giver, taker = min(more, key=more.__getitem__), max(more, key=more.__getitem__)
        return [f"{upper_first(possessive(people[giver]))} Flute gave a rat to {named(people[taker])}."]
    return [
        f"{subject(people[seat])} got {number_of(number, 'rat')} ({now.rats[seat]} in all)."
        if number > 0
        else f"{subject(people[seat])} got rid of {number_of(-number, 'rat')} ({now.rats[seat]} left)."
        for seat, number in more.items()
        if number
    ]


def tokens(was: Any, now: Any, people: People) -> list[str]:
    """RC-64."""
    return [
        f"{subject(player)} got {number_of(int(now.points[seat] - was.points[seat]), 'victory point')}."
        for seat, player in enumerate(people)
        if now.points[seat] > was.points[seat]
    ]


def specials(was: Any, now: Any, people: People) -> list[str]:
    """RC-05: special cards from their decks."""
    return [
        f"{subject(player)} got {specials_in_words(special, int(taken))}."
        for special in range(len(SPECIALS))
        if (taken := was.special_deck[special] - now.special_deck[special]) > 0
        for seat, player in enumerate(people)
        if now.hand[seat, KINDS + special] > was.hand[seat, KINDS + special]
    ]


def gift(was: Any, now: Any, people: People) -> list[str]:
    """RC-36, RC-37, RC-44: who must give, and what was given: only giver and taker are told the cards."""
    taker = now.taker
    givers = [seat for seat in range(len(people)) if now.cards_held[seat] < was.cards_held[seat] and seat != taker]
    if givers and now.cards_held[taker] > was.cards_held[taker]:
        giver, number = givers[0], int(was.cards_held[givers[0]] - now.cards_held[givers[0]])
        cards = cards_in_words(now.hand[taker] - was.hand[taker])
        if people[taker].is_observer:
            return [f"You got {cards} from {named(people[giver])}."]
        told = cards if people[giver].is_observer else number_of(number, "card")
        return [f"{subject(people[giver])} gave {told} to {named(people[taker])}."]
    if now.gives_left > was.gives_left:
        why = "Sword" if is_here(now, now.giver) else "Guard Tower"
        cards = number_of(int(now.gives_left), "card")
        whose = upper_first(possessive(people[taker]))
        return [f"{whose} {why}: {named(people[now.giver])} must give {cards}."]
    return []


def deck(was: Any, now: Any, people: People) -> list[str]:
    """RC-07; if a new deck is only as large as the old one was, the discard pile shows the change."""
    is_larger = now.deck_size > was.deck_size and was.ran_out | now.ran_out
    if is_larger or now.discarded.sum() < was.discarded.sum():
        return ["The discard pile has been shuffled into a new population deck."]
    return ["The population deck has run out."] if now.deck_size == 0 < was.deck_size else []


def end(event: Event, people: People, seat: int | None) -> list[str]:
    """RC-65, RC-66, RC-71: at the end hands and nun-row lie open."""
    row = event.after
    if row.phase != OVER:
        return []
    cards = listed(POPULATION[kind] for kind in row.nun)
    hands = [
        f"{subject(player)} had in hand: {cards_in_words(row.hand[player.number])}."
        for player in people
        if not player.is_observer
    ]
    nuns = number_of(int(nuns_in_row(row)), "nun")
    return [f"The nun-row was {cards}: {nuns} in all.", *hands, *result(view(row, seat))[1:]]


FOLLOWING = (round_begun, opened, revealed, influence, rats, tokens, specials, gift, deck)
