"""Who sees what of an action or outcome, in sentences (CR-70 to CR-77).

The action is told first, then everything automatic that followed, in order. So the sentences are the same whether or
not another seat was asked in between and declined to use a clover or a role (CR-76).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from rat_envs.engine.story import Event, moments
from rat_envs.engine.wording import does, listed, named, number_of, subject
from rat_envs.games.comme_des_rats import rules
from rat_envs.games.comme_des_rats.components import (
    BANDAGE,
    CLAIM,
    CLOVER,
    FOOL,
    GO_ON,
    LOOK,
    NONE,
    OVER,
    PARTNER,
    PLACE,
    REDIRECT,
    REROLL,
    ROLL,
    TRAP,
    TRAPS,
    is_third_rat,
    stock_size,
)
from rat_envs.games.comme_des_rats.dice import DECIDER, go_on_once
from rat_envs.games.comme_des_rats.notation import (
    LOOK_FIRST,
    LOSE_FIRST,
    PARTNER_FIRST,
    REVEAL_FIRST,
    ROB_FIRST,
    ROLE_FIRST,
    ROLL_FIRST,
    ROLLS,
    SAY_FIRST,
    rat_at,
)
from rat_envs.games.comme_des_rats.observation import knows_pile
from rat_envs.games.comme_des_rats.view import RatName, outcome
from rat_envs.games.comme_des_rats.wording import (
    CARD_WORDS,
    ROLE_WORDS,
    decides,
    outcome_in_words,
    roll_in_words,
    share_in_words,
    some_cards,
    statement_in_words,
    stock_named,
)

__all__ = ["asks_openly", "hidden_facts", "sees"]

Rats = Sequence[RatName]


#: Nodes at which others are not told that somebody is asked, because it depends on a card or role they do not know; and
#: the Manipulator's looking and ordering, although he and the piles he looks through are public (CR-51, CR-70).
ASKED_IN_SECRET = (LOOK, PLACE, CLAIM, REDIRECT, BANDAGE)


def asks_openly(row: Any, seat: int | None) -> bool:
    """CR-76: whether a seat, or a spectator (None), can tell that the game is at this node."""
    return row.actor == seat or row.phase not in ASKED_IN_SECRET


def hidden_facts(row: Any) -> dict[str, str]:
    """Facts that somebody may not know (CR-71, CR-72): roles, the next card of each pile, and stocks."""
    facts = {}
    rats = rules.rats(row)
    for rat, role in enumerate(row.role[:rats].tolist()):
        if role != NONE:
            facts[f"player_{rat} is"] = ROLE_WORDS[role]
    for pile, (cards, drawn) in enumerate(zip(row.pile.tolist(), row.drawn.tolist(), strict=True)):
        if drawn < len(cards) and cards[drawn] != NONE:
            facts[f"on top of pile {pile + 1}"] = CARD_WORDS[cards[drawn]]
    for rat, stock in enumerate(row.stock[:rats].tolist()):
        owner = named(RatName(rat, False, is_third_rat(row, rat)))
        for card, number in enumerate(stock):
            facts[f"{CARD_WORDS[card]} in the stock of {owner}"] = str(number)
    return facts


def sees(event: Event, seat: int | None) -> list[str]:
    """What a seat, or a spectator (None), sees of an event."""
    row = event.before
    rats = [RatName(rat, rat == seat, is_third_rat(row, rat)) for rat in range(rules.rats(row))]
    verb = event.notation.partition(" ")[0]
    sentences = TOLD[verb](event, rats) if verb in TOLD else []
    if row.phase < ROLL:
        return sentences
    for was, now in itertools.pairwise(moments(event, rules.take, go_on_once, GO_ON)):
        sentences += followed(was, now, rats)
    return sentences


# Actions and outcomes


def role(event: Event, rats: Rats) -> list[str]:
    """CR-50: only its seat is told a role; CR-51: when all are dealt, everybody is told the Manipulator's."""
    holder = rats[event.before.role.tolist().index(NONE)]
    sentences = [f"You are {ROLE_WORDS[event.action - ROLE_FIRST]}."] if holder.is_observer else []
    return sentences + [f"{subject(rat)} showed the Manipulator." for rat in rats if event.after.role_shown[rat.number]]


