"""A learnt policy: one or several small networks, evaluated in compiled code, saved in a file that cannot execute code.

A network may also give expected returns, so that a search can use them as a position's value.
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
from rat_envs.engine.errors import CheckpointError, ConfigurationError, needing, reason_of, shown, shown_path
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game
from rat_envs.engine.rows import add_rows, copy_row

__all__ = [
    "NetworkAgent",
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


@dataclass(frozen=True, eq=False)
class Networks:
    """``K`` multi-layer perceptrons of one shape.

    Attributes:
        weights: for each layer (K, inputs, outputs) float32.
        biases: for each layer (K, outputs) float32.
        activation: ``relu`` or ``tanh``, between the layers.
        returns: how many of the last outputs are expected returns: first that of the seat whose view it is, then
            clockwise.
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
        """Join several groups of networks that distinguish the same combinations, in their order."""
        weights = tuple(np.concatenate(layer) for layer in zip(*(each.weights for each in networks), strict=True))
        biases = tuple(np.concatenate(layer) for layer in zip(*(each.biases for each in networks), strict=True))
        tables = [each.crossed.tables for each in networks if each.crossed is not None]
        first = networks[0]
        crossed = None if first.crossed is None else replace(first.crossed, tables=np.concatenate(tables))
        return replace(first, weights=weights, biases=biases, crossed=crossed)

    @staticmethod
    def from_layers(
        weights: Sequence[Any], biases: Sequence[Any], *, by_seat: bool, activation: str = "tanh", returns: int = 0
    ) -> Networks:
        """One network from layers of another library, to be played by a :class:`PolicyAgent`.

        Args:
            weights: for each layer (inputs, outputs) numbers: of PyTorch's ``Linear`` the ``weight``, transposed.
            biases: for each layer (outputs) numbers.
            by_seat: how its actions name players. True if it learnt from records, transitions, a ``Batch`` or
                PettingZoo's forms, which name them by their seats; False if it learnt in ``rat_envs.single``,
                ``make_vec`` or :class:`LearnerGames`, which count them from the learner's seat. In games whose actions
                name nobody it makes no difference.
            activation, returns: as for the class.

        Raises:
            ConfigurationError: these are no layers of a network, or numbers are not finite.
        """
        if not isinstance(by_seat, bool):
            raise ConfigurationError(f"by_seat={shown(by_seat)}: must be True or False.")
        try:
            layers = [np.array(np.asarray(weight), np.float32, ndmin=2, order="C") for weight in weights]
            arrays = {f"weight_{i}": weight[None] for i, weight in enumerate(layers)}
            arrays |= {f"bias_{i}": np.array(np.asarray(bias), np.float32)[None] for i, bias in enumerate(biases)}
            if not layers or len(layers) != len(biases):
                raise ValueError(f"there are {len(layers)} weights and {len(biases)} biases")
            sizes = [layers[0].shape[0], *(weight.shape[1] for weight in layers)]
            networks = Networks.from_arrays(arrays, sizes, activation, returns)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ConfigurationError(f"These layers are no network: {reason_of(error)}.") from error
        return replace(networks, by_seat=by_seat)

    def shape(self) -> dict[str, Any]:
        """The arguments of :meth:`from_arrays` besides the arrays, as plain values."""
        named = {"by_seat": True} if self.by_seat else {}
        return {"layers": self.layers, "activation": self.activation, "returns": self.returns, **named}

    def outputs(self, observations: np.ndarray) -> np.ndarray:
        """(K, n, outputs) float32 for (n, O) observations: a logit for each action, then expected returns.

        If combinations have parameters, observations must be int8.
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
        """Make networks from the results of :meth:`arrays` and :meth:`shape`.

        Raises:
            ValueError: an array is missing, has another shape, or holds anything but finite float32 numbers.
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
    """(n, H) float32: the outputs of a layer for (n, I) inputs. Each row's are the same to the last digit, whatever the
    other rows are.

    Args:
        weight, bias: (I, H) and (H) float32.
    """
    if not compiling():  # interpreted loops would take a thousand times as long
        return inputs.astype(np.float32) @ weight + bias
    sums = np.empty((len(inputs), len(bias)), np.float32)
    room = np.empty(len(weight), np.int32), np.empty(len(weight), np.float32)
    of_no_game(add_inputs)(np.ascontiguousarray(inputs), weight, bias, *room, sums)
    return sums


def add_inputs(inputs, weight, bias, places, amounts, sums):
    """Write the outputs of a layer for rows of inputs most of which are 0: observations, and outputs of relu.

    Args:
        inputs, weight, bias: of :func:`layer`.
        places, amounts: (I), room for the inputs of a row that are not 0.
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
    """(K, n, A) float32: each network's probabilities of the game's actions, for some seats.

    The networks count the players that actions name from the seat that acts (:class:`LearnerGames`), unless they are
    ``by_seat``.

    Args:
        rows: the seats, by their number in ``views``.
        inputs: (n, I) int8, the networks' inputs; the seats' observations, if not given.
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
    """(n) float64: the mean of the returns that the networks expect for the seats with these (n, I) inputs."""
    own = networks.outputs(inputs)[:, :, -networks.returns]
    return own.mean(axis=0, dtype=np.float64).clip(-1, 1)


