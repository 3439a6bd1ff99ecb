"""RT-71 to RT-73 and RT-80: who knows a token, what is drawn when, and that nothing shows what others have seen."""

from typing import Any

import numpy as np
import pytest
from rattus_helpers import (
    GAME,
    TOKEN_IDS,
    cubes,
    discard,
    flipped,
    hold,
    known_face,
    knows_all,
    lay,
    lookers,
    marked_slots,
    play,
    players,
    same_view,
    stream,
    table,
    tokens,
    unseen,
    verbs,
    view,
)

import rat_envs
from rat_envs.engine.position import Position
from rat_envs.testing import leak_test

START_FACES, REGULAR_FACES = TOKEN_IDS[:12], TOKEN_IDS[12:]


def looked(*faces: str, by: int = 1, **config: Any) -> Position:
    """``by`` is the Witch and has looked at a supply token in Italia, then perhaps at the start token of Gallia."""
    position = table("scandia", rats={"italia": "supply"}, cards={"witch": by}, active=by, **config)
    position.apply("witch italia 1")
    position.apply(f"token {faces[0]}")
    if len(faces) > 1:
        play(position, "witch gallia 1", f"token {faces[1]}")
    return position


# RT-71: who knows what


@pytest.mark.parametrize("by", [0, 1, 2, 3])
def test_rt71_who_has_looked_knows_the_face_and_the_others_see_that_he_has(by: int) -> None:
    position = looked("r30", "s07", by=by)
    for seat in range(4):
        right = {"italia 1": "r30", "gallia 1": "s07"} if seat == by else {}
        assert knows_all(position, seat) == right
        assert lookers(position, seat, "italia", 1) == lookers(position, seat, "gallia", 1) == [by]
        assert unseen(position, seat) == set(TOKEN_IDS) - set(right.values())


def test_rt71_several_players_can_know_a_token() -> None:
    position = looked("r30", by=0)
    play(position, "stop", "place anglia", "plague russia", "rat polonia", "take witch", "witch italia 1")
    assert verbs(position) == {"witch", "stop"}  # no chance: the face is drawn
    assert known_face(position, 0, "italia", 1) == known_face(position, 1, "italia", 1) == "r30"
    assert known_face(position, 2, "italia", 1) is None
    assert lookers(position, 3, "italia", 1) == [0, 1]


def test_rt71_the_knowledge_goes_with_the_token_when_it_is_moved() -> None:
    position = looked("r30", "s07")
    hold(position, monk=1)
    play(position, "swap", "monk italia 1", "to hispania")
    assert knows_all(position, 1) == {"gallia 1": "r30", "hispania 2": "s07"}
    assert knows_all(position, 0) == knows_all(position, 2) == {}
    assert lookers(position, 0, "hispania", 2) == lookers(position, 0, "gallia", 1) == [1]
    assert lookers(position, 0, "hispania", 1) == []


def test_rt71_also_when_another_player_moves_it_or_the_gap_closes() -> None:
    position = table("germania", {"gallia": [0, 9]}, {"gallia": "supply start:s02 supply"}, {"monk": 0}, placed=True)
    lay(position, "gallia", "supply start:s02 supply", by=[2])
    play(position, "plague gallia", "rat anglia", "rat anglia", "flip 1", "token r24")
    assert knows_all(position, 2) == {"gallia 1": "s02"}
    assert lookers(position, 3, "gallia", 1) == [2]
    position = table("scandia", cards={"monk": 0})
    lay(position, "gallia", "supply start:s02 supply", by=[2])
    play(position, "monk gallia 2", "to italia")
    assert knows_all(position, 2) == {"italia 2": "s02"}
    assert knows_all(position, 0) == {}


