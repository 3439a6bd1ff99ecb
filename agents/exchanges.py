"""The messages between a language model and the game for one decision, and the file in which they are kept."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rat_envs.agents.chat import ChatServer, Reply
from rat_envs.api.text import Situation
from rat_envs.engine.errors import ConfigurationError, reason_of, shown_path

__all__ = ["Exchange", "ExchangeFile"]

FORMAT = "rat-exchange/2"


@dataclass
class Exchange:
    """One decision: what was said, and the result.

    Attributes:
        messages: those of both sides, in the form of the chat interface.
        decision: the number of the seat's decisions before; None if they are not counted.
        game_id: drawn at random, the same in all decisions of the seat in its game; None if they are not counted.
        replies: those of the model.
        action: the action's number; None if the model has named none.
        problem: why it has not named one.
        is_unfit: whether the server did not accept this request.
        told: ``problem`` without the words of the model and the server, which may hold what only the seat may know.
    """

    situation: Situation
    messages: list[dict[str, str]]
    decision: int | None
    game_id: str | None
    replies: list[Reply] = field(default_factory=list)
    action: int | None = None
    problem: str = ""
    told: str = ""
    is_unfit: bool = False

    @property
    def tokens(self) -> int:
        """The tokens of questions and answers, as the server counts them."""
        return sum(sum(reply.usage.values()) for reply in self.replies)


class ExchangeFile:
    """A file to which exchanges are added, one line of JSON each; it never contains a key.

    Args:
        path: its path; the file may exist already.

    Raises:
        ConfigurationError: it cannot be written.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        try:
            with self.path.open("ab"):
                pass
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"save={shown_path(path)}: cannot be written: {reason_of(error)}.") from None

    def add(self, exchange: Exchange, server: ChatServer, action: int | None, fallback: str) -> None:
        """Add an exchange.

        Args:
            exchange: one that has ended.
            server: the server that was asked.
            action: the action taken; None if the game was ended first.
            fallback: the agent that chose it if the model named nothing.
        """
        situation, own = exchange.situation, exchange.action is not None
        line: dict[str, Any] = {
            "format": FORMAT,
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "model": server.model,
            "url": server.url,
            "request": server.more,
            "game": situation.game.name,
            "version": situation.game.version,
            "config": situation.configuration.to_dict(),
            "game_id": exchange.game_id,
            "seat": situation.seat,
            "decision": exchange.decision,
            "action": None if action is None else situation.game.actions[action],
            "fallback": None if own or action is None else fallback,
            "problem": "" if own else exchange.problem,
            "messages": exchange.messages,
            "replies": [{**vars(reply), "seconds": round(reply.seconds, 3)} for reply in exchange.replies],
        }
        with self.path.open("ab") as file:  # in one piece at the end: other processes may write to it, too
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
