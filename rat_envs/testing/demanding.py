"""How a check says what is wrong: one sentence that names the function."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rat_envs.engine.errors import ContractError, LeakError

__all__ = ["demand", "named"]


def demand(holds: Any, sentence: str) -> None:
    """Raise ContractError with a sentence unless something holds."""
    if not holds:
        raise ContractError(sentence)


@contextlib.contextmanager
def named(what: str) -> Iterator[None]:
    """Say which function has raised an error, for it must raise none."""
    try:
        yield
    except (ContractError, LeakError):
        raise
    except Exception as error:
        raise ContractError(complaint(what, error)) from error


def complaint(what: str, error: Exception) -> str:
    """What a function must not raise, or why Numba cannot compile it, without Numba's listings."""
    if type(error).__module__.startswith("numba."):
        reason = str(error).partition("\n")[2].partition("\nFile ")[0] or str(error)
        return f"{what} cannot be compiled ({' '.join(reason.split())}): it must keep to what Numba compiles."
    return f"{what} raises {type(error).__name__} ({' '.join(str(error).split())}): it must raise nothing."
