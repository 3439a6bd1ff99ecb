"""A hash of an agent that is an object: its class's own code and its attributes, the same in every process."""

from __future__ import annotations

import copy
import dis
import functools
import hashlib
import random
import sys
import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.agent_code import is_of_library
from rat_envs.arena.game_code import code_of
from rat_envs.engine.game import Game

__all__ = ["object_hash"]

PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
RANDOM = (random.Random, np.random.Generator, np.random.BitGenerator, np.random.RandomState, np.random.SeedSequence)
#: Attributes that say how an agent has played.
OF_PLAY = ("random", "fell_back", "spent", "game_ids")
#: What a descriptor in a class wraps.
WRAPPED = ("fget", "fset", "__func__", "func")


def object_hash(agent: Agent) -> str | None:
    """A hash of what decides an agent's play apart from random numbers: the code of its class without libraries, and
    its attributes. It does not depend on memory addresses, on the order of sets, or on line numbers and comments.

    None where there is no such hash: an attribute cannot be copied or pickled, such as an open file, or the agent asks
    a server.
    """
    if agent.reaches_out:
        return None
    try:
        copied = copy.deepcopy(agent)
        copied.seed(0)
        copied.release()
        return _Hasher().of(copied).hex()
    except Exception:  # whatever an agent is made of
        return None


class _Hasher:
    """Hashes values; where one is met again within itself, how far within is hashed."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[bytes, Any]] = {}  # with the value, so that no other one gets its address
        self._open: list[int] = []

    def of(self, value: Any) -> bytes:
        """The hash of a value.

        Raises:
            Exception: it has none.
        """
        if isinstance(value, PLAIN) and type(value) in PLAIN:
            return _joined(type(value).__name__, repr(value))
        if id(value) in self._known:
            return self._known[id(value)][0]
        if id(value) in self._open:
            return _joined("itself", str(len(self._open) - self._open.index(id(value))))
        self._open.append(id(value))
        found = self._of_code(value) or self._of_data(value)
        self._open.pop()
        self._known[id(value)] = found, value
        return found

    def _all(self, kind: str, values: Iterable[Any]) -> bytes:
        return _joined(kind, *map(self.of, values))

    def _named(self, kind: str, values: Mapping[Any, Any]) -> bytes:
        """The hash of values by name, in whatever order."""
        return _joined(kind, *sorted(self.of(name) + self.of(value) for name, value in values.items()))

    def _of_code(self, value: Any) -> bytes | None:
        """The hash of a class, function, module or game; None of anything else."""
        if isinstance(value, type):
            return self._of_class(value)
        if isinstance(value, types.FunctionType):
            return self._of_function(value)
        if isinstance(value, types.CodeType):
            kinds = value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_flags & 0xFF
            return self._all("code", (*kinds, value.co_consts))
        if isinstance(value, (types.BuiltinFunctionType, types.ModuleType)):
            return _joined("name", str(getattr(value, "__module__", "")), value.__name__)
        if isinstance(value, Game):
            return self._all("game", (value.name, value.version, code_of(value)))
        if callable(getattr(value, "py_func", None)):  # compiled by Numba
            return self.of(value.py_func)
        return None

    def _of_data(self, value: Any) -> bytes:
        if isinstance(value, RANDOM):
            return _joined("random numbers")
        if isinstance(value, Agent):
            return self._of_agent(value)
        if type(value) in (list, tuple):
            return self._all(type(value).__name__, value)
        if isinstance(value, (set, frozenset)):
            return _joined("set", *sorted(map(self.of, value)))
        if isinstance(value, (dict, types.MappingProxyType)):
            return _joined(self.of(type(value)), self._named("dict", value))
        if hasattr(value, "__array__"):
            array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
            content = self.of(array.tolist()) if array.dtype.hasobject else array.tobytes()
            return _joined("array", str(array.dtype), str(array.shape), content)
        if any(hasattr(value, name) for name in WRAPPED) and not hasattr(value, "__dict__"):
            return self._all("wrapped", (getattr(value, name, None) for name in WRAPPED))
        reduced = value.__reduce_ex__(4)  # as pickle writes it
        if isinstance(reduced, str):
            return _joined("name", type(value).__name__, reduced)
        made, items, pairs = reduced[:3], *(*reduced[3:5], None, None)[:2]
        return self._all("object", (*made, list(items or ()), dict(pairs or ())))

    def _of_agent(self, agent: Agent) -> bytes:
        kind, learnt = type(agent), agent.fingerprint()
        kept = {
            name: value
            for name, value in vars(agent).items()
            if name not in OF_PLAY
            and not isinstance(value, RANDOM)
            and not isinstance(getattr(kind, name, None), functools.cached_property)
        }
        return _joined("agent", self.of(kind), self.of(learnt) if learnt is not None else self._named("dict", kept))

    def _of_class(self, kind: type) -> bytes:
        if _is_of_library(kind.__module__):
            return _joined("name", kind.__module__, kind.__qualname__)
        own = {
            name: value
            for name, value in vars(kind).items()
            if isinstance(value, types.FunctionType) or not name.startswith(("__", "_abc_"))
        }
        return _joined("class", kind.__qualname__, self._all("bases", kind.__bases__), self._named("dict", own))

    def _of_function(self, function: types.FunctionType) -> bytes:
        if _is_of_library(function.__module__):
            return _joined("name", function.__module__, function.__qualname__)
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        parts = function.__code__, function.__defaults__, function.__kwdefaults__, cells
        return _joined(self._all("function", parts), self._named("globals", _constants(function)))


def _constants(function: types.FunctionType) -> dict[str, Any]:
    """The numbers, texts, classes and functions around a function that it reads and does not set, by name."""
    instructions = list(dis.get_instructions(function.__code__))
    read, written = (
        {each.argval for each in instructions if each.opname == name} for name in ("LOAD_GLOBAL", "STORE_GLOBAL")
    )
    around = {name: function.__globals__[name] for name in read - written if name in function.__globals__}
    return {name: value for name, value in around.items() if isinstance(value, (*PLAIN, type, types.FunctionType))}


def _is_of_library(module: str | None) -> bool:
    """Whether a module is ours, Python's or of an installed package."""
    if module is None or module == "__main__":
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return module.partition(".")[0] in sys.stdlib_module_names or (file is not None and is_of_library(Path(file)))


def _joined(*parts: str | bytes) -> bytes:
    """The hash of some texts and bytes in order."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()
