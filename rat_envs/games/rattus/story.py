"""Who sees what of an action or outcome, in sentences: all is public except the faces that a Witch sees (RT-71)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rat_envs.engine.game import CHANCE
from rat_envs.engine.story import Event, moments
from rat_envs.engine.wording import Person, does, listed, named, number_of, possessive
from rat_envs.games.rattus import rules
from rat_envs.games.rattus.components import (
    FINAL_RAVAGE,
    GO_ON,
    KING_LATE,
    LOOKED_AT,
    MERCHANT_TO,
    NONE,
    OVER,
    contains,
    seats,
)
from rat_envs.games.rattus.flow import go_on_once
from rat_envs.games.rattus.tables import CARDS, REGIONS, TOKEN_IDS
from rat_envs.games.rattus.view import face_of, view
from rat_envs.games.rattus.wording import result, token_in_words

__all__ = ["hidden_facts", "open_facts", "sees"]


def sees(event: Event, seat: int | None) -> list[str]:
    """What a seat, or a spectator (None), sees of an event."""
    verb, *names = event.notation.split()
    done = TOLD[verb](event, seat, *names) if verb in TOLD else []
    return [*done, *what_follows(event, seat)]


def person(player: int, seat: int | None) -> Person:
    """A player as a seat sees it."""
    return Person(int(player), player == seat)


def rat(region: int, slot: int) -> str:
    """A rat by its place (RT-23)."""
    return f"rat {slot + 1} in {REGIONS[region].capitalize()}"


def face(row: Any, token: int) -> str:
    """A token by its name and face."""
    return token_in_words(token, face_of(row.config.tokens[token]))


# What players do


def deed(event: Event, seat: int | None, *names: str, words: str) -> list[str]:
    """The actor and these words, with names from the notation and the cubes placed (RT-07, RT-12, RT-14, RT-62)."""
    row, player = event.before, event.actor
    placed = 1 if row.last_active != NONE else int(row.stock[player] - event.after.stock[player])
    words = words.format(*map(str.capitalize, names), cubes=number_of(placed, "cube"))
    return [f"{does(person(player, seat), words)}."]


def take(event: Event, seat: int | None, card: str) -> list[str]:
    """RT-11."""
    holder = event.before.holder[CARDS.index(card)]
    source = "" if holder == NONE else f" from {named(person(holder, seat))}"
    return deed(event, seat, card, words=f"take the {{}}{source}")


def to(event: Event, seat: int | None, goal: str) -> list[str]:
    """RT-40, RT-41: what the Merchant or the Monk moves, and from where."""
    row, source = event.before, event.before.chosen_regions[0]
    if row.phase == MERCHANT_TO:
        cubes = f"{number_of(row.cubes_moving, 'cube')} from {REGIONS[source].capitalize()}"
        return deed(event, seat, goal, words=f"move {cubes} to {{}} (Merchant)")
    return deed(event, seat, goal, words=f"move {rat(source, row.chosen_slots[0])} to {{}} (Monk)")


def plague(event: Event, seat: int | None, goal: str) -> list[str]:
    """RT-06, RT-15; RT-43, RT-63: with the Knight."""
    row = event.before
    if event.actor == CHANCE:
        return [f"The plague begins in {goal.capitalize()}."]
    if row.last_active != NONE:
        return deed(event, seat, goal, words="move the plague to {} (Knight): it counts as 2 cubes there")
    is_near = contains(row.neighbours[row.plague], REGIONS.index(goal))
    return deed(event, seat, goal, words="move the plague to {}" + ("" if is_near else " (Knight)"))


def witch(event: Event, seat: int | None, region: str, number: str) -> list[str]:
    """RT-80: a face that somebody has seen is seen at once, another one after it is drawn."""
    where, slot = REGIONS.index(region), int(number) - 1
    token = event.before.face[slot, where]
    return [] if token == NONE else look(event, seat, where, slot, token)


def drawn(event: Event, seat: int | None, name: str) -> list[str]:
    """RT-80: a face drawn for a look; a face drawn for a flip is told with its losses."""
    row = event.before
    is_look = row.seen_because == LOOKED_AT
    return look(event, seat, row.seen_region, row.seen_slot, TOKEN_IDS.index(name)) if is_look else []


def look(event: Event, seat: int | None, region: int, slot: int, token: int) -> list[str]:
    """RT-45, RT-71: everybody sees which rat, only the looker its face."""
    looker = person(event.before.active, seat)
    seen = f": {face(event.before, token)}" if looker.is_observer else ""
    return [f"{does(looker, 'look')} at {rat(region, slot)}{seen}."]


def end_witch(event: Event, seat: int | None, verb: str) -> list[str]:
    """RT-45, RT-71: everybody sees which rats are swapped."""
    row = event.before
    return deed(event, seat, words=f"{verb} {listed(map(rat, row.chosen_regions, row.chosen_slots))}")


def decline(event: Event, seat: int | None) -> list[str]:
    """RT-47, RT-64."""
    return deed(event, seat, words="do not use the King" if event.before.phase == KING_LATE else "pass")


# Automatic consequences


def what_follows(event: Event, seat: int | None) -> list[str]:
    """Ravage (RT-24), the final round (RT-60), whose turn (RT-08), the final ravage (RT-65), the result (RT-66)."""
    old, new = event.before, event.after
    sentences, at_the_end = ravages(event, seat)
    if new.last_active != old.last_active:
        full = f"all {possessive(person(new.last_active, seat))} cubes are on the board"
        sentences.append(f"The final round begins: {full if new.supply else 'the supply has run out'}.")
    if new.stage != FINAL_RAVAGE:
        sentences += turn(event, seat)
    elif old.stage != FINAL_RAVAGE:
        sentences.append("The final ravage begins.")
    return [*sentences, *at_the_end, *([result(view(new, seat))] if new.phase == OVER else [])]


def turn(event: Event, seat: int | None) -> list[str]:
    """RT-08, RT-61: whose turn, or part in the final round, begins."""
    old, new = event.before, event.after
    is_first = old.settled < new.settled == 2 * seats(new)
    if new.active == old.active and not is_first:
        return []
    part = "turn" if new.last_active == NONE else "part in the final round"
    return [f"It is {possessive(person(new.active, seat))} {part}."]


def ravages(event: Event, seat: int | None) -> tuple[list[str], list[str]]:
    """RT-24, RT-65: the tokens flipped, in order, and the losses, in the ravage of a turn and in the final one."""
    told: tuple[list[str], list[str]] = ([], [])
    if (event.after.flipped > event.before.flipped).any():
        for was, now in itertools.pairwise(moments(event, rules.take, go_on_once, GO_ON)):
            told[bool(was.stage == FINAL_RAVAGE)].extend(flips(was, now, seat))
    return told


def flips(was: Any, now: Any, seat: int | None) -> list[str]:
    """RT-26 to RT-30: the token resolved from one moment to the next, if any, and who loses how many cubes."""
    sentences = []
    for token in np.flatnonzero(now.flipped > was.flipped).tolist():
        slot, region = np.argwhere(was.face == token)[0].tolist()
        sentences.append(f"{face(now, token)} is flipped: {rat(region, slot)}.")
        losses = [
            f"{does(person(player, seat), 'lose')} {number_of(number, 'cube')}."
            for player, number in enumerate(was.cubes[:, region] - now.cubes[:, region])
            if number
        ]
        sentences += losses or ["Nobody loses a cube."]
    return sentences


#: By the first word of the notation; for all other words only the consequences are told.
TOLD: dict[str, Callable[..., list[str]]] = {
    "take": take,
    "place": partial(deed, words="place {cubes} in {}"),
    "peasant": partial(deed, words="place {cubes} in {} (Peasant)"),
    "to": to,
    "king": partial(deed, words="move a cube from {} to the palace (King)"),
    "plague": plague,
    "rat": partial(deed, words="lay a rat in {}"),
    "witch": witch,
    "token": drawn,
    "stop": partial(deed, words="look at no second rat"),
    "swap": partial(end_witch, verb="swap"),
    "keep": partial(end_witch, verb="do not swap"),
    "bonus": partial(deed, words="let the plague count as 2 cubes (Knight)"),
    "no_bonus": partial(deed, words="do not let the plague count as cubes"),
    "pass": decline,
}


def hidden_facts(row: Any) -> dict[str, str]:
    """Facts that somebody may not know (RT-71): the limits of the faces that others have looked at."""
    return {
        rat(region, slot): f"limit {face_of(row.config.tokens[row.face[slot, region]]).limit}"
        for slot, region in np.argwhere(row.face != NONE).tolist()
    }


def open_facts(event: Event) -> tuple[str, list[list[int]]]:
    """Public facts that no observation keeps: whether rats are swapped (RT-71), where flipped tokens lay (RT-80)."""
    flipped = np.flatnonzero(event.after.flipped > event.before.flipped)
    places = [[token, *np.argwhere(event.before.face == token).ravel()] for token in flipped]
    return event.notation if event.notation in ("swap", "keep") else "", places
