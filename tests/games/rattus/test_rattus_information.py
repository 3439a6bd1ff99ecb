"""RT-70: what everybody sees."""

import numpy as np
import pytest
from rattus_helpers import (
    FACES,
    TOKEN_IDS,
    at,
    by_seat,
    final_round,
    hold,
    in_play,
    lay,
    lookers,
    marked_regions,
    marked_slots,
    neighbours,
    node,
    play,
    same_view,
    seen_cubes,
    settled,
    start,
    table,
    view,
    who,
)
from rattus_referee import CARDS, TABLE_ORDER, default_tokens

from rat_envs.engine.position import Position

every_seat = pytest.mark.parametrize("seat", [0, 1, 2, 3])
every_number = pytest.mark.parametrize("players", [2, 3, 4])


def used(position: Position, seat: int) -> set[str]:
    """The class cards that ``seat`` sees used this turn."""
    return {CARDS[number] for number in np.flatnonzero(view(position, seat).used)}


@every_number
def test_rt70_the_configuration(players: int) -> None:
    tokens = [token | {"limit": 7} for token in default_tokens()]
    for king_after_plague in (True, False):
        position = start(players=players, king_after_plague=king_after_plague, tokens=tokens)
        for seat in range(players):
            seen = view(position, seat)
            assert np.flatnonzero(seen.players).tolist() == [players - 2]
            assert seen.king_after_plague == king_after_plague
            assert set(marked_regions(seen.in_play)) == set(in_play(players))
            assert seen.tokens.tolist() == [[7, *FACES[token][1:]] for token in TOKEN_IDS]
            for region in in_play(players):
                assert set(marked_regions(seen.adjacency[at(region)])) == neighbours(region, players) | {region}


@every_seat
def test_rt70_cubes_palaces_and_stocks(seat: int) -> None:
    position = table(cubes={"gallia": [1, 0, 3, 2], "russia": [0, 5, 0, 0]})
    position.state.palace[:] = (3, 0, 1, 2)
    assert seen_cubes(position, seat, "gallia") == [1, 0, 3, 2]
    assert seen_cubes(position, seat, "russia") == [0, 5, 0, 0]
    seen = view(position, seat)
    assert by_seat(position, seat, seen.stock) == [19, 15, 17, 18]
    assert by_seat(position, seat, seen.palace) == [3, 0, 1, 2]
    assert seen.cubes.sum() == 11


@every_number
def test_rt70_seats_that_do_not_play_are_not_shown(players: int) -> None:
    seen = view(settled(players), players - 1)
    for field in ("stock", "palace", "actor", "active", "last_active", "cubes"):
        assert not seen[field][players:].any(), field
    assert not seen.holders[:, players:].any()
    assert not seen.looked_at[:, players:].any()


@every_seat
def test_rt70_the_plague(seat: int) -> None:
    position = start()
    assert marked_regions(view(position, seat).plague) == {}
    position.apply("plague anglia")  # number 0
    assert marked_regions(view(position, seat).plague) == {"anglia": 1}
    position = table("scandia", placed=True)
    play(position, "plague russia")
    assert marked_regions(view(position, seat).plague) == {"russia": 1}


@every_seat
def test_rt70_who_holds_the_class_cards(seat: int) -> None:
    position = table(cards={"peasant": 3, "king": 0, "witch": 0})
    holders = {card: who(position, seat, view(position, seat).holders[number]) for number, card in enumerate(CARDS)}
    assert holders == {"peasant": [3], "merchant": [], "monk": [], "knight": [], "witch": [0], "king": [0]}
    position.apply("take peasant")
    assert who(position, seat, view(position, seat).holders[0]) == [0]


@every_seat
def test_rt70_the_size_of_the_supply(seat: int) -> None:
    position = table("germania", rats={"scandia": 1}, placed=True)
    assert view(position, seat).supply == 37
    play(position, "plague scandia", "rat anglia")
    assert view(position, seat).supply == 36


@every_seat
def test_rt70_every_regions_tokens_by_number_slot_and_pile(seat: int) -> None:
    laid = {"gallia": "start supply", "italia": "supply start start", "anglia": 0}
    position = table(rats=laid, others=1)
    seen = view(position, seat)
    numbers = dict.fromkeys(TABLE_ORDER, 1) | {"gallia": 2, "italia": 3, "anglia": 0}
    assert seen.rats.tolist() == [numbers[region] for region in TABLE_ORDER]
    rest = {f"{region} 1" for region in TABLE_ORDER} - {"anglia 1", "italia 1"}
    assert marked_slots(seen.laid_out) == rest | {"italia 2", "italia 3"}


