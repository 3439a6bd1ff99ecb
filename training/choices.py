"""Choices among legal actions: probabilities from the last layer of a network, and the gradient of that layer.

A game has tens or hundreds of actions, of which a handful are legal at a time. Going over all of them, several times
for a softmax and its gradient, takes PyTorch longer than the network itself. Compiled loops touch only the legal ones;
and where there are many actions, only the outputs of legal ones are computed at all. The loops run on the CPU, wherever
the rest of the network is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.counts import fill
from rat_envs.engine.differences import list_different
from rat_envs.engine.products import inner_product
from rat_envs.engine.rows import add_rows, add_to_rows
from rat_envs.training.layers import through

__all__ = [
    "LastLayer",
    "Layer",
    "Lessons",
    "draw",
    "go_back_to_layer",
    "last_layer",
    "legal_actions",
    "legal_log_probabilities",
    "log_probabilities",
    "outputs_of",
    "weigh",
]

#: Used in place of minus infinity, whose product with a probability of 0 is not a number.
NEVER = -1e9
#: From this many outputs on, the CPU computes only the needed ones; with fewer, a full multiplication is faster.
MANY = 64

#: Weights (outputs, inputs) and biases (outputs).
Layer = tuple[torch.Tensor, torch.Tensor]


class Lessons(NamedTuple):
    """The lessons of n decisions: what a gradient step needs of them.

    Attributes:
        ends: (n + 1) int64: the legal actions of decision i are in ``legal`` from ``ends[i]`` to ``ends[i + 1]``.
        legal: int32: the legal actions of all decisions, one decision after the other; the array may be longer.
        done: (n) int32: which of its legal actions was taken.
        log_probabilities: (n) float32: logarithms of the probabilities with which it was taken.
        advantages: (n) float32.
        targets: (n, kinds * P) float32: λ-returns of the acting seat and then clockwise.
        weights: (n) float32: how many decisions each one stands for.
    """

    ends: np.ndarray
    legal: np.ndarray
    done: np.ndarray
    log_probabilities: np.ndarray
    advantages: np.ndarray
    targets: np.ndarray
    weights: np.ndarray

    def part(self, numbers: np.ndarray) -> Lessons:
        """The lessons of some decisions, contiguous in memory, so the CPU does not wait for each one."""
        ends, legal = np.zeros(len(numbers) + 1, np.int64), np.empty_like(self.legal)
        kept = self[2:]
        found = Lessons(ends, legal, *(np.empty((len(numbers), *each.shape[1:]), each.dtype) for each in kept))
        of_no_game(take_lessons)(numbers, *self, *found)
        return found


class LastLayer(NamedTuple):
    """What compiled loops compute outputs from: the last layer with its inputs; or all outputs, and no layer.

    Attributes:
        given: (n, H) float32 inputs; or (n, A + R) outputs: logits, then all others.
        weight: (A + R, H) float32; or (0, 1).
        bias: (A + R) float32; or (0).
    """

    given: torch.Tensor
    weight: torch.Tensor
    bias: torch.Tensor

    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arrays as arguments of compiled loops."""
        return tuple(each.detach().cpu().numpy() for each in self)


def last_layer(values: torch.Tensor, layer: Layer) -> LastLayer:
    """What compiled loops take outputs from.

    Args:
        values: (n, H) inputs of the last layer.
        layer: the last.
    """
    if len(layer[1]) < MANY or values.device.type != "cpu":
        return LastLayer(outputs_of(values, layer), torch.empty(0, 1), torch.empty(0))
    return LastLayer(values.float().contiguous(), *layer)  # one half of the values of two networks is not contiguous


def outputs_of(values: torch.Tensor, layer: Layer) -> torch.Tensor:
    """(n, outputs) float32: all outputs of a layer, computed in the precision of its (n, H) inputs."""
    return through(values, *layer).float()


