"""The table in a real browser: whole games by clicks and by keys, several seats, reloads, undo and hints."""

from __future__ import annotations

import contextlib
import io
import threading
import time

import numpy as np
import pytest
from playing import Network, Running, page_of, post

from rat_envs.agents import Agent
from rat_envs.play import SavedGame
from rat_envs.play.browser.app import SIGN_OF_LIFE
from rat_envs.play.terms import Terms
from rat_envs.play.times import milliseconds_between

playwright = pytest.importorskip("playwright.sync_api", reason="No Playwright: pip install playwright.")

GAMES = {
    "brave_rats": (["me", "greedy"], {}),
    "comme_des_rats": (["me", "greedy", "greedy"], {"players": 3}),
    "rattus": (["me", "greedy"], {"players": 2}),
    "rattus_cartus": (["me", "greedy"], {"players": 2}),
}
#: A click on the next place of the picture that can be chosen, on the next choice of a menu, or on one in the list.
CLICK_ON = """(turn) => {
  const places = [...document.querySelectorAll("#picture [data-spot].open[tabindex]")];
  if (places.length && turn % 4) {
    places[turn % places.length].dispatchEvent(new MouseEvent("click", {bubbles: true}));
    const menu = [...document.querySelectorAll("#menu[open] #menu-choices button")];
    if (menu.length) menu[turn % menu.length].click();
  } else {
    const choices = [...document.querySelectorAll("#choices button")];
    choices[turn % choices.length].click();
  }
}"""


@pytest.fixture
def running(tmp_path):
    server = Running(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def opened(browser, running):
    """Open seats in a page each, and see that no page complains."""
    contexts, wrong = [], []

    def open_seat(room, seat, **how):
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **how)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: wrong.append(request.url) if running.base not in request.url else None)
        page.goto(f"{running.base}/seat/{room.tokens[seat]}")
        until(page, "() => shown !== null")
        return page

    open_seat.wrong = wrong
    yield open_seat
    for context in contexts:
        context.close()