def test_rt71_also_when_another_witch_swaps_it_with_one_that_nobody_knew() -> None:
    position = table("scandia", cards={"witch": 0})
    lay(position, "gallia", "start:s02", by=[2])
    play(position, "witch gallia 1", "witch italia 1", "token s09", "swap")
    assert knows_all(position, 2) == {"italia 1": "s02"}
    assert knows_all(position, 0) == {"italia 1": "s02", "gallia 1": "s09"}
    assert knows_all(position, 1) == {}
    assert (lookers(position, 1, "italia", 1), lookers(position, 1, "gallia", 1)) == ([0, 2], [0])


def test_rt71_a_flipped_token_is_seen_by_all() -> None:
    position = table("germania", {"gallia": [0, 9]}, {"gallia": "supply"}, placed=True)
    play(position, "plague gallia", "rat anglia", "token r24")
    for seat in range(4):
        assert unseen(position, seat) == set(TOKEN_IDS) - {"r24"}
    assert all(known_face(position, seat, "gallia", 1) is None for seat in range(4))  # nothing lies there
    assert not view(position, 0).looked_at.any()


def test_rt71_the_others_see_nothing_of_a_swap_but_which_tokens() -> None:
    one, other = looked("r30", "s07"), looked("r02", "s11")
    for answer in ("swap", "keep"):
        worlds = [one.copy(), other.copy()]
        for world in worlds:
            assert marked_slots(view(world, 0).chosen) == {"italia 1", "gallia 1"}
            world.apply(answer)
        assert [same_view(*worlds, seat) for seat in range(4)] == [True, False, True, True]


# RT-72: left-over start tokens, by one's own eyes


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2), (4, 0)])
def test_rt72_left_over_start_tokens_to_begin_with(number: int, left: int) -> None:
    position = table(players=number)
    assert [view(position, seat).start_left for seat in range(number)] == [left] * number


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2)])
def test_rt72_a_start_face_on_a_supply_token_counts_for_who_has_looked_at_it_alone(number: int, left: int) -> None:
    start_face, regular = looked("s04", players=number), looked("r04", players=number)
    for seat in range(number):
        assert view(start_face, seat).start_left == left - (seat == 1)
        assert view(regular, seat).start_left == left
        assert same_view(start_face, regular, seat) == (seat != 1)
    assert start_face.legal() == regular.legal()


@pytest.mark.parametrize("number", [2, 3])
def test_rt72_a_start_face_on_a_token_of_the_start_pile_does_not_count(number: int) -> None:
    position = looked("r04", "s04", players=number)
    assert len({int(view(position, seat).start_left) for seat in range(number)}) == 1
    play(position, "swap")
    assert view(position, 1).start_left == view(position, 0).start_left  # the pile is the token's


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2)])
def test_rt72_when_it_is_flipped_it_counts_for_all_and_once(number: int, left: int) -> None:
    position = table("germania", {"gallia": [0, 9]}, {"gallia": "supply"}, {"witch": 1}, players=number, active=1)
    play(position, "witch gallia 1", "token s10", "stop")
    assert [view(position, seat).start_left for seat in range(number)] == [left - (s == 1) for s in range(number)]
    play(position, "place anglia", "plague gallia", "rat anglia")
    assert flipped(position) == {"s10"}  # without a chance node
    assert [view(position, seat).start_left for seat in range(number)] == [left - 1] * number


@pytest.mark.parametrize("number", [2, 3])
def test_rt72_a_second_look_of_the_same_player_does_not_count_again(number: int) -> None:
    position = looked("s04", players=number)
    left = view(position, 1).start_left
    position.state.used[:] = 0
    play(position, "stop")
    position.state.used[:] = 0
    play(position, "witch italia 1", "stop")
    assert view(position, 1).start_left == left


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2)])
def test_rt72_a_flipped_start_face_of_the_supply_counts_for_all(number: int, left: int) -> None:
    position = table("germania", {"gallia": [0, 9]}, {"gallia": "supply start"}, placed=True, players=number)
    play(position, "plague gallia", "rat anglia", "rat anglia", "flip 1", "token s10")
    assert [view(position, seat).start_left for seat in range(number)] == [left - 1] * number
    play(position, "token s01")
    assert [view(position, seat).start_left for seat in range(number)] == [left - 1] * number


