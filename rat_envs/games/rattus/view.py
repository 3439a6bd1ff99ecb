"""What a drawing or a text of the table may show, built from what a seat observes and may do (RT-70 to RT-73)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rat_envs.engine.attributes import new_record
from rat_envs.engine.game import EVERYTHING, TERMINAL, PointOfView
from rat_envs.engine.seen import number_of_seats, one_place
from rat_envs.engine.wording import Person
from rat_envs.games.rattus.components import CUBES as ALL_CUBES
from rat_envs.games.rattus.configuration import CLASSES, EVERY, LIMIT, MOST
from rat_envs.games.rattus.notation import ACTIONS
from rat_envs.games.rattus.observation import DECISIONS, OBSERVATION, observe, observe_fixed
from rat_envs.games.rattus.rules import actor, legal
from rat_envs.games.rattus.tables import CARDS, REGIONS

NODES = tuple(name for _, name in DECISIONS)
#: Where the others sit, by number of players and clockwise from the observer.
SIDES = {2: ("", "opposite"), 3: ("", "left", "right"), 4: ("", "left", "opposite", "right")}


@dataclass(frozen=True)
class Face:
    """What is printed on a token: its limit, how many M and A, and how often each class."""

    limit: int
    most: int
    every: int
    classes: tuple[int, ...]


@dataclass(frozen=True)
class Rat:
    """A token on the board.

    Attributes:
        looked_at_by: the seats that have looked at it.
        face: what the observer knows of it; None if it has not looked.
        is_chosen: whether a Monk or a Witch has chosen it just now.
    """

    from_start: bool
    looked_at_by: tuple[int, ...]
    face: Face | None
    is_chosen: bool


@dataclass(frozen=True)
class Region:
    """A region.

    Attributes:
        neutral: cubes that the plague piece counts for.
        moving: cubes that a Merchant is about to move away.
        cubes: by seat.
        rats: by slot.
        neighbours: numbers of regions.
    """

    number: int
    in_play: bool
    has_plague: bool
    neutral: int
    moving: int
    cubes: tuple[int, ...]
    rats: tuple[Rat, ...]
    neighbours: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name as written on a map."""
        return REGIONS[self.number].capitalize()

    @property
    def chosen_slots(self) -> tuple[int, ...]:
        """Slots of the tokens chosen just now."""
        return tuple(slot for slot, rat in enumerate(self.rats) if rat.is_chosen)


@dataclass(frozen=True)
class Player(Person):
    """A player and its pieces and cards.

    Attributes:
        side: where it sits, seen from the observer; empty for the observer, or if there is none.
        cards: the class cards it holds.
    """

    side: str
    is_active: bool
    stock: int
    palace: int
    cards: tuple[int, ...]

    @property
    def score(self) -> int:
        """RT-66."""
        return ALL_CUBES - self.stock


@dataclass(frozen=True)
class View:
    """The table from a point of view.

    Attributes:
        observer: the observing seat; None for a spectator; ``EVERYTHING`` if everything is seen.
        node: what is asked; ``asked``: who is asked; None if nobody is.
        verbs: the first words of the observer's legal actions, if it is asked.
        last: who had the last turn, from the final round on.
        card_taken, cubes_placed, used: what has been done this turn; ``used`` by card.
        spread_left: new tokens still to be laid, during the spread.
        faces: of all tokens, and which of them have been ``flipped``, or are ``unseen`` by the observer.
        start_left: left-over start tokens that the observer has not seen turn up; None for a spectator.
    """

    observer: PointOfView
    players: tuple[Player, ...]
    regions: tuple[Region, ...]
    king_after_plague: bool
    node: str | None
    asked: Player | None
    verbs: frozenset[str]
    last: Player | None
    card_taken: bool
    cubes_placed: bool
    used: tuple[bool, ...]
    spread_left: int
    supply: int
    faces: tuple[Face, ...]
    flipped: tuple[bool, ...]
    unseen: tuple[bool, ...]
    start_left: int | None
    is_over: bool

    @property
    def active(self) -> Player | None:
        """Whose turn it is; None during set-up."""
        return next((player for player in self.players if player.is_active), None)

    @property
    def is_final_ravage(self) -> bool:
        """RT-65: nobody acts any more."""
        return self.last is not None and self.last.is_active

    @property
    def plague(self) -> Region | None:
        """Where the plague piece is; None before it is laid out."""
        return next((region for region in self.regions if region.has_plague), None)

    @property
    def chosen(self) -> tuple[tuple[Region, int], ...]:
        """Region and slot of each token chosen just now."""
        return tuple((region, slot) for region in self.regions for slot in region.chosen_slots)

    @property
    def merchant(self) -> Region | None:
        """The region that a Merchant is about to move cubes away from."""
        return next((region for region in self.regions if region.moving), None)

    @property
    def winner(self) -> Player:
        """RT-66: of those tied, the one whose turn would have come next."""
        after = self.last.number + 1 if self.last is not None else 0
        order = self.players[after:] + self.players[:after]
        return max(order, key=lambda player: player.score)  # the first of those tied

    def holder(self, card: int) -> Player | None:
        """Who holds a class card; None if it lies beside the board."""
        return next((player for player in self.players if card in player.cards), None)


