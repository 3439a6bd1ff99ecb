"""The networks of learnt policies: what their layers come to, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_policies import after_moves, some_networks

from rat_envs.agents import policy
from rat_envs.agents.policy import Networks
from rat_envs.engine.registry import get_game

GAME = get_game("comme_des_rats")


def observations() -> np.ndarray:
    return after_moves("comme_des_rats", {"players": 4}, 30, 50).observations


def by_hand(networks: Networks, seen: np.ndarray) -> np.ndarray:
    """(K, n, outputs) float64."""
    results = []
    for k in range(len(networks)):
        values = seen.astype(np.float64)
        for number, (weights, biases) in enumerate(zip(networks.weights, networks.biases, strict=True)):
            if number:
                values = np.tanh(values) if networks.activation == "tanh" else np.maximum(values, 0)
            values = values @ weights[k] + biases[k]
            if number == 0 and networks.crossed is not None:
                values += networks.crossed.added(seen)[k]
        results.append(values)
    return np.stack(results)


SHAPES = [
    {"hidden": ()},
    {"hidden": (20,)},
    {"hidden": (20, 9), "activation": "tanh"},
    {"hidden": (20, 9, 5), "crossed": 3},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_layers_are_sums_of_products(shape: dict) -> None:
    networks, seen = some_networks(GAME, **shape), observations()
    assert np.allclose(networks.outputs(seen), by_hand(networks, seen), atol=1e-4)


def test_several_networks_are_asked_each_for_itself() -> None:
    one, other, seen = some_networks(GAME), some_networks(GAME, scale=0.3), observations()
    both = Networks.stack([one, other]).outputs(seen)
    assert np.array_equal(both, np.concatenate([one.outputs(seen), other.outputs(seen)]))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_row_comes_to_the_same_to_the_last_digit_whatever_is_beside_it(shape: dict) -> None:
    networks, seen = some_networks(GAME, **shape), observations()
    together = networks.outputs(seen)
    assert np.array_equal(together, np.concatenate([networks.outputs(seen[[i]]) for i in range(len(seen))], axis=1))
    assert np.array_equal(together[:, ::2], networks.outputs(seen[::2]))
    assert networks.outputs(seen[:0]).shape == (1, 0, together.shape[2])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_interpreted_it_comes_to_nearly_the_same(shape: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    networks, seen = some_networks(GAME, **shape), observations()
    compiled = networks.outputs(seen)
    monkeypatch.setattr(policy, "compiling", lambda: False)
    assert np.allclose(networks.outputs(seen), compiled, atol=1e-4)


def test_what_is_added_up_in_which_order_depends_on_no_processor() -> None:
    """Four inputs that are not 0 at a time, the others one by one."""
    seen = np.array([[0, 3, 0, -2, 1, 5, 0, 7, 0]], np.int8)
    weight = np.random.default_rng(1).normal(size=(9, 40)).astype(np.float32)
    bias = np.random.default_rng(2).normal(size=40).astype(np.float32)
    a, b, c, d, e = (np.float32(seen[0, k]) * weight[k] for k in (1, 3, 4, 5, 7))
    assert np.array_equal(policy.layer(seen, weight, bias)[0], (bias + (a + b + (c + d))) + e)