# RT-73: what is not in the state


def test_rt73_a_face_that_nobody_has_seen_is_not_in_the_state() -> None:
    for number in (2, 3, 4):
        position = table(players=number, others=3)
        assert (position.state.face == -1).all()
        assert not position.state.seen.any()
    assert not [name for name in GAME.state.fields if "supply" in name and np.prod(GAME.state[name].shape) > 1]


def test_rt73_nobody_knows_anything_of_the_supply_but_its_number() -> None:
    position = table("germania", rats={"gallia": 1}, placed=True)
    play(position, "plague gallia", "rat italia")
    assert tokens(position, "italia") == "start supply"
    assert all(unseen(position, seat) == set(TOKEN_IDS) for seat in range(4))


# RT-80: what a chance node can bring


def weights_of(pile: str, number: int, gone: str = "", drawn_from_supply: str = "") -> dict[str, int]:
    """What a token of a pile can be, when some have been flipped, and other tokens of the supply are known."""
    position = table("scandia", players=number, cards={"witch": 0})
    discard(position, *gone.split())
    lay(position, "italia", " ".join(f"supply:{face}" for face in drawn_from_supply.split()), by=[1])
    lay(position, "gallia", pile)
    position.apply("witch gallia 1")
    return position.chances()


def weights(start: dict[str, int] | int, regular: int, gone: str = "") -> dict[str, int]:
    """One weight for every start face and one for every regular face, without those that are gone."""
    chances = {f"token {face}": start for face in START_FACES if face not in gone.split()}
    chances |= {f"token {face}": regular for face in REGULAR_FACES if face not in gone.split()}
    return {text: weight for text, weight in chances.items() if weight}


@pytest.mark.parametrize("number", [2, 3, 4])
def test_rt80_a_token_of_the_start_pile_is_any_undrawn_start_face(number: int) -> None:
    assert weights_of("start", number) == weights(1, 0)
    assert weights_of("start", number, "s02 r03") == weights(1, 0, "s02")
    assert weights_of("start", number, "s02 r03 s11") == weights(1, 0, "s02 s11")


def test_rt80_with_four_players_a_token_of_the_supply_is_any_undrawn_regular_face() -> None:
    assert weights_of("supply", 4) == weights(0, 1)
    assert weights_of("supply", 4, "s01 r05 r37") == weights(0, 1, "r05 r37")


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2)])
def test_rt80_with_fewer_also_a_start_face(number: int, left: int) -> None:
    assert weights_of("supply", number) == weights(left, 12)
    gone = "s01 s02 s03 r05"
    assert weights_of("supply", number, gone) == weights(left, 9, gone)


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2)])
def test_rt80_start_faces_of_the_supply_that_are_drawn_lessen_l_and_u(number: int, left: int) -> None:
    assert weights_of("supply", number, drawn_from_supply="s07") == weights(left - 1, 11, "s07")
    assert weights_of("start", number, drawn_from_supply="s07") == weights(1, 0, "s07")
    assert weights_of("supply", number, drawn_from_supply="r07") == weights(left, 12, "r07")
    assert weights_of("supply", number, "s01", "s07 r02") == weights(left - 1, 10, "s01 s07 r02")


def test_rt80_when_all_left_over_ones_have_turned_up_no_more_come() -> None:
    assert weights_of("supply", 3, drawn_from_supply="s07 s08") == weights(0, 1, "s07 s08")
    assert weights_of("start", 3, drawn_from_supply="s07 s08") == weights(1, 0, "s07 s08")


