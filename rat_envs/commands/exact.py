"""``solve`` and ``exploit``: ground truth."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from rat_envs.commands.arguments import AsJson, GameName, Options, Trust, configured
from rat_envs.commands.output import counted, print_table, waiting


def solve(game: GameName, options: Options = None, as_json: AsJson = False) -> None:
    """Find the exact equilibrium of a game in which only simultaneous choices are hidden.

    States are public states in which somebody has a decision; a choice that both make at once is one of them.

    Example: rat-envs solve brave_rats fast=true
    """
    from agents.exact.equilibrium import find_equilibrium

    chosen, configuration = configured(game, options)
    with waiting("backward induction"):
        equilibrium = find_equilibrium(chosen, configuration)
    first_move = {action.split(" ", 1)[-1]: share for action, share in equilibrium.first_move().items()}
    result = {
        "game": chosen.name,
        "config": configuration.to_dict(),
        "value": equilibrium.value,
        "states": equilibrium.states,
        "first_move": first_move,
        "seconds": equilibrium.seconds,
    }
    if as_json:
        print(json.dumps(result))
        return
    seconds = f"{equilibrium.seconds:.1f} s"
    print(f"value to player_0: {equilibrium.value:+.9f}; {equilibrium.states:,} public states in {seconds}")
    by_share = sorted(first_move.items(), key=lambda entry: -entry[1])
    print_table(("first move", "probability"), [(card, f"{share:.6f}") for card, share in by_share])


def exploit(
    game: GameName,
    options: Options = None,
    agent: Annotated[str, typer.Option(help="An agent by name, or the path of a saved policy.")] = "random",
    as_json: AsJson = False,
    trust: Trust = False,
) -> None:
    """Measure exactly how much a best response wins against an agent.

    Example: rat-envs exploit brave_rats --agent greedy
    """
    from agents import make_agent
    from agents.exploitability import exploitability

    chosen, configuration = configured(game, options)
    player = make_agent(agent, chosen, 0, trust=trust)
    with counted("asking the agent") as progress:
        result = exploitability(chosen, player, configuration, progress)
    if as_json:
        print(json.dumps({"game": chosen.name, "agent": agent, "config": configuration.to_dict(), **result.to_dict()}))
        return
    first, second = result.best_response_returns
    print(f"exploitability {result.exploitability:.9f}, NashConv {result.nash_conv:.9f}")
    print(f"a best response gets {first:+.9f} as player_0 and {second:+.9f} as player_1")
    print(f"asked in {result.states:,} public states, {result.seconds:.1f} s")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(solve)
    app.command()(exploit)
