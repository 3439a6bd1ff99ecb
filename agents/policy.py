"""A learnt policy: one or several small networks, evaluated in numpy, saved in a file that cannot execute code."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.archive import read_archive, write_archive
from agents.protocol import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["Networks", "PolicyAgent", "load_policy", "save_policy"]

FORMAT = "rat-policy/1"
ACTIVATIONS = ("relu", "tanh")
#: Rows that are evaluated at once, so that memory stays bounded.
CHUNK = 4096
#: Multiplications of one matrix product: so few that the linear algebra library stays on one thread, which on a busy
#: machine is a hundred times faster, and so that a row's result does not depend on the number of threads.
PRODUCT = 250_000


@dataclass(frozen=True, eq=False)
class Networks:
    """``K`` multi-layer perceptrons of one shape.

    Attributes:
        weights: for each layer (K, inputs, outputs) float32.
        biases: for each layer (K, outputs) float32.
        activation: ``relu`` or ``tanh``, between the layers.
    """

    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    activation: str = "tanh"

    def __len__(self) -> int:
        return len(self.weights[0])

    @property
    def layers(self) -> list[int]:
        """Numbers of inputs, of hidden units and of outputs."""
        return [self.weights[0].shape[1], *(weight.shape[2] for weight in self.weights)]

    def __getitem__(self, chosen: slice | Sequence[int]) -> Networks:
        """Some of the networks."""
        return Networks(tuple(w[chosen] for w in self.weights), tuple(b[chosen] for b in self.biases), self.activation)

    @staticmethod
    def stack(networks: Sequence[Networks]) -> Networks:
        """All networks of several, in their order."""
        weights = tuple(np.concatenate(layer) for layer in zip(*(each.weights for each in networks), strict=True))
        biases = tuple(np.concatenate(layer) for layer in zip(*(each.biases for each in networks), strict=True))
        return Networks(weights, biases, networks[0].activation)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """(K, n, A) float32 for (n, O) observations: larger is likelier."""
        rows = len(observations)
        block = max(1, PRODUCT // max(weight[0].size for weight in self.weights))
        values = np.zeros((1, -(-rows // block), block, self.layers[0]), np.float32)
        values.reshape(-1, self.layers[0])[:rows] = observations
        last = len(self.weights) - 1
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = np.matmul(values, weight[:, None])
            values += bias[:, None, None]
            if number < last and self.activation == "tanh":
                np.tanh(values, out=values)
            elif number < last:
                np.maximum(values, 0, out=values)
        return values.reshape(len(self), -1, values.shape[3])[:, :rows]

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(K, n, A) float32: each network's softmax over the legal actions.

        Args:
            observations: (n, O) int8.
            masks: (n, A) int8, at least one legal action a row.
        """
        values = self.logits(observations)
        np.copyto(values, -np.inf, where=masks == 0)
        values -= values.max(axis=2, keepdims=True)
        np.exp(values, out=values)
        values /= values.sum(axis=2, keepdims=True)
        return values

    def arrays(self) -> dict[str, np.ndarray]:
        """The parameters by name, for a file."""
        named = {f"weight_{number}": weight for number, weight in enumerate(self.weights)}
        return {**named, **{f"bias_{number}": bias for number, bias in enumerate(self.biases)}}

    @staticmethod
    def from_arrays(arrays: Mapping[str, np.ndarray], layers: Sequence[int], activation: str) -> Networks:
        """Networks from what :meth:`arrays` returned.

        Raises:
            ValueError: an array is missing or of another shape, or holds something else than finite float32 numbers.
        """
        if activation not in ACTIVATIONS:
            raise ValueError(f"the activation {activation!r} is none of {', '.join(ACTIVATIONS)}")
        if len(layers) < 2:
            raise ValueError(f"the layers {list(layers)} are no network")
        number = len(layers) - 1
        count = len(arrays["weight_0"]) if "weight_0" in arrays and arrays["weight_0"].ndim else 0
        shapes: dict[str, tuple[int, ...]]
        shapes = {f"weight_{i}": (count, layers[i], layers[i + 1]) for i in range(number)}
        shapes |= {f"bias_{i}": (count, layers[i + 1]) for i in range(number)}
        for name, shape in shapes.items():
            array = arrays.get(name)
            if array is None or array.shape != shape or array.dtype != np.float32 or not count:
                found = "missing" if array is None else f"{array.dtype} of shape {array.shape}"
                raise ValueError(f"the array {name} is {found}, not float32 of shape {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"the array {name} holds numbers that are not finite")
        weights = tuple(arrays[f"weight_{i}"] for i in range(number))
        return Networks(weights, tuple(arrays[f"bias_{i}"] for i in range(number)), activation)


def seat_probabilities(networks: Networks, views: SeatViews, rows: slice = slice(None)) -> np.ndarray:
    """(K, n, A) float32: each network's probabilities of the game's actions, for some of the seats.

    To the networks, players whom actions name are counted from the seat that acts (:class:`LearnerGames`).
    """
    masks = views.masks[rows]
    if not views.game.seat_actions:
        return networks.probabilities(views.observations[rows], masks)
    meanings = views.game.relative_actions[views.players[rows], views.seats[rows]]
    probabilities = networks.probabilities(views.observations[rows], np.take_along_axis(masks, meanings, 1))
    result = np.empty_like(probabilities)
    np.put_along_axis(result, np.broadcast_to(meanings, result.shape), probabilities, 2)
    return result


class PolicyAgent(Agent):
    """Plays as networks say: the mean of their action probabilities, a function of the observation alone.

    Args:
        networks: the networks.
        game: what they play.
        config: the configuration they were trained on.
        training: how they came about, as plain values.
        seed: of the agent's own random numbers.
    """

    name = "policy"

    def __init__(
        self,
        networks: Networks,
        game: str | Game,
        config: Mapping[str, Any] | Configuration | None = None,
        training: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(seed)
        self.networks = networks
        self.game = get_game(game)
        self.configuration = self.game.configuration.make(config)
        self.training = dict(training or {})

    def policy(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the mean over the networks, 0 for what is not legal."""
        if views.game is not self.game:
            raise CheckpointError(f"This policy plays {self.game.name}, not {views.game.name}.")
        result = np.empty(views.masks.shape)
        for start in range(0, len(views), CHUNK):
            rows = slice(start, start + CHUNK)
            result[rows] = seat_probabilities(self.networks, views, rows).mean(axis=0, dtype=np.float64)
        return result / result.sum(axis=1, keepdims=True)


def save_policy(path: str | Path, agent: PolicyAgent) -> None:
    """Write the policy to ``path`` (``.npz``); a file that is there stays whole until the new one is complete."""
    header = {
        "format": FORMAT,
        "game": agent.game.name,
        "version": agent.game.version,
        "config": agent.configuration.to_dict(),
        "observation_size": agent.game.observation.itemsize,
        "actions": len(agent.game.actions),
        "activation": agent.networks.activation,
        "layers": agent.networks.layers,
        "training": agent.training,
    }
    write_archive(path, header, agent.networks.arrays())


def load_policy(
    path: str | Path, game: str | Game | None = None, seed: int | None = None, *, trust: bool = False
) -> PolicyAgent:
    """A saved policy.

    Args:
        path: a file of :func:`save_policy`; with ``trust`` also a zip file that Stable-Baselines3 saved.
        game: the game it has to be for; any, if not given.
        seed: of the agent's own random numbers.
        trust: load a file that may execute code of whoever wrote it.

    Raises:
        CheckpointError: there is no such file, it is damaged, no policy, for another game or another version, or it
            would have to be trusted.
    """
    path = Path(path)
    if _is_stable_baselines3(path):
        return _load_stable_baselines3(path, game, trust, seed)
    header, arrays = read_archive(path, FORMAT, "policy")
    found = check_game(path, "policy", header, game)
    try:
        layers = [int(size) for size in header["layers"]]
        networks = Networks.from_arrays(arrays, layers, header["activation"])
        agent = PolicyAgent(networks, found, header["config"], header.get("training"), seed)
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is no policy of {found.name}: {error}.") from None
    _check_sizes(path, networks, found)
    return agent


def check_game(path: Path, what: str, header: Mapping[str, Any], game: str | Game | None) -> Game:
    """The game a file is for.

    Raises:
        CheckpointError: it is for another game than ``game`` or another version of it.
    """
    name, version = header.get("game"), header.get("version")
    wanted = get_game(name if game is None and isinstance(name, str) else game or "")
    if name != wanted.name:
        raise CheckpointError(f"{path} is a {what} for {name}: one for {wanted.name} is needed.")
    if version != wanted.version:
        raise CheckpointError(
            f"{path} is a {what} for version {version} of {name}, but this is version {wanted.version}: train anew."
        )
    return wanted


def _check_sizes(path: Path, networks: Networks, game: Game) -> None:
    sizes = networks.layers[0], networks.layers[-1]
    right = game.observation.itemsize, len(game.actions)
    if sizes != right:
        raise CheckpointError(
            f"{path} takes {sizes[0]} numbers and gives {sizes[1]} actions: {game.name} has {right[0]} and {right[1]}."
        )


def _is_stable_baselines3(path: Path) -> bool:
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "_stable_baselines3_version" in archive.namelist()


def _load_stable_baselines3(path: Path, game: str | Game | None, trust: bool, seed: int | None) -> PolicyAgent:
    if not trust:
        raise CheckpointError(
            f"{path} was saved by Stable-Baselines3, and loading it can execute code of whoever wrote it: "
            "pass --trust if you trust its origin."
        )
    if game is None:
        raise CheckpointError(f"{path} does not say which game it is for: name the game.")
    from sb3_contrib import MaskablePPO

    networks = networks_of(MaskablePPO.load(path, device="cpu").policy)
    agent = PolicyAgent(networks, game, seed=seed)
    _check_sizes(path, networks, agent.game)
    return agent


def networks_of(policy: Any) -> Networks:
    """The action network of a policy of ``MaskablePPO`` with separate networks for actions and value, copied."""
    modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    linear = [module for module in modules if hasattr(module, "weight")]
    others = {type(module).__name__.lower() for module in modules if not hasattr(module, "weight")} or {"tanh"}
    activation = others.pop()
    if others or activation not in ACTIVATIONS:
        raise CheckpointError(f"A policy with {activation} between its layers cannot be read: use relu or tanh.")
    weights = tuple(np.array(module.weight.detach().numpy().T[None], np.float32, order="C") for module in linear)
    biases = tuple(np.array(module.bias.detach().numpy()[None], np.float32) for module in linear)
    extractor = policy.features_extractor
    if hasattr(extractor, "spread"):  # numbers that are left out, and those that are brought to one scale
        inner = weights[0] / extractor.spread.numpy()[:, None]
        first = np.zeros((1, policy.observation_space.shape[0], inner.shape[2]), np.float32)
        first[:, extractor.columns.numpy()] = inner
        weights, biases = (first, *weights[1:]), (biases[0] - extractor.mean.numpy() @ inner, *biases[1:])
    return Networks(weights, biases, activation)
