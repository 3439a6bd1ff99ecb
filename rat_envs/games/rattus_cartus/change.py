"""What has changed between two views of a seat, as far as it is clear what it came from.

Of two views with more than one node between them it says what is still sure, except that a chance node in phase B is
taken to follow at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from rat_envs.games.rattus_cartus.components import (
    ENTERING,
    FLUTE,
    KINDS,
    OPENING,
    PASS,
    RESOLVING,
    REVEALING,
    class_of_card,
)
from rat_envs.games.rattus_cartus.configuration import DRAW, DROP, LOOK
from rat_envs.games.rattus_cartus.tables import GUARD_TOWER, SPECIALS
from rat_envs.games.rattus_cartus.view import Building, Player, View

PASSES = PASS - KINDS


@dataclass(frozen=True)
class Change:
    """Two views of the same seat."""

    old: View
    new: View

    @property
    def pairs(self) -> list[tuple[Player, Player]]:
        """Each player as it was and as it is."""
        return list(zip(self.old.players, self.new.players, strict=True))

    def was(self, player: Player) -> Player:
        """A player as it was."""
        return self.old.players[player.number]

    # When

    @property
    def is_same_round(self) -> bool:
        """Whether no round has ended in between."""
        return self.old.rounds_played == self.new.rounds_played

    @property
    def is_before_resolution(self) -> bool:
        """Whether everything was in set-up or phases A to C of one round."""
        return self.is_same_round and self.new.stage <= ENTERING

    @property
    def is_resolution(self) -> bool:
        """Whether everything was in phase D of one round, but for what follows the round by itself."""
        if self.old.stage != RESOLVING:
            return False
        if self.is_same_round:
            return True
        is_first_asked = self.new.node == "supply" and self.new.asked is self.new.starting
        is_one_later = self.new.rounds_played == self.old.rounds_played + 1
        return is_one_later and (self.new.stage in (OPENING, REVEALING) or is_first_asked)

    # Entering (RC-20 to RC-23)

    def slot_before(self, player: Player) -> int | None:
        """Where a player already was in the round whose entries the new view shows; after the last they stay."""
        last, now = ((seen.rounds_played - (seen.stage == REVEALING)) for seen in (self.old, self.new))
        return self.was(player).slot if last == now else None

    def is_laying(self, seen: View, player: Player) -> bool:
        """Whether a player is asked which cards it lays."""
        return seen.node == "lay" and seen.asked is not None and seen.asked.number == player.number

    def has_finished_laying(self, player: Player) -> bool:
        """Whether a player has entered for good in between, in the round of the new view."""
        if player.slot is None or self.is_laying(self.new, player):
            return False
        return self.slot_before(player) is None or self.is_laying(self.old, player)

    def has_laid(self, player: Player) -> bool:
        """Whether cards may have gone from its hand to a building in between."""
        if not self.is_same_round and self.old.stage <= ENTERING:
            return True
        entered = player.slot is not None and self.slot_before(player) is None
        return entered or (self.is_same_round and self.is_laying(self.old, player))

    def lie_there(self, player: Player) -> bool:
        """Whether the cards that a player has laid in this round still lie at their building."""
        if player.slot is None or self.new.stage not in (ENTERING, RESOLVING):
            return False
        return self.new.resolved is None or player.slot >= self.new.resolved

    # Cards in hand

    def gain(self, player: Player) -> int | None:
        """How many cards more a player holds, those laid in between counted; None if they are gone already."""
        was = self.was(player)
        if not self.has_laid(player):
            return player.held - was.held
        if not self.lie_there(player) or not (self.is_same_round or self.old.stage == RESOLVING):
            return None
        return player.held + player.laid - was.held - (was.laid if self.is_same_round else 0)

    @property
    def own_gain(self) -> tuple[int, ...] | None:
        """The same for the observer by kind."""
        now, was = self.new.near, self.old.near
        if now.hand is None or was.hand is None or self.gain(now) is None:
            return None
        kinds = [a + b - c - d for a, b, c, d in zip(now.hand, now.aside, was.hand, was.aside, strict=True)]
        if self.has_laid(now):
            laid = (now.laid_cards or (), was.laid_cards or () if self.is_same_round else (0,) * len(kinds))
            kinds = [kind + new - old for kind, new, old in zip(kinds, *laid, strict=True)]
        return tuple(kinds)

    @cached_property
    def gains(self) -> dict[int, int]:
        """By seat, how many cards more or fewer it holds, where that is clear and not 0."""
        gains = {player.number: self.gain(player) for player in self.new.players}
        return {number: gain for number, gain in gains.items() if gain}

    # Passes (RC-22)

    @cached_property
    def passes(self) -> dict[int, int]:
        """By seat, how many Passes it has played; empty if that is not clear."""
        number = self.new.special_decks[PASSES] - self.old.special_decks[PASSES]
        if not self.is_before_resolution or number <= 0 or self.new.stage != ENTERING:
            return {}
        losses = {seat: -gain for seat, gain in self.gains.items() if gain < 0}
        return losses if sum(losses.values()) == number else {}

    # Gifts (RC-36, RC-37, RC-44)

    @property
    def taker(self) -> Player | None:
        """Who may have been given cards: to whom a gift was under way, or who could use a Guard Tower."""
        if self.old.taker is not None:
            return self.new.players[self.old.taker.number]
        if self.old.node == "act" and self.old.here is not None and self.old.here.building == GUARD_TOWER:
            return self.new.players[self.old.asked.number] if self.old.asked is not None else None
        return None

    @cached_property
    def gifts(self) -> dict[int, int]:
        """By seat, how many cards it has given to ``taker``; empty if that is not clear."""
        taker = self.taker
        if taker is None or not self.is_resolution or self.new.deck_size != self.old.deck_size:
            return {}
        losses = {seat: -gain for seat, gain in self.gains.items() if gain < 0}
        others = [seat for seat, gain in self.gains.items() if gain > 0 and seat != taker.number]
        if others or sum(losses.values()) != self.gains.get(taker.number, 0):
            return {}
        is_sword = self.old.giver is not None and self.old.giver.slot == self.old.resolved
        if is_sword and self.old.giver is not None and set(losses) != {self.old.giver.number}:
            return {}
        return losses

    # Special cards and draws

    def specials(self, player: Player) -> tuple[int, ...]:
        """Special cards that a player other than the observer surely has more, and gained."""
        if self.new.is_over or player.is_observer or self.gifts:
            return (0,) * len(SPECIALS)
        more = tuple(
            max(0, now - before)
            for now, before in zip(player.at_least[KINDS:], self.was(player).at_least[KINDS:], strict=True)
        )
        return more if sum(more) <= self.gains.get(player.number, 0) else (0,) * len(SPECIALS)

    def drawn(self, player: Player) -> int:
        """How many population cards a player has drawn; 0 if that is not clear."""
        gain = self.gains.get(player.number, 0)
        if gain <= 0:
            return 0
        if self.is_before_resolution:
            played = self.new.special_decks[PASSES] - self.old.special_decks[PASSES]
            return gain if played == 0 or self.passes else 0
        is_visitor = self.was(player).slot == self.old.resolved and not self.is_before_swords()
        is_only_one = set(self.gains) == {player.number} and not self.is_shuffled
        fewer = self.old.deck_size - self.new.deck_size
        return gain if self.is_resolution and is_visitor and is_only_one and fewer == gain else 0

    def is_before_swords(self) -> bool:
        """Whether Swords of the building that was being resolved were still to take effect."""
        return self.old.node in ("take_from", "rat_to", "give")

    @property
    def is_shuffled(self) -> bool:
        """RC-07: whether the discard pile has become a new deck; seen as the pile has fewer of a kind, or none."""
        fewer = any(now < before for now, before in zip(self.new.discard, self.old.discard, strict=True))
        return fewer or self.new.deck_size > self.old.deck_size

    # Discards at the Hospital (RC-43)

    @property
    def discarder(self) -> Player | None:
        """Who has discarded cards for rats, if the loss of cards cannot have come from anything else."""
        player = self.old.asked
        if self.old.node != "discard" or player is None or not self.is_resolution:
            return None
        if self.tower_follows() or self.gains.get(player.number, 0) >= 0:
            return None
        return self.new.players[player.number]

    def tower_follows(self) -> bool:
        """Whether a Guard Tower later in the row may have taken cards in between."""
        if self.is_same_round and self.new.resolved == self.old.resolved:
            return False
        assert self.old.resolved is not None
        return any(each.building == GUARD_TOWER for each in self.old.buildings[self.old.resolved + 1 :])

    def discarded(self) -> tuple[int, ...] | None:
        """The cards discarded by ``discarder``, by kind; None if they cannot be told from those of visitors."""
        if self.discarder is None or len(self.gains) > 1:
            return None
        more = [now - before for now, before in zip(self.new.discard, self.old.discard, strict=True)]
        more += [now - before for now, before in zip(self.new.special_decks, self.old.special_decks, strict=True)]
        for player in self.old.players:
            if player.laid > self.new.players[player.number].laid:
                more = [number - cards for number, cards in zip(more, player.revealed, strict=True)]
        number = -self.gains[self.discarder.number]
        return tuple(more) if min(more) >= 0 and sum(more) == number else None

    # Rats (RC-31, RC-38)

    def rats_for_cards(self, player: Player) -> int | None:
        """Rats that a player's cards have brought; None if the cards cannot be seen."""
        if player.slot is None or not self.is_same_round:
            return 0
        track = self.new.buildings[player.slot].track
        if self.new.influence[track][player.number] == self.old.influence[track][player.number]:
            return 0
        cards = player.revealed if any(player.revealed) else self.was(player).revealed
        if not any(cards):
            return None
        return sum(number for kind, number in enumerate(cards[:KINDS]) if class_of_card(kind) != track)

    @cached_property
    def flute(self) -> tuple[Player, Player] | None:
        """RC-38: who gave a rat to whom, if that is clear."""
        if not self.is_same_round or self.new.stage != RESOLVING:
            return None
        for building in self.new.buildings:
            visitors = self.new.visitors(building.slot)
            flutes = {each.number: max(each.revealed[FLUTE], self.was(each).revealed[FLUTE]) for each in visitors}
            if len(set(flutes.values())) < 2:
                continue
            giver = max(visitors, key=lambda each: (flutes[each.number], -each.entry))
            takers = [each for each in visitors if self.odd_rats(each) == 1]
            if len(takers) == 1 and takers[0] is not giver and self.odd_rats(giver) == -1:
                return giver, takers[0]
        return None

    def odd_rats(self, player: Player) -> int | None:
        """Rats more or fewer than a player's cards explain; None if that is not clear."""
        cards = self.rats_for_cards(player)
        return None if cards is None else player.rats - self.was(player).rats - cards

    # Supplies (RC-15)

    def supplies(self) -> list[Building]:
        """The buildings whose supply who was asked has taken, one if it is clear, or several of the same supply."""
        player = self.old.asked
        if self.old.node != "supply" or player is None or not self.is_before_resolution or not self.new.deck_size:
            return []
        fits = [each for each in self.new.buildings if self.can_be_supply(each, player)]
        return fits if len({(each.draw, each.drop, each.look) for each in fits}) == 1 else []

    def can_be_supply(self, building: Building, was: Player) -> bool:
        """Whether a supply explains what there is to see of it so far."""
        now = self.new.players[was.number]
        drawn, dropped = now.held - was.held, was.rats - now.rats
        supply = {DRAW: building.draw, DROP: building.drop, LOOK: building.look}
        if dropped != min(supply[DROP], was.rats):
            return False
        if self.new.node == "look" and self.new.asked is now:
            looks = self.new.looks_left + sum(card.is_looked_at for card in self.new.row_cards)
            return (supply[DRAW], supply[LOOK]) == (drawn, looks)
        if self.new.node is None:  # the first card is about to be drawn
            return supply[DRAW] > drawn == 0 and supply[LOOK] == self.new.looks_left
        return self.is_next(was) and supply[DRAW] == drawn and self.new_looks(now) <= supply[LOOK]

    def is_next(self, was: Player) -> bool:
        """Whether who comes next after a supply is asked, so that nobody else has done anything."""
        after = self.new.players[(was.number + 1) % len(self.new.players)]
        if after.is_starting:
            return self.new.node == "enter" and all(each.in_queue for each in self.new.players) and not self.passes
        return self.new.node == "supply" and self.new.asked is after

    def new_looks(self, player: Player) -> int:
        """Row cards that a player has looked at for the first time."""
        pairs = zip(self.old.row_cards, self.new.row_cards, strict=True)
        return sum(player.number in now.looked and player.number not in before.looked for before, now in pairs)
