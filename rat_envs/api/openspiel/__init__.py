"""Importing this registers every game as a Python game of OpenSpiel, with names such as ``python_rat_brave_rats``."""

from rat_envs.api.openspiel.game import RatGame, RatState, openspiel_name, register_all

__all__ = ["RatGame", "RatState", "openspiel_name", "register_all"]

register_all()
