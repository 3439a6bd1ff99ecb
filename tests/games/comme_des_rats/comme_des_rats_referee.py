"""A second, naive Comme des Rats, written from the specification alone and sharing no code with the package.

Every ``yield`` is one node: it hands out who acts and the options as a record states them, and is sent the action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from refereed import check_against

CARDS = ("trap", "cheese1", "cheese2", "clover")
FACES = ("key1", "key2", "steal", "claw", "heal")
ROLES = ("manipulator", "al_ratone", "hypnotist", "fool", "alchemist")

#: Copies of each card of CARDS, by the number of players.
DOORS = {2: (5, 4, 3, 3), 3: (5, 4, 3, 3), 4: (6, 6, 4, 4), 5: (8, 7, 5, 5)}

Cards = Counter[str]
Options = Any  # a sorted list of texts at a decision, at a chance node a dict from text to weight
Node = tuple[Any, Options]
T = TypeVar("T")
Nodes = Generator[Node, str, T]


class Rat:
    """A seat, or the third rat, which has no seat."""

    def __init__(self, name: str, seat: int | None) -> None:
        self.name = name
        self.seat = seat
        self.points = 0
        self.start_round()

    def start_round(self) -> None:
        """CR-05."""
        self.stock: Cards = Counter()
        self.bandages = 0
        self.out = False
        #: The role as long as it works: taken away when it is used up.
        self.role: str | None = None


class Referee:
    """One game from its first node to its end; the attributes are the table."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.seats = [Rat(f"player_{seat}", seat) for seat in range(config["players"])]
        self.third = Rat("third_rat", None) if len(self.seats) == 2 else None
        self.rats = self.seats + ([self.third] if self.third else [])
        self.doors = Counter(dict(zip(CARDS, config["doors"] or DOORS[len(self.seats)], strict=True)))
        self.sides = dict(zip(FACES, config["die"], strict=True))
        self.active = self.seats[0]  # CR-03
        self.piles: dict[str, list[str]] = {}  # by number, from top to bottom
        self.shown_traps: Cards = Counter()  # face up beside a pile, by its number
        self.discarded: Cards = Counter()
        self.third_rat_cards: dict[str, list[str]] = {}  # not shown this round
        self.visited: list[Rat] = []
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

    def result(self) -> tuple[list[Fraction], list[int], list[int]]:
        """Returns, scores and winners, when the game is over (CR-80 to CR-82)."""
        winners = [rat.seat for rat in self._leaders() if rat.seat is not None]
        n = len(self.seats)
        shares = [Fraction(seat in winners, max(1, len(winners))) for seat in range(n)]
        if winners:
            returns = [(share - Fraction(1, n)) * Fraction(n, n - 1) for share in shares]
        else:
            returns = shares  # the third rat alone at the top: 0 for both
        return returns, [rat.points for rat in self.seats], winners

    # The course of the game

    def _game(self) -> Nodes[None]:
        rounds = extra = 0
        while True:
            yield from self._round()
            rounds += 1
            if rounds < 3 and all(rat.points < 7 for rat in self.rats):
                continue
            if len(self._leaders()) == 1 or extra == self.config["extra_rounds"]:
                return
            extra += 1

    def _leaders(self) -> list[Rat]:
        """CR-31. Who is out has no stock."""
        best = max((rat.points, rat.stock.total()) for rat in self.rats)
        return [rat for rat in self.rats if (rat.points, rat.stock.total()) == best]

    def _round(self) -> Nodes[None]:
        for rat in self.rats:
            rat.start_round()
        self.third_rat_cards = {f"tr{n}": row.split() for n, row in enumerate(self.config["third_rat"], 1)}
        yield from self._lay_out_piles()
        if self.config["roles"]:
            yield from self._deal_roles()
        while not any(rat.out for rat in self.rats) and sum(not pile for pile in self.piles.values()) < 2:  # CR-22
            yield from self._turn()
            self.active = self._clockwise_from_left()[0]
        self._give_points()

    def _give_points(self) -> None:
        """CR-23, CR-24, CR-56."""
        gained = {}
        for rat in self.rats:
            if not rat.out:
                gained[rat] = rat.stock["cheese1"] + 2 * rat.stock["cheese2"]
                if rat.role == "alchemist":
                    gained[rat] += rat.stock["clover"]
        nobody = not any(gained.values())
        for rat, points in gained.items():
            rat.points += 2 if nobody else points

    def _lay_out_piles(self) -> Nodes[None]:
        """CR-04."""
        numbers = [str(n) for n in range(1, len(self.rats) + 1)]
        self.piles, self.shown_traps, self.discarded = {}, Counter(), Counter()
        undealt = self.doors - Counter(trap=len(numbers))
        for number in numbers:
            place = yield from chance("trap", dict.fromkeys("12345", 1))
            pile = []
            for _ in range(4):
                card = yield from chance("deal", undealt)
                undealt[card] -= 1
                pile.append(card)
            pile.insert(int(place) - 1, "trap")
            self.piles[number] = pile

    def _deal_roles(self) -> Nodes[None]:
        """CR-50, CR-51."""
        undealt = dict.fromkeys(ROLES, 1)
        for rat in self.seats:
            rat.role = yield from chance("role", undealt)
            undealt[rat.role] = 0
        manipulator = self._holder("manipulator")
        if manipulator:
            first = yield from decide(manipulator, "look", self.piles)
            second = yield from decide(manipulator, "look", set(self.piles) - {first})
            for number in (first, second):
                left, ordered = Counter(self.piles[number]), []
                for _ in range(4):
                    card = yield from decide(manipulator, "place", +left)
                    left[card] -= 1
                    ordered.append(card)
                self.piles[number] = ordered + list(left.elements())

    def _holder(self, role: str) -> Rat | None:
        """Who has this role and has not used it up."""
        return next((rat for rat in self.seats if rat.role == role), None)

    def _clockwise_from_left(self) -> list[Rat]:
        """The seats but the active one."""
        after = self.seats.index(self.active) + 1
        return self.seats[after:] + self.seats[: after - 1]

    # The turn

    def _turn(self) -> Nodes[None]:
        self.visited = []
        dice = yield from self._roll()
        if (yield self.active.seat, ["keep_dice", "reroll"]) == "reroll":
            dice = yield from self._roll()
        if self.config["talk"]:
            yield from self._talk(dice)
        partner = yield from self._choose_partner()
        if partner is self.third:
            kept, decider = yield from self._third_rat_keeps(dice)
        else:
            kept, decider = (yield from self._keeps(partner, dice)), partner
        given_back = dice[1] if kept == dice[0] else dice[0]
        yield from self._resolve(kept, partner, decider)
        yield from self._resolve(given_back, self.active, self.active)

    def _roll(self) -> Nodes[list[str]]:
        weights = {}
        for place, face in enumerate(FACES):
            weights[f"{face} {face}"] = self.sides[face] ** 2
            for other in FACES[place + 1 :]:
                weights[f"{face} {other}"] = 2 * self.sides[face] * self.sides[other]
        return (yield from chance("roll", weights)).split()

    def _talk(self, dice: list[str]) -> Nodes[None]:
        """CR-40."""
        for speaker in self._clockwise_from_left():
            claws = {f"claw {rat.name}" for rat in self.rats if rat is not speaker}
            yield from decide(speaker, "say", {"nothing", "peace"} | {f"die {face}" for face in dice} | claws)

    def _choose_partner(self) -> Nodes[Rat]:
        """CR-07, CR-52, CR-61."""
        partners = self._clockwise_from_left()
        if self.third and self.third_rat_cards:
            partners.append(self.third)
        al_ratone = self._holder("al_ratone")
        if self.third and len(partners) == 1:
            return partners[0]
        if al_ratone and al_ratone is not self.active:
            text = yield al_ratone.seat, ["claim", "no_claim"]
            if text == "claim":
                al_ratone.role = None
                return al_ratone
        return (yield from choose(self.active, "partner", partners))

    def _keeps(self, partner: Rat, dice: list[str]) -> Nodes[str]:
        """CR-08."""
        if dice[0] == dice[1]:
            return dice[0]
        return (yield from decide(partner, "die", dice))

    def _third_rat_keeps(self, dice: list[str]) -> Nodes[tuple[str, Rat]]:
        """CR-62, CR-63."""
        card = yield from chance("reveal", dict.fromkeys(self.third_rat_cards, 1))
        *ranking, who = self.third_rat_cards.pop(card)
        if self.third.bandages == 2 and "heal" in dice:
            kept = "heal"
        else:
            kept = min(dice, key=ranking.index)
        return kept, self.active if who == "active" else self._opponent(self.active)

    def _opponent(self, rat: Rat) -> Rat:
        """The other of two seats."""
        return self.seats[1 - rat.seat]

    # The dice; decider is the seat that chooses for the rat

    def _resolve(self, face: str, rat: Rat, decider: Rat) -> Nodes[None]:
        if face == "steal":
            yield from self._steal(rat, decider)
        elif face == "claw":
            yield from self._claw(rat, decider)
        elif rat.out:  # CR-21
            return
        elif face == "heal":
            rat.bandages = max(0, rat.bandages - 1)
        else:
            number = yield from decide(decider, "pile", [number for number, pile in self.piles.items() if pile])
            yield from self._draw(rat, number)
            if face == "key2" and self.piles[number] and not rat.out:
                yield from self._draw(rat, number)

    def _draw(self, rat: Rat, number: str) -> Nodes[None]:
        """CR-18, CR-54."""
        card = self.piles[number].pop(0)
        if card == "trap" and rat.role != "fool":
            self.shown_traps[number] += 1
            yield from self._bandage(rat)
        else:
            rat.stock[card] += 1

    def _steal(self, thief: Rat, decider: Rat) -> Nodes[None]:
        """CR-14, CR-21, CR-54, CR-65."""
        victims = [rat for rat in self.rats if rat is not thief and rat.stock.total()]
        if not victims:
            return
        victim = yield from choose(decider, "rob", victims)
        card = yield from chance("lose", victim.stock)
        victim.stock[card] -= 1
        if card == "trap":
            self.discarded["trap"] += 1
            yield from self._bandage(thief)
            traps = victim.stock.pop("trap")
            self.discarded["trap"] += traps
            victim.role = None
            for _ in range(traps):
                yield from self._bandage(victim)
        elif thief.out:
            self.discarded[card] += 1
        else:
            thief.stock[card] += 1

    def _claw(self, attacker: Rat, decider: Rat) -> Nodes[None]:
        """CR-15, CR-16, CR-53, CR-64."""
        if attacker is self.third:
            target = self._opponent(decider)
        else:
            targets = self._cat_may_visit(attacker)
            if not targets:
                return
            target = yield from choose(decider, "claw", targets)
        self.visited.append(target)
        elsewhere = self._cat_may_visit(target)
        if target.role == "hypnotist" and elsewhere:
            texts = [f"redirect {rat.name}" for rat in elsewhere]
            text = yield target.seat, sorted(["no_redirect", *texts])
            if text != "no_redirect":
                target.role = None
                target = elsewhere[texts.index(text)]
                self.visited.append(target)
        yield from self._bandage(target)

    def _cat_may_visit(self, sender: Rat) -> list[Rat]:
        return [rat for rat in self.rats if rat is not sender and not rat.out and rat not in self.visited]

    def _bandage(self, rat: Rat) -> Nodes[None]:
        """CR-19 to CR-21, CR-67."""
        if rat.out:
            return
        if rat.stock["clover"]:
            text = "clover" if rat is self.third else (yield rat.seat, ["bandage", "clover"])
            if text == "clover":
                rat.stock["clover"] -= 1
                self.discarded["clover"] += 1
                return
        rat.bandages += 1
        if rat.bandages == 3:
            rat.out = True
            self.discarded += rat.stock
            rat.stock = Counter()


def chance(verb: str, weights: dict[str, int]) -> Nodes[str]:
    """One of the keys of ``weights`` at random."""
    text = yield "chance", {f"{verb} {what}": weight for what, weight in weights.items() if weight}
    return text.removeprefix(f"{verb} ")


def decide(rat: Rat, verb: str, what: Iterable[str]) -> Nodes[str]:
    """One of the texts, each offered once, as the rat's seat likes."""
    text = yield rat.seat, sorted(f"{verb} {each}" for each in set(what))
    return text.removeprefix(f"{verb} ")


def choose(rat: Rat, verb: str, others: list[Rat]) -> Nodes[Rat]:
    """One of the other rats, as the rat's seat likes."""
    name = yield from decide(rat, verb, [other.name for other in others])
    return next(other for other in others if other.name == name)


def check_record(record: dict[str, Any]) -> None:
    """Assert that every node of a record with options, and its result, is what the specification says."""
    check_against(Referee(record["config"]), record)
