"""Agents that look one round ahead and judge by learnt values what comes after it."""

from agents.lookahead.agent import LookaheadAgent
from agents.lookahead.values import ValueNetwork

__all__ = ["LookaheadAgent", "ValueNetwork"]
