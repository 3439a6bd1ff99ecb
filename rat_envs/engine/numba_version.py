"""The versions of Numba that the engine works with.

The engine uses parts of Numba that are not public: `_nrt`, `forceinline`, the methods and attributes of a dispatcher,
the folder of its cache, and how intrinsics are made. Every release may change them, so only releases that have been
tried are allowed. ``pyproject.toml`` says the same bounds; a test compares them.
"""

from __future__ import annotations

import functools
import re
from types import ModuleType

from rat_envs.engine.errors import UnsupportedVersionError

__all__ = ["BOUNDS", "demand_version", "numba_within_bounds"]

#: The lowest release that is allowed, and the first one above that is not.
LOWEST, BELOW = (0, 61), (0, 69)


#: The bounds as pip takes them.
BOUNDS = ">={}.{},<{}.{}".format(*LOWEST, *BELOW)


def demand_version(version: str) -> None:
    """Demand that a version of Numba, such as ``0.61.2``, is allowed.

    Raises:
        UnsupportedVersionError: it is too old, or too new to have been tried.
    """
    release = tuple(map(int, re.findall(r"\d+", version)[:2]))
    if not LOWEST <= release < BELOW:
        raise UnsupportedVersionError(
            f'rat_envs does not work with Numba {version}: pip install "numba{BOUNDS}", or set NUMBA_DISABLE_JIT=1 to '
            "run the rules interpreted."
        )


@functools.cache
def numba_within_bounds() -> ModuleType:
    """Numba itself, imported, for code that is about to compile with it.

    Raises:
        UnsupportedVersionError: the engine does not work with the version that is installed.
    """
    import numba

    demand_version(numba.__version__)
    return numba
