"""A learnt policy: one or several small networks, evaluated in compiled code, saved in a file that cannot execute code.

A network may also say which returns it expects, so that a search can ask it for a position's value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.agents.crossing import Crossed
from rat_envs.agents.learnt import LearntAgent, no_policy
from rat_envs.api.seats import SeatViews
from rat_envs.engine.compile import compiling, of_no_game
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError, ConfigurationError, needing, shown, shown_path
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game
from rat_envs.engine.rows import add_rows, copy_row

__all__ = [
    "Networks",
    "PolicyAgent",
    "demand_sizes",
    "load_stable_baselines3",
    "networks_of",
    "own_values",
    "seat_probabilities",
    "the_one",
    "unscaled",
]

ACTIVATIONS = ("relu", "tanh")
#: Rows that are evaluated at once, so that memory stays bounded.
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Networks:
    """``K`` multi-layer perceptrons of one shape.

    Attributes:
        weights: for each layer (K, inputs, outputs) float32.
        biases: for each layer (K, outputs) float32.
        activation: ``relu`` or ``tanh``, between the layers.
        returns: the last so many outputs are expected returns: of the seat whose view it is, then clockwise.
        crossed: combinations of numbers with parameters of their own; None for none.
        by_seat: whether actions name players by their seats, as PettingZoo's forms do, not as counted from who acts.
    """

    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    activation: str = "tanh"
    returns: int = 0
    crossed: Crossed | None = None
    by_seat: bool = False

    def __len__(self) -> int:
        return len(self.weights[0])

    @property
    def layers(self) -> list[int]:
        """Numbers of inputs, of hidden units and of outputs."""
        return [self.weights[0].shape[1], *(weight.shape[2] for weight in self.weights)]

    def __getitem__(self, chosen: slice | Sequence[int]) -> Networks:
        """Some of the networks."""
        weights, biases = tuple(w[chosen] for w in self.weights), tuple(b[chosen] for b in self.biases)
        crossed = None if self.crossed is None else replace(self.crossed, tables=self.crossed.tables[chosen])
        return replace(self, weights=weights, biases=biases, crossed=crossed)

    @staticmethod
    def stack(networks: Sequence[Networks]) -> Networks:
        """All networks of several that tell the same combinations apart, in their order."""
        weights = tuple(np.concatenate(layer) for layer in zip(*(each.weights for each in networks), strict=True))
        biases = tuple(np.concatenate(layer) for layer in zip(*(each.biases for each in networks), strict=True))
        tables = [each.crossed.tables for each in networks if each.crossed is not None]
        first = networks[0]
        crossed = None if first.crossed is None else replace(first.crossed, tables=np.concatenate(tables))
        return replace(first, weights=weights, biases=biases, crossed=crossed)

    def shape(self) -> dict[str, Any]:
        """What :meth:`from_arrays` needs beside the arrays, as plain values."""
        named = {"by_seat": True} if self.by_seat else {}
        return {"layers": self.layers, "activation": self.activation, "returns": self.returns, **named}

    def outputs(self, observations: np.ndarray) -> np.ndarray:
        """(K, n, outputs) float32 for (n, O) observations: of each action, larger is likelier, then expected returns.

        Where combinations have parameters, observations are int8.
        """
        added = None if self.crossed is None else self.crossed.added(observations)
        results = np.empty((len(self), len(observations), self.layers[-1]), np.float32)
        for k in range(len(self)):
            values = layer(observations, self.weights[0][k], self.biases[0][k])
            if added is not None:
                values += added[k]
            for weights, biases in zip(self.weights[1:], self.biases[1:], strict=True):
                activate(values, self.activation)
                values = layer(values, weights[k], biases[k])
            results[k] = values
        return results

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(K, n, A) float32: each network's softmax over the legal actions.

        Args:
            observations: (n, O) int8.
            masks: (n, A) int8, at least one legal action a row.
        """
        values = self.outputs(observations)[:, :, : masks.shape[1]]
        np.copyto(values, -np.inf, where=masks == 0)
        values -= values.max(axis=2, keepdims=True)
        np.exp(values, out=values)
        values /= values.sum(axis=2, keepdims=True)
        return values

    def arrays(self) -> dict[str, np.ndarray]:
        """The parameters by name, for a file."""
        named = {f"weight_{number}": weight for number, weight in enumerate(self.weights)}
        crossed = {} if self.crossed is None else self.crossed.arrays()
        return {**named, **{f"bias_{number}": bias for number, bias in enumerate(self.biases)}, **crossed}

    @staticmethod
    def from_arrays(
        arrays: Mapping[str, np.ndarray], layers: Sequence[int], activation: str, returns: int = 0
    ) -> Networks:
        """Networks from what :meth:`arrays` and :meth:`shape` returned.

        Raises:
            ValueError: an array is missing or of another shape, or holds something else than finite float32 numbers.
        """
        if activation not in ACTIVATIONS:
            raise ValueError(f"the activation {shown(activation)} is none of {', '.join(ACTIVATIONS)}")
        if not isinstance(layers, list) or len(layers) < 2 or not all(type(size) is int for size in layers):
            raise ValueError(f"the layers {shown(layers)} are no network")
        if type(returns) is not int or not 0 <= returns < layers[-1]:
            raise ValueError(f"{shown(returns)} of {shown(layers[-1])} outputs cannot be returns")
        number = len(layers) - 1
        count = len(arrays["weight_0"]) if "weight_0" in arrays and arrays["weight_0"].ndim else 0
        shapes: dict[str, tuple[int, ...]]
        shapes = {f"weight_{i}": (count, layers[i], layers[i + 1]) for i in range(number)}
        shapes |= {f"bias_{i}": (count, layers[i + 1]) for i in range(number)}
        for name, shape in shapes.items():
            array = arrays.get(name)
            if array is None or array.shape != shape or array.dtype != np.float32 or not count:
                found = "missing" if array is None else f"{array.dtype} of shape {shown(array.shape)}"
                raise ValueError(f"the array {name} is {found}, not float32 of shape {shown(shape)}")
            if not np.isfinite(array).all():
                raise ValueError(f"the array {name} holds numbers that are not finite")
        is_crossed = any(name.startswith("crossed_") for name in arrays)
        crossed = Crossed.from_arrays(arrays, count, layers) if is_crossed else None
        weights = tuple(arrays[f"weight_{i}"] for i in range(number))
        return Networks(weights, tuple(arrays[f"bias_{i}"] for i in range(number)), activation, returns, crossed)