def until(page, condition, value=None, seconds=120):
    """Wait for a condition. Playwright's own way is forbidden by the page's Content-Security-Policy."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(playwright.Error):  # the page is on its way to another
            if page.evaluate(condition, value):
                return
        assert time.monotonic() < end, condition
        page.wait_for_timeout(10)


def is_over(page):
    return page.evaluate("shown.is_over")


def wait_for_turn(page):
    until(page, "() => shown.choices.length > 0 || shown.is_over")


def changed_by(page, do):
    """Do something that changes the table, and wait for the new picture."""
    view = page.evaluate("shown.view")
    do()
    until(page, "view => shown && shown.view !== view", view)


STOP_CLOCK = "() => { const moment = performance.now(); performance.now = () => moment; }"


def tap(page, place, stop_clock=False):
    """Click when it counts: soon after something has changed it would be the second of a double tap.

    Where the clock stops, the next click comes at once, however slow the machine is.
    """
    page.evaluate("delete performance.now")
    until(page, "() => performance.now() - newSince >= MILLISECONDS_OF_DOUBLE_TAP")
    if stop_clock:
        page.evaluate(STOP_CLOCK)
    page.click(place)


def test_the_page_measures_the_time_to_answer(opened, running):
    room = running.open(names=["me", "me"])
    page = opened(room, 0)
    page.wait_for_timeout(300)
    tap(page, "#choices button")
    until(page, "() => shown.acted === 1")
    (step,) = SavedGame.read(room.path).steps
    between = milliseconds_between(step["asked"], step["answered"])
    assert 300 <= step["page_ms"] < between + 100
    page.evaluate("complain(orKept(LOST))")
    assert page.inner_text("#problem") == "The connection is lost; this page tries again. The game is kept."


def test_without_undo_and_hints_the_page_shows_neither(opened, running):
    terms = Terms(names=["you", "opponent"], undo=False, hints=False, table="1")
    room = running.open(names=["me", "random"], terms=terms, fast=True)
    page, watching = opened(room, 0), opened(room, 2)
    assert page.inner_text("#seats") == "player_0: you, player_1: opponent"
    assert watching.inner_text("#seats") == "player_0: you, player_1: opponent"
    page.evaluate("complain(orKept(LOST))")
    assert page.inner_text("#problem").endswith("The game is kept.")  # at a table of a file from the beginning
    while not is_over(page):
        assert not page.is_visible("#undo") and not page.is_visible("#ask")
        changed_by(page, lambda: page.evaluate(CLICK_ON, 0))
        wait_for_turn(page)
    assert not page.is_visible("#again") and page.is_visible("#record")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_clicks(opened, running, game):
    names, config = GAMES[game]
    room = running.open(game, names, **config)
    page = opened(room, 0)
    for turn in range(400):
        wait_for_turn(page)
        if is_over(page):
            break
        changed_by(page, lambda turn=turn: page.evaluate(CLICK_ON, turn))
    assert is_over(page) and page.inner_text("#question").startswith("The game is over.")
    assert page.is_visible("#record") and page.is_visible("#again")
    assert page.inner_text("#replay-command") == f"rat-envs replay {game}.jsonl --html {game}.html --explain learnt"
    assert room.session.is_over and opened.wrong == []
    with page.expect_download() as download:
        tap(page, "#record")
    assert download.value.suggested_filename == f"{game}.jsonl"
    tap(page, "#again")
    until(page, "() => typeof shown === 'object' && shown !== null && !shown.is_over")


def test_what_cannot_be_chosen_says_what_it_is_and_why(opened, running):
    page = opened(running.open(), 0)
    page.locator("#picture g:has(> title)").first.click()
    assert "Musician: the round is put on hold" in page.inner_text("#told")
    page.locator("#picture svg").click(position={"x": 3, "y": 3})
    assert page.inner_text("#told") == "", "there is nothing to be said of the table's edge"
    waiting = opened(running.open(), 1)
    tap(waiting, '#picture [data-spot="hand 7"]')
    assert "7 Prince: wins against all but" in waiting.inner_text("#told")
    assert "It is not your turn." in waiting.inner_text("#told")


def test_what_could_be_chosen_in_its_place_is_said(opened, running):
    room = running.open("rattus", ["me", "greedy"], players=2)
    page = opened(room, 0)
    until(page, "() => element('asked').textContent !== ''")  # the page has told what it had to tell
    tap(page, '#picture [data-spot="card 0"]')
    assert page.inner_text("#told").endswith("That cannot be chosen now. Where do you put two cubes?")
    spots = {"Move the plague to Italia": 5, "Move the plague to Gallia": 1, "Move 1 cube out of Italia (Merchant)": 5}
    choices = [{"words": words, "spot": f"region {number}"} for words, number in spots.items()]
    choices.append({"words": "Take the King", "spot": "card 5"})
    page.evaluate("choices => { shown.choices = choices; }", choices)
    page.dispatch_event('#picture [data-spot="region 2"]', "click")
    others = "Move the plague to Italia or Gallia; Move 1 cube out of Italia (Merchant)."
    assert page.inner_text("#told").endswith(f"That cannot be chosen now. You can choose: {others}")


def test_where_people_play_a_page_says_why_nothing_is_taken_back(opened, running):
    page = opened(running.open(), 0)
    why = "Other people play, too: nothing can be taken back."
    button = page.locator("#undo")
    assert button.is_visible() and button.get_attribute("aria-disabled") == "true"
    assert button.get_attribute("title") == why == page.text_content("#why-no-undo")
    until(page, "() => element('asked').textContent !== ''")
    page.dispatch_event("#undo", "click")
    assert page.inner_text("#told") == why and page.inner_text("#problem") == ""
    alone = opened(running.open(names=["me", "random"]), 0)
    assert alone.is_hidden("#undo"), "there is nothing to take back yet"
    changed_by(alone, lambda: tap(alone, '#picture [data-spot="hand 6"]'))
    until(alone, "() => !element('undo').hidden")
    assert alone.get_attribute("#undo", "aria-disabled") is None


def test_whose_page_the_server_opens_is_led_to_the_game_before(opened, running):
    before, room = running.open(), running.open()
    room.host, room.earlier = 0, before.tokens[0]
    host, other = opened(room, 0), opened(room, 1)
    assert other.is_hidden("#earlier") and other.evaluate("shown.earlier") is None
    changed_by(host, lambda: tap(host, '#picture [data-spot="hand 6"]'))
    assert host.is_hidden("#earlier"), "nobody is led away from a game that goes on"
    again = opened(running.open(), 0)
    assert again.is_hidden("#earlier")
    room = running.open()
    room.host, room.earlier = 0, before.tokens[0]
    host = opened(room, 0)
    assert "You have an unfinished game: go on with it." in host.inner_text("#earlier")
    tap(host, "#earlier-link")
    until(host, "token => typeof shown === 'object' && shown !== null && seat.endsWith(token)", before.tokens[0])


def test_the_host_is_shown_the_link_of_a_seat_until_it_is_opened(opened, running):
    room = running.open()
    link = f"{running.base}/seat/{room.tokens[1]}"
    room.host, room.links = 0, {room.tokens[1]: link}
    host = opened(room, 0)
    until(host, "() => !element('invite').hidden")
    assert host.input_value("#invitations input") == link and "Only this computer" in host.inner_text("#invite")
    host.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: (text) => { window.kept = text; }}})"
    )
    host.click("#invitations button")
    until(
        host,
        "link => window.kept === link && document.querySelector('#invitations button').textContent === 'Copied'",
        link,
    )
    view = host.evaluate("shown.view")
    other = opened(room, 1)
    until(host, "() => element('invite').hidden")
    assert room.tokens[1] not in host.content() and other.is_hidden("#invite") and opened.wrong == []
    assert host.evaluate("shown.view") == view, "what the host has begun to choose still counts"


def test_two_people_play_each_on_its_own_page(opened, running):
    room = running.open()
    first, second = opened(room, 0), opened(room, 1)
    changed_by(first, lambda: tap(first, '#picture [data-spot="hand 6"]'))
    assert "You choose General." in first.inner_text("#log")
    assert "General" not in second.inner_text("#log")
    wait_for_turn(second)
    changed_by(second, lambda: tap(second, '#picture [data-spot="hand 3"]'))
    until(first, "() => shown.log.length > 2")
    assert "Applewood plays Assassin" in first.inner_text("#log")
    assert opened.wrong == []


def test_a_reload_in_mid_game_loses_nothing(opened, running):
    page = opened(running.open(names=["me", "greedy"]), 0)
    changed_by(page, lambda: tap(page, '#picture [data-spot="hand 4"]'))
    wait_for_turn(page)
    before = page.inner_text("#log"), page.evaluate("shown.picture")
    page.reload()
    until(page, "() => shown !== null")
    wait_for_turn(page)
    assert (page.inner_text("#log"), page.evaluate("shown.picture")) == before


def test_a_choice_counts_while_the_answer_to_the_one_before_is_still_to_come(opened, running):
    page, held = opened(running.open(names=["me", "greedy"]), 0), []
    page.route("**/act", lambda route: held.append((route, route.fetch())))
    for acted in (1, 2):
        wait_for_turn(page)
        tap(page, "#choices li:first-child button")
        until(page, "acted => shown.acted === acted", acted)
    for route, answer in held:
        route.fulfill(response=answer)
    assert len(held) == 2 and opened.wrong == []


def test_undo_and_hint_on_the_page(opened, running):
    page = opened(running.open(names=["me", "greedy"]), 0)
    changed_by(page, lambda: tap(page, '#picture [data-spot="hand 4"]'))
    wait_for_turn(page)
    changed_by(page, lambda: tap(page, "#undo"))
    assert page.evaluate("shown.acted") == 0 and page.locator("#choices button").count() == 8
    tap(page, "#ask")
    page.wait_for_selector("#hint table", timeout=120_000)
    assert "By equilibrium" in page.inner_text("#hint") and "%" in page.inner_text("#hint")
    assert page.locator("#hint th[scope=col]").all_inner_texts() == ["choice", "how often"]


def test_by_keyboard_alone(opened, running):
    page = opened(running.open(names=["me", "greedy"]), 0)
    changed_by(page, lambda: [page.keyboard.press(key) for key in ("5", "Enter")])
    wait_for_turn(page)
    assert "You play Wizard" in page.inner_text("#log")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.spot"):
            break
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Play ")
    changed_by(page, lambda: page.keyboard.press("Enter"))
    assert page.evaluate("shown.acted") == 2


@pytest.mark.parametrize("width", [390, 1280, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window(opened, running, width, scheme):
    page = opened(running.open("rattus", ["me", "greedy"], players=2), 0, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    wait_for_turn(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(29, 27, 24)"
    assert dark == (scheme == "dark")
    assert all(page.evaluate("[...document.querySelectorAll('#picture [tabindex]')].map(p => p.ariaLabel)"))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("width", [960, 1260])
def test_in_half_a_screen_the_drawing_fits_and_can_be_read(opened, running, game, width):
    """Two windows side by side on a screen of 1920; and the narrowest with two columns."""
    names, config = GAMES[game]
    page = opened(running.open(game, names, **config), 0)
    page.set_viewport_size({"width": width, "height": 900})
    wait_for_turn(page)
    hidden = "(place => place.scrollWidth - place.clientWidth)(document.querySelector('#picture'))"
    assert page.evaluate(hidden) == 0
    part = "(drawing => drawing.clientWidth / parseFloat(drawing.style.getPropertyValue('--width')))"
    assert 0.8 <= page.evaluate(f"{part}(document.querySelector('#picture svg'))") < 2


def test_an_error_in_place_of_events_is_told_and_tried_again(browser, running):
    room = running.open()
    context = browser.new_context()
    page = context.new_page()
    page.route("**/events", lambda route: route.fulfill(status=429, json={"error": "This seat is open elsewhere."}))
    page.goto(f"{running.base}/seat/{room.tokens[0]}")
    said = "text => document.getElementById('problem').textContent.startsWith(text)"
    until(page, said, "This seat is open elsewhere.")
    page.unroute("**/events")
    page.route("**/events", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    until(page, said, "The server cannot be reached (error 502).")
    page.unroute("**/events")
    until(page, "() => shown !== null")
    assert page.inner_text("#problem") == "" and page.locator("#choices button").count() == 8
    context.close()


def test_a_hint_and_rules_that_do_not_come_say_so(opened, running):
    page = opened(running.open(), 0)
    silent = "The server does not answer: try again."
    page.route("**/hint", lambda route: route.abort())
    page.route("**/rules", lambda route: route.abort())
    tap(page, "#ask")
    until(page, "text => document.getElementById('hint').textContent === text", silent)
    page.click("#rules summary")
    until(page, "text => document.getElementById('rules-text').textContent === text", silent)
    page.click("#rules summary")
    page.unroute("**/rules")
    page.route("**/rules", lambda route: route.fulfill(status=404, json={"error": "This link opens no game."}))
    page.click("#rules summary")
    until(page, "text => document.getElementById('rules-text').textContent === text", "This link opens no game.")
    page.unroute("**/rules")
    page.click("#rules summary")
    page.click("#rules summary")
    until(page, "() => document.querySelectorAll('#rules-text h4').length > 2")
    assert "**" not in page.inner_text("#rules-text") and "rat-envs play" not in page.inner_text("#rules-text")


def test_the_page_shows_that_an_agent_thinks(opened, running):
    class Slow(Agent):
        name = "slow"
        may_act = threading.Event()

        def act_batch(self, views):
            assert self.may_act.wait(60)
            return views.masks.argmax(axis=1)

    room = running.open(names=["me", "random"])
    room.session.table.agents[1] = Slow()
    page = opened(room, 0)
    changed_by(page, lambda: tap(page, '#picture [data-spot="hand 6"]'))
    assert page.inner_text("#question") == "The agent is thinking …" and "You choose General." in page.inner_text(
        "#log"
    )
    other = opened(room, 0)
    assert other.inner_text("#question") == "The agent is thinking …"
    Slow.may_act.set()
    wait_for_turn(page)
    wait_for_turn(other)
    assert opened.wrong == []


def test_a_number_that_is_typed_is_played_whatever_has_the_focus(opened, running):
    room = running.open(names=["me", "random"])
    page = opened(room, 0)
    for focused, key, action in (
        ('#picture [data-spot="hand 6"]', "3", "play assassin"),
        ("#choices li:last-child button", "2", "play spy"),
    ):
        wait_for_turn(page)
        page.locator(focused).focus()
        page.keyboard.press(key)
        assert page.inner_text("#told") == f"Choice {key}: press Enter."
        changed_by(page, lambda: page.keyboard.press("Enter"))
        assert action in [step.event.notation for step in room.session.steps if step.event.actor == 0]


def test_a_digit_does_not_stay_when_the_table_changes(opened, running):
    page = opened(running.open(names=["me", "random"]), 0)
    page.keyboard.press("1")
    changed_by(page, lambda: tap(page, "#choices li:last-child button"))
    wait_for_turn(page)
    page.keyboard.press("2")
    assert page.inner_text("#told") == "Choice 2: press Enter."
    page.keyboard.press("Tab")
    assert "press Enter" not in page.inner_text("#told"), "it would play something else now"


def test_a_new_game_takes_nobody_away_from_the_end_of_the_last(opened, running):
    room = running.open()
    pages = [opened(room, seat) for seat in range(3)]
    for page, card in ((pages[0], 1), (pages[1], 7)):
        wait_for_turn(page)
        changed_by(page, lambda page=page, card=card: tap(page, f'#picture [data-spot="hand {card}"]'))
    old = pages[0].url
    tap(pages[1], "#again")
    until(pages[1], "() => shown !== null && !shown.is_over")
    for page, said in ((pages[0], "join it"), (pages[2], "watch it")):
        until(page, "() => shown.next !== null")
        assert page.inner_text("#next") == f"A new game has begun: {said}."
        assert page.inner_text("#question").startswith("The game is over.")
        assert page.is_visible("#record") and not page.is_visible("#again")
    tap(pages[0], "#next-link")
    until(pages[0], "() => shown !== null && !shown.is_over")
    pages[0].goto(old)
    until(pages[0], "() => shown !== null && shown.is_over")
    assert pages[0].url == old and opened.wrong == []


#: Note what is announced from now on: of what has happened, and as the question.
HEAR = """() => {
  window.heard = [];
  for (const place of [element("told"), element("asked")]) {
    const hear = () => place.textContent && heard.push([place.id, place.textContent]);
    new MutationObserver(hear).observe(place, {childList: true});
  }
}"""
#: A machine that is busy may take its time between two pages.
SLOW_CLOCK = "const wait = setTimeout; window.setTimeout = (work, time) => wait(work, time * 10);"


def test_what_agents_do_is_told_in_one_piece_and_then_the_question(opened, running):
    """In Comme des Rats each of the agents' moves is a page of its own; they come in a tenth of a second."""
    page = opened(running.open("comme_des_rats", ["me", *["random"] * 4], players=5), 0)
    wait_for_turn(page)
    until(page, "() => element('asked').textContent !== ''", seconds=20)
    page.evaluate(SLOW_CLOCK)
    page.evaluate(HEAR)
    lengths = []
    for _ in range(3):
        known = page.evaluate("heard.length = 0, shown.log.length")
        changed_by(page, lambda: page.evaluate("document.querySelector('#choices button').click()"))
        wait_for_turn(page)
        until(page, "() => heard.some(([place]) => place === 'asked')", seconds=20)
        log, question = page.evaluate("[shown.log, shown.question]")
        news = " ".join(log[known:])
        assert page.evaluate("heard") == [*([["told", news]] if news else []), ["asked", question]]
        lengths.append(len(log) - known)
    assert max(lengths) > 5


