"""Short words for the tests of Rattus: a board laid out by name, what lies where, and what a seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rattus_referee import CARDS, TABLE_ORDER, TIERS, TIERS_IN_PLAY, default_map, default_tokens

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.games.rattus.observation import DECISIONS
from rat_envs.games.rattus.tokens import note_looks

GAME = get_game("rattus")

#: Tokens in the order of their numbers.
TOKEN_IDS = [token["id"] for token in default_tokens()]
#: Their faces: limit, M, A, and how often each class is printed.
FACES = {
    token["id"]: [token["limit"], token["m"], token["a"], *(token["classes"].count(card) for card in CARDS)]
    for token in default_tokens()
}
#: What the specification says is left in the supply, and how many tokens lie beside the game, by number of players.
SUPPLY = {2: 29, 3: 33, 4: 37}
REMOVED = {2: 12, 3: 6, 4: 0}
#: The row's mark for nobody, and for a face that nobody has seen.
NOBODY = -1


def start(**config: Any) -> Position:
    """A new game, before its first node."""
    return Position(GAME, config)


def in_play(players: int) -> list[str]:
    """The regions in play with the default map, in table order."""
    names = [name for tier in TIERS_IN_PLAY[players] for name in TIERS[tier]]
    return [name for name in TABLE_ORDER if name in names]


def neighbours(region: str, players: int = 4) -> set[str]:
    """A region's neighbours in the default map."""
    edges = [edge for edge in default_map()["edges"] if region in edge]
    return {name for edge in edges for name in edge if name != region} & set(in_play(players))


def at(region: str) -> int:
    """A region's number."""
    return TABLE_ORDER.index(region)


def settled(players: int = 4, plague: str = "germania", home: str = "hispania", **config: Any) -> Position:
    """The set-up is done: everybody has 4 cubes at home, and player_0 begins his turn."""
    position = start(players=players, **config)
    play(position, f"plague {plague}", *[f"place {home}"] * (2 * players))
    return position


def table(
    plague: str = "germania",
    cubes: Mapping[str, Sequence[int]] | None = None,
    rats: Mapping[str, int | str] | None = None,
    cards: Mapping[str, int] | None = None,
    *,
    others: int = 1,
    active: int = 0,
    placed: bool = False,
    supply: int | None = None,
    **config: Any,
) -> Position:
    """A turn begins on a board as it is wanted.

    Args:
        plague: where the plague piece stands.
        cubes: for regions the cubes by seat; elsewhere there are none, and the others are in stock.
        rats: for regions how many tokens, unseen; or their names (``lay``).
        cards: for cards the seat that holds them.
        others: number of tokens in every other region.
        active: whose turn it is.
        placed: cubes have been placed this turn already.
        supply: tokens in the supply, if not as many as at the beginning.
        config: options.
    """
    position = settled(plague=plague, **config)
    row = position.state
    row.active = row.actor = active
    row.cubes_placed = placed
    row.cubes[:] = 0
    for region, numbers in (cubes or {}).items():
        row.cubes[: len(numbers), at(region)] = numbers
    row.stock[: players(position)] = 20 - row.cubes.sum(1)[: players(position)]
    for region in in_play(players(position)):
        lay(position, region, (rats or {}).get(region, others))
    hold(position, **(cards or {}))
    if supply is not None:
        row.supply = supply
    return position


def lay(position: Position, region: str, tokens: int | str, by: Sequence[int] = ()) -> None:
    """These tokens lie in a region instead of those that do, with the slots in this order.

    Args:
        tokens: how many, one laid out at set-up and the others from the supply; or for each its pile and what it is, as
            in ``"start supply start:s01 supply:r07"``: whoever has looked at it knows what it is.
        by: the seats that have looked at those that are named.
    """
    row, number = position.state, at(region)
    words = tokens.split() if isinstance(tokens, str) else ["start", "supply", "supply"][:tokens]
    row.rats[number] = len(words)
    row.face[:, number], row.pile[:, number], row.looked[:, number] = NOBODY, 0, 0
    for slot, word in enumerate(words):
        pile, _, token = word.partition(":")
        row.pile[slot, number] = ("supply", "start").index(pile)
        if token:
            show(position, token, by)
            row.face[slot, number] = TOKEN_IDS.index(token)
            row.looked[slot, number] = sum(1 << seat for seat in by)
            if pile == "supply" and token.startswith("s"):
                row.start_drawn += 1
                row.start_seen[list(by)] += 1
    note_looks(row, number)
    row.with_room &= ~(1 << number)
    row.with_room |= (len(words) < 3) << number


def show(position: Position, token: str, to: Sequence[int]) -> None:
    """These seats have seen a face."""
    position.state.seen[TOKEN_IDS.index(token)] |= sum(1 << seat for seat in to)


def discard(position: Position, *tokens: str) -> None:
    """These tokens were flipped; start tokens were such as had been laid out at set-up."""
    for token in tokens:
        show(position, token, range(players(position)))
        position.state.flipped[TOKEN_IDS.index(token)] = 1


def hold(position: Position, **cards: int) -> None:
    """Class cards and who holds them."""
    for card, seat in cards.items():
        position.state.holder[CARDS.index(card)] = seat


def final_round(
    last: int = 3,
    cubes: Mapping[str, Sequence[int]] | None = None,
    rats: Mapping[str, int | str] | None = None,
    cards: Mapping[str, int] | None = None,
    **options: Any,
) -> Position:
    """The supply has run out and the last turn ends, with the plague in Scandia, where no rats are."""
    laid = {"scandia": 0, **(rats or {})}
    position = table("germania", cubes, laid, cards, active=last, placed=True, supply=0, **options)
    position.apply("plague scandia")
    return position


