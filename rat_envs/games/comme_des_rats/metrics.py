"""What is counted about a game beyond its result: promises, betrayal, and who is chosen as partner."""

from __future__ import annotations

from rat_envs.games.comme_des_rats.components import (
    CHOOSE_DIE,
    CHOOSE_TARGET,
    CLAIM,
    NONE,
    PARTNER,
    REDIRECT,
    TALK,
    seats,
)
from rat_envs.games.comme_des_rats.notation import (
    CLAIM_ACTION,
    CLAW_FIRST,
    DIE_FIRST,
    NO_REDIRECT_ACTION,
    PARTNER_FIRST,
    REDIRECT_FIRST,
    SAY_CLAW,
    SAY_DIE,
    SAY_FIRST,
    SAY_NOTHING,
    SAY_PEACE,
    place_of_rat,
    rat_at,
)

#: What is counted for each seat, by its name.
METRICS = {
    "promises": "statements other than nothing (CR-40)",
    "promises tested": "own choices of a die or of the cat's target that a statement of this turn was about",
    "promises kept": "those that were as stated",
    "cat at partner": "the cat sent by the active seat at its partner or the other way round",
    "chosen as partner": "turns in which the seat was chosen as partner, or took that place as Al Ratone",
}
PROMISES, TESTED, KEPT, CAT_AT_PARTNER, CHOSEN = range(len(METRICS))


def tally(row, action, counts):
    """Count what an action means, before it is applied."""
    if row.phase == TALK:
        counts[row.actor, PROMISES] += action != SAY_FIRST + SAY_NOTHING
    elif row.phase == PARTNER:
        partner = rat_at(row, action - PARTNER_FIRST)
        if partner < seats(row):
            counts[partner, CHOSEN] += 1
    elif row.phase == CLAIM:
        counts[row.actor, CHOSEN] += action == CLAIM_ACTION
    elif row.phase == CHOOSE_DIE:
        tally_die(row, action - DIE_FIRST, counts)
    elif row.phase == CHOOSE_TARGET:
        tally_cat(row, rat_at(row, action - CLAW_FIRST), counts)
    elif row.phase == REDIRECT and action != NO_REDIRECT_ACTION:
        tally_cat(row, rat_at(row, action - REDIRECT_FIRST), counts)


def tally_die(row, face, counts):
    """Count a promised die, and whether the promise was kept."""
    said = row.statement[row.actor]
    if SAY_DIE <= said < SAY_CLAW:
        counts[row.actor, TESTED] += 1
        counts[row.actor, KEPT] += said == SAY_DIE + face


def tally_cat(row, target, counts):
    """Count a promise of peace or of a target, and whether it was kept; and a cat sent between partners."""
    actor = row.actor
    said = row.statement[actor]
    if said == SAY_PEACE:
        counts[actor, TESTED] += 1
        counts[actor, KEPT] += target != row.active
    elif said != NONE and said >= SAY_CLAW:
        counts[actor, TESTED] += 1
        counts[actor, KEPT] += said == SAY_CLAW + place_of_rat(row, target)
    at_partner = actor == row.active and target == row.partner
    counts[actor, CAT_AT_PARTNER] += at_partner or (actor == row.partner and target == row.active)