def test_what_is_new_since_a_seat_has_acted_is_marked_for_as_long_as_it_has_not(opened, running):
    room = running.open("comme_des_rats", ["me", *["random"] * 4], players=5)
    page = opened(room, 0)
    for _ in range(3):
        wait_for_turn(page)
        changed_by(page, lambda: page.evaluate("document.querySelector('#choices button').click()"))
    wait_for_turn(page)
    page.reload()
    until(page, "() => shown !== null")
    marked = page.locator("#log li.new").all_inner_texts()[::-1]
    acted = max(number for number, step in enumerate(room.session.steps) if step.event.actor == 0)
    assert marked == [sentence for step in room.session.steps[acted + 1 :] for sentence in step.told(0)] != []
    width = "one => getComputedStyle(one).borderLeftWidth"
    assert page.locator("#log li.new").first.evaluate(width) == "4px", "not by its colour alone"
    assert page.locator("#log li:not(.new)").first.evaluate(width) == "0px"


def test_the_keyboard_goes_on_at_the_next_question(opened, running):
    """What had the focus is gone: the question has it. Else the question is told, and never twice."""
    room = running.open()
    page = opened(room, 0)
    until(page, "() => element('asked').textContent !== ''", seconds=20)
    page.evaluate(HEAR)
    page.locator("#choices li:first-child button").focus()
    changed_by(page, lambda: page.keyboard.press("Enter"))
    assert page.inner_text("#question") == "Please wait for player_1."
    page.wait_for_timeout(500)
    assert page.evaluate("[document.activeElement.id, heard]") == ["question", [["told", "You choose Musician."]]]
    assert page.text_content("#asked") == "", "the question before is not to be read beside the new one"
    other = room.tokens[1]
    post(running.base, other, "act", {"view": page_of(running.base, other)["view"], "action": "play spy"})
    wait_for_turn(page)
    until(page, "() => heard.length > 2", seconds=20)
    assert page.evaluate("document.activeElement.id") == "question"
    assert page.evaluate("heard")[2:] == [["asked", page.inner_text("#question")]]


HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", {value: isHidden, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_many_tabs_leave_connections_for_moves_and_are_current_when_they_are_looked_at(browser, running):
    """A browser has six connections to a server."""
    room, context, pages = running.open(names=["me", "random"]), browser.new_context(), []
    for _ in range(7):
        if pages:
            pages[-1].evaluate(HIDE, True)
        page = context.new_page()
        page.goto(f"{running.base}/seat/{room.tokens[0]}", timeout=20_000)
        until(page, "() => shown !== null", seconds=20)
        pages.append(page)
    until(pages[0], "() => events === null", seconds=20)
    assert pages[0].title() == "⏸ BraveRats"
    page.wait_for_timeout(500)
    assert [page.evaluate("events !== null") for page in pages] == [False] * 3 + [True] * 4, "these show a mark"
    changed_by(page, lambda: page.keyboard.press("5") or page.keyboard.press("Enter"))
    wait_for_turn(page)
    until(pages[5], "view => shown.view === view", page.evaluate("shown.view"), seconds=20)
    assert pages[5].title() == "● BraveRats" and pages[0].evaluate("shown.acted") == 0
    pages[0].evaluate(HIDE, False)
    until(pages[0], "view => shown.view === view", page.evaluate("shown.view"), seconds=20)
    context.close()


def test_a_server_that_is_silent_for_long_is_told_of(opened, running):
    page = opened(running.open(), 0)
    page.route("**/act", lambda route: None)
    page.evaluate("const wait = setTimeout; window.setTimeout = (work, time) => wait(work, time / 100)")
    tap(page, "#choices li:first-child button")
    until(page, "() => element('problem').textContent.includes('close other tabs of the table')", seconds=20)
    page.unroute("**/act")
    changed_by(page, lambda: tap(page, "#choices li:first-child button"))


