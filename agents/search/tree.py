"""The search tree: what has been tried at each node, in arrays made before the search begins.

A node is an information set of the seat that searches: what it knows when some seat is to act. It is found again by a
64-bit hash of that seat's observation and of who acts, so that a hidden fact or a choice not yet shown never tells two
nodes apart. Two information sets fall together by chance about once in 2**64 / (nodes squared) searches.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

__all__ = ["MOST_NODES", "NO_NODE", "Tree", "add_word", "find_node", "hash_words", "new_tree"]

#: At most so many nodes are kept; later simulations still choose at these, and play on at random below them.
MOST_NODES = 1 << 15
NO_NODE = -1

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)

#: ``slots`` is a hash table of node numbers, −1 where empty, and ``size`` (1,) the number of nodes; the others are by
#: node, and the last four by action too: how often it could be taken (Cowling's availability), how often it was, the
#: mean reward, from 0 to 1, that it brought (half before it was tried), and, of choices that are unseen, the regret of
#: not having taken it.
Tree = namedtuple("Tree", "slots size keys availability visits means regrets")


def new_tree(nodes: int, actions: int) -> Tree:
    """Room for so many nodes, at most :data:`MOST_NODES`, in a game of so many actions."""
    nodes = min(nodes, MOST_NODES)
    slots = np.full(1 << (2 * nodes).bit_length(), NO_NODE, np.int32)
    shape = nodes, actions
    by_action = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape), np.zeros(shape)
    return Tree(slots, np.zeros(1, np.int64), np.zeros(nodes, np.uint64), *by_action)


def hash_words(words):
    """A 64-bit hash."""
    mixed = np.uint64(1)
    for word in words:
        mixed = add_word(mixed, word)
    return mixed


def add_word(mixed, word):
    """Go on with a hash."""
    mixed = (mixed ^ np.uint64(word)) * MULTIPLIER
    return mixed ^ (mixed >> SHIFT)


def find_node(tree, key):
    """The number of the node with this key, a new one if there is none yet; ``NO_NODE`` if the tree is full."""
    last = len(tree.slots) - 1
    slot = np.int64(key & np.uint64(last))
    while tree.slots[slot] != NO_NODE:
        number = tree.slots[slot]
        if tree.keys[number] == key:
            return number
        slot = (slot + 1) & last
    number = tree.size[0]
    if number == len(tree.keys):
        return NO_NODE
    tree.size[0] += 1
    tree.slots[slot] = number
    tree.keys[number] = key
    for action in range(tree.visits.shape[1]):
        tree.availability[number, action] = 0
        tree.visits[number, action] = 0
        tree.means[number, action] = 0.5
        tree.regrets[number, action] = 0
    return number


def clear(tree):
    """Forget all nodes."""
    tree.size[0] = 0
    for slot in range(len(tree.slots)):
        tree.slots[slot] = NO_NODE
