"""What a seat cannot know, drawn anew (RT-74): exact, since tokens nobody has seen are alike."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.random import draw_weighted
from rat_envs.games.rattus.components import NONE, SUPPLY_PILE, is_start_face
from rat_envs.games.rattus.tables import REGIONS, TOKEN_IDS
from rat_envs.games.rattus.tokens import weigh_tokens


@out_of_line
def determinize(row, seat, stream):
    """Draw anew, one after another, the faces that only other seats have seen; each has looked at what it had.

    Once they are put back, what counts as undrawn is what ``seat`` has not seen.
    """
    put_back(row, seat)
    weights = np.zeros(len(TOKEN_IDS), np.int32)
    for region in range(len(REGIONS)):
        for slot in range(row.rats[region]):
            if is_unknown(row, seat, region, slot):
                weights[:] = 0
                weigh_tokens(row, row.pile[slot, region], weights)
                token = draw_weighted(stream, weights)
                row.face[slot, region] = token
                row.seen[token] = row.looked[slot, region]
                if is_start_face(token) and row.pile[slot, region] == SUPPLY_PILE:
                    row.start_drawn += 1
                    count_start_face(row, row.looked[slot, region], 1)


def is_unknown(row, seat, region, slot):
    """Whether others have looked at a token, and ``seat`` has not."""
    return row.face[slot, region] != NONE and not (row.looked[slot, region] >> seat) & 1


def put_back(row, seat):
    """RT-74: what only others have seen is undrawn again."""
    for region in range(len(REGIONS)):
        for slot in range(row.rats[region]):
            if is_unknown(row, seat, region, slot):
                token = row.face[slot, region]
                row.seen[token] = 0
                if is_start_face(token) and row.pile[slot, region] == SUPPLY_PILE:
                    row.start_drawn -= 1
                    count_start_face(row, row.looked[slot, region], -1)


def count_start_face(row, lookers, number):
    """RT-72: those who have looked at a start face of the supply pile have seen one more, or one fewer."""
    for seat in range(len(row.start_seen)):
        row.start_seen[seat] += number * ((lookers >> seat) & 1)
