"""One simulation after another: determinize, select, expand, roll out, back up. Templates over the contract."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from rat_envs.agents.heuristics import choose
from rat_envs.agents.search.selection import (
    chances_unseen,
    draw_place,
    learn_regrets,
    select_by_bound,
    select_by_prior,
    trust,
)
from rat_envs.agents.search.tree import NO_NODE, clear, find_node
from rat_envs.engine.compile import out_of_line
from rat_envs.engine.contract import (
    actor,
    apply,
    chance,
    declared,
    determinize,
    legal,
    observe,
    observe_fixed,
    public,
    returns,
    simultaneous,
)
from rat_envs.engine.counts import fill, list_present
from rat_envs.engine.game import CHANCE, TERMINAL, Game
from rat_envs.engine.hashing import add_word, hash_words
from rat_envs.engine.random import SEARCH_STREAM, STREAM, draw_set_byte, draw_weighted, seed_stream

__all__ = [
    "BELOW",
    "BY_ROLLOUT",
    "PLAYED",
    "Scratch",
    "advance",
    "back_up",
    "begin_search",
    "draw_outcome",
    "estimate",
    "estimate_by_rollout",
    "find_root",
    "list_choices",
    "mix",
    "new_scratch",
    "pick",
    "pick_at_random",
    "pick_by_rule",
    "search",
    "select",
    "select_by_rule",
    "select_unguided",
    "stops",
    "try_actions",
    "try_in_tree",
]

#: The longest path of one simulation in the tree; what follows is rolled out.
LONGEST_PATH = 512
#: The place after it in the path, for a choice in a rollout.
BELOW = LONGEST_PATH
#: Rows: the game being played, and the same without a choice that is still unseen.
PLAYED, SHOWN = range(2)

#: Memory for one simulation: rows; an observation, as a record, as bytes and as 64-bit words; its bytes that change in
#: a game; a mask (A,), also as words; weights of outcomes; returns by seat; the path (:func:`step_dtype`); a random
#: stream; and the guide, if there is a policy.
Scratch = namedtuple(
    "Scratch",
    "rows row_words observations observation_bytes observation_words changing mask mask_words weights returns path "
    "streams guide",
)


def step_dtype(actions: int) -> np.dtype[Any]:
    """A step of the path: the node, the acting seat, whether its choice is unseen, the number of legal actions, the
    place of the one taken, the legal actions, and their probabilities or priors."""
    plain = [("node", "i4"), ("seat", "i4"), ("unseen", "i4"), ("number", "i4"), ("taken", "i4")]
    by_choice = [("choices", "i4", (actions,)), ("chances", "f8", (actions,))]
    return np.dtype((np.record, np.dtype([*plain, *by_choice], align=True)))


def new_scratch(game: Game, guide: Any = ()) -> Scratch:
    """Memory for the simulations of one search at a time, with a guide if there is a policy."""
    words = -(-game.observation.itemsize // 8)
    observation = np.zeros(8 * words, np.int8)
    row_words = -(-game.state.itemsize // 8)
    rows = np.zeros(2, _padded(game.state, 8 * row_words))
    mask = np.zeros(-(-len(game.actions) // 8) * 8, np.int8)
    return Scratch(
        rows=rows["row"],
        row_words=rows.view(np.uint64).reshape(2, row_words),
        observations=observation[: game.observation.itemsize].view(game.observation),
        observation_bytes=observation,
        observation_words=observation.view(np.uint64),
        changing=observation[: game.bytes_before_fixed],
        mask=mask[: len(game.actions)],
        mask_words=mask.view(np.uint64),
        weights=np.zeros(len(game.outcomes), np.int32),
        returns=np.zeros(game.seats, np.float32),
        path=np.zeros(LONGEST_PATH + 1, step_dtype(len(game.actions))),
        streams=np.zeros(1, STREAM),
        guide=guide,
    )


def _padded(state: np.dtype, size: int) -> np.dtype[Any]:
    return np.dtype({"names": ["row"], "formats": [state], "itemsize": size})


def search(row, seat, seed, simulations, exploration, tree, scratch, begin, policy):
    """Simulate, and write into ``policy`` (A,) the weight of each action of ``seat``, which is to act in ``row``.

    Args:
        row: a game that fits what ``seat`` knows; nothing else in it has any influence.
        begin: 1 to begin a search, 0 to go on with one.

    Returns:
        Whether another seat chooses unseen at the same time, the mean reward of the actions by their weights, from 0 to
        1, and the number of the node at which ``seat`` is to act.
    """
    stream = scratch.streams[0]
    if begin:
        clear(tree)
        seed_stream(stream, seed, SEARCH_STREAM)
        fill(scratch.observation_words, np.uint64(0))
        observe_fixed(row, scratch.observations[0])
        begin_search(scratch)
    unseen = another_has_chosen(row, scratch) or simultaneous(row)
    number = try_actions(row, seat, seed, unseen, simulations, exploration, tree, scratch, policy)
    tries, gains = 0.0, 0.0
    for action in range(len(policy)):
        tries += policy[action]
        gains += policy[action] * tree.nodes[number].means[action]
    return unseen, gains / max(1.0, tries), number


def try_in_tree(row, seat, seed, unseen, simulations, exploration, tree, scratch, policy):
    """Simulate, and write the visit count of each action into ``policy`` (A,); the number of their node."""
    stream = scratch.streams[0]
    for _ in range(simulations):
        scratch.rows[PLAYED] = row
        simulate(seat, exploration, tree, scratch, stream)
    number = find_root(row, seat, tree, scratch)
    list_legal(row, scratch.mask)
    for action in range(len(policy)):
        policy[action] = tree.nodes[number].visits[action] if scratch.mask[action] else 0
    return number


def find_root(row, seat, tree, scratch):
    """The number of the node at which ``seat`` is to act in ``row``, by its copy in ``SHOWN``."""
    return find_node(tree, add_word(seen_by(scratch.rows[SHOWN], seat, scratch), actor(row)))


def another_has_chosen(row, scratch):
    """Whether a choice is still unseen; in ``SHOWN`` it is taken back."""
    scratch.rows[PLAYED] = row
    scratch.rows[SHOWN] = row
    public(scratch.rows[SHOWN])
    for word in range(scratch.row_words.shape[1]):
        if scratch.row_words[PLAYED, word] != scratch.row_words[SHOWN, word]:
            return True
    return False


def simulate(seat, exploration, tree, scratch, stream):
    """Play one game from the root to its end, and back up its returns."""
    row = scratch.rows[PLAYED]
    determinize(row, seat, stream)
    public(row)  # a seat that has chosen unseen chooses again, and plays to win
    length = descend(row, seat, exploration, tree, scratch, stream)
    estimate(row, scratch, stream)
    for k in range(length):
        step = scratch.path[k]
        back_up(tree.nodes[step.node], step, (scratch.returns[step.seat] + 1.0) / 2)


def back_up(node, step, reward):
    """Back up the reward of a choice."""
    if step.unseen:
        learn_regrets(node, step, reward)
    action = step.choices[step.taken]
    node.visits[action] += 1
    node.means[action] += (reward - node.means[action]) / node.visits[action]


def descend(row, seat, exploration, tree, scratch, stream):
    """Choose within the tree down to a new node, where one more choice is made; the number of choices."""
    length = 0
    unseen = False
    known = np.uint64(0)
    while length < LONGEST_PATH and actor(row) != TERMINAL:
        if actor(row) == CHANCE:
            draw_outcome(row, scratch.weights, stream)
            continue
        nodes = tree.size[0]
        if not unseen:  # else the others know what they knew before the choice
            known = seen_by(row, seat, scratch)
        number = find_node(tree, add_word(known, actor(row)))
        if number == NO_NODE:
            break
        if tree.size[0] > nodes and not unseen and not simultaneous(row) and stops(length):
            break
        step = scratch.path[length]
        list_choices(row, scratch.mask, step)
        unseen = simultaneous(row) or unseen
        step.node = number
        step.seat = actor(row)
        step.unseen = unseen
        if unseen:
            mix(row, tree.nodes[number], step, scratch)
            step.taken = draw_place(step, stream)
        else:
            step.taken = select(row, tree.nodes[number], step, exploration, scratch, stream)
        length += 1
        unseen = simultaneous(row)
        advance(row, step.choices[step.taken])
        if tree.size[0] > nodes and not unseen:  # simultaneous choices are expanded together
            break
    return length


@out_of_line
def hash_seen(row, seat, changing, observation, words):
    """A hash of what a seat sees; ``changing`` and ``words`` are the observation's bytes and words, and are written.

    Functions that are out of line take only the arrays they need: each one costs time in every call.
    """
    fill(changing, 0)
    observe(row, seat, observation)
    return hash_words(words)


def seen_by(row, seat, scratch):
    """A hash of what ``seat`` knows when no choice is unseen; with the acting seat it makes the key of a node."""
    return hash_seen(row, seat, scratch.changing, scratch.observations[0], scratch.observation_words)


@out_of_line
def advance(row, number):
    """Apply an action or an outcome: compiled once, not in every caller."""
    apply(row, number)


@out_of_line
def list_legal(row, mask):
    """Write the legal-action mask of the acting seat."""
    fill(mask, 0)
    legal(row, mask)


def list_choices(row, mask, step):
    """Write the legal actions of a step of the path."""
    list_legal(row, mask)
    step.number = list_present(mask, step.choices, 0)


@out_of_line
def draw_outcome(row, weights, stream):
    """Draw the outcome of a chance node, and apply it."""
    fill(weights, 0)
    chance(row, weights)
    advance(row, draw_weighted(stream, weights))


def roll_out(row, scratch, stream):
    """Play to the end."""
    while actor(row) != TERMINAL:
        if actor(row) == CHANCE:
            draw_outcome(row, scratch.weights, stream)
        else:
            list_legal(row, scratch.mask)
            advance(row, pick(row, scratch, stream))


@declared
def begin_search(scratch):
    """Called when a search begins, after the fixed fields of its observations have been written."""


@declared
def stops(length):
    """Whether a simulation ends at a new node after ``length`` choices, and not after one more choice there."""


@declared
def try_actions(row, seat, seed, unseen, simulations, exploration, tree, scratch, policy):
    """Simulate, and write the weight of each action into ``policy`` (A,); the number of their node."""


@declared
def mix(row, node, step, scratch):
    """Write the probability of every choice of a step where choices are unseen."""


@declared
def estimate(row, scratch, stream):
    """Write each seat's expected return below the tree into ``scratch.returns``."""


