"""BR-13: the rulebook's table of outcomes ("Tableau récapitulatif") and its footnotes, cell by cell.

Rows are the card of Applewood (player_1), columns the card of Yarg (player_0), both from the Prince down. X: the round
is put on hold; Y, A: Yarg or Applewood wins the round; YY, AA: wins the whole game.
"""

import pytest
from brave_rats_helpers import both_seats, on_hold, play_as, play_round, rounds_won, start

COLUMNS = ["prince", "general", "wizard", "ambassador", "assassin", "spy", "princess", "musician"]
TABLE = {
    "prince": "    X  A A A A A YY X",
    "general": "   Y  X A A Y A A  X",
    "wizard": "    Y  Y X A A A A  A",
    "ambassador": "Y  Y Y X Y A A  X",
    "assassin": "  Y  A Y A X Y Y  X",
    "spy": "       Y  Y Y Y A X A  X",
    "princess": "  AA Y Y Y A Y X  X",
    "musician": "  X  X Y X X X X  X",
}
CELLS = [
    pytest.param(yarg, applewood, cell, id=f"{yarg}-{applewood}")
    for applewood, row in TABLE.items()
    for yarg, cell in zip(COLUMNS, row.split(), strict=True)
]


@pytest.mark.parametrize(("yarg", "applewood", "cell"), CELLS)
def test_br13_outcome_of_every_pair_of_cards(yarg: str, applewood: str, cell: str) -> None:
    position = start()
    play_round(position, yarg, applewood)

    assert position.is_over == (cell in ("YY", "AA"))
    if cell == "X":
        assert rounds_won(position) == (0, 0)
        assert min(on_hold(position)) > 0
    elif position.is_over:
        assert position.returns() == ([1, -1] if cell == "YY" else [-1, 1])
    else:
        winner = "YA".index(cell)
        assert rounds_won(position, winner) == (2 if (yarg, applewood)[winner] == "ambassador" else 1, 0)
        assert on_hold(position) == (0, 0)


def test_br13_the_table_has_every_cell() -> None:
    assert len(CELLS) == 64


@both_seats
def test_br13_footnote_1_after_a_general_its_owner_wins_prince_against_prince(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "musician")
    play_as(position, seat, "prince", "prince")
    assert rounds_won(position, seat) == (2, 0)  # with the round on hold


@both_seats
def test_br13_footnote_2_after_a_general_its_owner_loses_assassin_against_assassin(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "musician")
    play_as(position, seat, "assassin", "assassin")
    assert rounds_won(position, seat) == (0, 2)  # with the round on hold


@both_seats
def test_br13_footnote_3_after_a_general_musician_against_musician_is_still_on_hold(seat: int) -> None:
    position = start()
    play_as(position, seat, "general", "spy")
    play_as(position, seat, "musician", "musician")
    assert rounds_won(position, seat) == (1, 0)
    assert on_hold(position, seat) == (1, 1)
