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
        reason = " ".join(str(error).split())
        raise ContractError(f"{what} raises {type(error).__name__} ({reason}): it must raise nothing.") from error
