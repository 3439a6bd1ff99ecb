"""Four rat-themed tabletop games as reinforcement-learning environments, with exact rules and ground truth."""

from rat_envs.api.registration import make, make_parallel, make_vec, register_environments
from rat_envs.engine.batch import Batch
from rat_envs.engine.position import Position
from rat_envs.engine.registry import all_games, get_game

__version__ = "0.1.0"
__all__ = ["Batch", "Position", "all_games", "get_game", "make", "make_parallel", "make_vec"]

register_environments()
