"""Four rat-themed tabletop games as reinforcement-learning environments, with exact rules and ground truth."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rat_envs.engine.installation import PACKAGE, clone_folder

if not (PACKAGE / "agents").is_dir() and (clone := clone_folder()) is not None:
    __path__.append(str(clone))  # the links to agents/ and training/ are no links here, or an archive lacks them

from rat_envs.api.registration import make, make_parallel, make_vec, register, register_environments, unregister
from rat_envs.engine.registry import all_games, get_game

if TYPE_CHECKING:
    from rat_envs.api.agent import Agent
    from rat_envs.api.named_agents import make_agent
    from rat_envs.api.narrator import Narrator
    from rat_envs.api.variants import variant
    from rat_envs.engine.batch import Batch
    from rat_envs.engine.position import Position

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "Batch",
    "Narrator",
    "Position",
    "all_games",
    "get_game",
    "make",
    "make_agent",
    "make_parallel",
    "make_vec",
    "register",
    "unregister",
    "variant",
]

#: Names that are imported when they are first used, so that importing ``rat_envs`` costs little.
_LATER = {
    "Agent": "rat_envs.api.agent",
    "Batch": "rat_envs.engine.batch",
    "Narrator": "rat_envs.api.narrator",
    "Position": "rat_envs.engine.position",
    "make_agent": "rat_envs.api.named_agents",
    "variant": "rat_envs.api.variants",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


register_environments()
