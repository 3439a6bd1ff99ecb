"""A server on loopback with the chat interface of OpenAI, which answers as a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
#: What the server does with a request: given the request's JSON and itself, it answers through the handler.
Behaviour = Callable[["Handler", dict[str, Any]], None]


@dataclass
class Told:
    """All requests so far: their JSON and their headers."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    behaviour: Behaviour
    told: Told
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.streams = bool(request.get("stream"))
        self.told.requests.append({"path": self.path, **request})
        self.told.headers.append({name.lower(): value for name, value in self.headers.items()})
        type(self).behaviour(self, request)

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def say(self, text: Any, finish: str = "stop") -> None:
        """An answer of a model."""
        message = {"role": "assistant", "content": text}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "usage": USAGE}
        if not self.streams:
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self.send(200, json.dumps({**answer, "choices": [choice]}).encode())
            return
        answer["object"] = "chat.completion.chunk"
        choices = [
            {"index": 0, "delta": message, "finish_reason": None},
            {"index": 0, "delta": {}, "finish_reason": finish},
        ]
        parts = [json.dumps({**answer, "choices": [choice]}) for choice in choices]
        body = "".join(f"data: {part}\n\n" for part in [*parts, "[DONE]"]).encode()
        self.send(200, body, content_type="text/event-stream")

    def log_message(self, *arguments: Any) -> None:
        """Silence."""


@contextmanager
def chat_server(behaviour: Behaviour) -> Iterator[tuple[str, Told]]:
    """The address of a server that does this with every request, and what it has been told."""
    told = Told()
    kind = type("OneHandler", (Handler,), {"behaviour": staticmethod(behaviour), "told": told})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def last_choice(request: dict[str, Any]) -> str:
    """What a model answers that takes the last of its choices."""
    listed = request["messages"][1]["content"].rpartition("Your choices:\n")[2]
    key = listed.splitlines()[-1].partition(".")[0]
    return f"I like the last one.\n[{key}]"
