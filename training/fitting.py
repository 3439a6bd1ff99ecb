"""Checking that a value has the type of an option."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, get_args, get_origin

from rat_envs.engine.errors import shown

__all__ = ["fitted", "in_json", "words"]

#: The words for one value of a type, and for several.
WORDS: dict[Any, tuple[str, str]] = {
    bool: ("true or false", "true or false"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
    Any: ("anything", "values"),
}


def fitted(value: Any, wanted: Any) -> Any:
    """Convert a value from Python or JSON to an option's type.

    Raises:
        TypeError: it does not fit.
    """
    origin, inner = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return value
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(fitted(each, inner[0]) for each in value)
    if origin is Mapping and isinstance(value, Mapping):
        return {name: fitted(each, inner[1]) for name, each in value.items()}
    if NoneType in inner:
        return None if value is None else fitted(value, inner[0])
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise TypeError(f"{shown(value)} is not {words(wanted)}")
    return value


def words(wanted: Any) -> str:
    """A value of a type, in words."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin is tuple:
        return f"a list of {WORDS[inner[0]][1]}"
    if origin is Mapping:
        return f"{WORDS[inner[1]][1]} by name"
    return f"{words(inner[0])} or None" if NoneType in inner else WORDS[wanted][0]


def in_json(wanted: Any) -> str:
    """The same for people who write JSON."""
    said = words(wanted) + {tuple: " in JSON", Mapping: ", an object in JSON"}.get(get_origin(wanted), "")
    return said.replace("None", "null")