def view(row: Any, point_of_view: PointOfView) -> View:
    """The table as a seat knows it; for None, what everybody knows; for ``EVERYTHING``, what anybody knows."""
    if point_of_view == EVERYTHING:
        return view_of_everything(row)
    seen = new_record(OBSERVATION)
    seat, is_spectator = point_of_view or 0, point_of_view is None
    observe_fixed(row, seen)
    observe(row, seat, seen)
    players = players_of(seen, seat, is_spectator)
    flipped = tuple(bool(flag) for flag in seen["flipped"])
    node = one_place(seen["node"])
    return View(
        observer=point_of_view,
        players=players,
        regions=tuple(_region(seen, number, seat, is_spectator) for number in range(len(REGIONS))),
        king_after_plague=bool(seen["king_after_plague"]),
        node=None if node is None else NODES[node],
        asked=_player(players, seen["actor"], seat),
        verbs=verbs_of(row) if actor(row) == point_of_view else frozenset(),
        last=_player(players, seen["last_active"], seat),
        card_taken=bool(seen["card_taken"]),
        cubes_placed=bool(seen["cubes_placed"]),
        used=tuple(bool(flag) for flag in seen["used"]),
        spread_left=int(seen["spread_left"]) if node == NODES.index("spread") else 0,
        supply=int(seen["supply"]),
        faces=tuple(face_of(face) for face in seen["tokens"]),
        flipped=flipped,
        unseen=tuple(not flag for flag in flipped) if is_spectator else tuple(bool(flag) for flag in seen["unseen"]),
        start_left=None if is_spectator else int(seen["start_left"]),
        is_over=actor(row) == TERMINAL,
    )


def view_of_everything(row: Any) -> View:
    """The combined knowledge of all seats: a face that one of them has seen is shown."""
    public = view(row, None)
    seats = [view(row, player.number) for player in public.players]
    return replace(
        public,
        observer=EVERYTHING,
        regions=tuple(
            replace(region, rats=tuple(_known_rat(seats, region, slot) for slot in range(len(region.rats))))
            for region in public.regions
        ),
        unseen=tuple(all(flags) for flags in zip(*(seen.unseen for seen in seats), strict=True)),
    )


def verbs_of(row: Any) -> frozenset[str]:
    """The first words of the acting seat's legal actions."""
    mask = np.zeros(len(ACTIONS), bool)
    legal(row, mask)
    return frozenset(ACTIONS[action].partition(" ")[0] for action in np.flatnonzero(mask))


def _known_rat(seats: list[View], region: Region, slot: int) -> Rat:
    """A token as seen by somebody who knows its face, if anybody does."""
    tokens = [seen.regions[region.number].rats[slot] for seen in seats]
    return next((token for token in tokens if token.face is not None), tokens[0])


def players_of(seen: Any, seat: int, is_spectator: bool) -> tuple[Player, ...]:
    """The players of an observation, by number of seat."""
    number = number_of_seats(seen)
    players = []
    for index in range(number):
        place = (index - seat) % number
        player = Player(
            number=index,
            is_observer=place == 0 and not is_spectator,
            side="" if is_spectator else SIDES[number][place],
            is_active=bool(seen["active"][place]),
            stock=int(seen["stock"][place]),
            palace=int(seen["palace"][place]),
            cards=tuple(card for card in range(len(CARDS)) if seen["holders"][card][place]),
        )
        players.append(player)
    return tuple(players)


def _region(seen: Any, number: int, seat: int, is_spectator: bool) -> Region:
    players = number_of_seats(seen)
    places = [(index - seat) % players for index in range(players)]
    return Region(
        number=number,
        in_play=bool(seen["in_play"][number]),
        has_plague=bool(seen["plague"][number]),
        neutral=int(seen["neutral_cubes"][number]),
        moving=int(seen["cubes_moving"][number]),
        cubes=tuple(int(seen["cubes"][place, number]) for place in places),
        rats=tuple(_rat(seen, slot, number, places, is_spectator) for slot in range(int(seen["rats"][number]))),
        neighbours=tuple(int(other) for other in np.flatnonzero(seen["adjacency"][number]) if other != number),
    )


def _rat(seen: Any, slot: int, region: int, places: Iterable[int], is_spectator: bool) -> Rat:
    looked_at = seen["looked_at"][slot, :, region]
    return Rat(
        from_start=bool(seen["laid_out"][slot, region]),
        looked_at_by=tuple(index for index, place in enumerate(places) if looked_at[place]),
        face=face_of(seen["faces"][slot, :, region]) if looked_at[0] and not is_spectator else None,
        is_chosen=bool(seen["chosen"][slot, region]),
    )


def face_of(numbers: Any) -> Face:
    """A face from the columns of ``tokens``."""
    return Face(
        limit=int(numbers[LIMIT]),
        most=int(numbers[MOST]),
        every=int(numbers[EVERY]),
        classes=tuple(int(number) for number in numbers[CLASSES:]),
    )


def _player(players: tuple[Player, ...], one_hot: Any, seat: int) -> Player | None:
    """The player that a one-hot field names."""
    place = one_place(one_hot)
    return None if place is None else players[(place + seat) % len(players)]
