"""A thousand accidents each to a policy and a checkpoint: none loads as something else, none ends in a traceback."""

from __future__ import annotations

import numpy as np
import pytest
from damage import damaged
from learners import MASKABLE_PPO

from rat_envs.agents.learnt import load_policy
from rat_envs.engine.errors import CheckpointError
from rat_envs.training.checkpoints import CHECKPOINT, load_checkpoint
from rat_envs.training.run import POLICY


@pytest.fixture(scope="module")
def learner():
    """Its files are small."""
    return MASKABLE_PPO


def loaded(path):
    """All that is in a policy or a checkpoint, or the sentence with which it is refused."""
    try:
        if path.name == POLICY:
            agent = load_policy(path)
            header, arrays = agent.contents()
            header = {**header, "config": agent.configuration, "training": agent.training}
        else:
            header, arrays = load_checkpoint(path, MASKABLE_PPO.kind.LEARNER)
    except CheckpointError as error:
        return str(error)
    return header, {name: (array.dtype, array.shape, array.tobytes()) for name, array in arrays.items()}


@pytest.mark.parametrize("name", [POLICY, CHECKPOINT])
def test_random_damage_is_refused_or_does_no_harm(uninterrupted, tmp_path, name):
    original, path, random = uninterrupted[0] / name, tmp_path / name, np.random.default_rng(18)
    right, content, refused = loaded(original), original.read_bytes(), 0
    assert not isinstance(right, str)
    for _ in range(1000):
        path.write_bytes(damaged(content, random))
        found = loaded(path)
        if isinstance(found, str):
            assert found.startswith(str(path)) and found.endswith(".") and "\n" not in found
            refused += 1
        else:
            assert found == right
    assert refused > 900
