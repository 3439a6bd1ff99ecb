"""Asking a server with OpenAI's chat interface, which most servers of language models have, over HTTP.

Replies are not trusted: their size and time are bounded, and they are used only as text. The key is read from the
environment for every request; it is kept in no object and no file, and is struck out of everything that a server sends
back.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import os
import re
import ssl
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rat_envs.engine.errors import ConfigurationError, RatEnvsError, needing, reason_of, shown
from rat_envs.engine.files import MEBIBYTE, NotJsonError, parse_json

if TYPE_CHECKING:
    import httpx

__all__ = ["ChatServer", "NoReplyError", "RefusedError", "Reply", "demand_client"]

#: The most bytes of a reply.
MOST_BYTES = 4 * MEBIBYTE
#: Seconds before the first repetition, doubled each time; and the longest wait that a server may ask for.
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
#: HTTP status codes worth another attempt, besides 500 and above.
PASSING = (408, 409, 425, 429)
#: HTTP status codes that no other attempt and no other question will change.
FINAL = (401, 402, 403, 404)
KEY_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: One escape in JSON: a whole surrogate pair, half of one (group 1), or another escaped character.
ESCAPED = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")
#: What is read from a reply besides its text.
COUNTS, FINISHES = ("prompt_tokens", "completion_tokens"), ("stop", "length", "content_filter", "tool_calls")
#: A server that reports more tokens than this in one reply has miscounted.
MOST_TOKENS = 10**9
#: The fields in which servers put a model's reasoning before its answer, and its reason not to answer.
REASONING, REFUSAL = ("reasoning_content", "reasoning"), ("refusal",)
#: The types of the parts of a message that hold its words; parts without a type do, too.
TEXT = ("text", "output_text")
#: Written in place of a key.
STRUCK_OUT = "[key]"


class NoReplyError(RatEnvsError):
    """A server gave no usable answer in any attempt.

    Attributes:
        told: the sentence without the server's own words, which may repeat the request.
        unfit: whether the server does not accept this request, so that only another one may help.
    """

    def __init__(self, reason: str, told: str, unfit: bool = False) -> None:
        super().__init__(reason)
        self.told, self.unfit = told, unfit

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.told, self.unfit)


class RefusedError(RatEnvsError):
    """A server refuses the key, an option or the payment, or has no such model or address.

    Only another option or more credit can help.
    """


class _PassingError(Exception):
    """An attempt has failed; another one may succeed.

    Attributes:
        wait: seconds that the server asks to wait.
        told: the reason without the server's own words.
    """

    def __init__(self, reason: str, wait: float | None = None, told: str | None = None) -> None:
        super().__init__(reason)
        self.wait, self.told = wait, reason if told is None else told


@dataclass(frozen=True)
class Reply:
    """A model's reply.

    Attributes:
        text: its words.
        finish: why it ended, in the server's words: ``stop``, or ``length`` if it was cut off.
        usage: tokens as the server counts them, by name.
        reasoning: its reasoning before, if the server keeps that apart.
        refusal: its reason to say nothing, if the server keeps that apart.
        seconds: time since the first attempt.
        attempts: number of requests.
    """

    text: str
    finish: str
    usage: dict[str, int]
    reasoning: str = ""
    refusal: str = ""
    seconds: float = 0.0
    attempts: int = 1


@dataclass(frozen=True)
class ChatServer:
    """The server of a model, and how to ask it.

    Args:
        url: the address as far as ``/v1``: ``http://localhost:8000/v1``.
        model: which model.
        key: the environment variable that holds the key; none if empty.
        timeout: seconds for a whole attempt.
        retries: number of further attempts after one that has failed.
        more: further fields of a request, such as ``temperature``.

    Raises:
        ConfigurationError: an argument is wrong.
    """

    url: str
    model: str
    key: str = "OPENAI_API_KEY"
    timeout: float = 60.0
    retries: int = 3
    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = _split(self.url)
        if self.key and not KEY_NAME.fullmatch(self.key):
            raise ConfigurationError(
                "key=…: must be the name of the environment variable that holds the key, as in key=OPENAI_API_KEY, and "
                "never the key itself."
            )
        if self._secret() and parts.scheme == "http" and not _is_this_computer(parts.hostname or ""):
            raise ConfigurationError(
                f"url={shown(self.url)}: the key in {self.key} would go over the network unencrypted: use https, or "
                "write key= to send none."
            )

    @property
    def endpoint(self) -> str:
        """The address to which requests go."""
        base = self.url.rstrip("/")
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"

    def without_key(self, text: str) -> str:
        """A text with the key struck out."""
        secret = self._secret()
        return text.replace(secret, STRUCK_OUT) if secret else text

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client for some requests."""
        import httpx

        here = _is_this_computer(_split(self.url).hostname or "")  # what stays on this computer is not sent to a proxy
        options: dict[str, Any] = {"timeout": self.timeout, "trust_env": not here, "follow_redirects": False}
        # Waiting for a free connection would count against the time-out; requests at once are limited elsewhere.
        options["limits"] = httpx.Limits(max_connections=None)
        try:
            client = httpx.AsyncClient(verify=_certificates(), **options)
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise ConfigurationError(
                f"The proxy that the environment names cannot be used: {reason_of(error)}."
            ) from None
        async with client:
            yield client

    async def ask(self, client: httpx.AsyncClient, messages: list[dict[str, str]]) -> Reply:
        """The model's reply to a conversation.

        Raises:
            NoReplyError: there is no usable reply.
            RefusedError: the server accepts no request like this.
        """
        began = time.monotonic()
        for attempt in range(self.retries + 1):
            try:
                reply = _reply_of(await self._attempt(client, messages))
                return replace(
                    reply,
                    text=self.without_key(reply.text),
                    reasoning=self.without_key(reply.reasoning),
                    refusal=self.without_key(reply.refusal),
                    seconds=time.monotonic() - began,
                    attempts=attempt + 1,
                )
            except _PassingError as error:
                reason, told, wait = str(error), error.told, error.wait
            if attempt < self.retries:
                await asyncio.sleep(min(FIRST_WAIT * 2**attempt if wait is None else wait, LONGEST_WAIT))
        raise self._no_reply(reason, told)

    def _no_reply(self, reason: str, told: str, unfit: bool = False) -> NoReplyError:
        verb = "refuses" if unfit else "gives no answer"
        reason, told = (f"{self._called} {verb}: {one}." for one in (reason, told))
        return NoReplyError(reason, told, unfit)

    @property
    def _called(self) -> str:
        return f"The server {shown(self.url)} of the model {shown(self.model)}"

    def _secret(self) -> str:
        """The key, as it is in the environment now.

        Raises:
            ConfigurationError: it cannot be sent.
        """
        secret = os.environ.get(self.key, "").strip() if self.key else ""
        if not (secret.isascii() and secret.isprintable()):
            raise ConfigurationError(f"The key in the environment variable {self.key} holds more than plain letters.")
        return secret

    async def _attempt(self, client: httpx.AsyncClient, messages: list[dict[str, str]]) -> bytes:
        """The body of a reply, after one request.

        Raises:
            _PassingError, NoReplyError, RefusedError: there is no body.
        """
        import httpx

        try:
            status, wait, body = await asyncio.wait_for(self._post(client, messages), self.timeout)
        except asyncio.TimeoutError:  # the built-in one from Python 3.11 on
            raise _PassingError(f"nothing within {self.timeout:g} s") from None
        except (httpx.HTTPError, httpx.StreamError, OSError, ValueError) as error:
            raise _PassingError(reason_of(self.without_key(str(error))) or type(error).__name__) from None
        if status == 200:
            return body
        told = f"it says {status}"
        reason = f"{told}, {shown(self.without_key(body.decode(errors='replace')), 200)}"
        if status in FINAL:
            raise RefusedError(f"{self._called} refuses: {reason}.")
        if status in PASSING or status >= 500:
            raise _PassingError(reason, wait, told)
        raise self._no_reply(reason, told, unfit=True)

    async def _post(self, client: httpx.AsyncClient, messages: list[dict[str, str]]) -> tuple[int, float | None, bytes]:
        """The status, the seconds that the server asks to wait, and the body."""
        secret = self._secret()
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        headers |= {"Authorization": f"Bearer {secret}"} if secret else {}
        content = {"model": self.model, "messages": messages, **self.more}
        body = bytearray()
        async with client.stream("POST", self.endpoint, json=content, headers=headers) as response:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise _PassingError(f"more than {MOST_BYTES // MEBIBYTE} MiB")
            return response.status_code, _seconds(response.headers.get("retry-after", "")), bytes(body)


