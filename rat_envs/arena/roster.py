"""All agents and matches that a tournament's folder has ever had, so that agents can come and go."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rat_envs.arena.numbering import Numbers, from_text, in_text
from rat_envs.arena.pairing import all_matches
from rat_envs.arena.plan import OUTLINE, Entrant, Plan
from rat_envs.engine.errors import CheckpointError, shown
from rat_envs.engine.files import demand_outline

__all__ = ["Meeting", "Roster"]

#: The most matches that a folder's manifest can hold, including those of agents that have gone.
MOST_EVER = 150_000


@dataclass(frozen=True)
class Meeting:
    """A match by the numbers of its agents.

    Attributes:
        agents: their numbers, in the order in which they were listed.
        one_order: whether all deals have this order round the table, although there are others.
        games: number of games that were asked for when the match last belonged to the tournament.
    """

    agents: tuple[int, ...]
    one_order: bool
    games: int

    @property
    def key(self) -> tuple[tuple[int, ...], bool]:
        """The identity of the match: its agents; their order counts only if all deals have it."""
        return (self.agents if self.one_order else tuple(sorted(self.agents))), self.one_order

    def in_text(self) -> str:
        """The text in a manifest: the agents, the number of games, and ``ordered`` if there is one order."""
        return " ".join([in_text(self.agents), str(self.games), *(["ordered"] if self.one_order else [])])

    @classmethod
    def from_text(cls, text: str) -> Meeting:
        """The reverse of :meth:`in_text`.

        Raises:
            ValueError: it is something else.
        """
        agents, games, *rest = text.split(" ")
        if rest not in ([], ["ordered"]):
            raise ValueError(f"{shown(text)} is no match")
        return cls(from_text(agents), bool(rest), int(games))


@dataclass(frozen=True)
class Roster:
    """All agents and matches that a folder has ever had; the place of each is its number, which never changes.

    So a match between agents that have not changed is found again, with its random numbers and files, whatever other
    agents take part. An agent that has changed is another agent.

    Attributes:
        agents: all agents that have ever taken part.
        matches: all matches that there have ever been.
    """

    agents: tuple[Entrant, ...] = ()
    matches: tuple[Meeting, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Roster:
        """The roster of a tournament that has had the same agents from the beginning."""
        return cls(plan.agents, tuple(Meeting(match, _has_one_order(plan), plan.games) for match in plan.matches))

    def enter(self, plan: Plan) -> tuple[Roster, Plan]:
        """Add the agents and matches of a plan; return the new roster, and the plan with the numbers in it.

        Args:
            plan: a plan without numbers.

        Raises:
            CheckpointError: there would be more than ``MOST_EVER`` matches.
        """
        if not self.matches:
            return Roster.of(plan), plan
        agents, numbers = self._with_agents(plan)
        meetings, free = list(self.matches), self._free(plan, numbers)
        places = {number: place for place, number in enumerate(numbers)}
        matches, line_ups = [], []
        for line_up in self._line_ups(plan, free, places):
            new = Meeting(tuple(numbers[place] for place in line_up), _has_one_order(plan), plan.games)
            if found := free.get(new.key):
                number = found.pop(0)
                meetings[number] = replace(meetings[number], games=plan.games)
            else:
                number = len(meetings)
                meetings.append(new)
            matches.append(number)
            line_ups.append(tuple(places[each] for each in meetings[number].agents))
        if len(meetings) > MOST_EVER:
            raise CheckpointError(
                f"With these agents there would be {len(meetings):,} matches in the folder, those of agents that have "
                f"gone or changed included, and it has room for {MOST_EVER:,}: give another folder."
            )
        is_plain = numbers == tuple(range(len(numbers))) and matches == list(range(len(matches)))
        if not is_plain or line_ups != plan.matches:
            plan = replace(plan, numbers=Numbers(numbers, tuple(matches), tuple(line_ups)))
        return Roster(agents, tuple(meetings)), plan

    def _with_agents(self, plan: Plan) -> tuple[tuple[Entrant, ...], tuple[int, ...]]:
        """All agents including those of the plan, and the numbers of the latter."""
        agents, numbers = list(self.agents), []
        for entrant in plan.agents:
            own = (number for number, one in enumerate(agents) if one == entrant and number not in numbers)
            if (number := next(own, len(agents))) == len(agents):
                agents.append(entrant)
            numbers.append(number)
        return tuple(agents), tuple(numbers)

    def _free(self, plan: Plan, numbers: tuple[int, ...]) -> dict[tuple[tuple[int, ...], bool], list[int]]:
        """The numbers of the known matches between these agents, by key."""
        free: dict[tuple[tuple[int, ...], bool], list[int]] = {}
        for number, meeting in enumerate(self.matches):
            if meeting.one_order == _has_one_order(plan) and set(meeting.agents) <= set(numbers):
                free.setdefault(meeting.key, []).append(number)
        return free

    def _line_ups(self, plan: Plan, free: Mapping[Any, list[int]], places: Mapping[int, int]) -> list[tuple[int, ...]]:
        """The agents of each match, by place in the plan; a balanced sample includes the known matches."""
        kept = [self.matches[number].agents for number in sorted(itertools.chain(*free.values()))]
        line_ups = [tuple(places[each] for each in agents) for agents in kept]
        return all_matches(len(plan.agents), plan.players, plan.seed, line_ups)

    def aside(self, plan: Plan) -> list[int]:
        """The numbers of the matches that do not belong to a plan that was entered."""
        here = {plan.number_of(match) for match in range(len(plan.matches))}
        return [number for number in range(len(self.matches)) if number not in here]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "agents": [agent.to_dict() for agent in self.agents],
            "matches": [meeting.in_text() for meeting in self.matches],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], plan: Plan) -> Roster:
        """The reverse of :meth:`to_dict`, for a roster in which ``plan`` was entered.

        Raises:
            ValueError: the values do not fit together.
        """
        demand_outline(values, {"agents": [OUTLINE], "matches": [str]}, "entered")
        agents = tuple(map(Entrant.from_dict, values["agents"]))
        matches = tuple(map(Meeting.from_text, values["matches"]))
        known = all(number in range(len(agents)) for each in matches for number in each.agents)
        sized = all(len(each.agents) == plan.players and plan.players < each.games <= plan.games for each in matches)
        if not known or not sized:
            raise ValueError("a match that was there cannot be")
        roster = cls(agents, matches)
        if not roster._holds(plan):
            raise ValueError("agents or matches have numbers of others")
        return roster

    def _holds(self, plan: Plan) -> bool:
        """Whether a plan's agents and matches have the same numbers as here."""
        numbers = [plan.number_of_agent(place) for place in range(len(plan.agents))]
        matches = {plan.number_of(place): line_up for place, line_up in enumerate(plan.matches)}
        if max(numbers) >= len(self.agents) or max(matches) >= len(self.matches):
            return False
        there = [self.matches[number].agents for number in matches]
        agents = [self.agents[number] for number in numbers]
        return agents == [*plan.agents] and there == [tuple(numbers[i] for i in each) for each in matches.values()]


def _has_one_order(plan: Plan) -> bool:
    """Whether the agents sit in the order in which they are listed; otherwise all orders round the table take turns."""
    return len(plan.agents) == plan.players > 2
