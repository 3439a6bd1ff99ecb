# /// script
# requires-python = ">=3.11"
# dependencies = ["open_spiel==2.0.2", "dm-tree==0.1.10", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.3
# ///
"""OpenSpiel: external-sampling MCCFR solves the preset `small` of BraveRats, measured by exact best responses.

Importing `rat_envs.api.openspiel` registers every game as a Python game, with true chance nodes and perfect recall. A
small one is best converted to a tree that OpenSpiel keeps in C++, where its solvers run hundreds of times as fast.
"""

import sys

import pyspiel

import rat_envs.api.openspiel  # noqa: F401  # registers the games

seed = int(sys.argv[1]) if sys.argv[1:] else 0
game = pyspiel.convert_to_cached_tree(pyspiel.load_game("python_rat_brave_rats(preset=small)"))
solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed)


def measure(policy):
    """The mean return, over both seats, against whoever knows the policy and plays best."""
    return -pyspiel.nash_conv(game, policy, use_state_get_policy=True) / 2


before = measure(pyspiel.UniformRandomPolicy(game))
for _ in range(20_000):
    solver.run_iteration()
after = measure(solver.average_policy())
print(f"mean return against a best response: before {before:+.2f}, after {after:+.2f}")
