"""Short words for the tests of Rattus Cartus: a row of buildings and hands by name, and what lies where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from rattus_cartus_components import (
    CLASS_OF,
    CLASSES,
    POPULATION,
    SPECIAL_CARDS,
    copies_of,
    name_of,
)
from rattus_cartus_games import random_player, steps_of

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game

GAME = get_game("rattus_cartus")

#: Cards, building cards and copies of population cards in the specification's order.
CARDS = [*POPULATION, "joker", *SPECIAL_CARDS]
KINDS = len(POPULATION)
BUILDING_CARDS = [card for building in CLASS_OF for card in copies_of(building)]
COPIES = np.array([*POPULATION.values()])
ONLOOKER = 5
NO_SUPPLY = [[0, 0, 0]] * 60


def start(**config: Any) -> Position:
    """A new game, before its first node."""
    return Position(GAME, config)


def opened(row: str = "", **config: Any) -> Position:
    """Phase B of the first round, after any deal, with these building cards in the row."""
    wanted = split(row)
    if wanted and "buildings" not in config:
        config["buildings"] = buildings_with(wanted, [])
    position = start(**config)
    while not verbs(position) & {"building"}:
        position.apply(calm(position))
    for card in wanted:
        position.apply(f"building {card}")
    assert not wanted or (row_of(position) == wanted and verbs(position) == {"supply"}), "RC-12"
    go_on(position, "supply")
    return position


def doors(row: str, *hands: str, **config: Any) -> Position:
    """Phase C of the first round: everybody is to enter one of these buildings, with these cards in hand.

    Special cards were taken from their decks before everybody's eyes; supplies are nothing unless they are configured.
    """
    config.setdefault("buildings", buildings_with(split(row), [card for hand in hands for card in split(hand)]))
    position = opened(row, players=len(hands), **{"supply": NO_SUPPLY, **config})
    go_on(position, "enter")
    deal(position, *hands)
    return position


def buildings_with(row: Sequence[str], held: Sequence[str]) -> str:
    """Buildings in use that have these building cards among them, and the decks for these cards."""
    needed = {SPECIAL_CARDS[card][1] for card in held if card in SPECIAL_CARDS}
    chosen = []
    for each in CLASSES:
        cards = [card for card in row if CLASS_OF[name_of(card)] == each]
        buildings = [building for building in CLASS_OF if CLASS_OF[building] == each]
        cards += [copies_of(building)[-1] for building in buildings if building in needed]
        cards += copies_of(name_of(cards[0]) if cards else buildings[0])
        chosen += list(dict.fromkeys(cards))[:5]
    return ", ".join(chosen)


def deal(position: Position, *hands: str) -> None:
    """These hands instead of those there are, as if nothing else had happened yet."""
    row = position.state
    for seat in range(players(position)):
        move_to_stock(row, row.hand[seat], 1)
        row.hand[seat] = numbers(hands[seat])
        move_to_stock(row, row.hand[seat], -1)
    count_cards(row)
    assert row.pool.min() >= 0 and row.special_deck.min() >= 0
    row.at_least[:], row.at_most[:] = 0, 0
    for observer in range(ONLOOKER + 1):
        row.fresh[observer] = row.row_most[observer] = COPIES
        for seat in range(players(position)):
            if seat == observer:
                row.fresh[observer] -= row.hand[seat][:KINDS]
                row.row_most[observer] -= row.hand[seat][:KINDS]
            else:
                row.at_least[observer, seat, KINDS:] = row.at_most[observer, seat] = row.hand[seat][KINDS:]


def count_cards(row: Any) -> None:
    """The numbers of cards, after cards were changed by hand."""
    row.cards_held[:] = (row.hand + row.aside).sum(1)
    row.cards_laid[:] = row.laid.sum(1)


def move_to_stock(row: Any, cards: Any, sign: int) -> None:
    """Cards go to the decks, or come from there."""
    row.pool += sign * cards[:KINDS]
    row.deck_size += sign * cards[:KINDS].sum()
    row.special_deck += sign * cards[KINDS:]


def leave_in_deck(position: Position, deck: str, nun_row: str, discarded: str = "") -> None:
    """The deck, the row that nobody has looked at, and the discard pile; what lay there before is gone."""
    row = position.state
    row.pool[:] = numbers(deck)[:KINDS] + numbers(nun_row)[:KINDS]
    row.deck_size = len(split(deck))
    row.discarded[:] = numbers(discarded)[:KINDS]
    assert len(split(nun_row)) == 5
    assert row.deck_size > 0, "use up the last card by drawing it"


def last_round(position: Position) -> None:
    """This is the final round."""
    position.state["rounds_played"] = {2: 10, 3: 9, 4: 8, 5: 8}[players(position)] - 1


def rank(position: Position, track: str, *points: int) -> None:
    """So much influence in a class, by seat; among equals the lower seat arrived first."""
    row, number = position.state, CLASSES.index(track)
    row.influence[number][: len(points)] = points
    for seat, each in enumerate(points):
        row.rank[number][seat] = points[:seat].count(each)


# Playing


def play(position: Position, *texts: str) -> None:
    """One text after another; a text may hold several, parted by semicolons."""
    for text in texts:
        for step in steps_of(text):
            position.apply(step)


def lay_no_more(position: Position) -> None:
    """Nothing is laid, whether or not that is asked (RC-23)."""
    if not position.is_chance and "done" in position.legal():
        position.apply("done")


def calm(position: Position) -> str:
    """What changes least: nobody lays cards or acts, and the buildings of a row differ."""
    texts = everything(position)
    for wish in ("done", "decline"):
        if wish in texts:
            return wish
    in_row = {name_of(card) for card in row_of(position)}
    return next((text for text in texts if not in_row & set(text.split())), texts[0])


def go_on(position: Position, *wanted: str) -> None:
    """What changes least happens until there is a choice of one of these kinds, or the game is over."""
    while not position.is_over and not verbs(position) & set(wanted):
        position.apply(calm(position))


def next_round(position: Position) -> None:
    """What changes least happens until the next round begins, or the end."""
    played = int(position.state["rounds_played"])
    while not position.is_over and position.state["rounds_played"] == played:
        position.apply(calm(position))


def random_texts(position: Position, seed: int) -> Iterable[str]:
    """A game of random play: every action and outcome, before it happens."""
    pick = random_player(seed)
    while not position.is_over:
        text = pick(position.chances() if position.is_chance else position.legal())
        yield text
        position.apply(text)


# What can happen


def everything(position: Position) -> list[str]:
    """All that can happen here."""
    return list(position.chances()) if position.is_chance else position.legal()


def verbs(position: Position) -> set[str]:
    """The first words of what can happen."""
    return {text.split()[0] for text in everything(position)}


def node(position: Position) -> tuple[int, list[str]]:
    """Who decides, and what can be done."""
    assert not position.is_chance
    return position.actor, position.legal()


def asked(position: Position, seat: int, *texts: str) -> bool:
    """Whether it is this seat that decides, between these."""
    return node(position) == (seat, sorted(texts))


# What lies where


def split(cards: str) -> list[str]:
    """Cards or building cards parted by commas."""
    return cards.split(", ") if cards else []


def numbers(cards: str) -> np.ndarray:
    """Cards by name as the row holds them."""
    counts = Counter(split(cards))
    assert counts.keys() <= set(CARDS)
    return np.array([counts[card] for card in CARDS], np.int8)


def names(counts: Iterable[int]) -> str:
    """The inverse of ``numbers``, also for population cards alone."""
    counts = list(counts)
    assert min(counts) >= 0
    return ", ".join(card for card, number in zip(CARDS, counts, strict=False) for _ in range(number))


def players(position: Position) -> int:
    """Number of seats."""
    return int(position.configuration.players)


def row_of(position: Position) -> list[str]:
    """The building cards of the row."""
    return [BUILDING_CARDS[card] for card in position.state.slot if card >= 0]


def known_replacements(position: Position) -> list[str]:
    """The known cards of the replacement deck, the next one first."""
    row = position.state
    return [BUILDING_CARDS[card] for card in row.replacement[: row.replacements_known]]


def hand(position: Position, seat: int) -> str:
    """A seat's cards in hand."""
    return names(position.state.hand[seat])