def demand_client() -> None:
    """Check that the HTTP library is installed.

    Raises:
        MissingExtraError: httpx is not installed.
    """
    with needing("Asking a language model", "llm"):
        import httpx  # noqa: F401


def _split(url: str) -> Any:
    """The parts of an address.

    Raises:
        ConfigurationError: it is not the address of a server, or holds what may be a key.
    """
    import httpx

    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        httpx.URL(url)  # httpx refuses more addresses than Python does
    except (ValueError, httpx.InvalidURL):
        right = False
    if not right or not url.isprintable() or " " in url:
        raise ConfigurationError(f"url={shown(url)}: must be like http://localhost:8000/v1.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigurationError(
            "url=…: must be without a user, a password and anything after a question mark: a key belongs in an "
            "environment variable."
        )
    return parts


def _is_this_computer(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@functools.cache
def _certificates() -> ssl.SSLContext:
    """The certificate authorities to trust; read once."""
    import httpx

    return httpx.create_ssl_context()


def _seconds(text: str) -> float | None:
    """The seconds that a server asks for in ``Retry-After``, a number or a date; None for anything else."""
    if re.fullmatch(r"\d{1,6}(\.\d{1,3})?", text.strip()):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
        return max(0.0, date.replace(tzinfo=date.tzinfo or timezone.utc).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):  # it is neither
        return None


def _whole_letters(text: str) -> str:
    """JSON without halves of surrogate pairs, which programs leave that cut texts at a length."""
    return ESCAPED.sub(lambda found: "\\ufffd" if found[1] else found[0], text)


def _reply_of(body: bytes) -> Reply:
    """The reply in a body; a message without text, such as one with only reasoning, has an empty text.

    Raises:
        _PassingError: there is no message.
    """
    try:
        value = parse_json(_whole_letters(body.decode()))
    except (NotJsonError, UnicodeDecodeError) as error:
        told = "what it says is not JSON"
        raise _PassingError(f"{told} ({reason_of(error)})", told=told) from None
    try:
        choice = value["choices"][0]
        message, finish, usage = choice["message"], choice.get("finish_reason"), value.get("usage")
        text = _text_of(message.get("content"))
    except (AttributeError, KeyError, IndexError, TypeError):
        raise _PassingError("there is no text in its choices[0].message.content") from None
    counted = usage if isinstance(usage, dict) else {}
    counts = {name: counted[name] for name in COUNTS if type(counted.get(name)) is int}
    counts = {name: count for name, count in counts.items() if 0 <= count <= MOST_TOKENS}
    reasoning, refusal = (_first_text(message, names) for names in (REASONING, REFUSAL))
    return Reply(text, finish if finish in FINISHES else "", counts, reasoning, refusal)


def _text_of(content: Any) -> str:
    """The words in the content of a message. If it has parts, such as reasoning and links, only those that are text.

    Raises:
        TypeError: it is not the content of a message.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise TypeError
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type", TEXT[0]) in TEXT]
    return "".join(text for text in texts if isinstance(text, str))


def _first_text(message: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((message[name] for name in names if isinstance(message.get(name), str)), "")
