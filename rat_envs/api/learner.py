"""The learner's single-agent view of many games: its own seat, its own reward, opponents in the other seats.

gymnasium's and Stable-Baselines3's interfaces are thin adaptors over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rat_envs.api.agent import Agent, chosen_actions
from rat_envs.api.agent_code import let_agent_check, naming_agent
from rat_envs.api.copying import CopiedWhole
from rat_envs.api.illegal import demand_illegal, returns_of_losers
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.api.view import render_table
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_actions, checked_index, checked_seed, checked_within, not_legal
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, IllegalActionError, reason_of, shown, shown_name
from rat_envs.engine.files import demand_outline
from rat_envs.engine.game import Game

__all__ = ["LearnerGames", "Opponent"]


#: The number that means "no action" to a batch.
NO_ACTION = -1
#: The keys and types of :meth:`LearnerGames.get_state`, besides ``illegal_actions`` where they are counted.
SAVED = {"games": bytes, "seats": [int], "opponent_of": [int], "weights": [float], "random": dict}
#: The largest plausible count of illegal actions: more than in any game.
MOST_COUNTED = 2**53
#: After this many moves of others in a row, the learner is assumed never to act.
MOST_MOVES_OF_OTHERS = 100_000


class Opponent(Protocol):
    """Anything that can choose actions for several seats at once; every :class:`~rat_envs.api.agent.Agent` is one.

    If an opponent is an ``Agent``, its ``check`` is called before it plays, and ``seed_opponents`` seeds it.
    """

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """One legal action for each seat."""


class LearnerGames(CopiedWhole):
    """``n`` games in each of which a learner holds one seat and opponents the others.

    Players whom actions name are counted clockwise from the learner, as they are in its observations: ``player_1`` is
    its left neighbour. (``game.relative_actions`` says which action of the game that is.)

    A game that others end before the learner has acted in it is not reported.

    The learner's seat moves on by one after every game, unless it is fixed. A game keeps its opponent to its end; then
    the next is drawn from ``opponents`` with ``weights``.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        opponents: the opponents to draw from: agents by name, or any objects with ``act_batch``. Between steps,
            :meth:`set_opponents` changes them.
        n: number of games.
        config: options by name.
        seed: seed of chance, of the draw of opponents, and of opponents given by name. Opponents given as objects keep
            their own random numbers.
        seat: the learner's seat, or None to rotate.
        illegal: what happens if the mask forbids the learner's action: ``raise`` raises an error; ``random`` takes a
            legal action instead, drawn from the game's own play stream; ``lose`` ends the game: the learner loses, and
            all others win together.

    Attributes:
        players: number of seats of each game.
        opponents: the opponents that are drawn for new games, and those that still play games under way.
        weights: (number of opponents) float64 with sum 1, how often each is drawn; 0 for those no longer drawn.
        opponent_of: (n) int64, which of ``opponents`` plays the other seats of each game.
        observations: (n, O) int8 of the learner.
        masks: (n, A) int8, 1 for a legal action. They are read-only, because they define what is legal.
        rewards: (n) float32 of the learner's seat, of the last step.
        dones: (n) bool, where the last step ended a game.
        final_observations: (n, O) int8: where ``dones``, what the learner knew at the end.
        final_states: (n) records of ``STATE``: where ``dones``, the game that ended; for rendering, never for an agent.
        seats: (n) the learner's seats.
        finished_seats: (n) where ``dones``, the seat in which the learner played the game that ended.
        finished_opponents: (n) where ``dones``, the number of the opponent in that game.
        illegal_actions: (n) int64, the number of illegal actions of the learner in each game.
        finished_illegal_actions: (n) int64: where ``dones``, their number in the game that ended.

    Raises:
        ConfigurationError: an option, ``illegal`` or ``seat`` is wrong, there is no opponent, one cannot play, or the
            learner never has anything to decide in its seat.
        CheckpointError, UnknownNameError: for opponents, as in :func:`~rat_envs.api.named_agents.make_agent`.
    """

    def __init__(
        self,
        game: str | Game,
        opponents: Sequence[str | Opponent],
        n: int = 1,
        config: Mapping[str, Any] | Configuration | None = None,
        seed: int | None = None,
        seat: int | None = None,
        illegal: str = "raise",
    ) -> None:
        self.illegal = demand_illegal(illegal)
        if isinstance(config, Sequence):
            raise ConfigurationError(f"config={shown(config)}: must be one configuration, the same for all games.")
        self.batch = Batch(game, n, config, seed, auto_reset=False)
        self.players = self.batch.configurations[0].players
        if seat is not None:
            seat = checked_index("seat", seat, self.players, "or None to rotate")
        self.n = n = self.batch.n
        self.fixed_seat = seat
        self._seed, self.random = seed, drawing_opponents(seed)
        self.observations = self.batch.observations
        self._is_relative = bool(self.batch.game.seat_actions)
        self._own_masks = self.batch.masks.copy() if self._is_relative else self.batch.masks
        self.masks = _read_only(self._own_masks)
        self.rewards = np.zeros(n, np.float32)
        self.dones = np.zeros(n, bool)
        self.final_observations = np.zeros_like(self.batch.observations)
        self.final_states = np.zeros_like(self.batch.states)
        self.seats = np.zeros(n, np.int32)
        self.finished_seats = np.zeros(n, np.int32)
        self.opponent_of = np.zeros(n, np.int64)
        self.finished_opponents = np.zeros(n, np.int64)
        self.illegal_actions = np.zeros(n, np.int64)
        self.finished_illegal_actions = np.zeros(n, np.int64)
        self.opponents: list[Opponent] = []
        self.set_opponents(opponents)
        self.reset()

    def set_opponents(self, opponents: Sequence[str | Opponent], weights: Sequence[float] | None = None) -> None:
        """Set the opponents of new games; games under way keep their opponent.

        Args:
            opponents: the opponents to draw from.
            weights: how often each is drawn, relative to the others; equally often, if not given.

        Raises:
            ConfigurationError: the weights are not one finite number from 0 for each opponent, or they are all 0.
            ConfigurationError, CheckpointError, UnknownNameError: there is no opponent, or one cannot play this.
        """
        if isinstance(opponents, str | Mapping) or not opponents:
            raise ConfigurationError(
                f"opponents={shown(opponents)}: must be a list of at least one opponent; weights say how often each is "
                "drawn."
            )
        shares = shares_of(weights, len(opponents))
        found = [self._found(opponent, number) for number, opponent in enumerate(opponents)]
        known = {id(opponent): number for number, opponent in enumerate(found)}
        kept = list(found)
        for old in [self.opponents[number] for number in self.opponent_of] if self.opponents else []:
            if id(old) not in known:
                known[id(old)] = len(kept)
                kept.append(old)
        if self.opponents:
            self.opponent_of[:] = [known[id(self.opponents[number])] for number in self.opponent_of]
        self.opponents = kept
        self.weights = np.concatenate([shares, np.zeros(len(kept) - len(found))])

    def _found(self, opponent: str | Opponent, number: int) -> Opponent:
        """An opponent that can play this; one given by name is made and seeded here."""
        if isinstance(opponent, str):
            opponent = make_agent(opponent, self.batch.game)
            if self._seed is not None:
                with naming_agent(opponent):
                    opponent.seed([self._seed, number])
        if isinstance(opponent, type) or not callable(getattr(opponent, "act_batch", None)):
            raise ConfigurationError(f"{shown(opponent)} cannot play: name an agent, or give an object with act_batch.")
        if isinstance(opponent, Agent):
            let_agent_check(opponent, self.batch.game, self.batch.configurations[0])
            if opponent.recall:
                raise ConfigurationError(
                    f"opponents: {shown_name(opponent.name)} recalls its seat's last {opponent.recall} decisions, "
                    "which nobody keeps here: wrap a PettingZoo environment in rat_envs.Narrator, or play in the arena."
                )
        return opponent

    def seed_opponents(self, seed: int) -> None:
        """Restart the opponents' random numbers: the same seed and actions then give the same games.

        Raises:
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1.
        """
        seed = checked_seed(seed)
        for number, opponent in enumerate(self.opponents):
            if isinstance(opponent, Agent):
                with naming_agent(opponent):
                    opponent.seed([seed, number])

    def reset(self, seed: int | None = None) -> None:
        """New games everywhere, game ``i`` with the learner in seat ``i % P``, unless its seat is fixed.

        Raises:
            ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1, or the learner never has anything to
                decide in its seat.
        """
        if seed is not None:
            self.random = drawing_opponents(checked_seed(seed))
        self.seats[:] = np.arange(self.n) % self.players if self.fixed_seat is None else self.fixed_seat
        self._begin(seed)

    def abandon(self) -> None:
        """New games everywhere, as if those under way had ended: the learner's seat moves on."""
        self._move_on(slice(None))
        self._begin(None)

    def _begin(self, seed: int | None) -> None:
        self.batch.reset(seed)
        self.opponent_of[:] = self._draw_opponents(self.n)
        self.illegal_actions[:] = 0
        self.rewards[:] = 0
        self.dones[:] = False
        self._play_on()
        self.dones[:] = False

    def step(self, actions: Any) -> None:
        """Apply the learner's action in every game, and everything that follows until it has to act again.

        Raises:
            IllegalActionError: an action is not legal, unless ``illegal`` says otherwise, or it is not a whole number;
                no game has been changed.
        """
        actions = np.broadcast_to(checked_actions(actions, self.n).reshape(-1), self.n)
        lost: Any = ()
        if self.illegal != "raise":
            forbidden = self._forbidden(actions)
            actions = actions.astype(np.int64)
            for i in forbidden.tolist():
                actions[i] = self.batch.draw_legal(i, self.masks[i])
            self.illegal_actions[forbidden] += 1
            lost = forbidden if self.illegal == "lose" else ()
        if self._is_relative:
            actions = self._of_game(actions)
        if (actions < 0).any():  # which means "no action" to a batch
            i = int(np.argmax(actions < 0))
            raise IllegalActionError(f"Game {i}: {self.batch.explain(i, actions[i].item())}")
        if len(lost):
            actions[lost] = NO_ACTION
        self.batch.step(actions)
        for i in lost:  # as if the batch had ended them
            self.batch.rewards[i, : self.players] = returns_of_losers(self.players, [int(self.seats[i])])
            self.batch.dones[i] = 1
        self.rewards[:] = 0
        self.dones[:] = False
        self._play_on()

    def _forbidden(self, actions: np.ndarray) -> np.ndarray:
        """The games whose mask forbids the learner's action."""
        inside = actions.clip(0, self.masks.shape[1] - 1)
        return np.flatnonzero((inside != actions) | (np.take_along_axis(self.masks, inside[:, None], 1)[:, 0] == 0))

    def _meanings(self) -> np.ndarray:
        """(n, A): the game's action for each number, as the learner's seat counts players."""
        return self.batch.game.relative_actions[self.players, self.seats]

    def _of_game(self, actions: np.ndarray) -> np.ndarray:
        """The learner's actions as the game numbers them.

        Raises:
            IllegalActionError: an action is not legal.
        """
        meanings = self._meanings()
        illegal = self._forbidden(actions)
        if len(illegal):
            raise IllegalActionError(self.explain(int(illegal[0]), actions[illegal[0]].item()))
        return np.take_along_axis(meanings, actions[:, None], 1)[:, 0]

    def explain(self, i: int, action: Any) -> str:
        """Why the learner cannot take an action in game ``i``, and which ones it could, as it numbers actions."""
        words = self.batch.game.actions
        if self._is_relative:
            words = tuple(words[meaning] for meaning in self._meanings()[i])
        return not_legal(f"Game {i}: the learner", action, words, self.masks[i])

    def choices_of(self, agent: Opponent) -> np.ndarray:
        """(n) int64: an agent's actions in the learner's place now, as the learner numbers actions."""
        actions = chosen_actions(agent, SeatViews(self.batch)).astype(np.int64)
        return np.argmax(self._meanings() == actions[:, None], axis=1) if self._is_relative else actions

    def _play_on(self) -> None:
        """Begin new games where one has ended and let opponents act, until the learner has to act in all games.

        Raises:
            ConfigurationError: it never has to.
        """
        batch = self.batch
        for _ in range(MOST_MOVES_OF_OTHERS):
            if batch.dones.any():
                self._finish(np.flatnonzero(batch.dones))
            waiting = np.flatnonzero(batch.actors != self.seats)
            if not len(waiting):
                self._show_masks()
                return
            actions = np.full(self.n, NO_ACTION, np.int32)
            owners = self.opponent_of[waiting]
            for number in np.unique(owners):
                games = waiting[owners == number]
                actions[games] = chosen_actions(self.opponents[number], SeatViews(batch, games))
            batch.step(actions)
        raise ConfigurationError(
            f"The learner's seat {int(self.seats[waiting[0]])} had nothing to decide in {MOST_MOVES_OF_OTHERS:,} moves "
            f"of others in {batch.game.title}: give it another seat."
        )

    def _show_masks(self) -> None:
        if self._is_relative:
            self._own_masks[:] = np.take_along_axis(self.batch.masks, self._meanings(), 1)

    def _finish(self, over: np.ndarray) -> None:
        """Report the games that are over, and begin new ones in their place."""
        batch = self.batch
        ended = over[~self.dones[over]]  # the other games ended before the learner had acted in them
        self.dones[ended] = True
        self.rewards[ended] = batch.rewards[ended, self.seats[ended]]
        self.final_observations[ended] = batch.observe(self.seats[ended], ended)
        whole = np.dtype((np.void, batch.states.itemsize))  # numpy copies a record as a whole, not field by field
        self.final_states.view(whole)[ended] = batch.states.view(whole)[ended]
        self.finished_seats[ended] = self.seats[ended]
        self.finished_opponents[ended] = self.opponent_of[ended]
        self.finished_illegal_actions[ended] = self.illegal_actions[ended]
        self.illegal_actions[ended] = 0
        self._move_on(over)
        self.opponent_of[over] = self._draw_opponents(len(over))
        batch.reset_done()
        batch.dones[:] = 0

    def _move_on(self, games: np.ndarray | slice) -> None:
        """Give the learner the next seat in some games, unless its seat is fixed."""
        if self.fixed_seat is None:
            self.seats[games] = (self.seats[games] + 1) % self.players

    def _draw_opponents(self, number: int) -> np.ndarray:
        return np.searchsorted(np.cumsum(self.weights)[:-1], self.random.random(number), side="right")

    def render(self, i: int, mode: str, ended: bool = False) -> str | np.ndarray | None:
        """Render game ``i`` as the learner sees it; with ``ended``, where ``dones``, the game that has ended.

        Returns:
            The result of :func:`~rat_envs.api.view.render_table` in this mode.
        """
        states, seats = (self.final_states, self.finished_seats) if ended else (self.batch.states, self.seats)
        return render_table(self.batch.game, states[i], int(seats[i]), mode)

    def get_state(self) -> dict[str, Any]:
        """Everything but the opponents themselves, as plain values and bytes."""
        counts = {} if self.illegal == "raise" else {"illegal_actions": self.illegal_actions.tolist()}
        return {
            **counts,
            "games": self.batch.get_state(),
            "seats": self.seats.tolist(),
            "opponent_of": self.opponent_of.tolist(),
            "weights": self.weights.tolist(),
            "random": self.random.bit_generator.state,
        }

    def set_state(self, state: Mapping[str, Any], opponents: Sequence[Opponent]) -> None:
        """Restore what :meth:`get_state` returned.

        Args:
            state: its result.
            opponents: those in ``self.opponents`` at that time, in the same order.

        Raises:
            ConfigurationError, CheckpointError: an opponent cannot play this.
            CheckpointError: the state is damaged, or of another game, configuration, or number of games or opponents;
                nothing has changed.
        """
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            raise ConfigurationError(f"opponents={shown(opponents)}: must be a list of those that there were.")
        opponents = [self._found(opponent, number) for number, opponent in enumerate(opponents)]
        kept = self.batch.get_state()
        try:
            demand_outline(state, SAVED, "the state")
            saved = self._arrays_of(state, len(opponents))
            random = np.random.default_rng()
            random.bit_generator.state = state["random"]
            self.batch.set_state(state["games"])
            if (self.batch.actors != saved["seats"]).any():
                raise ValueError("the learner is not to act in every game")
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            self.batch.set_state(kept)
            raise CheckpointError(f"The saved games do not fit: {reason_of(error)}.") from None
        self.opponents, self.random, self.weights = opponents, random, saved.pop("weights")
        for name, array in saved.items():
            getattr(self, name)[:] = array
        self._show_masks()

    def _arrays_of(self, state: Mapping[str, Any], opponents: int) -> dict[str, np.ndarray]:
        """The arrays of a saved state by game and by opponent.

        Raises:
            ValueError: a number is impossible.
        """
        counts = state.get("illegal_actions", [0] * self.n)
        demand_outline(counts, [int], "illegal_actions")
        lists = {"seats": state["seats"], "opponent_of": state["opponent_of"], "illegal_actions": counts}
        if any(len(each) != self.n for each in lists.values()):
            raise ValueError(f"it is not of {self.n} games")
        limits = {"seats": self.players, "opponent_of": opponents, "illegal_actions": MOST_COUNTED}
        arrays = {name: checked_within(name, lists[name], limit) for name, limit in limits.items()}
        if self.fixed_seat is not None and (arrays["seats"] != self.fixed_seat).any():
            raise ValueError(f"the learner's seat is {self.fixed_seat} in every game here")
        shares_of(state["weights"], opponents)
        weights = np.array(state["weights"], float)
        if abs(weights.sum() - 1) > 1e-9:
            raise ValueError("its weights do not add up to 1")
        return {**arrays, "weights": weights}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.observations = self.batch.observations  # the batch's own array, not a copy
        if not self._is_relative:
            self._own_masks = self.batch.masks
        self.masks = _read_only(self._own_masks)


def _read_only(array: np.ndarray) -> np.ndarray:
    """The same memory as a read-only array."""
    view = array.view()
    view.flags.writeable = False
    return view


def drawing_opponents(seed: int | None) -> np.random.Generator:
    """Random numbers different from the opponents' (NumPy treats ``[seed, 0]``, the first one's seed, like
    ``seed``)."""
    return np.random.default_rng(None if seed is None else [seed, 0, 1])


def shares_of(weights: Any, number: int) -> np.ndarray:
    """(number,) with sum 1: how often each opponent is drawn, from weights; equally often, without weights.

    Raises:
        ConfigurationError: they are not one finite, non-negative number for each, or they are all 0.
    """
    try:
        numbers = np.ones(number) if weights is None else np.asarray(weights, float)
    except (TypeError, ValueError):  # not numbers, or lists of different lengths
        numbers = np.array(np.nan)
    with np.errstate(over="ignore"):
        total = numbers.sum()
    if numbers.shape != (number,) or not (numbers >= 0).all() or not 0 < total < np.inf:
        right = f"must be {number} finite numbers from 0, one for each opponent, and not all 0"
        raise ConfigurationError(f"weights={shown(weights)}: {right}.")
    shares: np.ndarray = numbers / total
    return shares
