"""What has changed between two views of a seat: whose doing it can be, and where tokens were flipped."""

from __future__ import annotations

from dataclasses import dataclass

from rat_envs.games.rattus.components import MONK
from rat_envs.games.rattus.view import Player, Region, View


@dataclass(frozen=True)
class Change:
    """Two views of the same seat, which was not asked in between."""

    old: View
    new: View

    # Who, and in which turn

    @property
    def doer(self) -> Player | None:
        """Who did all that a player did in between; None if there may have been several."""
        old, new = self.old, self.new
        if old.active is None or new.active is None or not (self.is_same_turn or self.is_next_turn):
            return None
        return new.players[old.active.index]

    @property
    def is_same_turn(self) -> bool:
        """Whether the turn, or the part in the final round, goes on."""
        old, new = self.old, self.new
        if old.active is None or new.active is None or old.active.index != new.active.index:
            return False
        done = zip(
            (old.card_taken, old.cubes_placed, *old.used), (new.card_taken, new.cubes_placed, *new.used), strict=True
        )
        return (old.last is None) == (new.last is None) and all(was <= now for was, now in done)

    @property
    def is_next_turn(self) -> bool:
        """Whether the next turn, or part in the final round, has begun and nothing was done in it."""
        old, new = self.old, self.new
        if old.active is None or new.active is None or any(new.used):
            return False
        if new.last is None:
            follows = new.active.index == (old.active.index + 1) % len(new.players)
            return follows and not (new.card_taken or new.cubes_placed)
        if old.last is None and new.last.index != old.active.index:
            return False
        return not any(player.cards for player in self.passed_over())

    def passed_over(self) -> list[Player]:
        """Who had a part in the final round between the two active players (RT-61)."""
        assert self.old.active is not None and self.new.active is not None
        players = self.new.players
        number = (self.old.active.index - self.new.active.index) % len(players) or len(players)
        return [players[self.old.active.index - step] for step in range(1, number)]

    @property
    def is_set_up(self) -> bool:
        """Whether nothing but set-up has happened."""
        new = self.new
        on_board = sum(player.score for player in new.players)
        changed = self.old.plague is not None and self.moved
        return (new.settled > self.old.settled or new.active is None) and on_board == 2 * new.settled and not changed

    @property
    def moved(self) -> bool:
        """Whether the plague piece is elsewhere."""
        return place(self.old) != place(self.new)

    @property
    def pairs(self) -> list[tuple[Region, Region]]:
        """Each region as it was and as it is."""
        return list(zip(self.old.regions, self.new.regions, strict=True))

    def may_have_used(self, card: int) -> bool:
        """Whether the doer may have begun to use a card in between, as far as the cards tell."""
        if self.doer is None or card not in self.doer.cards or self.old.used[card]:
            return False
        return self.new.used[card] or not self.is_same_turn

    def gains(self, player: Player) -> dict[int, int]:
        """By region, how many cubes more a player has there."""
        index = player.index
        more = {now.number: now.cubes[index] - was.cubes[index] for was, now in self.pairs}
        return {region: number for region, number in more.items() if number}

    def name(self, region: int) -> str:
        """A region's name."""
        return self.new.regions[region].name

    # What has changed

    def rat_changes(self) -> dict[int, int]:
        """By region, how many rats more there are."""
        more = {now.number: len(now.rats) - len(was.rats) for was, now in self.pairs}
        return {region: number for region, number in more.items() if number}

    def has_placed(self) -> bool:
        """Whether the turn's cubes were placed in between."""
        return self.old.last is None and not self.old.cubes_placed and (self.new.cubes_placed or not self.is_same_turn)

    # Ravage (RT-24, RT-65)

    def flipped(self) -> list[int]:
        """Tokens flipped in between."""
        both = zip(self.old.flipped, self.new.flipped, strict=True)
        return [token for token, (was, now) in enumerate(both) if now and not was]

    def places_of_flips(self) -> dict[int, list[int]]:
        """By region the tokens flipped there; empty if that, or what they cost, is not clear."""
        tokens, plague = self.flipped(), place(self.new)
        if not tokens or self.doer is None or plague is None:
            return {}
        if not self.new.is_final_ravage:
            places = {plague: tokens}
        else:
            places = self.places_in_final_ravage()
        return places if self.are_losses_clear(places) else {}

    def are_losses_clear(self, places: dict[int, list[int]]) -> bool:
        """Whether the doer's cubes in these regions have become fewer by flipped tokens alone."""
        doer = self.doer
        assert doer is not None
        crowned = doer.palace > self.old.players[doer.index].palace
        return not (crowned or self.has_placed() or set(self.gains(doer)) - set(places))

    def places_in_final_ravage(self) -> dict[int, list[int]]:
        """RT-65: by region, if rats have gone from no more than one, or from where the observer knew them."""
        fewer = {region: -number for region, number in self.rat_changes().items() if number < 0}
        tokens = self.flipped()
        if sum(fewer.values()) != len(tokens) or self.old.node == "monk to" or self.may_have_used(MONK):
            return {}
        if len(fewer) == 1:
            return dict.fromkeys(fewer, tokens)
        return self.places_by_known_faces(fewer)

    def places_by_known_faces(self, fewer: dict[int, int]) -> dict[int, list[int]]:
        """Where tokens were flipped in several regions, if the observer knew what was gone from all but one."""
        left, places = self.flipped(), {}
        for region, number in fewer.items():
            faces = [rat.face for rat in self.old.regions[region].rats]
            if len(faces) != number or None in faces:
                continue
            tokens = [token for token in left if self.new.faces[token] in faces]
            if len(tokens) != number:
                return {}
            places[region] = tokens
            left = [token for token in left if token not in tokens]
        rest = [region for region in fewer if region not in places]
        if len(rest) == 1:
            places[rest[0]] = left
        return places if len(places) == len(fewer) else {}


def place(seen: View) -> int | None:
    """The region of the plague piece."""
    return None if seen.plague is None else seen.plague.number
