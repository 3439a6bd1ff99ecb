"""All public states that can be reached in a game, with the choices and outcomes that lead from one to another.

A *public state* is what everybody knows at a node. Where two seats choose simultaneously, both choices belong to one
state. The functions up to :func:`build_tree` are templates over the game's contract, which ``Program.bind`` compiles.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.contract import (
    NUMBER_OF_ACTIONS,
    NUMBER_OF_OUTCOMES,
    Declared,
    actor,
    apply,
    chance,
    declare,
    legal,
    public,
    returns,
)
from rat_envs.engine.counts import list_present
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import TERMINAL, Game
from rat_envs.engine.hash_table import BY_WORDS, find_slot, rehashed
from rat_envs.engine.position import Position
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game
from rat_envs.solving.public_states import (
    CHANCE_NODE,
    END,
    TWO_SEATS,
    copy_row,
    grown,
    kind_of,
    record_with_row,
)

__all__ = [
    "MOST_SOON",
    "MOST_UNASKED",
    "PublicTree",
    "bind",
    "build_tree",
    "demand_public",
    "find_states",
    "tree_below",
]

#: More nodes in a row than any game here has.
DEEPEST = 1024
#: Reasons why there is no tree.
TOO_MANY, TOO_DEEP = 1, 2
#: More public states than fit in any memory.
NO_LIMIT = 2**62
#: The most states of a tree that is built while a person waits for a hint: some seconds, and less than half a GiB.
#: BraveRats has 1.1 million.
MOST_SOON = 1_500_000
#: The most states of a tree that is built as a part of something else, without being asked for: half a minute, and 3
#: GiB. BraveRats with all options that keep it public has 8.7 million.
MOST_UNASKED = 10_000_000

#: Written in place of a row at the end of a game: no row begins with so large a number.
END_MARK, END_SCALE = 1 << 60, 1 << 20

#: A public state, and a state whose children are being numbered: dtypes that both begin with the game's row.
NODE, FRAME = declare("NODE FRAME")

#: Public states as records of ``NODE``, children before parents, the root last. A state's entries in ``children``
#: (numbers of states; for two seats the second's choice runs faster) begin at its ``first_child``; those in ``choices``
#: (actions of the first seat, then of the second; or outcomes) and ``weights`` (of outcomes) at its ``first_choice``.
#: ``slots`` is a hash table of state numbers, −1 where empty.
PublicTree = namedtuple("PublicTree", "nodes children choices weights slots")


@functools.cache
def node_dtypes(game: Game) -> Mapping[Declared, np.dtype]:
    """The dtypes ``NODE`` and ``FRAME`` of a game."""
    widest = max(len(game.actions) ** 2, len(game.outcomes))
    node = record_with_row(
        game,
        [("first_child", "i8"), ("first_choice", "i8"), ("firsts", "i4"), ("seconds", "i4"), ("end_value", "f8")]
        + [("kind", "i4"), ("seat", "i4")],
    )
    frame = record_with_row(
        game,
        [("done", "i8"), ("firsts", "i8"), ("seconds", "i8"), ("kind", "i8"), ("end_value", "f8")]
        + [("children", ("i4", (widest,))), ("choices", ("i4", (widest,))), ("weights", ("i4", (widest,)))],
    )
    return {NODE: node, FRAME: frame}


def enter(frame, spare, mask, outcome_weights):
    """Begin with the state in ``frame``, whose kind is known: write the choices there."""
    frame.done = 0
    frame.firsts = 0
    frame.seconds = 0
    if frame.kind == CHANCE_NODE:
        list_outcomes(frame, outcome_weights)
    elif frame.kind != END:
        frame.firsts = list_actions(frame, frame.row, mask, 0)
    if frame.kind == TWO_SEATS:  # the second seat's legal actions do not depend on the first one's choice
        copy_row(frame, spare)
        apply(spare.row, frame.choices[0])
        frame.seconds = list_actions(frame, spare.row, mask, frame.firsts)


def list_outcomes(frame, outcome_weights):
    """Write the outcomes of chance, with their weights."""
    outcome_weights[:] = 0
    chance(frame.row, outcome_weights)
    frame.firsts = list_present(outcome_weights, frame.choices, 0)
    for place in range(frame.firsts):
        frame.weights[place] = outcome_weights[frame.choices[place]]


def list_actions(frame, row, mask, start):
    """Write the legal actions from place ``start`` on; return their number."""
    mask[:] = 0
    legal(row, mask)
    return list_present(mask, frame.choices, start)


def next_child(frame, child, result):
    """Write the next child of the state in ``frame``. All ends with the same result are one state."""
    copy_row(frame, child)
    if frame.seconds > 0:
        apply(child.row, frame.choices[frame.done // frame.seconds])
        apply(child.row, frame.choices[frame.firsts + frame.done % frame.seconds])
    else:
        apply(child.row, frame.choices[frame.done])
    child.kind = kind_of(child.row)
    if child.kind == END:
        result[:] = 0
        returns(child.row, result)
        child.end_value = result[0]
        for k in range(len(child.key)):
            child.key[k] = 0
        child.key[0] = np.uint64(np.int64(END_MARK) + np.int64(END_SCALE * child.end_value))


def fill_node(frame, node, following):
    """Write the state in ``frame``, and where the entries of the following one begin."""
    copy_row(frame, node)
    node.kind = frame.kind
    node.seat = actor(frame.row) if frame.kind != END else TERMINAL
    node.firsts = frame.firsts
    node.seconds = frame.seconds
    node.end_value = frame.end_value
    following.first_child = node.first_child + frame.firsts * max(frame.seconds, 1)
    following.first_choice = node.first_choice + frame.firsts + frame.seconds


def number_states_below(root, result, deepest, most):
    """Number states depth first from ``root``, an array of one frame; a state is numbered after all that follow it.

    Returns:
        ``TOO_MANY`` if there are more than ``most`` states, ``TOO_DEEP`` if more than ``deepest`` follow each other,
        else 0; and the fields of ``PublicTree``.
    """
    nodes = np.zeros(1024, NODE)
    children = np.zeros(8192, np.int32)
    choices = np.zeros(8192, np.int32)
    weights = np.zeros(8192, np.int32)
    slots = np.full(4096, -1, np.int32)
    path = np.zeros(deepest + 2, FRAME)
    mask = np.zeros(NUMBER_OF_ACTIONS, np.int8)
    outcome_weights = np.zeros(NUMBER_OF_OUTCOMES, np.int32)
    copy_row(root[0], path[0])
    path[0].kind = kind_of(path[0].row)
    enter(path[0], path[1], mask, outcome_weights)
    number = 0
    depth = 0
    while depth >= 0 and fault_of(number, most, depth, deepest) == 0:
        frame = path[depth]
        wanted = frame.firsts * max(frame.seconds, 1)
        if frame.done < wanted:
            next_child(frame, path[depth + 1], result)
            known = slots[find_slot(slots, nodes, path[depth + 1].key)]
            if known < 0:
                depth += 1
                enter(path[depth], path[depth + 1], mask, outcome_weights)
            else:
                frame.children[frame.done] = known
                frame.done += 1
            continue
        if number + 2 >= len(nodes):
            nodes = grown(nodes)
            slots = rehashed(slots, nodes, number)
        node = nodes[number]
        fill_node(frame, node, nodes[number + 1])
        while node.first_child + wanted > len(children):
            children = grown(children)
        for place in range(wanted):
            children[node.first_child + place] = frame.children[place]
        listed = frame.firsts + frame.seconds
        while node.first_choice + listed > len(choices):
            choices = grown(choices)
            weights = grown(weights)
        for place in range(listed):
            choices[node.first_choice + place] = frame.choices[place]
            weights[node.first_choice + place] = frame.weights[place]
        slots[find_slot(slots, nodes, frame.key)] = number
        number += 1
        depth -= 1
    return fault_of(number, most, depth, deepest), nodes[:number], children, choices, weights, slots


def fault_of(number, most, depth, deepest):
    """Why there is no tree, or 0."""
    if number > most:
        return TOO_MANY
    return TOO_DEEP if depth == deepest else 0


def number_states(rows, frame, slots, nodes, numbers):
    """Write the number of each row's public state, −1 if it is not in the tree."""
    for i in range(len(rows)):
        frame[0].key[:] = 0
        frame[0].row = rows[i]
        public(frame[0].row)
        numbers[i] = slots[find_slot(slots, nodes, frame[0].key)]


