"""What a seat can tell has happened between two of its observations, in sentences.

Sentences name who did something where the observations leave no doubt, given that the seat itself was not asked in
between; else they say what has changed. An observation does not hold the number of its seat, so the others are named by
where they sit.
"""

from __future__ import annotations

from typing import Any

from rat_envs.games.rattus.change import Change
from rat_envs.games.rattus.components import KING, KNIGHT, MERCHANT, MONK, PEASANT
from rat_envs.games.rattus.tables import CARDS
from rat_envs.games.rattus.view import Face, Player, Rat, view_of
from rat_envs.games.rattus.wording import (
    CARD_WORDS,
    does,
    face_in_words,
    listed,
    named,
    number_of,
    possessive,
    token_in_words,
)


def news(before: Any, now: Any) -> list[str]:
    """What a seat can tell has happened between two of its own observations, in sentences."""
    return News(view_of(before), view_of(now)).sentences()


class News(Change):
    """The sentences of a change."""

    def sentences(self) -> list[str]:
        """All there is to tell."""
        doer = self.doer
        if self.is_set_up:
            return [*self.plague(None), *self.settlers(), *self.turns()]
        abilities = self.abilities(doer) if doer is not None else []
        moves = [*self.cards(doer), *abilities, *self.plague(doer), *self.new_rats(doer), *self.bonus(doer)]
        cubes, turns = [*self.flips(), *self.cubes(doer)], self.turns()
        return moves + (turns + cubes if self.old.last is not None and self.new.is_final_ravage else cubes + turns)

    # Set-up and turns (RT-06 to RT-08, RT-60, RT-61)

    def settlers(self) -> list[str]:
        """RT-07."""
        return [
            f"{does(player, 'put')} {number_of(cubes, 'cube')} in {self.name(region)}."
            for player in self.new.players
            for region, cubes in self.gains(player).items()
        ]

    def turns(self) -> list[str]:
        """Whose turn it is now, and the final round."""
        old, new = self.old, self.new
        sentences = []
        if new.last is not None and old.last is None:
            why = "the supply has run out" if new.supply == 0 else f"all cubes of {named(new.last)} are on the board"
            sentences.append(f"The final round begins: {why.replace('of you', 'of yours')}.")
        if new.is_final_ravage:
            return sentences + ["The final ravage begins."] * (not old.is_final_ravage)
        if new.active is None or (old.active is not None and old.active.index == new.active.index):
            return sentences
        part = "turn" if new.last is None else "part in the final round"
        return [*sentences, f"It is {possessive(new.active)} {part}."]

    # Class cards (RT-11)

    def cards(self, doer: Player | None) -> list[str]:
        """Who has them now."""
        sentences = []
        for card in range(len(CARDS)):
            was, holder = self.old.holder(card), self.new.holder(card)
            if holder is None or (was is not None and was.index == holder.index):
                continue
            source = f" from {named(was)}" if was is not None and doer is not None else ""
            sentences.append(f"{does(holder, 'take')} the {CARD_WORDS[card]}{source}.")
        return sentences

    # Abilities that leave more than cubes behind (RT-41, RT-45)

    def abilities(self, doer: Player) -> list[str]:
        """Monk and Witch."""
        return [*self.monk(doer), *self.looks(doer), *self.swap(doer)]

    def monk(self, doer: Player) -> list[str]:
        """RT-41: told when it is clear from where to where."""
        more = self.rat_changes()
        if self.flipped() or self.old.supply != self.new.supply or sorted(more.values()) != [-1, 1]:
            return []
        source, goal = sorted(more, key=lambda region: more[region])
        return [f"{does(doer, 'move')} a rat from {self.name(source)} to {self.name(goal)} ({CARD_WORDS[MONK]})."]

    def looks(self, doer: Player) -> list[str]:
        """RT-45: told when the face is known, if it is the observer who looks."""
        if self.rat_changes() or self.flipped() or self.is_swapped():
            return []
        sentences = []
        for was, now in self.pairs:
            for slot, (rat_before, rat) in enumerate(zip(was.rats, now.rats, strict=True)):
                if self.is_looked_at(doer, rat_before, rat):
                    sentences.append(f"{does(doer, 'look')} at rat {slot + 1} in {now.name}{shown(rat.face)}.")
        return sentences

    def is_looked_at(self, doer: Player, was: Rat, now: Rat) -> bool:
        """Whether the doer has begun to look at a token, or, if it is the observer, has seen it."""
        begins = self.new.node != "monk to" and now.is_chosen and not was.is_chosen
        sees = doer.index in now.looked_at_by and doer.index not in was.looked_at_by
        if doer.is_observer:
            return sees or (begins and now.face is not None)
        return begins or (sees and not was.is_chosen)

    def is_swapped(self) -> bool:
        """Whether the two tokens that were chosen lie in each other's place, as far as they differ."""
        if (
            self.old.node != "swap"
            or self.new.node == "swap"
            or self.moved
            or self.flipped()
            or self.may_have_used(MONK)
        ):
            return False
        (one, slot), (other, other_slot) = self.old.chosen
        was = (look(one.rats[slot]), look(other.rats[other_slot]))
        rats = (self.new.regions[one.number].rats, self.new.regions[other.number].rats)
        if self.rat_changes():
            return False
        return was[0] != was[1] and (look(rats[1][other_slot]), look(rats[0][slot])) == was

    def swap(self, doer: Player) -> list[str]:
        """RT-45; nothing is told of two tokens that cannot be told apart."""
        if not self.is_swapped():
            return []
        places = [f"rat {slot + 1} in {region.name}" for region, slot in self.old.chosen]
        return [f"{does(doer, 'swap')} {listed(places)}."]

    # The plague (RT-06, RT-15, RT-20, RT-43, RT-44, RT-63)

    def plague(self, doer: Player | None) -> list[str]:
        """Where the piece has gone."""
        new = self.new.plague
        if not self.moved or new is None:
            return []
        if self.old.plague is None:
            return [f"The plague begins in {new.name}."]
        if doer is None:
            return [f"The plague has moved to {new.name}."]
        if self.old.last is not None:
            return [
                f"{does(doer, 'move')} the plague to {new.name} ({CARD_WORDS[KNIGHT]}): it counts as two cubes there."
            ]
        far = new.number not in self.old.plague.neighbours
        return [f"{does(doer, 'move')} the plague to {new.name}{f' ({CARD_WORDS[KNIGHT]})' if far else ''}."]

    def new_rats(self, doer: Player | None) -> list[str]:
        """RT-20: from the supply."""
        number = self.old.supply - self.new.supply
        more = {region: count for region, count in self.rat_changes().items() if count > 0}
        if number == 0:
            return []
        if doer is None or sum(more.values()) != number:
            return [f"{number_of(number, 'rat')} came from the supply."]
        parts = [
            f"{'a rat' if count == 1 else f'{count} rats'} in {self.name(region)}" for region, count in more.items()
        ]
        return [f"{does(doer, 'lay')} {listed(parts)}."]

    def bonus(self, doer: Player | None) -> list[str]:
        """RT-44: told while the ravage goes on; when it is over the piece counts nothing, whatever was answered."""
        new = self.new
        if doer is None or self.old.node != "knight" or new.node == "knight" or self.flipped():
            return []
        if any(region.neutral for region in new.regions):
            return [f"{does(doer, 'let')} the plague count as two cubes ({CARD_WORDS[KNIGHT]})."]
        return [f"{does(doer, 'do')} not let the plague count as cubes."]

    # Ravage (RT-24 to RT-30)

    def flips(self) -> list[str]:
        """The tokens by name, and what they cost."""
        tokens = self.flipped()
        if not tokens:
            return []
        places = self.places_of_flips()
        if not places:
            return [f"{self.are_flipped(tokens)}."]
        return [
            f"{self.are_flipped(here)} in {self.name(region)}: {self.losses(region)}."
            for region, here in places.items()
        ]

    def are_flipped(self, tokens: list[int]) -> str:
        """The beginning of such a sentence."""
        words = listed(token_in_words(self.new, token) for token in tokens)
        return f"{words} {'is' if len(tokens) == 1 else 'are'} flipped"

    def losses(self, region: int) -> str:
        """Who lost how many cubes in a region."""
        lost = [(player, -self.gains(player).get(region, 0)) for player in self.new.players]
        words = [f"{lower_first(does(player, 'lose'))} {a_cube(number)}" for player, number in lost if number > 0]
        return listed(words) if words else "nobody loses a cube"

    # Cubes (RT-12, RT-40, RT-42, RT-46, RT-62)

    def cubes(self, doer: Player | None) -> list[str]:
        """What has become of cubes other than by flipped tokens whose region is told."""
        ravaged = self.places_of_flips()
        sentences = []
        for player in self.new.players:
            gains = {region: number for region, number in self.gains(player).items() if region not in ravaged}
            crowned = player.palace - self.old.players[player.index].palace
            told = self.deed(gains, crowned) if player is doer else None
            if told is not None:
                sentences.append(does(player, told) + ".")
            elif gains or crowned:
                sentences.append(self.differences(player, gains, crowned))
        return sentences

    def deed(self, gains: dict[int, int], crowned: int) -> str | None:
        """The one thing that explains where a player's cubes are, after the player's name; None if it is not clear."""
        more = [region for region, number in gains.items() if number > 0]
        fewer = [region for region, number in gains.items() if number < 0]
        if crowned == 1 and len(fewer) == 1 and not more and gains[fewer[0]] == -1:
            return f"move a cube from {self.name(fewer[0])} to the palace ({CARD_WORDS[KING]})"
        if crowned:
            return None
        if len(more) == 1 and not fewer and not self.merchant_may_have_moved():
            peasant = self.old.last is not None or self.may_have_used(PEASANT)
            card = f" ({CARD_WORDS[PEASANT]})" if peasant else ""
            return f"place {a_cube(gains[more[0]])} in {self.name(more[0])}{card}"
        if len(more) == len(fewer) == 1 and gains[more[0]] == -gains[fewer[0]] and not self.has_placed():
            source, goal = self.name(fewer[0]), self.name(more[0])
            return f"move {a_cube(gains[more[0]])} from {source} to {goal} ({CARD_WORDS[MERCHANT]})"
        return None

    def merchant_may_have_moved(self) -> bool:
        """Whether the Merchant was used, or finished, in between."""
        return self.old.merchant is not None or self.may_have_used(MERCHANT)

    def differences(self, player: Player, gains: dict[int, int], crowned: int) -> str:
        """Where a player has more or fewer cubes than before."""
        words = [f"{abs(number)} {'more' if number > 0 else 'fewer'} in {self.name(r)}" for r, number in gains.items()]
        words += [f"{crowned} more in the palace"] if crowned else []
        return f"{does(player, 'have')} cubes: {', '.join(words)}."


def look(rat: Rat) -> tuple[bool, tuple[int, ...], Face | None]:
    """By what a token can be told from others."""
    return rat.from_start, rat.looked_at_by, rat.face


def shown(face: Face | None) -> str:
    """What the observer has seen on a token."""
    return "" if face is None else f": {face_in_words(face)}"


def a_cube(number: int) -> str:
    """So many cubes in a sentence."""
    return "a cube" if number == 1 else f"{number} cubes"


def lower_first(words: str) -> str:
    """Words as they stand within a sentence."""
    return words[0].lower() + words[1:]
