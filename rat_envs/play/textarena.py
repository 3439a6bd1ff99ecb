"""Games for TextArena: all our games behind its interface, in words.

>>> import textarena
>>> from rat_envs.play.textarena import register
>>> register()
>>> env = textarena.make("rat_envs/BraveRats-v0")
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rat_envs.api.illegal import returns_of_losers
from rat_envs.engine.checks import checked_whole
from rat_envs.engine.errors import AnswerError, ConfigurationError, MissingExtraError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games, get_game
from rat_envs.play.seating import PERSON
from rat_envs.play.session import Session, drawn_seed

try:
    import textarena
    from textarena.core import ObservationType
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
    from textarena.wrappers import ActionFormattingWrapper, LLMObservationWrapper
except ImportError as error:
    raise MissingExtraError(
        f"Games for TextArena need textarena ({error}): pip install textarena", name="textarena"
    ) from error

__all__ = ["GameObservationWrapper", "NewestTableObservationWrapper", "TextArenaEnv", "register"]


class TextArenaEnv(textarena.Env):
    """A rat game as an environment of TextArena.

    ``reset`` tells every player the rules. The player to act is told the news since its last action, the table and its
    choices; nobody else is told its answer. :func:`rat_envs.api.text.parse` documents possible answers. The rewards are
    the game's returns: zero-sum, 1 for a player who wins alone.

    Args:
        game: a registered name or a game.
        error_allowance: how many answers in a row may name no choice. After each of these the player is told what would
            have been right; the next one loses the game.
        config: options of the game, except ``players``, which is an argument of ``reset``.

    Raises:
        ConfigurationError: an option is wrong, or ``players`` is one of them.
    """

    def __init__(self, game: str | Game, error_allowance: int = 3, **config: Any) -> None:
        self.game = get_game(game)
        self.error_allowance = checked_whole("error_allowance", error_allowance)
        if self.error_allowance < 0:
            raise ConfigurationError(f"error_allowance={error_allowance}: must be 0 or more.")
        if "players" in config:
            raise ConfigurationError(f"players={shown(config['players'])}: reset is told how many play (num_players).")
        self.config = config
        self.game.configuration.make(config)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """A new game; without ``seed`` with random numbers from the operating system.

        Raises:
            ConfigurationError: the game is not for this number of players, or cannot have this seed.
        """
        num_players = checked_whole("num_players", num_players)
        configuration = self.game.configuration.make(_with_players(self.game, self.config, num_players))
        seed = drawn_seed() if seed is None else seed
        self.session = Session(self.game, configuration, [PERSON] * num_players, seed)
        self.session.advance()
        self.state = textarena.MinimalMultiPlayerState(num_players, error_allowance=self.error_allowance)
        self.state.reset(game_state={}, player_prompt_function=self._introduction)
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the player to act; return whether the game is over, and an empty info."""
        player = self.state.current_player_id
        self.state.add_observation(action, ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        try:
            chosen = self.session.situation(player).action(_unwrapped(action))
        except AnswerError as error:
            return self._refuse(player, error)
        self.session.act(player, chosen)
        self.session.advance()
        done, info = self.state.step()
        if self.session.is_over:
            self._finish(dict(enumerate(self.session.position.returns())), "The game is over.")
            return True, info
        self._ask()
        return done, info

    def _refuse(self, player: int, error: AnswerError) -> tuple[bool, dict[str, Any]]:
        """Tell the player what would have been right; or end the game, after too many errors."""
        if self.state.error_count < self.error_allowance:
            self.state.error_count += 1
            self.state.add_observation(str(error), ObservationType.GAME_ADMIN, to_id=player)
            return False, {}
        self.state.game_info[player]["invalid_move"] = True
        returns = returns_of_losers(self.state.num_players, [player])
        self._finish(dict(enumerate(returns.tolist())), f"Player {player} loses: its answers name no choice.")
        return True, {}

    def _ask(self) -> None:
        """Tell the player to act what has happened, and its choices."""
        situation = self.session.situation()
        player = situation.seat
        self.state.manually_set_current_player_id(player)
        if situation.news:
            self.state.add_observation(" ".join(situation.news), ObservationType.GAME_MESSAGE, to_id=player)
        self.state.add_observation(situation.text(told=""), ObservationType.GAME_BOARD, to_id=player)

    def _finish(self, rewards: Mapping[int, float], reason: str) -> None:
        self.state.rewards, self.state.done = dict(rewards), True
        for player, info in self.state.game_info.items():
            info["reason"] = reason
            situation = self.session.situation(player)
            last = " ".join([*(situation.news or ()), reason])
            self.state.add_observation(last, ObservationType.GAME_MESSAGE, to_id=player)

    def _introduction(self, player_id: int, game_state: Any) -> str:
        return self.session.situation(player_id).introduction


class GameObservationWrapper(LLMObservationWrapper):
    """TextArena's wrapper that shows everything a player has been told, limited to this game."""

    def reset(self, num_players: int, seed: int | None = None) -> Any:
        """Begin another game; errors are those of :meth:`TextArenaEnv.reset`."""
        self.full_observations: dict[int, list[Any]] = {}
        return self.env.reset(num_players=num_players, seed=seed)


class NewestTableObservationWrapper(GameObservationWrapper):
    """The same without the tables and choices of earlier decisions, which are most of a long game's text."""

    def observation(self, player_id: int, observation: Any) -> str:
        """The text that a player is shown now."""
        super().observation(player_id, observation)
        told = self.full_observations[player_id]
        tables = [number for number, (_, _, kind) in enumerate(told) if kind is ObservationType.GAME_BOARD]
        self.full_observations[player_id] = [one for number, one in enumerate(told) if number not in tables[:-1]]
        return str(super().observation(player_id, None))


def register() -> list[str]:
    """Register every game with ``textarena.make``; return their names there, such as ``rat_envs/BraveRats-v0``.

    They have TextArena's usual wrappers; ``…-short`` shows only the newest table, and ``…-raw`` has no wrappers.
    """
    wrappers = {
        "default": [GameObservationWrapper, ActionFormattingWrapper],
        "-short": [NewestTableObservationWrapper, ActionFormattingWrapper],
    }
    names = []
    for game in all_games().values():
        if game.gymnasium_id not in ENV_REGISTRY:
            register_with_versions(game.gymnasium_id, partial(TextArenaEnv, game.name), wrappers)
        names.append(game.gymnasium_id)
    return names


def _unwrapped(action: str) -> str:
    """An answer without the brackets that ``ActionFormattingWrapper`` puts around a whole answer that has none."""
    inner = action[1:-1]
    is_wrapped = action[:1] == "[" and action[-1:] == "]" and "[" not in inner and "]" not in inner
    return inner if is_wrapped else action


def _with_players(game: Game, config: Mapping[str, Any], players: int) -> dict[str, Any]:
    """The options with a number of players.

    Raises:
        ConfigurationError: the game is for another number.
    """
    if "players" in game.configuration.options():
        return {**config, "players": players}
    right = game.configuration.make(config).players
    if players != right:
        raise ConfigurationError(f"num_players={shown(players)}: {game.title} is for {right} players.")
    return dict(config)
