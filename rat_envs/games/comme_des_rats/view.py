"""What a drawing or a text of the table may show, built from observations only (CR-70 to CR-77)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from rat_envs.engine.attributes import new_record
from rat_envs.engine.game import EVERYTHING, TERMINAL, PointOfView
from rat_envs.engine.seen import expand, number_of_seats, one_place, whole_numbers
from rat_envs.engine.wording import Person
from rat_envs.games.comme_des_rats.components import SEATS
from rat_envs.games.comme_des_rats.configuration import CARDS, FACES, THIRD_RAT_CARDS
from rat_envs.games.comme_des_rats.notation import SAY_CLAW, THIRD_RAT_PLACE
from rat_envs.games.comme_des_rats.observation import OBSERVATION, OWN_NODES, observe, observe_fixed
from rat_envs.games.comme_des_rats.rules import actor

NODES = tuple(name for _, name in OWN_NODES)
NO_CARDS = (0,) * len(CARDS)


@dataclass(frozen=True)
class RatName(Person):
    """The name of a seat, or of the third rat, whose number is 2, as an observer uses it."""

    is_third_rat: bool

    @property
    def name(self) -> str:
        """What others call it."""
        return "third rat" if self.is_third_rat else super().name

    @property
    def article(self) -> str:
        """The article before the name in a sentence."""
        return "the " if self.is_third_rat else ""


#: A rat by its name only, or with everything that is seen of it.
Name = TypeVar("Name", bound=RatName)


@dataclass(frozen=True)
class Rat(RatName):
    """A seat or the third rat, as an observer sees it.

    Attributes:
        known: the cards of its stock that are known, by kind.
        role: its role if that is known, and ``role_shown`` whether it has been shown to everybody.
        trap_shown: with roles, whether it has shown a trap that it drew (so it is not, or no longer, the Fool).
        statement: the number of its statement of this turn (CR-40); a rat in it is named by its place in the notation.
    """

    is_active: bool
    is_partner: bool
    points: int
    bandages: int
    is_out: bool
    is_visited: bool
    stock_size: int
    known: tuple[int, ...]
    role: int | None
    role_shown: bool
    trap_shown: bool
    statement: int | None

    @property
    def unknown(self) -> int:
        """How many cards of its stock are not known."""
        return self.stock_size - sum(self.known)


@dataclass(frozen=True)
class Pile:
    """A pile.

    Attributes:
        known: its cards from the top as far as the observer knows them, as Manipulator (CR-71).
        traps_stored: how many traps the observer drew from it, as Fool. For ``EVERYTHING`` both fields hold what the
            Manipulator and the Fool know.
    """

    number: int
    size: int
    traps_beside: int
    is_looked_at: bool
    is_searched: bool
    known: tuple[int, ...]
    traps_stored: int


@dataclass(frozen=True)
class ThirdRatCard:
    """A card of the third rat: the faces in order of preference, and whether the opponent decides (CR-63)."""

    faces: tuple[int, ...]
    opponent_decides: bool
    is_shown: bool


@dataclass(frozen=True)
class View:
    """The table from a point of view.

    Attributes:
        observer: the observing seat; None for a spectator.
        rats: by number.
        dice: the faces of the current roll; ``first_roll``: those of the first roll.
        kept: the partner's face and the active seat's, once they are known; else empty.
        resolved: 0 while no die is resolved, 1 for the partner's, 2 for the active seat's.
        third_rat_card: the number of its card of this turn.
        left_to_place: for the Manipulator, the cards still to be placed in the pile being ordered, by kind.
        doors: the door cards in use, by kind.
        node: what the observer is asked, in the notation; None if it is not asked.
    """

    observer: int | None
    rats: tuple[Rat, ...]
    piles: tuple[Pile, ...]
    roles: bool
    talk: bool
    extra_rounds: int
    doors: tuple[int, ...]
    round: int
    extra_rounds_played: int
    first_roll: tuple[int, ...]
    dice: tuple[int, ...]
    rerolled: bool
    kept: tuple[int, ...]
    resolved: int
    whose_die: Rat | None
    decider: Rat | None
    second_draw: bool
    robbed: Rat | None
    aimed_at: Rat | None
    fool_bandages: int
    discard: tuple[int, ...]
    third_rat_cards: tuple[ThirdRatCard, ...]
    third_rat_card: int | None
    left_to_place: tuple[int, ...]
    node: str | None
    is_over: bool

    @property
    def near(self) -> Rat:
        """The observer, or player_0 for a spectator."""
        return self.rats[self.observer or 0]

    @property
    def others(self) -> tuple[Rat, ...]:
        """All rats but ``near``, clockwise from it."""
        start = self.near.number
        return self.rats[start + 1 :] + self.rats[:start]

    @property
    def players(self) -> int:
        """Number of seats."""
        return sum(not rat.is_third_rat for rat in self.rats)

    @property
    def active(self) -> Rat:
        """Whose turn it is."""
        return next(rat for rat in self.rats if rat.is_active)

    @property
    def partner(self) -> Rat | None:
        """Who is partner in this turn."""
        return next((rat for rat in self.rats if rat.is_partner), None)

    @property
    def face(self) -> int | None:
        """The face of the die being resolved."""
        return self.kept[self.resolved - 1] if self.resolved else None

    @property
    def pile_searched(self) -> Pile | None:
        """The pile being drawn from."""
        return next((pile for pile in self.piles if pile.is_searched), None)

    @property
    def pile_being_ordered(self) -> Pile | None:
        """Where the observer is asked to place a card (CR-51)."""
        piles = (pile for pile in self.piles if pile.is_looked_at and len(pile.known) < pile.size)
        return next(piles, None) if self.node == "place" else None

    @property
    def winners(self) -> tuple[Rat, ...]:
        """Who wins if the game is over (CR-31, CR-81)."""
        return self.outcome[0]

    @property
    def outcome(self) -> tuple[tuple[Rat, ...], bool]:
        """Who wins if the game is over, and whether others have equally many points (CR-31, CR-81)."""
        return outcome(self.rats, [(rat.points, rat.stock_size) for rat in self.rats])


def outcome(rats: Sequence[Name], scores: Sequence[tuple[int, int]]) -> tuple[tuple[Name, ...], bool]:
    """Who wins a finished game, and whether others have equally many points (CR-31).

    CR-81: of the rats at the top, the seats win; the third rat only if it is alone there.

    Args:
        rats: all of them.
        scores: the points of each, and the cards that it stored in the last round.
    """
    best = max(scores)
    leaders = [rat for rat, score in zip(rats, scores, strict=True) if score == best]
    winners = tuple(rat for rat in leaders if not rat.is_third_rat) or tuple(leaders)
    return winners, any(score < best and score[0] == best[0] for score in scores)


def view(row: Any, point_of_view: PointOfView) -> View:
    """The table as a seat knows it; for None, what everybody knows; for ``EVERYTHING``, what anybody knows."""
    if point_of_view == EVERYTHING:
        return view_of_everything(row)
    seen = new_record(OBSERVATION)
    observe_fixed(row, seen)
    observe(row, point_of_view or 0, seen)
    return view_of(seen, is_spectator=point_of_view is None, is_over=actor(row) == TERMINAL)


def view_of_everything(row: Any) -> View:
    """The combined knowledge of all seats: stocks and roles as their owners see them, piles as anybody knows them."""
    public = view(row, None)
    seats = [view(row, seat) for seat in range(public.players)]
    rats = [replace(seen.near, is_observer=False) for seen in seats]
    rats += public.rats[len(rats) :]
    named = {name: getattr(public, name) for name in ("whose_die", "decider", "robbed", "aimed_at")}
    return replace(
        public,
        rats=tuple(rats),
        **{name: rat and rats[rat.number] for name, rat in named.items()},
        piles=tuple(_pile_of_everything([seen.piles[pile.number] for seen in seats]) for pile in public.piles),
    )


def _pile_of_everything(seen: Sequence[Pile]) -> Pile:
    """A pile with what the Manipulator and the Fool know of it."""
    known = max((pile.known for pile in seen), key=len)
    return replace(seen[0], known=known, traps_stored=max(pile.traps_stored for pile in seen))


def view_of(seen: Any, is_spectator: bool, is_over: bool) -> View:
    """The table from an observation; for a spectator, without what only the observer knows."""
    rats = rats_of(seen, is_spectator)
    return View(
        observer=None if is_spectator else one_place(seen["seat"]),
        rats=rats,
        piles=tuple(_pile(seen, pile, is_spectator) for pile in range(max(3, number_of_seats(seen)))),
        roles=bool(seen["roles"]),
        talk=bool(seen["talk"]),
        extra_rounds=int(seen["extra_rounds"]),
        doors=whole_numbers(seen["doors"]),
        round=int(seen["rounds_played"]),
        extra_rounds_played=int(seen["extra_rounds_played"]),
        first_roll=expand(seen["first_roll"]),
        dice=expand(seen["dice"]),
        rerolled=bool(seen["rerolled"]),
        kept=tuple(int(seen[die].argmax()) for die in ("partners_die", "active_die") if seen[die].any()),
        resolved=_resolved(seen),
        whose_die=_rat(rats, seen, "whose_die"),
        decider=_rat(rats, seen, "decider"),
        second_draw=bool(seen["second_draw"]),
        robbed=_rat(rats, seen, "robbed"),
        aimed_at=_rat(rats, seen, "aimed_at"),
        fool_bandages=int(seen["fool_bandages"]),
        discard=whole_numbers(seen["discard"]),
        third_rat_cards=_third_rat_cards(seen),
        third_rat_card=one_place(seen["third_rat_card"]),
        left_to_place=NO_CARDS if is_spectator else whole_numbers(seen["left_to_place"]),
        node=NODES[int(seen["node"].argmax())] if seen["node"].any() and not is_spectator else None,
        is_over=is_over,
    )


def rats_of(seen: Any, is_spectator: bool) -> tuple[Rat, ...]:
    """The rats of an observation, by number."""
    players = number_of_seats(seen)
    return tuple(_rat_at(seen, number, is_spectator) for number in range(max(3, players)))


def _rat_at(seen: Any, number: int, is_spectator: bool) -> Rat:
    """The rat of that number; an observation counts from the observer."""
    players = number_of_seats(seen)
    is_third_rat = number >= players
    place = THIRD_RAT_PLACE if is_third_rat else (number - int(seen["seat"].argmax())) % players
    is_observer = place == 0 and not is_spectator
    own_role = one_place(seen["own_role"]) if is_observer else None
    shown_role = None if is_third_rat else one_place(seen["roles_shown"][place])
    return Rat(
        number=number,
        is_observer=is_observer,
        is_third_rat=is_third_rat,
        is_active=not is_third_rat and bool(seen["active"][place]),
        is_partner=bool(seen["partner"][place]),
        points=int(seen["points"][place]),
        bandages=int(seen["bandages"][place]),
        is_out=bool(seen["out"][place]),
        is_visited=bool(seen["visited"][place]),
        stock_size=int(seen["stock_size"][place]),
        known=_known(seen, place, is_spectator),
        role=own_role if shown_role is None else shown_role,
        role_shown=shown_role is not None,
        trap_shown=not is_third_rat and bool(seen["trap_shown"][place]),
        statement=None if is_third_rat else _statement(seen, place),
    )


def _known(seen: Any, place: int, is_spectator: bool) -> tuple[int, ...]:
    """What is known of a stock, by kind."""
    if place == THIRD_RAT_PLACE:
        return whole_numbers(seen["third_rat_stock"])
    if is_spectator:
        return NO_CARDS
    return whole_numbers(seen["own_stock"] if place == 0 else seen["sure"][place])


def _statement(seen: Any, place: int) -> int | None:
    """A statement; a seat named in it is counted from the observer in an observation, and from player_0 here."""
    statement = one_place(seen["statements"][place])
    if statement is None or not SAY_CLAW <= statement < SAY_CLAW + SEATS:
        return statement
    return SAY_CLAW + (statement - SAY_CLAW + int(seen["seat"].argmax())) % number_of_seats(seen)


def _pile(seen: Any, number: int, is_spectator: bool) -> Pile:
    places = seen["known_piles"][number]
    return Pile(
        number=number,
        size=int(seen["pile_size"][number]),
        traps_beside=int(seen["traps_beside"][number]),
        is_looked_at=bool(seen["looked_at"][number]),
        is_searched=bool(seen["pile_searched"][number]),
        known=() if is_spectator else tuple(int(card.argmax()) for card in places if card.any()),
        traps_stored=0 if is_spectator else int(seen["own_fool_drew"][number]),
    )


def _third_rat_cards(seen: Any) -> tuple[ThirdRatCard, ...]:
    if number_of_seats(seen) > 2:
        return ()
    return tuple(
        ThirdRatCard(
            faces=tuple(int(face) for face in np.argsort(seen["third_rat_ranks"][card][: len(FACES)])),
            opponent_decides=bool(seen["third_rat_ranks"][card][len(FACES)]),
            is_shown=not seen["third_rat_unshown"][card],
        )
        for card in range(THIRD_RAT_CARDS)
    )


def _rat(rats: tuple[Rat, ...], seen: Any, field: str) -> Rat | None:
    """The rat that a one-hot field names."""
    place = one_place(seen[field])
    if place is None:
        return None
    players = number_of_seats(seen)
    return rats[players if place == THIRD_RAT_PLACE else (place + int(seen["seat"].argmax())) % players]


def _resolved(seen: Any) -> int:
    place = one_place(seen["die_resolved"])
    return 0 if place is None else place + 1
