"""A base class of objects that are always copied completely."""

from __future__ import annotations

import copy
from typing import TypeVar

__all__ = ["CopiedWhole"]

Self = TypeVar("Self", bound="CopiedWhole")


class CopiedWhole:
    """An object whose copies share nothing mutable with it: ``copy.copy`` does the same as ``copy.deepcopy``."""

    def __copy__(self: Self) -> Self:
        return copy.deepcopy(self)
