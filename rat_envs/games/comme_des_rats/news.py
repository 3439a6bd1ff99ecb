"""What a seat can tell has happened between two of its observations, in sentences.

Sentences name who did something where the observations leave no doubt, given that the seat itself was not asked in
between; else they say what has changed. Told node by node, they are the same whether or not another seat was asked in
between and let a clover or a role be (CR-76).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rat_envs.games.comme_des_rats.components import (
    AL_RATONE,
    CLAW,
    CLOVER,
    FOOL,
    HEAL,
    HYPNOTIST,
    KEY1,
    KEY2,
    MANIPULATOR,
    STEAL,
    TRAP,
)
from rat_envs.games.comme_des_rats.configuration import PILE_SIZE
from rat_envs.games.comme_des_rats.view import NO_CARDS, Pile, Rat, View, view_of
from rat_envs.games.comme_des_rats.wording import (
    CARD_WORDS,
    ROLE_WORDS,
    does,
    listed,
    named,
    number_of,
    roll_in_words,
    share_in_words,
    statement_in_words,
    subject,
)

SAME, NEXT, LATER = "the same turn", "the turn after it, not yet rolled", "a later turn"
FACTS_OF_A_DIE = {KEY1: "pile_searched", KEY2: "pile_searched", STEAL: "robbed", CLAW: "aimed_at"}


def news(before: Any, now: Any) -> list[str]:
    """What a seat can tell has happened between two of its own observations, in sentences."""
    old, new = view_of(before), view_of(now)
    if rounds_begun(old) == rounds_begun(new):
        return Change(old, new, turn_between(old, new)).sentences()
    sentences = [points_in_words(old, new), round_beginning(new)]
    return sentences + Change(start_of_round(new), new, LATER).sentences()


def rounds_begun(seen: View) -> int:
    """All rounds before this one."""
    return seen.round + seen.extra_rounds_played


def points_in_words(old: View, new: View) -> str:
    """CR-23: the points of a round, or of more than one."""
    gains = [(rat, rat.points - was.points) for was, rat in zip(old.rats, new.rats, strict=True)]
    words = [f"{named(rat)} got {number_of(gain, 'point')}" for rat, gain in gains if gain > 0]
    return f"The round is over: {listed(words) if words else 'nobody got points'}."


def round_beginning(new: View) -> str:
    """CR-25, CR-32."""
    if new.extra_rounds_played:
        return "A further round begins, to break the tie."
    return f"Round {new.round + 1} begins."


def start_of_round(seen: View) -> View:
    """The table as it was when this round began (CR-04, CR-05)."""
    rats = tuple(
        replace(rat, bandages=0, is_out=False, stock_size=0, known=NO_CARDS, role=None, role_shown=False)
        for rat in seen.rats
    )
    piles = tuple(Pile(pile.number, PILE_SIZE, 0, False, False, (), 0) for pile in seen.piles)
    cards = tuple(replace(card, is_shown=False) for card in seen.third_rat_cards)
    return start_of_turn(replace(seen, rats=rats, piles=piles, discard=NO_CARDS, third_rat_cards=cards))


def start_of_turn(seen: View) -> View:
    """The table as it is, but nothing of this turn has happened yet."""
    rats = tuple(replace(rat, is_partner=False, is_visited=False, statement=None) for rat in seen.rats)
    return replace(
        seen,
        rats=rats,
        first_roll=(),
        dice=(),
        rerolled=False,
        kept=(),
        resolved=0,
        whose_die=None,
        decider=None,
        robbed=None,
        aimed_at=None,
        third_rat_card=None,
    )


def turn_between(old: View, new: View) -> str:
    """Which turn it is now, of the same round."""
    if new.active.number == old.active.number:
        return SAME if is_further(old, new) else LATER
    follows = new.active.number == (old.active.number + 1) % new.players
    return NEXT if follows and not new.dice else LATER


def is_further(old: View, new: View) -> bool:
    """Whether ``new`` can be in the turn of ``old``."""
    was_partner, partner = number_or_none(old.partner), number_or_none(new.partner)
    return (
        old.first_roll in ((), new.first_roll)
        and (old.dice in ((), new.dice) or new.rerolled > old.rerolled)
        and old.rerolled <= new.rerolled
        and was_partner in (None, partner)
        and old.kept in ((), new.kept)
        and old.resolved <= new.resolved
        and all(was.statement in (None, rat.statement) for was, rat in zip(old.rats, new.rats, strict=True))
        and all(was.is_visited <= rat.is_visited for was, rat in zip(old.rats, new.rats, strict=True))
    )


def number_or_none(rat: Rat | None) -> int | None:
    """The rat's number, if there is a rat."""
    return None if rat is None else rat.number


