"""Who sees what of an action or outcome, in sentences (BR-30 to BR-32)."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.counts import total
from rat_envs.engine.game import TERMINAL
from rat_envs.engine.story import Event
from rat_envs.games.brave_rats.components import CARDS, NO_CARD, NO_SEAT, PACKET_SIZE
from rat_envs.games.brave_rats.rounds import ON_HOLD, PRINCESS_WINS, WINNER, WORTH
from rat_envs.games.brave_rats.set_up import drawer, giver, packet_opener
from rat_envs.games.brave_rats.view import CLANS
from rat_envs.games.brave_rats.wording import card_name

__all__ = ["hidden_facts", "sees"]


def sees(event: Event, seat: int | None) -> list[str]:
    """What a seat, or a spectator (None), sees of an event."""
    verb, _, name = event.notation.partition(" ")
    if verb == "princes":
        owner = int(name[-1])
        return [f"{does(owner, seat, 'get')} both Princes, {clan(1 - owner, seat)} both Princesses."]
    return TOLD[verb](event, seat, CARDS.index(name))


def hidden_facts(row: Any) -> dict[str, str]:
    """Facts that somebody may not know (BR-30 to BR-32): choices, and cards in hand and pile."""
    facts = {}
    for player, name in enumerate(CLANS):
        if row.chosen[player] != NO_CARD:
            facts[f"{name} has chosen"] = card_name(int(row.chosen[player]))
        for where, cards in (("hand", row.hand[player]), ("pile", row.pile[player])):
            for card, number in enumerate(cards.tolist()):
                facts[f"{card_name(card)} in {name}'s {where}"] = str(number)
    return facts


def clan(player: int, seat: int | None) -> str:
    """A player's name within a sentence."""
    return "you" if player == seat else CLANS[player]


def does(player: int, seat: int | None, verb: str) -> str:
    """A player as the subject of a verb."""
    return f"You {verb}" if player == seat else f"{CLANS[player]} {verb}s"


def play(event: Event, seat: int | None, card: int) -> list[str]:
    """BR-30: the first card is public only after a Spy; the second reveals both."""
    row, player = event.before, event.actor
    other = int(row.chosen[1 - player])
    if other != NO_CARD:
        cards = (card, other) if player == 0 else (other, card)
        return [*round_told(row, cards, seat), *game_end(event, seat)]
    if row.spied == player:
        return [f"{does(player, seat, 'reveal')} {card_name(card)}."]
    return [f"You choose {card_name(card)}."] if player == seat else []


def round_told(row, cards: tuple[int, int], seat: int | None) -> list[str]:
    """Both cards, and who wins the round (BR-02, BR-07, BR-10)."""
    order = (0, 1) if seat is None else (seat, 1 - seat)
    played = ", ".join(f"{does(player, seat, 'play')} {card_name(cards[player])}" for player in order)
    winner = int(WINNER[cards[0], cards[1], row.plus_two[0], row.plus_two[1]])
    if winner == ON_HOLD:
        return [f"{played}.", "The round is on hold."]
    if PRINCESS_WINS[cards]:
        return [f"{played}.", "The Princess finds the Prince."]
    number = WORTH[cards[winner], cards[1 - winner]] + row.rounds_on_hold[winner]
    return [f"{played}.", f"{does(winner, seat, 'win')} {'the round' if number == 1 else f'{number} rounds'}."]


def game_end(event: Event, seat: int | None) -> list[str]:
    """BR-04, BR-26."""
    if event.after.games_played == event.before.games_played:
        return []
    won = event.after.games_won - event.before.games_won
    return [won_by_more(won, "game", seat), *match_end(event.after, seat)]


def match_end(row: Any, seat: int | None) -> list[str]:
    """BR-26: the result of a match, when its last game is over."""
    return [won_by_more(row.games_won, "match", seat)] if row.config.emperor and row.actor == TERMINAL else []


def won_by_more(games_won: Any, what: str, seat: int | None) -> str:
    """Who won a game or a match: the player who won more of its games."""
    if games_won[0] == games_won[1]:
        return f"The {what} is a draw."
    return f"{does(int(games_won[1] > games_won[0]), seat, 'win')} the {what}."


def keep(event: Event, seat: int | None, card: int) -> list[str]:
    """BR-32: what an opener keeps first is its own secret."""
    row, player = event.before, event.actor
    left = total(row.packet)
    if left == PACKET_SIZE and player != seat:
        return [f"{does(player, seat, 'keep')} a card."]
    sentences = [f"{does(player, seat, 'keep')} {card_name(card)}."]
    if left == 2:
        last = next(kind for kind in range(len(CARDS)) if row.packet[kind] - (kind == card) > 0)
        sentences.append(f"{does(1 - packet_opener(row), seat, 'get')} {card_name(last)}.")
    return sentences


def deal(event: Event, seat: int | None, card: int) -> list[str]:
    """BR-24: after the deal both hands are known."""
    return [f"{does(0, seat, 'get')} {card_name(card)}."]


def reveal(event: Event, seat: int | None, card: int) -> list[str]:
    """BR-32: only its opener sees a new packet."""
    return [f"You find {card_name(card)} in the packet."] if packet_opener(event.before) == seat else []


def give(event: Event, seat: int | None, card: int) -> list[str]:
    """BR-20."""
    player = giver(event.before)
    return [f"{does(player, seat, 'give')} {card_name(card)} to {clan(1 - player, seat)}."]


def draw(event: Event, seat: int | None, card: int) -> list[str]:
    """BR-21: hands are hidden."""
    player = drawer(event.before)
    assert player != NO_SEAT
    return [f"{does(player, seat, 'draw')} {card_name(card) if player == seat else 'a card'}."]


TOLD = {"play": play, "keep": keep, "deal": deal, "reveal": reveal, "give": give, "draw": draw}
