"""A server of the browser's table for tests."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import socketserver
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

    def open(self, game="brave_rats", names=("me", "me"), terms=None, **config):
        chosen = get_game(game)
        return self.house.open(chosen, chosen.configuration.make(config), list(names), 5, terms)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()


class Wire(socketserver.BaseRequestHandler):
    """A connection through a :class:`Network`."""

    is_dead = is_listening = False

    def handle(self):
        self.server.wires.append(self)
        with contextlib.suppress(OSError), socket.create_connection(self.server.behind) as behind:
            while all(self.passes_on(end, behind) for end in select.select([self.request, behind], [], [])[0]):
                pass

    def passes_on(self, end, behind):
        """Pass on what has come; false at the end."""
        sent = end.recv(65536)
        if end is self.request:
            self.is_listening = b"/events HTTP" in sent
        if not self.is_dead:
            (behind if end is self.request else self.request).sendall(sent)
        return bool(sent)


class Network(socketserver.ThreadingTCPServer):
    """What lies between pages and a server. As when a phone changes its network, connections can die and nobody is
    told."""

    daemon_threads, block_on_close = True, False

    def __init__(self, base):
        super().__init__((LOOPBACK, 0), Wire)
        self.behind = (LOOPBACK, int(base.rpartition(":")[2]))
        self.base = f"http://{LOOPBACK}:{self.server_address[1]}"
        self.wires = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def die(self):
        """Let die what pages listen to, and nothing else."""
        listening = [wire for wire in self.wires if wire.is_listening and not wire.is_dead]
        assert listening
        for wire in listening:
            wire.is_dead = True

    def stop(self):
        self.shutdown()
        self.server_close()


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
