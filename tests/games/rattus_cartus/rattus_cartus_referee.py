"""A second, naive Rattus Cartus, written from the specification alone and sharing no code with the package.

Every ``yield`` is one node: it hands out who acts and the options as a record states them, and is sent the action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from rattus_cartus_components import (
    CARD_TAKEN_AT,
    CLASS_OF,
    CLASSES,
    JOKERS,
    PLACES,
    POPULATION,
    RECOMMENDED,
    SIZES,
    SPECIAL_CARDS,
    Cards,
    Player,
    copies_of,
    default_supply,
    followers,
    held,
    name_of,
    seats_with,
)
from refereed import check_against

Options = Any  # a sorted list of texts at a decision, at a chance node a dict from text to weight
Node = tuple[Any, Options]
T = TypeVar("T")
Nodes = Generator[Node, str, T]


class Referee:
    """One game from its first node to its end; the attributes are the table."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.players = [Player(seat) for seat in range(config["players"])]
        self.rounds, self.row_size, self.unknown_replacements = SIZES[len(self.players)]
        supply = default_supply() if config["supply"] == "default" else config["supply"]
        self.supply = dict(zip([f"{name} {copy}" for name in CLASS_OF for copy in PLACES], supply, strict=True))
        self.token_values = [1] * 20 if config["vp_tokens"] == "default" else config["vp_tokens"]
        self.tokens_left = Counter(str(value) for value in self.token_values)

        self.unseen: Cards = Counter(POPULATION)  # the deck, and before it first runs out what nobody saw of the row
        self.sleeping: Cards | None = None  # once the deck has run out: the row cards that nobody had seen then
        self.discarded: Cards = Counter()
        self.nun_row: dict[int, str | None] = dict.fromkeys(PLACES)  # None until somebody has looked
        self.decks: Cards = Counter()  # jokers and special cards

        self.in_use: list[str] = []
        self.unseen_buildings: list[str] = []
        self.known_replacements: list[str] = []  # from top to bottom, below the unknown ones
        self.row: list[str] = []
        self.round = 0
        self.starter = self.players[0]  # RC-01
        self.visitors: list[list[Player]] = []  # by slot, in order of entry
        self.entered: list[Player] = []  # in order of time
        self.moves = 0  # of discs on the tracks
        self.over = False
        self._course = self._game()
        self._node = next(self._course)

    def actor(self) -> int | str:
        """The seat to act, or "chance"."""
        return self._node[0]

    def options(self) -> Options:
        """What can happen here: a sorted list, or each outcome's weight."""
        return self._node[1]

    def apply(self, text: str) -> None:
        """Let an option happen."""
        try:
            self._node = self._course.send(text)
        except StopIteration:
            self.over = True

    def deck_size(self) -> int:
        """How many population cards can be drawn before the deck runs out."""
        if self.sleeping is not None:
            return self.unseen.total()
        return self.unseen.total() - list(self.nun_row.values()).count(None)

    # The course of the game

    def _game(self) -> Nodes[None]:
        self.in_use = yield from self._choose_buildings()
        self.unseen_buildings = list(self.in_use)
        self.decks["joker"] = JOKERS
        for card, (number, building) in SPECIAL_CARDS.items():  # RC-05
            if any(name_of(each) == building for each in self.in_use):
                self.decks[card] = number
        for player in self.players:  # RC-06
            yield from self._draw(player, 5)
        while self.round < self.rounds:
            self.round += 1
            yield from self._draw_buildings()
            for player in self._clockwise_from(self.starter):
                yield from self._take_supply(player)
            yield from self._enter_buildings()
            yield from self._resolve_buildings()
            self.starter = self._clockwise_from(self.starter)[1]  # RC-50
        for place in PLACES:
            yield from self._see(place)

    def _clockwise_from(self, player: Player) -> list[Player]:
        return self.players[player.seat :] + self.players[: player.seat]

    def _choose_buildings(self) -> Nodes[list[str]]:
        """RC-02: the thirty building cards."""
        way = self.config["buildings"]
        cards = []
        if way in ("random_building", "random_cards"):
            for each in CLASSES:
                buildings = [building for building in CLASS_OF if CLASS_OF[building] == each]
                if way == "random_building":
                    building = yield from chance("choose", dict.fromkeys(buildings, 1))
                    cards += copies_of(building)
                    continue
                left = [card for building in buildings for card in copies_of(building)]
                for _ in range(5):
                    card = yield from chance("choose", dict.fromkeys(left, 1))
                    left.remove(card)
                    cards.append(card)
            return cards
        for item in (RECOMMENDED if way == "recommended" else way).split(","):
            cards += copies_of(item.strip()) if item.strip() in CLASS_OF else [item.strip()]
        return cards

    # Population cards

    def _draw(self, player: Player, number: int) -> Nodes[None]:
        for _ in range(number):
            if not self.deck_size():  # RC-07: the discard pile is empty too
                return
            card = yield from chance("draw", self.unseen)
            self.unseen[card] -= 1
            player.hand[card] += 1
            self._renew_deck()

    def _renew_deck(self) -> None:
        """RC-07, whenever the deck may have become empty or a card may have been discarded."""
        if self.deck_size():
            return
        if self.sleeping is None:
            self.sleeping = self.unseen
        self.unseen = self.discarded
        self.discarded = Counter()

    def _discard(self, cards: Cards) -> None:
        """RC-43, RC-46."""
        for card in cards.elements():
            (self.discarded if card in POPULATION else self.decks)[card] += 1
        self._renew_deck()

    def _look(self, player: Player, number: int) -> Nodes[None]:
        """RC-09."""
        places = list(PLACES)
        for _ in range(number):
            text = yield player.seat, [f"look {place}" for place in places]
            place = int(text.split()[1])
            places.remove(place)
            yield from self._see(place)

    def _see(self, place: int) -> Nodes[None]:
        if self.nun_row[place] is None:
            pool = self.unseen if self.sleeping is None else self.sleeping
            card = yield from chance("nun", pool)
            pool[card] -= 1
            self.nun_row[place] = card

    # Phases A and B

    def _draw_buildings(self) -> Nodes[None]:
        """RC-11, RC-12."""
        self.row = []
        for _ in range(self.row_size):
            self.row.append((yield from self._turn_up_building()))
        while len({name_of(card) for card in self.row}) == 1:
            if self.unknown_replacements:
                self.unknown_replacements -= 1
                top = yield from self._turn_up_building()
            else:
                top = self.known_replacements.pop(0)
            self.known_replacements.append(self.row[-1])
            self.row[-1] = top

    def _turn_up_building(self) -> Nodes[str]:
        card = yield from chance("building", dict.fromkeys(self.unseen_buildings, 1))
        self.unseen_buildings.remove(card)
        return card

    def _take_supply(self, player: Player) -> Nodes[None]:
        """RC-15."""
        slot = yield from decide(player, "supply", self._slots())
        draw, drop, look = self.supply[self.row[int(slot) - 1]]
        yield from self._draw(player, draw)
        player.drop_rats(drop)
        yield from self._look(player, look)

    def _slots(self) -> list[str]:
        return [str(slot + 1) for slot in range(len(self.row))]

    # Phase C

    def _enter_buildings(self) -> Nodes[None]:
        """RC-20 to RC-22."""
        self.visitors = [[] for _ in self.row]
        self.entered = []
        waiting = self._clockwise_from(self.starter)
        while waiting:
            player = waiting.pop(0)
            options = [f"enter {slot}" for slot in self._slots()]
            if player.hand["pass"]:
                options.append("pass")
            text = yield player.seat, sorted(options)
            if text == "pass":
                player.hand["pass"] -= 1
                self.decks["pass"] += 1
                waiting.append(player)
            else:
                self.visitors[int(text.split()[1]) - 1].append(player)
                self.entered.append(player)
                yield from self._lay_cards(player)

    def _lay_cards(self, player: Player) -> Nodes[None]:
        """RC-23."""
        while True:
            playable = [card for card in held(player.hand) if card not in ("gold", "pass")]
            if not playable:
                return
            text = yield player.seat, sorted(["done", *(f"lay {card}" for card in playable)])
            if text == "done":
                return
            card = text.removeprefix("lay ")
            player.hand[card] -= 1
            player.laid[card] += 1

    # Phase D

    def _resolve_buildings(self) -> Nodes[None]:
        """RC-30."""
        for player in self.players:
            player.recruits = followers(player.laid)
        for slot, visitors in enumerate(self.visitors):
            if visitors:
                yield from self._resolve(name_of(self.row[slot]), visitors)

    def _resolve(self, building: str, visitors: list[Player]) -> Nodes[None]:
        for player in visitors:  # RC-31
            self._score_influence(player, CLASS_OF[building], player.recruits)
            people = [card for card in player.laid.elements() if card in POPULATION]
            player.rats += sum(card.split()[0] != CLASS_OF[building] for card in people)
            yield from self._use_sword(player, visitors)
            yield from self._use_flute(player, visitors)
        premium = self._premium_player(visitors)
        if self.round < self.rounds:
            for player in sorted(visitors, key=lambda visitor: visitor is not premium):  # RC-42
                yield from self._use_building(player, building, player is premium)
        elif premium in visitors:  # RC-45
            self._score_influence(premium, CLASS_OF[building], 1)
        laid: Cards = Counter()
        for player in visitors:
            laid += player.laid
            player.laid = Counter()
        self._discard(laid)

    def _score_influence(self, player: Player, track: str, points: int) -> None:
        """RC-32."""
        if points:
            self.moves += 1
            player.influence[track] += points
            player.arrived[track] = self.moves

    def _premium_player(self, visitors: list[Player]) -> Player:
        """RC-39, RC-40; with two players perhaps none of the visitors."""
        rivals = self.entered if len(self.players) == 2 else visitors
        most = max(player.recruits for player in rivals)
        return next(player for player in rivals if player.recruits == most)

    def _other_side(self, player: Player, card: str, visitors: list[Player]) -> list[Player]:
        """Those who played the fewest of this card, if it takes effect in this player's turn (RC-36, RC-38)."""
        played = [visitor.laid[card] for visitor in visitors]
        first = visitors[played.index(max(played))]
        if max(played) == min(played) or player is not first:
            return []
        return [visitor for visitor in visitors if visitor.laid[card] == min(played)]

    def _use_sword(self, player: Player, visitors: list[Player]) -> Nodes[None]:
        """RC-36."""
        fewest = self._other_side(player, "sword", visitors)
        if fewest:
            giver = yield from choose(player, "take_from", fewest)
            yield from give(giver, player, giver.hand.total() // 2)

    def _use_flute(self, player: Player, visitors: list[Player]) -> Nodes[None]:
        """RC-38."""
        fewest = self._other_side(player, "flute", visitors)
        if fewest and player.rats:
            taker = yield from choose(player, "rat_to", fewest)
            player.rats -= 1
            taker.rats += 1

    # The actions of the buildings

    def _use_building(self, player: Player, building: str, premium: bool) -> Nodes[None]:
        """RC-41."""
        if building == "hospital" and not premium:
            yield from self._discard_for_rats(player, 2)
            return
        due = self._due(player, building, premium)
        if not due or not self._possible(player, building):
            return
        if (yield player.seat, ["act", "decline"]) == "decline":
            return
        if building in ("farm", "brewery"):
            yield from self._draw(player, due)
        elif building in CARD_TAKEN_AT:
            self._take_cards(player, CARD_TAKEN_AT[building], due)
        elif building == "fortune_tellers_tent":
            yield from self._look(player, due)
        elif building == "palace":
            yield from self._take_tokens(player, due)
        elif building == "guard_tower":
            yield from self._collect_gifts(player)
        else:
            player.drop_rats(due)
            if building == "hospital":
                yield from self._discard_for_rats(player, 3)

    def _due(self, player: Player, building: str, premium: bool) -> int:
        """How often a building gives what it gives, or takes what it takes."""
        if building == "farm":
            return 4 if premium else 2
        if building == "brewery":
            return player.recruits if premium else player.recruits // 2
        if building in ("hospital", "guard_tower"):
            return 1 if premium else 0
        return 2 if premium else 1

    def _possible(self, player: Player, building: str) -> bool:
        """Whether an action could change anything (RC-41)."""
        if building in ("farm", "brewery"):
            return self.deck_size() > 0
        if building in CARD_TAKEN_AT:
            return self.decks[CARD_TAKEN_AT[building]] > 0
        if building == "palace":
            return self.tokens_left.total() > 0
        if building == "guard_tower":
            return bool(self._givers(player))
        if building in ("monastery", "hospital"):
            return player.rats > 0
        return True

    def _take_cards(self, player: Player, card: str, due: int) -> None:
        number = min(due, self.decks[card])
        self.decks[card] -= number
        player.hand[card] += number

    def _take_tokens(self, player: Player, due: int) -> Nodes[None]:
        """RC-64."""
        for _ in range(min(due, self.tokens_left.total())):
            value = str(self.token_values[0])
            if len(set(self.token_values)) > 1:
                value = yield from chance("token", self.tokens_left)
            self.tokens_left[value] -= 1
            player.tokens.append(int(value))

    def _discard_for_rats(self, player: Player, limit: int) -> Nodes[None]:
        """RC-43."""
        for _ in range(limit):
            if not player.rats or not held(player.hand):
                return
            text = yield player.seat, sorted(["done", *(f"discard {card}" for card in held(player.hand))])
            if text == "done":
                return
            card = text.removeprefix("discard ")
            player.hand[card] -= 1
            self._discard(Counter([card]))
            player.rats -= 1

    def _givers(self, premium: Player) -> list[Player]:
        """RC-44."""
        towers = [slot for slot, card in enumerate(self.row) if name_of(card) == "guard_tower"]
        safe = [player for slot in towers for player in self.visitors[slot]]
        others = [player for player in self._clockwise_from(premium)[1:] if player not in safe]
        return [player for player in others if player.hand.total() >= max(1, premium.hand.total())]

    def _collect_gifts(self, premium: Player) -> Nodes[None]:
        """RC-44."""
        for giver in self._givers(premium):
            if giver.hand.total() > 3:
                yield from give(giver, premium, 3)
            else:
                premium.hand += giver.hand
                giver.hand = Counter()

    # The result

    def result(self) -> tuple[list[Fraction], list[int], list[int]]:
        """Returns, scores and winners, when the game is over."""
        winners = [player.seat for player in self._winners()]
        n = len(self.players)
        returns = [Fraction(0)] * n
        if winners:
            shares = [Fraction(int(player.seat in winners), len(winners)) for player in self.players]
            returns = [(share - Fraction(1, n)) * Fraction(n, n - 1) for share in shares]
        return returns, self._scores(), winners

    def _winners(self) -> list[Player]:
        """RC-65 to RC-67."""
        nuns = sum(int(card.split()[1]) for card in self.nun_row.values())
        alive = [player for player in self.players if player.rats <= nuns]
        if not alive and self.config["fewest_rats_survive"]:
            alive = [player for player in self.players if player.rats == min(each.rats for each in self.players)]
        scores = self._scores()
        best = max([scores[player.seat] for player in alive], default=0)
        alive = [player for player in alive if scores[player.seat] == best]
        return [player for player in alive if player.rats == min(each.rats for each in alive)]

    def _scores(self) -> list[int]:
        scores = [sum(player.tokens) for player in self.players]
        for track in CLASSES:  # RC-60
            ranked = sorted(self.players, key=lambda player: (-player.influence[track], player.arrived[track]))
            prizes = (10, 5) if len(self.players) == 2 else (10, 5, 2)
            for player, prize in zip(ranked, prizes, strict=False):
                if player.influence[track]:
                    scores[player.seat] += prize
        majorities = [[followers(player.hand) for player in self.players]]  # RC-61, RC-62
        majorities += [[player.hand[card] for player in self.players] for card in ("sword", "flute", "pass")]
        for numbers in majorities:
            leaders = seats_with(max(numbers), numbers)
            for seat in leaders:
                scores[seat] += 2 if len(leaders) == 1 else 1
        return [score + gold for score, gold in zip(scores, self._gold_points(), strict=True)]

    def _gold_points(self) -> list[int]:
        """RC-63."""
        numbers = [player.hand["gold"] for player in self.players]
        points = [0] * len(numbers)
        leaders = seats_with(max(numbers), numbers)
        for seat in leaders:
            points[seat] = 6 if len(leaders) == 1 else 9 // len(leaders)
        if len(leaders) == 1 and len(numbers) > 2:
            seconds = seats_with(max(number for number in numbers if number < max(numbers)), numbers)
            for seat in seconds:
                points[seat] = 3 // len(seconds)
        return points


def chance(verb: str, weights: dict[str, int]) -> Nodes[str]:
    """One of the keys of ``weights`` at random."""
    text = yield "chance", {f"{verb} {what}": weight for what, weight in weights.items() if weight}
    return text.removeprefix(f"{verb} ")


def decide(player: Player, verb: str, what: Iterable[str]) -> Nodes[str]:
    """One of the texts, as the player likes."""
    text = yield player.seat, sorted(f"{verb} {each}" for each in what)
    return text.removeprefix(f"{verb} ")


def choose(player: Player, verb: str, others: list[Player]) -> Nodes[Player]:
    """One of the other players, as the player likes; nothing is asked where there is only one."""
    if len(others) == 1:
        return others[0]
    name = yield from decide(player, verb, [other.name for other in others])
    return next(other for other in others if other.name == name)


def give(giver: Player, taker: Player, number: int) -> Nodes[None]:
    """RC-37."""
    for _ in range(number):
        card = yield from decide(giver, "give", held(giver.hand))
        giver.hand[card] -= 1
        giver.aside[card] += 1
    taker.hand += giver.aside
    giver.aside = Counter()


def check_record(record: dict[str, Any]) -> None:
    """Assert that every node of a record with options, and its result, is what the specification says."""
    check_against(Referee(record["config"]), record)
