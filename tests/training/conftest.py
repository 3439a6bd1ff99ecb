"""Runs that several tests look at."""

from __future__ import annotations

import pytest

#: Each is declared in tests/common/learners.py; all tests of what learners share are about each.
LEARNERS = [
    "ppo",
    "maskable_ppo",
    "lookahead",
    "search",
]


@pytest.fixture(scope="module", params=LEARNERS)
def learner(request):
    """Each learner in turn; a module about one of them has a fixture of this name instead."""
    import learners  # not above: other tests of this folder need no training

    return learners.LEARNERS[request.param]


@pytest.fixture(scope="module")
def uninterrupted(learner, tmp_path_factory):
    """A run of 6 updates that was never stopped."""
    from rat_envs.training.run import train

    folder = tmp_path_factory.mktemp("uninterrupted")
    reports = []
    result = train(learner.tiny(folder), reports.append)
    return folder, result, reports


@pytest.fixture
def stopped(uninterrupted, tmp_path):
    """The folder of a run that can be damaged."""
    from rat_envs.training.checkpoints import CHECKPOINT

    (tmp_path / CHECKPOINT).write_bytes((uninterrupted[0] / CHECKPOINT).read_bytes())
    return tmp_path
