"""RT-01 to RT-08: the board, the pieces, and how a game begins."""

import pytest
from rattus_helpers import (
    FACES,
    REMOVED,
    SUPPLY,
    TOKEN_IDS,
    at,
    cards,
    cubes,
    in_play,
    known_face,
    lay,
    marked_regions,
    marked_slots,
    neighbours,
    options,
    pass_turn,
    plague,
    play,
    rats,
    settled,
    start,
    stock,
    supply,
    table,
    tokens,
    verbs,
    view,
)
from rattus_referee import CARDS, TABLE_ORDER, default_map, default_tokens

every_number = pytest.mark.parametrize("players", [2, 3, 4])

START_FACES, REGULAR_FACES = set(TOKEN_IDS[:12]), set(TOKEN_IDS[12:])


# Components


def test_the_map_has_12_regions_and_22_edges() -> None:
    edges = {frozenset(edge) for edge in default_map()["edges"]}
    assert (len(TABLE_ORDER), len(edges)) == (12, 22)
    near = start().state.config.map
    assert near.sum() == 12 + 2 * 22
    for edge in edges:
        one, other = (at(name) for name in edge)
        assert near[one, other] == near[other, one] == 1


@pytest.mark.parametrize("pair", ["italia scandia", "germania turcia", "hispania polonia", "italia polonia"])
def test_regions_known_to_be_apart_are_no_neighbours(pair: str) -> None:
    one, other = pair.split()
    assert other not in options(table(one, placed=True), "plague")
    assert one not in options(table(other, placed=True), "plague")


def test_the_tokens_have_the_limits_and_symbols_of_the_specification() -> None:
    faces = start().state.config.tokens
    limits = faces[:, 0].tolist()
    assert [limits.count(limit) for limit in range(1, 7)] == [5, 7, 8, 12, 10, 7]
    assert faces[:12, 3:].sum(0).tolist() == [5] * 6
    assert faces[12:, 3:].sum(0).tolist() == [15] * 6
    assert len({tuple(face) for face in faces.tolist()}) == 49
    for number, name in enumerate(TOKEN_IDS):
        assert faces[number].tolist() == FACES[name], name
    assert [token["id"] for token in default_tokens()] == TOKEN_IDS


# Set-up


@every_number
def test_rt01_regions_in_play_by_number_of_players(players: int) -> None:
    position = start(players=players)
    light = TABLE_ORDER[:8]
    assert light == ["anglia", "gallia", "germania", "hispania", "hungaria", "italia", "polonia", "scandia"]
    right = {2: light, 3: [*light, "bulgaria", "turcia"], 4: TABLE_ORDER}[players]
    assert options(position, "plague") == set(right)
    play(position, "plague gallia")
    assert options(position, "place") == set(right)
    assert list(marked_regions(view(position, 1).in_play)) == list(right)


@every_number
def test_rt01_edges_to_regions_out_of_play_do_not_exist(players: int) -> None:
    for region in in_play(players):
        position = table(region, players=players, placed=True)
        assert options(position, "plague") == neighbours(region, players)
    if players < 4:
        assert "tartaria" not in options(table("hungaria", players=players, placed=True), "plague")
    near = view(position, 1).adjacency
    for one in TABLE_ORDER:
        assert near[at(one), at(one)] == (one in in_play(players))
        for other in set(TABLE_ORDER) - {one}:
            assert near[at(one), at(other)] == (one in in_play(players) and other in neighbours(one, players))


@pytest.mark.parametrize("players", [2, 3])
def test_rt01_nothing_can_be_put_or_moved_to_regions_out_of_play(players: int) -> None:
    out_of_play = set(TABLE_ORDER) - set(in_play(players))
    home = {"hungaria": [3, 3]}
    held = {"peasant": 0, "merchant": 0, "monk": 0, "knight": 0}
    position = table("polonia", home, {"hungaria": 2}, held, players=players)
    for verb in ("place", "peasant", "merchant", "monk"):
        assert not {text.split()[0] for text in options(position, verb)} & out_of_play
    for texts in (["merchant hungaria 1"], ["monk hungaria 1"]):
        other = position.copy()
        play(other, *texts)
        assert options(other, "to") == neighbours("hungaria", players)
        assert not options(other, "to") & out_of_play
    play(position, "place italia")
    assert not options(position, "plague") & out_of_play
    play(position, "plague hungaria")
    assert options(position, "rat") == neighbours("hungaria", players)


def test_rt01_with_two_players_italia_and_scandia_are_still_two_steps_apart_but_not_by_way_of_turcia() -> None:
    position = table("italia", cards={"knight": 0}, players=2, placed=True)
    assert options(position, "plague") == set(in_play(2)) - {"italia"}
    position = table("hungaria", cards={"knight": 0}, players=3, placed=True)
    assert "turcia" in options(position, "plague")
    assert "russia" not in options(position, "plague")


