"""The text of every action and outcome, and the fixed order of nodes."""

from __future__ import annotations

from rat_envs.engine.game import Node
from rat_envs.engine.notation import each, first
from rat_envs.games.brave_rats.components import CARDS

ACTIONS = each("play", CARDS) + each("keep", CARDS)
PLAY_FIRST, KEEP_FIRST = first("play", ACTIONS), first("keep", ACTIONS)

OUTCOMES = (
    each("deal", CARDS)
    + each("reveal", CARDS)
    + each("give", CARDS)
    + each("draw", CARDS)
    + ("princes player_0", "princes player_1")
)
DEAL_FIRST, REVEAL_FIRST = first("deal", OUTCOMES), first("reveal", OUTCOMES)
GIVE_FIRST, DRAW_FIRST = first("give", OUTCOMES), first("draw", OUTCOMES)
PRINCES_FIRST = first("princes", OUTCOMES)

NODES = (
    Node("chance", "deal CARD", "`hands=random`: eight times, to player_0; player_1 gets the rest"),
    Node("chance", "reveal CARD", "`hands=draft`: four times, the cards of a packet"),
    Node("opener, other, opener", "keep CARD", "`hands=draft`: from the packet; its last card goes to the other"),
    Node("chance", "princes player_K", "`hands=princess_attack`: who starts with both Princes"),
    Node("chance", "give CARD", "`traitor`: out of player_0's hand, then out of player_1's original hand"),
    Node("chance", "draw CARD", "`draw_pile`: three for player_0, then three for player_1"),
    Node("player_0, player_1", "play CARD", "each round; after an effective Spy the spied player decides first"),
    Node("chance", "draw CARD", "`draw_pile`: after a round, while the pile has cards, for player_0, then player_1"),
)
