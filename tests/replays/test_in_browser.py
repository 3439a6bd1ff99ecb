"""The page of a replay in a real browser: stepped to its end by keys, views switched, on every screen."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path

import pytest

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder
from rat_envs.replays import Wish, make_page, show

#: Width, height and colours of the screens that are tried.
SCREENS = [(390, 844, "light"), (390, 844, "dark"), (1280, 900, "light"), (1280, 900, "dark"), (1600, 900, "light")]
#: Where pictures of the pages are left, if anywhere.
PICTURES = os.environ.get("RAT_ENVS_PICTURES")


def record_of(game: str, config: dict | None = None) -> dict:
    """The record of a game of random play."""
    recorder = Recorder(Position(game, config))
    stream = new_stream(recorder.position.game, 3)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))
    return recorder.record()


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Files with replays: of two short games with all there is, of a long one, and of one seat alone in two games."""
    folder = tmp_path_factory.mktemp("replays")
    short = [record_of("brave_rats"), record_of("brave_rats", {"fast": True})]
    texts = {
        "brave_rats": make_page(short, Wish(explain="learnt", beliefs=True)),
        "rattus": make_page([record_of("rattus")]),
        "beliefs": make_page([record_of("comme_des_rats")], Wish(["player_1"], beliefs=True)),
        "one_seat": make_page([record_of("brave_rats", {"hands": "random", "draw_pile": True})], Wish(["player_1"])),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return {name: folder / f"{name}.html" for name in texts}


@pytest.fixture(scope="module")
def explained(tmp_path_factory) -> Path:
    """A file with a replay of which an agent's thoughts and what may be hidden are shown."""
    path = tmp_path_factory.mktemp("explained") / "rattus_cartus.html"
    path.write_text(make_page([record_of("rattus_cartus")], Wish(["player_0", "player_1"], "greedy", beliefs=True)))
    return path


class Opened:
    """A page in a browser without a network, and what it complains of."""

    def __init__(
        self, browser, path: Path, width: int = 1280, height: int = 900, colours: str = "light", **more: str
    ) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=colours, **more)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        begun = time.perf_counter()
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("body[data-ready]")
        self.seconds = time.perf_counter() - begun

    def place(self) -> tuple[int, int]:
        """The step that is shown, and how many there are."""
        _, step, _, steps = self.page.inner_text("#place").split()
        return int(step), int(steps)

    def wait_until(self, condition: str) -> None:
        """Look again and again: what waits within the page would need what its policy forbids."""
        end = time.monotonic() + 20
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, condition
            self.page.wait_for_timeout(20)

    def close(self) -> None:
        """Nothing went wrong, and nothing was asked of anybody."""
        assert self.complaints == []
        assert all(url.startswith("file:") for url in self.asked) and len(self.asked) == 1
        self.context.close()


