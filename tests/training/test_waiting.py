"""Threads that wait for work soon sleep, so that training leaves other programs their cores."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = "import rat_envs.training, os; print(os.environ.get('GOMP_SPINCOUNT'))"


@pytest.mark.parametrize(("set_before", "after"), [({}, "1000"), ({"OMP_WAIT_POLICY": "ACTIVE"}, "None")])
def test_threads_soon_sleep_unless_the_user_wants_otherwise(set_before, after):
    kept = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    found = subprocess.run([sys.executable, "-c", CODE], env=kept | set_before, capture_output=True, text=True)
    assert found.stdout == f"{after}\n", found.stderr
