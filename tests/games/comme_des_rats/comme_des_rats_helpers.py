"""Short words for the tests of Comme des Rats: piles laid out by name, turns, stocks, and what a seat sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.games.comme_des_rats.configuration import CARDS, FACES, ROLES, THIRD_RAT_CARDS

GAME = get_game("comme_des_rats")

#: A pile that gives nobody a trap until its last card.
PLAIN = "cheese1 cheese1 cheese1 cheese1 trap"
#: The third rat's place in a row of two players.
THIRD = 2
#: The third rat's place among the rats of an observation.
THIRD_SEEN = 5


def start(**config: Any) -> Position:
    """A new game, before its first node."""
    return Position(GAME, config)


def table(*piles: str, players: int = 3, roles: str = "", **config: Any) -> Position:
    """A game when its first round is set up.

    Args:
        piles: the cards of each pile from the top; those that are not named are ``PLAIN``. The door cards in use are
            what the piles hold.
        players: number of seats.
        roles: with roles, what is dealt to the seats from player_0; a Manipulator is still to look.
        config: other options.
    """
    laid = [*piles, *[PLAIN] * (max(3, players) - len(piles))]
    doors = counts(" ".join(laid))
    position = start(players=players, roles=bool(roles), doors=doors, **config)
    lay_out(position, *laid, roles=roles)
    return position


def lay_out(position: Position, *piles: str, roles: str = "") -> None:
    """The set-up of a round: these piles from the top, these roles from player_0."""
    for pile in piles:
        cards = pile.split()
        place = cards.index("trap")
        cards.pop(place)
        play(position, f"trap {place + 1}", *(f"deal {card}" for card in cards))
    play(position, *(f"role {role}" for role in roles.split()))


def lay_out_anyhow(position: Position, roles: str = "") -> None:
    """The set-up of a round with whatever is possible first, then these roles."""
    while position.is_chance and next(iter(position.chances())).split()[0] in ("trap", "deal"):
        position.apply(next(iter(position.chances())))
    play(position, *(f"role {role}" for role in roles.split()))


def play(position: Position, *texts: str) -> None:
    """One text after another."""
    for text in texts:
        position.apply(text)


def share(position: Position, dice: str, partner: str | None = None, die: str | None = None) -> None:
    """A roll that stands, in any order; the active seat's partner; the die that he keeps."""
    play(position, "roll " + " ".join(sorted(dice.split(), key=FACES.index)), "keep_dice")
    if partner is not None:
        position.apply(f"partner {partner}")
    if die is not None:
        position.apply(f"die {die}")


def pass_turn(position: Position) -> None:
    """A turn in which nothing happens while nobody has a bandage: both dice heal."""
    share(position, "heal heal", f"player_{(int(position.state.active) + 1) % position.state.config.players}")


def end_round(position: Position, stocks: Iterable[str] | None = None) -> None:
    """Two piles are empty, each rat has the stock named, and a turn passes in which nothing happens."""
    for rat, cards in enumerate(stocks or ()):
        give(position, rat, cards)
    position.state.drawn[:2] = 5
    pass_turn(position)


def give(position: Position, rat: int, cards: str) -> None:
    """These cards are a rat's stock; where from does not matter."""
    position.state.stock[rat] = counts(cards)


def counts(cards: str) -> list[int]:
    """Cards by name as the row holds them."""
    held = Counter(cards.split())
    assert held.keys() <= set(CARDS)
    return [held[card] for card in CARDS]


def names(numbers: Iterable[int]) -> str:
    """The inverse of ``counts``."""
    numbers = list(numbers)
    assert min(numbers) >= 0
    return " ".join(card for card, copies in zip(CARDS, numbers, strict=True) for _ in range(copies))


def stock(position: Position, rat: int) -> str:
    """A rat's stock."""
    return names(position.state.stock[rat])


def discard(position: Position) -> str:
    """The discard pile."""
    return names(position.state.discard)


def pile(position: Position, number: int) -> str:
    """The face-down cards of pile 1, 2, …, from the top."""
    row = position.state
    return " ".join(CARDS[card] if card >= 0 else "?" for card in row.pile[number - 1][row.drawn[number - 1] :])


