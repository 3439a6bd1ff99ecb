"""Learning to play: one learner a file, one run for all of them, and what they share."""

import importlib
import os

from rat_envs.engine.errors import needing

#: How often a thread of PyTorch looks for work before it sleeps (libgomp): some 50 µs in place of 20 ms, for which it
#: would keep a core from who needs it. The library reads it when it is loaded.
SPINS = "1000"
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)

with needing("rat_envs.training", "training"):
    for library in ("torch", "stable_baselines3", "sb3_contrib", "filelock", "matplotlib"):
        importlib.import_module(library)
