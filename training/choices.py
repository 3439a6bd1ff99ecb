"""Choices among legal actions: probabilities from the last layer of a network, with their gradients.

A game has tens or hundreds of actions, of which a handful are legal at a time: going over all of them, several times
for a softmax, takes PyTorch longer than the network itself. On the processor compiled loops touch the legal ones alone,
and where there are many actions, only the outputs for legal ones are worked out at all; elsewhere PyTorch's own
operations say the same.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.counts import fill
from rat_envs.engine.products import inner_product
from rat_envs.training.rows import add_rows, add_to_rows

__all__ = ["Choices", "Layer", "choices_made", "draw", "log_probabilities", "logs_of_legal", "outputs_of"]

#: In place of minus infinity, whose product with a probability of 0 is no number.
NEVER = -1e9
#: Actions that are looked at together.
BLOCK = 16
#: Of so many outputs the processor works out those alone that are wanted; fewer are multiplied faster.
MANY = 128

#: Weights and biases (outputs), float32; weights are (outputs, inputs), but (inputs, outputs) in a first layer.
Layer = tuple[torch.Tensor, torch.Tensor]


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


def outputs_of(values: torch.Tensor, layer: Layer) -> torch.Tensor:
    """(n, outputs) float32: all outputs of a layer, worked out in the precision of its (n, H) inputs."""
    weight, bias = (each.to(values.dtype) for each in layer)
    return torch.nn.functional.linear(values, weight, bias).float()


def choices_made(
    values: torch.Tensor, layer: Layer, masks: torch.Tensor, actions: torch.Tensor, weights: torch.Tensor | None = None
) -> Choices:
    """What a network says of choices, with gradients of its last layer and of the inputs of that.

    Args:
        values: (n, H) inputs of the last layer.
        layer: the last, whose A + R outputs are logits, and whatever else.
        masks: (n, A) int8.
        actions: (n) int64, legal.
        weights: (n, A) float32 of all actions; those of illegal ones do not count.
    """
    if values.device.type != "cpu":
        return choices_by_pytorch(outputs_of(values, layer), masks, actions, weights)
    weights = torch.empty(0, masks.shape[1]) if weights is None else weights
    return Choices(*LegalChoices.apply(*outputs_or_inputs(values, layer), masks, actions, weights))


def outputs_or_inputs(values: torch.Tensor, layer: Layer) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What compiled loops take outputs from: (n, outputs) all of them, and no layer; or the layer, with its inputs."""
    if len(layer[1]) < MANY:
        return outputs_of(values, layer), torch.empty(0, 1), torch.empty(0)
    return values.float(), *layer


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


def logs_of_legal(values: torch.Tensor, layer: Layer, masks: torch.Tensor) -> torch.Tensor:
    """(n, A) float32: logarithms of the probabilities of legal actions, without gradients; anything for others.

    Args:
        values, layer, masks: as :func:`choices_made` has them.
    """
    if values.device.type != "cpu":
        return log_probabilities(outputs_of(values, layer)[:, : masks.shape[1]], masks)
    found = torch.empty(masks.shape)
    given = *outputs_or_inputs(values, layer), masks, found
    of_no_game(write_logs)(*(each.detach().numpy() for each in given))
    return found


