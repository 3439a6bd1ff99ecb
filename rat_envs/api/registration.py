"""Entering games into PettingZoo's and gymnasium's registries, and functions to make environments without these."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from rat_envs.engine import registry
from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.game import Game, environment_id, gymnasium_id

if TYPE_CHECKING:
    from rat_envs.api.aec import RatAECEnv
    from rat_envs.api.learner import Opponent
    from rat_envs.api.parallel import RatParallelEnv
    from rat_envs.api.single import RatVectorEnv

__all__ = ["make", "make_parallel", "make_vec", "register", "register_environments", "unregister"]


def make(
    game: str | Game,
    *,
    render_mode: str | None = None,
    point_of_view: str = "own",
    flat: bool = False,
    illegal: str = "raise",
    **config: Any,
) -> RatAECEnv:
    """The PettingZoo AEC environment of a game, with options as keywords: ``make("brave_rats", fast=True)``.

    Arguments and errors are those of :class:`~rat_envs.api.aec.RatAECEnv`.
    """
    from rat_envs.api.aec import RatAECEnv

    return RatAECEnv(game, config, render_mode, point_of_view, flat, illegal)


def make_parallel(
    game: str | Game,
    *,
    render_mode: str | None = None,
    point_of_view: str = "public",
    flat: bool = False,
    illegal: str = "raise",
    **config: Any,
) -> RatParallelEnv:
    """The PettingZoo parallel environment of a game, with options as keywords.

    Arguments and errors are those of :class:`~rat_envs.api.parallel.RatParallelEnv`.
    """
    from rat_envs.api.parallel import RatParallelEnv

    return RatParallelEnv(game, config, render_mode, point_of_view, flat, illegal)


def make_vec(
    game: str | Game,
    num_envs: int = 1,
    *,
    opponent: str | Opponent = "random",
    seat: int | None = None,
    render_mode: str | None = None,
    flat: bool = True,
    illegal: str = "raise",
    **config: Any,
) -> RatVectorEnv:
    """A gymnasium vector environment: the learner's seat in ``num_envs`` games, with options as keywords.

    Arguments and errors are those of :class:`~rat_envs.api.single.RatVectorEnv`.
    """
    from rat_envs.api.single import RatVectorEnv

    return RatVectorEnv(game, num_envs, opponent, seat, render_mode, flat, illegal, **config)


def register(game: Game, *, replace: bool = False) -> None:
    """Register a game of your own by its name, for this process only.

    ``make``, PettingZoo's and gymnasium's registries, the OpenSpiel bridge, agents, the arena and training then find it
    like the built-in games. An installed package registers its games for every process by an entry point of the group
    ``rat_envs.games``.

    Args:
        game: the game; registering the same object again does nothing.
        replace: take the place of a game that has been registered by this name, as when a notebook's cell is run again.
            What was made of the other game, such as an environment, keeps it; so does OpenSpiel.

    Raises:
        ConfigurationError: it is not a ``Game``, or another game has its name.
    """
    if replace and isinstance(game, Game):
        with contextlib.suppress(UnknownNameError):
            unregister(game.name)
    registry.register(game)
    _enter(game.name, game.version)
    if bridge := sys.modules.get("rat_envs.api.openspiel"):
        bridge.register_all()


def unregister(name: str) -> None:
    """Remove a game that :func:`register` has added. (OpenSpiel keeps it until the process ends.)

    Raises:
        UnknownNameError: no game of that name has been registered in this process. Built-in games cannot be removed.
    """
    version = registry.unregister(name).version
    for known in ("aec_registry", "parallel_registry"):
        getattr(pettingzoo, known, {}).pop(environment_id(name, version), None)
    gymnasium.registry.pop(gymnasium_id(name, version), None)


def register_environments() -> None:
    """Enter every game into the registries, without importing it; PettingZoo has one from 1.27 on."""
    for name, version in registry.known_versions().items():
        _enter(name, version)


def _enter(name: str, version: int) -> None:
    """Enter one game into the registries."""
    for_pettingzoo, for_gymnasium = environment_id(name, version), gymnasium_id(name, version)
    if hasattr(pettingzoo, "register") and for_pettingzoo not in pettingzoo.aec_registry:
        entry = "rat_envs.api.registration"
        pettingzoo.register("aec", for_pettingzoo, f"{entry}:make", kwargs={"game": name})
        pettingzoo.register("parallel", for_pettingzoo, f"{entry}:make_parallel", kwargs={"game": name})
    if for_gymnasium not in gymnasium.registry:
        gymnasium.register(
            for_gymnasium,
            "rat_envs.api.single:RatSingleEnv",
            vector_entry_point="rat_envs.api.single:RatVectorEnv",
            kwargs={"game": name},
        )
