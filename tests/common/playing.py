"""A server of the browser's table for tests."""

from __future__ import annotations

import threading

import uvicorn

from rat_envs.engine.registry import get_game
from rat_envs.play.browser.app import make_app
from rat_envs.play.browser.rooms import House
from rat_envs.play.browser.serve import LOOPBACK, listen


class Running:
    """A server in a thread of its own."""

    def __init__(self, folder):
        self.house = House(folder)
        listener = listen(LOOPBACK, 0)
        self.base = f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        config = uvicorn.Config(make_app(self.house, [LOOPBACK]), log_level="error", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()

    def open(self, game="brave_rats", names=("me", "me"), **config):
        chosen = get_game(game)
        return self.house.open(chosen, chosen.configuration.make(config), list(names), 5)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
