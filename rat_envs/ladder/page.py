"""The page of the ladder, from the results."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from rat_envs.arena.estimates import Estimate
from rat_envs.engine.registry import get_game
from rat_envs.ladder.climb import match_of, missing, standing
from rat_envs.ladder.rungs import Pairing

__all__ = ["ladder_page"]

HEAD = """<!-- Written by `rat-envs ladder` or `python -m rat_envs.docs` from ladder.json: change neither by hand. -->

# The ladder

Which agents beat which, from random play up. Every number was played by `rat-envs ladder`, which plays the missing
matches and can be interrupted. Under each table are the commands that play its matches again. The *difference* is how
much more the upper agent returned than the lower in the games of both, with its 95 % interval: 0 is par, and the
maximum is 2 for two players. The *upper agent* is ahead or behind if the interval does not include 0. All seatings are
played on the same deals ([the arena](arena.md)).

- With four players there are three matches, in which the upper agent has one, two or three of the seats. Each match has
  as many games as `--games` says, or a few more. The difference is the mean of the three.
- *Returns* and *wins* are means over all seats of an agent.
- Where a command says `--final-draws`, the chance after a game's last decision was drawn [again and
  again](arena.md#luck-at-the-end): differences and returns are means over all draws, wins are those of the first.

Some pairings were given more games because par lay just inside the interval of the first ones (`more_of` in each game's
`settings.py` tells how many games there were each time). Looking twice makes errors more likely, so their intervals are
wider: 97.5 % where the result was looked at twice, 98.3 % where it was three times (Bonferroni). `ladder.json` and the
commands below give the narrower ones. If the seed is not 1, the pairing was played anew on other deals, with a number
of games that was fixed beforehand.

`ismcts` searches only with its seat's knowledge; `sims` is the number of simulations before every move. `learnt` is the
[trained policy](policies.md) that comes with the package, and `policy=learnt` a search with it. With `rollout=policy`
this search plays games on by the policy, instead of using the policy's values of positions: 300 simulations then take
from 0.16 ± 0.02 (Rattus) to 0.92 ± 0.11 (Comme des Rats, both with four players) of the time of 1,000 with
`rollout=greedy`, over 400 positions (`rat-envs bench --search` prints the inverse). [The page of the
search](search.md#what-is-expected-on-the-way) explains `exploration` and `trace_decay`, which two searches in Rattus
Cartus have; the one of 900 simulations takes about that time: 0.96 ± 0.08 of it, over 1,000 positions.

`nash` is the exact equilibrium of BraveRats: no opponent has a mean return above 0 against it, although it loses single
games. It does not exploit weak opponents. Against `random` it returns +0.480, exactly, and a best response would return
0.82. Against `learnt` it returns +0.0018, exactly (`rat-envs exploit brave_rats --agent nash --against learnt`): it
would take a million games to see that.

**Winning is not the same as being hard to beat.** In BraveRats `greedy` wins clearly against `random`, and yet its
exploitability is 1.0, the worst possible. An opponent who knows the random numbers of `ismcts` with 100 random rollouts
also wins [more against it than against uniform play](search.md#how-near-it-comes-to-an-equilibrium).
"""

#: The separator of two figures: a line may break after it, but not before it.
BESIDE = "\u00a0: "
HEADINGS = ("upper", "lower", "games", "difference (95 %)", "upper agent", "returns", "wins")


def ladder_page(results: Sequence[dict[str, Any]], pairings: Sequence[Pairing]) -> str:
    """The whole page in Markdown.

    Args:
        results: the result of :func:`~rat_envs.ladder.climb.load_ladder`.
        pairings: all pairings of the ladder; those not played are named as such.
    """
    parts = [HEAD]
    for game, config in dict.fromkeys((pair.game, tuple(pair.config.items())) for pair in by_game(pairings)):
        wanted = [pair for pair in pairings if (pair.game, tuple(pair.config.items())) == (game, config)]
        parts.append(section(game, dict(config), results, wanted))
    return "\n".join(parts)


def by_game(pairings: Sequence[Pairing]) -> list[Pairing]:
    """Sort pairings so that those of a game are together, its default options first."""
    games = list(dict.fromkeys(pair.game for pair in pairings))
    return sorted(pairings, key=lambda pair: (games.index(pair.game), len(pair.config)))


def section(game: str, config: dict[str, Any], results: Sequence[dict[str, Any]], wanted: Sequence[Pairing]) -> str:
    """The section of one game in one setting."""
    declared = get_game(game)
    players = declared.configuration.make(config).players
    rows = [table_row(HEADINGS), table_row("---" for _ in HEADINGS)]
    commands = []
    for result in standing(results, wanted):
        pair = Pairing(**result["pairing"])
        rows.append(row(pair, result))
        commands.append(command(pair))
    played = {match_of(result) for result in standing(results, wanted)}
    waiting = missing(results, wanted)
    left = [pair for pair in waiting if pair.match not in played]
    more = [pair for pair in waiting if pair.match in played]
    note = named("Not played yet", left) + named("Still to be played anew or in more games", more)
    listing = "\n".join(["", "```", *dict.fromkeys(commands), "```", ""]) if commands else ""
    return f"## {declared.title}, {players} players\n\n" + "\n".join(rows) + f"\n{note}{listing}"


def named(title: str, pairings: Sequence[Pairing]) -> str:
    """A paragraph that names the pairings, if there are any."""
    names = "; ".join(f"{pair.upper} against {pair.lower}" for pair in pairings)
    return f"\n{title}: {names}.\n" if names else ""


def row(pair: Pairing, result: dict[str, Any]) -> str:
    """One pairing as a row of a table."""
    difference = Estimate.of(result["difference"]).after(pair.looks)
    returns = BESIDE.join(f"{result['mean_returns'][name]['mean']:+.3f}" for name in (pair.upper, pair.lower))
    wins = BESIDE.join(f"{result['win_rates'][name]['mean']:.1%}" for name in (pair.upper, pair.lower))
    names = (name.replace(",", ",<wbr>") for name in (pair.upper, pair.lower))  # long names may break there
    return table_row([*names, f"{result['games']:,}", f"{difference:+.3f}", verdict(difference), returns, wins])


def verdict(difference: Estimate) -> str:
    """Whether the upper agent is ahead, behind or neither, by the interval."""
    if difference.low > 0:
        return "ahead"
    return "behind" if difference.high < 0 else "undecided"


def table_row(cells: Iterable[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def command(pair: Pairing) -> str:
    """The command that plays the pairing again."""
    words = ["rat-envs", "arena", pair.game, pair.upper, pair.lower, *options_of(pair)]
    numbers = ["--games", str(pair.games), "--seed", str(pair.seed), "--chunk", str(pair.chunk)]
    draws = ["--final-draws", str(pair.final_draws)] if pair.final_draws > 1 else []
    return shlex.join([*words, *numbers, *draws])


def options_of(pair: Pairing) -> list[str]:
    """The options of the game, as on the command line."""
    return [f"{name}={value}" for name, value in pair.config.items()]
