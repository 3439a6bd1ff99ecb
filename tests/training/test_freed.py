"""Freed memory stays with the process, so that arrays that are taken again cost no pages."""

import platform
import resource
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
        held = [torch.zeros(2**26, dtype=torch.int8) for _ in range(4)]
        del held
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

if sys.argv[1] == "keep":
    assert keep_freed_memory()
faults(12)
print(faults(5))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_arrays_that_are_taken_again_cost_no_pages():
    pages = 5 * 4 * 2**26 // resource.getpagesize()
    for kept in ("keep", "give back"):
        command = [sys.executable, "-c", TAKE_AND_FREE, kept]
        faults = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert (faults < pages / 20) == (kept == "keep"), (kept, faults)