@every_seat
def test_rt70_the_pile_goes_with_a_token_that_is_moved_or_swapped(seat: int) -> None:
    position = table(rats={"gallia": "start supply", "anglia": 0}, cards={"monk": 0, "witch": 0}, others=1)
    play(position, "monk gallia 2", "to anglia", "witch anglia 1", "token r01", "witch turcia 1", "token s01", "swap")
    assert marked_slots(view(position, seat).laid_out) & {"gallia 1", "anglia 1", "turcia 1"} == {
        "gallia 1",
        "anglia 1",
    }


@every_seat
def test_rt70_which_players_have_looked_at_a_token(seat: int) -> None:
    position = table(rats={"gallia": "start supply supply"})
    lay(position, "gallia", "start:s03 supply supply:r08", by=(1, 3))
    assert [lookers(position, seat, "gallia", slot) for slot in (1, 2, 3)] == [[1, 3], [], [1, 3]]
    hold(position, witch=0)
    play(position, "witch gallia 2", "token r01", "witch gallia 1", "take king")
    assert [lookers(position, seat, "gallia", slot) for slot in (1, 2, 3)] == [[0, 1, 3], [0], [1, 3]]


@every_seat
def test_rt70_the_tokens_flipped_so_far(seat: int) -> None:
    position = table("germania", {"gallia": [0, 9]}, {"gallia": "start supply"}, placed=True)
    assert not view(position, seat).flipped.any()
    play(position, "plague gallia", "rat italia", "rat italia", "flip 2", "token r24")
    assert {TOKEN_IDS[token] for token in np.flatnonzero(view(position, seat).flipped)} == {"r24"}
    play(position, "token s03")
    assert {TOKEN_IDS[token] for token in np.flatnonzero(view(position, seat).flipped)} == {"s03", "r24"}


@every_seat
def test_rt70_whose_turn_it_is_and_who_is_asked(seat: int) -> None:
    position = start()
    assert (who(position, seat, view(position, seat).active), who(position, seat, view(position, seat).actor)) == (
        [],
        [],
    )
    position.apply("plague italia")
    for other in (0, 1, 2, 3, 3, 2, 1, 0):
        assert who(position, seat, view(position, seat).active) == []
        assert who(position, seat, view(position, seat).actor) == [other]
        position.apply("place anglia")
    assert who(position, seat, view(position, seat).active) == [0]
    position = table(active=2)
    assert who(position, seat, view(position, seat).active) == [2]
    assert who(position, seat, view(position, seat).actor) == [2]


@every_seat
def test_rt70_the_kind_of_node(seat: int) -> None:
    position = start()
    assert node(position, seat) == []
    position.apply("plague italia")
    assert node(position, seat) == ["settle"]
    held = {"merchant": 0, "monk": 0, "witch": 0, "king": 0, "knight": 0}
    home, laid = {"gallia": [5], "turcia": [1]}, {"gallia": "start supply supply", "turcia": 0}
    position = table("germania", home, laid, held, supply=2)
    seen = []
    for text in (
        *("merchant gallia 1", "to italia", "monk gallia 3", "to hispania"),
        *("witch gallia 1", "token s01", "witch italia 1", "token s02", "keep"),
        *("place anglia", "plague gallia", "rat anglia", "rat anglia", "bonus", "flip 2", "token r01"),
    ):
        seen.extend(node(position, seat))
        position.apply(text)
    assert seen == [
        *("turn", "merchant to", "turn", "monk to", "turn", "witch again", "swap", "turn", "turn"),
        *("spread", "spread", "knight", "flip"),
    ]
    assert node(position, seat) == ["king"]
    hold(position, witch=1)
    position.apply("pass")
    assert node(position, seat) == ["final round"]


@every_seat
def test_rt70_what_is_done_this_turn(seat: int) -> None:
    position = table("scandia", {"gallia": [3]}, {"italia": 1}, {"merchant": 0, "peasant": 0})
    done = [(0, 0, set())]
    for texts in (
        ["take monk"],
        ["merchant gallia 1", "to italia"],
        ["peasant gallia"],
        ["monk gallia 1", "to italia"],
    ):
        seen = view(position, seat)
        assert (seen.card_taken, seen.cubes_placed, used(position, seat)) == done[-1]
        play(position, *texts)
        taken, placed, cards = done[-1]
        card = texts[0].split()[0]
        done.append((taken or card == "take", placed or card == "peasant", cards | ({card} & set(CARDS))))
    assert done[-1] == (1, 1, {"merchant", "peasant", "monk"})
    play(position, "plague russia", "rat polonia")
    seen = view(position, seat)
    assert who(position, seat, seen.active) == [1]
    assert (seen.card_taken, seen.cubes_placed, used(position, seat)) == (0, 0, set())


