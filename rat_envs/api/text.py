"""A game in words, for players who read and write: what a seat is told, and what its answer means.

>>> import rat_envs
>>> from rat_envs.api.text import describe
>>> narrator = rat_envs.Narrator(rat_envs.make("brave_rats"))
>>> narrator.reset(seed=1)
>>> situation = describe(narrator)
>>> situation.question
'Which card do you play?'
>>> narrator.step(situation.action("I think about it.\\n[Play Prince]"))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rat_envs.api.answers import parse
from rat_envs.api.seats import Playable, SeatViews, batch_of
from rat_envs.engine.checks import checked_index
from rat_envs.engine.choices import Choice, Offer, offered
from rat_envs.engine.configuration import Configuration, shown_as_json
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.story import Event, news, story

__all__ = ["CUT_OFF", "HOW_TO_ANSWER", "Situation", "describe", "describe_view", "parse", "rules_for_players"]

HOW_TO_ANSWER = (
    "Think as much as you like. The last line of your answer must be the number of your choice in brackets, as in "
    "[NUMBER], and nothing else."
)
#: The reply to an answer that was cut off.
CUT_OFF = "Your answer was cut off at its longest: be shorter. It does not count."
#: The heading from which a game's page is no longer about its rules, but about their sources and how to start it here.
NOT_RULES = re.compile(r"^## (What is assumed|Now play)$", re.MULTILINE)


@dataclass(frozen=True)
class Situation:
    """What a seat knows, in words; everything in it follows from what the seat has been shown and told.

    Attributes:
        game: the game.
        configuration: its options.
        seat: the number of the seat.
        table: the table, as the seat sees it.
        news: sentences on what has happened since the seat's last decision, including that decision's outcome; None if
            no events are recorded, as in a bare environment (see :class:`~rat_envs.Narrator`).
        story: the same since the game began; None if it was not asked for, or no events are recorded.
        offer: the question to the seat, and every legal action by name and number; no choices if it is not the seat's
            turn.
    """

    game: Game
    configuration: Configuration
    seat: int
    table: str
    news: tuple[str, ...] | None
    story: tuple[str, ...] | None
    offer: Offer

    @property
    def rules(self) -> str:
        """The rules in a page."""
        return rules_for_players(self.game)

    @property
    def question(self) -> str:
        """What the seat is asked; empty if it is not its turn."""
        return self.offer.question

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every legal action by name (``words``) and number (``key``)."""
        return self.offer.choices

    @property
    def introduction(self) -> str:
        """The text that a player is told once: who it is, the rules, and how to answer."""
        return (
            f"You are player_{self.seat} in a game of {self.game.title}{self._with_options()}. Play to win.\n\n"
            f"{self.rules}\n\n"
            f"When it is your turn, you are told what has happened, what lies on the table, and what you may do. "
            f"{HOW_TO_ANSWER}"
        )

    def _with_options(self) -> str:
        """The number of players, if it is an option, and all options that differ from their defaults."""
        usual = type(self.configuration)().to_dict()
        given = self.configuration.to_dict().items()
        options = [
            f"{name}={shown_as_json(value)}" for name, value in given if name == "players" or value != usual[name]
        ]
        return f" with {', '.join(options)}" if options else " without options"

    def text(self, told: str = "news") -> str:
        """The text that is told at every decision: the events, the table, the question and the numbered choices.

        Args:
            told: which events: the ``news``, ``all`` or none (``""``).
        """
        sentences, heading = {"news": (self.news, "News"), "all": (self.story, "So far")}.get(told, ((), ""))
        parts = [f"{heading}:\n" + "\n".join(f"- {sentence}" for sentence in sentences)] if sentences else []
        parts.append(self.table.strip())
        if self.question and " ".join(self.question.split()) not in " ".join(self.table.split()):
            parts.append(self.question)
        if self.choices:
            parts.append("Your choices:\n" + "\n".join(f"{one.key}. {one.words}" for one in self.choices))
        return "\n\n".join(parts)

    def choice(self, answer: str) -> Choice:
        """The choice that an answer names, as :func:`~rat_envs.api.answers.parse` understands it.

        Raises:
            AnswerError: it names none, or several; the message says what would have been right.
        """
        return parse(answer, self.offer, self.game)

    def action(self, answer: str) -> int:
        """The number of the action that an answer names; errors are those of :meth:`choice`."""
        return self.choice(answer).action


def describe(
    env: Playable | Position,
    seat: int | None = None,
    witnessed: Sequence[Event] | None = None,
    whole_story: bool = False,
) -> Situation:
    """The situation of a seat, in words.

    Args:
        env: a :class:`~rat_envs.Narrator`, which also provides the news; a PettingZoo AEC environment, wrapped or not;
            a batch of one game; views of one seat; or a position.
        seat: the seat to describe; the seat to act, if not given.
        witnessed: all events so far, for the news; a narrator provides them itself.
        whole_story: whether to tell the whole story, too; this takes longer in longer games.

    Raises:
        ConfigurationError: there is no such seat; or none is given, and no seat is to act; or ``env`` is something
            else.
    """
    if isinstance(env, SeatViews):
        if len(env) != 1 or seat not in (None, int(env.seats[0])):
            raise ConfigurationError("Views of one seat are described from that seat.")
        return describe_view(env, 0, whole_story)
    if isinstance(env, Position):
        game, state, configuration, actor = env.game, env.state, env.configuration, env.actor
        actions = env.mask().nonzero()[0].tolist()
    else:
        views = SeatViews(env)
        if len(views) != 1:
            raise ConfigurationError(f"One game is described at a time, not {len(views)}.")
        witnessed = witnessed if witnessed is not None else getattr(env, "witnessed", {}).get(0)
        batch = batch_of(env)
        game, state, configuration, actor = views.game, batch.states[0], views.configuration(0), int(views.seats[0])
        actions = views.masks[0].nonzero()[0].tolist()
    if seat is None and actor < 0:
        raise ConfigurationError("Nobody is to act: say which seat is to be described.")
    seat = actor if seat is None else checked_index("seat", seat, configuration.players)
    recent = None if witnessed is None else tuple(news(witnessed, seat))
    whole = tuple(story(witnessed, seat)) if whole_story and witnessed is not None else None
    asked = _asked(game, state, seat, actor, actions)
    return Situation(game, configuration, seat, game.text(state, seat), recent, whole, asked)


def describe_view(views: SeatViews, i: int, whole_story: bool = False) -> Situation:
    """The situation of seat ``i``, which is to act, made only from what an agent is given."""
    game, seat = views.game, int(views.seats[i])
    row: Any = views.determinize_one(i, new_stream(game, 0))[0]  # any table that looks the same to the seat
    recent, whole = views.news(i), views.story(i) if whole_story else None
    told = [None if sentences is None else tuple(sentences) for sentences in (recent, whole)]
    asked = _asked(game, row, seat, seat, views.masks[i].nonzero()[0].tolist())
    return Situation(game, views.configuration(i), seat, game.text(row, seat), told[0], told[1], asked)


def rules_for_players(game: Game) -> str:
    """The rules in a page, without its parts on commands and sources."""
    return (NOT_RULES.split(game.rules_in_brief, maxsplit=1)[0] or game.summary or game.title).strip()


def _asked(game: Game, state: Any, seat: int, actor: int, actions: Sequence[int]) -> Offer:
    return offered(game, state, seat, actions) if seat == actor else Offer("", ())
