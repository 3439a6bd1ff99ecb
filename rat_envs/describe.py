"""A game's tables in Markdown, from its dtypes and its notation: the documentation pages and ``rat-envs describe``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration, Option, parse_options, shown_as_json
from rat_envs.engine.game import Game
from rat_envs.engine.registry import command_name
from rat_envs.engine.seats import share_out
from rat_envs.shells import as_typed

__all__ = ["describe", "markdown_table"]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def observation_table(game: Game) -> str:
    """Every field of the observation: where it begins in the vector, its shape, and what it holds."""
    rows = []
    for name in game.observation.names or ():
        kind, offset = game.observation.fields[name][:2]  # type: ignore[index]
        shape = "×".join(map(str, kind.shape)) or "1"
        places = f"{offset}" if kind.itemsize == 1 else f"{offset}–{offset + kind.itemsize - 1}"
        rows.append((places, f"`{name}`", shape, np.dtype(kind.base).name, game.observation_notes.get(name, "")))
    table = markdown_table(("place", "field", "shape", "type", "content"), rows)
    has_tables = any("×" in shape for _, _, shape, *_ in rows)
    return table + "\n\nA shape with × is a table, one row after another: the last index runs fastest." * has_tables


def action_table(texts: Sequence[str]) -> str:
    """The numbers and the notation of actions, with those that begin with the same word in one line."""
    rows: list[tuple[str, str]] = []
    start = 0
    for number in range(1, len(texts) + 1):
        if number == len(texts) or texts[number].split()[0] != texts[start].split()[0]:
            numbers = f"{start}" if number - start == 1 else f"{start}–{number - 1}"
            rows.append((numbers, ", ".join(f"`{text}`" for text in texts[start:number])))
            start = number
    return markdown_table(("number", "notation"), rows)


def action_notes(game: Game) -> str:
    """How actions that name players count them; empty if there are none."""
    if not game.seat_actions:
        return ""
    return """

Players are named by their number. In the learner's view (`LearnerGames`, and so gymnasium and Stable-Baselines3) they
are counted clockwise from the learner, as in the observation: `player_0` stands for itself, `player_1` for its left
neighbour."""


def configuration_table(game: Game) -> str:
    """Every option with its values, its default, and its rule; below, the defaults that are tables."""
    options = game.configuration.options()
    tables = {name: option for name, option in options.items() if isinstance(option.default, tuple)}
    rows = [
        (f"`{name}`", option.values(), "below" if name in tables else f"`{json.dumps(option.default)}`")
        + (option.text, option.rule)
        for name, option in options.items()
    ]
    table = markdown_table(("option", "values", "default", "meaning", "rule"), rows)
    return table + (default_tables(tables) if tables else "")


def default_tables(tables: Mapping[str, Option]) -> str:
    """The defaults of options that are tables, in the form of a command line."""
    lines = "\n".join(typed_table(name, option.default) for name, option in tables.items())
    return f"""

A table is a list in Python, and on a command line JSON in double quotes, in which texts need none. The defaults:

```sh
{lines}
```"""


def typed_table(name: str, table: Sequence[Any]) -> str:
    """An option that is a table, in double quotes where its texts need none of their own: all shells take them away."""
    text = f"{name}={table_in_json(table)}"
    bare = text.replace('"', "")
    return f'"{bare}"' if parse_options([bare]) == parse_options([text]) else f"'{text}'"


def table_in_json(table: Sequence[Any]) -> str:
    """A table as JSON, with numbers on one line and anything longer on one line each."""
    return json.dumps(table, indent=None if all(isinstance(value, (int, float)) for value in table) else 2)


def agents_in_words(game: Game) -> str:
    """The names of the agents, and how many there are if that is an option."""
    option = game.configuration.options().get("players")
    number = f", {option.values()} of them (`players`)" if option else ""
    return f"`player_0` … `player_{game.seats - 1}`{number}"


def nodes_section(game: Game) -> str:
    """The kinds of nodes in their order; empty if the game does not list them."""
    if not game.nodes:
        return ""
    nodes = (
        (number, node.actor, ", ".join(f"`{action}`" for action in node.action.split(", ")), node.when)
        for number, node in enumerate(game.nodes, 1)
    )
    return f"""