def test_rt70_in_the_final_round_nobody_has_taken_a_card_or_placed_cubes_this_turn() -> None:
    position = table("germania", rats={"scandia": 0}, cards={"witch": 2}, supply=0, active=3)
    play(position, "take king", "place anglia", "plague scandia")
    for seat in range(4):
        seen = view(position, seat)
        assert who(position, seat, seen.active) == [2]
        assert (seen.card_taken, seen.cubes_placed, used(position, seat)) == (0, 0, set())


@every_seat
def test_rt70_how_many_tokens_of_the_spread_are_still_to_be_laid(seat: int) -> None:
    position = table("germania", {"gallia": [3]}, {"gallia": 3}, placed=True)
    assert view(position, seat).spread_left == 0
    for left in (2, 1, 0):
        position.apply("plague gallia" if left == 2 else "rat italia")
        assert view(position, seat).spread_left == left


@pytest.mark.parametrize("why", ["no room", "no supply"])
def test_rt70_none_is_to_be_laid_any_more_without_room_or_supply(why: str) -> None:
    full = dict.fromkeys(neighbours("gallia"), 3) | {"italia": 2} if why == "no room" else {}
    left = 1 if why == "no supply" else 37
    position = table("germania", {"gallia": [3]}, {"gallia": 3, **full}, placed=True, supply=left)
    play(position, "plague gallia", "rat italia")
    for seat in range(4):
        assert node(position, seat) == ["flip"]
        assert view(position, seat).spread_left == 0


@every_seat
def test_rt70_a_half_made_ability(seat: int) -> None:
    laid = {"gallia": "start supply supply"}
    for texts, moving, chosen in (
        ([], {}, set()),
        (["merchant gallia 2"], {"gallia": 2}, set()),
        (["merchant gallia 2", "to italia"], {}, set()),
        (["monk gallia 3"], {}, {"gallia 3"}),
        (["monk gallia 3", "to italia"], {}, set()),
        (["witch gallia 2", "token r01"], {}, {"gallia 2"}),
        (["witch gallia 2", "token r01", "stop"], {}, set()),
        (["witch gallia 2", "token r01", "witch italia 1", "token s01"], {}, {"gallia 2", "italia 1"}),
        (["witch gallia 2", "token r01", "witch italia 1", "token s01", "swap"], {}, set()),
        (["witch gallia 2", "token r01", "witch gallia 1", "token s01"], {}, set()),
        (["witch anglia 1", "token s01"], {}, {"anglia 1"}),
    ):
        position = table("scandia", {"gallia": [3]}, laid, {"merchant": 0, "monk": 0, "witch": 0})
        play(position, *texts)
        assert marked_regions(view(position, seat).cubes_moving) == moving
        assert marked_slots(view(position, seat).chosen) == chosen


@every_seat
def test_rt70_the_last_active_player_and_the_final_round(seat: int) -> None:
    position = table(cards={"witch": 1}, active=3)
    assert who(position, seat, view(position, seat).last_active) == []
    position = final_round(3, cards={"witch": 1})
    assert who(position, seat, view(position, seat).last_active) == [3]
    assert who(position, seat, view(position, seat).active) == [1]
    assert node(position, seat) == ["final round"]


@every_seat
def test_rt70_a_knights_neutral_cubes(seat: int) -> None:
    for answer, right in (("bonus", {"gallia": 2}), ("no_bonus", {})):
        position = table("germania", {"gallia": [3]}, {"gallia": "supply supply"}, {"knight": 0}, placed=True)
        play(position, "plague gallia", "rat italia", "rat italia")
        assert marked_regions(view(position, seat).neutral_cubes) == {}
        position.apply(answer)
        assert marked_regions(view(position, seat).neutral_cubes) == right
        play(position, "flip 1", "token r24", "token r11")
        assert who(position, seat, view(position, seat).active) == [1]
        assert marked_regions(view(position, seat).neutral_cubes) == {}
    position = final_round(3, cards={"knight": 2, "witch": 1})
    assert marked_regions(view(position, seat).neutral_cubes) == {}
    position.apply("plague anglia")
    assert marked_regions(view(position, seat).neutral_cubes) == {"anglia": 2}


def test_rt70_two_ways_to_the_same_situation_look_the_same() -> None:
    one, other = (table("germania", {"gallia": [3]}, cards={"king": 0, "monk": 0}) for _ in range(2))
    play(one, "monk gallia 1", "to italia", "king gallia", "take witch", "place anglia")
    play(other, "take witch", "place anglia", "monk gallia 1", "to italia", "king gallia")
    assert all(same_view(one, other, seat) for seat in range(4))
