"""One game of random play, in which every function of the game is called at every node and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rat_envs.engine.choices import Offer, offer
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder
from rat_envs.testing.demanding import demand, named

__all__ = ["Walk", "other_seed"]

#: The accepted error of returns.
ROUNDING = 1e-6
#: The number of nodes after which a game is said not to end.
LONGEST_GAME = 100_000
#: ``determinize`` is called at this many nodes at the beginning, then at one of that many: interpreted, it is slow.
EVERY_NODE, EVERY_SO_MANY = 12, 20


def other_seed(seed: int) -> int:
    """A seed with other random numbers than those by which the game of ``seed`` is dealt."""
    return (seed + 2**32) % 2**64


class Walk:
    """One game of random play.

    Args:
        game: the game.
        configuration: its options.
        seed: seed of everything.
        compiled: whether its functions are compiled.

    Attributes:
        position: the present node.
        recorder: writes down what happens.
        unseen: the seats whose choices nobody has seen yet, as ``simultaneous`` says.
    """

    def __init__(self, game: Game, configuration: Configuration, seed: int, compiled: bool) -> None:
        self.game, self.seed, self.compiled = game, seed, compiled
        self.players = configuration.players
        with named("setup"):
            self.position = Position(game, configuration, compiled)
        self.stream = new_stream(game, seed, compiled)
        self.recorder = Recorder(self.position)
        self.options = self.position.state["config"].tobytes()
        self.fixed: bytes | None = None
        self.unseen: list[int] = []

    def walk(self) -> Iterator[tuple[str, int]]:
        """Play to the end; yield every function that is called, and a hash of its result or of the row after it.

        Raises:
            ContractError: one of them breaks the contract.
        """
        yield "setup", self._row()
        for _ in range(LONGEST_GAME):
            actor = self._actor()
            yield "actor", actor
            self._unseen_until_another_chooses(actor)
            if actor == TERMINAL:
                break
            yield from self._chance() if actor == CHANCE else self._decision(actor)
            action = self.position.sample(self.stream)
            with named(f"apply of {action!r}"), np.errstate(over="raise"):
                self.recorder.apply(action)
            self._same_options(self.position, f"apply of {action!r}")
            yield f"apply of {action!r}", self._row()
        demand(actor == TERMINAL, f"apply leads to no end in {LONGEST_GAME:,} nodes: games must end.")
        demand(self.recorder.steps, "actor says that a new game is over: somebody, or chance, must be to act.")
        yield from self._end()

    def _row(self) -> int:
        return hash(self.position.state.tobytes())

    def _pure(self, what: str, function: Callable[[Any], Any]) -> Any:
        """The result of a function of the row, which must not change the row."""
        before = self.position.state.tobytes()
        with named(what), np.errstate(over="raise"):
            result = function(self.position.state)
        demand(
            self.position.state.tobytes() == before, f"{what} changes the row: only setup, apply and determinize may."
        )
        return result

    def _actor(self) -> int:
        actor = self._pure("actor", self.position.program.actor)
        right = isinstance(actor, int | np.integer) and (actor in (CHANCE, TERMINAL) or 0 <= actor < self.players)
        demand(right, f"actor returns {actor}: it must be a seat below {self.players}, CHANCE or TERMINAL.")
        return int(actor)

    def _unseen_until_another_chooses(self, actor: int) -> None:
        demand(
            not self.unseen or (actor >= 0 and actor not in self.unseen),
            f"simultaneous says of the seats {self.unseen} that their choices stay unseen until another has chosen, "
            "but none is next that has not: it must be false for the last of those who choose at once.",
        )

    def _chance(self) -> Iterator[tuple[str, int]]:
        weights = self._pure("chance", lambda row: self.position.weights())
        demand((weights >= 0).all(), "chance writes a negative weight: weights are whole numbers from 0.")
        total = int(weights.sum(dtype=np.int64))
        demand(
            0 < total < 2**31,
            f"chance writes weights that add up to {total}: they must add up to a number from 1 to 2^31 - 1.",
        )
        yield "chance", hash(weights.tobytes())

    def _decision(self, actor: int) -> Iterator[tuple[str, int]]:
        mask = self._pure("legal", lambda row: self.position.mask())
        demand(np.isin(mask, (0, 1)).all(), f"legal writes {mask.max()} into the mask: it must write 1, or nothing.")
        demand(mask.any(), f"legal allows player_{actor} nothing, though it is to act: it must allow something.")
        yield "legal", hash(mask.tobytes())
        is_unseen, is_answer = (
            bool(self._pure(what, getattr(self.position.program, what))) for what in ("simultaneous", "answering")
        )
        yield "simultaneous or answering", 2 * is_unseen + is_answer
        self.unseen = [*self.unseen, actor] if is_unseen else []
        if not self.compiled:
            self._offered(self.position, mask)
        for action in np.flatnonzero(mask).tolist():
            yield self._branch(action)
        for seat in range(self.players):
            yield self._observation(seat)
        steps = len(self.recorder.steps)
        if steps < EVERY_NODE or steps % EVERY_SO_MANY == 0:
            for seat in sorted({actor, (steps + steps // EVERY_SO_MANY) % self.players}):
                yield self._resample(seat)

    def _branch(self, action: int) -> tuple[str, int]:
        """Check a legal action on a copy; return what was called, and a hash of the row after it and of its counts."""
        counts = np.zeros((self.game.seats, len(self.game.metrics)), np.int32)
        self._pure("tally", lambda row: self.position.program.tally(row, action, counts))
        copy, what = self.position.copy(), f"apply of the legal action {self.game.actions[action]!r}"
        with named(what), np.errstate(over="raise"):
            copy.program.apply(copy.state, action)
        self._same_options(copy, what)
        return what, hash(copy.state.tobytes() + counts.tobytes())

    def _same_options(self, copy: Position, what: str) -> None:
        same = copy.state["config"].tobytes() == self.options
        demand(same, f"{what} changes the configuration in the row: it must stay as it is.")

    def _offered(self, position: Position, mask: np.ndarray) -> Offer:
        """Check that a person is offered all legal actions, each once."""
        with named("offer"):
            offered = offer(position)
        actions = sorted(choice.action for choice in offered.choices)
        demand(
            actions == np.flatnonzero(mask).tolist(),
            f"offer has choices for the actions {actions} where {np.flatnonzero(mask).tolist()} are legal: it must "
            "have one for each.",
        )
        return offered

    def _observation(self, seat: int) -> tuple[str, int]:
        seen = self._pure("observe", lambda row: self.position.observe(seat)).tobytes()
        fixed = seen[self.game.bytes_before_fixed :]
        self.fixed = fixed if self.fixed is None else self.fixed
        demand(
            fixed == self.fixed,
            f"observe or observe_fixed writes fields from {self.game.fixed_from!r} on that differ between seats or "
            "nodes: only what stays the same through a game may stand there.",
        )
        return "observe", hash(seen)

    def _resample(self, seat: int) -> tuple[str, int]:
        copy, seen = self.position.copy(), self.position.observe(seat)
        with named("determinize"):
            copy.determinize(seat, new_stream(self.game, other_seed(self.seed), self.compiled))
        self._same_options(copy, "determinize")
        same = copy.observe(seat).tobytes() == seen.tobytes()
        demand(
            same, f"determinize changes what player_{seat} observes: it may replace only what that seat cannot know."
        )
        if self.position.actor == seat:
            same = copy.actor == seat and copy.mask().tobytes() == self.position.mask().tobytes()
            demand(same, f"determinize changes what player_{seat} may do: the mask must stay as it is.")
            self._offered_the_same(copy)
        resampled = copy.state.tobytes()
        with named("public"):
            copy.program.public(copy.state)
        self._same_to_everybody(copy, seat)
        return "determinize or public", hash(resampled + copy.state.tobytes())

    def _offered_the_same(self, resample: Position) -> None:
        """Check that what a seat is offered reveals nothing."""
        if not self.compiled:
            mask = self.position.mask()
            same = self._offered(self.position, mask) == self._offered(resample, mask)
            demand(same, "offer depends on what the seat to act cannot know: that was replaced.")

    def _same_to_everybody(self, resample: Position, seat: int) -> None:
        """Check that ``public`` takes back unseen choices, and that ``determinize`` replaces only these if nothing else
        is hidden."""
        truth = self.position.copy()
        truth.program.public(truth.state)
        taken_back = truth.state.tobytes() != self.position.state.tobytes()
        demand(
            not taken_back or truth.program.simultaneous(truth.state),
            "public takes back a choice of which simultaneous does not say that it stays unseen: it must say so at the "
            "node where the choice is made.",
        )
        if self.position.configuration.hidden_information() is not None:
            return
        demand(
            truth.state.tobytes() == resample.state.tobytes(),
            f"determinize for player_{seat} replaces more than public takes back, though hidden_information says that "
            "nothing but simultaneous choices is hidden: it must name what else is hidden, or simultaneous and public "
            "must declare the choices that are made at once.",
        )

    def _end(self) -> Iterator[tuple[str, int]]:
        returns = self._pure("returns", lambda row: self.position.returns())
        demand(max(map(abs, returns)) <= 1, f"returns gives {returns}: a return must be from -1 to 1.")
        demand(abs(sum(returns)) < ROUNDING, f"returns gives {returns}: they must add up to 0.")
        yield "returns", hash(tuple(returns))
        yield "scores", hash(tuple(self._pure("scores", lambda row: self.position.scores())))
        winners = self._pure("winners", lambda row: self.position.winners())
        demand(
            all(seat < self.players for seat in winners),
            f"winners names the seats {winners}: it must name seats below {self.players}.",
        )
        demand(
            winners or max(returns) < ROUNDING,
            f"winners names nobody where returns gives {returns}: it must name those that have won.",
        )
        yield "winners", hash(tuple(winners))
        out = np.zeros(self.game.seats, np.int8)
        self._pure("eliminated", lambda row: self.position.program.eliminated(row, out))
        eliminated = np.flatnonzero(out).tolist()
        demand(
            not set(eliminated) & set(winners) and all(seat < self.players for seat in eliminated),
            f"eliminated names the seats {eliminated} where {winners} have won: it must name other seats below "
            f"{self.players}.",
        )
        yield "eliminated", hash(tuple(eliminated))
