"""``solve`` and ``exploit``: exact solutions and exploitability."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rat_envs.api.agent_code import agents_at_work
from rat_envs.commands.arguments import AsJson, GameName, Options, Trust, configured, options_given
from rat_envs.commands.output import counted, print_table, waiting
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import LONGEST_VALUE, ConfigurationError, demand_clone, shown, shown_name
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

if TYPE_CHECKING:
    from rat_envs.solving.equilibrium import Deal, Equilibrium

__all__ = ["add_to", "after_each"]

#: The most deals of which each is printed.
MOST_DEALS = 10
#: The most seeds over which a policy is averaged.
MOST_SEEDS = 10_000


def short_name(value: str | None) -> str | None:
    """Refuse texts that are too long for a name.

    Raises:
        typer.BadParameter: it is too long.
    """
    if value is not None and len(value) > LONGEST_VALUE:
        raise typer.BadParameter(f"{shown(value)} is not a name.")
    return value


Preset = Annotated[
    str | None, typer.Option(callback=short_name, help="A position that the game's page names, such as small.")
]


def solve(
    context: typer.Context,
    game: GameName,
    options: Options = None,
    preset: Preset = None,
    method: Annotated[str, typer.Option(help="With --preset: lp (exact), cfr (CFR+) or mccfr.")] = "lp",
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Iterations of CFR+ (1,000 if not given) or MCCFR (1,000,000).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="For MCCFR: equal seeds give equal solutions.")] = 0,
    save: Annotated[
        bool, typer.Option("--save", help="With --preset: keep the solution, in a clone of the repository.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find an equilibrium of a game in which only simultaneous choices are hidden, or of a preset of any game.

    It is exact for a whole game, and for a preset with --method lp; cfr and mccfr approximate it. For a whole game the
    result includes the number of public states with a decision; a simultaneous choice counts as one state. Where chance
    comes first, value and first move are means over the deals, and where these are few, they follow for each of them.

    Example: rat-envs solve brave_rats fast=true
    """
    from rat_envs.solving.equilibrium import find_equilibrium

    if preset is not None:
        refuse_options(options)
        demand_fitting_method(context, method, iterations)
        solve_small(game, preset, method, iterations, seed, save, as_json)
        return
    if given := options_given(context, ("method", "iterations", "seed", "save")):
        raise typer.BadParameter("they are for a preset: add --preset NAME, or leave them out.", param_hint=given)
    chosen, configuration = configured(game, options)
    demand_solvable(chosen, configuration)
    with waiting("backward induction"):
        equilibrium = find_equilibrium(chosen, configuration)
    deals = equilibrium.deals()
    first_move = without_common_word(equilibrium.first_move())
    by_deal = None if len(deals) == 1 else after_each(equilibrium, deals)
    if as_json:
        result = {
            **what_was_measured(chosen, configuration),
            "value": equilibrium.value,
            "states": equilibrium.states,
            "first_move": first_move,
            "seconds": equilibrium.seconds,
            "mean_over_deals": None if len(deals) == 1 else len(deals),
            "by_deal": by_deal,
        }
        print(json.dumps(result))
        return
    mean = "" if len(deals) == 1 else f", the mean over {len(deals):,} deals"
    states = f"{equilibrium.states:,} public states in {equilibrium.seconds:.1f} s"
    print(f"value to player_0: {equilibrium.value:+.9f}{mean}; {states}")
    print_first_move(f"first move{mean}", first_move)
    for each in by_deal or []:
        print(f"\n{', '.join(each['outcomes'])} ({each['probability']:.4f}): value to player_0 {each['value']:+.9f}")
        print_first_move("first move", each["first_move"])


def demand_fitting_method(context: typer.Context, method: str, iterations: int | None) -> None:
    """Refuse options that a method does not have.

    Raises:
        typer.BadParameter: there is one.
    """
    if method == "lp" and iterations is not None:
        raise typer.BadParameter(
            "the method lp has none: leave it out, or choose cfr or mccfr.", param_hint="--iterations"
        )
    if method != "mccfr" and options_given(context, ("seed",)):
        raise typer.BadParameter(f"the method {method} has none: leave it out.", param_hint="--seed")


def after_each(equilibrium: Equilibrium, deals: Sequence[Deal]) -> list[dict[str, Any]] | None:
    """What is right after each deal, as JSON; None if there are many, or if cards come in different orders."""
    if len(deals) > MOST_DEALS or any(deal.outcomes is None for deal in deals):
        return None
    return [
        {
            "outcomes": list(deal.outcomes or ()),
            "probability": float(deal.probability),
            "value": float(equilibrium.values[deal.state]),
            "first_move": without_common_word(equilibrium.first_move(deal)),
        }
        for deal in sorted(deals, key=lambda deal: deal.outcomes or ())
    ]


def print_first_move(head: str, shares: Mapping[str, float]) -> None:
    """Print the probability of each action, the likeliest first."""
    by_share = sorted(shares.items(), key=lambda entry: -entry[1])
    print_table((head, "probability"), [(action, f"{share:.6f}") for action, share in by_share])


def what_was_measured(game: Game, configuration: Configuration, **more: Any) -> dict[str, Any]:
    """The game as JSON: its name, its version and all its options; and whatever else a result depends on."""
    return {"game": game.name, "version": game.version, "config": configuration.to_dict(), **more}


