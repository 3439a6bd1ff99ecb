"""A second, naive Rattus, written from the specification alone and sharing no code with the package.

Every ``yield`` is one node: it hands out who acts and the options as a record states them, and is sent the action.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from refereed import check_against

CARDS = ("peasant", "merchant", "monk", "knight", "witch", "king")
LETTERS = dict(zip("PBCKWR", CARDS, strict=True))

#: The regions of each tier of the default map. Table order is the order of these names, whatever the map in use.
TIERS = {
    "light": ["anglia", "gallia", "germania", "hispania", "hungaria", "italia", "polonia", "scandia"],
    "middle": ["bulgaria", "turcia"],
    "dark": ["russia", "tartaria"],
}
TABLE_ORDER = [name for names in TIERS.values() for name in names]
TIERS_IN_PLAY = {2: ["light"], 3: ["light", "middle"], 4: ["light", "middle", "dark"]}

EDGES = """
gallia-hispania russia-tartaria anglia-gallia germania-italia germania-scandia hispania-italia gallia-germania
gallia-italia germania-polonia hungaria-polonia bulgaria-hungaria bulgaria-turcia polonia-russia germania-hungaria
russia-scandia bulgaria-tartaria hungaria-tartaria hungaria-italia polonia-tartaria anglia-scandia tartaria-turcia
italia-turcia
"""

#: Id, limit, M, A, classes.
TOKENS = """
s01 2 1 0 WR
s02 2 1 0 BK
s03 3 1 0 PC
s04 3 1 0 KW
s05 3 1 0 BR
s06 4 1 0 PBW
s07 4 1 0 PBC
s08 4 1 0 BCR
s09 4 1 0 KWR
s10 5 0 1 PCK
s11 5 0 1 CWR
s12 6 1 1 PK
r01 1 0 0 BC
r02 1 0 0 BK
r03 1 0 0 PW
r04 1 0 0 CR
r05 1 0 0 WR
r06 2 1 0 BC
r07 2 1 0 PK
r08 2 1 0 PC
r09 2 1 0 PR
r10 2 1 0 KW
r11 3 1 0 CW
r12 3 1 0 PB
r13 3 1 0 WR
r14 3 1 0 BK
r15 3 1 0 PK
r16 4 1 0 PCR
r17 4 1 0 CKW
r18 4 1 0 BKR
r19 4 1 0 PBR
r20 4 1 0 PWR
r21 4 1 0 BCW
r22 4 1 0 CKR
r23 4 1 0 BCK
r24 5 0 1 PBK
r25 5 0 1 KWR
r26 5 0 1 PBW
r27 5 0 1 BCW
r28 5 0 1 CKW
r29 5 0 1 PBR
r30 5 0 1 CKR
r31 5 0 1 PWR
r32 6 1 1 BK
r33 6 1 1 PB
r34 6 1 1 CK
r35 6 1 1 PW
r36 6 1 1 WR
r37 6 1 1 CR
"""

#: Tokens removed unseen, by the number of players.
REMOVED = {2: 12, 3: 6, 4: 0}

Options = Any  # a sorted list of texts at a decision, at a chance node a dict from text to weight
Node = tuple[Any, Options]
T = TypeVar("T")
Nodes = Generator[Node, str, T]


def default_map() -> dict[str, Any]:
    """The specification's map, written as a replaced one."""
    return {"tiers": TIERS, "edges": [edge.split("-") for edge in EDGES.split()]}


def default_tokens() -> list[dict[str, Any]]:
    """The specification's tokens, written as replaced ones."""
    tokens = []
    for line in TOKENS.split("\n")[1:-1]:
        name, limit, m, a, letters = line.split()
        tokens.append(
            {
                "id": name,
                "set": "start" if name.startswith("s") else "regular",
                "limit": int(limit),
                "m": int(m),
                "a": int(a),
                "classes": [LETTERS[letter] for letter in letters],
            }
        )
    return tokens


