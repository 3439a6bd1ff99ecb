"""Layers of a network with hand-written gradients.

PyTorch's autograd adds a small operation for every small operation: for conversions between precisions, for
transposing, for the activation. A small network waits longer for these than for its matrix products. The functions here
compute the same gradients in as few operations as possible.
"""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["ACTIVATIONS", "activated", "folded", "through"]

RELU, TANH = "relu", "tanh"
#: The activation functions between layers.
ACTIVATIONS = (RELU, TANH)
#: Integer types with as many bits: such an integer is negative where the number is.
INTEGERS = {torch.float32: torch.int32, torch.bfloat16: torch.int16}


def through(values: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, activation: str = "") -> torch.Tensor:
    """(n, outputs) of a layer, in the precision of its inputs.

    Args:
        values: (n, inputs).
        weight, bias: (outputs, inputs) and (outputs) float32.
        activation: one of :data:`ACTIVATIONS`; empty for none.
    """
    if not torch.is_grad_enabled():
        return output(values, weight, bias, activation)
    found: torch.Tensor = Through.apply(values, weight, bias, activation)
    return found


def activated(sums: torch.Tensor, activation: str, precision: torch.dtype) -> torch.Tensor:
    """(n, H) in this precision: the activation of sums.

    Args:
        sums: (n, H).
        activation: one of :data:`ACTIVATIONS`.
        precision: float32 or bfloat16.
    """
    if not torch.is_grad_enabled():
        return activate(sums.to(precision), activation)
    found: torch.Tensor = Activated.apply(sums, activation, precision)
    return found


def folded(
    weight: torch.Tensor, bias: torch.Tensor, scale: torch.Tensor, offset: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and biases of a first layer for unscaled numbers, equal to a layer that takes ``scale * (number +
    offset)``.

    Args:
        weight, bias: (H, F) and (H).
        scale: (F).
        offset: (F or fewer): of the first numbers; that of the others is 0.
    """
    found: tuple[torch.Tensor, torch.Tensor] = Folded.apply(weight, bias, scale, offset)
    return found


class Through(torch.autograd.Function):
    """:func:`through`."""

    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, activation: str) -> Any:
        """See :func:`through`."""
        weight = weight.to(values.dtype)
        found = output(values, weight, bias, activation)
        ctx.activation = activation
        ctx.save_for_backward(values, weight, found)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradients of the inputs, if needed, and of weights and biases."""
        values, weight, found = ctx.saved_tensors
        gradient = go_back(gradients[0], found, ctx.activation)
        of_values = gradient @ weight if ctx.needs_input_grad[0] else None
        wide = values.shape[1] < gradient.shape[1]  # a product is faster with fewer rows than columns
        of_weight = (values.T @ gradient).T if wide else gradient.T @ values
        return of_values, of_weight.float(), gradient.sum(0).float(), None


class Activated(torch.autograd.Function):
    """:func:`activated`."""

    @staticmethod
    def forward(ctx: Any, sums: torch.Tensor, activation: str, precision: torch.dtype) -> Any:
        """See :func:`activated`."""
        found = activate(sums.to(precision, copy=True), activation)
        ctx.before = activation, sums.dtype
        ctx.save_for_backward(found)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradient of the sums."""
        (found,), (activation, precision) = ctx.saved_tensors, ctx.before
        return go_back(gradients[0], found, activation).to(precision), None, None


class Folded(torch.autograd.Function):
    """:func:`folded`."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, bias: torch.Tensor, scale: torch.Tensor, offset: torch.Tensor) -> Any:
        """See :func:`folded`."""
        found = weight.new_empty(
            weight.shape[::-1]
        ).T  # the weights of one input are contiguous, as sums of changes need them
        torch.mul(weight, scale, out=found)
        ctx.save_for_backward(scale, offset)
        return found, torch.addmv(bias, found[:, : len(offset)], offset)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        """The gradients of weights and biases."""
        (of_weight, of_bias), (scale, offset) = gradients, ctx.saved_tensors
        found = torch.mul(of_weight, scale, out=of_weight.new_empty(of_weight.shape))
        found[:, : len(offset)].addr_(of_bias, offset * scale[: len(offset)])
        return found, of_bias, None, None


def output(values: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, activation: str) -> torch.Tensor:
    """See :func:`through`."""
    found = torch.nn.functional.linear(values, weight.to(values.dtype), bias.to(values.dtype))
    return activate(found, activation)


def activate(sums: torch.Tensor, activation: str) -> torch.Tensor:
    """The activation of sums, computed in place."""
    if activation == RELU:
        sums.view(INTEGERS[sums.dtype]).clamp_min_(0)  # several times as fast; a NaN may become 0
    elif activation == TANH:
        sums.tanh_()
    return sums


def go_back(gradient: torch.Tensor, found: torch.Tensor, activation: str) -> torch.Tensor:
    """The gradient of the sums, from that of their activation ``found``."""
    if activation == RELU:
        integers = INTEGERS[found.dtype]
        of_sums = torch.ops.aten.threshold_backward(gradient.view(integers), found.view(integers), 0)
        return of_sums.view(found.dtype)
    if activation == TANH:
        return torch.ops.aten.tanh_backward(gradient, found)
    return gradient