def pile_sizes(position: Position) -> list[int]:
    """Face-down cards in each pile that is in play."""
    return [len(pile(position, number + 1).split()) for number in range(piles(position))]


def piles(position: Position) -> int:
    """Number of piles, and of rats."""
    return max(3, int(position.state.config.players))


def rounds_before(position: Position) -> int:
    """Rounds played before this one, those that break a tie not counted."""
    return int(position.state["rounds_played"])


def set_last_round(position: Position) -> None:
    """It is the third round."""
    position.state["rounds_played"] = 2


def points(position: Position) -> list[int]:
    """Every rat's points."""
    return position.state.points[: piles(position)].tolist()


def bandages(position: Position) -> list[int]:
    """Every rat's bandages."""
    return position.state.bandages[: piles(position)].tolist()


def out(position: Position) -> list[int]:
    """The rats that are out."""
    return np.flatnonzero(position.state.out[: piles(position)]).tolist()


def verb(position: Position) -> str:
    """The kind of node: the first word of what can happen."""
    options = position.chances() if position.is_chance else position.legal()
    return next(iter(options)).split()[0]


def view(position: Position, seat: int) -> Any:
    """What ``seat`` observes, as a record."""
    return position.observe(seat)[0]


def same_view(one: Position, other: Position, seat: int) -> bool:
    """Whether ``seat`` cannot tell the two positions apart."""
    return one.observe(seat).tobytes() == other.observe(seat).tobytes()


def place(position: Position, seat: int, rat: int) -> int:
    """Where ``rat`` stands in an observation of ``seat``."""
    players = int(position.state.config.players)
    return THIRD_SEEN if rat >= players else (rat - seat) % players


def sure(position: Position, seat: int, owner: int) -> str:
    """What ``seat`` is sure of in the stock of ``owner``."""
    return names(view(position, seat).sure[place(position, seat, owner)])


def faces(numbers: Iterable[int]) -> str:
    """Dice by symbol, as an observation holds them, in words."""
    return " ".join(face for face, copies in zip(FACES, numbers, strict=True) for _ in range(copies))


def marked(field: Iterable[int]) -> list[int]:
    """The places of a field at which there is anything."""
    return np.flatnonzero(np.asarray(field)).tolist()


def roles_seen(position: Position, seat: int) -> dict[int, str]:
    """The roles that ``seat`` sees shown, by seat number."""
    players = int(position.state.config.players)
    shown = view(position, seat).roles_shown
    return {(seat + at) % players: ROLES[role] for at, role in zip(*np.nonzero(shown), strict=True)}


def seen_piles(position: Position, seat: int) -> dict[int, str]:
    """What ``seat`` knows of the piles the Manipulator looked through, by number: ``?`` for a card it does not know."""
    seen = view(position, seat)
    return {
        number + 1: " ".join(CARDS[card.argmax()] if card.any() else "?" for card in seen.known_piles[number])
        for number in marked(seen.looked_at)
    }


def make_sure(position: Position, seat: int, owner: int, cards: str) -> None:
    """``seat`` is sure of these cards in the stock of ``owner``."""
    position.state.sure[seat, owner] = counts(cards)


def third_rat_cards(field: Iterable[int]) -> list[str]:
    """Third-rat cards, as an observation marks them, by name."""
    names_of_cards = [f"tr{number + 1}" for number in range(THIRD_RAT_CARDS)]
    return [names_of_cards[number] for number in marked(field)]


def stream(seed: int) -> Any:
    """A random stream for play and determinization."""
    return new_stream(GAME, seed)


def state_bytes(position: Position) -> bytes:
    """Everything there is."""
    return np.asarray(position.state).tobytes()


def samples(position: Position, seat: int, number: int, luck: Any) -> np.ndarray:
    """(number) rows: tables that the seat cannot tell from this one."""
    rows = np.repeat(position.state.reshape(1), number)
    position.program.determinize_rows(rows, np.full(number, seat), luck)
    return rows
