"""Sentences for the user who continues a tournament with other agents."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rat_envs.arena.plan import Plan
from rat_envs.arena.roster import Roster
from rat_envs.engine.errors import shown_path

__all__ = ["counted_matches", "who_has_changed"]

#: The most names that are written out.
MOST_NAMES = 6


def who_has_changed(before: Plan, known: int, plan: Plan, roster: Roster) -> str:
    """The agents that have come, gone or changed, in words; empty if there are none.

    Args:
        before: the plan that was last played in the folder.
        known: number of agents that the folder had ever had before.
        plan: the plan to be played now.
        roster: the roster in which both were entered.
    """
    then, now = (_numbers(each) for each in (before, plan))
    gone, come = (_names(roster, numbers) for numbers in (then - now, now - then))
    back = [name for name in _names(roster, {number for number in now - then if number < known}) if name not in gone]
    said = {
        "changed": [name for name in come if name in gone],
        "gone": [name for name in gone if name not in come],
        "new": [name for name in come if name not in gone and name not in back],
        "back again": back,
    }
    return "; ".join(f"{how}: {_listed(names)}" for how, names in said.items() if names)


def counted_matches(number: int) -> str:
    """A number of matches, in words."""
    return f"{number:,} match" if number == 1 else f"{number:,} matches"


def _numbers(plan: Plan) -> set[int]:
    return {plan.number_of_agent(place) for place in range(len(plan.agents))}


def _names(roster: Roster, numbers: Collection[int]) -> list[str]:
    return [roster.agents[number].name for number in sorted(numbers)]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(shown_path, names[:MOST_NAMES])) + more
