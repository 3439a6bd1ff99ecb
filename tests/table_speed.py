"""How long it takes from a click on the table in the browser to the new picture, on this computer.

    python tests/table_speed.py --game rattus --moves 40

Chromium plays against ``greedy``. The time is taken inside the page: from the click until the next frame after the page
has changed has been painted. Printed as JSON, with the bytes that the page's first load takes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent / "common"))

from playing import Running

GAMES = {
    "brave_rats": ["me", "greedy"],
    "comme_des_rats": ["me", "greedy", "greedy"],
    "rattus": ["me", "greedy"],
    "rattus_cartus": ["me", "greedy"],
}
#: Click, and answer how many milliseconds it took until the new picture was there.
CLICK = """async () => {
  const places = [...document.querySelectorAll("#picture [data-spot].open[tabindex]")];
  const choices = [...document.querySelectorAll("#choices button")];
  const view = shown.view;
  const frame = () => new Promise(requestAnimationFrame);
  const start = performance.now();
  (choices[Math.floor(Math.random() * choices.length)]).click();
  while (shown.view === view) await new Promise((done) => setTimeout(done, 0));
  await frame();
  await new Promise((done) => setTimeout(done, 0));
  return performance.now() - start;
}"""
WAITING = "() => shown !== null && shown.choices.length === 0 && !shown.is_over"


def measure(game, moves, executable):
    """Milliseconds from click to picture of so many moves, and the bytes of the first load."""
    taken, loaded = [], []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        running = Running(Path(folder))
        browser = playwright.chromium.launch(executable_path=executable)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        names = GAMES[game]
        config = {} if game == "brave_rats" else {"players": len(names)}
        while len(taken) < moves:
            room = running.open(game, names, **config)
            page.goto(f"{running.base}/seat/{room.tokens[0]}")
            while page.evaluate("() => shown === null"):
                page.wait_for_timeout(20)
            entries = "performance.getEntries().reduce((sum, each) => sum + (each.transferSize || 0), 0)"
            loaded.append(page.evaluate(entries) + len(page.evaluate("JSON.stringify(shown)")))
            while len(taken) < moves:
                while page.evaluate(WAITING):
                    page.wait_for_timeout(5)
                if page.evaluate("shown.is_over"):
                    break
                taken.append(page.evaluate(CLICK))
        browser.close()
        running.stop()
    return taken, max(loaded)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=GAMES, default="brave_rats")
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    wanted = parser.parse_args()
    taken, loaded = measure(wanted.game, wanted.moves, wanted.chromium)
    percentiles = {f"ms, {q}th percentile": round(float(np.percentile(taken, q)), 1) for q in (10, 50, 90)}
    print(json.dumps({"game": wanted.game, "moves": len(taken), **percentiles, "bytes of the first load": loaded}))


if __name__ == "__main__":
    main()
