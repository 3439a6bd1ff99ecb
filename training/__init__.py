"""Learning to play: one learner a file, one run for all of them, and what they share."""

import importlib
import os

from rat_envs.engine.errors import needing

#: How often a thread of PyTorch looks for work before it sleeps. Usually it is 300,000 times (libgomp's manual), which
#: keeps the core from other programs. The library reads it when it is loaded.
SPINS = "1000"
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)

with needing("rat_envs.training", "training"):
    for library in ("torch", "stable_baselines3", "sb3_contrib", "filelock", "matplotlib"):
        importlib.import_module(library)
