"""A server of the browser's table for tests."""

from __future__ import annotations

import socket
import threading

import uvicorn

from rat_envs.engine.registry import get_game
from rat_envs.play.browser.app import make_app
from rat_envs.play.browser.rooms import House


class Running:
    """A server in a thread of its own."""

    def __init__(self, folder):
        self.house = House(folder)
        listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(make_app(self.house, ["127.0.0.1"]), log_level="error", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()

    def open(self, game="brave_rats", names=("me", "me"), **config):
        chosen = get_game(game)
        return self.house.open(chosen, chosen.configuration.make(config), list(names), 5)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
