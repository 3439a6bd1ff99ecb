"""RT-74, RT-80: samples against the enumeration of all deals, and lazy drawing against a deal of all tokens."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from rattus_helpers import (
    GAME,
    TOKEN_IDS,
    at,
    discard,
    lay,
    play,
    players,
    same_view,
    state_bytes,
    stream,
    table,
    unseen,
    view,
)
from scipy import stats

from rat_envs.engine.batch import Batch
from rat_envs.engine.position import Position
from rat_envs.games.rattus.tokens import note_looks

START_FACES, REGULAR_FACES = TOKEN_IDS[:12], TOKEN_IDS[12:]
LEFT_OVER = {2: 4, 3: 2, 4: 0}
LEAST_P = 1e-4
#: Where ``board`` lays tokens.
REGIONS = ("gallia", "italia", "hungaria")

#: A token on the board: its pile, its face (``?``: nobody has seen it), and who has looked at it.
Laid = tuple[str, str, tuple[int, ...]]


def board(number: int, hidden: Iterable[str], laid: Sequence[Laid]) -> Position:
    """Tokens lie in Gallia, Italia and Hungaria; what is not ``hidden`` and does not lie there was flipped."""
    position = table("scandia", players=number, others=0)
    known = {face for _, face, _ in laid}
    discard(position, *(token for token in TOKEN_IDS if token not in known and token not in set(hidden)))
    row = position.state
    for place, (pile, face, by) in enumerate(laid):
        region, slot = at(REGIONS[place // 3]), place % 3
        row.rats[region] += 1
        row.pile[slot, region] = pile == "start"
        if face != "?":
            row.face[slot, region] = TOKEN_IDS.index(face)
            row.looked[slot, region] = row.seen[TOKEN_IDS.index(face)] = sum(1 << seat for seat in by)
            note_looks(row, region)
            if pile == "supply" and face in START_FACES:
                row.start_drawn += 1
                row.start_seen[list(by)] += 1
    return position


def faces(position: Position, number: int) -> tuple[str, ...]:
    """The faces on the board in the order in which ``board`` laid them; ``?`` for undrawn ones."""
    laid = [position.state.face[place % 3, at(REGIONS[place // 3])] for place in range(number)]
    return tuple(TOKEN_IDS[face] if face >= 0 else "?" for face in laid)


def deals(position: Position, seat: int, laid: Sequence[Laid]) -> dict[tuple[str, ...], Fraction]:
    """The chance of all faces that ``seat`` cannot know, by laying out every deal that fits what it has seen.

    Of the start faces that it has not seen, as many are left over as it has not seen turn up on supply tokens; the
    others lie on tokens of the start pile. So all of these are dealt to the start pile's unknown tokens and the mix,
    and the mix, with the regular faces that it has not seen, to the supply's unknown tokens.
    """
    own = {face for _, face, by in laid if seat in by}
    open_faces = unseen(position, seat) - own
    start = [face for face in START_FACES if face in open_faces]
    regular = [face for face in REGULAR_FACES if face in open_faces]
    left = LEFT_OVER[players(position)] - sum(p == "supply" and f in START_FACES and seat in by for p, f, by in laid)
    unknown = [pile for pile, _, by in laid if seat not in by]
    number = unknown.count("start")
    assert len(start) - left == number, "every start token lies on the board or in the mix"
    chances: Counter[tuple[str, ...]] = Counter()
    for on_board in itertools.permutations(start, number):
        mix = [face for face in start if face not in on_board] + regular
        for drawn in itertools.permutations(mix, len(unknown) - number):
            piles = {"start": iter(on_board), "supply": iter(drawn)}
            dealt = [face if seat in by else next(piles[pile]) for pile, face, by in laid]
            chances[tuple("?" if face == "?" else new for (_, face, _), new in zip(laid, dealt, strict=True))] += 1
    whole = sum(chances.values())
    return {deal: Fraction(number, whole) for deal, number in chances.items()}


def assert_as_likely(seen: Counter, expected: dict) -> None:
    """Chi-squared, rare ones put together."""
    assert not set(seen) - set(expected), "what cannot be"
    number = sum(seen.values())
    observed, wanted = [0.0], [0.0]
    for deal, chance in sorted(expected.items(), key=lambda item: (item[1], str(item[0]))):
        observed[-1] += seen[deal]
        wanted[-1] += float(chance) * number
        if wanted[-1] >= 10:
            observed.append(0.0)
            wanted.append(0.0)
    observed[-2:], wanted[-2:] = [sum(observed[-2:])], [sum(wanted[-2:])]
    assert len(wanted) > 1
    assert stats.chisquare(observed, wanted).pvalue > LEAST_P


#: Number of players, faces that are still to come, and what lies on the board; player_0 is the observer.
SITUATIONS: dict[str, tuple[int, str, list[Laid]]] = {
    "one token of the start pile": (4, "s01 s02", [("start", "s03", (1,)), ("start", "?", ()), ("start", "?", ())]),
    "one token of the supply, four players": (4, "r01 r02 r03", [("supply", "r04", (1,))]),
    "one token of the supply": (3, "s01 s02 s03 r01 r02", [("supply", "r03", (1,)), ("start", "?", ())]),
    "one token of each pile": (3, "s01 s02 r01 r02", [("start", "s03", (1,)), ("supply", "r03", (1,))]),
    "a start face of the supply": (3, "s01 s02 r01 r02", [("supply", "s03", (2,)), ("start", "?", ())]),
    "two of the supply": (
        3,
        "s02 r01 r02",
        [("supply", "s03", (1,)), ("supply", "r03", (2,)), ("start", "s04", (1, 2))],
    ),
    "one that the observer knows": (
        3,
        "s02 r01 r02",
        [("supply", "s03", (0, 1)), ("supply", "r03", (2,)), ("start", "s04", (0,)), ("start", "s05", (1,))],
    ),
    "all left-over ones are known to others": (
        3,
        "r01 r02",
        [("supply", "s03", (1,)), ("supply", "s04", (1,)), ("supply", "r03", (2,)), ("start", "s05", (2,))],
    ),
    "all left-over ones are known to the observer": (
        3,
        "r01 r02",
        [("supply", "s03", (0,)), ("supply", "s04", (0,)), ("supply", "r03", (1,)), ("start", "s05", (1,))],
    ),
    "two players": (
        2,
        "s01 s02 s03 s06 r01 r02",
        [("supply", "s04", (1,)), ("start", "s05", (1,)), ("supply", "r03", (1,)), ("start", "?", ())],
    ),
    "two players, a start pile of one": (
        2,
        "s01 s02 r01",
        [("supply", "s04", (1,)), ("supply", "s05", (1,)), ("start", "s06", (1,)), ("supply", "?", ())],
    ),
    "nothing hidden": (3, "s01 s02 r01", [("start", "s03", (0,)), ("supply", "r03", (0, 1)), ("supply", "?", ())]),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_rt74_samples_are_as_likely_as_all_deals_that_fit(situation: str) -> None:
    number, hidden, laid = SITUATIONS[situation]
    position = board(number, hidden.split(), laid)
    expected = deals(position, 0, laid)
    luck, seen = stream(74), Counter[Hashable]()
    for sample in range(25 * len(expected)):
        other = position.copy()
        other.determinize(0, luck)
        seen[faces(other, len(laid))] += 1
        if sample < 100:
            assert same_view(other, position, 0)
            assert_counts_fit(other)
    if len(expected) > 1:
        assert_as_likely(seen, expected)
    else:
        assert set(seen) == set(expected)


def assert_counts_fit(position: Position) -> None:
    """Assert that who has seen what, and the counts of start faces, are those of the faces on the board."""
    row = position.state
    drawn = row.face >= 0
    of_supply = drawn & (row.pile == 0) & (row.face < 12)
    assert row.start_drawn == of_supply.sum()
    for seat in range(players(position)):
        assert row.start_seen[seat] == (of_supply & (row.looked >> seat & 1 == 1)).sum()
    assert len(set(row.face[drawn].tolist())) == drawn.sum()
    for face, looked in zip(row.face[drawn].tolist(), row.looked[drawn].tolist(), strict=True):
        assert row.seen[face] == looked


@pytest.mark.parametrize("situation", ["two of the supply", "two players"])
def test_rt74_the_truth_does_not_matter(situation: str) -> None:
    """What is drawn from one stream is the same, whatever it was that only others had seen."""
    number, hidden, laid = SITUATIONS[situation]
    others = [face for _, face, by in laid if face != "?" and 0 not in by]
    worlds = []
    for truth in itertools.permutations(others):
        new = dict(zip(others, truth, strict=True))
        if all(pile == "supply" or new.get(face, face) in [*START_FACES, "?"] for pile, face, _ in laid):
            worlds.append(board(number, hidden.split(), [(pile, new.get(face, face), by) for pile, face, by in laid]))
    assert len(worlds) > 1
    luck = [stream(5) for _ in worlds]
    for _ in range(50):
        samples = [world.copy() for world in worlds]
        for sample, own in zip(samples, luck, strict=True):
            sample.determinize(0, own)
        assert len({state_bytes(sample) for sample in samples}) == 1


def test_rt74_who_knows_everything_that_is_drawn_has_nothing_to_sample() -> None:
    number, hidden, laid = SITUATIONS["two of the supply"]
    position = board(number, hidden.split(), [(pile, face, (0, *by)) for pile, face, by in laid])
    before = state_bytes(position)
    position.determinize(0, stream(1))
    assert state_bytes(position) == before
    position.determinize(1, stream(1))
    assert state_bytes(position) != before


def test_rt74_what_nobody_has_seen_stays_undrawn() -> None:
    position = table("scandia", players=2, others=3, cards={"witch": 1}, active=1)
    play(position, "witch gallia 2", "token s01", "stop")
    position.determinize(0, stream(1))
    assert (position.state.face >= 0).sum() == 1
    assert position.state.looked[1, at("gallia")] == 0b10
    assert view(position, 0).start_left == 4


# Lazy and eager

#: Which pile the tokens come from that are seen one after another.
ORDERS = ["supply supply", "supply start supply", "start supply supply", "supply supply supply", "start start supply"]


def eager(number: int, piles: Sequence[str], games: int) -> np.ndarray:
    """The faces of tokens of these piles, each game from a deal of everything, as at the table (RT-03, RT-04).

    Shuffle the start tokens, lay them out, mix those left over into the regular ones, remove some: the rest is the
    supply.
    """
    luck = np.random.default_rng(80 + number)
    start = luck.permuted(np.tile(np.arange(12), (games, 1)), axis=1)
    regions = {2: 8, 3: 10, 4: 12}[number]
    mix = np.hstack([np.tile(np.arange(12, 49), (games, 1)), start[:, regions:]])
    mix = luck.permuted(mix, axis=1)
    removed = {2: 12, 3: 6, 4: 0}[number]
    places = {"start": iter(start.T), "supply": iter(mix.T[removed:])}
    return np.array([next(places[pile]) for pile in piles]).T


def lazy(number: int, piles: Sequence[str], games: int) -> np.ndarray:
    """The same by the game's chance nodes: a Witch looks at the first two in Gallia, the third is flipped first."""
    held = {"witch": 0}
    start = table("germania", {"gallia": [0, 18]}, cards=held, placed=True, players=number, supply=29)
    lay(start, "gallia", " ".join(piles))
    batch = Batch(GAME, games, {"players": number}, seed=80 + number)
    config = batch.states["config"].copy()
    batch.states[:] = start.state
    assert batch.states["config"].tobytes() == config.tobytes()
    batch.refresh()
    texts = ["witch gallia 1", "witch gallia 2"]
    texts += ["plague gallia", "rat italia", "rat italia", "flip 3"] if len(piles) == 3 else []
    drawn = []
    for text in texts:
        batch.step(np.full(games, GAME.action_numbers[text]))
        face = batch.states["face"][:, :, at("gallia")]
        if text.startswith("witch"):
            drawn.append(face[:, int(text[-1]) - 1].copy())
        elif text == "flip 3":
            assert (batch.states["flipped"].sum(1) == 1).all()
            drawn.append(batch.states["flipped"].argmax(1))
    return np.array(drawn).T


