"""The numbers of agents and matches in a tournament whose agents have come and gone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rat_envs.engine.errors import shown
from rat_envs.engine.files import demand_outline

__all__ = ["Numbers", "from_text", "in_text"]


@dataclass(frozen=True)
class Numbers:
    """The numbers that determine the random numbers of agents and matches, and the files of matches.

    A tournament that has had the same agents from the beginning needs none: its numbers are the places in the lists of
    agents and matches. In a folder where agents come and go, each agent and match keeps its first number.

    Attributes:
        agents: the number of each agent of the plan.
        matches: the number of each match.
        line_ups: the agents of each match, by their places in the plan, in the order in which they were first listed.
    """

    agents: tuple[int, ...]
    matches: tuple[int, ...]
    line_ups: tuple[tuple[int, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "agents": list(self.agents),
            "matches": list(self.matches),
            "line_ups": [in_text(line_up) for line_up in self.line_ups],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], agents: int) -> Numbers:
        """The reverse of :meth:`to_dict`, for a plan with this number of agents.

        Raises:
            ValueError: the values do not fit together.
        """
        demand_outline(values, {"agents": [int], "matches": [int], "line_ups": [str]}, "numbers")
        line_ups = tuple(map(from_text, values["line_ups"]))
        numbers = cls(tuple(values["agents"]), tuple(values["matches"]), line_ups)
        demand_different(numbers.agents, agents, "agents")
        demand_different(numbers.matches, len(numbers.line_ups), "matches")
        if not all(place in range(agents) for line_up in numbers.line_ups for place in line_up):
            raise ValueError("a match has an agent that is not there")
        return numbers


def in_text(line_up: Sequence[int]) -> str:
    """The agents of a match as a short text for the manifest, which may hold tens of thousands of matches."""
    return "-".join(map(str, line_up))


def from_text(text: str) -> tuple[int, ...]:
    """The reverse of :func:`in_text`.

    Raises:
        ValueError: it is something else.
    """
    if not re.fullmatch(r"\d{1,9}(-\d{1,9})*", text, re.ASCII):
        raise ValueError(f"{shown(text)} is no match")
    return tuple(map(int, text.split("-")))


def demand_different(numbers: Sequence[int], count: int, what: str) -> None:
    """Demand ``count`` different numbers from 0.

    Raises:
        ValueError: there is another number of them, or two are equal, or one is negative.
    """
    if len(numbers) != count or len(set(numbers)) != count or min(numbers, default=0) < 0:
        raise ValueError(f"the numbers of {what} are not {count} different ones")
