"""A game between people and agents, with its whole history."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from rat_envs.api.agent_code import naming_agent
from rat_envs.api.outcomes import result_in_words
from rat_envs.api.text import Situation, describe
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.choices import Offer, offer
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError, RecordError
from rat_envs.engine.game import CHANCE, Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import finished_record
from rat_envs.engine.seeds import one_way_seed
from rat_envs.engine.story import Event, witness
from rat_envs.play.seating import PERSON, Table
from rat_envs.play.terms import Terms
from rat_envs.play.times import TIMES

__all__ = ["OTHERS_PLAY", "Session", "Step", "drawn_seed"]

#: Why a person among several can take back nothing.
OTHERS_PLAY = "Other people play, too: nothing can be taken back."


#: What is known of the time of what no person chose.
NO_TIMES: Mapping[str, Any] = MappingProxyType({})


def drawn_seed() -> int:
    """A seed of 64 bits from the operating system. Anyone who could guess it would know every outcome of chance."""
    return secrets.randbelow(MOST_SEED)


@dataclass(frozen=True, eq=False)
class Step:
    """What has happened at one node, and the state before it, so that it can be taken back.

    Attributes:
        times: of a person's choice, what is known of when it was made, by the names in :data:`TIMES`.
    """

    event: Event
    before: Position
    stream: Any
    agents: list[Any]
    times: Mapping[str, Any] = field(default_factory=dict)
    _told: dict[int | None, list[str]] = field(default_factory=dict)
    _remembered: dict[int | None, list[Any]] = field(default_factory=dict)

    def told(self, seat: int | None) -> list[str]:
        """The sentences that a seat, or for None a spectator, is told of it; computed once."""
        if seat not in self._told:
            self._told[seat] = self.event.seen_by(seat)
        return self._told[seat]

    def remembered(self, seat: int | None) -> list[Any]:
        """What a drawing may go on showing of it to a seat, or for None to a spectator; computed once."""
        if seat not in self._remembered:
            self._remembered[seat] = self.event.remembered_by(seat)
        return self._remembered[seat]

    def to_dict(self) -> dict[str, Any]:
        """Its form in a record."""
        return {
            "actor": "chance" if self.event.actor == CHANCE else self.event.actor,
            "action": self.event.notation,
            **self.times,
        }


class Session:
    """A game in progress. Chance and agents act by themselves until a person has to act or the game is over.

    Args:
        game: the game.
        configuration: its options.
        names: the player at each seat: ``PERSON`` or the name of an agent.
        seed: seed of chance and of the agents.
        trust: load policies even in formats that can execute code.
        steps: what has happened already, as in a record. Chance goes on as if the game had not been interrupted, or, if
            an outcome is not the one that it would have drawn, with random numbers of its own from there. Agents begin
            with random numbers made of the seed, their seat and the number of steps.
        terms: what is written down about the game, and what people are shown and may do.

    Attributes:
        terms: what is written down about the game, and what people are shown and may do.
        names: ``PERSON`` or the name of an agent, by seat.
        seed: seed of chance and of the agents.
        trust: whether policies are loaded even in formats that can execute code.
        position: the game at its present node.
        steps: all steps so far.

    Raises:
        ConfigurationError: there are more or fewer names than seats.
        ConfigurationError, CheckpointError, UnknownNameError: an agent does not exist, or cannot play this.
        IllegalActionError: one of ``steps`` cannot happen.
    """

    def __init__(
        self,
        game: Game,
        configuration: Configuration,
        names: Sequence[str],
        seed: int,
        trust: bool = False,
        steps: Sequence[Mapping[str, Any]] = (),
        terms: Terms | None = None,
    ) -> None:
        self.terms = terms or Terms()
        self.terms.demand_seats(configuration.players)
        self.table = Table(game, configuration, names, seed, trust)
        self.names, self.seed, self.trust = list(names), seed, trust
        self.position = Position(game, configuration)
        self.steps: list[Step] = []
        self._stream = new_stream(game, seed)
        if steps:
            self.table.seed(one_way_seed("agents of a game that goes on", seed, len(steps)))
        for step in steps:
            self._happen_again(step)

    def _happen_again(self, step: Mapping[str, Any]) -> None:
        """Let a step of a saved game happen, and draw the random numbers that chance has drawn for it."""
        numbers = self._numbers()
        drawn = self.position.sample(self._stream) if self.position.is_chance else step["action"]
        self._happen(step["action"], numbers, {name: step[name] for name in TIMES if name in step})
        if drawn != step["action"]:  # an older version went on with other random numbers, or the file was changed
            self._stream = new_stream(self.game, (self.seed + len(self.steps)) % MOST_SEED)

    @property
    def game(self) -> Game:
        """The game."""
        return self.position.game

    @property
    def people(self) -> tuple[int, ...]:
        """The seats at which people sit."""
        return tuple(seat for seat, name in enumerate(self.names) if name == PERSON)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.position.is_over

    @property
    def asked(self) -> int | None:
        """The seat of the person to act; None if it is the turn of chance or of an agent, or the game is over."""
        return self.position.actor if self.position.actor in self.people else None

    def release(self) -> None:
        """Free memory that agents keep only to decide faster."""
        for agent in self.table.agents:
            if agent is not None:
                with naming_agent(agent):
                    agent.release()

    def offer(self) -> Offer:
        """The question to the person to act, and the choices."""
        return offer(self.position)

    @property
    def events(self) -> list[Event]:
        """All that has happened."""
        return [step.event for step in self.steps]

    def situation(self, seat: int | None = None) -> Situation:
        """The situation of a seat in words, or of the one to act.

        Raises:
            ConfigurationError: there is no such seat, or none is given and no seat is to act.
        """
        return describe(self.position, seat, self.events)

    def as_it_is(self) -> Session:
        """A copy to look at while this session goes on; it shares its agents and random numbers."""
        twin = copy(self)
        twin.position, twin.steps = self.position.copy(), list(self.steps)
        return twin

    def steps_seen(self, seat: int | None) -> int:
        """The number of steps up to which a seat, or for None a spectator, can tell where the game stands.

        Whether a player is asked, or was asked, may be a secret (as in CR-76).
        """
        left, position = len(self.steps), self.position
        while left and not (position.is_over or self.game.asks_openly(position.state, seat)):
            left -= 1
            position = self.steps[left].before
        return left

    def after_steps(self, number: int) -> Session:
        """A copy to look at, as the session was after this number of steps."""
        twin = copy(self)
        twin.steps = self.steps[:number]
        twin.position = self.steps[number].before if number < len(self.steps) else self.position
        return twin

    def advance(self) -> None:
        """Let chance and agents act until a person has to act, or the game is over."""
        while not self.is_over and self.asked is None:
            self.advance_once()

    def advance_once(self) -> None:
        """Let chance or an agent act once."""
        numbers = self._numbers()
        witnessed = self.events if self.table.listens else []
        self._happen(self.table.choose(self.position, self._stream, witnessed), numbers)

    def act(self, seat: int, action: str | int, times: Mapping[str, Any] = NO_TIMES) -> None:
        """Apply a person's action, given by notation or by number.

        Args:
            seat: the person's.
            action: what it does.
            times: what is known of when it was chosen, by the names in :data:`~rat_envs.play.times.TIMES`.

        Raises:
            IllegalActionError: it is not this person's turn, or the action cannot happen here; nothing has changed.
        """
        if self.is_over:
            raise IllegalActionError("The game is over: nobody can act any more.")
        if seat != self.asked:
            raise IllegalActionError("It is not your turn.")  # whose turn it is may be a secret
        self._happen(action, times=times)

    def can_undo(self, seat: int) -> bool:
        """Whether this person may take back an action: only against agents, and only its own."""
        is_allowed = self.terms.undo and self.people == (seat,)
        return is_allowed and any(step.event.actor == seat for step in self.steps)

    def undo(self, seat: int) -> None:
        """Take back this person's last action and everything since.

        Random states are restored, too: the same actions lead to the same game again.

        Raises:
            IllegalActionError: other people play, too, there is nothing to take back, or the terms do not allow it.
        """
        left = self.steps_before_last(seat)
        while len(self.steps) > left:
            self.take_back()

    def steps_before_last(self, seat: int) -> int:
        """The number of steps before this person's last action; errors are those of :meth:`undo`."""
        if not self.terms.undo:
            raise IllegalActionError("In this game nothing can be taken back.")
        if self.people != (seat,):
            raise IllegalActionError(OTHERS_PLAY)
        if not self.can_undo(seat):
            raise IllegalActionError("You have not acted yet: there is nothing to take back.")
        return max(number for number, step in enumerate(self.steps) if step.event.actor == seat)

    def told(self, seat: int | None) -> list[str]:
        """The sentences that a seat, or for None a spectator, has been told so far."""
        return [sentence for step in self.steps for sentence in step.told(seat)]

    def drawing(self, seat: int | None) -> str:
        """The table as a seat, or for None a spectator, sees it, with what it remembers of past events."""
        remembered = [one for step in self.steps for one in step.remembered(seat)]
        return self.game.picture(self.position.state, seat, remembered)

    def result_in_words(self, seat: int | None) -> str:
        """How the game has ended for a seat, or for None a spectator."""
        return result_in_words(self.position.winners(), seat, self.game.has_draws)

    def record(self) -> dict[str, Any]:
        """The record of the game, when it is over, as its players may read it: with the names that they are shown.

        Raises:
            RecordError: it is not over.
        """
        if not self.is_over:
            raise RecordError("The game is not over: it has no record yet.")
        about = {"agents": self.terms.shown_names(self.names)}
        return finished_record(self.position, [step.to_dict() for step in self.steps], about)

    def _numbers(self) -> tuple[Any, list[Any]]:
        """The present state of the random numbers of chance and of the agents."""
        states: list[Any] = []
        for agent in self.table.agents:
            with naming_agent(agent):
                states.append(None if agent is None else agent.get_state())
        return self._stream.copy(), states

    def _happen(
        self,
        action: str | int,
        numbers: tuple[Any, list[Any]] | None = None,
        times: Mapping[str, Any] = NO_TIMES,
    ) -> None:
        """Apply an action, and keep the state before, with these random numbers or the present ones."""
        stream, agents = numbers or self._numbers()
        before = self.position.copy()
        self.steps.append(Step(witness(self.position, action), before, stream, agents, times))

    def take_back(self) -> None:
        """Go back to the state before the last step, random numbers included."""
        step = self.steps.pop()
        self.position, self._stream = step.before, step.stream.copy()
        for agent, state in zip(self.table.agents, step.agents, strict=True):
            if agent is not None:
                with naming_agent(agent):
                    agent.set_state(state)