class Player:
    """A seat."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.stock = 20
        self.palace = 0
        self.cards: set[str] = set()


class Rat:
    """A rat token on the board; its face is None until somebody sees it."""

    def __init__(self, pile: str) -> None:
        self.pile = pile
        self.face: dict[str, Any] | None = None


class Region:
    """A region in play."""

    def __init__(self, name: str, players: list[Player]) -> None:
        self.name = name
        self.neighbours: list[Region] = []
        self.rats: list[Rat] = []
        self.cubes = dict.fromkeys(players, 0)

    def has_room(self) -> bool:
        """RT-21."""
        return len(self.rats) < 3

    def has_cubes(self) -> bool:
        """Whether any player has a cube here."""
        return any(self.cubes.values())


class Referee:
    """One game from its first node to its end; the attributes are the table."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.players = [Player(seat) for seat in range(config["players"])]
        self.regions = self._make_regions()
        tokens = default_tokens() if config["tokens"] == "default" else config["tokens"]
        self.undrawn = {token["id"]: token for token in tokens}  # the faces that nobody has seen
        self.left_over = 12 - len(self.regions)  # L of RT-80
        self.supply = 37 + self.left_over - REMOVED[len(self.players)]
        self.flipped: list[str] = []  # the tokens that have left the game
        self.plague: Region | None = None
        self.active = self.players[0]  # RT-08; in the final round the player of the last turn
        self.used: set[str] = set()  # the cards used in this turn, or in this player's part of the final round
        self.bonus_region: Region | None = None  # where the plague piece counts as two cubes in the final ravage
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
        """Returns, scores and winners, when the game is over (RT-66)."""
        scores = [self._cubes_on_board(player) for player in self.players]
        winner = next(player for player in self._clockwise_after_active() if scores[player.seat] == max(scores))
        loss = Fraction(-1, len(self.players) - 1)
        returns = [Fraction(1) if player is winner else loss for player in self.players]
        return returns, scores, [winner.seat]

    def _make_regions(self) -> dict[str, Region]:
        """RT-01, RT-03: the regions in play in table order, each with its start token."""
        board = default_map() if self.config["map"] == "default" else self.config["map"]
        in_play = [name for tier in TIERS_IN_PLAY[len(self.players)] for name in board["tiers"][tier]]
        regions = {name: Region(name, self.players) for name in TABLE_ORDER if name in in_play}
        for one, other in board["edges"]:
            if one in regions and other in regions:
                regions[one].neighbours.append(regions[other])
                regions[other].neighbours.append(regions[one])
        for region in regions.values():
            region.rats.append(Rat("start"))
        return regions

    def _cubes_on_board(self, player: Player) -> int:
        return sum(region.cubes[player] for region in self.regions.values()) + player.palace

    def _clockwise_after_active(self) -> list[Player]:
        """Every player, the active one last."""
        after = self.active.seat + 1
        return self.players[after:] + self.players[:after]

    # The course of the game

    def _game(self) -> Nodes[None]:
        self.plague = self.regions[(yield from chance("plague", dict.fromkeys(self.regions, 1)))]
        for player in self.players + self.players[::-1]:  # RT-07
            region = yield from self._choose_region(player, "place", self.regions.values())
            self._put(player, region, 2)
        while True:
            yield from self._turn(self.active)
            if not self.supply or not self.active.stock:  # RT-60
                break
            self.active = self._clockwise_after_active()[0]
        for player in self._clockwise_after_active()[-2::-1]:  # RT-61: the active one left out, from his right
            yield from self._last_abilities(player)
        for region in self.regions.values():  # RT-65
            yield from self._ravage(region, None, 2 if region is self.bonus_region else 0)

    def _choose_region(self, player: Player, verb: str, regions: Iterable[Region]) -> Nodes[Region]:
        text = yield player.seat, sorted(f"{verb} {region.name}" for region in regions)
        return self.regions[text.split()[1]]

    def _put(self, player: Player, region: Region, due: int) -> None:
        """Cubes from the stock, as far as it goes (RT-14)."""
        cubes = min(due, player.stock)
        player.stock -= cubes
        region.cubes[player] += cubes

    def _take_back(self, player: Player, region: Region, due: int) -> None:
        """Cubes to the stock, as far as there are any (RT-30)."""
        cubes = min(due, region.cubes[player])
        region.cubes[player] -= cubes
        player.stock += cubes

    # The turn

    def _turn(self, player: Player) -> Nodes[None]:
        self.used = set()
        yield from self._main_phase(player)
        yield from self._spread(player)
        choice = "no_bonus"
        if "knight" in player.cards and self.plague.has_cubes() and self.plague.rats:  # RT-44
            choice = yield player.seat, ["bonus", "no_bonus"]
        yield from self._ravage(self.plague, player, 2 if choice == "bonus" else 0)
        if self.config["king_after_plague"] and self._king_options(player):  # RT-47
            text = yield player.seat, sorted([*self._king_options(player), "pass"])
            if text != "pass":
                yield from self._use_ability(player, text)

    def _main_phase(self, player: Player) -> Nodes[None]:
        """RT-10 to RT-16, and the plague's move."""
        taken = placed = False
        while True:
            options = self._ability_options(player)
            if not taken:
                options += [f"take {card}" for card in CARDS if card not in player.cards]
            if placed:
                options += self._plague_options("knight" in player.cards)
            else:
                options += self._placing_options(player)
            text = yield player.seat, sorted(options)
            verb, what = text.split()[:2]
            if verb == "take":
                self._take_card(player, what)
                taken = True
            elif verb in ("place", "peasant"):
                region = self.regions[what]
                self._put(player, region, len(region.rats) + (verb == "peasant"))
                placed = True
            elif verb == "plague":
                self.plague = self.regions[what]
                return
            else:
                yield from self._use_ability(player, text)

    def _take_card(self, player: Player, card: str) -> None:
        """RT-11."""
        for other in self.players:
            other.cards.discard(card)
        player.cards.add(card)

    def _placing_options(self, player: Player) -> list[str]:
        """RT-12, RT-42."""
        options = []
        for name, region in self.regions.items():
            if region.rats:
                options.append(f"place {name}")
            if "peasant" in player.cards and player.stock >= len(region.rats) + 1:
                options.append(f"peasant {name}")
        return options

    def _plague_options(self, knight: bool) -> list[str]:
        """RT-15, RT-43."""
        reached = set(self.plague.neighbours)
        if knight:
            reached.update(beyond for region in self.plague.neighbours for beyond in region.neighbours)
        return [f"plague {region.name}" for region in reached - {self.plague}]

    def _spread(self, player: Player) -> Nodes[None]:
        """RT-20 to RT-23."""
        for _ in range(min(2, len(self.plague.rats))):
            open_regions = [region for region in self.plague.neighbours if region.has_room()]
            if self.supply and open_regions:
                region = yield from self._choose_region(player, "rat", open_regions)
                self.supply -= 1
                region.rats.append(Rat("supply"))

    # The ravage

    def _ravage(self, region: Region, flipper: Player | None, neutral: int) -> Nodes[None]:
        """RT-24, RT-25; in the final ravage (RT-65) nobody is the flipper."""
        while region.has_cubes() and region.rats:
            slots = [str(slot + 1) for slot in range(len(region.rats))]
            if len(slots) == 1:
                slot = "1"
            elif flipper:
                text = yield flipper.seat, [f"flip {slot}" for slot in slots]
                slot = text.split()[1]
            else:
                slot = yield from chance("flip", dict.fromkeys(slots, 1))
            rat = region.rats.pop(int(slot) - 1)
            yield from self._see(rat)
            self.flipped.append(rat.face["id"])
            if sum(region.cubes.values()) + neutral >= rat.face["limit"]:
                self._strike(region, rat.face)

    def _see(self, rat: Rat) -> Nodes[None]:
        """RT-80."""
        if rat.face:
            return
        start_faces = [name for name, face in self.undrawn.items() if face["set"] == "start"]
        regular_faces = [name for name, face in self.undrawn.items() if face["set"] == "regular"]
        if rat.pile == "start":
            weights = dict.fromkeys(start_faces, 1)
        elif self.left_over == 0:
            weights = dict.fromkeys(regular_faces, 1)
        else:
            weights = dict.fromkeys(regular_faces, len(start_faces)) | dict.fromkeys(start_faces, self.left_over)
        name = yield from chance("token", weights)
        rat.face = self.undrawn.pop(name)
        if rat.pile == "supply" and rat.face["set"] == "start":
            self.left_over -= 1

    def _strike(self, region: Region, face: dict[str, Any]) -> None:
        """RT-27 to RT-30."""
        most = max(region.cubes.values())
        for player in [player for player in self.players if region.cubes[player] == most]:
            self._take_back(player, region, face["m"])
        for card in face["classes"]:
            for player in self.players:
                if card in player.cards:
                    self._take_back(player, region, 1)
        for player in self.players:
            self._take_back(player, region, face["a"])

    # The abilities that are alike in a turn and in the final round

    def _may_use(self, player: Player, card: str) -> bool:
        return card in player.cards and card not in self.used

    def _ability_options(self, player: Player) -> list[str]:
        """What can be done with the Merchant, the Monk, the Witch and the King."""
        options = self._king_options(player)
        for name, region in self.regions.items():
            slots = range(1, len(region.rats) + 1)
            if self._may_use(player, "merchant"):
                options += [f"merchant {name} {cubes}" for cubes in (1, 2, 3) if cubes <= region.cubes[player]]
            if self._may_use(player, "monk") and any(other.has_room() for other in region.neighbours):
                options += [f"monk {name} {slot}" for slot in slots]
            if self._may_use(player, "witch"):
                options += [f"witch {name} {slot}" for slot in slots]
        return options

    def _king_options(self, player: Player) -> list[str]:
        """RT-46."""
        if not self._may_use(player, "king"):
            return []
        return [f"king {name}" for name, region in self.regions.items() if region.cubes[player] and not region.rats]

    def _use_ability(self, player: Player, text: str) -> Nodes[None]:
        card, name, *number = text.split()
        self.used.add(card)
        region = self.regions[name]
        if card == "king":
            region.cubes[player] -= 1
            player.palace += 1
        elif card == "merchant":
            cubes = int(number[0])
            target = yield from self._choose_region(player, "to", region.neighbours)
            region.cubes[player] -= cubes
            target.cubes[player] += cubes
        elif card == "monk":
            open_regions = [other for other in region.neighbours if other.has_room()]
            target = yield from self._choose_region(player, "to", open_regions)
            target.rats.append(region.rats.pop(int(number[0]) - 1))
        else:
            yield from self._use_witch(player, region, int(number[0]))

    def _use_witch(self, player: Player, region: Region, slot: int) -> Nodes[None]:
        """RT-45."""
        yield from self._see(region.rats[slot - 1])
        others = [
            f"witch {name} {place}"
            for name, other in self.regions.items()
            for place in range(1, len(other.rats) + 1)
            if (other, place) != (region, slot)
        ]
        text = yield player.seat, sorted([*others, "stop"])
        if text == "stop":
            return
        _, name, number = text.split()
        other, place = self.regions[name], int(number)
        yield from self._see(other.rats[place - 1])
        if other is not region and (yield player.seat, ["keep", "swap"]) == "swap":
            one = region.rats[slot - 1]
            region.rats[slot - 1] = other.rats[place - 1]
            other.rats[place - 1] = one

    # The final round

    def _last_abilities(self, player: Player) -> Nodes[None]:
        """RT-61 to RT-64."""
        self.used = set()
        while True:
            options = self._ability_options(player)
            if self._may_use(player, "peasant") and player.stock:
                options += [f"peasant {name}" for name in self.regions]
            if self._may_use(player, "knight"):
                options += self._plague_options(knight=True)
            if not options:
                return
            text = yield player.seat, sorted([*options, "pass"])
            if text == "pass":
                return
            verb, name = text.split()[:2]
            if verb == "peasant":
                self.used.add("peasant")
                self._put(player, self.regions[name], 1)
            elif verb == "plague":
                self.used.add("knight")
                self.plague = self.bonus_region = self.regions[name]
            else:
                yield from self._use_ability(player, text)


def chance(verb: str, weights: dict[str, int]) -> Nodes[str]:
    """One of the keys of ``weights`` at random."""
    text = yield "chance", {f"{verb} {what}": weight for what, weight in weights.items()}
    return text.removeprefix(f"{verb} ")


def check_record(record: dict[str, Any]) -> None:
    """Assert that every node of a record with options, and its result, is what the specification says."""
    check_against(Referee(record["config"]), record)
