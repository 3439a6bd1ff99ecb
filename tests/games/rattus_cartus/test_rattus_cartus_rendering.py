"""Text and drawing of Rattus Cartus: what they show, and what they must not show."""

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
from rattus_cartus_games import BEFORE_THE_EXAMPLE, BOTH, EXAMPLE, THE_OTHERS, steps_of

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.raster import rasterise
from rat_envs.games.rattus_cartus import rendering
from rat_envs.games.rattus_cartus.components import CHOOSING, NONE, RESOLVING, own_size
from rat_envs.games.rattus_cartus.notation import ACTIONS
from rat_envs.games.rattus_cartus.paragraphs import paragraphs
from rat_envs.games.rattus_cartus.rendering import HEIGHT, WIDTH, drawing, text
from rat_envs.games.rattus_cartus.standing import scores, winners
from rat_envs.games.rattus_cartus.tables import CARDS, CLASSES, KINDS_OF_CLASS, POPULATION, SPECIALS
from rat_envs.games.rattus_cartus.view import NO_CARDS, view
from rat_envs.games.rattus_cartus.visits import premium_player
from rat_envs.games.rattus_cartus.wording import ASKED_OTHERS, BUILDING_WORDS, question
from rat_envs.games.rattus_cartus.wording import WIDTH as COLUMNS

CONFIGURATIONS: list[dict[str, Any]] = [
    {"players": 2, "buildings": THE_OTHERS},
    {"players": 3, "buildings": BOTH, "fewest_rats_survive": True},
    {"players": 4, "buildings": "recommended"},
    {"players": 5, "buildings": "random_cards", "vp_tokens": [1] * 15 + [2] * 5},
]
configurations = pytest.mark.parametrize(
    "config", CONFIGURATIONS, ids=lambda config: "-".join(str(value)[:16] for value in config.values())
)
SVG = "{http://www.w3.org/2000/svg}"


def new_game(**config: Any) -> Position:
    """The beginning; without compiled code, which these tests need too little to wait for."""
    return Position("rattus_cartus", config, compiled=False)


def stream(seed: int) -> Any:
    """A random stream."""
    return new_stream(new_game().game, seed, compiled=False)


def random_play(config: dict, seed: int = 0, every: int = 1) -> Iterator[Position]:
    """Every so many positions of a random game, and its last."""
    position, luck = new_game(**config), stream(seed)
    for number in itertools.count():
        if number % every == 0 or position.is_over:
            yield position
        if position.is_over:
            return
        position.apply(position.sample(luck))


@cache
def sample(number: int) -> tuple[Position, ...]:
    """Positions of a random game in one of the configurations, its last included."""
    return tuple(position.copy() for position in random_play(CONFIGURATIONS[number], seed=number, every=13))


def sampled(config: dict, every: int, first: int = 0) -> list[Position]:
    """Some of these positions, and the last."""
    positions = sample(CONFIGURATIONS.index(config))
    return [*positions[first:-1:every], positions[-1]]


def played(script: str, **config: Any) -> Position:
    """A game after these actions and outcomes."""
    position = new_game(**config)
    for step in filter(None, steps_of(script.strip(" ;\n").replace("\n\n", "\n"))):
        position.apply(step)
    return position


def points_of_view(config: dict) -> tuple[int | None, ...]:
    """All seats, and a spectator."""
    return (*range(config["players"]), None)


def both(position: Position, point_of_view: int | None) -> tuple[str, str]:
    """The words, as text and as paragraphs, and the drawing."""
    words = "\n".join([text(position.state, point_of_view), *paragraphs(position.state, point_of_view)])
    return words, drawing(position.state, point_of_view)


def flat(position: Position, point_of_view: int | None) -> str:
    """The text as one line."""
    return " ".join(text(position.state, point_of_view).split())


# The text


@configurations
def test_rc70_the_text_fits_the_terminal_and_holds_what_is_public(config):
    views = itertools.cycle(points_of_view(config))
    for position in sampled(config, 4):
        point_of_view = next(views)
        written = text(position.state, point_of_view)
        assert max(map(len, written.splitlines())) <= COLUMNS
        assert written.isascii() and written.endswith("\n")
        if not position.is_over:
            check_players(position.state, written)
            check_buildings(position.state, written)
        check_tracks(position.state, written)
        check_decks(position.state, " ".join(written.split()))


def check_players(row: Any, written: str) -> None:
    """Cards, rats and token points of each seat."""
    for seat in range(row.config.players):
        line = re.search(rf"^[> ] player_{seat} \w+(?: \(you\))? +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)", written, re.M)
        assert line is not None
        held = row.hand[seat].sum() + row.aside[seat].sum()
        facts = (held, row.laid[seat].sum(), row.rats[seat], row.points[seat])
        assert tuple(map(int, line.groups()[:4])) == facts