@pytest.fixture
def network(running):
    between = Network(running.base)
    yield between
    between.stop()


@pytest.fixture
def far_page(browser, running, network):
    """A seat's page beyond a network that can die; opened by a function, with a script that runs before its own."""
    contexts = []

    def open_page(before=""):
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        page.add_init_script(before)
        page.goto(f"{network.base}/seat/{running.open(names=['me', 'random']).tokens[0]}")
        until(page, "() => shown !== null")
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_who_answers_a_page_whose_connection_is_dead_is_shown_the_table_and_told_why(far_page, network):
    page = far_page()
    network.die()
    tap(page, "#choices li:first-child button")
    page.wait_for_timeout(500)
    assert page.evaluate("shown.acted") == 0, "nothing has been heard"
    tap(page, "#choices li:first-child button")
    until(page, "() => shown.acted === 1", seconds=20)
    assert page.inner_text("#problem").startswith("The table has changed since you chose")
    wait_for_turn(page)
    changed_by(page, lambda: tap(page, "#choices li:first-child button"))
    assert page.inner_text("#problem") == ""


@pytest.mark.parametrize("event", ["window.dispatchEvent(new Event('online'))", "(HIDE)(true), (HIDE)(false)"])
def test_a_page_whose_connection_is_dead_listens_anew(far_page, network, event):
    """When the network is back, and when somebody looks at it again."""
    page = far_page()
    network.die()
    tap(page, "#choices li:first-child button")
    page.wait_for_timeout(500)
    assert page.evaluate("shown.acted") == 0, "nothing has been heard"
    page.evaluate(event.replace("HIDE", HIDE))
    until(page, "() => shown.acted === 1", seconds=20)


