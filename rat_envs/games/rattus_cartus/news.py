"""What a seat can tell has happened between two of its observations, in sentences.

Sentences name who did something, and what, where the observations leave no doubt; else they say what has changed.
Observations do not say which supply was chosen, which row card was looked at a second time, nor that an action was
declined: this is told as far as what follows shows it.
"""

from __future__ import annotations

from typing import Any

from rat_envs.games.rattus_cartus.change import Change
from rat_envs.games.rattus_cartus.components import ALL_KINDS, CHOOSING, ENTERING, KINDS, REVEALING
from rat_envs.games.rattus_cartus.standing import nuns
from rat_envs.games.rattus_cartus.tables import CLASSES, COPIES, POPULATION, SPECIALS, TENT
from rat_envs.games.rattus_cartus.view import Player, RowCard, view_of
from rat_envs.games.rattus_cartus.wording import (
    BUILDING_WORDS,
    building_card_in_words,
    building_name,
    cards_in_words,
    listed,
    named,
    number_of,
    possessive,
    result,
    specials_in_words,
    subject,
    supply_in_words,
    upper_first,
)

#: Looks of the standard and the premium action of a Fortune-teller's Tent.
LOOKS = (1, 2)


def news(before: Any, now: Any) -> list[str]:
    """What a seat can tell has happened between two of its own observations, in sentences."""
    return News(view_of(before), view_of(now)).sentences()


