"""When people were asked and answered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

__all__ = ["TIMES", "are_times", "in_words", "milliseconds_between", "now"]

#: The keys of a step: when the person was asked and when the answer came, both by the server's clock, and the
#: milliseconds between the question and the choice that the page itself measured.
TIMES = ("asked", "answered", "page_ms")
#: The most milliseconds that a page may say: a month.
MOST_MILLISECONDS = 31 * 24 * 3600 * 1000


def now() -> datetime:
    """The present time in UTC."""
    return datetime.now(timezone.utc)


def in_words(time: datetime) -> str:
    """A time as files hold it: ``2026-12-01T09:30:00.123Z``."""
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds_between(asked: str, answered: str) -> int:
    """The milliseconds from one time to another, both as :func:`in_words` writes them."""
    return round(1000 * (_read(answered) - _read(asked)).total_seconds())


def are_times(values: Mapping[str, Any]) -> bool:
    """Whether all of these, by the names in :data:`TIMES`, have the right form."""
    return all(_is_count(value) if name == "page_ms" else _is_time(value) for name, value in values.items())


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_MILLISECONDS


def _is_time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return in_words(_read(value)) == value
    except (ValueError, OverflowError):
        return False


def _read(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
