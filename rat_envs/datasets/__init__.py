"""Datasets: recorded games as arrays of transitions, to learn from without an environment."""

from rat_envs.datasets.folder import load_transitions, read_manifest, write_transitions
from rat_envs.datasets.rows import game_transitions, stream_transitions, with_next

__all__ = [
    "game_transitions",
    "load_transitions",
    "read_manifest",
    "stream_transitions",
    "with_next",
    "write_transitions",
]