def refuse_options(options: list[str] | None) -> None:
    """Refuse options beside a preset, which has its own."""
    if options:
        raise typer.BadParameter(
            f"it has its own options: leave out {' '.join(map(shown_name, options))}. (In Python, solve_preset and "
            "exploitability take a Preset of your own, with other options.)",
            param_hint="--preset",
        )


def demand_solvable(game: Game, configuration: Configuration) -> None:
    """Refuse a game that cannot be solved as a whole, and name its presets.

    Raises:
        ConfigurationError: it cannot be solved.
    """
    from rat_envs.solving.public_tree import demand_public

    try:
        demand_public(game, configuration)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{error} Take one of its positions (--preset small), or rat-envs best-response for a lower bound."
        ) from None


def without_common_word(shares: Mapping[str, float]) -> dict[str, float]:
    """Actions without their first word, such as "play", if it is the same in all and is not the only one."""
    words = [action.split(" ", 1) for action in shares]
    if len({word[0] for word in words}) > 1 or any(len(word) == 1 for word in words):
        return dict(shares)
    return {word[1]: share for word, share in zip(words, shares.values(), strict=True)}


def solve_small(
    name: str, preset: str, method: str, iterations: int | None, seed: int, save: bool, as_json: bool
) -> None:
    """Solve a preset, print the solution, and keep it if wanted."""
    from rat_envs.solving.solution import METHODS, save_solution, solve_preset

    if method not in METHODS:
        raise typer.BadParameter(f"must be one of {', '.join(METHODS)}.", param_hint="--method")
    if save:
        demand_clone("rat-envs solve --save")
    with counted(f"solving {name}, {preset}") as progress:
        solution = solve_preset(get_game(name), preset, method, iterations, seed, progress)
    if save:
        save_solution(solution)
    if as_json:
        print(json.dumps(solution.summary()))
        return
    print(f"value to player_0: {solution.value:+.9f}, NashConv {solution.nash_conv:.2e}")
    sizes = f"{solution.histories:,} histories, {solution.information_sets:,} information sets"
    print(f"{sizes}, {solution.seconds:.1f} s with compilation")
    print_first_move("first decision", solution.first_decision)


def exploit(
    game: GameName,
    options: Options = None,
    preset: Preset = None,
    agent: Annotated[str, typer.Option(help="An agent by name, or the path of a saved policy.")] = "random",
    against: Annotated[
        str | None, typer.Option(help="Another agent: compute the return against it, instead of a best response's.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, max=MOST_SEEDS, help="Average each agent's policy over this many seeds.")
    ] = 1,
    as_json: AsJson = False,
    trust: Trust = False,
) -> None:
    """Compute the exact return of a best response to an agent; or the return of the agent against another one.

    Agents are asked for their full mixed strategies in every public state of the game, or in every information set of a
    preset. A search decides by its seed; with one seed, the best response knows all its decisions beforehand.

    Example: rat-envs exploit brave_rats --agent greedy
    """
    from rat_envs.agents import Agent, make_agent
    from rat_envs.solving.averaged import Averaged
    from rat_envs.solving.exploitability import exploitability

    def with_seeds(name: str) -> Agent:
        return Averaged([make_agent(name, chosen, seed, trust=trust) for seed in range(seeds)])

    chosen, configuration = configured(game, options)
    if preset is not None:
        refuse_options(options)
        configuration = chosen.configuration.make(chosen.preset(preset).options)
    else:
        demand_solvable(chosen, configuration)
    with agents_at_work():
        player = with_seeds(agent)
        other = None if against is None else with_seeds(against)
    if against is not None:
        pair = (agent, player), (against, other)
        print_returns(chosen, *pair, configuration, preset, seeds, as_json)
        return
    with counted("asking the agent") as progress, agents_at_work():
        result = exploitability(chosen, player, configuration, preset=preset, progress=progress)
    if as_json:
        measured = what_was_measured(chosen, configuration, preset=preset, seeds=seeds, agent=agent)
        print(json.dumps({**measured, **result.to_dict()}))
        return
    first, second = result.best_response_returns
    print(f"exploitability {result.exploitability:.9f}, NashConv {result.nash_conv:.9f}")
    print(f"a best response gets {first:+.9f} as player_0 and {second:+.9f} as player_1")
    kind = "decisions in public states" if preset is None else "information sets"
    print(f"asked for {result.states:,} {kind}, {result.seconds:.1f} s")


def print_returns(
    game: Game,
    one: tuple[str, Any],
    other: tuple[str, Any],
    configuration: Configuration,
    preset: str | None,
    seeds: int,
    as_json: bool,
) -> None:
    """Print the return of an agent, by name, against another one."""
    from rat_envs.solving.returns import exact_returns

    with counted("asking the agents") as progress, agents_at_work():
        returns = exact_returns(game, one[1], other[1], configuration, preset=preset, progress=progress)
    mean = sum(returns) / 2
    if as_json:
        measured = what_was_measured(game, configuration, preset=preset, seeds=seeds, agent=one[0], against=other[0])
        print(json.dumps({**measured, "returns": returns, "mean_return": mean}))
        return
    print(f"mean return of {one[0]} against {other[0]}: {mean:+.9f}")
    print(f"{returns[0]:+.9f} as player_0 and {returns[1]:+.9f} as player_1")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(solve)
    app.command()(exploit)
