"""What a drawing or a text of the table may show, built from observations only (RC-70 to RC-75)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rat_envs.engine.attributes import new_record
from rat_envs.engine.game import EVERYTHING, TERMINAL, PointOfView
from rat_envs.engine.seen import number_of_seats, one_place, whole_numbers
from rat_envs.engine.wording import Person
from rat_envs.games.rattus_cartus.components import JOKER, KINDS, PLACES, SLOTS, class_of
from rat_envs.games.rattus_cartus.observation import DECISIONS, NUN_COLUMNS, OBSERVATION, observe, observe_fixed
from rat_envs.games.rattus_cartus.phases import stage_of
from rat_envs.games.rattus_cartus.rules import actor
from rat_envs.games.rattus_cartus.set_up import GIVERS
from rat_envs.games.rattus_cartus.tables import (
    CARDS,
    CLASSES,
    COPIES,
    KINDS_OF_CLASS,
    POPULATION_COPIES,
    ROUNDS,
    ROW,
    SPECIALS,
)

NODES = tuple(name for _, name in DECISIONS)
NO_CARDS = (0,) * len(CARDS)


@dataclass(frozen=True)
class Player(Person):
    """A seat, as an observer sees it.

    Attributes:
        held: cards in hand, including those lying aside.
        laid: cards laid and not yet discarded.
        hand: the hand by kind, if it is the observer's own or the game is over; else None.
        aside: for the observer, the cards chosen to be given, by kind.
        laid_cards: the cards laid, by kind, if they are revealed or the observer's own; else None.
        revealed: the cards laid, if they are revealed; else nothing.
        played: population cards and jokers revealed this round.
        slot: the building entered; None before.
        entry: place in the order of entry this round, from 1; 0 before it has entered.
        in_queue: place in the queue to enter, from 1; 0 if it is not waiting.
        at_least: how many of each kind it surely has, hand and unrevealed laid cards together (RC-73).
        at_most: how many of each special card it has at most.
    """

    is_starting: bool
    is_asked: bool
    rats: int
    token_points: int
    held: int
    laid: int
    hand: tuple[int, ...] | None
    aside: tuple[int, ...]
    laid_cards: tuple[int, ...] | None
    revealed: tuple[int, ...]
    played: int
    slot: int | None
    entry: int
    in_queue: int
    at_least: tuple[int, ...]
    at_most: tuple[int, ...]

    @property
    def sign(self) -> str:
        """The sign on its discs."""
        return f"P{self.number}"


@dataclass(frozen=True)
class Building:
    """A building card of the row, and its supply action."""

    slot: int
    building: int
    copy: int
    draw: int
    drop: int
    look: int

    @property
    def track(self) -> int:
        """Its class."""
        return class_of(self.building)


@dataclass(frozen=True)
class RowCard:
    """A card of the nun-row.

    Attributes:
        kind: its kind of population card, if the observer knows it; else None.
        looked: numbers of the seats that have looked at it.
        is_looked_at: whether it is looked at in the current action.
    """

    place: int
    kind: int | None
    looked: tuple[int, ...]
    is_looked_at: bool


@dataclass(frozen=True)
class View:
    """The table from a point of view.

    Attributes:
        observer: the observing seat; None for a spectator.
        stage: the stage, as in the row's ``stage``.
        influence, below: points, and discs that came to the same space earlier, by class and seat (RC-32).
        buildings: the row from slot 1, as far as it is open.
        discard, fresh, row_most: population cards by kind; for a spectator as an onlooker knows them (RC-74, RC-75).
        specials_in_game: whether a special deck is needed at all (RC-05).
        unknown_buildings: numbers of building cards in use that nobody has seen.
        node: what is asked, in the notation; None if nobody is asked.
        resolved: the slot being resolved.
        givers_to_come: for the Guard Tower, who gives after this giver.
    """

    observer: int | None
    players: tuple[Player, ...]
    rounds_played: int
    stage: int
    influence: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]
    buildings: tuple[Building, ...]
    row_cards: tuple[RowCard, ...]
    special_decks: tuple[int, ...]
    specials_in_game: tuple[bool, ...]
    discard: tuple[int, ...]
    deck_size: int
    ran_out: bool
    fresh: tuple[int, ...]
    row_most: tuple[int, ...]
    tokens_left: tuple[int, ...]
    in_use: tuple[int, ...]
    unknown_buildings: tuple[int, ...]
    replacements_unknown: int
    replacements_known: tuple[int, ...]
    node: str | None
    asked: Player | None
    resolved: int | None
    giver: Player | None
    taker: Player | None
    givers_to_come: tuple[int, ...]
    gives_left: int
    looks_left: int
    discards_left: int
    fewest_rats_survive: bool
    is_over: bool

    @property
    def near(self) -> Player:
        """The observer, or player_0 for a spectator."""
        return self.players[self.observer or 0]

    @property
    def others(self) -> tuple[Player, ...]:
        """All players but ``near``, clockwise from it."""
        start = self.near.number
        return self.players[start + 1 :] + self.players[:start]

    @property
    def rounds(self) -> int:
        """Rounds of the game."""
        return ROUNDS[len(self.players)]

    @property
    def slots(self) -> int:
        """Building cards in a full row."""
        return ROW[len(self.players)]

    @property
    def starting(self) -> Player:
        """Who starts the round."""
        return next(player for player in self.players if player.is_starting)

    @property
    def queue(self) -> tuple[Player, ...]:
        """Who is still to enter, in order (RC-22)."""
        return tuple(sorted((each for each in self.players if each.in_queue), key=lambda each: each.in_queue))

    @property
    def here(self) -> Building | None:
        """The building being resolved."""
        return None if self.resolved is None else self.buildings[self.resolved]

    def visitors(self, slot: int) -> tuple[Player, ...]:
        """Who has entered a building, in order of entry."""
        return tuple(sorted((each for each in self.players if each.slot == slot), key=lambda each: each.entry))

    def premium(self, slot: int) -> Player | None:
        """RC-39, RC-40: the premium player of a building that is or has been resolved; None if there is none."""
        if self.resolved is None or slot > self.resolved:
            return None
        rivals = self.players if len(self.players) == 2 else self.visitors(slot)
        best = min(rivals, key=lambda each: (-each.played, each.entry), default=None)
        return best if best is not None and best.slot == slot else None

    @property
    def deck_most(self) -> tuple[int, ...]:
        """The most population cards of each kind in the deck, by all that is surely known (RC-74)."""
        return self._most(self.fresh, self.deck_size)

    @property
    def unseen_row_most(self) -> tuple[int, ...]:
        """The most cards of each kind among row cards that the observer has not seen (RC-75)."""
        return self._most(self.row_most, sum(card.kind is None for card in self.row_cards))

    def _most(self, bounds: tuple[int, ...], number: int) -> tuple[int, ...]:
        """Bounds lowered to the copies not known to be elsewhere, and to the number of cards."""
        placed = np.array(self.discard)
        for player in self.players:
            placed += (player.at_least if player.hand is None else player.hand)[:KINDS]
            placed += player.aside[:KINDS]
            placed += (player.laid_cards or NO_CARDS)[:KINDS]
        for card in self.row_cards:
            if card.kind is not None:
                placed[card.kind] += 1
        left = np.array(POPULATION_COPIES) - placed
        return whole_numbers(np.minimum(np.minimum(bounds, left), number))

    def ranking(self, track: int) -> tuple[tuple[int, tuple[Player, ...]], ...]:
        """RC-32: a track's points, highest first, each with its players, the lowest and best disc first."""
        points = self.influence[track]
        ranking = []
        for number in sorted({points[player.number] for player in self.players}, reverse=True):
            there = [player for player in self.players if points[player.number] == number]
            ranking.append((number, tuple(sorted(there, key=lambda each: self.below[track][each.number]))))
        return tuple(ranking)


