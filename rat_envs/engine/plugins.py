"""What other installed packages add by entry points: found without importing anything, imported on request."""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from rat_envs.engine.errors import PluginError

__all__ = ["load_plugin", "plugins"]


@functools.cache
def plugins(group: str) -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of a group by name; more than one of a name only if packages disagree."""
    found: dict[str, dict[tuple[str, str], EntryPoint]] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, {})[_package(entry), entry.value] = entry
    return {name: tuple(entries.values()) for name, entries in sorted(found.items())}


def load_plugin(entries: tuple[EntryPoint, ...], kind: type, what: str) -> Any:
    """The object behind the entry points of one name.

    Args:
        kind: what it has to be: an instance, or for ``type`` any class.
        what: the same in words.

    Raises:
        PluginError: it cannot be imported, is something else, or several packages add the name; the sentence names
            the package.
    """
    entry = entries[0]
    if len(entries) > 1:
        packages = " and ".join(sorted({_package(each) for each in entries}))
        raise PluginError(f"More than one entry point adds {entry.name!r}, those of {packages}: only one can stay.")
    added = f"The package {_package(entry)} adds {entry.name!r}"
    try:
        loaded = entry.load()
    except Exception as error:  # whatever importing it raises
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise PluginError(f"{added}, but {entry.value} cannot be loaded ({reason}).") from error
    if not isinstance(loaded, kind):
        raise PluginError(f"{added}, but {entry.value} is not a {what}.")
    return loaded


def _package(entry: EntryPoint) -> str:
    """The name of the installed package that has the entry point."""
    return entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]