class News(Change):
    """The sentences of a change."""

    def sentences(self) -> list[str]:
        """All there is to tell."""
        deeds = [*self.supply(), *self.declined(), *self.own_cards(), *self.others_cards(), *self.looks()]
        deeds += [*self.tokens(), *self.passed(), *self.entries(), *self.reveals(), *self.influence(), *self.rats()]
        deeds += [*self.gift_begun(), *self.new_deck()]
        if self.is_same_round:
            return [*self.choices(), *self.row(), *deeds, *self.end()]
        return [*deeds, *self.round_begun(), *self.row(), *self.end()]

    # Set-up, rounds and buildings (RC-02, RC-11, RC-12, RC-50)

    def choices(self) -> list[str]:
        """RC-02: buildings chosen by lot."""
        if self.old.stage != CHOOSING:
            return []
        chosen = [card for card, flag in enumerate(self.new.in_use) if flag and not self.old.in_use[card]]
        words = []
        for building, name in enumerate(BUILDING_WORDS):
            cards = [card for card in chosen if card // COPIES == building]
            whole = len(cards) == COPIES
            words += [f"the {name}"] if whole else [building_card_in_words(card) for card in cards]
        return [f"{upper_first(listed(words))} will be in the game."] if words else []

    def round_begun(self) -> list[str]:
        """RC-50."""
        if self.new.rounds_played == self.new.rounds:
            return ["The last round is over."]
        return [f"Round {self.new.rounds_played + 1} begins; {named(self.new.starting)} will start."]

    def row(self) -> list[str]:
        """RC-11, RC-12: building cards opened."""
        sentences = []
        if self.new.stage == REVEALING:
            return []
        for now in self.new.buildings:
            there = [each for each in self.old.buildings if each.slot == now.slot and self.is_same_round]
            if now in there:
                continue
            card = building_card_in_words(now.building * COPIES + now.copy)
            words = f"{card} lies in slot {now.slot + 1} (supply: {supply_in_words(now)})"
            if there:
                words += f", in place of {building_card_in_words(there[0].building * COPIES + there[0].copy)}"
            sentences.append(f"{words}.")
        return sentences

    def end(self) -> list[str]:
        """RC-65, RC-66."""
        if not self.new.is_over or self.old.is_over:
            return []
        cards = listed(POPULATION[card.kind] for card in self.new.row_cards if card.kind is not None)
        hands = [
            f"{subject(player)} had in hand: {cards_in_words(player.hand)}."
            for player in self.new.players
            if player.hand is not None and not player.is_observer
        ]
        row = f"The nun-row is revealed: {cards}, {number_of(nuns(self.new), 'nun')} in all."
        return [row, *hands, *result(self.new)[1:]]

    def new_deck(self) -> list[str]:
        """RC-07."""
        if self.is_shuffled:
            return ["The discard pile has been shuffled into a new population deck."]
        ran_out = self.new.deck_size == 0 < self.old.deck_size
        return ["The population deck has run out."] if ran_out else []

    # Supplies and actions (RC-15, RC-41)

    def supply(self) -> list[str]:
        """Whose supply was taken."""
        fits = self.supplies()
        if not fits or self.old.asked is None:
            return []
        names = " or ".join(dict.fromkeys(building_name(self.new, each.slot) for each in fits))
        player = self.new.players[self.old.asked.number]
        return [f"{subject(player)} took the supply of {names}: {supply_in_words(fits[0])}."]

    def declined(self) -> list[str]:
        """RC-41: a building not used, as far as that is sure."""
        was, here = self.old.asked, self.old.here
        if self.old.node != "act" or was is None or here is None or not self.is_resolution:
            return []
        player = self.new.players[was.number]
        if self.may_have_acted(player):
            return []
        return [f"{subject(player)} did not use {building_name(self.old, here.slot)}."]

    def may_have_acted(self, player: Player) -> bool:
        """Whether a building that a player was asked about may have been used."""
        new, was, here = self.new, self.was(player), self.old.here
        assert here is not None
        if player.held != was.held or player.rats != was.rats or player.token_points != was.token_points:
            return True
        is_same_building = self.is_same_round and new.resolved == self.old.resolved
        goes_on = new.node is None or new.asked is player or new.taker is player
        if is_same_building and goes_on:
            return True
        if here.building == TENT:
            number = LOOKS[self.old.premium(here.slot) is was]
            seen = sum(player.number in card.looked for card in new.row_cards)
            return seen >= number
        return self.tower_follows() or self.is_laying_again(player)

    def is_laying_again(self, player: Player) -> bool:
        """Whether a player's hand has changed in a later round already."""
        return not self.is_same_round and player.slot is not None and self.new.stage == ENTERING

    # Cards

    def own_cards(self) -> list[str]:
        """What came into the own hand and went from it, by name."""
        me, kinds = self.new.near, self.own_gain
        if kinds is None or not any(kinds):
            return []
        more, fewer = tuple(max(0, kind) for kind in kinds), tuple(max(0, -kind) for kind in kinds)
        if me.number in self.passes and sum(fewer) == self.passes[me.number]:
            fewer = (0,) * ALL_KINDS  # told as a pass
        got = got_words(more, self.drawn(me) == sum(more) and not any(more[KINDS:]))
        sentences = [f"You {got}{self.source()}."] if any(more) else []
        sentences += [f"You {self.lost_words(me, fewer)}."] if any(fewer) else []
        return sentences

    def source(self) -> str:
        """From whom the observer was given cards."""
        if self.gifts and self.taker is self.new.near:
            return f" from {listed(named(self.new.players[seat]) for seat in self.gifts)}"
        return ""

    def lost_words(self, me: Player, fewer: tuple[int, ...]) -> str:
        """How the observer has lost cards."""
        if me.number in self.gifts and self.taker is not None:
            return f"gave {cards_in_words(fewer)} to {named(self.taker)}"
        if self.discarder is me:
            return f"discarded {cards_in_words(fewer)} for {a_rat(sum(fewer))}"
        return f"no longer have {cards_in_words(fewer)}"

    def others_cards(self) -> list[str]:
        """How the others' hands have grown or shrunk."""
        sentences = []
        for player in self.new.players:
            gain = self.gains.get(player.number, 0)
            if player.is_observer or gain == 0 or player.number in self.passes:
                continue
            words = self.other_cards(player, gain)
            sentences += [f"{subject(player)} {words}."] if words else []
        return sentences

    def other_cards(self, player: Player, gain: int) -> str:
        """The same for one of them; empty if it is told otherwise."""
        cards = number_of(abs(gain), "card")
        if player.number in self.gifts and self.taker is not None:
            return "" if self.taker.is_observer else f"gave {cards} to {named(self.taker)}"
        if self.gifts and player is self.taker:
            return ""
        if self.discarder is player:
            kinds = self.discarded()
            return f"discarded {cards if kinds is None else cards_in_words(kinds)} for {a_rat(-gain)}"
        if gain < 0:
            return f"has {cards} fewer"
        specials = self.specials(player)
        parts = [specials_in_words(special, number) for special, number in enumerate(specials) if number]
        rest = gain - sum(specials)
        if rest and parts:
            parts.append(f"{number_of(rest, 'card')} more")
        if parts:
            return f"got {listed(parts)}"
        return f"drew {cards}" if self.drawn(player) == gain else f"has {cards} more"

    def looks(self) -> list[str]:
        """RC-09: who has looked where, and what the observer has seen."""
        sentences = []
        for player in self.new.players:
            for was, now in zip(self.old.row_cards, self.new.row_cards, strict=True):
                if player.number in now.looked and player.number not in was.looked:
                    sentences.append(f"{subject(player)} looked at row card {now.place + 1}{seen_words(player, now)}.")
        return sentences or self.second_look()

    def second_look(self) -> list[str]:
        """A look that has left no mark."""
        asked = self.old.asked
        if self.old.node != "look" or asked is None or self.new.node is None:
            return []
        return [f"{subject(self.new.players[asked.number])} looked again at a row card seen before."]

    def tokens(self) -> list[str]:
        """RC-64."""
        return [
            f"{subject(player)} got {number_of(player.token_points - was.token_points, 'victory point')}."
            for was, player in self.pairs
            if player.token_points > was.token_points
        ]

    # Phase C (RC-20 to RC-22)

    def passed(self) -> list[str]:
        """RC-22."""
        return [
            f"{subject(self.new.players[seat])} passed" + (f" {number} times." if number > 1 else ".")
            for seat, number in self.passes.items()
        ]

    def entries(self) -> list[str]:
        """Who entered where, in order, and what was laid there."""
        sentences = []
        for player in sorted(self.new.players, key=lambda each: each.entry):
            if player.slot is None:
                continue
            is_new = self.slot_before(player) is None
            parts = [f"entered {building_name(self.new, player.slot)}"] if is_new else []
            parts += self.laid_words(player) if self.has_finished_laying(player) else []
            sentences += [f"{subject(player)} {listed(parts)}."] if parts else []
        return sentences

    def laid_words(self, player: Player) -> list[str]:
        """What a player has laid."""
        if not self.lie_there(player):
            return []
        if player.laid_cards is not None and any(player.laid_cards):
            return [f"laid {cards_in_words(player.laid_cards)}"] if player.is_observer else []
        return [f"laid {number_of(player.laid, 'card')}" if player.laid else "laid no cards"]

    # Phase D (RC-31 to RC-38)

    def reveals(self) -> list[str]:
        """Cards of others revealed in between."""
        sentences = []
        for player in self.new.players:
            had = self.is_same_round and any(self.was(player).revealed)
            if any(player.revealed) and not had and not player.is_observer and player.slot is not None:
                where = building_name(self.new, player.slot)
                sentences.append(f"{subject(player)} revealed {cards_in_words(player.revealed)} at {where}.")
        return sentences

    def influence(self) -> list[str]:
        """RC-31, RC-45."""
        sentences = []
        for player in self.new.players:
            gains = []
            for track, name in enumerate(CLASSES):
                now = self.new.influence[track][player.number]
                more = now - self.old.influence[track][player.number]
                gains += [f"{more} influence in {name} ({now} in all)"] if more else []
            sentences += [f"{subject(player)} gained {listed(gains)}."] if gains else []
        return sentences

    def rats(self) -> list[str]:
        """RC-04, RC-31, RC-38."""
        flute = self.flute
        sentences = []
        if flute is not None:
            giver, taker = flute
            sentences.append(f"{possessive(giver)} Flute gave a rat to {named(taker)}.")
        for was, player in self.pairs:
            more = player.rats - was.rats
            if flute is not None:
                more += (player is flute[0]) - (player is flute[1])
            left = f"({player.rats} in all)" if more > 0 else f"({player.rats} left)"
            if more:
                verb = "got" if more > 0 else "got rid of"
                sentences.append(f"{subject(player)} {verb} {number_of(abs(more), 'rat')} {left}.")
        return [upper_first(sentence) for sentence in sentences]

    def gift_begun(self) -> list[str]:
        """RC-36, RC-44: who must give how many cards."""
        new, old = self.new, self.old
        giver, taker = new.giver, new.taker
        if giver is None or taker is None:
            return []
        is_the_same = old.giver is not None and old.giver.number == giver.number and old.resolved == new.resolved
        if is_the_same and self.is_same_round and old.gives_left >= new.gives_left:
            return []
        why = "Sword" if giver.slot == new.resolved else "Guard Tower"
        cards = number_of(new.gives_left, "card")
        return [upper_first(f"{possessive(taker)} {why}: {named(giver)} must give {cards}.")]


def got_words(kinds: tuple[int, ...], are_drawn: bool) -> str:
    """Cards that came into the own hand."""
    return f"{'drew' if are_drawn else 'got'} {cards_in_words(kinds)}"


def a_rat(number: int) -> str:
    """What cards are discarded for (RC-43)."""
    return "a rat" if number == 1 else "rats"


def seen_words(player: Player, card: RowCard) -> str:
    """What the observer has seen in the row."""
    return f": {POPULATION[card.kind]}" if player.is_observer and card.kind is not None else ""


assert len(SPECIALS) == ALL_KINDS - KINDS