def view(row: Any, point_of_view: PointOfView) -> View:
    """The table as a seat knows it; for None, what everybody knows; for ``EVERYTHING``, what anybody knows."""
    if point_of_view == EVERYTHING:
        return view_of_everything(row)
    seen = new_record(OBSERVATION)
    observe_fixed(row, seen)
    observe(row, point_of_view or 0, seen)
    is_spectator, is_over = point_of_view is None, actor(row) == TERMINAL
    players = tuple(_player(seen, number, is_spectator, is_over) for number in range(number_of_seats(seen)))
    known = "public_" if is_spectator else ""
    node = one_place(seen["node"])
    return View(
        observer=None if is_spectator else one_place(seen["seat"]),
        players=players,
        rounds_played=int(seen["rounds_played"]),
        stage=stage_of(seen),
        influence=_by_seat(seen, "influence"),
        below=_by_seat(seen, "discs_below"),
        buildings=tuple(_building(seen, slot) for slot in range(SLOTS) if seen["row"][slot].any()),
        row_cards=tuple(_row_card(seen, place, is_spectator and not is_over) for place in range(PLACES)),
        special_decks=whole_numbers(seen["special_decks"]),
        specials_in_game=_specials_in_game(seen),
        discard=whole_numbers(seen["discard_pile"]),
        deck_size=int(seen["deck_size"]),
        ran_out=bool(seen["ran_out"]),
        fresh=whole_numbers(seen[f"{known}fresh"]),
        row_most=whole_numbers(seen[f"{known}row_most"]),
        tokens_left=whole_numbers(seen["tokens_left"]),
        in_use=whole_numbers(seen["in_use"]),
        unknown_buildings=whole_numbers(np.flatnonzero(seen["unknown_buildings"])),
        replacements_unknown=int(seen["replacements_unknown"]),
        replacements_known=tuple(int(card) - 1 for card in seen["replacements_known"] if card),
        node=None if node is None else NODES[node],
        asked=next((player for player in players if player.is_asked), None),
        resolved=one_place(seen["resolved"]),
        giver=_named(players, seen, "giver"),
        taker=_named(players, seen, "taker"),
        givers_to_come=tuple(number for number in range(len(players)) if _at(seen, "givers_to_come", number)),
        gives_left=int(seen["gives_left"]),
        looks_left=int(seen["looks_left"]),
        discards_left=int(seen["discards_left"]),
        fewest_rats_survive=bool(seen["fewest_rats_survive"]),
        is_over=is_over,
    )


