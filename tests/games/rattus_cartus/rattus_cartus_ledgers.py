"""RC-73 to RC-75 a second time, in plain Python: what happens at the second referee's table, and who knows what of it.

Every observer, the onlooker among them, keeps its own books; the referee tells it what happens, and who sees it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rattus_cartus_components import POPULATION, SPECIAL_CARDS, Cards, Player
from rattus_cartus_referee import Nodes, Referee, choose, decide, held

SPECIALS = ["joker", *SPECIAL_CARDS]
CARDS = [*POPULATION, *SPECIALS]
ONLOOKER = 5


class Books:
    """What one observer surely knows."""

    def __init__(self, table: ReferenceTable, observer: int) -> None:
        self.table = table
        self.observer = observer
        others = [player.seat for player in table.players if player.seat != observer]
        self.at_least: dict[int, Cards] = {seat: Counter() for seat in others}
        self.at_most: dict[int, Cards] = {seat: Counter() for seat in others}
        self.fresh: Cards = Counter(POPULATION)
        self.row_most: Cards = Counter()  # counts from the moment when the deck first runs out
        self.seen: dict[int, str] = {}  # places of the row

    def takes_special(self, owner: int, card: str) -> None:
        """RC-73: a special card from a deck."""
        if owner != self.observer:
            self.at_least[owner][card] += 1
            self.at_most[owner][card] += 1
            self.lower(owner)

    def leave(self, owner: int, cards: Cards) -> None:
        """RC-73: cards leave their owner openly; it has as many fewer already."""
        if owner != self.observer:
            for card in cards.elements():
                self.at_least[owner][card] = max(0, self.at_least[owner][card] - 1)
                if card in SPECIALS:
                    self.at_most[owner][card] -= 1
            self.lower(owner)

    def gift(self, giver: int, taker: int, cards: Cards, kept: int) -> None:
        """RC-73: cards have changed hands; the giver keeps so many own cards."""
        if self.observer == giver:
            for card in cards.elements():
                self.at_least[taker][card] += 1
                if card in SPECIALS:
                    self.at_most[taker][card] += 1
            self.lower(taker)
        elif self.observer == taker:
            self.leave(giver, cards)
        else:
            number = cards.total()
            for card in CARDS:
                a = self.at_least[giver][card]
                self.at_least[taker][card] += max(0, a - kept)
                self.at_least[giver][card] = max(0, a - number)
            for card in SPECIALS:
                b = self.at_most[giver][card]
                self.at_most[taker][card] += min(number, b)
                self.at_most[giver][card] = min(b, kept)
            self.lower(giver)
            self.lower(taker)

    def lower(self, owner: int) -> None:
        """RC-73: nobody has more cards than it has."""
        for card in SPECIALS:
            self.at_most[owner][card] = min(self.at_most[owner][card], self.table.own_cards(owner).total())

    def draws(self, owner: int, card: str) -> None:
        """RC-74: its own draws, the deal included."""
        if owner == self.observer:
            self.fresh[card] -= 1

    def sees(self, seat: int, place: int, card: str) -> None:
        """RC-74, RC-75: who looks, and sees a card of the row for the first time."""
        if seat == self.observer and place not in self.seen:
            self.seen[place] = card
            if self.table.sleeping is None:
                self.fresh[card] -= 1
            else:
                self.row_most[card] -= 1

    def deck_first_runs_out(self) -> None:
        """RC-75: the bound of the row keeps its value."""
        self.row_most = Counter(self.fresh)

    def no_deck(self) -> None:
        """RC-74."""
        self.fresh = Counter()

    def new_deck(self, deck: Cards) -> None:
        """RC-74, RC-75."""
        self.fresh = Counter(deck)
        placed = Counter(deck)
        placed.update(self.seen.values())
        for player in self.table.players:
            if player in self.table.revealed:
                placed.update(player.laid)
            if player.seat == self.observer:
                placed.update(self.table.own_cards(player.seat))
            else:
                placed.update(self.at_least[player.seat])
        for card, copies in POPULATION.items():
            self.row_most[card] = min(self.row_most[card], copies - placed[card])

    def bound_of_the_row(self) -> Cards:
        """RC-75: until the deck first runs out it equals that of the deck."""
        return self.fresh if self.table.sleeping is None else self.row_most


class ReferenceTable(Referee):
    """The second referee, who tells all observers what happens."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.books: list[Books] = []
        self.revealed: list[Player] = []
        self.drawn = ""
        self.who_draws: Player | None = None
        self.who_looks: Player | None = None
        super().__init__(config)  # up to the first node: nothing has happened yet
        self.books = [Books(self, observer) for observer in (*range(len(self.players)), ONLOOKER)]

    def own_cards(self, seat: int) -> Cards:
        """RC-72."""
        player = self.players[seat]
        own = player.hand + player.aside
        return own if player in self.revealed else own + player.laid

    def tell(self, event: str, *what: Any) -> None:
        """Every observer."""
        for each in self.books:
            getattr(each, event)(*what)

    def apply(self, text: str) -> None:
        verb, _, card = text.partition(" ")
        seat = self.actor()
        if verb == "draw":
            self.drawn = card
        if verb == "pass" or verb == "discard":  # before the referee moves the card: a new deck may be formed at once
            card = card or "pass"
            hand = self.players[int(seat)].hand
            hand[card] -= 1
            self.tell("leave", seat, Counter([card]))
            hand[card] += 1
        super().apply(text)

    def _draw(self, player: Player, number: int) -> Nodes[None]:
        self.who_draws = player
        yield from super()._draw(player, number)

    def _renew_deck(self) -> None:
        if self.drawn and self.who_draws:
            self.tell("draws", self.who_draws.seat, self.drawn)
        if not self.deck_size():
            if self.sleeping is None:
                self.tell("deck_first_runs_out")
            if self.drawn:
                self.tell("no_deck")
            if self.discarded.total():
                self.tell("new_deck", self.discarded)
        self.drawn = ""
        super()._renew_deck()

    def _look(self, player: Player, number: int) -> Nodes[None]:
        self.who_looks = player
        yield from super()._look(player, number)
        self.who_looks = None

    def _see(self, place: int) -> Nodes[None]:
        yield from super()._see(place)
        if self.who_looks:
            self.tell("sees", self.who_looks.seat, place, self.nun_row[place])

    def _reveal(self, players: list[Player]) -> None:
        for player in players:
            if player not in self.revealed:
                self.revealed.append(player)
                self.tell("leave", player.seat, player.laid)

    def _resolve_buildings(self) -> Nodes[None]:
        if len(self.players) == 2:  # RC-30
            self._reveal(self.players)
        yield from super()._resolve_buildings()
        self.revealed = []

    def _resolve(self, building: str, visitors: list[Player]) -> Nodes[None]:
        self._reveal(visitors)
        yield from super()._resolve(building, visitors)

    def _take_cards(self, player: Player, card: str, due: int) -> None:
        before = player.hand[card]
        super()._take_cards(player, card, due)
        for _ in range(player.hand[card] - before):
            self.tell("takes_special", player.seat, card)

    def _use_sword(self, player: Player, visitors: list[Player]) -> Nodes[None]:
        fewest = self._other_side(player, "sword", visitors)
        if fewest:
            giver = yield from choose(player, "take_from", fewest)
            yield from self._give(giver, player, giver.hand.total() // 2)

    def _collect_gifts(self, premium: Player) -> Nodes[None]:
        for giver in self._givers(premium):
            if giver.hand.total() > 3:
                yield from self._give(giver, premium, 3)
            else:
                self._hand_over(giver, premium, giver.hand)
                giver.hand = Counter()

    def _give(self, giver: Player, taker: Player, number: int) -> Nodes[None]:
        for _ in range(number):
            card = yield from decide(giver, "give", held(giver.hand))
            giver.hand[card] -= 1
            giver.aside[card] += 1
        self._hand_over(giver, taker, giver.aside)
        giver.aside = Counter()

    def _hand_over(self, giver: Player, taker: Player, cards: Cards) -> None:
        kept = (self.own_cards(giver.seat) - cards).total()
        taker.hand += cards
        cards, gone = Counter(cards), cards
        gone.clear()
        self.tell("gift", giver.seat, taker.seat, cards, kept)
