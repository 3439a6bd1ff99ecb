"""Games for verifiers: a language model plays one seat against named agents, and is rewarded with the seat's return.

verifiers finds environments by the name of a module that can be imported. Write one of three lines, ``rat_games.py``::

    from rat_envs.play.verifiers import RatEnv, RatTaskset

    __all__ = ["RatEnv", "RatTaskset"]

and name it, with a number of games, because there is no limit::

    vf-eval rat-games -m MODEL --client.base-url URL -n 20 --no-push --env.taskset.game comme_des_rats
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any, Final, Literal

from rat_envs.api.illegal import returns_of_losers
from rat_envs.api.text import CUT_OFF, HOW_TO_ANSWER, describe
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.errors import AnswerError, ConfigurationError, MissingExtraError
from rat_envs.engine.registry import get_game
from rat_envs.play.seating import PERSON
from rat_envs.play.session import Session

try:
    import verifiers.v1 as vf
    from pydantic import Field, model_validator
    from verifiers.v1.harnesses.null import NullHarness
except ImportError as error:
    raise MissingExtraError(
        f'Games for verifiers need verifiers ({error}): pip install "verifiers>=0.4"', name="verifiers"
    ) from error

__all__ = ["RatEnv", "RatEnvConfig", "RatTask", "RatTaskData", "RatTaskset", "RatTasksetConfig"]

CONVERSATION: Final = "conversation"
Memory = Literal["conversation", "all", "news"]


class RatTasksetConfig(vf.TasksetConfig):
    """Which games are played.

    Attributes:
        game: the game's name.
        options: options of the game by name.
        opponents: the name of the agent at the other seats.
        seed: seed of chance and of the opponents in the first game; the next one has the next seed.
        again: after how many answers in a row that name no choice the model may answer again; the next one loses the
            game.
        memory: what a request holds besides the rules and the question: the whole ``conversation`` so far; or, with
            only the newest table, ``all`` events so far or the ``news`` since the model last acted.
    """

    game: str = "brave_rats"
    options: dict[str, Any] = {}
    opponents: str = "random"
    seed: int = Field(0, ge=0, le=MOST_SEED)
    again: int = Field(2, ge=0)
    memory: Memory = CONVERSATION


class RatTaskData(vf.TaskData):
    """One game: everything that determines it except the model's answers."""

    game: str
    options: dict[str, Any]
    opponents: str
    seat: int
    seed: int
    again: int
    memory: Memory = CONVERSATION

    def session(self) -> Session:
        """The game at its first node.

        Raises:
            RatEnvsError: an option is wrong, or an agent does not exist or cannot play this.
        """
        if self.opponents == PERSON:
            raise ConfigurationError(f"opponents={PERSON!r}: nobody is asked there: name an agent.")
        game = get_game(self.game)
        configuration = game.configuration.make(self.options)
        names = [PERSON if seat == self.seat else self.opponents for seat in range(configuration.players)]
        return Session(game, configuration, names, self.seed)


class RatTask(vf.Task[RatTaskData, vf.State, vf.TaskConfig]):
    """One game for a model at one seat."""


