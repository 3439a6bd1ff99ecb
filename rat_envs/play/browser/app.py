"""The server: a few addresses below an unguessable token for each seat."""

from __future__ import annotations

import asyncio
import html
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rat_envs.engine.colours import hash_in_policy
from rat_envs.engine.errors import RatEnvsError
from rat_envs.engine.files import NotJsonError, parse_json, read_text
from rat_envs.play.browser.addresses import Names
from rat_envs.play.browser.connections import BACKLOG, MOST_WAITING, Connection, tell_once_what_is_out
from rat_envs.play.browser.rooms import House, NotKeptError, NotOpenedError, OutOfDateError, Room
from rat_envs.play.browser.shown import hint_for, record_name, rules_for
from rat_envs.play.times import are_times

__all__ = ["make_server"]

#: The most bytes of a message from a page; each of ours has fewer than a hundred.
MOST_BYTES = 4096
#: Seconds within which the whole message must arrive.
SECONDS_TO_SAY = 10.0
#: The most pages of one seat that may be open at once.
MOST_PAGES = 8
#: Seconds between signs of life to a page. A page that gets none for more than twice as long connects again
#: (``table.js``).
SIGN_OF_LIFE = 15.0
#: An event without content: pages notice it, unlike a comment.
ALIVE = "event: alive\ndata:\n\n"
#: The files of the page, by address. Nothing that a client sends is ever used as a file name.
STATIC = {
    "/table.css": ("table.css", "text/css"),
    "/table.js": ("table.js", "text/javascript"),
}
#: What a page may load; its only inline style is that of the game's drawings.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' {style}; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY.format(style=""),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: Headers that ask a proxy to pass events on at once.
EVENT_HEADERS = {**HEADERS, "X-Accel-Buffering": "no"}

ERROR_PAGE = read_text(__package__, "error.html")
#: The HTTP status of errors, if it is not 422.
STATUS: dict[type[RatEnvsError], int] = {OutOfDateError: 409, NotKeptError: 507, NotOpenedError: 503}


class RefusedError(Exception):
    """A message that is answered with an error and changes nothing."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status, self.sentence = status, sentence


def make_server(house: House, names: Names) -> uvicorn.Server:
    """The server of a house, to run with a listening socket."""
    config = uvicorn.Config(
        make_app(house, names),
        http=Connection,
        ws="none",
        backlog=BACKLOG,
        log_level="error",  # people who play need not know of connections that are not HTTP
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    return TableServer(config, house)


class TableServer(uvicorn.Server):
    """A server that ends the pages' event streams when it is stopped; otherwise it would break them off with a
    traceback."""

    def __init__(self, config: uvicorn.Config, house: House) -> None:
        super().__init__(config)
        self.house = house

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start."""
        tell_once_what_is_out(asyncio.get_running_loop())
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(MOST_WAITING)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        self.house.hang_up()
        await super().shutdown(sockets)


def make_app(house: House, names: Names) -> Starlette:
    """The application that serves the games of a house under some names."""
    server = Server(house, names)
    routes = [Route(path, _file(*what)) for path, what in STATIC.items()]
    routes += [
        Route("/seat/{token}", server.page),
        Route("/seat/{token}/events", server.events),
        Route("/seat/{token}/hint", server.hint),
        Route("/seat/{token}/record", server.record),
        Route("/seat/{token}/rules", server.rules),
        Route("/seat/{token}/act", server.act, methods=["POST"]),
        Route("/seat/{token}/undo", server.undo, methods=["POST"]),
        Route("/seat/{token}/again", server.again, methods=["POST"]),
    ]
    middleware = [
        Middleware(UnderOwnNames, names=names),
        Middleware(GZipMiddleware, minimum_size=1000),
    ]
    errors: dict[Any, Any] = {RefusedError: _refuse, RatEnvsError: _refuse_by_rule, 404: _not_found}
    errors[ClientDisconnect] = _gone
    return Starlette(routes=routes, middleware=middleware, exception_handlers=errors)


