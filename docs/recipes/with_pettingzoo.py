# /// script
# requires-python = ">=3.11"
# dependencies = ["pettingzoo==1.27.0", "rat-envs"]
#
# [tool.uv.sources]
# rat-envs = { path = "../.." }
#
# [tool.rat-envs]
# margin = 0.5
# ///
"""PettingZoo wrappers: policy gradients in NumPy learn the rules of BraveRats, and to win against `greedy`.

The environments pass PettingZoo's own tests, so that its wrappers fit. `TerminateIllegalWrapper` ends the game at an
illegal action, and whoever plays it has lost: a learner that ignores the mask learns from that what is legal.

`aec_to_parallel` refuses these environments, because they say `is_parallelizable: False`: not everybody acts all the
time. Where choices are made at once, `rat_envs.make_parallel("brave_rats")` lets both act in one step.
"""

import sys

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

import rat_envs
from rat_envs.agents import make_agent

EnvLogger.suppress_output()  # a line for every illegal action
random = np.random.default_rng(int(sys.argv[1]) if sys.argv[1:] else 0)
env = OrderEnforcingWrapper(TerminateIllegalWrapper(rat_envs.make("brave_rats"), illegal_reward=-1))
opponent = make_agent("greedy", "brave_rats", seed=0)
inputs, actions = env.observation_space("player_0")["observation"].shape[0], env.action_space("player_0").n
weights = np.zeros((inputs + 1, actions))


def play(learner):
    """One game: what the learner saw, how what it did should become likelier, and its return."""
    env.reset(seed=int(random.integers(2**32)))
    seen, pulls, result = [], [], 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if agent == learner:
            result += reward
        if terminated or truncated:
            action = None
        elif agent == learner:
            vector = np.append(observation["observation"], 1).clip(-1, 1)
            chances = np.exp(vector @ weights - (vector @ weights).max())
            chances /= chances.sum()
            action = random.choice(actions, p=chances)
            seen.append(vector)
            pulls.append(np.eye(actions)[action] - chances)
        else:
            action = opponent.act(env)
        env.step(action)
    return np.array(seen), np.array(pulls), result


def measure():
    return np.mean([play(f"player_{game % 2}")[2] for game in range(200)])


before, usual = measure(), 0.0
for game in range(2000):
    seen, pulls, result = play(f"player_{game % 2}")
    weights += 0.05 * (result - usual) * seen.T @ pulls
    usual += 0.05 * (result - usual)
print(f"mean return against greedy: before {before:+.2f}, after {measure():+.2f}")
