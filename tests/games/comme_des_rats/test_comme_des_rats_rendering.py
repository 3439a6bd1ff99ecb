"""Text, drawing and news of Comme des Rats: what they show, what they must not show, and that they are true."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.raster import rasterise
from rat_envs.games.comme_des_rats.components import (
    BANDAGE,
    CHEESE1,
    CLOVER,
    HYPNOTIST,
    LOSE,
    NONE,
    PARTNER,
    REDIRECT,
    TRAP,
)
from rat_envs.games.comme_des_rats.configuration import CARDS
from rat_envs.games.comme_des_rats.news import news
from rat_envs.games.comme_des_rats.rendering import HEIGHT, WIDTH, drawing, text
from rat_envs.games.comme_des_rats.view import NO_CARDS, view
from rat_envs.games.comme_des_rats.wording import CARD_WORDS
from rat_envs.games.comme_des_rats.wording import WIDTH as COLUMNS

CONFIGURATIONS = [
    {"players": players, "roles": roles, "talk": talk, "extra_rounds": players % 4}
    for players, roles, talk in itertools.product((2, 3, 4, 5), (False, True), (False, True))
] + [
    {"players": 3, "roles": True, "die": [1, 1, 2, 2, 0], "doors": [11, 0, 0, 4]},
    {"players": 2, "roles": True, "talk": True, "doors": [3, 0, 0, 12], "die": [1, 1, 1, 3, 0], "extra_rounds": 3},
    {"players": 5, "roles": True, "talk": True, "doors": [16, 2, 3, 4], "die": [1, 2, 1, 2, 0], "extra_rounds": 3},
]
configurations = pytest.mark.parametrize(
    "config", CONFIGURATIONS, ids=lambda config: "-".join(str(value).replace(" ", "") for value in config.values())
)
SVG = "{http://www.w3.org/2000/svg}"


def new_game(**config: Any) -> Position:
    """The beginning."""
    return Position("comme_des_rats", config)


def random_play(config: dict, seed: int = 0) -> Iterator[Position]:
    """Every position of a random game after the first, the last included."""
    position = new_game(**config)
    stream = new_stream(position.game, seed)
    while not position.is_over:
        position.apply(position.sample(stream))
        yield position


def points_of_view(config: dict) -> tuple[int | None, ...]:
    """All seats, and a spectator."""
    return (*range(config["players"]), None)


def both(position: Position, point_of_view: int | None) -> tuple[str, str]:
    """Text and drawing."""
    return text(position.row, point_of_view), drawing(position.row, point_of_view)


def seen_by(position: Position, seat: int) -> Any:
    """An observation to keep."""
    return position.observe(seat)[0].copy()


# The table


@configurations
def test_text_fits_the_terminal(config):
    texts = 0
    for number, position in enumerate(random_play(config)):
        for point_of_view in points_of_view(config):
            if (number + (point_of_view or 0)) % 5 and not position.is_over:
                continue
            written = text(position.row, point_of_view)
            assert max(map(len, written.splitlines())) <= COLUMNS
            assert written.isascii()
            texts += 1
    assert texts > 50


@cache
def font(family: str, is_bold: bool) -> Any:
    """A font of size 100: the one of pictures, or the one a drawing asks for."""
    image_font = pytest.importorskip("PIL.ImageFont")
    if family == "Manrope":
        folder = Path(pytest.importorskip("font_manrope").__file__).parent / "files"
        return image_font.truetype(str(folder / f"Manrope-{'Bold' if is_bold else 'Regular'}.ttf"), 100)
    folder = Path(pytest.importorskip("matplotlib").get_data_path()) / "fonts" / "ttf"
    return image_font.truetype(str(folder / f"DejaVuSans{'-Bold' if is_bold else ''}.ttf"), 100)


def boxes(root: ElementTree.Element, family: str) -> list[tuple[str, float, float, float, float]]:
    """All words of a drawing, and where they are: left, top, right, bottom."""
    found = []
    for element in root.iter(f"{SVG}text"):
        words, size = element.text or "", float(element.get("font-size", ""))
        width = font(family, element.get("font-weight") == "bold").getlength(words) * size / 100
        x, y = float(element.get("x", "")), float(element.get("y", ""))
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "")]
        found.append((words, left, y - 0.72 * size, left + width, y + 0.2 * size))
    return found


def frames(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """All rectangles that are not within a symbol, the smallest first."""
    symbols = {rectangle for group in root.iter(f"{SVG}g") if group.get("transform") for rectangle in group.iter()}
    places = []
    for rectangle in set(root.iter(f"{SVG}rect")) - symbols:
        x, y, width, height = (float(rectangle.get(name, "")) for name in ("x", "y", "width", "height"))
        places.append((x, y, x + width, y + height))
    return sorted(places, key=lambda place: (place[2] - place[0]) * (place[3] - place[1]))


def check_drawing(svg: str, family: str) -> None:
    """Every text lies in the frame it is written in, and none over another."""
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))
    texts = boxes(root, family)
    for words, left, top, right, bottom in texts:
        middle, centre = (left + right) / 2, (top + bottom) / 2
        frame = next(f for f in frames(root) if f[0] <= middle <= f[2] and f[1] <= centre <= f[3])
        if len(words) > 2:  # a number may sit on the edge of a card
            assert frame[0] - 0.5 <= left and right <= frame[2] + 0.5, (words, frame)
        assert left >= 0 and right <= WIDTH and top >= 0 and bottom <= HEIGHT, words
    for one, other in itertools.combinations(texts, 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)


@pytest.mark.parametrize("family", ["Manrope", "DejaVu Sans"])
@configurations
def test_texts_of_a_drawing_stay_in_their_boxes_and_apart(config, family):
    drawn = 0
    for number, position in enumerate(random_play(config, seed=1)):
        if number % 17 == 0 or position.is_over:
            point_of_view = points_of_view(config)[number % (config["players"] + 1)]
            check_drawing(drawing(position.row, point_of_view), family)
            drawn += 1
    assert drawn > 3


def test_the_longest_sentences_fit():
    position = next(p for p in random_play({"players": 2, "roles": True, "talk": True}) if p.row.third_rat_card >= 0)
    row = position.row
    row.kept[:], row.die, row.rat, row.pile_searched, row.draws_left, row.actor = 1, 1, 2, 2, 1, -1
    for point_of_view in (0, 1, None):
        assert "a second draw is to follow" in drawing(row, point_of_view)
        for family in ("Manrope", "DejaVu Sans"):
            check_drawing(drawing(row, point_of_view), family)


def test_the_picture_shows_the_table_and_its_text():
    for module in ("resvg_py", "PIL", "font_manrope"):
        pytest.importorskip(module)
    svg = drawing(next(p for p in random_play({"players": 4, "roles": True}) if p.row.phase == PARTNER).row, 0)
    picture = rasterise(svg)
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    without_text = rasterise(re.sub(r"<text.*?</text>", "", svg))
    assert (picture != without_text).any(axis=2).mean() > 0.01
    assert np.array_equal(rasterise(svg), picture)


# What must not show


@configurations
def test_cr75_hidden_facts_change_no_byte(config):
    changed = 0
    for number, position in enumerate(random_play(config, seed=3)):
        if number % 7:
            continue
        seat = number % config["players"]
        other = position.copy()
        other.determinize(seat, new_stream(position.game, number))
        changed += other.row.tobytes() != position.row.tobytes()
        for point_of_view in (seat, None):
            assert both(other, point_of_view) == both(position, point_of_view)
    assert changed > 0


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_cr70_a_spectator_sees_the_same_whoever_knows_what(players):
    for number, position in enumerate(random_play({"players": players, "roles": True, "talk": True}, seed=5)):
        if number % 9:
            continue
        seen = view(position.row, None)
        assert (seen.node, seen.left_to_place) == (None, NO_CARDS)
        assert not any(pile.known or pile.traps_stored for pile in seen.piles)
        for rat in seen.rats:
            assert rat.is_third_rat or rat.known == NO_CARDS
            assert rat.role is None or rat.role_shown
        assert not re.search(r"\byour?\b", " ".join(both(position, None)), re.IGNORECASE)


def test_cr76_a_window_leaves_no_trace():
    windows = 0
    for seed in range(4):
        for position in random_play({"players": 3, "roles": True, "talk": True}, seed):
            if position.is_chance or position.is_over or "no_claim" not in position.legal():
                continue
            windows += 1
            after = position.copy()
            after.apply("no_claim")
            for point_of_view in {0, 1, 2, None} - {position.actor, after.actor}:
                assert both(after, point_of_view) == both(position, point_of_view)
            assert "Al Ratone" in text(position.row, position.actor)
    assert windows > 0


@pytest.mark.parametrize("config", CONFIGURATIONS[4:17:3], ids=str)
def test_cr76_news_do_not_tell_that_a_clover_or_the_hypnotist_was_kept_back(config):
    kept = 0
    for seed in range(3):
        for position in random_play(config, seed):
            moves = position.chances() if position.row.phase == LOSE else position.legal()
            kept += sum(check_kept_back(position, move) for move in moves)
    assert kept > 0


KEEP_BACK = {BANDAGE: "bandage", REDIRECT: "no_redirect"}


def check_kept_back(position: Position, action: str) -> bool:
    """Whether an action opens a window for another seat; not used, it is told as if there had been none."""
    row, after, without = position.row, position.copy(), position.copy()
    after.apply(action)
    owner = after.actor
    observer = (owner + 1) % row.config.players
    if row.phase in KEEP_BACK or after.row.phase not in KEEP_BACK or row.sure[observer, owner, CLOVER]:
        return False
    sentences = news(seen_by(position, observer), seen_by(after, observer))
    while after.row.phase in KEEP_BACK and after.actor == owner:
        before = seen_by(after, observer)
        after.apply(KEEP_BACK[int(after.row.phase)])
        sentences += news(before, seen_by(after, observer))
    without.row.stock[owner, CHEESE1] += without.row.stock[owner, CLOVER]
    without.row.stock[owner, CLOVER] = 0
    if row.role[owner] == HYPNOTIST:
        without.row.role[owner] = NONE
    without.apply(action)
    still_open = (
        after.row.phase in KEEP_BACK or without.row.phase in KEEP_BACK
    )  # another seat's, or a clover just drawn
    if still_open or any("is over" in sentence for sentence in sentences):  # at the end of a round stocks are shown
        return False
    assert without.row.phase == after.row.phase
    assert news(seen_by(position, observer), seen_by(without, observer)) == sentences
    return True


# A game by hand

#: Three piles from the top. With no roles and no talk player_0 begins.
PILES = (
    ("clover", "cheese1", "trap", "cheese1", "trap"),
    ("trap", "clover", "cheese2", "cheese1", "cheese2"),
    ("cheese2", "trap", "clover", "cheese1", "trap"),
)


def laid_out(piles: Iterable[Iterable[str]] = PILES, roles: Iterable[str] = (), **config: Any) -> Position:
    """A game with these piles and roles."""
    position = new_game(roles=bool(roles), **config)
    for pile in map(list, piles):
        place = pile.index("trap")
        position.apply(f"trap {place + 1}")
        for card in pile[:place] + pile[place + 1 :]:
            position.apply(f"deal {card}")
    for role in roles:
        position.apply(f"role {role}")
    return position


def told(position: Position, seat: int, *moves: str) -> str:
    """What a seat is told, move by move."""
    sentences = []
    for move in moves:
        before = seen_by(position, seat)
        position.apply(move)
        sentences += news(before, seen_by(position, seat))
    return " ".join(sentences)


def test_news_of_a_turn():
    position = laid_out(players=3)
    roll = ("roll key1 key2", "keep_dice", "partner player_1")
    assert told(position.copy(), 0, *roll) == "You rolled one key and two keys. You chose player_1 as partner."
    assert told(position, 2, *roll) == "player_0 rolled one key and two keys. player_0 chose player_1 as partner."
    assert told(position.copy(), 1, "die key2") == "You kept two keys, player_0 got one key."
    position.apply("die key2")
    assert told(position.copy(), 1, "pile 2") == (
        "You drew a trap from pile 2. You drew a clover from pile 2. You got a bandage."
    )
    assert told(position, 0, "pile 2") == (
        "player_1 drew a trap from pile 2. player_1 drew a card from pile 2. player_1 got a bandage."
    )
    assert told(position.copy(), 0, "pile 3") == "You drew 2 cheese from pile 3."
    assert told(position, 1, "pile 3") == "player_0 drew a card from pile 3."
    theft = ("roll steal claw", "reroll", "roll steal claw", "partner player_2", "die steal", "rob player_0")
    assert told(position, 2, *theft) == (
        "player_1 rolled theft and claw. player_1 rolled again: theft and claw. player_1 chose you as partner. "
        "You kept theft, player_1 got claw. You robbed player_0."
    )
    assert told(position.copy(), 2, "lose cheese2") == "You got 2 cheese."
    assert told(position.copy(), 1, "lose cheese2") == ""
    assert told(position, 0, "lose cheese2") == "You lost 2 cheese."
    assert told(position, 0, "claw player_0") == "player_1 sent the cat at you. You got a bandage."


def test_news_over_a_whole_turn_at_once():
    position = laid_out(players=3)
    before = seen_by(position, 2)
    for move in ("roll key1 claw", "keep_dice", "partner player_1", "die key1", "pile 1"):
        position.apply(move)
    assert news(before, seen_by(position, 2)) == [
        "player_0 rolled one key and claw and chose player_1 as partner.",
        "player_1 kept one key, player_0 got claw.",
        "player_1 drew a card from pile 1.",
    ]
    before = seen_by(position, 2)
    for move in ("claw player_1", "clover", "roll steal heal"):
        position.apply(move)
    assert news(before, seen_by(position, 2)) == ["A clover was discarded.", "player_1 rolled theft and healing."]


def test_cr19_cr20_news_of_clovers_and_of_a_round_that_ends():
    position = laid_out(players=3)
    for move in ("roll key1 claw", "keep_dice", "partner player_1", "die key1", "pile 1"):
        position.apply(move)
    assert told(position, 0, "claw player_1") == "You sent the cat at player_1."
    assert told(position, 0, "clover") == "player_1 discarded a clover instead of getting a bandage."
    position.row.bandages[2] = 2
    moves = ("roll claw heal", "keep_dice", "partner player_0", "die heal", "claw player_2")
    assert told(position, 2, *moves).endswith(
        "The round is over: player_0 got 2 points and player_1 got 2 points. Round 2 begins."
    )


def test_cr40_news_of_statements():
    position = laid_out(players=3, talk=True)
    moves = ("roll key1 claw", "keep_dice", "say claw player_2", "say peace")
    assert told(position.copy(), 2, *moves).endswith(
        "player_1 said: I would claw you. You said: I would not claw player_0."
    )
    assert told(position.copy(), 0, *moves).endswith(
        "player_1 said: I would claw player_2. player_2 said: I would not claw you."
    )
    assert told(position, 1, *moves[:2], "say nothing", "say die claw").endswith(
        "You said nothing. player_2 said: I would keep claw."
    )


def test_cr51_to_cr54_news_of_roles():
    position = laid_out(roles=("manipulator", "al_ratone", "fool"), players=3)
    looks = ("look 2", "look 1", *("place trap", "place clover", "place cheese1", "place cheese2"))
    assert (
        told(position.copy(), 1, *looks)
        == "The Manipulator looked through pile 2. The Manipulator looked through pile 1."
    )
    assert told(position, 0, *looks) == ""
    assert "1 cheese, trap" not in text(position.row, 1)
    moves = ("place clover", "place trap", "place trap", "place cheese1", "roll key1 steal", "keep_dice", "claim")
    assert told(position, 2, *moves).endswith("player_1 showed Al Ratone and became partner.")
    told(position, 0, "die key1", "pile 2")
    moves = ("roll key1 heal", "keep_dice", "partner player_2", "die key1")
    told(position, 2, *moves)
    assert told(position.copy(), 2, "pile 1") == "You drew a clover from pile 1. player_1 gave back a bandage."
    assert told(position, 0, "pile 1") == "player_2 drew a clover from pile 1. player_1 gave back a bandage."


def test_cr54_news_of_a_stolen_trap():
    position = laid_out(roles=("fool", "al_ratone", "hypnotist"), players=3)
    for move in ("roll key1 steal", "keep_dice", "no_claim", "partner player_2", "die steal", "pile 2"):
        position.apply(move)
    for move in ("roll steal heal", "keep_dice", "partner player_2", "die steal", "rob player_0"):
        position.apply(move)
    end = "player_0, who showed the Fool and discarded all other traps. "
    assert told(position.copy(), 1, "lose trap") == f"A trap was stolen from {end}player_2 got a bandage."
    assert told(position, 0, "lose trap") == (
        "A trap was stolen from you, and you showed the Fool and discarded all other traps. player_2 got a bandage."
    )


def test_cr60_to_cr67_the_third_rat_is_open():
    position = laid_out(players=2)
    for move in ("roll key1 heal", "keep_dice", "partner third_rat"):
        position.apply(move)
    assert told(position.copy(), 1, "reveal tr2") == (
        "The third rat showed tr2: you decide. The third rat kept one key, player_0 got healing."
    )
    assert told(position, 0, "reveal tr2") == (
        "The third rat showed tr2: player_1 decides. The third rat kept one key, you got healing."
    )
    assert "Third rat: which pile is a card drawn from?" in text(position.row, 1)
    assert "Now the third rat's die: one key, player_1 decides." in text(position.row, 0)
    assert told(position, 0, "pile 1") == "The third rat drew a clover from pile 1."
    for point_of_view in (0, 1, None):
        assert "1 card: clover" in text(position.row, point_of_view)
        assert "tr2: one key" not in text(position.row, point_of_view)
        assert "tr1: two keys > one key > theft > claw > healing; active decides" in text(position.row, point_of_view)


def test_cr71_cr74_what_a_seat_knows_is_shown_to_it_alone():
    position = laid_out(players=3)
    for move in (
        "roll key1 steal",
        "keep_dice",
        "partner player_1",
        "die key1",
        "pile 1",
        "rob player_1",
        "lose clover",
    ):
        position.apply(move)
    assert "1 card: clover" in text(position.row, 0) and "You hold: clover." in text(position.row, 0)
    assert "1 card: clover" in text(position.row, 1) and "You hold: nothing." in text(position.row, 1)
    for point_of_view in (2, None):
        assert "1 card\n" in text(position.row, point_of_view) and "1 card:" not in text(position.row, point_of_view)


def test_what_is_asked_is_said_to_who_is_asked_alone():
    position = laid_out(players=3)
    position.apply("roll key1 steal")
    assert text(position.row, 0).endswith("Do you keep these dice, or roll both again?\n")
    assert "Do you keep" in drawing(position.row, 0)
    for point_of_view in (1, 2, None):
        assert "Do you" not in " ".join(both(position, point_of_view))


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ((3, 8, 2), "The game is over: player_1 has won."),
        ((8, 8, 2), "The game is over: player_0 and player_1 share the win."),
        ((2, 1, 8), "The game is over: the third rat has won."),
    ],
)
def test_the_end_is_announced(points, sentence):
    *_, position = random_play({"players": 2})
    position.row.points[:3], position.row.stock[:3] = points, 0
    assert sentence in text(position.row, None) and sentence in drawing(position.row, None)
    mine = sentence.replace("player_1 has", "you have").replace("player_1", "you")
    assert mine in text(position.row, 1)


# News of whole games

DRAW = re.compile(r"(.*) drew (.*) from pile (\d)\.")
CARD_IN_WORDS = re.compile(r"(a|\d+)? ?(?:cards of )?(trap|clover|card|1 cheese|2 cheese)s?")
DEEDS = (
    (re.compile(r"(.*) discarded .* instead of getting .*\."), "clover"),
    (re.compile(r"(.*) showed the Hypnotist and sent the cat at (player_\d|you|the third rat)\."), "redirect"),
    (re.compile(r"(.*) sent the cat at (player_\d|you|the third rat)\."), "claw"),
    (re.compile(r"(.*) robbed (.*)\."), "rob"),
    (re.compile(r"(.*) chose (.*) as partner\."), "partner"),
    (re.compile(r"(.*) showed Al Ratone and became partner\."), "claim"),
)


def deeds(old: Any, new: Any, action: str) -> list[tuple]:
    """What an action did that news may tell, and who did it, out of two rows."""

    def name(rat: int) -> str:
        return "third_rat" if rat >= old.config.players else f"player_{rat}"

    verb, *named = action.split()
    doers = {"rob": old.rat, "claw": old.rat, "clover": old.bandaged}
    found: list[tuple] = [(verb, name(doers.get(verb, old.actor)), *named)]
    if old.config.players == 2:
        visits = new.visited - old.visited
        if verb not in ("claw", "redirect") and visits.any():
            found.append(("claw", "third_rat", name(int(visits.argmax()))))
        if verb != "clover" and new.discard[CLOVER] > old.discard[CLOVER]:
            found.append(("clover", "third_rat"))
    for pile in range(len(old.drawn)):
        cards = old.pile[pile, old.drawn[pile] : new.drawn[pile]]
        found += [("draw", name(old.rat), str(pile + 1), int(card)) for card in cards]
    return found


def check_sentence(sentence: str, happened: list[tuple], seat: int) -> None:
    """A sentence that says who did what says so rightly."""
    me = f"player_{seat}"
    names = {"You": me, "you": me, "The third rat": "third_rat", "the third rat": "third_rat"}
    for pattern, verb in DEEDS:
        if match := pattern.fullmatch(sentence):
            who, *whom = match.groups()
            who = who.split(" rolled ")[0]
            assert (verb, *(names.get(name, name) for name in (who, *whom))) in happened, (sentence, happened)
            return
    if match := DRAW.fullmatch(sentence):
        drawn = [deed for deed in happened if deed[0] == "draw" and deed[2] == match[3]]
        assert {deed[1] for deed in drawn} == {names.get(match[1], match[1])}, (sentence, happened)
        said: Counter[str] = Counter()
        for number, card in CARD_IN_WORDS.findall(match[2]):
            said[card] += int(number) if number.isdecimal() else 1
        kinds = Counter(CARD_WORDS[deed[3]] for deed in drawn)
        assert said.total() <= len(drawn), (sentence, drawn)
        assert said - kinds == Counter({"card": said["card"]} if said["card"] else {}), (sentence, drawn)


@pytest.mark.parametrize("at_own_nodes", [False, True], ids=["after every node", "from node to node of a seat"])
@configurations
def test_news_is_true(config, at_own_nodes):
    position = new_game(**config)
    stream = new_stream(position.game, 11)
    seats = (0, config["players"] - 1)
    before = {seat: seen_by(position, seat) for seat in seats}
    happened: dict[int, list[tuple]] = {seat: [] for seat in seats}
    sentences = 0
    while not position.is_over:
        old, action = position.row.copy(), position.sample(stream)
        position.apply(action)
        for seat in seats:
            happened[seat] += deeds(old, position.row, action)
            if at_own_nodes and position.actor != seat:
                continue
            now = seen_by(position, seat)
            told_now = news(before[seat], now)
            assert not told_now or now.tobytes() != before[seat].tobytes()
            for sentence in told_now:
                check_sentence(sentence, happened[seat], seat)
            sentences += len(told_now)
            before[seat], happened[seat] = now, []
    assert sentences > 20


@configurations
def test_news_never_fails_however_much_is_missed(config):
    seat = config["players"] - 1
    seen = [seen_by(position, seat) for position in random_play(config, seed=13)]
    chosen = np.random.default_rng(0).integers(0, len(seen), (150, 2))
    for first, last in [*map(sorted, chosen.tolist()), (0, len(seen) - 1)]:
        for sentence in news(seen[first], seen[last]):
            assert sentence.endswith(".") and sentence.isascii()


def test_kinds_are_named_in_the_order_of_the_components():
    assert len(CARD_WORDS) == len(CARDS) and CARD_WORDS[TRAP] == CARDS[TRAP] and CARD_WORDS[CLOVER] == CARDS[CLOVER]