def bind(game: Game, function: Any) -> Any:
    """Bind a template over the contract and the dtypes of this module to a game, and compile it."""
    return program(game).bind(function, {**BY_WORDS, **node_dtypes(game)})


def tree_below(position: Position, most: int = NO_LIMIT) -> PublicTree:
    """The public states that can be reached from a position.

    Raises:
        ConfigurationError: there are more than ``most``, or more than ``DEEPEST`` follow each other.
    """
    if not isinstance(position, Position):
        raise ConfigurationError(
            f"position={shown(position)}: must be a Position, such as Preset.position(game) gives."
        )
    game = position.game
    root = np.zeros(1, node_dtypes(game)[FRAME])
    root["row"] = position.state
    result = np.zeros(game.seats, np.float32)
    fault, *tree = bind(game, number_states_below)(root, result, DEEPEST, most)
    if fault == TOO_MANY:
        raise ConfigurationError(f"{game.name} has more than {most:,} public states with these options.")
    if fault == TOO_DEEP:
        raise ConfigurationError(
            f"{game.name} is not solved: more than {DEEPEST:,} nodes follow each other, or a position comes again."
        )
    return PublicTree(*tree)


def build_tree(
    game: str | Game, configuration: Mapping[str, Any] | Configuration | None = None, most: int = NO_LIMIT
) -> PublicTree:
    """All public states of a two-player game in which only simultaneous choices are hidden; the last two trees are
    cached.

    Args:
        game: a registered name or a game.
        configuration: its options.
        most: the most states of a new tree; one that is cached may have more.

    Raises:
        ConfigurationError: the configuration hides more than that, has another number of players, or more states.
    """
    game = get_game(game)
    configuration = game.configuration.make(configuration)
    demand_public(game, configuration)
    kept = _kept_tree(game, configuration)
    if kept.tree is None and most > kept.tried:
        try:
            kept.tree = tree_below(Position(game, configuration, compiled=False), most)
        except ConfigurationError as error:
            kept.tried, kept.why_not = most, str(error)
    if kept.tree is None:
        raise ConfigurationError(kept.why_not)
    return kept.tree


