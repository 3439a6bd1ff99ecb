"""What is counted about a game beyond its result."""

from __future__ import annotations

from rat_envs.games.rattus_cartus.components import ACT, LAY
from rat_envs.games.rattus_cartus.notation import ACT_ACTION, DONE, PASS_ACTION

#: What is counted for each seat, by its name.
METRICS = {
    "cards laid": "cards laid in buildings (RC-21)",
    "passes": "Pass cards played (RC-22)",
    "actions": "building actions accepted (RC-41)",
}
CARDS_LAID, PASSES, ACCEPTED = range(len(METRICS))


def tally(row, action, counts):
    """Count what an action means, before it is applied."""
    if row.phase == LAY:
        counts[row.actor, CARDS_LAID] += action != DONE
    elif action == PASS_ACTION:
        counts[row.actor, PASSES] += 1
    elif row.phase == ACT:
        counts[row.actor, ACCEPTED] += action == ACT_ACTION
