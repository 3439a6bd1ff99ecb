"""Freed memory stays with the process, so that arrays that are taken again cost no pages."""

import platform
import resource
import subprocess
import sys

import pytest

#: More than the C library ever keeps of itself: 32 MiB.
BYTES = 36 * 2**20

TAKE_AND_FREE = """
import resource, sys
import torch
from rat_envs.training.freed import keep_freed_memory

def faults(times):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(times):
        held = [torch.zeros(int(sys.argv[1]), dtype=torch.int8) for _ in range(4)]
        del held
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults(4))
assert keep_freed_memory()
faults(12)
print(faults(4))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_arrays_that_are_taken_again_cost_no_pages():
    pages = 4 * 4 * BYTES // resource.getpagesize()
    command = [sys.executable, "-c", TAKE_AND_FREE, str(BYTES)]
    given_back, kept = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert given_back > pages / 20 > kept