def legal_actions(
    masks: np.ndarray, actions: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """List the legal actions of n decisions: (n + 1) int64 where they end, from 0 on; int32 all of them, one decision
    after the other; and (n) int32 which of its own was taken in each. They are listed once, however often they are
    learnt from.

    Args:
        masks: (N, A) int8.
        actions: (N) int64: the actions taken.
        rows: (n): which of the N.
    """
    ends, done = np.zeros(len(rows) + 1, np.int64), np.zeros(len(rows), np.int32)
    of_no_game(count_legal)(masks, actions, rows, ends, done)
    legal = np.empty(ends[-1] + 1, np.int32)  # one entry more may be overwritten
    of_no_game(list_all_legal)(masks, rows, legal)
    return ends, legal, done


def log_probabilities(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """(n, A): logarithms of the probabilities of all legal actions, large and negative for others."""
    return torch.log_softmax(logits.masked_fill(masks == 0, NEVER), 1)


def legal_log_probabilities(last: LastLayer, masks: np.ndarray) -> np.ndarray:
    """(n, A) float32: logarithms of the probabilities of legal actions; anything for others.

    Args:
        last: the last layer for n decisions.
        masks: (n, A) int8.
    """
    found = np.empty(masks.shape, np.float32)
    of_no_game(write_log_probabilities)(*last.arrays(), masks, np.empty(0, np.int64), found)
    return found


def draw(last: LastLayer, masks: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n) int64 actions, drawn by their probabilities; (n) float32 the logarithms of these; (n, R) the outputs of the
    network beside its logits.

    Args:
        last: the last layer for n decisions.
        masks: (n, A) int8.
        others: (R) int64: which of the outputs beside the logits.
    """
    numbers = torch.rand(len(masks)).numpy() * np.float32(1 - 1e-6)  # sums of rounded probabilities may miss 1
    found = np.empty(len(masks), np.int64), np.empty(len(masks), np.float32)
    said = np.empty((len(masks), len(others)), np.float32)
    of_no_game(draw_legal)(*last.arrays(), masks, others, numbers, *found, said)
    return *found, said


def weigh(given, weight, bias, number, others, wanted, said, probabilities, end):
    """Write the wanted outputs of a row, and the indices of those that are not of legal actions.

    Args:
        given, weight, bias: the arrays of :class:`LastLayer` for one decision.
        number: A.
        others: (R) which outputs are wanted besides those of legal actions, counted from A.
        wanted: the legal actions, with room for R more, to be written.
        said: likewise, to be written: the logarithms of the probabilities of legal actions, then the other outputs.
        probabilities: likewise: of legal actions.
        end: the number of legal actions.
    """
    last = end + len(others)
    for k in range(len(others)):
        wanted[end + k] = number + others[k]
    for place in range(last):
        output = wanted[place]
        said[place] = bias[output] + inner_product(weight[output], given) if len(bias) else given[output]
    largest = said[0]
    for place in range(1, end):
        largest = max(largest, said[place])
    total = 0.0
    for place in range(end):
        probabilities[place] = math.exp(said[place] - largest)
        total += probabilities[place]
    log_total = np.float32(largest + math.log(total))
    share = np.float32(1 / total)
    for place in range(end):
        probabilities[place] *= share
        said[place] -= log_total


def count_legal(masks, actions, rows, ends, done):
    """Write where the legal actions of some rows end, ``ends[i + 1]`` (``ends[0]`` is 0), and which of them was
    taken."""
    nothing, legal = np.zeros(masks.shape[1], np.int8), np.zeros(masks.shape[1] + 1, np.int32)
    for i in range(len(rows)):
        number = list_different(masks[rows[i]], nothing, legal, 0)
        ends[i + 1] = ends[i] + number
        place = 0
        while place < number and legal[place] < actions[rows[i]]:
            place += 1
        done[i] = place


def list_all_legal(masks, rows, legal):
    """Write the legal actions of some rows, one row after the other."""
    nothing = np.zeros(masks.shape[1], np.int8)
    end = 0
    for row in rows:
        end = list_different(masks[row], nothing, legal, end)


def take_lessons(
    numbers, ends, legal, done, log_probabilities, advantages, targets, weights, of_ends, of_legal, of_done,
    of_log_probabilities, of_advantages, of_targets, of_weights
):  # fmt: skip
    """Write the lessons of some decisions."""
    end = 0
    for i in range(len(numbers)):
        number = numbers[i]
        of_done[i], of_log_probabilities[i] = done[number], log_probabilities[number]
        of_advantages[i], of_weights[i] = advantages[number], weights[number]
        for k in range(targets.shape[1]):
            of_targets[i, k] = targets[number, k]
        for place in range(ends[number], ends[number + 1]):
            of_legal[end] = legal[place]
            end += 1
        of_ends[i + 1] = end


def write_log_probabilities(given, weight, bias, masks, others, found):
    """Write what :func:`legal_log_probabilities` returns, (n, A)."""
    outputs = len(bias) if len(bias) else given.shape[1]
    wanted, nothing = np.zeros(outputs, np.int32), np.zeros(masks.shape[1], np.int8)
    said, probabilities = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    for i in range(len(masks)):
        end = list_different(masks[i], nothing, wanted, 0)
        weigh(given[i], weight, bias, masks.shape[1], others, wanted, said, probabilities, end)
        for place in range(end):
            found[i, wanted[place]] = said[place]


def draw_legal(given, weight, bias, masks, others, numbers, actions, log_probabilities, beside):
    """Write for each row the action that a number from 0 to 1 draws, the logarithm of its probability, and the outputs
    of the network beside its logits.

    Args:
        given, weight, bias, masks: (n, ...), as for :func:`weigh`.
        others: (R) which outputs are wanted besides the logits, counted from A.
        numbers, actions, log_probabilities, beside: (n), (n), (n), (n, R).
    """
    outputs = len(bias) if len(bias) else given.shape[1]
    wanted, nothing = np.zeros(outputs, np.int32), np.zeros(masks.shape[1], np.int8)
    said, probabilities = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    for i in range(len(masks)):
        end = list_different(masks[i], nothing, wanted, 0)
        weigh(given[i], weight, bias, masks.shape[1], others, wanted, said, probabilities, end)
        place = 0
        reached = probabilities[0]
        while reached <= numbers[i] and place < end - 1:
            place += 1
            reached += probabilities[place]
        actions[i] = wanted[place]
        log_probabilities[i] = said[place]
        for k in range(len(others)):
            beside[i, k] = said[end + k]


def go_back_to_layer(given, weight, of_given, of_weight, of_bias, wanted, gradients, end):
    """From the gradients of a row's wanted outputs, write those of all outputs; or write those of the last layer's
    inputs, and add those of its parameters.

    Args:
        given, weight: as for :func:`weigh`.
        of_given, of_weight, of_bias: gradients in the shapes of ``given``, ``weight`` and the biases.
        wanted: which outputs are wanted.
        gradients: their gradients.
        end: the number of wanted outputs.
    """
    fill(of_given, 0)
    if len(weight) == 0:
        for place in range(end):
            of_given[wanted[place]] = gradients[place]
    else:
        for place in range(end):
            of_bias[wanted[place]] += gradients[place]
        add_rows(of_given, weight, wanted, gradients, 0, end)
        add_to_rows(given, of_weight, wanted, gradients, 0, end)