@pytest.mark.parametrize("name", ["brave_rats", "rattus", "one_seat"])
@pytest.mark.parametrize(("width", "height", "colours"), SCREENS)
def test_no_screen_is_too_narrow(name, width, height, colours, browser, pages):
    opened = Opened(browser, pages[name], width, height, colours)
    page = opened.page
    page.keyboard.press("PageDown")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#drawings figure > svg").count() == 1
    box = page.locator("#drawings figure > svg").bounding_box()
    assert box["width"] > 0.5 * min(width, 900) and box["height"] > 100
    if PICTURES:
        Path(PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{PICTURES}/{name}_{width}_{colours}.png", full_page=True)
    opened.close()


@pytest.mark.parametrize("name", ["brave_rats", "rattus"])
@pytest.mark.parametrize("width", [960, 1260])
def test_in_half_a_screen_the_drawing_fits_and_can_be_read(name, width, browser, pages):
    """Two windows side by side on a screen of 1920; and the narrowest with a list beside the drawing."""
    opened = Opened(browser, pages[name], width, 900, "light")
    hidden = "(place => place.scrollWidth - place.clientWidth)(document.querySelector('#drawings figure'))"
    assert opened.page.evaluate(hidden) == 0
    part = "(drawing => drawing.clientWidth / parseFloat(drawing.style.getPropertyValue('--width')))"
    assert 0.8 <= opened.page.evaluate(f"{part}(document.querySelector('#drawings figure > svg'))") < 2
    opened.close()


def test_a_game_is_stepped_to_its_end_by_keys(browser, pages):
    opened = Opened(browser, pages["brave_rats"])
    page = opened.page
    step, steps = opened.place()
    assert step == 1 and page.locator("#back").is_disabled()
    for number in range(2, steps + 1):
        page.keyboard.press("ArrowRight")
        assert opened.place() == (number, steps)
    assert "Points:" in page.inner_text("#words")
    assert page.locator("#on").is_disabled()
    page.keyboard.press("ArrowRight")
    assert opened.place() == (steps, steps)
    page.keyboard.press("Home")
    assert opened.place() == (1, steps)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert opened.place() == (steps - 1, steps)
    opened.close()


def test_views_decisions_and_games_are_switched_by_the_keyboard_alone(browser, pages):
    opened = Opened(browser, pages["brave_rats"])
    page = opened.page
    page.focus("#views button:nth-child(4)")
    page.keyboard.press("Enter")
    assert page.get_attribute("#views button:nth-child(4)", "aria-pressed") == "true"
    assert page.locator("#drawings figure > svg").count() == 1
    assert page.locator("#drawings figure title").all_inner_texts().count("a card that has not been seen") == 0
    page.keyboard.press("PageDown")
    assert opened.place()[0] == 2
    assert "in the eyes of learnt" in page.inner_text("#choice")
    assert page.locator("#curve").is_visible()
    page.focus("#steps li:nth-child(5) button")
    page.keyboard.press("Enter")
    assert opened.place()[0] == 5
    assert page.get_attribute("#steps li:nth-child(5) button", "aria-current") == "step"
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert opened.place()[0] == 6
    page.select_option("#game", "1")
    assert opened.place()[0] == 1
    page.click("#views button:nth-child(2)")
    page.keyboard.press("PageDown")
    assert page.locator("#beliefs").is_visible()
    opened.close()


def test_a_thing_that_may_be_hidden_has_one_colour_and_labels_are_whole(browser, pages):
    opened = Opened(browser, pages["beliefs"], width=390)
    colours: dict[str, set[str]] = {}
    for _ in range(60):
        opened.page.keyboard.press("ArrowRight")
        if not opened.page.locator("#beliefs").is_visible():
            continue
        parts = """parts => parts.map((part) => [part.title.split(":")[0], part.style.background, part.textContent,
            part.scrollWidth <= part.clientWidth])"""
        shown: dict[str, set[str]] = {}
        for thing, colour, words, is_whole in opened.page.locator(".stack > i").evaluate_all(parts):
            shown.setdefault(thing, set()).add(colour)
            assert words in ("", thing) and is_whole
        assert all(len(own) == 1 for own in shown.values())
        colours |= shown
    assert {"trap", "clover"} <= colours.keys()
    opened.close()


#: The beliefs of a frame, as (value, share in words) by thing, and what the page says and shows of each.
BELIEFS = """() => [
    frame().beliefs.map(([thing, values]) => [thing, values.map(([value, share]) => [`${value}`, percent(share)])]),
    [...document.querySelectorAll(".hidden-thing")].map((line) => [
        line.querySelector("span").innerText,
        [...line.querySelectorAll("p > span")].map((one) => one.innerText),
        ...["p i", ".stack > i"].map((parts) => [...line.querySelectorAll(parts)].map((one) => one.style.background)),
    ]),
]"""


@pytest.mark.parametrize("width", [320, 1280])
def test_what_may_be_hidden_is_said_in_words_with_its_share(browser, pages, width):
    """Not by colours alone, nor only where a pointer rests."""
    opened = Opened(browser, pages["beliefs"], width=width)
    page, seen = opened.page, 0
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        if not page.locator("#beliefs").is_visible():
            continue
        beliefs, lines = page.evaluate(BELIEFS)
        for (thing, shares), (head, said, dots, bars) in zip(beliefs, lines, strict=True):
            assert [words.rsplit(": ", 1) for words in said] == shares and head == thing
            assert dots == bars and len(dots) == len(shares)
            seen += len(shares)
    assert seen > 20 and page.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


def luminance(colour: str) -> float:
    """That of a colour as browsers give it, as in "rgb(1, 2, 3)", by WCAG's definition."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Between two colours."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_white_words_can_be_read_on_every_colour_of_what_may_be_hidden(browser, pages):
    opened = Opened(browser, pages["beliefs"])
    colours = """() => [...coloursOf([...Array(60).keys()].map(String)).values()].map((colour) => {
      document.body.style.color = colour;
      return getComputedStyle(document.body).color;
    })"""
    for colour in opened.page.evaluate(colours):
        assert contrast(colour, "rgb(255, 255, 255)") >= 4.5, colour
    opened.close()


#: What is drawn by a ground alone.
DRAWN = [".bar > i", ".stack > i:nth-child(2)", ".hidden-thing p i", "#legend i"]


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_bars_and_what_is_chosen_are_seen_where_the_system_forces_its_colours(browser, explained, colours):
    opened = Opened(browser, explained, colours=colours, forced_colors="active")
    page = opened.page
    page.click("#views button:nth-child(2)")
    page.keyboard.press("PageDown")
    style = "([place, part]) => getComputedStyle(document.querySelector(place))[part]"
    ground = page.evaluate(style, ["body", "backgroundColor"])
    for place in DRAWN:
        assert page.evaluate(style, [place, "backgroundColor"]) not in (ground, "rgba(0, 0, 0, 0)"), place
    for chosen, other in (
        ("#views button[aria-pressed=true]", "#views button[aria-pressed=false]"),
        ("#steps button[aria-current]", "#steps button:not([aria-current])"),
    ):
        own, usual = (page.evaluate(style, [place, "backgroundColor"]) for place in (chosen, other))
        assert contrast(own, usual) >= 3
        assert contrast(own, page.evaluate(style, [chosen, "color"])) >= 4.5
    opened.close()


@pytest.mark.parametrize(("button", "key"), [("#last", "Enter"), ("#first", "Enter"), ("#on", "Space")])
def test_the_keyboard_stays_where_it_is_at_the_first_and_the_last_step(browser, pages, button, key):
    opened = Opened(browser, pages["brave_rats"])
    page = opened.page
    _, steps = opened.place()
    page.evaluate("steps => goTo(steps)", steps - 2 if button != "#first" else 1)
    page.focus(button)
    page.keyboard.press(key)
    assert opened.place()[0] == (1 if button == "#first" else steps)
    assert page.evaluate("document.activeElement.id") == button[1:]
    assert page.get_attribute(button, "aria-disabled") == "true"
    page.keyboard.press(key)
    assert opened.place()[0] == (1 if button == "#first" else steps), "it does nothing more"
    opened.close()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_a_narrow_screen_and_large_words_need_no_scrolling_sideways(
    browser, browser_with_large_words, explained, colours
):
    for driver, width, size in ((browser, 320, "15px"), (browser_with_large_words, 390, "30px")):
        opened = Opened(driver, explained, width, 844, colours)
        page = opened.page
        page.click("#views button:nth-child(2)")
        page.keyboard.press("PageDown")
        assert page.evaluate("getComputedStyle(document.body).fontSize") == size
        assert page.is_visible("#legend") and page.is_visible("#beliefs")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        opened.close()


def test_another_view_shows_the_same_moment(browser, pages):
    opened = Opened(browser, pages["rattus"])
    page = opened.page
    page.evaluate("goTo(100)")
    moment = page.evaluate("frame().moment")
    for number in range(page.locator("#views button").count()):
        page.click(f"#views button:nth-child({number + 1})")
        assert abs(page.evaluate("frame().moment") - moment) <= 4
    opened.close()


def test_play_goes_on_to_the_end_and_can_be_paused(browser, pages):
    opened = Opened(browser, pages["brave_rats"])
    page = opened.page
    page.select_option("#speed", "100")
    page.keyboard.press("Escape")
    page.click("#title")
    page.keyboard.press(" ")
    opened.wait_until("now.frame >= 2")
    assert page.inner_text("#play") == "Pause"
    page.click("#play")
    step = opened.place()
    page.wait_for_timeout(300)
    assert opened.place() == step
    page.click("#play")
    opened.wait_until("isLast()")
    assert page.inner_text("#play") == "Play"
    opened.close()


def test_a_long_game_opens_in_under_a_second(browser, pages):
    Opened(browser, pages["rattus"]).close()  # the browser itself is warm now
    fastest = []
    for _ in range(3):
        opened = Opened(browser, pages["rattus"])
        fastest.append(opened.seconds)
        opened.close()
    assert min(fastest) < 1


def test_buttons_and_pictures_have_names(browser, pages):
    opened = Opened(browser, pages["brave_rats"])
    page = opened.page
    page.keyboard.press("PageDown")
    nameless = page.evaluate(
        """[...document.querySelectorAll("button, select, input, svg[role=img]")].filter((one) =>
        !(one.textContent.trim() && one.tagName === "BUTTON") && !one.getAttribute("aria-label") && !one.labels?.length
        ).map((one) => one.outerHTML)"""
    )
    assert nameless == []
    assert page.get_attribute("#drawings figure > svg", "aria-label").startswith("The table, ")
    role = page.get_attribute("#drawings figure > svg", "role")
    assert role == "group", "by ARIA nobody is told what is in an image"
    opened.close()


def test_a_notebook_shows_it_in_a_frame(browser, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>notebook</title>{show(record_of('brave_rats'))._repr_html_()}")
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    frame.locator("#on").click()
    assert frame.locator("#place").inner_text().startswith("step 2 of")
    assert complaints == []
    context.close()


def test_what_a_page_holds_cannot_reach_a_host(browser, pages):
    """A picture, a request and a script that are put into the page by force are refused by its own policy."""
    opened = Opened(browser, pages["one_seat"])
    page = opened.page
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        host = f"http://127.0.0.1:{server.getsockname()[1]}/"
        picture = f"<img src='{host}' onerror='now.bad = 1'>"
        page.evaluate("picture => document.body.insertAdjacentHTML('beforeend', picture)", picture)
        assert page.evaluate("host => fetch(host).then(() => 'reached', () => 'refused')", host) == "refused"
        with pytest.raises(TimeoutError):
            server.accept()
    assert page.evaluate("now.bad ?? null") is None
    assert any("Content Security Policy" in complaint for complaint in opened.complaints)
    opened.context.close()