def change(was: tuple[int, ...], now: tuple[int, ...]) -> tuple[int, ...]:
    """By kind, how many more there are."""
    return tuple(after - before for before, after in zip(was, now, strict=True))


@dataclass(frozen=True)
class Change:
    """Two views of the same seat in the same round, and in which turn ``new`` is, counted from ``old``."""

    old: View
    new: View
    turn: str

    def sentences(self) -> list[str]:
        """All there is to tell."""
        deeds = [*self.thefts(), *self.cats(), *self.draws(), *self.clovers(), *self.stocks(), *self.bandages()]
        if self.turn == SAME:
            return [*self.roles(), *self.turn_so_far(self.old), *deeds, *self.end()]
        return [*self.roles(), *deeds, *self.turn_so_far(start_of_turn(self.new))]

    @property
    def pairs(self) -> list[tuple[Rat, Rat]]:
        """Each rat as it was and as it is."""
        return list(zip(self.old.rats, self.new.rats, strict=True))

    def has_shown(self, role: int) -> Rat | None:
        """The rat that has shown a role in between."""
        return next((rat for was, rat in self.pairs if rat.role == role and rat.role_shown > was.role_shown), None)

    def end(self) -> list[str]:
        """Points without a new round: the game is over."""
        gained = any(rat.points > was.points for was, rat in self.pairs)
        return [points_in_words(self.old, self.new)] if gained else []

    # Roles (CR-50 to CR-52)

    def roles(self) -> list[str]:
        """The own role when it is dealt, and what the Manipulator and, in a turn that is over, Al Ratone did."""
        own, manipulator, claimer = self.new.near, self.has_shown(MANIPULATOR), self.has_shown(AL_RATONE)
        sentences = []
        if own.role is not None and self.old.near.role is None:
            sentences.append(f"You are {ROLE_WORDS[own.role]}.")
        if manipulator is not None and manipulator is not own:
            sentences.append(f"{subject(manipulator)} showed the Manipulator.")
        if own.role != MANIPULATOR:
            sentences += [
                f"The Manipulator looked through pile {pile.number + 1}."
                for was, pile in zip(self.old.piles, self.new.piles, strict=True)
                if pile.is_looked_at > was.is_looked_at
            ]
        if claimer is not None and not claimer.is_partner:
            sentences.append(f"{subject(claimer)} showed Al Ratone and became partner.")
        return sentences

    # The turn up to the dice being shared out (CR-06 to CR-08, CR-40, CR-52, CR-62)

    def turn_so_far(self, old: View) -> list[str]:
        """Roll, statements, partner and who has which die, as far as ``old`` has not got."""
        new = self.new
        roll, choice = self.roll(old), self.choice(old)
        if roll and choice and not (old.dice or new.talk) and choice.startswith(subject(new.active)):
            return [f"{roll} and{choice.removeprefix(subject(new.active))}.", *self.shares(old)]
        statements = [
            f"{subject(rat)} {statement_in_words(new, rat.statement)}"
            for was, rat in zip(old.rats, new.rats, strict=True)
            if was.statement is None and rat.statement is not None
        ]
        return [f"{words}." for words in (roll, *statements, choice) if words] + self.shares(old)

    def roll(self, old: View) -> str:
        """CR-06."""
        new = self.new
        if not new.dice or (old.dice and old.rerolled == new.rerolled):
            return ""
        if old.dice:
            return f"{subject(new.active)} rolled again: {roll_in_words(new.dice)}"
        again = f", then {roll_in_words(new.dice)}" if new.rerolled else ""
        return f"{subject(new.active)} rolled {roll_in_words(new.first_roll)}{again}"

    def choice(self, old: View) -> str:
        """CR-07, CR-52, CR-61."""
        partner, claimer = self.new.partner, self.has_shown(AL_RATONE)
        if partner is None or old.partner is not None:
            return ""
        if partner is claimer:
            return f"{subject(partner)} showed Al Ratone and became partner"
        cards = self.new.third_rat_cards
        if cards and not partner.is_third_rat and all(card.is_shown for card in cards):
            return does(partner, "be") + " partner"
        return f"{subject(self.new.active)} chose {named(partner)} as partner"

    def shares(self, old: View) -> list[str]:
        """CR-08, CR-62, CR-63."""
        new = self.new
        if old.kept or not new.kept:
            return []
        if new.third_rat_card is None:
            return [share_in_words(new)]
        opponent = new.third_rat_cards[new.third_rat_card].opponent_decides
        decider = new.rats[1 - new.active.number] if opponent else new.active
        shown = f"The third rat showed tr{new.third_rat_card + 1}: {named(decider)} decide"
        return [shown + ("." if decider.is_observer else "s."), share_in_words(new)]

    # Dice

    def dice(self) -> list[tuple[int, Rat, int]]:
        """The dice that may have been carried out in between: which, whose, and the face; empty if that is unclear."""
        seen = self.new if self.turn == SAME else self.old
        if self.turn == LATER or seen.partner is None or not seen.resolved:
            return []
        owners = (seen.partner.number, seen.active.number)
        last = seen.resolved if self.turn == SAME else len(owners)
        dice = [
            (die, self.new.rats[owners[die - 1]], seen.kept[die - 1])
            for die in range(max(1, self.old.resolved), last + 1)
        ]
        return [(die, rat, face) for die, rat, face in dice if face != STEAL or self.can_rob(rat)]

    def can_rob(self, thief: Rat) -> bool:
        """Whether there was any stock to steal from (CR-14)."""
        stocks = [was.stock_size + rat.stock_size for was, rat in self.pairs if rat is not thief]
        return any(stocks) or bool(self.drawn())

    def doer(self, *faces: int) -> Rat | None:
        """The one rat whose die of such a face was carried out, or begun, in between; None if there may be others."""
        dice = [(die, rat, face) for die, rat, face in self.dice() if face in faces]
        rats = [rat for die, rat, face in dice if self.is_open(die, face) and self.is_begun(die, face)]
        return rats[0] if len(rats) == 1 else None

    def is_open(self, die: int, face: int) -> bool:
        """Whether there was still something to do of a die."""
        if die != self.old.resolved or face == STEAL or self.old.second_draw:
            return True
        return getattr(self.old, FACTS_OF_A_DIE[face]) is None

    def is_begun(self, die: int, face: int) -> bool:
        """Whether something has been done of a die."""
        if self.turn != SAME or die != self.new.resolved:
            return True
        return getattr(self.new, FACTS_OF_A_DIE[face]) is not None

    # Keys (CR-12, CR-13, CR-18)

    def drawn(self) -> list[tuple[Pile, int, int]]:
        """Piles that were drawn from, cards stored, and traps that now lie beside them."""
        changes = []
        for was, pile in zip(self.old.piles, self.new.piles, strict=True):
            traps = pile.traps_beside - was.traps_beside
            if pile.size < was.size:
                changes.append((pile, was.size - pile.size - traps, traps))
        return changes

    def drawer(self) -> Rat | None:
        """Who drew all of these cards, if that is clear."""
        return self.doer(KEY1, KEY2) if len(self.drawn()) == 1 else None

    def draws(self) -> list[str]:
        """Cards that were drawn."""
        rat, sentences = self.drawer(), []
        for pile, stored, traps in self.drawn():
            source = f"from pile {pile.number + 1}"
            if rat is not None:
                sentences += [f"{subject(rat)} drew a trap {source}."] * traps
                sentences += [f"{subject(rat)} drew {self.stored_cards(rat, stored)} {source}."] if stored else []
            else:
                sentences += [f"A trap was drawn {source}."] * traps
                sentences += [f"{were_drawn(stored)} {source}."] if stored else []
        return sentences

    def stored_cards(self, rat: Rat, stored: int) -> str:
        """What a rat drew and stored, as far as the observer knows."""
        kinds = self.known_gain(rat)
        if min(kinds) >= 0 and sum(kinds) == stored:
            return some_cards(kinds)
        return "a card" if stored == 1 else f"{stored} cards"

    def known_gain(self, rat: Rat) -> tuple[int, ...]:
        """By kind, what the observer knows a rat to have more, clovers that it used not counted as lost."""
        kinds = list(change(self.old.rats[rat.number].known, rat.known))
        if rat.is_observer or rat.is_third_rat:
            kinds[CLOVER] += self.clovers_used().get(rat.number, 0)
        return tuple(kinds)

    # Theft (CR-14, CR-54)

    def thefts(self) -> list[str]:
        """Who robs whom, and what became of a Fool's traps."""
        new, fool = self.new, self.has_shown(FOOL)
        robbed = new.robbed if self.turn == SAME else None
        sentences = []
        if robbed is not None and new.whose_die is not None and not self.was_robbed():
            sentences.append(f"{subject(new.whose_die)} robbed {named(robbed)}.")
        if fool is not None:
            who = "you, and you" if fool.is_observer else f"{named(fool)}, who"
            sentences.append(f"A trap was stolen from {who} showed the Fool and discarded all other traps.")
        return sentences

    def was_robbed(self) -> bool:
        """Whether the theft that goes on had been announced before."""
        return self.old.robbed is not None and self.old.resolved == self.new.resolved

    def stocks(self) -> list[str]:
        """What went in or out of a stock that the observer knows, other than by draws, clovers and losing all."""
        sentences = []
        for rat in self.new.rats:
            if not (rat.is_observer or rat.is_third_rat) or rat.is_out:
                continue
            kinds = self.known_gain(rat)
            if rat is self.drawer() and self.is_all_drawn(rat, kinds):
                continue
            gains = tuple(max(0, kind) for kind in kinds)
            losses = tuple(max(0, -kind) * (card != TRAP) for card, kind in enumerate(kinds))
            sentences += [f"{subject(rat)} got {some_cards(gains)}."] if any(gains) else []
            sentences += [f"{subject(rat)} lost {some_cards(losses)}."] if any(losses) else []
        return sentences

    def is_all_drawn(self, rat: Rat, kinds: tuple[int, ...]) -> bool:
        """Whether the cards that the drawer has more are those it drew."""
        return min(kinds) >= 0 and sum(kinds) == self.drawn()[0][1]

    # Claws (CR-15, CR-16, CR-53)

    def cats(self) -> list[str]:
        """At whom the cat was sent, and sent on by the Hypnotist."""
        hypnotist, sender = self.has_shown(HYPNOTIST), self.doer(CLAW)
        targets = self.targets()
        sentences = []
        if hypnotist is not None:
            targets = [rat for rat in targets if rat is not hypnotist]
            if sender is not None:
                sentences.append(f"{subject(sender)} sent the cat at {named(hypnotist)}.")
            onward = named(targets.pop()) if len(targets) == 1 else "another rat"
            sentences.append(f"{subject(hypnotist)} showed the Hypnotist and sent the cat at {onward}.")
        for rat in targets:
            who = f"{subject(sender)} sent the cat" if sender is not None else "The cat was sent"
            sentences.append(f"{who} at {named(rat)}.")
        return sentences

    def targets(self) -> list[Rat]:
        """The rats that the cat was sent at, as far as that is known."""
        if self.turn == SAME:
            return [rat for was, rat in self.pairs if rat.is_visited > was.is_visited]
        faces = [face for _, _, face in self.dice()]
        if faces.count(CLAW) != 1 or not {CLAW, HEAL}.issuperset(faces):
            return []
        hurt = [rat for was, rat in self.pairs if rat.bandages > was.bandages or rat.number in self.clovers_used()]
        if faces == [CLAW, HEAL] and not hurt:
            hurt = [self.new.rats[self.old.active.number]]  # hurt, and healed at once
        was_sent = self.old.aimed_at is not None and self.has_shown(HYPNOTIST) is None
        return hurt if len(hurt) == 1 and not was_sent else []

    # Bandages (CR-17, CR-19, CR-20)

    def lost_stocks(self) -> bool:
        """Whether a rat has gone out."""
        return any(rat.is_out > was.is_out for was, rat in self.pairs)

    def clovers_used(self) -> dict[int, int]:
        """How many clovers rats used, by number; empty if that is unclear."""
        used = self.new.discard[CLOVER] - self.old.discard[CLOVER]
        if used <= 0 or self.turn == LATER or self.lost_stocks() or (self.drawn() and self.drawer() is None):
            return {}
        if self.may_have_stolen():
            own = self.old.near.known[CLOVER] > self.new.near.known[CLOVER]
            return {self.new.near.number: 1} if self.old.node == "bandage" and own and used == 1 else {}
        missing = {}
        for was, rat in self.pairs:
            stored = self.drawn()[0][1] if self.drawn() and rat is self.drawer() else 0
            if rat.stock_size < was.stock_size + stored:
                missing[rat.number] = was.stock_size + stored - rat.stock_size
        return missing if sum(missing.values()) == used else {}

    def may_have_stolen(self) -> bool:
        """Whether a card may have been stolen in between, as far as the dice tell."""
        return any(face == STEAL and self.is_begun(die, face) for die, _, face in self.dice())

    def clovers(self) -> list[str]:
        """CR-19."""
        users = self.clovers_used()
        sentences = []
        for place, times in users.items():
            clovers, bandages = ("a clover", "a bandage") if times == 1 else (f"{times} clovers", "bandages")
            sentences.append(f"{subject(self.new.rats[place])} discarded {clovers} instead of getting {bandages}.")
        used = self.new.discard[CLOVER] - self.old.discard[CLOVER]
        if used > 0 and not users and not self.lost_stocks():
            sentences.append("A clover was discarded." if used == 1 else f"{used} clovers were discarded.")
        return sentences

    def bandages(self) -> list[str]:
        """CR-17, CR-20: one after another, a Fool's last (CR-54), then those given back."""
        fool = self.has_shown(FOOL)
        pairs = sorted(self.pairs, key=lambda pair: pair[1] is fool)
        gained, given_back = [], []
        for was, rat in pairs:
            more = rat.bandages - was.bandages
            is_out = rat.is_out > was.is_out
            gained += [f"{subject(rat)} got a bandage."] * (more - is_out)
            gained += [f"{does(rat, 'be')} out of the round: three bandages, and all cards are lost."] * is_out
            given_back += [f"{subject(rat)} gave back a bandage."] * -more
        return gained + given_back


def were_drawn(cards: int) -> str:
    """So many cards, and that they were drawn."""
    return "A card was drawn" if cards == 1 else f"{cards} cards were drawn"


def some_cards(kinds: tuple[int, ...]) -> str:
    """Cards by kind, as one says what one got."""
    words = []
    for card, copies in enumerate(kinds):
        name = CARD_WORDS[card]
        if card in (TRAP, CLOVER):
            words += [f"a {name}" if copies == 1 else f"{copies} {name}s"] if copies else []
        else:
            words += [name if copies == 1 else f"{copies} cards of {name}"] if copies else []
    return listed(words)
