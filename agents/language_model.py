"""A language model at a seat: it reads the situation in words and answers in words, through a server's chat
interface."""

from __future__ import annotations

import asyncio
import json
import secrets
import warnings
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from rat_envs.agents.chat import ChatServer, NoReplyError, RefusedError, demand_client
from rat_envs.agents.exchanges import Exchange, ExchangeFile
from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.api.text import CUT_OFF, HOW_TO_ANSWER, describe_view
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import AnswerError, ConfigurationError, reason_of, shown, shown_path
from rat_envs.engine.files import parse_json, read_json
from rat_envs.engine.game import Game

__all__ = ["FallbackWarning", "LanguageModelAgent"]

#: The prefix of the model's name in tables.
NAME = "llm"
NEWS, ALL = "news", "all"
#: The least and the largest value of numbers in a request, and whether they are whole numbers.
RANGES = {
    "temperature": (0, 10, False),
    "tokens": (1, 10_000_000, True),
    "max_completion_tokens": (1, 10_000_000, True),
    "top_p": (0, 1, False),
    "request_seed": (0, 2**63 - 1, True),
}
#: The servers' names of options that are called differently here.
CALLED = {"tokens": "max_tokens", "request_seed": "seed"}
#: Fields of a request that a user cannot set, because the answers would then not be understood.
OURS = {"messages", "model", "n", "stream"}
#: The most characters of an answer that are sent back to its model when it is asked again.
MOST_REPEATED = 4000
#: Sent in place of an answer without words: servers refuse empty messages, and two questions in a row.
NO_WORDS = "…"
T = TypeVar("T")


class FallbackWarning(UserWarning):
    """Another agent has decided in place of a model."""