def check_buildings(row: Any, written: str) -> None:
    """The row, and who has entered where in which order."""
    for slot, card in enumerate(row.slot):
        if card != NONE:
            assert re.search(rf"^[> ]   {slot + 1}   {BUILDING_WORDS[card // 5]} {card % 5 + 1} ", written, re.M)
    for number in range(row.entries):
        assert re.search(rf"^ +{number + 1}\. P{row.entered[number]} \w+: ", written, re.M)


def check_tracks(row: Any, written: str) -> None:
    """RC-32: every seat with influence, the better first; and the discard pile by kind."""
    for track, name in enumerate(CLASSES):
        line = re.search(rf"^  {name} +(\S.*?)  +([\d.]) ([\d.]) ([\d.]) ([\d.]) ([\d.])  ", written, re.M)
        assert line is not None
        seats = [seat for seat in range(row.config.players) if row.influence[track, seat]]
        seats.sort(key=lambda seat: (-row.influence[track, seat], row.rank[track, seat]))
        assert [int(seat) for seat in re.findall(r"P(\d)", line[1])] == seats
        points = {int(number) for number in re.findall(r"(\d+) P", line[1])}
        assert points == {int(row.influence[track, seat]) for seat in seats}
        discarded = [0 if sign == "." else int(sign) for sign in line.groups()[1:6]]
        assert discarded == row.discarded[track * 5 : track * 5 + 5].tolist()


def check_decks(row: Any, words: str) -> None:
    """Decks, tokens and who has looked where."""
    assert f"Population deck: {row.deck_size}{', shuffled anew' if row.ran_out else ''}; " in words
    assert f"discard pile: {row.discarded.sum()}. " in words
    for special, number in enumerate(row.special_deck):
        if number:
            assert f"{SPECIALS[special]} {number}" in words
    words = words[words.index("Nun-row: ") :]
    for place, looked in enumerate(row.looked):
        signs = " ".join(f"P{seat}" for seat in range(row.config.players) if looked >> seat & 1)
        match = re.search(rf"\b{place + 1} (unknown|\w+ \d)(?: \(seen by ([P\d ]+))?", words)
        assert match is not None and (match[2] or "").strip() == signs


def test_the_rulebooks_example_in_words():
    position = played(BEFORE_THE_EXAMPLE + EXAMPLE.partition("enter 3; done")[0], players=4)
    for point_of_view in (0, 1, None):
        words = flat(position, point_of_view)
        own = " (church 1, magic 0 3, royalty 2)" if point_of_view == 1 else ""
        assert f"1. P1 red: 4 cards face down{own} 3 Monastery 2" in words
        assert "2. P2 green: 3 cards face down" in words
        assert "(seen by P2)" in words


@pytest.mark.parametrize("way", ["random_building", "random_cards"])
def test_rc02_while_buildings_are_chosen_by_lot_that_is_what_is_said(way):
    position = new_game(players=2, buildings=way)
    while position.state.stage == CHOOSING:
        assert "Rattus Cartus: 2 players, buildings by lot " in flat(position, None)
        assert "2 players, buildings by lot<" in drawing(position.state, 0)
        position.apply(next(iter(position.chances())))
    assert "by lot" not in flat(position, None)


def test_rc07_a_deck_that_has_run_out_is_drawn_as_such():
    position = new_game(players=2)
    assert "<title>population deck</title>" in drawing(position.state, 0)
    position.state.ran_out = 1
    assert "<title>population deck, ran out before</title>" in drawing(position.state, 0)


def test_rc71_hands_and_row_cards_are_shown_to_who_knows_them():
    position = played(BEFORE_THE_EXAMPLE + EXAMPLE.partition("supply 3")[0], players=4)
    shown = "hand: church 0 4 4, chivalry 4 4, magic 1 4"
    assert shown in flat(position, 2)
    assert "5 church 4 (seen by P2)" in flat(position, 2)
    assert drawing(position.state, 2).count("<title>church 4: 1 (") == 1  # in the nun-row; two in hand
    for point_of_view in (0, 1, 3, None):
        assert shown not in flat(position, point_of_view)
        assert "5 unknown (seen by P2)" in flat(position, point_of_view)
        assert "church 4:" not in drawing(position.state, point_of_view)


def test_rc73_what_is_sure_of_others_is_shown():
    position = played(BEFORE_THE_EXAMPLE, players=4)
    for point_of_view in (1, 2, 3, None):
        assert "surely sword x2" in flat(position, point_of_view)
        assert "surely among its cards" in drawing(position.state, point_of_view)
    assert "surely" not in flat(position, 0)


