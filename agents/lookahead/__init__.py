"""Agents that look one round ahead, with learnt values for the states after it."""

from rat_envs.agents.lookahead.agent import LookaheadAgent

__all__ = ["LookaheadAgent"]
