"""Random damage to a file."""

from __future__ import annotations

import numpy as np


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """The content after one accident: cut off, a bit or bytes changed, a part lost, doubled or moved, or more added."""
    size = len(content)
    # Half of the accidents happen to the outline at the start, where most can go wrong.
    start = int(random.integers(size if random.random() < 0.5 else min(size, 1000)))
    length = int(min(2 ** random.integers(12), size - start))
    before, hit, after = content[:start], content[start : start + length], content[start + length :]
    noise = random.bytes(length)
    accidents = (
        before,
        before + bytes([hit[0] ^ 1 << int(random.integers(8))]) + hit[1:] + after,
        before + noise + after,
        before + bytes(length) + after,
        before + after,
        before + hit + hit + after,
        before + after + hit,
        before + hit[::-1] + after,
        before + noise + hit + after,
        content + noise,
        noise[:8] + content[8:],
        int(random.integers(2 * size)).to_bytes(8, "little") + content[8:],
    )
    return accidents[random.integers(len(accidents))]
