"""Errors of the checks: one sentence that names the function."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rat_envs.engine.errors import ContractError, LeakError, reason_not_compiled, reason_of

__all__ = ["demand", "named"]


def demand(holds: Any, sentence: str) -> None:
    """Raise ContractError with a sentence unless something holds."""
    if not holds:
        raise ContractError(sentence)


@contextlib.contextmanager
def named(what: str, *passed: type[Exception]) -> Iterator[None]:
    """Turn an exception of a function into an error that names it; only the exceptions in ``passed`` are allowed."""
    all_passed: tuple[type[Exception], ...] = (ContractError, LeakError, *passed)
    try:
        yield
    except all_passed:
        raise
    except (Exception, SystemExit) as error:
        raise ContractError(complaint(what, error)) from error


def complaint(what: str, error: BaseException) -> str:
    """The complaint about an exception of a function, or about Numba's failure to compile it, without Numba's
    listings."""
    if (reason := reason_not_compiled(error)) is not None:
        return f"{what} cannot be compiled ({reason}): it must keep to what Numba compiles."
    if isinstance(error, FloatingPointError):
        return (
            f"{what} comes to a number that its type does not hold ({reason_of(error)}): write int(row.field[i]) "
            "before counting with an element of an array, and choose types that hold what is stored."
        )
    return f"{what} raises {type(error).__name__} ({' '.join(str(error).split())}): it must raise nothing."