class RatTaskset(vf.Taskset[RatTask, RatTasksetConfig]):
    """An unlimited sequence of games: the model sits at every seat in turn, on the same chance."""

    INFINITE = True

    def load(self) -> Iterator[RatTask]:
        """Yield one game after the other."""
        config = self.config
        players = get_game(config.game).configuration.make(config.options).players
        for number in itertools.count():
            data = RatTaskData(
                name=f"{config.game}#{number}",
                game=config.game,
                options=config.options,
                opponents=config.opponents,
                seat=number % players,
                seed=(config.seed + number // players) % (MOST_SEED + 1),
                again=config.again,
                memory=config.memory,
            )
            introduction = data.session().situation(data.seat).introduction
            yield RatTask(data.model_copy(update={"system_prompt": introduction}), config.task)


class RatEnvConfig(vf.EnvConfig):
    """Who plays: ``player``, by default in a chat without tools on this machine."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})

    @model_validator(mode="after")
    def _can_be_told_less(self) -> RatEnvConfig:
        memory, harness = getattr(self.taskset, "memory", CONVERSATION), self.player.harness
        if memory != CONVERSATION and (harness is None or harness.id != "null"):
            raise ValueError(
                f"memory={memory!r}: the program that asks the model must be 'null', verifiers' chat without tools, "
                f"not {harness and harness.id!r}; others take memory={CONVERSATION!r} only."
            )
        return self


class _EachDecisionAlone(NullHarness):
    """A chat in which every request holds the messages that it is given, and none from before.

    In the trace the requests are branches that part at the system prompt: each is a sample of its own for training.
    """

    async def resume(self, *task: Any) -> Any:
        """Ask the model: ``task`` ends with the data, the messages and an address."""
        *where, data, messages, tool_interception_url = task
        return await self.launch(*where, data.model_copy(update={"prompt": messages}), tool_interception_url)


class RatEnv(vf.Env[RatEnvConfig]):
    """A game in words: every turn tells the model what has happened since its last answer, and its choices.

    The reward ``seat_return`` is the return of the model's seat, from −1 to 1. A model that names no choice too often,
    or has used up its turns (``max_turns``), has lost; an answer that was cut off names none. If the server fails, for
    example because the game is too long for it, the trace has an error, and neither reward nor metrics.

    Metrics: ``won`` (alone or with others), ``points``, ``decisions`` and ``refused`` answers. The record of a game
    that was played to its end is in ``trace.info["record"]``.
    """

    async def run(self, task: RatTask, agents: vf.Agents) -> None:
        """Play one game."""
        game, player = _PlayedGame(task.data), agents.player
        if not game.is_conversation:
            player.harness = _EachDecisionAlone(player.harness.config)
        await asyncio.to_thread(game.session.advance)
        game.ask()
        async with player.interaction(task) as interaction:
            while game.said:
                segment = await interaction.turn(game.said)
                if segment.terminated:
                    break
                is_cut_off = interaction.trace.calls[-1].finish_reason == "length"
                await asyncio.to_thread(game.answer, segment, is_cut_off)
        trace = interaction.trace
        if not trace.errors and (failure := trace.calls and trace.calls[-1].error):
            trace.record_error(vf.ProviderError(failure.message, status_code=failure.status_code or 502))
        if not trace.errors:
            game.record_on(trace)


class _PlayedGame:
    """A game, the result of the answers so far, and what is ``said`` to the model next: nothing at the end."""

    def __init__(self, data: RatTaskData) -> None:
        self.data, self.session = data, data.session()
        self.is_conversation = data.memory == CONVERSATION
        self.decisions = self.refused = self.in_a_row = 0
        self.said: list[Any] = []

    def ask(self) -> None:
        """Tell the model what has happened, what lies on the table and what it may do."""
        told = "news" if self.is_conversation else self.data.memory
        situation = describe(self.session.position, self.data.seat, self.session.events, whole_story=told == "all")
        self.said = [vf.UserMessage(content=situation.text(told))]

    def answer(self, segment: vf.Segment, is_cut_off: bool) -> None:
        """Apply an answer.

        Args:
            is_cut_off: whether the answer was cut off, and so names no choice.
        """
        try:
            if is_cut_off:
                raise AnswerError(CUT_OFF, HOW_TO_ANSWER)
            action = self.session.situation(self.data.seat).action(segment.last_reply)
        except AnswerError as error:
            self._refuse(segment, error)
            return
        self.in_a_row, self.decisions, self.said = 0, self.decisions + 1, []
        self.session.act(self.data.seat, action)
        self.session.advance()
        if not self.session.is_over:
            self.ask()

    def _refuse(self, segment: vf.Segment, error: AnswerError) -> None:
        """Say what would have been right, to a model that still knows what it was asked; or nothing, at the end."""
        self.refused, self.in_a_row = self.refused + 1, self.in_a_row + 1
        before = [] if self.is_conversation else [*self.said, *segment.messages]
        has_lost = self.in_a_row > self.data.again
        self.said = [] if has_lost else [*before, vf.UserMessage(content=str(error))]

    def record_on(self, trace: vf.Trace) -> None:
        """Write reward, metrics and record."""
        position, seat, over = self.session.position, self.data.seat, self.session.is_over
        returns = position.returns() if over else returns_of_losers(position.configuration.players, [seat])
        trace.record_reward("seat_return", float(returns[seat]), 1.0)
        trace.record_metrics(
            {
                "won": float(over and seat in position.winners()),
                "points": float(position.scores()[seat]),
                "decisions": float(self.decisions),
                "refused": float(self.refused),
            }
        )
        if over:
            trace.info["record"] = self.session.record()
