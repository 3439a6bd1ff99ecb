"""A second, naive BraveRats, written from the specification alone and sharing no code with the package.

Every ``yield`` is one node: it hands out who acts and the options as a record states them, and is sent the action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Any, TypeVar

VALUES = {
    "musician": 0,
    "princess": 1,
    "spy": 2,
    "assassin": 3,
    "ambassador": 4,
    "wizard": 5,
    "general": 6,
    "prince": 7,
}
ALL_CARDS = Counter(dict.fromkeys(VALUES, 2))

Cards = Counter[str]
Node = tuple[Any, Any]
T = TypeVar("T")
Nodes = Generator[Node, str, T]


def check_record(record: dict[str, Any]) -> None:
    """Assert that every node of a record with options, and its result, is what the specification says."""
    referee = match(record["config"])
    expected = next(referee)
    steps = iter(record["steps"])
    result = None
    while result is None:
        step = next(steps, None)
        assert step is not None, f"the record stops where {expected} is next"
        assert (step["actor"], step["options"]) == expected
        assert step["action"] in step["options"]
        try:
            expected = referee.send(step["action"])
        except StopIteration as end:
            result = end.value
    assert next(steps, None) is None, "the record goes on after the end of the game"
    scores, winner = result
    assert record["scores"] == scores
    assert record["winners"] == ([] if winner is None else [winner])
    assert record["returns"] == ([0, 0] if winner is None else [1, -1] if winner == 0 else [-1, 1])


def chance(verb: str, cards: Cards) -> Nodes[str]:
    """A card at random, weighted by its copies; it leaves ``cards``."""
    text = yield "chance", {f"{verb} {card}": copies for card, copies in cards.items() if copies}
    return take(text.removeprefix(f"{verb} "), cards)


def decide(seat: int, verb: str, cards: Cards) -> Nodes[str]:
    """A card of the seat's choice, offered once whatever its copies; it leaves ``cards``."""
    text = yield seat, sorted(f"{verb} {card}" for card, copies in cards.items() if copies)
    return take(text.removeprefix(f"{verb} "), cards)


def take(card: str, cards: Cards) -> str:
    cards[card] -= 1
    return card


def match(config: dict[str, Any]) -> Nodes[tuple[list[int], int | None]]:
    """The final scores and the winner (BR-26)."""
    if not config["emperor"]:
        return (yield from game(config))
    games_won = [0, 0]
    for _ in range(3):
        _, winner = yield from game(config)
        if winner is not None:
            games_won[winner] += 1
        if 2 in games_won:
            break
    return games_won, None if games_won[0] == games_won[1] else int(games_won[1] > games_won[0])


def game(config: dict[str, Any]) -> Nodes[tuple[list[int], int | None]]:
    """One game: rounds won, and who won it."""
    hands = yield from deal(config["hands"])
    if config["traitor"]:
        from_0 = yield from chance("give", hands[0])
        from_1 = yield from chance("give", hands[1])
        hands[0][from_1] += 1
        hands[1][from_0] += 1
    piles: list[Cards] = [Counter(), Counter()]
    if config["draw_pile"]:
        hands, piles = piles, hands
        for seat in (0, 1):
            for _ in range(3):
                hands[seat][(yield from chance("draw", piles[seat]))] += 1
    return (yield from rounds(hands, piles, needed=3 if config["fast"] else 4))


def deal(kind: str) -> Nodes[list[Cards]]:
    """BR-01, BR-23 to BR-25."""
    hands = [Counter(VALUES.keys()), Counter(VALUES.keys())]
    if kind == "princess_attack":
        text = yield "chance", {"princes player_0": 1, "princes player_1": 1}
        owner = int(text[-1])
        hands[owner].update({"prince": 1, "princess": -1})
        hands[1 - owner].update({"prince": -1, "princess": 1})
    if kind == "random":
        hands = [Counter(), ALL_CARDS.copy()]
        for _ in range(8):
            hands[0][(yield from chance("deal", hands[1]))] += 1
    if kind == "draft":
        hands = yield from draft()
    return hands


def draft() -> Nodes[list[Cards]]:
    """BR-23."""
    shuffled = ALL_CARDS.copy()
    hands: list[Cards] = [Counter(), Counter()]
    for opener in (0, 1, 0, 1):
        packet: Cards = Counter()
        for _ in range(4):
            packet[(yield from chance("reveal", shuffled))] += 1
        for seat in (opener, 1 - opener, opener):
            hands[seat][(yield from decide(seat, "keep", packet))] += 1
        hands[1 - opener] += packet  # the last card
    return hands


def rounds(hands: list[Cards], piles: list[Cards], needed: int) -> Nodes[tuple[list[int], int | None]]:
    """All rounds of a game (BR-01 to BR-12)."""
    won, held, bonus = [0, 0], [0, 0], [0, 0]
    spied = None
    while hands[0].total():
        cards = ["", ""]
        first = spied or 0
        for seat in (first, 1 - first):
            cards[seat] = yield from decide(seat, "play", hands[seat])
        active = abilities(cards)
        verdict, winner = settle(active, [VALUES[card] + plus for card, plus in zip(cards, bonus, strict=True)])
        worth = [2 if ability == "ambassador" else 1 for ability in active]
        if verdict == "on hold":
            held = [held[0] + worth[0], held[1] + worth[1]]
        elif verdict == "round":
            won[winner] += worth[winner] + held[winner]
            held = [0, 0]
        else:
            won[winner] = needed
        if max(won) >= needed:
            return won, winner
        bonus = [2 if ability == "general" else 0 for ability in active]
        spies = [seat for seat in (0, 1) if active[seat] == "spy"]
        spied = 1 - spies[0] if len(spies) == 1 else None
        for seat in (0, 1):
            if piles[seat].total():
                hands[seat][(yield from chance("draw", piles[seat]))] += 1
    return won, None


def abilities(cards: list[str]) -> list[str]:
    """The ability of each card, empty where the other is the Wizard (BR-06)."""
    return ["" if cards[1] == "wizard" else cards[0], "" if cards[0] == "wizard" else cards[1]]


def settle(active: list[str], values: list[int]) -> tuple[str, int]:
    """What the round comes to, in the order of BR-14, and for whom."""
    if "musician" in active:
        return "on hold", 0
    if set(active) == {"princess", "prince"}:
        return "game", active.index("princess")
    if active.count("prince") == 1:
        return "round", active.index("prince")
    if values[0] == values[1]:
        return "on hold", 0
    best = min(values) if "assassin" in active else max(values)
    return "round", values.index(best)