def laid(position: Position, seat: int) -> str:
    """A seat's cards on the table."""
    return names(position.state.laid[seat])


def aside(position: Position, seat: int) -> str:
    """A seat's cards that lie aside."""
    return names(position.state.aside[seat])


def sizes(position: Position) -> list[int]:
    """Cards in every hand."""
    return position.state.hand.sum(1)[: players(position)].tolist()


def rats(position: Position) -> list[int]:
    """Every seat's rats."""
    return position.state.rats[: players(position)].tolist()


def set_rats(position: Position, *rats: int) -> None:
    """So many rats, by seat."""
    position.state.rats[: len(rats)] = rats


def influence(position: Position, track: str) -> list[int]:
    """Everybody's influence in a class."""
    return position.state.influence[CLASSES.index(track)][: players(position)].tolist()


def ranking(position: Position, track: str) -> list[int]:
    """The seats with influence in a class, the best first."""
    points, ranks = influence(position, track), position.state.rank[CLASSES.index(track)].tolist()
    return sorted((seat for seat, each in enumerate(points) if each), key=lambda seat: (-points[seat], ranks[seat]))


def discarded(position: Position) -> str:
    """The discard pile."""
    return names(position.state.discarded)


def in_deck(position: Position, special: str) -> int:
    """Cards in the deck of a joker or special card."""
    return int(position.state.special_deck[CARDS.index(special) - KINDS])


