"""The table in the browser and replays as pictures, compared with those that somebody has looked at.

``RAT_ENVS_NEW_PICTURES=1 pytest tests/pictures`` writes them anew: look at them before they are committed.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest
from drawn_games import GAMES, drawn, record_of
from playing import Running

from rat_envs.engine.raster import can_rasterise, rasterise
from rat_envs.replays import Wish, make_page

Image = pytest.importorskip("PIL.Image", reason='No pictures: pip install "rat-envs[render]".')

REFERENCE = Path(__file__).parent / "reference"
#: Pictures are compared in this width, in which letters are grey: fonts and browsers may differ in them.
WIDTH = 96
#: How much a picture may differ of 255: on average, and in its most different part of 1/64.
MEAN, WORST = 3, 12
HEIGHT = 900
NEW = bool(os.environ.get("RAT_ENVS_NEW_PICTURES"))

#: Of each game one screen for the table and one for the replay, so that all four screens are there of both.
SCREENS = [(390, "light"), (1280, "dark"), (390, "dark"), (1280, "light")]
games = pytest.mark.parametrize("game", GAMES)


def screen_of(game: str, shift: int) -> tuple[int, str]:
    """Width and colours for a game's picture."""
    return SCREENS[(list(GAMES).index(game) + shift) % len(SCREENS)]


@pytest.fixture
def page_of(browser):
    """Open an address in a window of a width and colours."""
    contexts = []

    def open_page(width: int, colours: str, address: str, ready: str):
        context = browser.new_context(viewport={"width": width, "height": HEIGHT}, color_scheme=colours)
        contexts.append(context)
        page = context.new_page()
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.goto(address)
        for _ in range(600):  # Playwright's own way to wait is forbidden by the pages' policy
            if page.evaluate(ready):
                return page
            page.wait_for_timeout(20)
        raise AssertionError(f"{address} is not ready: {ready}")

    yield open_page
    for context in contexts:
        context.close()


@games
def test_the_table_looks_as_it_did(game, page_of, tmp_path):
    server = Running(tmp_path / "games")
    try:
        names = ["me"] * GAMES[game].get("players", 2)
        room = server.open(game, names, **GAMES[game])
        steps = record_of(game)["steps"]
        for step in steps[: len(steps) // 2]:
            room.session._happen(step["action"])
        while room.session.asked is None:
            room.session._happen(steps[len(room.session.steps)]["action"])
        width, colours = screen_of(game, 0)
        address = f"{server.base}/seat/{room.tokens[room.session.asked]}"
        page = page_of(width, colours, address, "shown !== null && document.querySelector('#picture svg') !== null")
        assert page.complaints == [] and words_in_drawings(page) > 20
        compare(page.screenshot(), f"table_{game}_{width}_{colours}", tmp_path)
    finally:
        server.stop()


@games
def test_a_replay_looks_as_it_did(game, page_of, tmp_path):
    path = tmp_path / "replay.html"
    path.write_text(make_page([record_of(game)], Wish(["all"])))
    width, colours = screen_of(game, 1)
    page = page_of(width, colours, path.as_uri(), "document.body.dataset.ready === 'yes'")
    page.evaluate("goTo(Math.round(0.7 * view().frames.length))")
    assert page.complaints == [] and words_in_drawings(page) > 20
    compare(page.screenshot(), f"replay_{game}_{width}_{colours}", tmp_path)


@games
@pytest.mark.skipif(not can_rasterise(), reason='No pictures: pip install "rat-envs[render]".')
def test_pictures_of_the_end_look_as_they_did(game, tmp_path):
    """Drawn with a font of their own they are the same everywhere."""
    buffer = io.BytesIO()
    Image.fromarray(rasterise(drawn(game)[-1], dark=game == "rattus")).save(buffer, "PNG")
    compare(buffer.getvalue(), f"end_{game}", tmp_path, mean=1.2, worst=6)


def words_in_drawings(page) -> int:
    """How many texts have a size: in so small a picture they are hardly to be seen."""
    return page.evaluate("[...document.querySelectorAll('svg text')].filter(text => text.getBBox().width > 0).length")


def compare(png: bytes, name: str, folder: Path, mean: float = MEAN, worst: float = WORST) -> None:
    """A picture must look like the one that is kept; else both, and what differs, are left in a folder."""
    kept = REFERENCE / f"{name}.webp"
    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    if NEW:
        REFERENCE.mkdir(exist_ok=True)
        picture.save(kept, quality=60, method=6)
        return
    with Image.open(kept) as opened:
        right = opened.convert("RGB")
    difference = np.abs(small(picture) - small(right))
    parts = [part.mean() for rows in np.array_split(difference, 8) for part in np.array_split(rows, 8, axis=1)]
    if difference.mean() <= mean and max(parts) <= worst:
        return
    picture.save(folder / f"{name}.png")
    shown = np.clip(4 * difference, 0, 255).astype(np.uint8)
    Image.fromarray(shown).resize(right.size, Image.Resampling.NEAREST).save(folder / f"{name}_difference.png")
    pytest.fail(
        f"{name} looks different (on average {difference.mean():.1f} of 255, at most {mean}; in one part "
        f"{max(parts):.1f}, at most {worst}): see {folder / name}.png, and {name}_difference.png beside it; kept is "
        f"{kept}. If the new one is right: RAT_ENVS_NEW_PICTURES=1 pytest tests/pictures"
    )


def small(picture) -> np.ndarray:
    """(H, WIDTH, 3) float64: the picture in so few pixels that letters are grey; all of one size."""
    return np.asarray(picture.resize((WIDTH, WIDTH), Image.Resampling.BOX), dtype=float)
