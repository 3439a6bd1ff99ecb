"""Every game in PettingZoo's and gymnasium's registries, and makers that need neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from rat_envs.engine.game import environment_id, gymnasium_id
from rat_envs.engine.registry import own_versions

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
    """Enter every game into the registries, without importing it; PettingZoo has one from 1.27 on."""
    for name, version in own_versions().items():
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
