"""The table in paragraphs, without columns, for a narrow terminal."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.game import PointOfView
from rat_envs.engine.wording import number_of
from rat_envs.games.comme_des_rats.components import BANDAGES_TO_BE_OUT
from rat_envs.games.comme_des_rats.view import Pile, Rat, View, view
from rat_envs.games.comme_des_rats.wording import (
    configuration_in_words,
    doors_in_words,
    own_side,
    pile_note,
    question,
    rat_notes,
    situation,
    stock_in_words,
    third_rat_card_in_words,
    third_rat_cards_to_come,
)


def paragraphs(row: Any, point_of_view: PointOfView) -> list[str]:
    """What the text says, from a point of view (CR-70 to CR-77)."""
    seen = view(row, point_of_view)
    said = [f"Comme des Rats: {configuration_in_words(seen)}.", " ".join(situation(seen))]
    said += [pile_in_a_paragraph(seen, pile) for pile in seen.piles]
    said.append(doors_in_words(seen))
    said += [rat_in_a_paragraph(seen, rat) for rat in seen.rats]
    said += third_rat_in_paragraphs(seen)
    said += [own_side(seen)] if seen.observer is not None else []
    return said + ([question(seen)] if question(seen) else [])


def pile_in_a_paragraph(seen: View, pile: Pile) -> str:
    """A pile, and what is known of it."""
    note = pile_note(seen, pile)
    known = f"; {'from the top: ' if pile.known else ''}{note}" if note else ""
    cards, traps = number_of(pile.size, "card"), number_of(pile.traps_beside, "trap")
    return f"Pile {pile.number + 1}: {cards}, {traps} beside it{known}."


def rat_in_a_paragraph(seen: View, rat: Rat) -> str:
    """A rat's points, bandages and stock, and other notes."""
    name = f"{rat.name}{' (you)' if rat.is_observer else ''}"
    bandages = f"{rat.bandages} of {BANDAGES_TO_BE_OUT} bandages"
    return (
        f"{name}: {'; '.join([number_of(rat.points, 'point'), bandages, stock_in_words(rat), *rat_notes(seen, rat)])}."
    )


def third_rat_in_paragraphs(seen: View) -> list[str]:
    """The cards that the third rat has not shown in this round, and the one of this turn (CR-60 to CR-63)."""
    cards = [
        f"tr{number + 1}{' (of this turn)' if number == seen.third_rat_card else ''}: {third_rat_card_in_words(card)}."
        for number, card in third_rat_cards_to_come(seen)
    ]
    return ["The third rat's cards to come, and what it keeps:", *cards] if cards else []
