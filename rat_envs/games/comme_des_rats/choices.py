"""What a player is asked and may do, in words and as spots in the drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rat_envs.engine.choices import Choice, Offer
from rat_envs.engine.wording import named
from rat_envs.games.comme_des_rats.components import CLOVER
from rat_envs.games.comme_des_rats.configuration import CARDS, FACES
from rat_envs.games.comme_des_rats.notation import (
    ACTIONS,
    RATS,
    SAY_CLAW,
    SAY_FIRST,
    SAY_NOTHING,
    SAY_PEACE,
    THIRD_RAT_PLACE,
)
from rat_envs.games.comme_des_rats.view import RatName, View, view
from rat_envs.games.comme_des_rats.wording import CARD_WORDS, FACE_WORDS, promise_in_words, question, rat_spoken_of

__all__ = ["card_spot", "die_spot", "offer", "pile_spot", "rat_spot"]

#: Actions of one word.
SIMPLE = {
    "keep_dice": "Keep the dice",
    "reroll": "Roll both dice again",
    "claim": "Show Al Ratone and become partner",
    "no_claim": "Stay hidden",
    "no_redirect": "Stay hidden: the cat comes at you",
    "bandage": "Take the bandage",
}
#: Actions that name a rat.
AT_A_RAT = {
    "partner": "Choose {} as partner",
    "rob": "Steal from {}",
    "claw": "Send the cat at {}",
    "redirect": "Show the Hypnotist and send the cat at {}",
}


def offer(row: Any, seat: int, actions: Sequence[int]) -> Offer:
    """What ``seat`` may do on its turn."""
    seen = view(row, seat)
    return Offer(question(seen), tuple(choice(seen, action) for action in actions))


def choice(seen: View, action: int) -> Choice:
    """An action in words."""
    verb, _, rest = ACTIONS[action].partition(" ")
    if verb in SIMPLE:
        return Choice(action, SIMPLE[verb])
    if verb in AT_A_RAT:
        rat = rat_called(seen, rest)
        return Choice(action, AT_A_RAT[verb].format(named(rat)), rat_spot(rat))
    return OTHERS[verb](seen, action, rest)


def rat_called(seen: View, name: str) -> RatName:
    """The rat that the notation names."""
    place = RATS.index(name)
    return seen.rats[-1 if place == THIRD_RAT_PLACE else place]


def say(seen: View, action: int, rest: str) -> Choice:
    """CR-40: a statement, which binds nobody, and other wordings accepted for it."""
    statement = action - SAY_FIRST
    if statement == SAY_NOTHING:
        return Choice(action, "Say nothing", also=("Nothing", "I say nothing", "I promise nothing"))
    promise = promise_in_words(seen.rats, seen.active, statement)
    at_active = statement == SAY_PEACE or (statement >= SAY_CLAW and rat_spoken_of(seen.rats, statement) == seen.active)
    words = f"Promise not to {promise.removeprefix('not ')}" if statement == SAY_PEACE else f"Promise to {promise}"
    said = [promise, promise.replace(named(seen.active), "you")] if at_active else [promise]
    also = tuple(f"{begun} {one}" for one in said for begun in ("I would", "I will", "I'll", "I promise to"))
    return Choice(action, words, also=also)


def die(seen: View, action: int, rest: str) -> Choice:
    """CR-08."""
    face = FACES.index(rest)
    return Choice(action, f"Keep {FACE_WORDS[face]}", die_spot(face))


def pile(seen: View, action: int, rest: str) -> Choice:
    """CR-12, CR-13."""
    return Choice(action, f"Draw from pile {rest}", pile_spot(int(rest) - 1))


def look(seen: View, action: int, rest: str) -> Choice:
    """CR-51."""
    return Choice(action, f"Look through pile {rest}", pile_spot(int(rest) - 1))


def place(seen: View, action: int, rest: str) -> Choice:
    """CR-51."""
    return Choice(action, f"Put {CARD_WORDS[CARDS.index(rest)]} next")


def clover(seen: View, action: int, rest: str) -> Choice:
    """CR-19."""
    return Choice(action, "Discard a clover, and get no bandage", card_spot(CLOVER))


OTHERS: dict[str, Callable[[View, int, str], Choice]] = {
    "say": say,
    "die": die,
    "pile": pile,
    "look": look,
    "place": place,
    "clover": clover,
}


def rat_spot(rat: RatName) -> str:
    """The spot of a rat's panel."""
    return f"rat {'third_rat' if rat.is_third_rat else rat.number}"


def pile_spot(number: int) -> str:
    """The spot of a pile, counted from 0."""
    return f"pile {number}"


def die_spot(face: int) -> str:
    """The spot of a die that shows a face."""
    return f"die {face}"


def card_spot(card: int) -> str:
    """The spot of a kind of card in the observer's stock."""
    return f"stock {card}"
