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
from typing import Any

from rat_envs.api.illegal import returns_of_losers
from rat_envs.api.text import CUT_OFF, HOW_TO_ANSWER
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.errors import AnswerError, ConfigurationError, MissingExtraError
from rat_envs.engine.registry import get_game
from rat_envs.play.seating import PERSON
from rat_envs.play.session import Session

try:
    import verifiers.v1 as vf
    from pydantic import Field
except ImportError as error:
    raise MissingExtraError(
        f'Games for verifiers need verifiers ({error}): pip install "verifiers>=0.4"', name="verifiers"
    ) from error

__all__ = ["RatEnv", "RatEnvConfig", "RatTask", "RatTaskData", "RatTaskset", "RatTasksetConfig"]


class RatTasksetConfig(vf.TasksetConfig):
    """Which games are played.

    Attributes:
        game: the game's name.
        options: options of the game by name.
        opponents: the name of the agent at the other seats.
        seed: seed of chance and of the opponents in the first game; the next one has the next seed.
        again: after how many answers in a row that name no choice the model may answer again; the next one loses the
            game.
    """

    game: str = "brave_rats"
    options: dict[str, Any] = {}
    opponents: str = "random"
    seed: int = Field(0, ge=0, le=MOST_SEED)
    again: int = Field(2, ge=0)


class RatTaskData(vf.TaskData):
    """One game: everything that determines it except the model's answers."""

    game: str
    options: dict[str, Any]
    opponents: str
    seat: int
    seed: int
    again: int

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
            )
            introduction = data.session().situation(data.seat).introduction
            yield RatTask(data.model_copy(update={"system_prompt": introduction}), config.task)


class RatEnvConfig(vf.EnvConfig):
    """Who plays: ``player``, by default in a chat without tools on this machine."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


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
        data, game = task.data, _PlayedGame(task.data)
        await asyncio.to_thread(game.session.advance)
        async with agents.player.interaction(task) as interaction:
            message = game.session.situation(data.seat).text()
            while message:
                segment = await interaction.turn(message)
                if segment.terminated:
                    break
                is_cut_off = interaction.trace.calls[-1].finish_reason == "length"
                message = await asyncio.to_thread(game.answer, segment.last_reply, is_cut_off)
        trace = interaction.trace
        if not trace.errors and (failure := trace.calls and trace.calls[-1].error):
            trace.record_error(vf.ProviderError(failure.message, status_code=failure.status_code or 502))
        if not trace.errors:
            game.record_on(trace)


class _PlayedGame:
    """A game, and the result of the answers so far."""

    def __init__(self, data: RatTaskData) -> None:
        self.data, self.session = data, data.session()
        self.decisions = self.refused = self.in_a_row = 0

    def answer(self, text: str, is_cut_off: bool) -> str:
        """Apply an answer; return what the model is told next, or nothing if the game is over for it.

        Args:
            is_cut_off: whether the answer was cut off, and so names no choice.
        """
        try:
            if is_cut_off:
                raise AnswerError(CUT_OFF, HOW_TO_ANSWER)
            action = self.session.situation(self.data.seat).action(text)
        except AnswerError as error:
            self.refused, self.in_a_row = self.refused + 1, self.in_a_row + 1
            return "" if self.in_a_row > self.data.again else str(error)
        self.in_a_row, self.decisions = 0, self.decisions + 1
        self.session.act(self.data.seat, action)
        self.session.advance()
        return "" if self.session.is_over else self.session.situation(self.data.seat).text()

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
