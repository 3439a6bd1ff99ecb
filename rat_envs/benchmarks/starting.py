"""The time to start: importing, and the first step in a new process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from rat_envs.benchmarks.measuring import Row

__all__ = ["measure_starting"]

IMPORT = "import time; t = time.perf_counter(); import rat_envs; print(time.perf_counter() - t)"
FIRST_STEP = """
import time; t = time.perf_counter()
import rat_envs
env = rat_envs.make(next(iter(rat_envs.all_games())))
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].nonzero()[0][0]))
print(time.perf_counter() - t)
"""


def _seconds(code: str, cache: str | None = None) -> float:
    environment = {**os.environ, **({"RAT_ENVS_CACHE": cache} if cache else {})}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return float(result.stdout)


def measure_starting() -> list[Row]:
    """Seconds for an import, and for the first step with and without compiled code from an earlier process."""
    with tempfile.TemporaryDirectory() as empty:
        cold = _seconds(FIRST_STEP, empty)
        warm = [_seconds(FIRST_STEP, empty) for _ in range(3)]
    imports = [_seconds(IMPORT) for _ in range(5)]
    return [
        Row("import rat_envs", statistics.median(imports), "s"),
        Row("first step of a fresh process, warm cache", statistics.median(warm), "s"),
        Row("first step of a fresh process, no cache", cold, "s"),
    ]
