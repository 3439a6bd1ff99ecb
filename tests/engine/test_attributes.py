"""Records with quick attributes are numpy's records in all but the time that they take."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from games_and_configurations import FIRST, each

from rat_envs.engine.attributes import copied, with_attributes
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game

PLAIN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("config", np.dtype((np.record, [("players", "i1"), ("open", "i1")]))),
                ("hand", "i1", (2, 3)),
                ("cities", [("rats", "i1"), ("cubes", "i4")], (2,)),
                ("names", "f8"),
            ],
            align=True,
        ),
    )
)


@pytest.fixture
def rows() -> np.ndarray:
    numbers = np.frombuffer(bytes(range(3 * PLAIN.itemsize)), np.uint8).copy()
    return numbers.view(with_attributes(PLAIN))


def test_they_have_the_same_fields_at_the_same_places(rows: np.ndarray) -> None:
    assert rows.dtype == PLAIN and rows.dtype.isalignedstruct and isinstance(rows[1], np.record)
    plain = rows.view(PLAIN)
    assert str(rows[1]) == str(plain[1])
    for one, other in zip(rows, plain, strict=True):
        assert one.config.players == other.config.players and one.names == other.names
        assert one.hand.tolist() == other.hand.tolist() == one["hand"].tolist()
        assert one.cities[1].cubes == other.cities[1].cubes == one.cities["cubes"][1]
        assert one.tobytes() == other.tobytes() and bytes(one.data) == other.tobytes()


def test_what_is_written_is_written_into_the_array(rows: np.ndarray) -> None:
    row = rows[1]
    row.names, row.config.open, row.hand[1, 2], row.cities[0].rats = 2.5, 7, 8, 9
    row["config"].players = 5
    assert rows["names"][1] == 2.5 and rows["config"].tolist()[1] == (5, 7)
    assert rows["hand"][1, 1, 2] == 8 and rows["cities"]["rats"][1, 0] == 9


def test_what_is_no_field_is_no_attribute(rows: np.ndarray) -> None:
    with pytest.raises(AttributeError, match="purse"):
        _ = rows[0].purse
    assert not hasattr(rows[0].config, "hand") and hasattr(rows[0], "tobytes")


def test_copies_are_their_own(rows: np.ndarray) -> None:
    before = rows.tobytes()
    for row in (rows[1].copy(), copied(rows)[1], copied(rows[1])[0], copy.deepcopy(rows[1])):
        assert row == rows[1] and type(row) is type(rows[1])
        row.names = -1.0
        row.hand[0] = 0
    assert rows.tobytes() == before


def test_they_are_pickled_by_the_names_of_their_fields(rows: np.ndarray) -> None:
    again: Any = pickle.loads(pickle.dumps(rows))
    assert again.dtype.type is rows.dtype.type and again.tobytes() == rows.tobytes()
    assert pickle.loads(pickle.dumps(rows[1])).cities[1].cubes == rows[1].cities[1].cubes


def test_what_has_them_is_left_as_it_is() -> None:
    dtype = with_attributes(PLAIN)
    assert with_attributes(dtype) is dtype and with_attributes(np.dtype("i4")) == np.dtype("i4")


def test_whether_they_are_aligned_is_kept() -> None:
    aligned = np.dtype((np.record, np.dtype([("cubes", "i4"), ("rats", "i1")], align=True)))
    packed = np.dtype((np.record, {"names": ["cubes", "rats"], "formats": ["i4", "i1"], "itemsize": 8}))
    assert aligned == packed
    assert [with_attributes(each).isalignedstruct for each in (aligned, packed)] == [True, False]


@each(FIRST)
def test_compiled_code_writes_into_the_record_that_it_is_given(game: str, config: dict[str, Any]) -> None:
    assert get_game(game).state.type is not np.record
    position = Position(game, config)
    stream = new_stream(position.game, 1)
    before, copy = position.state.tobytes(), position.copy()
    position.apply(position.sample(stream))
    assert stream.counter > 0
    assert position.state.tobytes() != before == copy.state.tobytes()
