"""Redraw what a seat cannot know (RT-74): exact, since tokens that nobody has seen are alike."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.random import draw_weighted
from rat_envs.games.rattus.components import NONE, SUPPLY_PILE, is_start_face
from rat_envs.games.rattus.tables import REGIONS, TOKEN_IDS
from rat_envs.games.rattus.tokens import weigh_tokens


@out_of_line
def determinize(row, seat, stream):
    """Redraw, one by one, the faces that only other seats have seen; who has looked at which token does not change.

    Once they are put back, the undrawn faces are those that ``seat`` has not seen.
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
    """RT-74: return the faces that only others have seen to the undrawn ones."""
    for region in range(len(REGIONS)):
        for slot in range(row.rats[region]):
            if is_unknown(row, seat, region, slot):
                token = row.face[slot, region]
                row.seen[token] = 0
                if is_start_face(token) and row.pile[slot, region] == SUPPLY_PILE:
                    row.start_drawn -= 1
                    count_start_face(row, row.looked[slot, region], -1)


def count_start_face(row, lookers, number):
    """RT-72: add 1 or -1 to the start faces of the supply pile that each of the lookers has seen."""
    for seat in range(len(row.start_seen)):
        row.start_seen[seat] += number * ((lookers >> seat) & 1)
