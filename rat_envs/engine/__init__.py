"""Machinery that all games share: the contract, the random stream, batches, records, compilation. It knows no game."""

from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.game import CHANCE, TERMINAL, Game, Node, Rules
from rat_envs.engine.registry import all_games, get_game, register

__all__ = ["CHANCE", "TERMINAL", "Batch", "Configuration", "Game", "Node", "Rules", "all_games", "get_game", "register"]