#: Twenty times as fast.
FAST_CLOCK = "const wait = setTimeout; window.setTimeout = (work, time) => wait(work, time / 20);"


def test_a_page_that_hears_nothing_for_long_listens_anew(far_page, network):
    page = far_page(FAST_CLOCK)
    network.die()
    tap(page, "#choices li:first-child button")
    until(page, "() => shown.acted === 1", seconds=20)


def test_signs_of_life_are_heard(far_page, monkeypatch):
    monkeypatch.setattr("rat_envs.play.browser.app.SIGN_OF_LIFE", 0.1)
    page, asked = far_page(FAST_CLOCK), []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(3000)
    assert asked == [], "the connection is alive"


def test_a_page_waits_for_more_than_two_signs_of_life(far_page):
    assert far_page().evaluate("SECONDS_OF_SILENCE") > 2 * SIGN_OF_LIFE


def test_a_tab_that_rested_shows_whose_turn_it_is_when_it_is_looked_at(opened, running):
    page = opened(running.open(), 0)
    page.evaluate(HIDE, True)
    page.evaluate("rest()")
    assert page.title() == "⏸ BraveRats"
    page.evaluate(HIDE, False)
    until(page, "() => document.title === '● BraveRats'", seconds=20)


def test_a_hint_for_a_page_that_is_out_of_date_has_it_listen_anew(far_page, network):
    page = far_page()
    network.die()
    page.click("#choices li:first-child button")
    page.wait_for_timeout(500)
    page.route("**/hint", lambda route: route.fulfill(status=409, json={"error": "It is not your turn."}))
    page.click("#ask")
    until(page, "() => shown.acted === 1", seconds=20)


