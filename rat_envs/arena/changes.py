"""What is said to whoever goes on with a tournament with other agents than have taken part so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rat_envs.arena.plan import Plan
from rat_envs.arena.roster import Roster
from rat_envs.engine.errors import shown_path

__all__ = ["counted_matches", "who_has_changed"]

#: So many names are written out.
MOST_NAMES = 6


def who_has_changed(before: Plan, known: int, plan: Plan, roster: Roster) -> str:
    """Which agents have come, gone or changed, in words; empty if none has.

    Args:
        before: what was played last in the folder.
        known: how many agents had ever been there.
        plan: what is to be played now.
        roster: in which both have entered.
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
    """So many matches, in words."""
    return f"{number:,} match" if number == 1 else f"{number:,} matches"


def _numbers(plan: Plan) -> set[int]:
    return {plan.number_of_agent(place) for place in range(len(plan.agents))}


def _names(roster: Roster, numbers: Collection[int]) -> list[str]:
    return [roster.agents[number].name for number in sorted(numbers)]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(shown_path, names[:MOST_NAMES])) + more