def look(event: Event, rats: Rats) -> list[str]:
    """CR-51, CR-70: everybody sees which pile, the Manipulator what lies in it."""
    manipulator, pile = rats[event.actor], event.action - LOOK_FIRST
    cards = f": {pile_in_words(event.before, pile)}" if manipulator.is_observer else ""
    return [f"{subject(manipulator)} looked through pile {pile + 1}{cards}."]


def place(event: Event, rats: Rats) -> list[str]:
    """CR-51, CR-71: only the Manipulator knows the order, told when the pile is complete."""
    row = event.before
    pile = row.looked_at[row.ordering]
    if not rats[event.actor].is_observer or NONE in event.after.pile[pile]:
        return []
    return [f"You put pile {pile + 1} in order: {pile_in_words(event.after, pile)}."]


def pile_in_words(row: Any, pile: int) -> str:
    """The cards of a whole pile, from the top."""
    return ", ".join(CARD_WORDS[card] for card in row.pile[pile])


def roll(event: Event, rats: Rats) -> list[str]:
    """CR-06; what follows shows whether a roll stands."""
    again = " again:" if event.before.phase == REROLL else ""
    return [f"{subject(rats[event.before.active])} rolled{again} {roll_in_words(ROLLS[event.action - ROLL_FIRST])}."]


def say(event: Event, rats: Rats) -> list[str]:
    """CR-40."""
    statement = statement_in_words(rats, rats[event.before.active], event.action - SAY_FIRST)
    return [f"{subject(rats[event.actor])} {statement}."]


def claim(event: Event, rats: Rats) -> list[str]:
    """CR-52; ``no_claim`` is not told (CR-76)."""
    return [f"{subject(rats[event.actor])} showed Al Ratone and became partner."]


def partner(event: Event, rats: Rats) -> list[str]:
    """CR-07, CR-61."""
    chosen = rats[rat_at(event.before, event.action - PARTNER_FIRST)]
    return [f"{subject(rats[event.actor])} chose {named(chosen)} as partner."]


def reveal(event: Event, rats: Rats) -> list[str]:
    """CR-62, CR-63."""
    row, card = event.before, event.action - REVEAL_FIRST
    decider = rats[1 - row.active if row.config.third_rat[card, DECIDER] else row.active]
    return [f"The third rat showed tr{card + 1}: {decides(decider)}."]


def rob(event: Event, rats: Rats) -> list[str]:
    """CR-14, CR-65."""
    victim = rats[rat_at(event.before, event.action - ROB_FIRST)]
    return [f"{subject(rats[event.before.rat])} robbed {named(victim)}."]


def lose(event: Event, rats: Rats) -> list[str]:
    """CR-73: thief and robbed rat are told the card; everybody is, if one is the third rat or the card is open."""
    row, card = event.before, event.action - LOSE_FIRST
    thief, victim = rats[row.rat], rats[row.robbed]
    words = some_cards(card)
    if card == TRAP or row.out[row.rat]:  # CR-21, CR-54
        return [f"{words.capitalize()} was stolen from {named(victim)} and discarded."]
    if victim.is_observer:
        return [f"You lost {words}."]
    is_told = thief.is_observer or thief.is_third_rat or victim.is_third_rat
    return [f"{subject(thief)} got {words}."] if is_told else []


TOLD = {told.__name__: told for told in (role, look, place, roll, say, claim, partner, reveal, rob, lose)}


# Automatic consequences


def followed(was: Any, now: Any, rats: Rats) -> list[str]:
    """What happened from one moment to the next."""
    if now.phase in (TRAPS, OVER) and now.phase != was.phase:
        return round_end(was, now, rats)
    return [sentence for tells in (shares, cat, draw, fool, bandage) for sentence in tells(was, now, rats)]