def set_deck(position: Position, special: str, number: int) -> None:
    """So many cards are in that deck."""
    position.state.special_deck[CARDS.index(special) - KINDS] = number


def set_tokens(position: Position, ones: int) -> None:
    """So many victory point tokens, of value 1, are left."""
    position.state.tokens[0] = ones


def points(position: Position) -> list[int]:
    """Everybody's victory point tokens, by value."""
    return position.state.points[: players(position)].tolist()


def looked(position: Position, seat: int) -> list[int]:
    """The places of the row at which a seat has looked."""
    return [place + 1 for place, seats in enumerate(position.state.looked.tolist()) if seats >> seat & 1]


# What observers know


def at_least(position: Position, observer: int, owner: int) -> str:
    """The cards that an observer knows an owner to have."""
    return names(position.state.at_least[observer, owner])


def at_most(position: Position, observer: int, owner: int) -> dict[str, int]:
    """How many special cards an owner can have, for all an observer knows; those that it can have."""
    most = position.state.at_most[observer, owner].tolist()
    return {card: number for card, number in zip(CARDS[KINDS:], most, strict=True) if number}


def fresh(position: Position, observer: int) -> dict[str, int]:
    """An observer's bound of the deck."""
    return dict(zip(POPULATION, position.state.fresh[observer].tolist(), strict=True))


def row_most(position: Position, observer: int) -> dict[str, int]:
    """An observer's bound of what it has not seen in the row."""
    return dict(zip(POPULATION, position.state.row_most[observer].tolist(), strict=True))


def know(position: Position, observer: int, owner: int, cards: str) -> None:
    """An observer knows that an owner has these population cards, as if it had given them."""
    position.state.at_least[observer, owner] += numbers(cards)


def changed(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """What a bound has gained or lost."""
    return {card: after[card] - before[card] for card in POPULATION if after[card] != before[card]}


def stream(seed: int) -> Any:
    """A random stream for play."""
    return new_stream(GAME, seed)


def state_bytes(position: Position) -> bytes:
    """Everything there is."""
    return np.asarray(position.state).tobytes()
