"""Choices among legal actions: probabilities from a network's outputs, with their gradients.

A game has tens or hundreds of actions, of which a handful are legal at a time: going over all of them, several times
for a softmax, takes PyTorch longer than the network itself. On the processor compiled loops touch the legal ones alone;
elsewhere PyTorch's own operations say the same.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.counts import fill, list_present

__all__ = ["Choices", "choices_made", "draw", "log_probabilities"]

#: In place of minus infinity, whose product with a probability of 0 is no number.
NEVER = -1e9


class Choices(NamedTuple):
    """What a network says of n choices that were made.

    Attributes:
        logs: (n) logarithms of the probabilities of the actions.
        entropies: (n) of the probabilities of all legal actions, in nats.
        means: (n) of given weights by these probabilities; 0 where none were given.
        others: (n, R) what the network says beside its logits.
    """

    logs: torch.Tensor
    entropies: torch.Tensor
    means: torch.Tensor
    others: torch.Tensor


def log_probabilities(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """(n, A): logarithms of the probabilities of all legal actions, large and negative for others."""
    return torch.log_softmax(logits.masked_fill(masks == 0, NEVER), 1)


def choices_made(
    outputs: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor, weights: torch.Tensor | None = None
) -> Choices:
    """What a network says of choices, with gradients of its outputs.

    Args:
        outputs: (n, A + R) float32: logits, and whatever else.
        masks: (n, A) int8.
        actions: (n) int64, legal.
        weights: (n, A) float32 of all actions; those of illegal ones do not count.
    """
    if outputs.device.type != "cpu":
        return choices_by_pytorch(outputs, masks, actions, weights)
    return Choices(*LegalChoices.apply(outputs, masks, actions, weights))


def choices_by_pytorch(
    outputs: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor, weights: torch.Tensor | None
) -> Choices:
    """:func:`choices_made` by PyTorch's operations over all actions."""
    logits, others = outputs[:, : masks.shape[1]], outputs[:, masks.shape[1] :]
    logs = log_probabilities(logits, masks)
    probabilities = logs.exp()
    entropies = -(probabilities * logs).sum(1)
    means = torch.zeros_like(entropies)
    if weights is not None:
        means = (probabilities * weights.masked_fill(masks == 0, 0)).sum(1)
    return Choices(logs.gather(1, actions[:, None])[:, 0], entropies, means, others)


