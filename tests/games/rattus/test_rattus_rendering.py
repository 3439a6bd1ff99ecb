"""Text and drawing of Rattus: what they show, and what they must not show."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from games_and_configurations import OTHER_MAP
from rattus_helpers import final_round, play, table
from rattus_table_helpers import (
    CONFIGURATIONS,
    EVERY_PAIR,
    NAMES,
    SET_UP,
    SET_UP_OF_TWO,
    played,
    points_of_view,
    random_play,
)

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.raster import rasterise
from rat_envs.engine.svg import SYMBOL_SIDE
from rat_envs.games.rattus import board
from rat_envs.games.rattus.components import PLAGUE_BEGINS, START_PILE
from rat_envs.games.rattus.paragraphs import paragraphs
from rat_envs.games.rattus.rendering import FOOT_TOP, HEIGHT, SIDE_WIDTH, WIDTH, drawing, held_cards, player_panel, text
from rat_envs.games.rattus.tables import CARDS, EDGES, REGIONS, TOKEN_IDS
from rat_envs.games.rattus.text_map import WIDTH as COLUMNS
from rat_envs.games.rattus.view import view
from rat_envs.games.rattus.wording import neighbours_in_words, question, situation

configurations = pytest.mark.parametrize("config", CONFIGURATIONS, ids=NAMES)
SVG = "{http://www.w3.org/2000/svg}"
BOX = re.compile(r"\|([A-Z]+) +(PLAGUE(?:\+2)?)?\|")


def both(position: Position, point_of_view: int | None) -> tuple[str, str]:
    """The words, as text and as paragraphs, and the drawing."""
    words = "\n".join([text(position.state, point_of_view), *paragraphs(position.state, point_of_view)])
    return words, drawing(position.state, point_of_view)


# The text


def boxes_of(written: str) -> dict[str, list[str]]:
    """The lines within the box of each region in play."""
    lines = written.splitlines()
    found = {}
    for number, line in enumerate(lines):
        for match in BOX.finditer(line):
            inside = [row[match.start() : match.end()] for row in lines[number:]]
            bottom = next(place for place, row in enumerate(inside) if row.startswith("+"))
            found[match[1].lower()] = [row[1:-1].rstrip() for row in inside[:bottom]]
    return found


@configurations
def test_rt70_the_text_holds_all_that_is_public_and_fits_the_terminal(config):
    texts = 0
    for number, position in enumerate(random_play(config)):
        for point_of_view in points_of_view(config):
            if (number + (point_of_view or 0)) % 7 and not position.is_over:
                continue
            written = text(position.state, point_of_view)
            assert max(map(len, written.splitlines())) <= COLUMNS
            assert written.isascii()
            check_regions(position.state, point_of_view, written)
            check_table(position.state, written)
            texts += 1
    assert texts > 50


def check_regions(row: Any, point_of_view: int | None, written: str) -> None:
    """RT-70: cubes, rats with their piles or the face known, the plague, neighbours; RT-01: regions in play alone."""
    boxes = boxes_of(written)
    assert set(boxes) == {name for number, name in enumerate(REGIONS) if row.config.map[number, number]}
    for name, (head, cubes, rats, *neighbours) in boxes.items():
        region = REGIONS.index(name)
        assert ("PLAGUE" in head) == (region == row.plague and row.phase != PLAGUE_BEGINS)
        assert ("+2" in head) == (region == row.neutral)
        numbers = [f"{number}{letter}" for number, letter in zip(row.cubes[:, region], "bryg", strict=True) if number]
        assert cubes == (" ".join(numbers) or "-")
        signs = [sign_of(row, point_of_view, region, slot) for slot in range(row.rats[region])]
        assert rats.replace("*", "") == (" ".join(["rats", *signs]) if signs else "no rats")
        near = [REGIONS[other][:3] for other in np.flatnonzero(row.config.map[region]) if other != region]
        assert re.findall("[a-z]{3}", " ".join(neighbours)) == near


def sign_of(row: Any, point_of_view: int | None, region: int, slot: int) -> str:
    """What stands for a rat on the map."""
    if point_of_view is not None and row.looked[slot, region] >> point_of_view & 1:
        return str(row.config.tokens[row.face[slot, region], 0])
    return "s" if row.pile[slot, region] == START_PILE else "?"


def check_table(row: Any, written: str) -> None:
    """RT-70: stocks, palaces, holders, supply, tokens flipped and looked at."""
    flat = " ".join(written.split())
    for seat in range(row.config.players):
        line = re.search(
            rf"^[> ] player_{seat}\b.*stock +(\d+) +palace +(\d+) .*cards: (.*(?:\n    .*)*)", written, re.M
        )
        assert line is not None
        assert (int(line[1]), int(line[2])) == (row.stock[seat], row.palace[seat])
        held = {card for number, card in enumerate(CARDS) if row.holder[number] == seat}
        assert set(re.findall("|".join(CARDS), line[3].lower())) == held
    assert re.search(rf"Supply: {row.supply} tokens?\.", flat)
    flipped = [name for number, name in enumerate(TOKEN_IDS) if row.flipped[number]]
    assert re.findall(r"\b[sr]\d\d\b", flat) == flipped
    for region, slot in itertools.product(range(len(REGIONS)), range(3)):
        place = f"Rat {slot + 1} in {REGIONS[region].capitalize()}, "
        assert (place in flat) == bool(slot < row.rats[region] and row.looked[slot, region])
        if place in flat:
            pile = "laid out at the start" if row.pile[slot, region] == START_PILE else "from the supply"
            assert f"{place}{pile}: " in flat


def test_rt71_faces_are_shown_to_those_who_looked():
    position = played(f"{SET_UP_OF_TWO}; take witch; witch gallia 1; token s01", players=2)
    face = "Rat 1 in Gallia, laid out at the start: limit 2, M, Witch, King; looked at by"
    assert f"{face} you." in text(position.state, 0) and "rats 2*" in text(position.state, 0)
    for point_of_view in (1, None):
        assert "limit 2, M" not in " ".join(both(position, point_of_view))
        assert "laid out at the start: looked at by player_0." in text(position.state, point_of_view)
    assert ">MWR<" in drawing(position.state, 0) and ">MWR<" not in drawing(position.state, 1)


def flat(position: Position, point_of_view: int | None) -> str:
    """The text as one line."""
    return " ".join(text(position.state, point_of_view).split())


def test_half_made_abilities_are_told():
    position = played(f"{SET_UP}; take merchant; merchant tartaria 2", players=4)
    assert "You will move 2 cubes out of Tartaria. Where do the cubes go?" in flat(position, 0)
    assert "player_0 will move 2 cubes out of Tartaria. player_0 is asked: where the cubes go." in flat(position, 1)
    position = played(f"{SET_UP}; take monk; monk gallia 1", players=4)
    assert "player_0 will move rat 1 in Gallia." in flat(position, None)
    position = played(f"{SET_UP}; take witch; witch gallia 1; token s01; witch italia 1; token s02", players=4)
    assert "You are looking at rat 1 in Gallia and rat 1 in Italia. Do you swap" in flat(position, 0)
    assert "s*" in text(position.state, 1)


def test_what_is_asked_is_said_to_who_is_asked_alone():
    position = played(SET_UP, players=4)
    assert text(position.state, 0).endswith("You may take a class card, or place cubes.\n")
    assert "take a class card" in drawing(position.state, 0)
    for point_of_view in (1, 2, 3, None):
        assert "What do you do" not in " ".join(both(position, point_of_view))
    position.apply("take knight")
    position.apply("place tartaria")
    assert "You have taken a card and have placed cubes." in " ".join(text(position.state, 0).split())
    position.apply("plague germania")
    assert "Where do you lay a new rat?" in text(position.state, 0)
    assert "player_0 is asked: where to lay a new rat." in text(position.state, 2)


def test_rt16_what_cannot_be_done_is_not_offered():
    position = table(cards=dict.fromkeys(CARDS, 0))
    words = "You may place cubes, or use the Peasant, the Monk and the Witch."
    assert words in flat(position, 0) and words in drawing(position.state, 0)
    play(position, "place italia")
    assert "You may move the plague, which ends your turn, or use the Merchant, the Monk and" in flat(position, 0)
    position = table(cubes={"italia": [1]}, rats={"italia": 0}, cards={"king": 0}, placed=True)
    assert "You may take a class card, or move the plague, which ends your turn, or use the King." in flat(position, 0)


def test_rt44_the_knight_is_used_when_it_is_known_whether_the_plague_counts():
    position = table("germania", {"italia": [1, 1]}, {"italia": 2}, {"knight": 0}, placed=True, supply=1)
    play(position, "plague italia")
    while "bonus" not in position.legal():
        assert "(used)" not in flat(position, 0) and ">used<" not in drawing(position.state, 0)
        play(position, position.legal()[0])
    assert "(used)" not in flat(position, 0) and ">used<" not in drawing(position.state, 0)
    play(position, "bonus")
    assert "Knight (used)" in flat(position, 0) and ">used<" in drawing(position.state, 0)
    assert "The plague counts as 2 cubes in Italia." in flat(position, 0)


def test_rt61_rt65_the_final_round_and_ravage_in_words():
    position = final_round(cubes={"italia": [1, 1, 1, 1]}, rats={"italia": 3}, cards={"knight": 2})
    assert "The final round: you have had the last turn. It is player_2's part;" in flat(position, 3)
    assert "The final round: player_3 has had the last turn. It is your part;" in flat(position, 2)
    assert "\n> player_2" in text(position.state, None)
    play(position, "plague germania")
    assert "wherever there are cubes. The plague counts as 2 cubes in Germania." in flat(position, None)
    assert "\n> player_" not in text(position.state, None) and "\n  player_3" in text(position.state, None)


def test_rt66_the_end_is_announced():
    *_, position = random_play({"players": 3}, seed=4)
    winner = position.winners()[0]
    sentence = f"The game is over: player_{winner} has won with {position.scores()[winner]} of 20 cubes."
    assert sentence in text(position.state, None) and sentence in drawing(position.state, None)
    assert "The game is over: you have won" in text(position.state, winner)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rt66_the_winner_is_the_games(players):
    for seed in range(6):
        *_, position = random_play({"players": players}, seed)
        assert [view(position.state, None).winner.number] == position.winners()


# What must not show


@configurations
def test_rt72_hidden_faces_change_no_byte(config):
    changed = 0
    for number, position in enumerate(itertools.chain(random_play(config, seed=3), random_play(config, seed=6))):
        seat = number % config["players"]
        other = position.copy()
        other.determinize(seat, new_stream(position.game, number))
        if number % 3 or other.state.tobytes() == position.state.tobytes():
            continue
        changed += 1
        if changed % 5 == 1:
            for point_of_view in (seat, None):
                assert both(other, point_of_view) == both(position, point_of_view)
    assert changed > 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_spectator_is_nobody_and_knows_no_face(players):
    for number, position in enumerate(random_play({"players": players}, seed=5)):
        if number % 9:
            continue
        seen = view(position.state, None)
        assert seen.observer is None and seen.start_left is None
        assert seen.unseen == tuple(not flag for flag in seen.flipped)
        assert not any(rat.face for region in seen.regions for rat in region.rats)
        assert not re.search(r"\byour?\b", " ".join(both(position, None)), re.IGNORECASE)


# The drawing


@cache
def font(family: str, is_bold: bool) -> Any:
    """A font of size 100: the one of pictures, or the one a drawing asks for."""
    image_font = pytest.importorskip("PIL.ImageFont")
    if family == "Manrope":
        folder = Path(pytest.importorskip("font_manrope").__file__).parent / "files"
        return image_font.truetype(str(folder / f"Manrope-{'Bold' if is_bold else 'Regular'}.ttf"), 100)
    folder = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts" / "ttf"
    return image_font.truetype(str(folder / f"DejaVuSans{'-Bold' if is_bold else ''}.ttf"), 100)


def words_of(element: ElementTree.Element, family: str) -> list[tuple[str, float, float, float, float]]:
    """All words of a part of a drawing, and where they are: left, top, right, bottom."""
    found = []
    for each in element.iter(f"{SVG}text"):
        words, size = each.text or "", float(each.get("font-size", ""))
        width = font(family, each.get("font-weight") == "bold").getlength(words) * size / 100
        x, y = float(each.get("x", "")), float(each.get("y", ""))
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[each.get("text-anchor", "")]
        found.append((words, left, y - 0.72 * size, left + width, y + 0.2 * size))
    return found


def check_words(svg: str, family: str) -> None:
    """Outside of the map no text lies over another, nor leaves the document."""
    root = ElementTree.fromstring(svg)
    for group in list(root):
        if group.find(f"{SVG}svg") is not None:
            root.remove(group)
    texts = words_of(root, family)
    for words, left, top, right, bottom in texts:
        assert left >= 0 and right <= WIDTH and top >= 0 and bottom <= HEIGHT, words
    for one, other in itertools.combinations(texts, 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        is_in_cube = min(len(one[0]), len(other[0])) == 1
        assert apart or is_in_cube, (one, other)


@pytest.mark.parametrize("family", ["Manrope", "DejaVu Sans"])
@configurations
def test_drawings_are_xml_and_their_words_stay_apart(config, family):
    drawn = 0
    for number, position in enumerate(random_play(config, seed=1)):
        if number % 17 == 0 or position.is_over:
            point_of_view = points_of_view(config)[number % (config["players"] + 1)]
            check_words(drawing(position.state, point_of_view), family)
            drawn += 1
    assert drawn > 3


def long_feet() -> Iterator[tuple[Position, int]]:
    """Positions with much to say below the map, and whose eyes to take."""
    cubes, cards = {"italia": [1], "tartaria": [1]}, {card: 0 for card in CARDS if card != "knight"}
    yield table(cubes=cubes, rats={"italia": 0}, cards=cards, placed=True), 0
    position = final_round(rats={"hispania": 1, "tartaria": 1}, cards={"knight": 2, "witch": 2})
    play(position, "plague germania", "witch hispania 1", "token s01", "witch tartaria 1", "token s02")
    yield position, 2
    yield position, 1


@pytest.mark.parametrize("number", range(3))
def test_below_the_map_no_word_is_lost(number):
    position, seat = next(itertools.islice(long_feet(), number, None))
    seen, svg = view(position.state, seat), drawing(position.state, seat)
    words = [
        each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text") if float(each.get("y", "")) > FOOT_TOP
    ]
    assert " ".join(filter(None, words)) == " ".join([*situation(seen), question(seen)]).strip()
    for family in ("Manrope", "DejaVu Sans"):
        check_words(svg, family)


def test_pieces_are_drawn_with_numbers_and_initials():
    position = played(SET_UP, players=4)
    words = [each.text for each in ElementTree.fromstring(drawing(position.state, 0)).iter(f"{SVG}text")]
    for initial, number in (("b", 2), ("r", 2), ("y", 2), ("g", 3)):  # a stock, and the regions with its cubes
        assert words.count(initial) == number
    assert words.count("16") == 4 and words.count("4 points") == 4
    assert words.count("free") == 6


@pytest.mark.parametrize("number", range(len(CARDS) + 1))
def test_the_badge_of_whose_turn_it_is_hides_no_card(number):
    position = table(cards=dict.fromkeys(CARDS[:number], 0), placed=True)
    seen = view(position.state, 0)
    assert "your turn" in player_panel(seen, seen.players[0])
    drawn = re.findall(r"translate\(([\d.]+) 0\) scale\(([\d.]+)\)", held_cards(seen.players[0], 130, 0))
    begins = [float(place) for place, _ in drawn]
    ends = [float(place) + SYMBOL_SIDE * float(scale) for place, scale in drawn]
    assert len(drawn) == number
    assert all(end < following for end, following in zip(ends, [*begins[1:], SIDE_WIDTH - 76], strict=False))


def test_the_picture_shows_the_table_and_its_text():
    for module in ("resvg_py", "PIL", "font_manrope"):
        pytest.importorskip(module)
    svg = drawing(played(SET_UP, players=4).state, 0)
    picture = rasterise(svg)
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    without_text = rasterise(re.sub(r"<text.*?</text>", "", svg))
    assert (picture != without_text).any(axis=2).mean() > 0.01
    assert np.array_equal(rasterise(svg), picture)


# The board

ARROWS = {
    *(("anglia", "gallia"), ("anglia", "scandia"), ("hispania", "italia")),
    *(("italia", "turcia"), ("tartaria", "turcia")),
}


def test_outlines_touch_where_the_default_map_has_borders():
    touching = {pair for pair in itertools.combinations(sorted(REGIONS), 2) if board.shared(*pair)}
    assert touching == {tuple(sorted(edge)) for edge in EDGES} - ARROWS
    for one, other in touching:
        assert board.border(one, other) and len(board.shared(one, other)) == len(board.shared(other, one))
    assert all(board.TINTS[one] != board.TINTS[other] for one, other in touching)


@pytest.mark.parametrize("region", REGIONS)
def test_a_region_is_drawn_around_its_pieces(region):
    x, y = board.CENTRES[region]
    assert 0 < x < board.WIDTH and 0 < y < board.HEIGHT
    crossings = sum(
        (a[1] > y) != (b[1] > y) and x < a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
        for a, b in board.segments(region)
    )
    assert crossings % 2 == 1


@pytest.mark.parametrize("one_map", ["default", OTHER_MAP, EVERY_PAIR], ids=["default", "a ring", "every pair"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_edges_are_drawn_as_the_map_has_them(one_map, players):
    position = Position("rattus", {"players": players, "map": one_map})
    near = position.state.config.map
    edges = {(a, b) for a, b in itertools.combinations(range(len(REGIONS)), 2) if near[a, b]}
    svg = drawing(position.state, None)
    for a, b in itertools.combinations(range(len(REGIONS)), 2):
        border, arrow = board.border(REGIONS[a], REGIONS[b]), board.arrow(REGIONS[a], REGIONS[b])
        in_play = near[a, a] and near[b, b]
        is_dashed = f'd="{border}" fill="none" stroke="#94794f"' in svg
        is_wall = f'd="{border}" fill="none" stroke="#33291b"' in svg
        assert (arrow in svg) == ((a, b) in edges and not border)
        assert is_dashed == bool((a, b) in edges and border)
        assert is_wall == bool(border and in_play and (a, b) not in edges)
    assert svg.count("not in play") == sum(near[a, a] == 0 for a in range(len(REGIONS)))


# Words for who does not see it


def hints_of(svg: str) -> dict[str, list[ElementTree.Element]]:
    """The groups of a drawing by their hints."""
    found: dict[str, list[ElementTree.Element]] = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        for title in group.findall(f"{SVG}title"):
            found.setdefault(title.text or "", []).append(group)
    return found


@pytest.mark.parametrize("one_map", ["default", OTHER_MAP, EVERY_PAIR], ids=["default", "a ring", "every pair"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_hints_name_the_neighbours_of_every_region(one_map, players):
    position = Position("rattus", {"players": players, "map": one_map})
    near = position.state.config.map
    hints = hints_of(drawing(position.state, None))
    for number, region in enumerate(REGIONS):
        named = [words for words in hints if words.startswith(f"{region.capitalize()}: neighbour")]
        if not near[number, number]:
            assert named == []
            continue
        others = [REGIONS[other].capitalize() for other in np.flatnonzero(near[number]) if other != number]
        assert len(named) == 1 and re.findall("[A-Z][a-z]+", named[0])[1:] == others
        ground, contents = hints[named[0]]
        assert ground.get("data-spot") == contents.get("data-spot") == f"region {number}"
        assert [text.text for text in contents.findall(f"{SVG}text")] == [region.capitalize()]


def test_hints_of_neighbours_are_sentences():
    hints = hints_of(drawing(Position("rattus", {"players": 4}).state, 0))
    assert "Gallia: neighbours Anglia, Germania, Hispania and Italia" in hints
    assert neighbours_in_words(dataclasses.replace(view(Position("rattus").state, 0).regions[0], neighbours=(1,))) == (
        f"neighbour {REGIONS[1].capitalize()}"
    )


def test_the_number_beside_the_castle_has_a_name():
    position = table(cubes={"italia": [1]}, rats={"italia": 0}, cards={"king": 0}, placed=True)
    play(position, "king italia")
    groups = hints_of(drawing(position.state, 0))["cubes in the palace"]
    numbers = [[text.text for text in group.iter(f"{SVG}text")] for group in groups]
    assert numbers == [[str(number)] for number in position.state.palace[: position.configuration.players]]
    assert ["1"] in numbers