@pytest.mark.parametrize(("players", "words"), [(4, " points so far<"), (5, " points<")])
def test_the_narrow_panels_of_four_others_leave_words_out(players, words):
    position = new_game(players=players)
    position.state.influence[:, 1] = 5
    seen, x = view(position.state, 0), 20.0
    other = seen.others[0]
    score = scores(seen)[other.number]
    assert f">{score.total}{words}" in rendering.other(seen, other, score, x, 1000 / (players - 1))
    for held, sure, is_said in ((9, 4, players == 4), (2, 1, True)):
        at_least = tuple([1] * sure + [0] * (len(other.at_least) - sure))
        player = dataclasses.replace(other, hand=None, held=held, at_least=at_least)
        drawn = rendering.cards_of_other(player, x, 0, 1000 / (players - 1) - 20)
        assert (">surely<" in drawn, "surely among its cards" in drawn) == (is_said, True)


def test_what_is_asked_is_said_to_who_is_asked_alone():
    asked = set()
    for seed, config in ((0, CONFIGURATIONS[0]), (2, CONFIGURATIONS[2])):
        for position in random_play(config, seed):
            kind = None if position.actor < 0 else position.legal()[0].split()[0]
            if kind is None or kind in asked:
                continue
            asked.add(kind)
            words = question(view(position.state, position.actor))
            assert words.endswith(("?", ")", "."))
            assert words in flat(position, position.actor)
            assert words.replace("'", "&#x27;") in drawing(position.state, position.actor)
            for point_of_view in set(points_of_view(config)) - {position.actor}:
                seen = view(position.state, point_of_view)
                assert question(seen) == "" and words not in flat(position, point_of_view)
                assert f"player_{position.actor} is asked: {ASKED_OTHERS[seen.node or '']}." in flat(
                    position, point_of_view
                )
    verbs = {action.split()[0] for action in ACTIONS} - {"decline", "done", "pass"}
    assert asked & verbs >= {"supply", "look", "enter", "give", "act"}


# The end


@configurations
def test_rc60_to_rc67_points_and_winners_are_the_games(config):
    position = sample(CONFIGURATIONS.index(config))[-1].copy()
    position.state.nun[:2] = 4, 9  # so that some survive
    for point_of_view in (None, 1):
        seen = view(position.state, point_of_view)
        assert seen.is_over
        assert [score.total for score in scores(seen)] == position.scores()
        assert [player.number for player in winners(seen)] == position.winners()
    told_end(position)


def told_end(position: Position) -> None:
    """The winners are named, and hands lie open."""
    best = position.winners()
    words = flat(position, None)
    if not best:
        assert "The game is over: nobody has won." in words
    elif len(best) == 1:
        points = position.scores()[best[0]]
        assert f"The game is over: player_{best[0]} has won with {points} points." in words
        assert f"The game is over: you have won with {points} points." in flat(position, best[0])
    assert words.count("hand: ") == position.state.config.players
    for kind in position.state.nun:
        assert POPULATION[kind] in words


# What the view takes from observations


@configurations
def test_rc10_rc39_rc40_phases_and_premium_players_are_the_games(config):
    premium = 0
    for position in sampled(config, 1):
        seen, row = view(position.state, None), position.state
        assert seen.stage == row.stage
        if row.stage == RESOLVING:
            best = premium_player(row)
            is_here = row.slot_of[best] == row.resolved
            shown = seen.premium(row.resolved)
            assert (None if shown is None else shown.number) == (best if is_here else None)
            premium += is_here
    assert premium


@configurations
def test_rc74_rc75_bounds_shown_hold(config):
    for number, position in enumerate(sampled(config, 6, 3)):
        point_of_view = points_of_view(config)[number % (config["players"] + 1)]
        seen, row = view(position.state, point_of_view), position.state
        in_deck = row.pool.copy()
        if not row.ran_out:  # the pool is the deck with the row cards nobody has seen
            in_deck -= np.minimum(in_deck, (row.nun == NONE).sum())
        assert (np.array(seen.deck_most) >= in_deck).all()
        for place, kind in enumerate(row.nun):
            if kind != NONE and seen.row_cards[place].kind is None:
                assert seen.unseen_row_most[kind] > 0


# What must not show


@configurations
def test_rc71_hidden_cards_change_no_byte(config):
    changed = 0
    for number, position in enumerate(sampled(config, 6, 1)):
        if position.state.stage == CHOOSING:  # nothing is dealt yet
            continue
        seat = number % config["players"]
        other = position.copy()
        other.determinize(seat, stream(number))
        if other.state.tobytes() == position.state.tobytes():
            continue
        changed += 1
        for point_of_view in (seat, None):
            assert both(other, point_of_view) == both(position, point_of_view)
    assert changed > 0


