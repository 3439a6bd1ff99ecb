"""Every game in PettingZoo's and gymnasium's registries, and makers that need neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from rat_envs.engine.registry import all_games

if TYPE_CHECKING:
    from rat_envs.api.aec import RatAECEnv
    from rat_envs.api.parallel import RatParallelEnv
    from rat_envs.api.single import RatVectorEnv

__all__ = ["make", "make_parallel", "make_vec", "register_environments"]


def make(game: str, *, render_mode: str | None = None, point_of_view: str = "own", **config: Any) -> RatAECEnv:
    """The PettingZoo AEC environment of a game, with options as keywords: ``make("brave_rats", fast=True)``."""
    from rat_envs.api.aec import RatAECEnv

    return RatAECEnv(game, config, render_mode, point_of_view)


def make_parallel(
    game: str, *, render_mode: str | None = None, point_of_view: str = "public", **config: Any
) -> RatParallelEnv:
    """The PettingZoo parallel environment of a game, with options as keywords."""
    from rat_envs.api.parallel import RatParallelEnv

    return RatParallelEnv(game, config, render_mode, point_of_view)


def make_vec(game: str, num_envs: int = 1, *, opponent: Any = "random", **options: Any) -> RatVectorEnv:
    """A gymnasium vector environment: the learner's seat in ``num_envs`` games against ``opponent``."""
    from rat_envs.api.single import RatVectorEnv

    return RatVectorEnv(game, num_envs, opponent, **options)


def register_environments() -> None:
    """Enter every game into the registries; PettingZoo has one from 1.27 on."""
    for name, game in all_games().items():
        if hasattr(pettingzoo, "register") and game.environment_id not in pettingzoo.aec_registry:
            entry = "rat_envs.api.registration"
            pettingzoo.register("aec", game.environment_id, f"{entry}:make", kwargs={"game": name})
            pettingzoo.register("parallel", game.environment_id, f"{entry}:make_parallel", kwargs={"game": name})
        if game.gymnasium_id not in gymnasium.registry:
            gymnasium.register(
                game.gymnasium_id,
                "rat_envs.api.single:RatSingleEnv",
                vector_entry_point="rat_envs.api.single:RatVectorEnv",
                kwargs={"game": name},
            )