@every_number
def test_rt02_six_class_cards_beside_the_board_and_20_cubes_each(players: int) -> None:
    position = start(players=players)
    assert stock(position) == [20] * players
    assert not any(cards(position, seat) for seat in range(players))
    position = settled(players)
    assert options(position, "take") == set(CARDS)
    assert not view(position, 1).holders.any()


@every_number
def test_rt03_one_start_token_lies_face_down_on_each_region_in_play(players: int) -> None:
    position = settled(players)
    for region in in_play(players):
        assert tokens(position, region) == "start"  # its face is undrawn
        assert known_face(position, 0, region, 1) is None
    assert marked_slots(view(position, 1).laid_out) == {f"{region} 1" for region in in_play(players)}
    assert not view(position, 1).faces.any()
    for region in set(TABLE_ORDER) - set(in_play(players)):
        assert rats(position, region) == 0
    assert not position.state.flipped.any()


@every_number
def test_rt03_it_is_any_of_the_start_tokens(players: int) -> None:
    position = table("germania", {"gallia": [1, 1]}, players=players, cards={"witch": 0})
    position.apply("witch italia 1")
    assert position.chances() == dict.fromkeys([f"token {token}" for token in START_FACES], 1)


@pytest.mark.parametrize(("players", "left_over"), [(2, 4), (3, 2), (4, 0)])
def test_rt03_those_left_over_are_mixed_into_the_regular_ones(players: int, left_over: int) -> None:
    position = table(players=players, cards={"witch": 0})
    lay(position, "italia", "supply")
    position.apply("witch italia 1")
    chances = position.chances()
    of_start = sum(chances.get(f"token {token}", 0) for token in START_FACES)
    assert of_start / sum(chances.values()) == pytest.approx(left_over / (37 + left_over))
    assert len({chances[f"token {token}"] for token in REGULAR_FACES}) == 1
    assert len({chances.get(f"token {token}", 0) for token in START_FACES}) == 1


@pytest.mark.parametrize(("players", "left"), [(2, 29), (3, 33), (4, 37)])
def test_rt04_tokens_are_removed_unseen_until_so_many_are_in_the_supply(players: int, left: int) -> None:
    position = settled(players)
    assert supply(position) == view(position, 0).supply == left == SUPPLY[players]
    assert len(in_play(players)) + left + REMOVED[players] == 49
    assert len(position.state.seen.nonzero()[0]) == 0  # nobody knows which


@pytest.mark.parametrize("players", [2, 3])
def test_rt05_a_token_from_the_supply_may_have_the_purple_ring_and_looks_like_any_other(players: int) -> None:
    position = table("germania", {"scandia": [1]}, {"scandia": 1, "anglia": 0}, players=players, placed=True)
    play(position, "plague scandia", "rat anglia")
    assert (rats(position, "anglia"), known_face(position, 0, "anglia", 1)) == (1, None)
    position = table(players=players, cards={"witch": 0})
    lay(position, "italia", "supply")
    position.apply("witch italia 1")
    assert {f"token {token}" for token in START_FACES} < set(position.chances())


def test_rt05_everybody_sees_which_token_was_laid_out_and_which_came_from_the_supply() -> None:
    position = table("germania", rats={"scandia": 1}, placed=True)
    play(position, "plague scandia", "rat anglia")
    for seat in range(4):
        assert rats(position, "anglia") == 2
        assert marked_slots(view(position, seat).laid_out) & {"anglia 1", "anglia 2"} == {"anglia 1"}


@every_number
def test_rt06_the_plague_starts_on_any_region_in_play(players: int) -> None:
    position = start(players=players)
    assert position.is_chance
    assert position.chances() == {f"plague {region}": 1 for region in in_play(players)}
    position.apply("plague italia")
    assert plague(position) == "italia"


@every_number
def test_rt07_two_cubes_each_in_seat_order_and_then_back(players: int) -> None:
    position = start(players=players)
    position.apply("plague italia")
    regions = in_play(players)[:players]
    seats = [*range(players), *reversed(range(players))]
    for number, seat in enumerate(seats):
        assert position.actor == seat
        assert stock(position)[seat] == (20 if number < players else 18)
        position.apply(f"place {regions[seat] if number < players else 'scandia'}")
        assert stock(position)[seat] == (18 if number < players else 16)
    for seat, region in enumerate(regions):
        assert cubes(position, region) == [2 * (other == seat) for other in range(players)]
    assert cubes(position, "scandia") == [2] * players
    assert verbs(position) == {"take", "place"}  # the first turn


def test_rt07_on_any_region_in_play_occupied_or_not_the_same_again_or_the_plagues() -> None:
    position = start(players=2)
    position.apply("plague italia")
    for _ in range(4):
        assert options(position, "place") == set(in_play(2))
        position.apply("place italia")
    assert cubes(position, "italia") == [4, 4]


@every_number
def test_rt08_player_0_has_the_first_turn_and_turns_go_clockwise(players: int) -> None:
    position = settled(players)
    for turn in range(2 * players):
        assert position.actor == position.state.active == turn % players
        pass_turn(position)