def view_of_everything(row: Any) -> View:
    """The combined knowledge of all seats: hands as their owners see them, and row cards that anybody has looked at."""
    public = view(row, None)
    seats = [view(row, player.number) for player in public.players]
    players = tuple(replace(seen.near, is_observer=False) for seen in seats)
    named = {name: getattr(public, name) for name in ("asked", "giver", "taker")}
    return replace(
        public,
        players=players,
        **{name: player and players[player.number] for name, player in named.items()},
        row_cards=tuple(
            next((card for card in cards if card.kind is not None), cards[0])
            for cards in zip(*(seen.row_cards for seen in seats), strict=True)
        ),
        fresh=tuple(map(min, zip(*(seen.fresh for seen in seats), strict=True))),
        row_most=tuple(map(min, zip(*(seen.row_most for seen in seats), strict=True))),
    )


def _place_of(seen: Any, number: int) -> int:
    """The place of a seat, counted from the observer."""
    return (number - int(seen["seat"].argmax())) % number_of_seats(seen)


def _at(seen: Any, field: str, number: int) -> Any:
    """A field's entry for a seat."""
    return seen[field][_place_of(seen, number)]


def _player(seen: Any, number: int, is_spectator: bool, is_over: bool) -> Player:
    place = _place_of(seen, number)
    is_observer = place == 0 and not is_spectator
    revealed = whole_numbers(seen["revealed"][place])
    slot = one_place(seen["entered"][place])
    hand = _hand(seen, place, is_observer, is_over)
    at_least, at_most = _sure(seen, place, is_spectator)
    laid_cards = revealed if any(revealed) or not seen["cards_laid"][place] else None
    return Player(
        number=number,
        is_observer=is_observer,
        is_starting=bool(seen["starting"][place]),
        is_asked=bool(seen["actor"][place]),
        rats=int(seen["rats"][place]),
        token_points=int(seen["token_points"][place]),
        held=int(seen["cards_held"][place]),
        laid=int(seen["cards_laid"][place]),
        hand=hand,
        aside=whole_numbers(seen["aside"]) if is_observer else NO_CARDS,
        laid_cards=whole_numbers(seen["laid"]) if is_observer else laid_cards,
        revealed=revealed,
        played=int(seen["played"][place]),
        slot=slot,
        entry=int(seen["order_of_entry"][place]),
        in_queue=int(seen["place_in_queue"][place]),
        at_least=at_least,
        at_most=at_most,
    )


