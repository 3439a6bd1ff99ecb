"""Gradient steps over all parameters of a network as one array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.optim.adam import adam

__all__ = ["Descent"]

#: The arrays that a checkpoint keeps.
KEPT = ("steps", "means", "squares")


class WithGradients(torch.autograd.Function):
    """A loss of which only the gradient is known.

    ``torch.autograd.grad`` takes gradients of outputs as well, and imports SymPy to compare their shapes, which takes
    most of a second.
    """

    @staticmethod
    def forward(ctx: Any, gradients: Sequence[torch.Tensor], *outputs: torch.Tensor) -> torch.Tensor:
        """() zero, whose gradient is ``gradients``, one for each output."""
        ctx.gradients = gradients
        return outputs[0].new_zeros(())

    @staticmethod
    def backward(ctx: Any, *_: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """The gradients, whatever the gradient of the zero."""
        return None, *ctx.gradients


class Descent:
    """Adam (Kingma and Ba 2015), which shortens gradients that are too long (Pascanu, Mikolov and Bengio 2013).

    PyTorch goes from one parameter to the next, with several small operations for each. For a small network that takes
    longer than computing the gradients. So all parameters of a network become parts of one array.

    Args:
        network: the network whose parameters change. It must not be moved to another device from now on.
        rate: the learning rate.
        max_gradient_norm: longer gradients are shortened to this.
        epsilon: number added to the square root of the mean square, by which the mean is divided.

    Attributes:
        steps: () float32: the number of steps so far.
        means, squares: float32: running means of the gradients of all parameters, and of their squares.
    """

    def __init__(self, network: nn.Module, rate: float, max_gradient_norm: float, epsilon: float = 1e-5) -> None:
        self.rate, self.max_gradient_norm, self.epsilon = rate, max_gradient_norm, epsilon
        self.parameters = list(network.parameters())
        self.all = torch.cat([each.detach().flatten() for each in self.parameters])
        parts = self.all.split([each.numel() for each in self.parameters])
        for parameter, part in zip(self.parameters, parts, strict=True):
            parameter.data = part.view_as(parameter)
        self.steps = torch.zeros((), device=self.all.device)
        self.means, self.squares = torch.zeros_like(self.all), torch.zeros_like(self.all)

    def gradient(
        self, outputs: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor] | None = None
    ) -> torch.Tensor:
        """The gradient of all parameters as one array; 0 for parameters on which nothing depends.

        Args:
            outputs: outputs of the network.
            gradients: the gradient of each of them; if not given, there is one output, the loss itself.
        """
        (loss,) = outputs if gradients is None else (WithGradients.apply(gradients, *outputs),)
        found = torch.autograd.grad(loss, self.parameters, allow_unused=True)
        pairs = zip(found, self.parameters, strict=True)
        return torch.cat([torch.zeros_like(one).flatten() if each is None else each.flatten() for each, one in pairs])

    @torch.no_grad()
    def step(self, gradient: torch.Tensor) -> None:
        """One step by :meth:`gradient`."""
        length = torch.linalg.vector_norm(gradient)
        adam(
            [self.all],
            [gradient],
            [self.means],
            [self.squares],
            [],
            [self.steps],
            fused=True,
            grad_scale=(length / self.max_gradient_norm).clamp_(min=1),
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=self.rate,
            weight_decay=0.0,
            eps=self.epsilon,
            maximize=False,
        )

    def get_state(self) -> dict[str, np.ndarray]:
        """The number of steps, and the running means."""
        return {name: getattr(self, name).cpu().numpy() for name in KEPT}

    def set_state(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from :meth:`get_state`.

        Raises:
            KeyError, ValueError: something is missing, or is of another network.
        """
        for name in KEPT:
            room, array = getattr(self, name), arrays[name]
            if array.shape != room.shape:
                raise ValueError(f"{name} of {array.size} parameters, not of {room.numel()}")
            room.copy_(torch.from_numpy(array))
