"""A game's tables in Markdown, from its dtypes and its notation: the documentation pages and ``rat-envs describe``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from rat_envs.engine.game import Game

__all__ = ["describe"]


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
        rows.append((places, f"`{name}`", shape, np.dtype(kind.base).name, game.observation_notes[name]))
    return markdown_table(("place", "field", "shape", "type", "what it holds"), rows)


def action_table(texts: Sequence[str]) -> str:
    """Numbers and notation, those that begin with the same word in one line."""
    rows: list[tuple[str, str]] = []
    start = 0
    for number in range(1, len(texts) + 1):
        if number == len(texts) or texts[number].split()[0] != texts[start].split()[0]:
            numbers = f"{start}" if number - start == 1 else f"{start}–{number - 1}"
            rows.append((numbers, ", ".join(f"`{text}`" for text in texts[start:number])))
            start = number
    return markdown_table(("number", "notation"), rows)


def configuration_table(game: Game) -> str:
    """Every option: its values, its default, and its rule."""
    rows = [
        (f"`{name}`", option.values(), f"`{json.dumps(option.default)}`", option.text, option.rule)
        for name, option in game.configuration.options().items()
    ]
    return markdown_table(("option", "values", "default", "what it changes", "rule"), rows)


def describe(game: Game) -> str:
    """All tables of a game, as Markdown."""
    nodes = [(number, node.actor, f"`{node.action}`", node.when) for number, node in enumerate(game.nodes, 1)]
    return f"""# {game.title}

{game.summary}

- PettingZoo: `pettingzoo.make("aec", "{game.environment_id}")`, or `rat_envs.make("{game.name}")`
- gymnasium: `gymnasium.make("{game.gymnasium_id}", opponent="random")`
- agents: `player_0` … `player_{game.seats - 1}`; rewards at the end, zero-sum
- observation: {game.observation.itemsize} numbers (int8), seen from the agent's own seat
- actions: {len(game.actions)}; the mask says which are legal

## Options

{configuration_table(game)}

## Observation

{observation_table(game)}

## Actions

{action_table(game.actions)}

## Chance

{action_table(game.outcomes)}

## Order of nodes

{markdown_table(("", "who", "notation", "when"), nodes)}
"""
