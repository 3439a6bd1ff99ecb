"""The table in words: the phrases that text, story and drawing share, and the text for a terminal (80 columns)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.engine.wording import does, game_over, listed, named, number_of, possessive, subject, wrap
from rat_envs.games.comme_des_rats.components import (
    BANDAGES_TO_BE_OUT,
    CLAW,
    CLOVER,
    KEY1,
    KEY2,
    MANIPULATOR,
    STEAL,
    TRAP,
)
from rat_envs.games.comme_des_rats.notation import SAY_CLAW, SAY_DIE, SAY_NOTHING, SAY_PEACE, THIRD_RAT_PLACE
from rat_envs.games.comme_des_rats.round_end import ROUNDS
from rat_envs.games.comme_des_rats.view import Pile, Rat, RatName, ThirdRatCard, View, view

WIDTH = 80

FACE_WORDS = ("one key", "two keys", "theft", "claw", "healing")
CARD_WORDS = ("trap", "1 cheese", "2 cheese", "clover")
#: What faces, cards and roles do (CR-12 to CR-19, CR-23, CR-50 to CR-56).
FACE_RULES = (
    "draw the top card of a pile",
    "draw two cards of one pile",
    "take a card, by lot, from another rat's stock",
    "send the cat at another rat, which gets a bandage",
    "give back a bandage",
)
CARD_RULES = (
    "a bandage for whoever draws it",
    "1 point at the end of the round",
    "2 points at the end of the round",
    "discard it to get no bandage",
)
ROLE_RULES = (
    "The Manipulator looks through two piles and puts their cards in any order.",
    "Al Ratone may show the card to become partner.",
    "The Hypnotist may show the card to send the cat at another rat.",
    "The Fool keeps traps unseen and without a bandage, until one is stolen from it.",
    "The Alchemist gets 1 point more for every clover at the end of the round.",
)
ROLE_WORDS = ("the Manipulator", "Al Ratone", "the Hypnotist", "the Fool", "the Alchemist")


def text(row: Any, point_of_view: PointOfView) -> str:
    """The table for a terminal, 80 columns wide, from a point of view (CR-70 to CR-77)."""
    seen = view(row, point_of_view)
    lines = [*wrap(f"Comme des Rats: {configuration_in_words(seen)}", WIDTH), "-" * WIDTH]
    lines += [*wrap(" ".join(situation(seen)), WIDTH), ""]
    lines += [*piles_in_words(seen), ""]
    for rat in seen.rats:
        lines += rat_in_words(seen, rat)
    lines += third_rat_cards_in_words(seen)
    lines += ["", *wrap(own_side(seen), WIDTH)] if seen.observer is not None else []
    lines += ["-" * WIDTH, *wrap(question(seen), WIDTH)]
    return "\n".join(lines) + "\n"


# Names


def decides(rat: RatName) -> str:
    """Who decides for the third rat, within a sentence (CR-63)."""
    return f"{named(rat)} decide{'' if rat.is_observer else 's'}"


def cards_in_words(counts: Iterable[int], unknown: int = 0) -> str:
    """Cards by kind, in words."""
    words = [CARD_WORDS[card] + (f" x{number}" if number > 1 else "") for card, number in enumerate(counts) if number]
    words += [f"{unknown} unknown"] if unknown else []
    return ", ".join(words) or "nothing"


def some_cards(card: int, copies: int = 1) -> str:
    """Cards of a kind, as the object of a sentence."""
    name = CARD_WORDS[card]
    if card in (TRAP, CLOVER):
        return f"a {name}" if copies == 1 else f"{copies} {name}s"
    return name if copies == 1 else f"{copies} cards of {name}"


def stock_named(counts: Iterable[int]) -> str:
    """All cards of a stock, in the same way."""
    return listed(some_cards(card, copies) for card, copies in enumerate(counts) if copies)


def roll_in_words(faces: Iterable[int]) -> str:
    """The two faces of a roll."""
    return listed(FACE_WORDS[face] for face in faces)


def statement_in_words(rats: Sequence[RatName], active: RatName, statement: int) -> str:
    """What somebody said (CR-40), after its name."""
    if statement == SAY_NOTHING:
        return "said nothing"
    return "said: I would " + promise_in_words(rats, active, statement)


def promise_in_words(rats: Sequence[RatName], active: RatName, statement: int) -> str:
    """What somebody would do (CR-40)."""
    if statement == SAY_PEACE:
        return "not claw " + named(active)
    if statement < SAY_CLAW:
        return "keep " + FACE_WORDS[statement - SAY_DIE]
    return "claw " + named(rat_spoken_of(rats, statement))


def rat_spoken_of(rats: Sequence[RatName], statement: int) -> RatName:
    """The rat that a speaker says it would claw."""
    place = statement - SAY_CLAW
    return rats[-1 if place == THIRD_RAT_PLACE else place]


# The table


def configuration_in_words(seen: View) -> str:
    """The options in play."""
    words = [number_of(seen.players, "player") + (" and the third rat" if seen.players == 2 else "")]
    words += ["roles"] if seen.roles else []
    words += ["talk"] if seen.talk else []
    words += [number_of(seen.extra_rounds, "extra round")] if seen.extra_rounds else []
    return ", ".join(words)


def round_in_words(seen: View) -> str:
    """Which round it is (CR-01, CR-32)."""
    if seen.extra_rounds_played:
        return f"Tie-break round {seen.extra_rounds_played} of {seen.extra_rounds}"
    return f"Round {seen.round + 1} of {ROUNDS}"


def situation(seen: View) -> list[str]:
    """The stage of the game, in sentences."""
    if seen.is_over:
        return [result(seen)]
    sentences = [f"{round_in_words(seen)}; it is {possessive(seen.active)} turn."]
    if seen.dice:
        first = f"{roll_in_words(seen.first_roll)}, then " if seen.rerolled else ""
        sentences.append(f"{subject(seen.active)} rolled {first}{roll_in_words(seen.dice)}.")
    if seen.partner is not None:
        sentences.append(f"{does(seen.partner, 'be')} partner.")
    if seen.third_rat_card is not None:
        sentences.append(f"The third rat has shown tr{seen.third_rat_card + 1}.")
    if seen.resolved:
        sentences += [share_in_words(seen.partner, seen.active, seen.kept), f"Now {die_in_words(seen)}."]
    return sentences


def result(seen: View) -> str:
    """Who has won (CR-31, CR-80, CR-81)."""
    return outcome_in_words(*seen.outcome)


def outcome_in_words(winners: Sequence[RatName], tie_is_broken: bool) -> str:
    """Who has won, and why others with equally many points have not."""
    return game_over(winners, tie_break="stored most cards in the last round" if tie_is_broken else "")


def share_in_words(partner: RatName | None, active: RatName, kept: Iterable[int]) -> str:
    """Who has which die (CR-08)."""
    assert partner is not None
    partners_face, left = (FACE_WORDS[face] for face in kept)
    return f"{subject(partner)} kept {partners_face}, {named(active)} got {left}."


def die_in_words(seen: View) -> str:
    """The die being resolved, and its progress."""
    assert seen.whose_die is not None and seen.decider is not None and seen.face is not None
    words = [f"{possessive(seen.whose_die)} die: {FACE_WORDS[seen.face]}"]
    words += [decides(seen.decider)] * seen.whose_die.is_third_rat
    if seen.pile_searched is not None:
        words.append(f"pile {seen.pile_searched.number + 1} is searched")
    words += ["a second draw is to follow"] if seen.second_draw else []
    words += [f"{possessive(seen.robbed)} stock is robbed"] if seen.robbed is not None else []
    words += [f"the cat comes at {named(seen.aimed_at)}"] if seen.aimed_at is not None else []
    words += [f"{number_of(seen.fool_bandages, 'bandage')} for the Fool to come"] if seen.fool_bandages else []
    return ", ".join(words)


def piles_in_words(seen: View) -> list[str]:
    """The piles, and the discard pile."""
    known = "from the top" if any(pile.known for pile in seen.piles) else ""
    lines = [f"{'':10}cards  traps beside  {known}".rstrip()]
    for pile in seen.piles:
        line = f"  Pile {pile.number + 1}  {pile.size:>5}  {pile.traps_beside:>12}  {pile_note(seen, pile)}"
        lines += wrap(line, WIDTH, 31)
    return lines + wrap(f"  {doors_in_words(seen)}", WIDTH, 4)


def doors_in_words(seen: View) -> str:
    """The cards discarded, and all that are in use."""
    return f"Discarded: {cards_in_words(seen.discard)}. In use: {cards_in_words(seen.doors)}."


def pile_note(seen: View, pile: Pile) -> str:
    """What else is known of a pile (CR-51, CR-71)."""
    cards = [CARD_WORDS[card] for card in pile.known]
    cards += ["..."] * (pile == seen.pile_being_ordered or 0 < len(cards) < pile.size)
    own = seen.near.is_observer and seen.near.role == MANIPULATOR
    notes = [", ".join(cards)] if cards else ["the Manipulator looked through it"] * (pile.is_looked_at and not own)
    fool = "the Fool" if seen.observer is None else "you"
    notes += [f"{fool} drew {number_of(pile.traps_stored, 'trap')} from it"] if pile.traps_stored else []
    return "; ".join(notes)


def rat_in_words(seen: View, rat: Rat) -> list[str]:
    """A rat's points, bandages and stock, then other notes in lines of their own."""
    mark = ">" if rat.is_active and not seen.is_over else " "
    pips = "#" * rat.bandages + "." * (BANDAGES_TO_BE_OUT - rat.bandages)
    name = f"{rat.name}{' (you)' if rat.is_observer else ''}"
    line = f"{mark} {name:<15}{number_of(rat.points, 'point'):>10}  bandages [{pips}]  {stock_in_words(rat)}"
    notes = rat_notes(seen, rat)
    return wrap(line, WIDTH, 46) + (wrap("    " + "; ".join(notes), WIDTH, 4) if notes else [])


