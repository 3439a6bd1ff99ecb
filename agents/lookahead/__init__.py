"""Agents that look one round ahead and judge by learnt values what comes after it."""

from rat_envs.agents.lookahead.agent import LookaheadAgent

__all__ = ["LookaheadAgent"]