def test_a_menu_stays_open_when_the_page_listens_anew(opened, running):
    page = opened(running.open("rattus", ["me", "greedy"], players=2), 0)
    wait_for_turn(page)
    page.evaluate("openMenu(shown.choices)")
    with page.expect_response("**/events"):
        page.evaluate("listen()")
    page.wait_for_timeout(300)
    assert page.is_visible("#menu")


def middle_of(place):
    """Where a finger goes."""
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("place", ["#choices li:nth-child(2) button", '#picture [data-spot="hand 3"]'])
def test_a_double_tap_is_one_move(opened, running, place):
    page = opened(running.open(names=["me", "random"]), 0)
    finger = middle_of(page.locator(place))
    tap(page, place, stop_clock=True)
    until(page, "() => shown.acted === 1 && shown.choices.length > 0")
    page.mouse.click(*finger)
    page.wait_for_timeout(700)
    assert page.evaluate("shown.acted") == 1
    tap(page, "#choices li:nth-child(2) button")
    until(page, "() => shown.acted === 2 && shown.choices.length > 0")
    finger = middle_of(page.locator("#undo"))
    tap(page, "#undo", stop_clock=True)
    until(page, "() => shown.acted === 1")
    page.mouse.click(*finger)
    page.wait_for_timeout(700)
    assert page.evaluate("shown.acted") == 1, "two moves were taken back"


def test_keys_count_at_once(opened, running):
    room = running.open(names=["me", "random"])
    page = opened(room, 0)
    for acted in (1, 2, 3):
        until(page, "() => shown.choices.length > 0")
        page.locator("#choices li:first-child button").focus()
        page.keyboard.press("Enter")
        until(page, "acted => shown.acted === acted", acted)


@pytest.fixture
def menu(opened, running):
    """A page with an open menu, in Rattus, where a region has two choices once somebody has a Peasant."""
    page = opened(running.open("rattus", ["me", "greedy"], players=2), 0)
    for acted in range(1, 4):
        wait_for_turn(page)
        page.evaluate("document.querySelector('#choices button').click()")
        until(page, "acted => shown.acted === acted", acted)
    wait_for_turn(page)
    tap(page, '#picture [data-spot="region 1"]', stop_clock=True)
    assert page.is_visible("#menu") and page.locator("#menu-choices button").count() == 2
    return page


def test_a_double_tap_on_a_place_opens_its_menu_and_plays_nothing(menu):
    menu.mouse.click(*middle_of(menu.locator("#menu-choices li:first-child button")))
    menu.wait_for_timeout(300)
    assert menu.is_visible("#menu") and menu.evaluate("shown.acted") == 3
    changed_by(menu, lambda: tap(menu, "#menu-choices li:first-child button"))
    assert not menu.is_visible("#menu") and menu.evaluate("shown.acted") == 4


def test_in_a_menu_only_its_own_choices_can_be_typed(menu):
    listed = menu.evaluate("inMenu.map(choice => choice.key)")
    other = menu.evaluate("listed => shown.choices.find(one => !listed.includes(one.key)).key", listed)
    menu.keyboard.type(other)
    assert menu.inner_text("#menu-told") == f"Choice {other}: press Enter.", "what is behind the menu is not read"
    menu.keyboard.press("Enter")
    assert menu.inner_text("#menu-told") == f"Choice {other} is not one of these."
    menu.wait_for_timeout(300)
    assert menu.is_visible("#menu") and menu.evaluate("shown.acted") == 3 and menu.inner_text("#problem") == ""
    menu.keyboard.type(listed[1])
    changed_by(menu, lambda: menu.keyboard.press("Enter"))
    assert not menu.is_visible("#menu") and menu.evaluate("shown.acted") == 4


def test_a_number_is_forgotten_and_a_double_tap_plays_nothing_when_a_menu_is_closed(menu):
    menu.keyboard.press("1")
    tap(menu, "#menu-close", stop_clock=True)
    menu.mouse.click(*middle_of(menu.locator("#choices li:first-child button")))
    menu.wait_for_timeout(300)
    assert not menu.is_visible("#menu") and menu.evaluate("[shown.acted, typed]") == [3, ""]