def stock_in_words(rat: Rat) -> str:
    """A stock: its number of cards, and what is known of it."""
    if rat.is_out:
        return "out of the round"
    known = f": {cards_in_words(rat.known, rat.unknown)}" if any(rat.known) else ""
    return number_of(rat.stock_size, "card") + known


def rat_notes(seen: View, rat: Rat) -> list[str]:
    """A rat's part in this turn, its role as far as it is known, what it has shown and what it says."""
    notes = ["partner"] if rat.is_partner and not seen.is_over else []
    notes += role_notes(rat)
    notes += ["has shown a drawn trap"] if rat.trap_shown else []
    notes += ["visited by the cat"] if rat.is_visited else []
    return notes + ([statement_in_words(seen.rats, seen.active, rat.statement)] if rat.statement is not None else [])


def role_notes(rat: Rat) -> list[str]:
    """A role that was shown, or is known to ``EVERYTHING``; the observer's own role has its own line."""
    if rat.role is None:
        return []
    if rat.role_shown:
        return [f"has shown {ROLE_WORDS[rat.role]}"]
    return [] if rat.is_observer else [f"is {ROLE_WORDS[rat.role]}, not shown"]


def third_rat_cards_in_words(seen: View) -> list[str]:
    """The cards that the third rat has not shown in this round, and the one of this turn (CR-60 to CR-63)."""
    lines = []
    for number, card in third_rat_cards_to_come(seen):
        mark = ">" if number == seen.third_rat_card else " "
        lines.append(f"  {mark} tr{number + 1}: {third_rat_card_in_words(card)}")
    heading = ["", "The third rat's cards to come, and what it keeps:"]
    return heading + lines if lines else []


