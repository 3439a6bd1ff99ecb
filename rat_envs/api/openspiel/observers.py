"""Observers of states for OpenSpiel's algorithms: strings and tensors, from one seat's point of view."""

from __future__ import annotations

from typing import Any

import numpy as np

from rat_envs.api.openspiel.node import DIGEST_BITS, Node

__all__ = ["InformationStateObserver", "ObservationObserver"]


def observation_size(root: Node) -> int:
    """The number of numbers in an observation."""
    return root.game.observation.itemsize


class InformationStateObserver:
    """A seat's information state: everything that it has seen and done.

    Attributes:
        tensor: (P + O + 128,) float32: the seat as one of P, its observation at its last decision (or at the end), and
            the digest of its history bit by bit. The digest distinguishes information states; learn from the
            observation.
        dict: the three parts by name, as views.
    """

    def __init__(self, root: Node) -> None:
        sizes = {"player": len(root.histories), "observation": observation_size(root), "history": DIGEST_BITS}
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        parts = np.split(self.tensor, np.cumsum(list(sizes.values()))[:-1])
        self.dict = dict(zip(sizes, parts, strict=True))

    def set_from(self, state: Any, player: int) -> None:
        """Write what ``player`` knows into ``tensor``."""
        history = state.node.histories[player]
        self.dict["player"][:] = np.arange(len(self.dict["player"])) == player
        self.dict["observation"][:] = np.frombuffer(history.observation, np.int8)
        self.dict["history"][:] = np.unpackbits(np.frombuffer(history.digest, np.uint8))

    def string_from(self, state: Any, player: int) -> str:
        """The seat and the digest of its history, in hexadecimal digits."""
        return f"player_{player} {state.node.histories[player].digest.hex()}"


class ObservationObserver:
    """A seat's observation at this node, or at the node before a chance node.

    Attributes:
        tensor: (O,) float32: the observation.
        dict: the same, named ``observation``.
    """

    def __init__(self, root: Node) -> None:
        self.tensor = np.zeros(observation_size(root), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        """Write what ``player`` sees into ``tensor``."""
        self.tensor[:] = np.frombuffer(state.node.observations[player], np.int8)

    def string_from(self, state: Any, player: int) -> str:
        """The observation byte by byte, in hexadecimal digits."""
        return state.node.observations[player].hex()
