"""Connections. Clients that connect and ask for nothing, or read no answer, must not keep others out."""

from __future__ import annotations

import asyncio
import errno
import sys
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["BACKLOG", "MOST_WAITING", "Connection", "tell_once_what_is_out"]

#: The most connections that are accepted at once: asyncio reports each one that it cannot accept.
BACKLOG = 64
#: The most connections that the system keeps waiting until they are accepted.
MOST_WAITING = 1024
#: The most open connections; fewer if the system allows fewer files.
MOST_CONNECTIONS = 400
#: Seconds within which a request must come, except its body, and within which a waiting answer must be read on.
SECONDS_TO_ASK = 10.0


def _most_connections() -> int:
    """Half of the files that the process may open, not counting connections just being accepted; or fewer."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are not files
        return MOST_CONNECTIONS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if allowed == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, (allowed - BACKLOG) // 2)


class Connection(H11Protocol):
    """A connection that is closed when no request comes in time, when its answers are not read, or when there are too
    many and it has waited longest.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.begun = self.loop.time()
        self.unread_since: float | None = None
        self.loop.call_later(SECONDS_TO_ASK, self._close_if_still, None)
        self._make_room()

    def pause_writing(self) -> None:
        """Wait until the other side reads what it was sent."""
        super().pause_writing()
        self.unread_since = self.loop.time()

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self.unread_since = None

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, and stop answering on this connection."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        super().send_400_response(msg)

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _is_open(self) -> bool:
        """Whether the connection is still open, even if it will be closed once everything is sent (which may be
        never)."""
        return not self.transport.is_closing() or self.transport.get_write_buffer_size() > 0

    def _close_if_still(self, answered: Any) -> None:
        """Close if no request has come since the one that was answered, or if the answer is not being read."""
        if not self._is_open:
            return
        if self.unread_since is not None and self.loop.time() - self.unread_since >= SECONDS_TO_ASK:
            self.transport.abort()  # closing it would wait until everything is sent
            return
        if self.transport.is_closing():
            self.unread_since = self.unread_since or self.loop.time()
            self.loop.call_later(SECONDS_TO_ASK, self._close_if_still, self)
            return
        if self.is_idle and self.cycle is answered:
            self.transport.close()
            return
        self.loop.call_later(SECONDS_TO_ASK, self._close_if_still, self.cycle if self.is_idle else self)

    def _make_room(self) -> None:
        """If there are too many connections, close the oldest of those that wait for a request or for their answer to
        be read."""
        others = [one for one in self.connections if isinstance(one, Connection) and one._is_open]
        if len(others) > _most_connections():
            waiting = (one for one in others if one.is_idle or one.unread_since is not None)
            min(waiting, key=lambda one: one.begun, default=self).transport.abort()


def tell_once_what_is_out(loop: asyncio.AbstractEventLoop) -> None:
    """Let an event loop report only once, in one line, that no connection can be accepted; otherwise it would repeat
    that endlessly."""
    told = False

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal told
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif not told:
            told = True
            print(f"Warning: connections have to wait: {error.strerror}.", file=sys.stderr, flush=True)

    loop.set_exception_handler(handle)