def shares(was: Any, now: Any, rats: Rats) -> list[str]:
    """CR-08, CR-62: who has which die; CR-61: before that, who is partner if there was no choice."""
    sentences = []
    if was.partner == NONE != now.partner and was.phase not in (CLAIM, PARTNER):
        sentences.append(f"{does(rats[now.partner], 'be')} partner.")
    if was.kept[0] == NONE != now.kept[0]:
        sentences.append(share_in_words(rats[now.partner], rats[now.active], now.kept))
    return sentences


def cat(was: Any, now: Any, rats: Rats) -> list[str]:
    """CR-15, CR-64; CR-53; ``no_redirect`` is not told (CR-76)."""
    target = next((rat for rat in rats if now.visited[rat.number] > was.visited[rat.number]), None)
    if target is None:
        return []
    if was.phase == REDIRECT:
        return [f"{subject(rats[was.actor])} showed the Hypnotist and sent the cat at {named(target)}."]
    return [f"{subject(rats[now.rat])} sent the cat at {named(target)}."]


def draw(was: Any, now: Any, rats: Rats) -> list[str]:
    """CR-18, CR-73: a trap that hurts is open; only the drawer and whoever knows the pile are told other cards."""
    pile = now.pile_searched
    if pile == NONE or now.drawn[pile] == was.drawn[pile]:
        return []
    drawer, card = rats[now.rat], was.pile[pile, was.drawn[pile]]
    is_open = drawer.is_third_rat or now.traps_beside[pile] > was.traps_beside[pile]
    is_known = any(rat.is_observer and (rat is drawer or knows_pile(was, rat.number, pile)) for rat in rats)
    return [f"{subject(drawer)} drew {some_cards(card) if is_open or is_known else 'a card'} from pile {pile + 1}."]


def fool(was: Any, now: Any, rats: Rats) -> list[str]:
    """CR-54: the Fool shows his role and his traps."""
    for rat in rats:
        if now.role_shown[rat.number] > was.role_shown[rat.number] and now.role[rat.number] == FOOL:
            traps = f" and discarded {some_cards(TRAP, now.fool_bandages)}" if now.fool_bandages else ""
            return [f"{subject(rat)} showed the Fool{traps}."]
    return []


def bandage(was: Any, now: Any, rats: Rats) -> list[str]:
    """CR-17, CR-19, CR-20, CR-67."""
    for rat in rats:
        more = now.bandages[rat.number] - was.bandages[rat.number]
        if more > 0:
            return [f"{subject(rat)} got a bandage.", *([out(was, rat)] if now.out[rat.number] else [])]
        if more < 0:
            return [f"{subject(rat)} gave back a bandage."]
        if rat.number == now.bandaged and now.stock[rat.number, CLOVER] < was.stock[rat.number, CLOVER]:
            return [f"{subject(rat)} discarded a clover instead of getting a bandage."]
    return []


def out(was: Any, rat: RatName) -> str:
    """CR-20: the lost stock is laid open."""
    cards = f" and lost {stock_named(was.stock[rat.number])}" if was.stock[rat.number].any() else ""
    return f"{does(rat, 'be')} out of the round{cards}."


def round_end(was: Any, now: Any, rats: Rats) -> list[str]:
    """CR-23: stocks are shown, the third rat's is open (CR-67); then points, and what comes next."""
    sentences = [
        f"{subject(rat)} showed {stock_named(was.stock[rat.number])}."
        for rat in rats
        if was.stock[rat.number].any() and not rat.is_third_rat
    ]
    gains = [(rat, now.points[rat.number] - was.points[rat.number]) for rat in rats]
    words = [f"{named(rat)} got {number_of(gain, 'point')}" for rat, gain in gains if gain > 0]
    return [*sentences, f"The round is over: {listed(words) if words else 'nobody got points'}.", what_next(now, rats)]


def what_next(now: Any, rats: Rats) -> str:
    """CR-25, CR-31, CR-32, CR-81."""
    if now.phase == OVER:
        scores = [(int(now.points[rat.number]), stock_size(now, rat.number)) for rat in rats]
        return outcome_in_words(*outcome(rats, scores))
    if now.extra_rounds_played:
        return "A further round begins, to break the tie."
    return f"Round {now.rounds_played + 1} begins."
