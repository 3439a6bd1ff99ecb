"""The variants of BraveRats (BR-20 to BR-27); every combination is a legal configuration."""

from __future__ import annotations

from dataclasses import dataclass

from rat_envs.engine.configuration import Configuration, choice, switch

HANDS = ("clan", "draft", "random", "princess_attack")
CLAN, DRAFT, RANDOM = range(3)
#: The most games in a match, and the wins that take it (BR-26).
MOST_GAMES, GAMES_TO_WIN = 3, 2


@dataclass(frozen=True)
class BraveRatsConfiguration(Configuration):
    """How hands are set up, and four switches that combine with any of these ways."""

    hands: str = choice("clan", HANDS, "how the eight cards of each player come about", "BR-01, BR-23 to BR-25")
    traitor: bool = switch(False, "the players exchange one card at random before the game", "BR-20")
    draw_pile: bool = switch(False, "three cards in hand, the others drawn from a pile of one's own", "BR-21")
    fast: bool = switch(False, "three round wins end the game instead of four", "BR-22")
    emperor: bool = switch(False, "a match of three games; two wins take it", "BR-26")

    @property
    def players(self) -> int:
        return 2

    def hidden_information(self) -> str | None:
        if self.draw_pile:
            return "with draw_pile=true the cards in hand are hidden"
        if self.hands == "draft":
            return "with hands=draft the first card kept of each packet is hidden until the draft is over"
        return None