@configurations
def test_a_spectator_is_nobody_and_sees_what_everybody_sees(config):
    for number, position in enumerate(sampled(config, 8, 2)):
        seen = view(position.state, None)
        assert seen.observer is None and not any(player.is_observer for player in seen.players)
        assert not re.search(r"\b[Yy]our?\b", " ".join(both(position, None)).replace("you are protected", ""))
        if position.is_over:
            continue
        assert all(player.hand is None and player.aside == NO_CARDS for player in seen.players)
        assert all(card.kind is None for card in seen.row_cards)
        watcher = view(position.state, number % config["players"])
        for player, same in zip(seen.players, watcher.players, strict=True):
            assert player.revealed == same.revealed and player.rats == same.rats
            if player.laid_cards is not None:
                assert player.laid_cards == same.laid_cards
            assert sum(player.at_least) <= own_size(position.state, player.number)


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
    """All words of a drawing that are not in a moved group, and where they are: left, top, right, bottom."""
    moved = {part for group in element.iter(f"{SVG}g") if group.get("transform") for part in group.iter()}
    found = []
    for each in element.iter(f"{SVG}text"):
        if each in moved:
            continue
        words, size = each.text or "", float(each.get("font-size", ""))
        width = font(family, each.get("font-weight") == "bold").getlength(words) * size / 100
        x, y = float(each.get("x", "")), float(each.get("y", ""))
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[each.get("text-anchor", "")]
        found.append((words, left, y - 0.72 * size, left + width, y + 0.2 * size))
    return found


def check_words(svg: str, family: str) -> None:
    """No sentence lies over another, nor leaves the document; only numbers on cards may overlap."""
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))
    texts = words_of(root, family)
    for words, left, top, right, bottom in texts:
        assert left >= 0 and right <= WIDTH and top >= 0 and bottom <= HEIGHT, words
    long = [each for each in texts if len(each[0]) > 2 and each[0] not in (*CLASSES, *SPECIALS)]
    for one, other in itertools.combinations(long, 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)


@configurations
def test_words_of_a_drawing_stay_apart_and_within(config):
    for number, position in enumerate(sampled(config, 7, 4)):
        svg = drawing(position.state, points_of_view(config)[number % (config["players"] + 1)])
        check_words(svg, "Manrope")
        check_words(svg, "DejaVu Sans")


@pytest.mark.parametrize("players", [2, 5])
def test_large_hands_and_high_numbers_fit(players):
    position = new_game(players=players)
    row = position.state
    row.hand[:players] = 1
    row.cards_held[:players] = row.hand.shape[1]
    row.rats[:players], row.points[:players], row.special_deck[:] = 120, 33, 15
    row.influence[:, :players] = np.arange(6)[:, None] * 9 + np.arange(players) // 2
    row.looked[:] = (1 << players) - 1
    row.nun[:] = range(5)
    for family in ("Manrope", "DejaVu Sans"):
        check_words(drawing(row, 0), family)
    shown = view(row, 0).near.hand
    assert shown == (1,) * len(CARDS) and drawing(row, 0).count("<title>gold: 1 (") == 1


def test_rc32_discs_with_equal_points_are_stacked_the_better_below():
    position = new_game(players=3)
    position.state.influence[2, :3] = 4
    position.state.rank[2, :3] = (2, 0, 1)
    assert "church 4 P1>P2>P0" in flat(position, None)
    root = ElementTree.fromstring(drawing(position.state, None))
    places = [
        (float(each.get("y", "")), each.text)
        for each in root.iter(f"{SVG}text")
        if (each.text or "").startswith("P") and float(each.get("x", "")) > 790
    ]
    assert [sign for _, sign in sorted(places, reverse=True)][:3] == ["P1", "P2", "P0"]


def test_the_picture_shows_the_table_and_its_text():
    for module in ("resvg_py", "PIL", "font_manrope"):
        pytest.importorskip(module)
    svg = drawing(played(BEFORE_THE_EXAMPLE, players=4).state, 1)
    picture = rasterise(svg)
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    without_text = rasterise(re.sub(r"<text.*?</text>", "", svg))
    assert (picture != without_text).any(axis=2).mean() > 0.01


def test_rc70_counts_have_a_hint_for_each_class():
    for position in sample(0):
        seen = view(position.state, 0)
        svg = ElementTree.fromstring(drawing(position.state, 0))
        titled = {group[0].text: group for group in svg.iter(f"{SVG}g") if len(group) and group[0].tag == f"{SVG}title"}
        for number, name in enumerate(CLASSES):
            own = slice(number * KINDS_OF_CLASS, (number + 1) * KINDS_OF_CLASS)
            counts = [*seen.discard[own], *seen.deck_most[own]]
            hint = f"{name} with 0 to 4 nuns: discarded {', '.join(map(str, counts[:5]))}; "
            group = titled[f"{hint}in the deck at most {', '.join(map(str, counts[5:]))}"]
            assert [text.text for text in group.findall(f"{SVG}text")] == [str(count or "-") for count in counts]
