"""Players: each is given a seat's view and chooses an action."""

from agents.protocol import Agent
from agents.registry import agent_names, make_agent

__all__ = ["Agent", "agent_names", "make_agent"]