def _hand(seen: Any, place: int, is_observer: bool, is_over: bool) -> tuple[int, ...] | None:
    """RC-71: the observer's own hand; at the end every hand."""
    if place == 0:
        return whole_numbers(seen["hand"]) if is_observer or is_over else None
    return whole_numbers(seen["at_least"][place - 1]) if is_over else None


def _sure(seen: Any, place: int, is_spectator: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """RC-73: what a seat has at least and at most; for the observer itself, what everybody knows."""
    if is_spectator or place == 0:
        at_least = NO_CARDS[:KINDS] + whole_numbers(seen["public_at_least"][place])
        return at_least, whole_numbers(seen["public_at_most"][place])
    return whole_numbers(seen["at_least"][place - 1]), whole_numbers(seen["at_most"][place - 1])


def _by_seat(seen: Any, field: str) -> tuple[tuple[int, ...], ...]:
    """A field by class and place as numbers by class and seat."""
    places = [_place_of(seen, number) for number in range(number_of_seats(seen))]
    return tuple(tuple(int(seen[field][track][place]) for place in places) for track in range(len(CLASSES)))


def _building(seen: Any, slot: int) -> Building:
    draw, drop, look = whole_numbers(seen["row_supply"][slot])
    return Building(slot, int(seen["row"][slot].argmax()), int(seen["row_copies"][slot].argmax()), draw, drop, look)


def _row_card(seen: Any, place: int, is_hidden: bool) -> RowCard:
    columns = seen["nuns"][place]
    kind = None
    if columns.any() and not is_hidden:
        nuns = int(columns[len(CLASSES) : NUN_COLUMNS].argmax())
        kind = int(columns[: len(CLASSES)].argmax()) * KINDS_OF_CLASS + nuns
    looked = seen["looked"][place]
    seats = range(number_of_seats(seen))
    return RowCard(
        place=place,
        kind=kind,
        looked=tuple(number for number in seats if looked[_place_of(seen, number)]),
        is_looked_at=bool(seen["looked_now"][place]),
    )


def _specials_in_game(seen: Any) -> tuple[bool, ...]:
    """RC-05: jokers always, the others if a building in use gives them."""
    needed = [seen["in_use"][building * COPIES : (building + 1) * COPIES].any() for building in GIVERS]
    assert len(needed) + 1 == len(SPECIALS) and CARDS[JOKER] == SPECIALS[0]
    return (True, *(bool(flag) for flag in needed))


def _named(players: tuple[Player, ...], seen: Any, field: str) -> Player | None:
    """The seat that a one-hot field names."""
    return next((player for player in players if _at(seen, field, player.number)), None)
