"""RC-73 to RC-75 in games of random play: the ledgers are those of other books (and sound: see the properties)."""

from typing import Any

import pytest
from rattus_cartus_components import POPULATION
from rattus_cartus_games import BOTH, CONFIGURATIONS, DEFAULTS, TABLES, THE_OTHERS, random_supply
from rattus_cartus_helpers import CARDS, KINDS, players, random_texts, start
from rattus_cartus_ledgers import Books, ReferenceTable

from rat_envs.engine.position import Position

SPECIALS = CARDS[KINDS:]

#: Beside the printed supplies, some by which decks run out, hands are large and cards change hands.
SOME: dict[str, dict[str, Any]] = {
    **{name: config for name, config in CONFIGURATIONS.items() if name.endswith(("recommended-False", "list-False"))},
    **TABLES,
    **{
        f"{number} draw and give": {"players": number, "buildings": THE_OTHERS, "supply": random_supply(10 + number)}
        for number in (2, 3, 4, 5)
    },
    **{
        f"{number} with swords": {"players": number, "buildings": BOTH, "supply": [[3, 1, 1]] * 60}
        for number in (2, 3, 4, 5)
    },
}


def counts(cards: Any, kinds: list[str]) -> list[int]:
    """A counter as a list."""
    return [cards[card] for card in kinds]


def check_books(position: Position, all_books: list[Books]) -> None:
    """Assert that the row has the same in its fields."""
    row, kinds = position.state, list(POPULATION)
    at_least, at_most, fresh, row_most = row.at_least, row.at_most, row.fresh, row.row_most
    for books in all_books:
        observer = books.observer
        for seat in books.at_least:
            assert at_least[observer, seat].tolist() == counts(books.at_least[seat], CARDS), (observer, seat)
            assert at_most[observer, seat].tolist() == counts(books.at_most[seat], SPECIALS), (observer, seat)
        assert fresh[observer].tolist() == counts(books.fresh, kinds), observer
        assert row_most[observer].tolist() == counts(books.bound_of_the_row(), kinds), observer


@pytest.mark.parametrize("name", SOME)
def test_rc73_to_rc75_the_ledgers_are_those_of_other_books(name: str) -> None:
    first = list(SOME).index(name)
    for seed in range(first, first + (2 if "with" in name else 1)):
        position, table = start(**SOME[name]), ReferenceTable(DEFAULTS | SOME[name])
        for text in random_texts(position, seed):
            check_books(position, table.books)
            table.apply(text)
        assert table.over
        assert position.scores() == table.result()[1]
        check_at_the_end(position, table)


def check_at_the_end(position: Position, table: ReferenceTable) -> None:
    """RC-71: at the end the hands lie open; what the onlooker knows is what it has seen."""
    row, number = position.state, players(position)
    check_books(position, table.books[-1:])
    for seat in range(number):
        for other in set(range(number)) - {seat}:
            assert (row.at_least[seat, other] == row.hand[other]).all()
            assert (row.at_most[seat, other] == row.hand[other, KINDS:]).all()
