"""Games and states for OpenSpiel's algorithms, over the engine's contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rat_envs.api.openspiel.node import Node, begin, drawn_anew
from rat_envs.api.openspiel.observers import InformationStateObserver, ObservationObserver
from rat_envs.api.openspiel.parameters import chosen, normal, specification
from rat_envs.engine.checks import checked_index
from rat_envs.engine.configuration import Integer
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, needing, shown
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import all_games, get_game

with needing("rat_envs.api.openspiel", "openspiel"):
    import pyspiel

__all__ = ["LONGEST_GAME", "RatGame", "RatState", "openspiel_name", "register_all"]

#: The most decisions, or events of chance, in a game. OpenSpiel needs a number, but some games have no bound: in Comme
#: des Rats a round can go on as long as the dice heal the wounds from the cat.
LONGEST_GAME = 10_000

#: The number of different fractions in double precision.
DIFFERENT_SEEDS = 2**53

SPECIAL_PLAYERS = {CHANCE: pyspiel.PlayerId.CHANCE, TERMINAL: pyspiel.PlayerId.TERMINAL}


def openspiel_name(game: str | Game) -> str:
    """The name under which OpenSpiel knows a game.

    Raises:
        UnknownNameError: there is no such game.
    """
    return f"python_rat_{get_game(game).name}"


class RatGame(pyspiel.Game):
    """A game in one configuration. OpenSpiel makes it, from the subclass that :func:`class_of` makes for a game.

    Args:
        parameters: options by name as OpenSpiel's parameters, or a ``preset``.

    Attributes:
        game: the game.
        game_type: OpenSpiel's facts about it that hold in all configurations.
        root: the first node; with a preset, the one after its opening.

    Raises:
        ConfigurationError: a parameter is not admissible.
        UnknownNameError: the game has no such preset.
    """

    game: Game
    game_type: pyspiel.GameType

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        parameters = parameters or {}
        root = begin(self.game, chosen(self.game, parameters))
        info = game_info_of(self.game, len(root.histories))
        super().__init__(self.game_type, info, normal(self.game, parameters))
        self.root = root

    def __reduce__(self) -> tuple[Callable[[str], pyspiel.Game], tuple[str]]:
        """Pickle the game's name with its parameters, because its class is not in a module."""
        return load, (str(self),)

    def new_initial_state(self) -> RatState:
        """A state at the root."""
        return RatState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The bound ``LONGEST_GAME``: OpenSpiel needs a number, but some games have no bound."""
        return LONGEST_GAME

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> Any:
        """An observer of states: of information states (with perfect recall), or of observations.

        None for other kinds: public and private information cannot be observed separately.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return InformationStateObserver(self.root) if kind.perfect_recall else ObservationObserver(self.root)


class RatState(pyspiel.State):
    """A game at one node.

    Attributes:
        node: the node, with everything that every seat has seen and done. The rest is OpenSpiel's, so a copy is cheap.
            The configuration and the history are serialised.
    """

    def __init__(self, game: RatGame) -> None:
        super().__init__(game)
        self.node: Node = game.root

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's number for chance or the end."""
        return SPECIAL_PLAYERS.get(self.node.actor, self.node.actor)

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self.node.possible).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every possible outcome with its probability.

        Raises:
            IllegalActionError: this is not a chance node.
        """
        if self.node.actor != CHANCE:
            raise IllegalActionError("chance_outcomes: this is no chance node.")
        outcomes = np.flatnonzero(self.node.possible)
        weights = self.node.possible[outcomes]
        return list(zip(outcomes.tolist(), (weights / weights.sum()).tolist(), strict=True))

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.node.game
        words = game.outcomes if player == pyspiel.PlayerId.CHANCE else game.actions
        return words[checked_index("action", action, len(words))]

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node.actor == TERMINAL

    def returns(self) -> list[float]:
        """The zero-sum result by seat; 0 for all until the game is over."""
        return self.node.returns.tolist()

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> RatState:
        """A random state that ``player_id`` cannot tell from this one.

        All that ``player_id`` cannot know is drawn anew, as by ``determinize``; its information state stays the same.
        The new state has no history, because no game has led to it.

        Args:
            player_id: the number of the seat.
            probability_sampler: returns numbers from 0 to 1; equal numbers give equal states.

        Raises:
            ConfigurationError: there is no such seat, or a number is not from 0 to 1.
            IllegalActionError: no player is to act: this is a chance node, or the game is over.
        """
        seat = checked_index("player_id", player_id, len(self.node.histories))
        number = probability_sampler()
        if not 0 <= number <= 1:
            raise ConfigurationError(f"probability_sampler: gave {shown(number)}, not a number from 0 to 1.")
        seed = int(number * DIFFERENT_SEEDS)
        state = self.get_game().new_initial_state()
        state.node = drawn_anew(self.node, seat, new_stream(self.node.game, seed))
        return state

    def text(self, point_of_view: int | None = None) -> str:
        """The table in words, as a seat (or None: as everybody) sees it.

        Raises:
            ConfigurationError: there is no such seat.
        """
        if point_of_view is not None:
            point_of_view = checked_index("point_of_view", point_of_view, self.num_players(), "or None")
        return self.node.game.text(self.node.rows[0], point_of_view)

    def __str__(self) -> str:
        """The notation of all events so far, separated by commas."""
        return ", ".join(self.action_to_string(step.player, step.action) for step in self.full_history())


def game_type_of(game: Game) -> pyspiel.GameType:
    """OpenSpiel's facts about a game that hold in all configurations."""
    seats = game.configuration.options().get("players")
    fewest, most = (seats.low, seats.high) if isinstance(seats, Integer) else (game.seats, game.seats)
    return pyspiel.GameType(
        short_name=openspiel_name(game),
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=fewest,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification(game),
    )


def game_info_of(game: Game, players: int) -> pyspiel.GameInfo:
    """OpenSpiel's facts about a game with this number of players."""
    return pyspiel.GameInfo(
        num_distinct_actions=len(game.actions),
        max_chance_outcomes=len(game.outcomes),
        num_players=players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=LONGEST_GAME,
    )


def load(name: str) -> pyspiel.Game:
    """Load a game by its name with parameters; importing this package has registered ours."""
    register_all()
    return pyspiel.load_game(name)


def class_of(game: Game) -> type[RatGame]:
    """The class from which OpenSpiel makes a game: it needs one for each game."""
    return type(openspiel_name(game), (RatGame,), {"game": game, "game_type": game_type_of(game)})


def register_all() -> None:
    """Register all our games with OpenSpiel that it does not know yet."""
    known = set(pyspiel.registered_names())
    for game in all_games().values():
        if openspiel_name(game) not in known:
            made_by = class_of(game)
            pyspiel.register_game(made_by.game_type, made_by)
