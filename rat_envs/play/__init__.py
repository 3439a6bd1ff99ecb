"""Games between people and agents: at the terminal and in the browser."""

from rat_envs.play.hints import Hint, HintedChoice, hint
from rat_envs.play.saved import SavedGame
from rat_envs.play.seating import PERSON, Table
from rat_envs.play.session import Session
from rat_envs.play.terms import Terms

__all__ = ["PERSON", "Hint", "HintedChoice", "SavedGame", "Session", "Table", "Terms", "hint"]
