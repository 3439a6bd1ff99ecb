"""Players: each gets a seat's view and chooses an action."""

from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import agent_names, make_agent

__all__ = ["Agent", "agent_names", "make_agent"]