def draw(values: torch.Tensor, layer: Layer, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(n) int64 an action for each row, drawn by its probability; (n) float32 the logarithms of these; (n, R) what the
    network says beside its logits.

    Args:
        values, layer, masks: as :func:`choices_made` has them.
    """
    numbers = torch.rand(len(values)).to(values.device) * (1 - 1e-6)  # sums of rounded probabilities may miss 1
    if values.device.type != "cpu":
        return drawn_by_pytorch(outputs_of(values, layer), masks, numbers)
    actions, logs = torch.empty(len(values), dtype=torch.int64), torch.empty(len(values))
    others = torch.empty(len(values), len(layer[1]) - masks.shape[1])
    given = *outputs_or_inputs(values, layer), masks, numbers, actions, logs, others
    of_no_game(draw_legal)(*(each.detach().numpy() for each in given))
    return actions, logs, others


def drawn_by_pytorch(
    outputs: torch.Tensor, masks: torch.Tensor, numbers: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """:func:`draw` by PyTorch's operations over all actions, with (n) numbers from 0 to 1."""
    logs = log_probabilities(outputs[:, : masks.shape[1]], masks)
    reached = logs.exp().cumsum(1)
    actions = (reached > numbers[:, None] * reached[:, -1:]).to(torch.int8).argmax(1)
    return actions, logs.gather(1, actions[:, None])[:, 0], outputs[:, masks.shape[1] :]


class LegalChoices(torch.autograd.Function):
    """:func:`choices_made` by compiled loops over the outputs that are wanted: those of legal actions, and the others.

    These stand row after row, each row as long as it has wanted outputs.
    """

    @staticmethod
    def forward(
        ctx: Any,
        given: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        weights: torch.Tensor,
    ) -> Any:
        """(n) logarithms, (n) entropies, (n) means and (n, R) others."""
        n, outputs = len(given), len(bias) or given.shape[1]
        logs, entropies, means = torch.empty(3, n).unbind()
        found = logs, entropies, means, torch.empty(n, outputs - masks.shape[1])
        room = int(masks.count_nonzero()) + found[3].numel() + 1
        said, probabilities = np.empty((2, room), np.float32)
        kept = np.empty(room, np.int32), said, probabilities, np.empty(n, np.int64)
        arrays = (each.detach().numpy() for each in (given, weight, bias, masks, actions, weights, *found))
        of_no_game(write_choices)(*arrays, *kept)
        ctx.kept = kept
        ctx.save_for_backward(given, weight, actions, weights, entropies, means)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradients of outputs, or of the last layer and its inputs."""
        given, weight, *_ = saved = ctx.saved_tensors
        found = torch.empty(given.shape), torch.zeros(weight.shape), torch.zeros(len(weight))
        arrays = *saved, *(each.contiguous() for each in gradients), *found
        slopes = np.empty_like(ctx.kept[1])
        of_no_game(find_gradients)(*(each.detach().numpy() for each in arrays), *ctx.kept, slopes)
        return *found, None, None, None


def weigh(given, weight, bias, mask, wanted, said, probabilities, start):
    """Write from ``start`` on which outputs of a row are wanted, first those of legal actions, and what is said there.

    Args:
        given, weight, bias: (A + R), (0, 1) and (0): all outputs; or (H), (A + R, H) and (A + R): what goes into the
            last layer, and that layer.
        mask: (A).
        wanted: room for what is wanted and for one more, but at most for A + R.
        said: likewise: the logarithms of the probabilities of legal actions, then the other outputs.
        probabilities: likewise: of legal actions.

    Returns:
        Where the legal actions end; R further on the other outputs do.
    """
    end = list_legal(mask, wanted, start)
    last = end
    for output in range(len(mask), len(bias) if len(bias) else len(given)):
        wanted[last] = output
        last += 1
    for place in range(start, last):
        output = wanted[place]
        said[place] = bias[output] + inner_product(weight[output], given) if len(bias) else given[output]
    largest = said[start]
    for place in range(start + 1, end):
        largest = max(largest, said[place])
    total = 0.0
    for place in range(start, end):
        probabilities[place] = math.exp(said[place] - largest)
        total += probabilities[place]
    log_total = np.float32(largest + math.log(total))
    share = np.float32(1 / total)
    for place in range(start, end):
        probabilities[place] *= share
        said[place] -= log_total
    return end


def list_legal(mask, legal, start):
    """Write the legal actions into ``legal`` from ``start`` on; where they end.

    One more entry than there are may be overwritten, if some action is illegal.
    """
    end = start
    whole = len(mask) - len(mask) % BLOCK
    for first in range(0, whole, BLOCK):
        some = 0
        for action in range(first, first + BLOCK):  # several at a time
            some |= mask[action]
        if some != 0:
            for action in range(first, first + BLOCK):
                legal[end] = action
                end += int(mask[action] != 0)
    for action in range(whole, len(mask)):
        legal[end] = action
        end += int(mask[action] != 0)
    return end


def write_logs(given, weight, bias, masks, found):
    """Write the logarithms of the probabilities of legal actions, (n, A), as :func:`logs_of_legal` has them."""
    outputs = len(bias) if len(bias) else given.shape[1]
    wanted = np.zeros(outputs, np.int32)
    said, probabilities = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    for i in range(len(masks)):
        end = weigh(given[i], weight, bias, masks[i], wanted, said, probabilities, 0)
        for place in range(end):
            found[i, wanted[place]] = said[place]


def draw_legal(given, weight, bias, masks, numbers, actions, logs, others):
    """Write for each row the action that a number from 0 to 1 draws, the logarithm of its probability, and what the
    network says beside its logits.

    Args:
        given, weight, bias, masks: (n, ...), as :func:`weigh` has them.
        numbers, actions, logs, others: (n), (n), (n), (n, R).
    """
    outputs = len(bias) if len(bias) else given.shape[1]
    wanted = np.zeros(outputs, np.int32)
    said, probabilities = np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    for i in range(len(masks)):
        end = weigh(given[i], weight, bias, masks[i], wanted, said, probabilities, 0)
        place = 0
        reached = probabilities[0]
        while reached <= numbers[i] and place < end - 1:
            place += 1
            reached += probabilities[place]
        actions[i] = wanted[place]
        logs[i] = said[place]
        for k in range(others.shape[1]):
            others[i, k] = said[end + k]


def write_choices(
    given, weight, bias, masks, actions, weights, logs, entropies, means, others, wanted, said, probabilities, ends
):  # fmt: skip
    """Write what is said of choices, and what the gradients need of them.

    Args:
        given, weight, bias, masks: (n, ...), as :func:`weigh` has them.
        actions: (n).
        weights: (n, A), or (0, A) for none.
        logs, entropies, means, others: of :class:`Choices`, to be written.
        wanted, said, probabilities: room for what is wanted of all rows, and for one more, to be written row after row,
            as :func:`weigh` does.
        ends: (n), to be written: where each row's end there.
    """
    end = 0
    for i in range(len(masks)):
        start = end
        last = weigh(given[i], weight, bias, masks[i], wanted, said, probabilities, start)
        end = last + others.shape[1]
        ends[i] = end
        entropy, mean = 0.0, 0.0
        logs[i] = -math.inf
        for place in range(start, last):
            entropy -= probabilities[place] * said[place]
            if wanted[place] == actions[i]:
                logs[i] = said[place]
        if len(weights):
            for place in range(start, last):
                mean += probabilities[place] * weights[i, wanted[place]]
        entropies[i] = entropy
        means[i] = mean
        for k in range(others.shape[1]):
            others[i, k] = said[last + k]


def find_gradients(
    given, weight, actions, weights, entropies, means, of_logs, of_entropies, of_means, of_others, of_given, of_weight,
    of_bias, wanted, said, probabilities, ends, slopes
):  # fmt: skip
    """Write the gradients of outputs, or of the last layer's inputs; and add up those of its weights and biases.

    For probabilities p, and a gradient g of them, that of the logits is p (g − Σ p g).

    Args:
        given, weight, actions, weights, entropies, means: as :func:`write_choices` has them.
        of_logs, of_entropies, of_means, of_others: (n), (n), (n) and (n, R): gradients of :class:`Choices`.
        of_given, of_weight, of_bias: as ``given``, ``weight`` and biases are.
        wanted, said, probabilities, ends: what :func:`write_choices` wrote.
        slopes: room as ``said`` is, for the gradients of the outputs.
    """
    number = of_others.shape[1]
    end = 0
    for i in range(len(given)):
        start, end = end, ends[i]
        last = end - number
        for place in range(start, last):
            slope = -of_logs[i] - of_entropies[i] * (said[place] + entropies[i])
            if len(weights):
                slope += of_means[i] * (weights[i, wanted[place]] - means[i])
            slopes[place] = probabilities[place] * slope
            if wanted[place] == actions[i]:
                slopes[place] += of_logs[i]
        for k in range(number):
            slopes[last + k] = of_others[i, k]
        fill(of_given[i], 0)
        if len(weight) == 0:
            for place in range(start, end):
                of_given[i, wanted[place]] = slopes[place]
        else:
            for place in range(start, end):
                of_bias[wanted[place]] += slopes[place]
            add_rows(of_given[i], weight, wanted, slopes, start, end)
            add_to_rows(given[i], of_weight, wanted, slopes, start, end)
