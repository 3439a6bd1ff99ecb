"""Freed memory stays with the process, so that arrays that are taken again cost no pages."""

import subprocess
import sys

import pytest

TAKE_AND_FREE = """
import resource, sys
import torch
from rat_envs.training.freed import keep_freed_memory

def faults(times):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(times):
        held = [torch.zeros(2**21, dtype=torch.int8) for _ in range(4)]
        del held
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

assert keep_freed_memory() == (sys.argv[1] == "True")
faults(5)
print(faults(50))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="another C library")
def test_arrays_that_are_taken_again_cost_no_pages():
    command = [sys.executable, "-c", TAKE_AND_FREE, "True"]
    faults = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert faults < 50 * 4 * 2**21 // 4096 // 20, "a twentieth of the pages of these arrays"