def assert_alike(one: np.ndarray, other: np.ndarray) -> None:
    """Two samples of numbers can come from one distribution, by chi-squared; what is rare is put together."""
    counts = np.array([np.bincount(sample, minlength=49 * 2) for sample in (one, other)])
    rare = counts.sum(0) < 20
    columns = np.hstack([counts[:, ~rare], counts[:, rare].sum(1, keepdims=True)])
    columns = columns[:, columns.sum(0) > 0]
    assert columns.shape[1] > 1
    assert stats.chi2_contingency(columns).pvalue > LEAST_P


def is_start(faces: np.ndarray) -> np.ndarray:
    return (faces < 12).astype(np.int64)


#: What is compared: a number for each game, from its faces.
LOOKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "start or not, one after another": lambda drawn: is_start(drawn) @ (1 << np.arange(drawn.shape[1])),
    "the first": lambda drawn: drawn[:, 0],
    "the second": lambda drawn: drawn[:, 1],
    "the last": lambda drawn: drawn[:, -1],
    "the second, and whether the first is a start face": lambda drawn: 2 * drawn[:, 1] + is_start(drawn[:, 0]),
    "the last, and whether the first is a start face": lambda drawn: 2 * drawn[:, -1] + is_start(drawn[:, 0]),
    "how far the last is from the first": lambda drawn: (drawn[:, -1] - drawn[:, 0]) % 49,
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("number", [2, 3, 4])
def test_rt80_drawing_when_seen_is_dealing_at_the_beginning(number: int, order: str) -> None:
    piles = order.split()
    drawn, dealt = lazy(number, piles, 20_000), eager(number, piles, 60_000)
    compared = 0
    for look in LOOKS.values():
        if len(np.unique(look(dealt))) > 1:
            assert_alike(look(drawn), look(dealt))
            compared += 1
        else:
            assert set(look(drawn)) == set(look(dealt))
    assert compared >= 5
    assert (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all()  # no face twice


@pytest.mark.parametrize(("number", "left"), [(2, 4), (3, 2), (4, 0)])
def test_rt80_one_in_so_many_of_the_supply_is_a_start_face_and_any_of_the_12(number: int, left: int) -> None:
    drawn = lazy(number, ["supply", "supply"], 20_000)
    mix = 37 + left
    first = {1: Fraction(left, mix), 0: Fraction(37, mix)}
    second = {1: Fraction(left - 1, mix - 1), 0: Fraction(left, mix - 1)}
    pairs = {(a, b): first[a] * (second[a] if b else 1 - second[a]) for a in first for b in second if first[a]}
    seen = Counter(map(tuple, is_start(drawn).tolist()))
    if left:
        assert_as_likely(seen, pairs)
    else:
        assert set(seen) == {(0, 0)}
    for place in (0, 1):
        chances = {face: first[1] / 12 if face < 12 else first[0] / 37 for face in range(49)}
        assert_as_likely(
            Counter(drawn[:, place].tolist()), {face: chance for face, chance in chances.items() if chance}
        )