class LanguageModelAgent(Agent):
    """Asks a language model at a server with the chat interface of OpenAI, at every decision anew.

    The model is told who it is, the rules in a page, the news since its last decision, the table, and its choices with
    numbers. If an answer names none of them, the model is told what would have been right. If the model does not
    decide, because the server gives no answer or the answers name no choice, ``fallback`` decides; this is counted.

    Args:
        game: the game that it plays.
        url: the server's address as far as ``/v1``: ``http://localhost:8000/v1``.
        model: the model's name there.
        seed: seed of the fallback's random numbers; the model's are its server's.
        key: the environment variable that holds the server's key; ``key=`` sends none.
        timeout: seconds for one request.
        retries: how often a request that fails is repeated.
        again: how often the model may answer again after an answer that names no choice.
        temperature: as the server takes it; its default, if not given.
        tokens: the longest answer, as the server counts it (``max_tokens``); its default, if not given.
        max_completion_tokens: the same for servers that use this name; it includes reasoning.
        reasoning_effort: as the server takes it, such as ``low``.
        top_p: as the server takes it.
        request_seed: seed of the server's random numbers (``seed``), if it has one.
        extra: further fields of a request by name, or a JSON file with them: ``{"top_k": 20}``.
        memory: ``news``, or ``all`` to tell the whole game at every decision: the model remembers nothing by itself.
        fallback: the name of an agent without options.
        save: a file to which every exchange is added, as one line of JSON; it never contains a key.
        parallel: number of games that are decided at the same time, if several are played.

    Attributes:
        decisions: the number of decisions so far.
        fallbacks: the number of those that ``fallback`` has made.
        tokens_used: tokens of all answers and questions, as the server counts them.
        has_answered: whether the server has answered anything yet.

    Raises:
        ConfigurationError: an option is wrong.
        MissingExtraError: httpx is not installed.
    """

    name = NAME
    has_policy = False
    listens = True
    reaches_out = True

    def __init__(
        self,
        game: Game,
        url: str,
        model: str,
        seed: int | None = None,
        key: str = "OPENAI_API_KEY",
        timeout: float = 60.0,
        retries: int = 3,
        again: int = 2,
        temperature: float | None = None,
        tokens: int | None = None,
        memory: str = NEWS,
        fallback: str = "random",
        save: str = "",
        parallel: int = 4,
        max_completion_tokens: int | None = None,
        reasoning_effort: str | None = None,
        top_p: float | None = None,
        request_seed: int | None = None,
        extra: str | Mapping[str, Any] | None = None,
    ) -> None:
        demand_client()
        _demand("timeout", timeout, 0.001, 3600)
        for name, value, least, most in (("retries", retries, 0, 20), ("again", again, 0, 10)):
            _demand(name, value, least, most, whole=True)
        _demand("parallel", parallel, 1, 256, whole=True)
        if memory not in (NEWS, ALL):
            raise ConfigurationError(f"memory={shown(memory)}: must be {NEWS} or {ALL}.")
        more = _more(
            {} if extra is None else extra,
            temperature=temperature,
            tokens=tokens,
            max_completion_tokens=max_completion_tokens,
            reasoning_effort=reasoning_effort,
            top_p=top_p,
            request_seed=request_seed,
        )
        self.server = ChatServer(_text("url", url), _text("model", model), _text("key", key), timeout, retries, more)
        self.again, self.memory, self.parallel = again, memory, parallel
        self.save = ExchangeFile(_text("save", save)) if save else None
        self.fallback = make_agent(_plain_name(fallback), game)
        self.name = f"{NAME}:{self.server.model}"
        self.decisions = self.fallbacks = self.tokens_used = 0
        self.has_answered = False
        self.game_ids: dict[tuple[int, int], str] = {}
        super().__init__(seed)

    def check(self, game: Game, configuration: Configuration) -> None:
        """Refuse what the fallback cannot play."""
        self.fallback.check(game, configuration)

    def seed(self, seed: Any) -> None:
        """Start the fallback's random numbers anew; the games that follow are new ones."""
        super().seed(seed)
        self.game_ids = {}
        self.fallback.seed(seed)

    def get_state(self) -> Any:
        """The fallback's random numbers; a model's are its server's."""
        return self.fallback.get_state()

    def set_state(self, state: Any) -> None:
        """Go on from :meth:`get_state`."""
        self.fallback.set_state(state)

    @property
    def remark(self) -> str:
        """How many decisions were the model's own, in words."""
        if not self.decisions:
            return ""
        return (
            f"{self.decisions:,} decisions, {self.fallbacks:,} of them by the fallback {self.fallback.name}; "
            f"{self.tokens_used:,} tokens"
        )

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: the model's choice at each seat, or the fallback's where the model chooses nothing.

        Raises:
            RefusedError: the server accepts no request of this kind, because of a wrong key or an unknown option, for
                example.
        """
        exchanges = [self._begin(views, i) for i in range(len(views))]
        try:
            _run(self._hold(exchanges))
            self._demand_answers(exchanges)
        except BaseException:  # the answers so far have been paid for
            for exchange in exchanges:
                self._keep(exchange, exchange.action)
            raise
        actions = np.zeros(len(views), np.int64)
        self.fell_back = np.array([exchange.action is None for exchange in exchanges])
        self.spent = np.array([exchange.tokens for exchange in exchanges], np.int64)
        for i, exchange in enumerate(exchanges):
            if exchange.action is None:
                warnings.warn(f"{exchange.told} {self.fallback.name} decides.", FallbackWarning, stacklevel=2)
                actions[i] = self.fallback.act_batch(views.only(np.array([i])))[0]
            else:
                actions[i] = exchange.action
            self._count(exchange)
            self._keep(exchange, int(actions[i]))
        return actions

    def _keep(self, exchange: Exchange, action: int | None) -> None:
        """Save an exchange, if a file is given and anything was said.

        Args:
            action: the action taken; None if the game was ended first.
        """
        if self.save is not None and (exchange.replies or action is not None):
            self.save.add(exchange, self.server, action, self.fallback.name)

    def _demand_answers(self, exchanges: list[Exchange]) -> None:
        """Refuse to play on if the server has answered nothing yet and does not accept a request.

        It may accept no request of this kind. Once it has answered any, only this one is wrong.

        Raises:
            RefusedError: it is so.
        """
        if not self.has_answered:
            for exchange in exchanges:
                if exchange.is_unfit:
                    raise RefusedError(exchange.problem)

    def _begin(self, views: SeatViews, i: int) -> Exchange:
        situation = describe_view(views, i, self.memory == ALL)
        texts = {"system": situation.introduction, "user": situation.text(self.memory)}
        messages = [{"role": role, "content": text} for role, text in texts.items()]
        decision = views.decisions(i)
        where = views.number(i), situation.seat
        return Exchange(situation, messages, decision, self._game_id(where, decision))

    def _game_id(self, where: tuple[int, int], decision: int | None) -> str | None:
        """The identifier of a seat's decisions in its game; a seat's first decision begins another game.

        Args:
            where: the numbers of the game and the seat.
        """
        if decision is None:
            return None
        if decision == 0 or where not in self.game_ids:
            self.game_ids[where] = secrets.token_hex(8)
        return self.game_ids[where]

    async def _hold(self, exchanges: list[Exchange]) -> None:
        """Hold all exchanges, at most ``parallel`` at a time."""
        free = asyncio.Semaphore(self.parallel)
        async with self.server.connected() as client:

            async def one(exchange: Exchange) -> None:
                async with free:
                    await self._converse(client, exchange)

            tasks = [asyncio.ensure_future(one(exchange)) for exchange in exchanges]
            try:
                await asyncio.gather(*tasks)
            finally:  # if one has failed, the others must end before the client closes
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _converse(self, client: Any, exchange: Exchange) -> None:
        """Ask until an answer names a choice, at most as often as allowed."""
        for _ in range(self.again + 1):
            try:
                reply = await self.server.ask(client, [_shortened(message) for message in exchange.messages])
            except NoReplyError as error:
                exchange.problem, exchange.told, exchange.is_unfit = str(error), error.told, error.unfit
                return
            self.has_answered = True
            exchange.replies.append(reply)
            exchange.messages.append({"role": "assistant", "content": reply.text})
            if reply.finish == "length":  # its last line is not the one that it would have ended with
                exchange.told = exchange.problem = f"{self.name} names no choice: its answer was cut off."
                exchange.messages.append({"role": "user", "content": f"{CUT_OFF} {HOW_TO_ANSWER}"})
                continue
            try:
                exchange.action = exchange.situation.action(reply.text)
                return
            except AnswerError as error:
                exchange.problem = f"{self.name} names no choice: {error.reason}"
                exchange.told = f"{self.name} names no choice."
                exchange.messages.append({"role": "user", "content": str(error)})

    def _count(self, exchange: Exchange) -> None:
        self.decisions += 1
        self.fallbacks += exchange.action is None
        self.tokens_used += exchange.tokens


def _shortened(message: dict[str, str]) -> dict[str, str]:
    """A message as it is sent: only the end of a long answer of the model, and never an empty text."""
    if message["role"] != "assistant":
        return message
    said = message["content"][-MOST_REPEATED:]
    return {**message, "content": said if said.strip() else NO_WORDS}


def _more(extra: Any, **options: Any) -> dict[str, Any]:
    """The further fields of a request, by the server's names: the options that are given, and those in ``extra``.

    Raises:
        ConfigurationError: one is wrong.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for name, (least, most, whole) in RANGES.items():
        if name in given:
            _demand(name, given[name], least, most, whole)
    if "reasoning_effort" in given:
        given["reasoning_effort"] = _text("reasoning_effort", given["reasoning_effort"])
    return {**_extra(extra), **{CALLED.get(name, name): value for name, value in given.items()}}