def test_rt80_a_chance_node_follows_at_once_and_none_if_the_face_is_drawn() -> None:
    position = table("germania", {"gallia": [0, 9]}, {"gallia": "supply supply"}, {"witch": 0})
    play(position, "witch gallia 2")
    assert position.is_chance
    play(position, "token r24", "stop", "place anglia", "plague gallia", "rat anglia", "rat anglia")
    other = position.copy()
    position.apply("flip 2")  # and then the last one
    assert position.is_chance
    assert (flipped(position), len(position.chances())) == ({"r24"}, 36)
    other.apply("flip 1")
    assert (flipped(other), len(other.chances())) == (set(), 36)
    other.apply("token r25")
    assert flipped(other) == {"r24", "r25"}
    assert cubes(other, "gallia") == [0, 7, 0, 0]


# Nothing shows what others have seen


def witch(env: Any, agent: str, random: np.random.Generator) -> int:
    """Play at random, but take the Witch, look, and swap, whenever it can be done."""
    legal = np.flatnonzero(env.observe(agent)["action_mask"])
    liked = [a for a in legal if GAME.actions[a].split()[0] in ("witch", "swap") or GAME.actions[a] == "take witch"]
    return int(random.choice(liked if liked and random.random() < 0.9 else legal))


@pytest.mark.parametrize("number", [2, 3, 4])
def test_nothing_leaks_where_the_witch_is_busy(number: int) -> None:
    report = leak_test(
        rat_envs.make("rattus", players=number), 120, seed=71, play=witch, texts_every=1000, pictures_every=1000
    )
    assert all(seat.differing > 0.5 for seat in report.seats)


def rename(position: Position, seat: int, luck: np.random.Generator) -> bool:
    """Give a token that only others than ``seat`` know another face that ``seat`` has not seen; False if there is none.

    If the other face lies on the board as well, the two tokens exchange faces.
    """
    row = position.state
    hidden = [(s, r) for s, r in zip(*np.nonzero(row.face >= 0), strict=True) if not row.looked[s, r] >> seat & 1]
    if not hidden:
        return False
    one = hidden[luck.integers(len(hidden))]
    face = row.face[one]
    others = [token for token in range(49) if not row.seen[token] >> seat & 1 and token != face]
    new = luck.choice(others)
    before = start_faces_of_the_supply(position)
    for other in hidden:
        if row.face[other] == new:
            row.face[other] = face
    row.face[one] = new
    row.seen[face], row.seen[new] = row.seen[new], row.seen[face]
    drawn, *by_seat = (after - old for after, old in zip(start_faces_of_the_supply(position), before, strict=True))
    row.start_drawn += drawn
    row.start_seen[: players(position)] += np.array(by_seat, np.int8)
    return True


def start_faces_of_the_supply(position: Position) -> list[int]:
    """Start faces drawn for tokens of the supply pile on the board, and how many of them each seat knows."""
    row = position.state
    drawn = (row.face >= 0) & (row.face < 12) & (row.pile == 0)
    return [
        int(drawn.sum()),
        *(int((drawn & (row.looked >> seat & 1 == 1)).sum()) for seat in range(players(position))),
    ]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_rt72_other_faces_that_only_others_have_seen_change_no_byte(number: int) -> None:
    luck, renamed, numbers = stream(72), 0, np.random.default_rng(72)
    for _ in range(3):
        position = table("scandia", rats={"italia": 3, "gallia": 3}, players=number, others=2)
        for _ in range(150):
            legal = everything_of_the_witch(position)
            position.apply(numbers.choice(legal) if legal else position.sample(luck))
            if position.is_over:
                break
            for seat in range(number):
                other = position.copy()
                if rename(other, seat, numbers):
                    renamed += 1
                    assert same_view(position, other, seat)
                    assert position.actor == other.actor
                    assert position.actor < 0 or (position.mask() == other.mask()).all()
    assert renamed > 300


def everything_of_the_witch(position: Position) -> list[str]:
    """What can be done with the Witch here, if anything."""
    legal = [] if position.is_chance else position.legal()
    return [text for text in legal if text.split()[0] in ("witch", "swap", "keep") or text == "take witch"]