## Order of nodes

{markdown_table(("", "who", "notation", "when"), nodes)}
"""


def metrics_section(game: Game) -> str:
    """What the arena counts besides the result; empty if there is nothing."""
    if not game.metrics:
        return ""
    name = as_typed([command_name(game)])
    return f"""
## What the arena counts

For each seat, as a mean over games; the names are also those in `rat-envs arena {name} … --json`.

{markdown_table(("name", "meaning"), game.metrics.items())}
"""


def presets_section(game: Game) -> str:
    """The presets; empty if there are none."""
    if not game.presets:
        return ""
    rows = [(preset.name, preset.summary, f"{len(preset.opening)} steps") for preset in game.presets]
    name = as_typed([command_name(game)])
    return f"""
## Presets

Positions for `rat-envs solve {name} --preset …` and `exploit`: options and an opening that everybody knows.

{markdown_table(("name", "where it begins", "opening"), rows)}
"""


def rewards_in_words(game: Game) -> str:
    """The rewards of seats at the end, with more details for games whose ``returns`` divides the win like ours."""
    rule = game.rules.returns
    if "share_out" not in rule.__code__.co_names or rule.__globals__.get("share_out") is not share_out:
        return "at the end, from −1 to 1, adding up to 0"
    return (
        "at the end, zero-sum: +1 to the winner and −1/(n − 1) to each of n − 1 others. Where k players win together,\n"
        "  each of them gets (n − k)/(k(n − 1)), and each of the others −1/(n − 1); if nobody wins, all get 0. Points "
        "and margins\n  do not count."
    )


def configuration_section(game: Game, configuration: Configuration) -> str:
    """What options differ from their defaults, and what comes of that."""
    default = game.configuration().to_dict()
    found = {name: value for name, value in configuration.to_dict().items() if value != default[name]}
    rows = [(f"`{name}`", in_a_cell(value), in_a_cell(default[name])) for name, value in found.items()]
    differing = markdown_table(("option", "here", "default"), rows) if rows else "All options have their defaults."
    agents = ", ".join(f"`player_{seat}`" for seat in range(configuration.players))
    hidden = configuration.hidden_information()
    solved = "nothing but simultaneous choices" if hidden is None else hidden
    return f"""
## These options

{differing}

- agents: {agents}
- hidden information: {solved}
- observation: {game.observation.itemsize} numbers, and {len(game.actions)} actions: the same with all options
"""


def in_a_cell(value: Any) -> str:
    """A value of an option as JSON in a table; of a large one only the beginning."""
    return f"`{shown_as_json(value)}`".replace("|", "\\|")


def describe(game: Game, configuration: Configuration | None = None) -> str:
    """All tables of a game, as Markdown; with a configuration also what differs in it from the default."""
    these = "" if configuration is None else configuration_section(game, configuration)
    return f"""# {game.title}

{game.summary}

- PettingZoo: `rat_envs.make("{game.name}")`; from PettingZoo 1.27 on also, after `import rat_envs`,
  `pettingzoo.make("aec", "{game.environment_id}")`
- gymnasium: after `import rat_envs`, `gymnasium.make("{game.gymnasium_id}", opponent="random")`
- agents: {agents_in_words(game)}
- rewards: {rewards_in_words(game)}
- observation: {game.observation.itemsize} numbers (int8), what the agent's seat knows now, seen from there
- actions: {len(game.actions)}; the mask says which are legal
{these}
## Options

{configuration_table(game)}

## Observation

{observation_table(game)}

## Actions

{action_table(game.actions)}{action_notes(game)}

## Chance

{action_table(game.outcomes)}
{nodes_section(game)}{metrics_section(game)}{presets_section(game)}"""