def _extra(extra: Any) -> dict[str, Any]:
    """Further fields of a request by name, or those in a JSON file.

    Raises:
        ConfigurationError: there is no such file, or it holds something else, or a field that cannot be set here.
    """
    value = extra if isinstance(extra, Mapping) else read_json(str(extra), "request", kind=ConfigurationError)
    if not isinstance(value, Mapping):
        raise ConfigurationError(f'{_place(extra)}: must hold an object of JSON, as {{"top_k": 20}}.')
    if ours := sorted(OURS & set(value)):
        raise ConfigurationError(f"{_place(extra)}: {' and '.join(ours)} cannot be given.")
    try:
        return dict(parse_json(json.dumps(dict(value))))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{_place(extra)}: is no object of JSON ({reason_of(error)}).") from None


def _place(extra: Any) -> str:
    return f"extra={shown_path(extra) if isinstance(extra, str) else shown(extra)}"


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine and return its result, whether or not an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _demand(name: str, value: Any, least: float, most: float, whole: bool = False) -> None:
    """A number within bounds.

    Raises:
        ConfigurationError: it is something else.
    """
    right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not right or not least <= value <= most:
        kind = "a whole number" if whole else "a number"
        raise ConfigurationError(f"{name}={shown(value)}: must be {kind} from {least:,} to {most:,}.")


def _text(name: str, value: Any) -> str:
    """A text; a number is converted to one, as in ``model=4``.

    Raises:
        ConfigurationError: it is something else.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ConfigurationError(f"{name}={shown(value)}: must be a text.")
    return str(value)


def _plain_name(fallback: Any) -> str:
    """The name of an agent that needs no server and no other code.

    Raises:
        ConfigurationError: it is something else.
    """
    if not isinstance(fallback, str) or not fallback.isidentifier() or fallback == NAME:
        raise ConfigurationError(
            f"fallback={shown(fallback)}: must be the name of another agent without options, such as greedy."
        )
    return fallback