def the_one(networks: Networks) -> Networks:
    """The only network, which must give expected returns.

    Raises:
        ConfigurationError: there are several, or it gives no expected returns.
    """
    if len(networks) != 1 or not networks.returns:
        raise ConfigurationError(
            "it cannot guide a search, which takes one network that expects returns, as rat-envs train "
            "--learner ppo saves it."
        )
    return networks


class NetworkAgent(LearntAgent):
    """Plays by networks, with the mean of their action probabilities.

    Args:
        networks: the networks.
        game: the game that they play.
        config: the configuration they were trained on.
        training: how they were trained, as plain values.
        seed: seed of the agent's own random numbers.

    Raises:
        ValueError: the numbers of inputs or outputs of the networks do not fit the game.
    """

    #: The most seats that are evaluated at once, so that memory stays bounded.
    most_at_once = 4096

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
        self.prepare()

    def prepare(self) -> None:
        """Set what follows from the networks' sizes, and refuse networks of another game.

        Raises:
            ValueError: the numbers of inputs or outputs of the networks do not fit the game.
        """
        raise NotImplementedError

    def inputs(self, views: SeatViews, rows: slice) -> np.ndarray:
        """(n, I) int8: the inputs of the networks for some of the seats."""
        return views.observations[rows]

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the mean over the networks, 0 for illegal actions.

        Raises:
            CheckpointError: the views are of another game, or of another version of it.
            ConfigurationError: the networks need decisions of the seats that are not recorded.
        """
        self.demand_game(views.game)
        result = np.empty(views.masks.shape)
        for rows in self._parts(len(views)):
            inputs = self.inputs(views, rows)
            result[rows] = seat_probabilities(self.networks, views, rows, inputs).mean(axis=0, dtype=np.float64)
        return result / result.sum(axis=1, keepdims=True)

    def value_batch(self, views: SeatViews) -> np.ndarray | None:
        """(n) float64: the mean of the returns that the networks expect; None if they give none.

        Raises:
            CheckpointError, ConfigurationError: as :meth:`policy_batch`.
        """
        self.demand_game(views.game)
        if not self.networks.returns:
            return None
        result = np.empty(len(views))
        for rows in self._parts(len(views)):
            result[rows] = own_values(self.networks, self.inputs(views, rows))
        return result

    def _parts(self, number: int) -> list[slice]:
        return [slice(start, start + self.most_at_once) for start in range(0, number, self.most_at_once)]

    def contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The networks."""
        return self.networks.shape(), self.networks.arrays()


class PolicyAgent(NetworkAgent):
    """A function of the observation alone. Args and errors are those of :class:`NetworkAgent`."""

    form = "rat-policy/2"

    def prepare(self) -> None:
        """Refuse networks of another game; errors are those of :meth:`NetworkAgent.prepare`."""
        demand_sizes(self.networks, self.game, len(self.game.actions) + self.networks.returns)

    def guiding(self, players: int) -> Networks:
        """The one network that can guide a search, whatever the number of players.

        Raises:
            ConfigurationError: there are several, or it gives no expected returns.
        """
        return the_one(self.networks)

    @classmethod
    def from_contents(
        cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game, seed: int | None
    ) -> PolicyAgent:
        """Make an agent from the contents of its file."""
        networks = Networks.from_arrays(arrays, header["layers"], header["activation"], header.get("returns", 0))
        if header.get("by_seat", False) is True:
            networks = replace(networks, by_seat=True)
        return cls(networks, game, header["config"], header.get("training"), seed)


def demand_sizes(networks: Networks, game: Game, outputs: int, further: int = 0) -> None:
    """Refuse networks of other sizes.

    Args:
        outputs: the number of outputs that they must have.
        further: the number of inputs that they must have besides an observation.

    Raises:
        ValueError: they have another number of inputs or outputs, or give expected returns for another number of seats.
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
        CheckpointError: it is not trusted, or it is for another game.
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
        except ValueError:  # a PPO without masks has another class of policy
            model = PPO.load(path, device="cpu")
    except Exception as error:  # unpickling a damaged or foreign file can raise anything
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
    """A copy of the action network of a policy of ``MaskablePPO`` or ``PPO``; actions must have layers of their own.

    Raises:
        CheckpointError: its activation or its features extractor is not supported, or numbers are not finite.
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
    """The same networks for unscaled observations of ``size`` numbers, without :class:`Scaled`."""
    inner = networks.weights[0] / extractor.spread.numpy()[:, None]
    first = np.zeros((len(networks), size, inner.shape[2]), np.float32)
    first[:, extractor.columns.numpy()] = inner
    bias = networks.biases[0] - extractor.mean.numpy() @ inner
    return Networks((first, *networks.weights[1:]), (bias, *networks.biases[1:]), networks.activation)
