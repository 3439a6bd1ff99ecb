"""A server of the browser's table for tests."""

from __future__ import annotations

import json
import threading

import httpx

from rat_envs.engine.registry import get_game
from rat_envs.play.browser.addresses import LOOPBACK, Names, in_link, listen
from rat_envs.play.browser.app import make_server
from rat_envs.play.browser.rooms import House


class Running:
    """A server in a thread of its own."""

    def __init__(self, folder, host=LOOPBACK, public=None):
        self.house = House(folder)
        listener = listen(host, 0)
        self.base = f"http://{in_link(host)}:{listener.getsockname()[1]}"
        self.server = make_server(self.house, Names(host, public))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()

    def open(self, game="brave_rats", names=("me", "me"), **config):
        chosen = get_game(game)
        return self.house.open(chosen, chosen.configuration.make(config), list(names), 5)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()


def page_of(base, token, is_asked=False):
    """What a seat is sent first, or first when it is to act."""
    with httpx.stream("GET", f"{base}/seat/{token}/events", timeout=60) as answer:
        assert answer.status_code == 200
        for line in answer.iter_lines():
            if line.startswith("data: ") and (not is_asked or json.loads(line[6:])["choices"]):
                return json.loads(line[6:])
    raise AssertionError("nothing was sent")


def post(base, token, what, message, **headers):
    return httpx.post(f"{base}/seat/{token}/{what}", json=message, headers=headers, timeout=60)