def third_rat_cards_to_come(seen: View) -> list[tuple[int, ThirdRatCard]]:
    """Cards that it has not shown, and the one of this turn, each with its number."""
    cards = enumerate(seen.third_rat_cards)
    return [(number, card) for number, card in cards if number == seen.third_rat_card or not card.is_shown]


def third_rat_card_in_words(card: ThirdRatCard) -> str:
    """What a card of the third rat says (CR-62, CR-63)."""
    faces = " > ".join(FACE_WORDS[face] for face in card.faces)
    return f"{faces}; {'opponent' if card.opponent_decides else 'active'} decides"


def own_side(seen: View) -> str:
    """What the observer holds."""
    own = seen.near
    sentences = [f"You hold: {cards_in_words(own.known)}."]
    if own.role is not None:
        shown = "everybody knows" if own.role_shown else "nobody else knows"
        sentences.append(f"You are {ROLE_WORDS[own.role]}; {shown}.")
    return " ".join(sentences)


QUESTIONS = {
    "look": "Which pile do you look through?",
    "keep_dice": "Do you keep these dice, or roll both again?",
    "claim": "Do you show Al Ratone and become partner?",
    "partner": "Whom do you choose as partner?",
    "redirect": "The cat comes at you: do you show the Hypnotist and send it elsewhere?",
    "bandage": "You are about to get a bandage: do you discard a clover instead?",
}


def question(seen: View) -> str:
    """What the observer is asked; empty when it is not asked."""
    if seen.node is None or seen.is_over:
        return ""
    whose = "Third rat: " if seen.whose_die is not None and seen.whose_die.is_third_rat else ""
    if seen.node == "say":
        return f"What do you tell {named(seen.active)}? It binds you to nothing."
    if seen.node == "die":
        return f"Which die do you keep? {subject(seen.active)} will get the other."
    if seen.node == "place":
        assert seen.pile_being_ordered is not None
        pile = seen.pile_being_ordered.number + 1
        return f"Which card comes next in pile {pile}, from the top? Left: {cards_in_words(seen.left_to_place)}."
    if seen.node in ("pile", "rob", "claw"):
        return whose + die_question(seen)
    return QUESTIONS[seen.node]


def die_question(seen: View) -> str:
    """What is asked when a die is resolved (CR-12 to CR-15, CR-63)."""
    by_face = {
        KEY1: "which pile is a card drawn from?",
        KEY2: "which pile are two cards drawn from?",
        STEAL: "who is robbed?",
        CLAW: "at whom is the cat sent?",
    }
    assert seen.face is not None
    words = by_face[seen.face]
    return words if seen.whose_die is not None and seen.whose_die.is_third_rat else words.capitalize()