class UnderOwnNames:
    """Passes on only requests under one of the server's names; otherwise pages of other sites could make requests here.

    Starlette's own TrustedHostMiddleware does not support IPv6 in some of the versions that we allow.
    """

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] == "http":
            request = Request(scope)
            if not self.names.has(request.headers.get("host", "")):
                sentence = "The server does not answer under this name: open a link as it was printed at the start."
                await _error(request, 400, sentence)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class Server:
    """The answers to all requests."""

    def __init__(self, house: House, names: Names) -> None:
        self.house, self.names = house, names
        self._pages: dict[str, int] = {}
        self._hinting: set[str] = set()

    async def page(self, request: Request) -> Response:
        """The page of a seat. It is the same for all, because its contents come by :meth:`events`."""
        room, _ = await self._room(request)
        policy = {"Content-Security-Policy": POLICY.format(style=hash_in_policy(room.style))}
        return _file("page.html", "text/html", policy)(request)

    async def events(self, request: Request) -> Response:
        """The seat's view as server-sent events, at once and whenever it changes."""
        room, token = await self._room(request)
        if self._pages.get(token, 0) >= MOST_PAGES:
            raise RefusedError(429, f"This seat is open on {MOST_PAGES} pages already: close one.")
        room.opened(token)
        room.move_on()
        return EventStream(self._stream(room, token), self._pages, token)

    async def act(self, request: Request) -> Response:
        """``{"view": the page that is answered, "action": in notation}``, and perhaps ``"milliseconds"`` between the
        question and the choice, as the page has measured it."""
        room, token = await self._room(request)
        message = await self._message(request, "view", "action")
        room.act(token, message["view"], message["action"], _milliseconds(message))
        return _answer({})

    async def undo(self, request: Request) -> Response:
        """``{"view": the page that is answered}``."""
        room, token = await self._room(request)
        message = await self._message(request, "view")
        room.undo(token, message["view"])
        return _answer({})

    async def again(self, request: Request) -> Response:
        """``{}``: begin a new game for the same people, when this one is over; the answer has the token that opens
        it."""
        room, token = await self._room(request)
        await self._message(request)
        if not room.seen.is_over:
            raise RefusedError(409, "The game is not over: play it to its end, or close the page.")
        if room.seat_of(token) is None:
            raise RefusedError(403, "A spectator begins no game.")
        await self.house.again(room)
        return _answer({"next": room.next_for(token)})

    async def hint(self, request: Request) -> Response:
        """A hint: what an agent would do in this seat's place."""
        room, token = await self._room(request)
        if room.seen.asked is None or room.seen.asked != room.seat_of(token):
            raise RefusedError(409, "It is not your turn: there is nothing to give a hint for.")
        if not room.session.terms.hints:
            raise RefusedError(403, "In this game no hints are given.")
        if token in self._hinting:
            raise RefusedError(429, "A hint is being worked out already.")
        self._hinting.add(token)
        steps = len(room.seen.steps)
        try:
            found = await self.house.done(hint_for, room.seen.position.copy())
            room.note_hint(token, steps)
            return _answer(found)
        finally:
            self._hinting.discard(token)

    async def rules(self, request: Request) -> Response:
        """How to play, as a part of a page."""
        room, _ = await self._room(request)
        return HTMLResponse(rules_for(room.session.game), headers=HEADERS)

    async def record(self, request: Request) -> Response:
        """The record of a game that is over, to save."""
        room, _ = await self._room(request)
        if not room.seen.is_over:
            raise RefusedError(409, "The game is not over: its record would tell what is hidden.")
        record = room.seen.record()
        name = record_name(room.session.game)
        headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
        return Response(json.dumps(record) + "\n", media_type="application/jsonl", headers=headers)

    async def _message(self, request: Request, *names: str) -> dict[str, Any]:
        """Read a message from one of our own pages."""
        origin = request.headers.get("origin")
        if origin is not None and not self.names.is_own_page(origin, request.headers.get("host", "")):
            raise RefusedError(403, "A page of another site cannot play here.")
        try:
            return await asyncio.wait_for(_read(request, names), SECONDS_TO_SAY)
        except asyncio.TimeoutError:
            raise RefusedError(408, "The message did not come in time.") from None

    async def _room(self, request: Request) -> tuple[Room, str]:
        token = request.path_params["token"]
        room = await self.house.room(token)
        if room is None:
            raise RefusedError(404, "This link opens no game: was all of it copied, and is the game still kept?")
        return room, token

    async def _stream(self, room: Room, token: str) -> AsyncIterator[str]:
        sent: set[str] = set()
        invited = ""
        clock = asyncio.get_running_loop().time
        due = clock() + SIGN_OF_LIFE  # regardless of unseen events
        while not self.house.has_hung_up:
            next_change = room.next_change
            pages = room.shown_in_turn(token)
            for page in pages if sent else pages[-1:]:
                if page.view not in sent:
                    room.note_sent(token, page)
                    yield f"data: {page.text}\n\n"
            sent = {page.view for page in pages}
            before, invited = invited, room.invitations(token)
            if invited != before:
                yield f"event: invitations\ndata: {invited}\n\n"
            try:
                await asyncio.wait_for(next_change.wait(), due - clock())
            except asyncio.TimeoutError:
                yield ALIVE
                due = clock() + SIGN_OF_LIFE


