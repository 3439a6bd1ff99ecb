"""The page that a seat is sent: it contains nothing that the seat may not know."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from rat_envs.agents.shipped import LEARNT, has_policy, shipped_policy
from rat_envs.api.named_agents import AgentName
from rat_envs.api.text import rules_for_players
from rat_envs.engine.errors import RatEnvsError
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position
from rat_envs.play.hints import hint
from rat_envs.play.seating import PERSON
from rat_envs.play.session import OTHERS_PLAY, Session
from rat_envs.shells import as_typed

__all__ = ["Page", "hint_for", "record_name", "replay_command", "rules_for", "shown_to"]

#: An option of an agent that anybody may read: a number or a word, but not a path, an address or the name of a key.
PLAIN = re.compile(r"\w+=([a-z]+|[0-9.]+)")


class Page(NamedTuple):
    """The page of a seat, ready to send.

    Attributes:
        view: a name of exactly this page, so that an answer can name the page that it answers.
        text: the contents of the page as JSON, its name included.
    """

    view: str
    text: str

    @classmethod
    def of(cls, content: dict[str, Any]) -> Page:
        """The page with this content."""
        text = json.dumps(content)
        view = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
        return cls(view, f'{{"view": "{view}", {text[1:]}')


def shown_to(session: Session, seat: int | None, steps: int | None = None) -> dict[str, Any]:
    """The page of a seat, or for None of a spectator, as values for JSON.

    Everything follows from what the seat has observed; it does not even reveal how often others were asked. So where
    the seat cannot tell whether somebody is asked, it is shown the last table that it could know about, and no question
    if it has answered that one.

    Args:
        steps: show the table after this number of steps, in place of the last one that it could know about.
    """
    steps = session.steps_seen(seat) if steps is None else steps
    has_answered = any(step.event.actor == seat for step in session.steps[steps:])
    session = session.after_steps(steps)
    is_asked = seat is not None and session.asked == seat and not has_answered
    offer = session.offer() if is_asked else None
    game = session.game
    return {
        "game": game.title,
        "seat": seat,
        "seats": _names(session, seat),
        "picture": session.drawing(seat),
        "question": offer.question if offer else "",
        "waiting": _waiting(session, seat),
        "choices": [
            {"action": game.actions[one.action], "words": one.words, "spot": one.spot, "key": one.key}
            for one in (offer.choices if offer else ())
        ],
        "log": session.told(seat),
        "known": _known(session, seat),
        "acted": sum(step.event.actor == seat for step in session.steps),
        "hints": session.terms.hints,
        "again": not session.terms.table,
        "can_undo": seat is not None and session.can_undo(seat),
        "no_undo": OTHERS_PLAY if seat is not None and len(session.people) > 1 else "",
        "is_over": session.is_over,
        "replay": replay_command(session) if session.is_over else "",
        "result": session.result_in_words(seat) if session.is_over else "",
    }


def hint_for(position: Position) -> dict[str, Any]:
    """A hint for the seat to act, as values for JSON."""
    found = hint(position)
    return {
        "source": found.source,
        "value": found.value,
        "choices": [
            {"words": one.choice.words, "probability": one.probability, "estimate": one.estimate}
            for one in found.choices
        ],
    }


def replay_command(session: Session) -> str:
    """The command that shows the record of a game, once it is saved, step by step; with what an agent thinks of it, if
    there is one for it."""
    game, configuration = session.game, session.position.configuration
    explained = ["greedy"] if "greedy" in game.heuristics else []
    with contextlib.suppress(RatEnvsError):  # the trained policy is for other options
        if has_policy(game):
            shipped_policy(game, configuration.players).check(game, configuration)
            explained = [LEARNT]
    explain = ["--explain", *explained] if explained else []
    return as_typed(["rat-envs", "replay", record_name(game), "--html", f"{game.name}.html", *explain])


def record_name(game: Game) -> str:
    """The name of the file in which a browser saves a game's record."""
    return f"{game.name}.jsonl"


def rules_for(game: Game) -> str:
    """How to play, in HTML: headings below those of the page, and only Markdown's own markup, no HTML."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    marks = markdown.parse(rules_for_players(game))
    for mark in marks:
        if mark.type in ("heading_open", "heading_close"):
            mark.tag = "h3" if mark.tag == "h1" else "h4"
    return str(markdown.renderer.render(marks, markdown.options, {}))


def _names(session: Session, seat: int | None) -> list[str]:
    """Who plays, by seat, as a seat, or for None a spectator, reads it."""
    others = session.terms.names or [_name(name) for name in session.names]
    return ["you" if place == seat else name for place, name in enumerate(others)]


def _name(name: str) -> str:
    """The name of a person, or of an agent without the folders, servers and keys that its name may contain."""
    if name == PERSON:
        return "another person"
    agent = AgentName.of(name)
    short = re.split(r"[/\\]", agent.who)[-1]
    options = [option for option in agent.options.split(",") if PLAIN.fullmatch(option)]
    return f"{short}:{','.join(options)}" if options else short


def _known(session: Session, seat: int | None) -> int | None:
    """The number of sentences of its log that a seat had been told when it last acted; None for a spectator."""
    if seat is None:
        return None
    acted = max((number for number, step in enumerate(session.steps) if step.event.actor == seat), default=-1)
    return len(session.after_steps(acted + 1).told(seat))


def _waiting(session: Session, seat: int | None) -> str:
    """The text for a player who is not asked. It names the person who is asked if the seat can tell that. Otherwise it
    depends only on who sits at the table, because who is asked may be a secret. Where other names are shown, it is
    always the same.

    Args:
        session: the session as it was when the seat could last tell where the game stands.
    """
    if seat is None:
        return "You are watching."
    if session.terms.names:
        return "Please wait for the others."
    if len(session.people) > 1:
        asked = session.asked
        is_open = asked not in (None, seat) and session.game.asks_openly(session.position.state, seat)
        return f"Please wait for player_{asked}." if is_open else "Please wait for the others."
    return "The agent is thinking …" if len(session.names) == 2 else "The agents are thinking …"