def play(position: Position, *texts: str) -> None:
    """One text after another."""
    for text in texts:
        position.apply(text)


def pass_turn(position: Position) -> None:
    """A turn in which nothing happens but what has to: the first place, the first goal, and so on."""
    active = int(position.state.active)
    position.apply(next(text for text in position.legal() if text.startswith("place")))
    position.apply(next(text for text in position.legal() if text.startswith("plague")))
    while not position.is_over and int(position.state.active) == active:
        position.apply(next(iter(position.chances() if position.is_chance else position.legal())))


def players(position: Position) -> int:
    """Number of seats."""
    return int(position.configuration.players)


def everything(position: Position) -> list[str]:
    """All that can happen here."""
    return sorted(position.chances()) if position.is_chance else position.legal()


def verbs(position: Position) -> set[str]:
    """The first words of what can happen."""
    return {text.split()[0] for text in everything(position)}


def options(position: Position, verb: str) -> set[str]:
    """What follows a first word."""
    return {text.partition(" ")[2] for text in everything(position) if text.split()[0] == verb}


def cubes(position: Position, region: str) -> list[int]:
    """The cubes in a region, by seat."""
    return position.state.cubes[: players(position), at(region)].tolist()


def rats(position: Position, region: str) -> int:
    """The number of rats in a region."""
    return int(position.state.rats[at(region)])


def tokens(position: Position, region: str) -> str:
    """A region's tokens by slot, as ``lay`` takes them."""
    row, number = position.state, at(region)
    words = []
    for slot in range(rats(position, region)):
        face = row.face[slot, number]
        pile = ("supply", "start")[row.pile[slot, number]]
        words.append(pile if face == NOBODY else f"{pile}:{TOKEN_IDS[face]}")
    return " ".join(words)


def stock(position: Position) -> list[int]:
    """Every player's cubes in stock."""
    return position.state.stock[: players(position)].tolist()


def palace(position: Position) -> list[int]:
    """Every player's cubes in the palace."""
    return position.state.palace[: players(position)].tolist()


def supply(position: Position) -> int:
    """Tokens in the supply."""
    return int(position.state.supply)


def plague(position: Position) -> str:
    """Where the plague piece stands."""
    return TABLE_ORDER[position.state.plague]


def cards(position: Position, seat: int) -> set[str]:
    """The class cards that a player holds."""
    return {card for card, holder in zip(CARDS, position.state.holder.tolist(), strict=True) if holder == seat}


def flipped(position: Position) -> set[str]:
    """The tokens that were flipped."""
    return {TOKEN_IDS[number] for number in np.flatnonzero(position.state.flipped)}


def view(position: Position, seat: int) -> Any:
    """What ``seat`` observes, as a record."""
    return position.observe(seat)[0]


def same_view(one: Position, other: Position, seat: int) -> bool:
    """Whether ``seat`` cannot tell the two positions apart."""
    return one.observe(seat).tobytes() == other.observe(seat).tobytes()


def place(position: Position, seat: int, other: int) -> int:
    """Where ``other`` stands in an observation of ``seat``."""
    return (other - seat) % players(position)


def by_seat(position: Position, seat: int, field: Sequence[int]) -> list[int]:
    """A field by place of an observation of ``seat``, by seat number."""
    return [int(field[place(position, seat, other)]) for other in range(players(position))]


def who(position: Position, seat: int, field: Sequence[int]) -> list[int]:
    """The seats that a field of an observation of ``seat`` marks."""
    return np.flatnonzero(by_seat(position, seat, field)).tolist()


def seen_cubes(position: Position, seat: int, region: str) -> list[int]:
    """The cubes that ``seat`` sees in a region, by seat number."""
    return by_seat(position, seat, view(position, seat).cubes[:, at(region)])


def marked_regions(field: Sequence[int]) -> dict[str, int]:
    """The regions at which a field by region is not 0, and its values."""
    return {name: int(number) for name, number in zip(TABLE_ORDER, field, strict=True) if number}


def marked_slots(field: Any) -> set[str]:
    """The slots, as an action names them, at which a field by slot and region is not 0."""
    return {f"{TABLE_ORDER[region]} {slot + 1}" for slot, region in zip(*np.nonzero(field), strict=True)}


def lookers(position: Position, seat: int, region: str, slot: int) -> list[int]:
    """The seats of which ``seat`` sees that they have looked at a token."""
    return who(position, seat, view(position, seat).looked_at[slot - 1, :, at(region)])


def known_face(position: Position, seat: int, region: str, slot: int) -> str | None:
    """The token that ``seat`` knows to lie in a slot; None if it sees nothing of its face."""
    seen = view(position, seat).faces[slot - 1, :, at(region)].tolist()
    names = [token for token, face in FACES.items() if face == seen]
    assert names or not any(seen)
    return names[0] if names else None


def knows_all(position: Position, seat: int) -> dict[str, str]:
    """Every token on the board that ``seat`` knows, by region and slot."""
    return {
        f"{region} {slot + 1}": token
        for region in in_play(players(position))
        for slot in range(3)
        if (token := known_face(position, seat, region, slot + 1))
    }


def unseen(position: Position, seat: int) -> set[str]:
    """The faces that ``seat`` is shown as unseen by itself."""
    return {TOKEN_IDS[number] for number in np.flatnonzero(view(position, seat).unseen)}


def node(position: Position, seat: int) -> list[str]:
    """The kind of node that ``seat`` sees."""
    return [DECISIONS[number][1] for number in np.flatnonzero(view(position, seat).node)]


def stream(seed: int) -> Any:
    """A random stream for play and determinization."""
    return new_stream(GAME, seed)


def state_bytes(position: Position) -> bytes:
    """Everything there is."""
    return np.asarray(position.state).tobytes()