def activate(values: np.ndarray, activation: str) -> None:
    """Apply ``relu`` or ``tanh`` to all values, in place."""
    if activation == "tanh":
        np.tanh(values, out=values)
    else:
        np.maximum(values, 0, out=values)


def layer(inputs: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(n, H) float32: what a layer makes of (n, I) inputs, each row's to the last digit whatever rows are beside it.

    Args:
        weight, bias: (I, H) and (H) float32.
    """
    if not compiling():  # those loops would take a thousand times as long
        return inputs.astype(np.float32) @ weight + bias
    sums = np.empty((len(inputs), len(bias)), np.float32)
    room = np.empty(len(weight), np.int32), np.empty(len(weight), np.float32)
    of_no_game(add_inputs)(np.ascontiguousarray(inputs), weight, bias, *room, sums)
    return sums


def add_inputs(inputs, weight, bias, places, amounts, sums):
    """Write what a layer makes of rows of inputs, most of which are 0: what is observed, and what relu lets through.

    Args:
        inputs, weight, bias: of :func:`layer`.
        places, amounts: (I), room for those inputs of a row that are not 0.
        sums: (n, H) float32, to be written.
    """
    for i in range(len(inputs)):
        number = 0
        for place in range(inputs.shape[1]):
            places[number], amounts[number] = place, inputs[i, place]
            number += inputs[i, place] != 0
        copy_row(bias, sums[i])
        add_rows(sums[i], weight, places, amounts, 0, number)


def seat_probabilities(
    networks: Networks, views: SeatViews, rows: slice = slice(None), inputs: np.ndarray | None = None
) -> np.ndarray:
    """(K, n, A) float32: each network's probabilities of the game's actions, for some of the seats.

    To the networks, players whom actions name are counted from the seat that acts (:class:`LearnerGames`), unless they
    are ``by_seat``.

    Args:
        rows: which of the seats.
        inputs: (n, I) int8, what the networks are given of them; their observations, if it is not given.
    """
    masks = views.masks[rows]
    inputs = views.observations[rows] if inputs is None else inputs
    if networks.by_seat or not views.game.seat_actions:
        return networks.probabilities(inputs, masks)
    meanings = views.game.relative_actions[views.players[rows], views.seats[rows]]
    probabilities = networks.probabilities(inputs, np.take_along_axis(masks, meanings, 1))
    result = np.empty_like(probabilities)
    np.put_along_axis(result, np.broadcast_to(meanings, result.shape), probabilities, 2)
    return result


def own_values(networks: Networks, inputs: np.ndarray) -> np.ndarray:
    """(n) float64: the mean of the returns that networks expect for the seats whose views they are given, (n, I)."""
    own = networks.outputs(inputs)[:, :, -networks.returns]
    return own.mean(axis=0, dtype=np.float64).clip(-1, 1)


def the_one(networks: Networks) -> Networks:
    """One network that expects returns.

    Raises:
        ConfigurationError: there are several, or it expects no returns.
    """
    if len(networks) != 1 or not networks.returns:
        raise ConfigurationError(
            "it cannot guide a search, which takes one network that expects returns, as rat-envs train "
            "--learner ppo saves it."
        )
    return networks


class PolicyAgent(LearntAgent):
    """Plays as networks say: the mean of their action probabilities, a function of the observation alone.

    Args:
        networks: the networks.
        game: what they play.
        config: the configuration they were trained on.
        training: how they came about, as plain values.
        seed: of the agent's own random numbers.

    Raises:
        ValueError: the networks take other observations, or give other actions, than those of the game.
    """

    form = "rat-policy/2"

    def __init__(
        self,
        networks: Networks,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(game, config, training, seed)
        self.networks = networks
        demand_sizes(networks, self.game, len(self.game.actions) + networks.returns)

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the mean over the networks, 0 for what is not legal.

        Raises:
            CheckpointError: the views are of another game, or of another version of it.
        """
        self.demand_game(views.game)
        result = np.empty(views.masks.shape)
        for start in range(0, len(views), CHUNK):
            rows = slice(start, start + CHUNK)
            result[rows] = seat_probabilities(self.networks, views, rows).mean(axis=0, dtype=np.float64)
        return result / result.sum(axis=1, keepdims=True)

    def value_batch(self, views: SeatViews) -> np.ndarray | None:
        """(n) float64: the mean of the returns that the networks expect; None where they were not trained for that.

        Raises:
            CheckpointError: the views are of another game, or of another version of it.
        """
        self.demand_game(views.game)
        if not self.networks.returns:
            return None
        result = np.empty(len(views))
        for start in range(0, len(views), CHUNK):
            rows = slice(start, start + CHUNK)
            result[rows] = own_values(self.networks, views.observations[rows])
        return result

    def guiding(self, players: int) -> Networks:
        """The one network that can guide a search, whatever the number of players.

        Raises:
            ConfigurationError: there are several, or it expects no returns.
        """
        return the_one(self.networks)

    def contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks."""
        return self.networks.shape(), self.networks.arrays()

    @classmethod
    def from_contents(
        cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game, seed: int | None
    ) -> PolicyAgent:
        """An agent from what is in its file."""
        networks = Networks.from_arrays(arrays, header["layers"], header["activation"], header.get("returns", 0))
        if header.get("by_seat", False) is True:
            networks = replace(networks, by_seat=True)
        return cls(networks, game, header["config"], header.get("training"), seed)


def demand_sizes(networks: Networks, game: Game, outputs: int, further: int = 0) -> None:
    """Refuse networks that were made for something else.

    Args:
        outputs: how many they give.
        further: how many numbers they take beside an observation.

    Raises:
        ValueError: they do not take observations of the game, give another number of outputs, or expect returns of
            another number of seats.
    """
    sizes, right = (networks.layers[0], networks.layers[-1]), (game.observation.itemsize + further, outputs)
    if sizes != right:
        raise ValueError(f"it takes {sizes[0]} numbers and gives {sizes[1]}, not {right[0]} and {right[1]}")
    if networks.returns not in (0, game.seats):
        raise ValueError(f"it expects returns of {networks.returns} seats, not of {game.seats}")


def load_stable_baselines3(path: Path, game: str | Game | None, trust: bool, seed: int | None) -> PolicyAgent:
    """The policy of a ``MaskablePPO``, or of a ``PPO`` without masks, that Stable-Baselines3 saved.

    It may have been trained in PettingZoo's parallel form: see :func:`without_wait`.

    Raises:
        CheckpointError: it is not trusted, or made for another game.
        MissingExtraError: Stable-Baselines3 is not installed.
    """
    if not trust:
        raise CheckpointError(
            f"{shown_path(path)} was saved by Stable-Baselines3, and loading it can execute code of whoever wrote it: "
            "if you trust its origin, allow it with --trust, or in Python with load_policy(…, trust=True); what "
            "save_policy then writes is safe everywhere."
        )
    if game is None:
        raise CheckpointError(f"{shown_path(path)} does not say which game it is for: name the game.")
    with needing(f"Reading {shown_path(path)}", "training"):
        from sb3_contrib import MaskablePPO
        from stable_baselines3 import PPO

    model: Any
    try:
        try:
            model = MaskablePPO.load(path, device="cpu")
        except ValueError:  # the class of its policy is another one
            model = PPO.load(path, device="cpu")
    except Exception as error:  # whatever unpacking what somebody else wrote, or was damaged, ends in
        raise no_policy(path, get_game(game), error) from None
    networks = without_wait(networks_of(model.policy), get_game(game))
    try:
        return PolicyAgent(networks, game, seed=seed)
    except ValueError as error:
        raise no_policy(path, get_game(game), error) from None


def without_wait(networks: Networks, game: Game) -> Networks:
    """Networks that were trained in the parallel form without its last action, ``wait``; others as they are.

    Whoever is to act never waits, and an agent is asked for nobody else.
    """
    if networks.layers[-1] != len(game.actions) + 1:
        return networks
    weights = (*networks.weights[:-1], np.ascontiguousarray(networks.weights[-1][:, :, :-1]))
    biases = (*networks.biases[:-1], np.ascontiguousarray(networks.biases[-1][:, :-1]))
    return replace(networks, weights=weights, biases=biases, by_seat=bool(game.seat_actions))


def networks_of(policy: Any) -> Networks:
    """The action network of a policy of ``MaskablePPO`` or ``PPO`` that has networks of its own for actions, copied.

    Raises:
        CheckpointError: its activation or its features extractor is none of those known here, or numbers are not
            finite.
    """
    modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    linear = [module for module in modules if type(module).__name__ == "Linear"]
    others = {type(module).__name__.lower() for module in modules if module not in linear} or {"tanh"}
    activation = others.pop()
    if others or activation not in ACTIVATIONS:
        raise CheckpointError(f"A policy with {activation} between its layers cannot be read: use relu or tanh.")
    weights = tuple(np.array(module.weight.detach().numpy().T[None], np.float32, order="C") for module in linear)
    biases = tuple(np.array(module.bias.detach().numpy()[None], np.float32) for module in linear)
    if not all(np.isfinite(array).all() for array in (*weights, *biases)):
        raise CheckpointError("A policy cannot be read whose numbers are not finite. A smaller learning_rate may help.")
    networks = Networks(weights, biases, activation)
    extractor = policy.features_extractor
    if hasattr(extractor, "spread"):
        return unscaled(networks, extractor, policy.observation_space.shape[0])
    if (name := type(extractor).__name__) != "FlattenExtractor":
        raise CheckpointError(f"A policy with the features extractor {name} cannot be read: use FlattenExtractor.")
    return networks


def unscaled(networks: Networks, extractor: Any, size: int) -> Networks:
    """The same networks for observations of ``size`` numbers as they are, without :class:`Scaled`."""
    inner = networks.weights[0] / extractor.spread.numpy()[:, None]
    first = np.zeros((len(networks), size, inner.shape[2]), np.float32)
    first[:, extractor.columns.numpy()] = inner
    bias = networks.biases[0] - extractor.mean.numpy() @ inner
    return Networks((first, *networks.weights[1:]), (bias, *networks.biases[1:]), networks.activation)
