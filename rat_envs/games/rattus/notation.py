"""The text of every action and outcome, and the fixed order of nodes."""

from __future__ import annotations

from rat_envs.engine.game import Node
from rat_envs.engine.notation import each, first, numerals
from rat_envs.games.rattus.components import SLOTS
from rat_envs.games.rattus.tables import CARDS, REGIONS, TOKEN_IDS

#: Slots of a region, and numbers of cubes that the Merchant moves.
NUMBERS = numerals(SLOTS)
REGIONS_AND_NUMBERS = tuple(f"{region} {number}" for region in REGIONS for number in NUMBERS)

ACTIONS = (
    *each("take", CARDS),
    *each("place", REGIONS),
    *each("peasant", REGIONS),
    *each("to", REGIONS),
    *each("king", REGIONS),
    *each("plague", REGIONS),
    *each("rat", REGIONS),
    *each("merchant", REGIONS_AND_NUMBERS),
    *each("monk", REGIONS_AND_NUMBERS),
    *each("witch", REGIONS_AND_NUMBERS),
    *each("flip", NUMBERS),
    *("stop", "swap", "keep", "bonus", "no_bonus", "pass"),
)
TAKE_FIRST, PLACE_FIRST = first("take", ACTIONS), first("place", ACTIONS)
PEASANT_FIRST, TO_FIRST = first("peasant", ACTIONS), first("to", ACTIONS)
KING_FIRST, PLAGUE_FIRST = first("king", ACTIONS), first("plague", ACTIONS)
RAT_FIRST, MERCHANT_FIRST = first("rat", ACTIONS), first("merchant", ACTIONS)
MONK_FIRST, WITCH_FIRST = first("monk", ACTIONS), first("witch", ACTIONS)
FLIP_FIRST = first("flip", ACTIONS)
STOP, SWAP, KEEP = first("stop", ACTIONS), first("swap", ACTIONS), first("keep", ACTIONS)
BONUS_ACTION, NO_BONUS, PASS = first("bonus", ACTIONS), first("no_bonus", ACTIONS), first("pass", ACTIONS)

OUTCOMES = (*each("plague", REGIONS), *each("token", TOKEN_IDS), *each("flip", NUMBERS))
PLAGUE_OUTCOME, TOKEN_OUTCOME = first("plague", OUTCOMES), first("token", OUTCOMES)
FLIP_OUTCOME = first("flip", OUTCOMES)

NODES = (
    Node("chance", "plague REGION", "set-up: where the plague piece begins"),
    Node("each seat", "place REGION", "set-up: two cubes, in seat order and then back"),
    Node(
        "active seat",
        "take CARD, place REGION, peasant REGION, merchant REGION K, monk REGION SLOT, witch REGION SLOT, king REGION, "
        "plague REGION",
        "the turn, one action after another until the plague moves",
    ),
    Node("active seat", "to REGION", "Merchant, Monk: where the cubes or the token go"),
    Node("chance", "token ID", "Witch: the token looked at, if nobody has seen it; only the looker sees the outcome"),
    Node("active seat", "witch REGION SLOT, stop", "Witch: a second token; then its chance node"),
    Node("active seat", "swap, keep", "Witch: if the two tokens are in different regions"),
    Node("active seat", "rat REGION", "spread: for each new token, while there is supply and room"),
    Node("active seat", "bonus, no_bonus", "with the Knight, if there is something to ravage"),
    Node("active seat", "flip SLOT", "ravage: while cubes and rats remain, if there are two or three tokens"),
    Node("chance", "token ID", "ravage: the token flipped, if nobody has seen it"),
    Node("active seat", "king REGION, pass", "`king_after_plague`: if the King was not used and can be"),
    Node(
        "each other seat",
        "merchant REGION K, monk REGION SLOT, witch REGION SLOT, king REGION, peasant REGION, plague REGION, pass",
        "final round, counter-clockwise: while an ability is left",
    ),
    Node("chance", "flip SLOT", "final ravage, region by region: if there are two or three tokens; then `token ID`"),
)