def draw(logits: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(n) int64 an action for each row, drawn by its probability; (n) float32 the logarithms of these.

    Args:
        logits: (n, A) float32.
        masks: (n, A) int8.
    """
    numbers = torch.rand(len(logits), device=logits.device) * (1 - 1e-6)  # sums of rounded probabilities may miss 1
    if logits.device.type != "cpu":
        return drawn_by_pytorch(logits, masks, numbers)
    actions, logs = torch.empty(len(logits), dtype=torch.int64), torch.empty(len(logits))
    of_no_game(draw_legal)(*(each.numpy() for each in (logits, masks, numbers, actions, logs)))
    return actions, logs


def drawn_by_pytorch(
    logits: torch.Tensor, masks: torch.Tensor, numbers: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """:func:`draw` by PyTorch's operations over all actions, with (n) numbers from 0 to 1."""
    logs = log_probabilities(logits, masks)
    reached = logs.exp().cumsum(1)
    actions = (reached > numbers[:, None] * reached[:, -1:]).to(torch.int8).argmax(1)
    return actions, logs.gather(1, actions[:, None])[:, 0]


class LegalChoices(torch.autograd.Function):
    """:func:`choices_made` by compiled loops over the legal actions."""

    @staticmethod
    def forward(ctx: Any, outputs: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor, weights: Any) -> Any:
        """(n) logarithms, (n) entropies, (n) means and (n, R) others."""
        n, number = masks.shape
        weights = torch.empty(0, number) if weights is None else weights
        logs, entropies, means = found = torch.empty(3, n).unbind()
        # Rows stand one after the other, each as long as it has legal actions: most of the room stays empty.
        legal, probabilities = np.empty(n * number, np.int32), np.empty(n * number, np.float32)
        kept = legal, probabilities, np.empty(n, np.int64)
        arrays = (each.numpy() for each in (outputs.detach(), masks, actions, weights, *found))
        of_no_game(write_choices)(*arrays, *kept)
        ctx.kept = outputs.shape, *kept
        ctx.save_for_backward(outputs, actions, weights, *found)
        return logs, entropies, means, outputs[:, number:].clone()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradient of the outputs."""
        shape, *kept = ctx.kept
        of_outputs = torch.empty(shape)
        given = *ctx.saved_tensors, *(each.contiguous() for each in gradients), of_outputs
        of_no_game(find_gradient)(*(each.detach().numpy() for each in given), *kept)
        return of_outputs, None, None, None


def weigh(logits, mask, legal, probabilities, start):
    """Write the legal actions of a row and their probabilities from ``start`` on.

    Args:
        logits, mask: (A or more), (A).
        legal, probabilities: room for A more numbers.

    Returns:
        Where they end, and the logarithm of the sum of exp(logit) over the legal actions.
    """
    end = start + list_present(mask, legal, start)
    largest = -math.inf
    for place in range(start, end):
        largest = max(largest, float(logits[legal[place]]))
    total = 0.0
    for place in range(start, end):
        probabilities[place] = math.exp(float(logits[legal[place]]) - largest)
        total += probabilities[place]
    for place in range(start, end):
        probabilities[place] /= total
    return end, largest + math.log(total)


def draw_legal(logits, masks, numbers, actions, logs):
    """Write for each row the action that a number from 0 to 1 draws, and the logarithm of its probability.

    Args:
        logits, masks: (n, A).
        numbers, actions, logs: (n).
    """
    legal = np.zeros(masks.shape[1], np.int32)
    probabilities = np.zeros(masks.shape[1], np.float32)
    for i in range(len(masks)):
        end, log_total = weigh(logits[i], masks[i], legal, probabilities, 0)
        place = 0
        reached = probabilities[0]
        while reached <= numbers[i] and place < end - 1:
            place += 1
            reached += probabilities[place]
        actions[i] = legal[place]
        logs[i] = logits[i, legal[place]] - log_total


def write_choices(outputs, masks, actions, weights, logs, entropies, means, legal, probabilities, ends):
    """Write what is said of choices, and what the gradient needs of them.

    Args:
        outputs, masks, actions: (n, A + R), (n, A), (n).
        weights: (n, A), or (0, A) for none.
        logs, entropies, means: (n), of :class:`Choices`, to be written.
        legal, probabilities: (n * A), to be written: the legal actions of all rows, one row's after the other's.
        ends: (n), to be written: where each row's end there.
    """
    end = 0
    for i in range(len(masks)):
        start = end
        end, log_total = weigh(outputs[i], masks[i], legal, probabilities, start)
        ends[i] = end
        entropy, mean = 0.0, 0.0
        for place in range(start, end):
            entropy -= probabilities[place] * (outputs[i, legal[place]] - log_total)
        if len(weights):
            for place in range(start, end):
                mean += probabilities[place] * weights[i, legal[place]]
        logs[i] = outputs[i, actions[i]] - log_total
        entropies[i] = entropy
        means[i] = mean


def find_gradient(
    outputs, actions, weights, logs, entropies, means, of_logs, of_entropies, of_means, of_others, total, legal,
    probabilities, ends
):  # fmt: skip
    """Write into ``total`` (n, A + R) the gradient of the outputs.

    For probabilities p, and a gradient g of them, that of the logits is p (g − Σ p g).

    Args:
        outputs, actions, weights, logs, entropies, means: as :func:`write_choices` has them.
        of_logs, of_entropies, of_means, of_others: (n), (n), (n) and (n, R): gradients of :class:`Choices`.
        legal, probabilities, ends: what :func:`write_choices` wrote.
    """
    first = total.shape[1] - of_others.shape[1]
    end = 0
    for i in range(len(total)):
        fill(total[i], 0)
        start, end = end, ends[i]
        log_total = outputs[i, actions[i]] - logs[i]
        for place in range(start, end):
            action = legal[place]
            slope = -of_logs[i] - of_entropies[i] * (outputs[i, action] - log_total + entropies[i])
            if len(weights):
                slope += of_means[i] * (weights[i, action] - means[i])
            total[i, action] = probabilities[place] * slope
        total[i, actions[i]] += of_logs[i]
        for k in range(of_others.shape[1]):
            total[i, first + k] = of_others[i, k]
