"""Learning to play: one learner a file, one run for all of them, and what they share."""

import importlib

from rat_envs.engine.errors import needing

with needing("rat_envs.training", "training"):
    for library in ("torch", "stable_baselines3", "sb3_contrib", "filelock", "matplotlib"):
        importlib.import_module(library)