@declared
def select(row, node, step, exploration, scratch, stream):
    """The place of the choice to try at a node of the tree."""


@declared
def pick(row, scratch, stream):
    """The next action of a rollout."""


def select_unguided(row, node, step, exploration, scratch, stream):
    """The place of the choice to try at a node of the tree, by earlier tries alone."""
    return select_by_bound(node, step, exploration, stream)


def select_by_rule(row, node, step, exploration, scratch, stream):
    """The place of the choice to try at a node of the tree, by earlier tries and the game's heuristic."""
    trust(step, pick(row, scratch, stream))
    return select_by_prior(node, step, exploration)


def begin_without_policy(scratch):
    """Do nothing."""


def never(length):
    """A simulation never ends at a new node without a choice there."""
    return False


def mix_by_regrets(row, node, step, scratch):
    """Match regrets."""
    chances_unseen(node, step)


def estimate_by_rollout(row, scratch, stream):
    """Play to the end, and write the final returns."""
    roll_out(row, scratch, stream)
    fill(scratch.returns, 0.0)
    returns(row, scratch.returns)


def pick_at_random(row, scratch, stream):
    """Roll out with uniform legal actions."""
    return draw_set_byte(stream, scratch.mask_words)


def pick_by_rule(row, scratch, stream):
    """Roll out by the game's heuristic."""
    fill(scratch.changing, 0)
    observe(row, actor(row), scratch.observations[0])
    return choose(scratch.observations[0], scratch.mask)


#: A search without a policy.
BY_ROLLOUT = {
    begin_search: begin_without_policy,
    stops: never,
    mix: mix_by_regrets,
    estimate: estimate_by_rollout,
    try_actions: try_in_tree,
}
