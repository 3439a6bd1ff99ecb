"""What is copied whole, or not at all."""

from __future__ import annotations

import copy
from typing import TypeVar

__all__ = ["CopiedWhole"]

Self = TypeVar("Self", bound="CopiedWhole")


class CopiedWhole:
    """Shares nothing that changes with a copy of itself: ``copy.copy`` does what ``copy.deepcopy`` does."""

    def __copy__(self: Self) -> Self:
        return copy.deepcopy(self)