def test_who_watches_can_pause(opened, running):
    running.house.pause = 0.3
    page = opened(running.open(names=["random", "random"]), 2)
    assert page.inner_text("#question") == "You are watching."
    page.evaluate(HEAR)
    until(page, "() => shown.log.length > 1", seconds=20)
    page.click("#pause")
    page.wait_for_timeout(400)  # what has come before is told
    before = page.evaluate("heard.length = 0, shown.log")
    until(page, "before => held !== null && held.log.length > before.length + 1", before, seconds=20)
    assert page.evaluate("shown.log") == before and page.evaluate("heard") == []
    assert page.inner_text("#pause") == "Go on"
    page.click("#pause")
    assert page.inner_text("#pause") == "Pause"
    log, known = page.evaluate("shown.log"), len(before)
    assert log[:known] == before and len(log) > known + 1
    until(page, "() => shown.is_over")
    assert not page.is_visible("#pause"), "nothing will come any more"


def test_where_pages_never_stop_something_is_told_all_the_same(opened, running):
    running.house.pause = 0.1
    page = opened(running.open("comme_des_rats", names=["random"] * 5, players=5), 5)
    page.evaluate(HEAR)
    until(page, "() => heard.filter(([place]) => place === 'told').length > 1", seconds=20)
    assert not is_over(page)


def test_a_number_that_is_typed_before_the_news_is_announced_until_it_is_forgotten(opened, running):
    page = opened(running.open(names=["me", "random"]), 0)
    changed_by(page, lambda: page.evaluate("document.querySelector('#choices button').click()"))
    wait_for_turn(page)
    page.keyboard.press("2")
    page.wait_for_timeout(600)
    assert page.inner_text("#told") == "Choice 2: press Enter."
    page.keyboard.press("Escape")
    news = "() => element('told').textContent !== '' && shown.log.join(' ').endsWith(element('told').textContent)"
    until(page, news, seconds=20)


def test_who_plays_cannot_pause(opened, running):
    assert not opened(running.open(names=["me", "random"]), 0).is_visible("#pause")


def test_where_no_script_runs_the_page_says_that_it_needs_them(browser, running):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{running.base}/seat/{running.open().tokens[0]}")
    assert "The table needs JavaScript" in page.inner_text("body")
    assert "Connecting" not in page.inner_text("body")
    context.close()


def luminance(pixels):
    """As WCAG defines it."""
    parts = pixels / 255
    return np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", ["brave_rats", "rattus"])
def test_the_ring_around_the_place_with_the_focus_is_seen_on_what_lies_there(opened, running, game, scheme):
    """Three to one (WCAG 1.4.11) nearly all around: some places lie at the edge, or partly below others."""
    image = pytest.importorskip("PIL.Image")
    names, config = GAMES[game]
    page = opened(running.open(game, names, **config), 0, color_scheme=scheme)
    page.set_viewport_size({"width": 1280, "height": 1500})
    wait_for_turn(page)
    seen = np.array(image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(float)
    places = page.locator("#picture [tabindex]")
    assert places.count() > 3
    page.keyboard.press("Tab")  # from now on a focus is shown
    for number in range(places.count()):
        place = places.nth(number)
        place.focus()
        assert place.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
        colour = place.evaluate("one => getComputedStyle(one).outlineColor")  # as rgb(1, 2, 3)
        ring = luminance(np.array([float(part) for part in colour[4:-1].split(",")]))
        box = place.bounding_box()
        left, top = round(box["x"]) - 3, round(box["y"]) - 3
        right, bottom = left + round(box["width"]) + 6, top + round(box["height"]) + 6
        sides = seen[top, left:right], seen[bottom, left:right], seen[top:bottom, left], seen[top:bottom, right]
        ground = luminance(np.concatenate(sides))
        contrast = (np.maximum(ground, ring) + 0.05) / (np.minimum(ground, ring) + 0.05)
        assert (contrast >= 3).mean() > 0.9, place.get_attribute("data-spot")


@pytest.mark.parametrize("width", [320, 1280])
def test_words_have_the_size_that_a_browser_is_told_to_give_them(browser_with_large_words, running, width):
    context = browser_with_large_words.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{running.base}/seat/{running.open('rattus', ['me', 'greedy'], players=2).tokens[0]}")
    until(page, "() => shown !== null && shown.choices.length > 0")
    for place in ("body", "#choices button", "#menu-title"):
        assert page.evaluate("place => getComputedStyle(document.querySelector(place)).fontSize", place) == "32px"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
