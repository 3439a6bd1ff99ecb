"""The search tree: what has been tried at each node, in arrays made before the search begins.

A node is an information set of the seat that searches: what it knows when some seat is to act. It is found again by a
64-bit hash of that seat's observation and of the acting seat, so that a hidden fact or an unseen choice never tells two
nodes apart. Two information sets collide by chance about once in 2**64 / (nodes squared) searches.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from rat_envs.engine.hash_table import EMPTY, begins_at, find_slot, has_key

__all__ = ["BY_WORD", "MOST_NODES", "NO_NODE", "SearchTree", "clear", "find_node", "new_tree"]

#: The most nodes that are kept; later simulations still choose at these, and are estimated below them.
MOST_NODES = 1 << 15
NO_NODE = -1


#: ``slots`` is a hash table of node numbers, −1 where empty, ``size`` (1,) the number of nodes, and ``nodes`` the nodes
#: themselves (:func:`node_dtype`).
SearchTree = namedtuple("SearchTree", "slots size nodes")


def node_dtype(actions: int) -> np.dtype[Any]:
    """A node: its key, and for each action its availability count (Cowling's), its visit count, its mean reward, from 0
    to 1 (half before it was tried), and, where choices are unseen, the regret of not having taken it."""
    by_action = [("availability", "i4"), ("visits", "i4"), ("means", "f8"), ("regrets", "f8")]
    fields = [("key", "u8"), *((name, kind, (actions,)) for name, kind in by_action)]
    return np.dtype((np.record, np.dtype(fields, align=True)))


def new_tree(nodes: int, actions: int) -> SearchTree:
    """A tree with room for ``nodes`` nodes, at most :data:`MOST_NODES`, in a game of ``actions`` actions."""
    nodes = min(nodes, MOST_NODES)
    slots = np.full(1 << (2 * nodes).bit_length(), EMPTY, np.int32)
    return SearchTree(slots, np.zeros(1, np.int64), np.zeros(nodes, node_dtype(actions)))


def itself(key):
    """The key itself, which is a hash already."""
    return key


def has_word(record, key):
    """Whether a record has this key, which is one word."""
    return record.key == key


BY_WORD = {begins_at: itself, has_key: has_word}


def find_node(tree, key):
    """The number of the node with this key, a new one if there is none yet; ``NO_NODE`` if the tree is full."""
    slot = find_slot(tree.slots, tree.nodes, key)
    if tree.slots[slot] != EMPTY:
        return tree.slots[slot]
    number = tree.size[0]
    if number == len(tree.nodes):
        return NO_NODE
    tree.size[0] += 1
    tree.slots[slot] = number
    begin(tree.nodes[number], key)
    return number


def begin(node, key):
    """Begin a node at which nothing has been tried yet."""
    node.key = key
    for action in range(len(node.visits)):
        node.availability[action] = 0
        node.visits[action] = 0
        node.means[action] = 0.5
        node.regrets[action] = 0


def clear(tree):
    """Forget all nodes."""
    tree.size[0] = 0
    for slot in range(len(tree.slots)):
        tree.slots[slot] = EMPTY