class EventStream(StreamingResponse):
    """Server-sent events for a page. The page counts as open until they end, even if nobody waits for them any more.

    Args:
        content: the events.
        pages: the number of open pages, by token.
        token: the page's token.
    """

    def __init__(self, content: AsyncIterator[str], pages: dict[str, int], token: str) -> None:
        super().__init__(content, media_type="text/event-stream", headers=EVENT_HEADERS)
        self._pages, self._token = pages, token
        pages[token] = pages.get(token, 0) + 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._pages[self._token] -= 1


def _file(
    name: str, media_type: str, headers: Mapping[str, str] = MappingProxyType({})
) -> Callable[[Request], Response]:
    """A function that answers with a file of the package."""
    content = (files(__package__) / name).read_bytes()

    def answer(request: Request) -> Response:
        return Response(content, media_type=f"{media_type}; charset=utf-8", headers={**HEADERS, **headers})

    return answer


async def _read(request: Request, names: Sequence[str]) -> dict[str, Any]:
    """Read a message, a JSON object with these texts."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError(415, "A message must be JSON, with the content type application/json.")
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BYTES:
            raise RefusedError(413, f"A message has at most {MOST_BYTES} bytes.")
    try:
        message = parse_json(content.decode())
    except (UnicodeDecodeError, NotJsonError):
        raise RefusedError(400, "The message is not JSON.") from None
    if not isinstance(message, dict) or any(not isinstance(message.get(name), str) for name in names):
        wanted = " and ".join(f"the text {name!r}" for name in names) or "nothing"
        raise RefusedError(400, f"The message must be an object with {wanted}.")
    return message


def _milliseconds(message: dict[str, Any]) -> int | None:
    """The time that a page has measured; None if it says none, or one longer than any that is kept."""
    time = message.get("milliseconds")
    if time is None or are_times({"page_ms": time}):
        return time
    if type(time) is not int or time < 0:
        raise RefusedError(400, "The milliseconds must be a whole number from 0.")
    return None


def _answer(values: dict[str, Any], status: int = 200) -> Response:
    return JSONResponse(values, status, headers=HEADERS)


def _error(request: Request, status: int, sentence: str) -> Response:
    """The answer to an error: a page for people who follow a link, and JSON for our own page."""
    if "text/html" not in request.headers.get("accept", ""):
        return _answer({"error": sentence}, status)
    page = ERROR_PAGE.replace("{sentence}", html.escape(sentence))
    return Response(page, status, HEADERS, "text/html; charset=utf-8")


async def _refuse(request: Request, error: RefusedError) -> Response:
    return _error(request, error.status, error.sentence)


async def _refuse_by_rule(request: Request, error: RatEnvsError) -> Response:
    return _error(request, STATUS.get(type(error), 422), str(error))


async def _gone(request: Request, error: Exception) -> Response:
    return _error(request, 400, "The message was broken off.")


async def _not_found(request: Request, error: Exception) -> Response:
    return _error(request, 404, "There is nothing at this address.")
