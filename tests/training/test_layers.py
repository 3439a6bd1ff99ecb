"""Layers whose gradients are written down: what they say, and their gradients, are those that autograd finds."""

import copy

import pytest
import torch
from torch import nn

from rat_envs.training.descent import Descent
from rat_envs.training.layers import ACTIVATIONS, activated, folded, through

FUNCTIONS = {"relu": torch.relu, "tanh": torch.tanh, "": lambda values: values}
PRECISIONS = {torch.float32: 1e-5, torch.bfloat16: 2e-2}


def drawn(*shapes):
    torch.manual_seed(3)
    return [torch.randn(shape, requires_grad=True) for shape in shapes]


def same_gradients(found, expected, leaves, tolerance):
    assert found.dtype == expected.dtype and torch.allclose(found, expected, atol=tolerance)
    factors = torch.randn(found.shape).to(found.dtype)
    for one, other in zip(*(torch.autograd.grad(each, leaves, factors) for each in (found, expected)), strict=True):
        assert one.dtype == other.dtype and other.abs().max() > 0.01
        assert torch.allclose(one, other, atol=tolerance * other.abs().max())


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("activation", ["", *ACTIVATIONS])
@pytest.mark.parametrize("outputs", [3, 30])
def test_through_a_layer(outputs, activation, precision):
    values, *layer = drawn((20, 7), (outputs, 7), (outputs,))
    given = values.to(precision)
    expected = FUNCTIONS[activation](nn.functional.linear(given, *(each.to(precision) for each in layer)))
    found = through(given, *layer, activation)
    same_gradients(found, expected, [values, *layer], PRECISIONS[precision])
    with torch.no_grad():
        assert torch.equal(through(given, *layer, activation), found)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_an_activation(activation, precision):
    (sums,) = drawn((20, 7))
    before = sums.detach().clone()
    same_gradients(
        activated(sums, activation, precision), FUNCTIONS[activation](sums.to(precision)), [sums], PRECISIONS[precision]
    )
    assert torch.equal(sums, before), "what is activated stays as it was"


@pytest.mark.parametrize("precision", PRECISIONS)
def test_nothing_below_0_passes_a_relu(precision):
    numbers = torch.tensor([0.0, -0.0, 1e-38, -1e-38, 3.5, -3.5, float("inf"), -float("inf")])
    assert torch.equal(activated(numbers, "relu", precision), torch.relu(numbers.to(precision)))


@pytest.mark.parametrize("moved", [5, 3])
def test_a_first_layer_for_numbers_as_they_are(moved):
    weight, bias = drawn((4, 5), (4,))
    scale, offset = torch.rand(5) + 0.5, torch.randn(moved)
    numbers = torch.randn(20, 5)
    shifted = numbers + torch.cat([offset, torch.zeros(5 - moved)])
    expected = nn.functional.linear(shifted * scale, weight, bias)
    found = nn.functional.linear(numbers, *folded(weight, bias, scale, offset))
    same_gradients(found, expected, [weight, bias], 1e-5)


def test_steps_are_those_of_adam_with_gradients_of_a_greatest_length():
    torch.manual_seed(4)
    network = nn.Sequential(nn.Linear(5, 4), nn.Linear(4, 3))
    other = copy.deepcopy(network)
    descent, adam = Descent(network, 1e-2, 0.5), torch.optim.Adam(other.parameters(), 1e-2, eps=1e-5)
    for step in range(20):
        descent.rate = adam.param_groups[0]["lr"] = 1e-2 / (1 + step)
        inputs = torch.randn(7, 5) * (step % 4) / 10  # some gradients are short, some long, and some nothing
        descent.step(descent.gradient([network(inputs).square().sum()]))
        adam.zero_grad()
        other(inputs).square().sum().backward()
        nn.utils.clip_grad_norm_(other.parameters(), 0.5)
        adam.step()
        for one, another in zip(network.parameters(), other.parameters(), strict=True):
            assert torch.allclose(one, another, atol=1e-6)


def test_a_gradient_is_that_of_all_parameters():
    torch.manual_seed(6)
    network = nn.Sequential(nn.Linear(5, 4), nn.Linear(4, 3))
    descent = Descent(network, 1e-2, 0.5)
    middle = network[0](torch.randn(7, 5))
    gradients = torch.randn(7, 4)
    expected = torch.autograd.grad((middle * gradients).sum(), list(network[0].parameters()), retain_graph=True)
    found = descent.gradient([middle], [gradients])
    assert torch.allclose(found[:24], torch.cat([each.flatten() for each in expected]))
    assert not found[24:].any() and len(found) == 24 + 15


def test_a_step_goes_on_from_what_was_kept():
    torch.manual_seed(5)
    network = nn.Linear(3, 2)
    descent = Descent(network, 1e-2, 0.5)

    def step(network, descent):
        descent.step(descent.gradient([network(torch.ones(1, 3)).square().sum()]))

    step(network, descent)
    other = copy.deepcopy(network)
    again = Descent(other, 1e-2, 0.5)
    again.set_state(descent.get_state())
    for each in (network, descent), (other, again):
        step(*each)
    assert torch.equal(network.weight, other.weight) and torch.equal(network.bias, other.bias)
    with pytest.raises(ValueError, match="means of 8 parameters, not of 3"):
        Descent(nn.Linear(2, 1), 1e-2, 0.5).set_state(descent.get_state())
