"""The table in words: the phrases that text, story and drawing share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rat_envs.engine.wording import does, game_over, listed, named, number_of, subject
from rat_envs.games.rattus_cartus.components import (
    CHOOSING,
    DEALING,
    ENTERING,
    KINDS,
    OPENING,
    RESOLVING,
    SUPPLYING,
    class_of_card,
    nuns_on,
)
from rat_envs.games.rattus_cartus.standing import nuns, scores, winners
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    CARDS,
    CLASSES,
    COPIES,
    KINDS_OF_CLASS,
    SPECIALS,
)
from rat_envs.games.rattus_cartus.view import Building, View

WIDTH = 120

BUILDING_WORDS = (
    *("Farm", "Brewery", "Marketplace", "Office", "Monastery", "Hospital"),
    *("Castle", "Guard Tower", "Fortune-teller's Tent", "Pied Piper's Hut", "Palace", "Treasury"),
)
#: By number of seat.
COLOURS = ("blue", "red", "green", "purple", "orange")
#: What a building does for its premium player, and for the others.
ACTION_WORDS = (
    ("draw 4", "draw 2"),
    ("draw 1 a point", "draw 1 for 2 points"),
    ("2 jokers", "1 joker"),
    ("2 passes", "1 pass"),
    ("drop 2 rats", "drop 1 rat"),
    ("drop 1, then up to 3", "up to 2 cards for rats"),
    ("2 swords", "1 sword"),
    ("3 cards from others", "you are protected"),
    ("2 looks", "1 look"),
    ("2 flutes", "1 flute"),
    ("2 tokens", "1 token"),
    ("2 gold", "1 gold"),
)
SPECIAL_RULES = (
    "a follower of any class: a point and never a rat",
    "takes half of the hand of a visitor who played the fewest Swords",
    "passes a rat to a visitor who played the fewest Flutes",
    "puts off entering a building",
    "points at the end",
)
SPECIAL_PLURALS = ("jokers", "swords", "flutes", "passes", "gold")


# Names


def seats_in_words(seen: View, numbers: Iterable[int]) -> str:
    """Seats by their numbers, with an "and"."""
    return listed(named(seen.players[number]) for number in numbers)


def specials_in_words(special: int, number: int) -> str:
    """A number of special cards of one kind."""
    return number_of(number, SPECIALS[special], SPECIAL_PLURALS[special])


def cards_in_words(counts: Iterable[int]) -> str:
    """Cards by kind, a class and its nuns together: "church 0 2 2, joker x2"."""
    numbers = list(counts)
    words = []
    for first, name in zip(range(0, KINDS, KINDS_OF_CLASS), CLASSES, strict=True):
        here = [str(nun) for nun, copies in enumerate(numbers[first : first + KINDS_OF_CLASS]) for _ in range(copies)]
        words += [" ".join([name, *here])] if here else []
    for special, copies in enumerate(numbers[KINDS:]):
        words += [SPECIALS[special] + (f" x{copies}" if copies > 1 else "")] if copies else []
    return ", ".join(words) or "nothing"


def nuns_in_a_row(cards: Sequence[int], track: int) -> str:
    """How many cards of a class have no nun, one nun and so on."""
    return ", ".join(map(str, cards[track * KINDS_OF_CLASS : (track + 1) * KINDS_OF_CLASS]))


def card_in_words(kind: int) -> str:
    """A card in hand: "a church card with 2 nuns", "a Sword"."""
    if kind >= KINDS:
        special = SPECIALS[kind - KINDS]
        return "gold" if special == "gold" else f"a {special.capitalize()}"
    return f"a {CLASSES[class_of_card(kind)]} card with {number_of(nuns_on(kind), 'nun')}"


def card_rules(kind: int) -> str:
    """What a card is good for (RC-22, RC-31, RC-36, RC-38, RC-63)."""
    if kind >= KINDS:
        return SPECIAL_RULES[kind - KINDS]
    return f"a point in any building, and a rat where the building is not of the {CLASSES[class_of_card(kind)]}"


def building_name(seen: View, slot: int) -> str:
    """A building of the row within a sentence; with its slot if the row has another of that name."""
    name = BUILDING_WORDS[seen.buildings[slot].building]
    twins = [each for each in seen.buildings if each.building == seen.buildings[slot].building]
    return f"the {name}" + (f" in slot {slot + 1}" if len(twins) > 1 else "")


def building_card_in_words(card: int) -> str:
    """A building card by its number."""
    return f"{BUILDING_WORDS[card // COPIES]} {card % COPIES + 1}"


def supply_in_words(building: Building) -> str:
    """A supply action."""
    parts = [f"draw {building.draw}"] * bool(building.draw) + [f"drop {building.drop}"] * bool(building.drop)
    return ", ".join(parts + [f"look at {building.look}"] * bool(building.look)) or "nothing"


# The stage of the game


def configuration_in_words(seen: View) -> str:
    """The options in play."""
    words = [f"{len(seen.players)} players"]
    cards = [card for card, flag in enumerate(seen.in_use) if flag]
    whole = sorted({card // COPIES for card in cards})
    if seen.stage == CHOOSING:
        words.append("buildings by lot")
    elif len(cards) == len(whole) * COPIES:
        recommended = all(building % 2 == 0 for building in whole)
        words.append("recommended buildings" if recommended else "one building of each class")
    else:
        words.append("buildings of both kinds")
    words += ["if all are dead the fewest rats survive"] if seen.fewest_rats_survive else []
    return ", ".join(words)


PHASES = {
    CHOOSING: "Set-up: buildings are chosen by lot",
    DEALING: "Set-up: cards are dealt",
    OPENING: "phase A: buildings",
    SUPPLYING: "phase B: supplies",
    ENTERING: "phase C: entering",
    RESOLVING: "phase D: resolving",
}


def phase_in_words(seen: View) -> str:
    """Which round it is, and which phase (RC-10)."""
    if seen.is_over:
        return "The end"
    if seen.rounds_played == seen.rounds:
        return "The end: the nun-row is revealed"
    if seen.stage in (CHOOSING, DEALING):
        return PHASES[seen.stage]
    return f"Round {seen.rounds_played + 1} of {seen.rounds}, {PHASES[seen.stage]}"


def situation(seen: View) -> list[str]:
    """The stage of the game, in sentences."""
    if seen.is_over:
        return result(seen)
    sentences = [f"{phase_in_words(seen)}."]
    if seen.stage in (OPENING, SUPPLYING, ENTERING, RESOLVING):
        sentences.append(f"{does(seen.starting, 'start')} this round.")
    if seen.rounds_played == seen.rounds - 1:
        sentences.append("It is the last: no actions, a point for each premium player.")
    if seen.resolved is not None:
        sentences.append(f"Now {building_name(seen, seen.resolved)}.")
    if seen.stage == ENTERING and seen.queue:
        sentences.append(f"Still to enter: {', '.join(named(player) for player in seen.queue)}.")
    return sentences + gifts_in_words(seen) + asked_in_words(seen)


def gifts_in_words(seen: View) -> list[str]:
    """Who gives, and who will (RC-37, RC-44)."""
    if seen.giver is None or seen.taker is None:
        return []
    cards = number_of(seen.gives_left, "card")
    sentences = [f"{subject(seen.giver)} must choose {cards} more for {named(seen.taker)}."]
    if seen.givers_to_come:
        sentences.append(f"Then {seats_in_words(seen, seen.givers_to_come)} will give.")
    return sentences


ASKED_OTHERS = {
    "supply": "which supply it takes",
    "look": "which row card it looks at",
    "enter": "which building it enters",
    "lay": "which cards it lays",
    "take_from": "who gives it cards for its Sword",
    "rat_to": "who gets a rat for its Flute",
    "give": "which card it gives",
    "act": "whether it uses the building",
    "discard": "which card it discards for a rat",
}


def asked_in_words(seen: View) -> list[str]:
    """Who else is asked, and what."""
    if seen.asked is None or seen.asked.is_observer or seen.node is None:
        return []
    return [f"{does(seen.asked, 'be')} asked: {ASKED_OTHERS[seen.node]}."]


def result(seen: View) -> list[str]:
    """RC-65 to RC-67: the plague, and who has won."""
    sentences = [f"The nun-row has {number_of(nuns(seen), 'nun')}."]
    dead = [player for player, score in zip(seen.players, scores(seen), strict=True) if score.is_dead]
    if dead:
        is_one = len(dead) == 1 and not dead[0].is_observer
        sentences.append(f"{upper_first(listed(map(named, dead)))} {'is' if is_one else 'are'} dead.")
    best = winners(seen)
    if not best:
        return [*sentences, game_over(best)]
    points = scores(seen)[best[0].number].total
    tied = sum(not score.is_dead and score.total == points for score in scores(seen)) > len(best)
    return [*sentences, game_over(best, number_of(points, "point"), "had the fewest rats" if tied else "")]


def upper_first(words: str) -> str:
    """Words with a capital, to begin a sentence; names of seats stay as they are."""
    return words if words.startswith("player_") else words[0].upper() + words[1:]


# What the observer is asked

QUESTIONS = {
    "supply": "Which building's supply do you take?",
    "lay": "Which card do you lay, or are you done?",
    "take_from": "Your Sword works: who gives you half of its hand?",
    "rat_to": "Your Flute works: who gets a rat from you?",
}


def question(seen: View) -> str:
    """What the observer is asked; empty when it is not asked."""
    if seen.node is None or seen.asked is None or not seen.asked.is_observer or seen.is_over:
        return ""
    if seen.node == "look":
        more = f" ({seen.looks_left} to go)" if seen.looks_left > 1 else ""
        return f"Which card of the nun-row do you look at?{more}"
    if seen.node == "enter":
        may_pass = seen.asked.hand is not None and seen.asked.hand[CARDS.index("pass")] > 0
        return f"Which building do you enter{', or do you pass' if may_pass else ''}?"
    if seen.node == "give" and seen.taker is not None:
        return f"Which card do you give to {named(seen.taker)}? ({seen.gives_left} to go)"
    if seen.node == "act":
        return act_question(seen)
    if seen.node == "discard":
        return f"Which card do you discard for a rat, or are you done? (up to {seen.discards_left})"
    return QUESTIONS[seen.node]


def act_question(seen: View) -> str:
    """RC-41."""
    assert seen.here is not None
    is_premium = seen.premium(seen.here.slot) is seen.asked
    words = ACTION_WORDS[seen.here.building][0 if is_premium else 1]
    role = "premium" if is_premium else "standard"
    return f"Do you use {building_name(seen, seen.here.slot)}? Its {role} action: {words}."


assert len(BUILDING_WORDS) * COPIES == len(BUILDING_CARDS)