@dataclass
class _Kept:
    """A tree, if it was built; or why it cannot be built with at most this many states."""

    tree: PublicTree | None = None
    tried: int = 0
    why_not: str = ""


@functools.lru_cache(maxsize=2)
def _kept_tree(game: Game, configuration: Configuration) -> _Kept:
    return _Kept()


def demand_public(
    game: str | Game, configuration: Mapping[str, Any] | Configuration | None, who: str | None = None
) -> None:
    """Refuse configurations that :func:`build_tree` cannot handle, before anything is compiled for it.

    Args:
        who: the name in the error of an agent that cannot play this; None if the game is to be solved.

    Raises:
        ConfigurationError: the configuration hides more than simultaneous choices, or is not for two players.
    """
    game = get_game(game)
    configuration = game.configuration.make(configuration)
    if not configuration.is_public:
        hidden = configuration.hidden_information()
        reason = (
            f"it hides more than simultaneous choices ({hidden})"
            if hidden
            else f"it has {configuration.players} players"
        )
        cannot = "cannot be solved as a whole" if who is None else f"cannot be played like this by {who}"
        raise ConfigurationError(f"{game.name} {cannot}: {reason}.")


def find_states(game: Game, tree: PublicTree, rows: np.ndarray) -> np.ndarray:
    """(n) int64: the numbers of the public states of ``rows``, which are (n) records of ``STATE``; −1 for no state."""
    numbers = np.zeros(len(rows), np.int64)
    frame = np.zeros(1, node_dtypes(game)[FRAME])
    bind(game, number_states)(rows, frame, tree.slots, tree.nodes, numbers)
    return numbers
