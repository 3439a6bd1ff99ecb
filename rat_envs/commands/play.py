"""``play``: a person at the terminal against agents."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from rat_envs.commands.arguments import GameName, Options, Players, Trust, configured
from rat_envs.commands.seating import Table
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.story import witness

#: More choices than this are listed side by side.
LONG_MENU = 9
WIDTH = 100


def play(
    game: GameName,
    options: Options = None,
    players: Players = None,
    against: Annotated[
        str | None, typer.Option(help="Who plays the other seats: greedy if not given, or random if there is none.")
    ] = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, max=MOST_SEED, help="Repeat a game.")] = None,
    trust: Trust = False,
) -> None:
    """Play a game yourself.

    Example: rat-envs play brave_rats --against nash
    """
    chosen, configuration = configured(game, options, players)
    if seat >= configuration.players:
        raise ConfigurationError(f"--seat {shown(seat)}: must be a number from 0 to {configuration.players - 1}.")
    seed = secrets.randbits(31) if seed is None else seed
    against = against or ("greedy" if "greedy" in chosen.heuristics else "random")
    names = [None if place == seat else against for place in range(configuration.players)]
    table = Table(chosen, configuration, names, seed, trust)
    stream = new_stream(chosen, seed)
    position = Position(chosen, configuration)
    while not position.is_over:
        if position.actor == seat:
            print(f"\n{chosen.text(position.state, seat)}")
            action = ask(position.legal())
            if action is None:
                print("You leave the table.")
                return
        else:
            action = table.choose(position, stream)
        for sentence in witness(position, action).seen_by(seat):
            print(sentence)
    print(f"\n{chosen.text(position.state, seat)}")
    print(result_in_words(position, seat))


def result_in_words(position: Position, seat: int) -> str:
    """How the game has ended for the person."""
    winners = position.winners()
    if winners == [seat]:
        return "You win."
    if seat in winners:
        return f"You share the win with {', '.join(f'player_{other}' for other in winners if other != seat)}."
    return "You lose." if position.returns()[seat] < 0 else "A draw."


def menu(legal: list[str]) -> list[str]:
    """The choices with their numbers: one in a line, or if there are many, side by side by their first word."""
    if len(legal) <= LONG_MENU:
        return [f"  {number}. {action}" for number, action in enumerate(legal, 1)]
    groups: dict[str, list[str]] = {}
    for number, action in enumerate(legal, 1):
        word, _, others = action.partition(" ")
        groups.setdefault(word, []).append(f"{number}. {others or word}")
    indent = max(map(len, groups)) + 4
    width = 2 + max(len(choice) for choices in groups.values() for choice in choices)
    in_line = max(1, (WIDTH - indent) // width)
    lines = []
    for word, choices in groups.items():
        for first in range(0, len(choices), in_line):
            row = "".join(f"{choice:<{width}}" for choice in choices[first : first + in_line])
            lines.append(f"{'' if first else f'  {word}':<{indent}}{row}".rstrip())
    return lines


def ask(legal: list[str]) -> str | None:
    """The person's choice among ``legal``, by number or by notation; None to leave."""
    print("\n".join(menu(legal)))
    while True:
        try:
            answer = input("Your choice (a number, q to leave): ").strip().lower()
        except EOFError:
            return None
        if answer in ("q", "quit"):
            return None
        if answer in legal:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(legal):
            return legal[int(answer) - 1]
        print(f"{shown(answer)} is not on the list: write a number from 1 to {len(legal)}.")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(play)
