"""From plain Python rules to machine code, once a machine.

Rules and engine functions are undecorated Python. :class:`Specialiser` copies a function with the globals of one game
and hands the copy, with everything it calls, to Numba; interpreted mode is the same copy without Numba. Copies of code
objects with module globals are found again in Numba's on-disk cache, which closures over compiled functions are not.
Numba does not notice an edit in a function that a cached one calls, so the cache folder is named after a hash of all
sources that are compiled together.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import importlib
import inspect
import itertools
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import platformdirs

from rat_envs.engine.interrupts import noticed
from rat_envs.engine.numba_version import numba_within_bounds

__all__ = ["Specialiser", "announce", "cache_folder", "compiling", "of_no_game", "out_of_line", "package_folder"]

#: So many folders of compiled code are kept, those of earlier versions of the sources among them.
KEPT_FOLDERS = 24

CACHE_FOLDER_IS_SET = threading.Lock()

#: What makes new arrays, which have to be counted so that they are freed. Numba refuses whatever else makes some.
MAKES_ARRAYS = frozenset({"array", "arange", "astype", "copy", "empty", "full", "ones", "zeros"})

#: Functions that are called, not copied into their callers: see :func:`out_of_line`.
OUT_OF_LINE: set[Any] = set()


def out_of_line(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that is large or rarely called: copying it into every caller would only cost compilation."""
    OUT_OF_LINE.add(function)
    return function


def compiling() -> bool:
    """Whether compiled mode is on: the default, unless ``NUMBA_DISABLE_JIT=1`` is set."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


@functools.cache
def cache_folder(folders: tuple[str, ...]) -> Path:
    """Where code compiled from the ``.py`` files below ``folders`` is kept; ``RAT_ENVS_CACHE`` names another place."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    root = Path(os.environ.get("RAT_ENVS_CACHE") or platformdirs.user_cache_dir("rat_envs")) / "compiled"
    folder_name = digest.hexdigest()[:20]
    with contextlib.suppress(OSError):
        (root / folder_name).mkdir(parents=True, exist_ok=True)
        (root / folder_name).touch()
        by_age = sorted(root.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in by_age[:-KEPT_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return root / folder_name


def package_folder(function: Callable[..., Any]) -> str:
    """The folder of the top-level package that a function belongs to; of its file, if it is in no package."""
    levels = function.__module__.count(".")
    return str(Path(function.__code__.co_filename).parents[max(levels - 1, 0)])


@contextlib.contextmanager
def _numba_cache_in(folder: Path) -> Iterator[None]:
    config: Any = importlib.import_module("numba.core.config")

    with CACHE_FOLDER_IS_SET:  # for all threads
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def _compiled(function: FunctionType, folder: Path, entry: bool, inline: bool, counts: bool) -> Callable[..., Any]:
    numba = numba_within_bounds()
    # Only what Python calls needs a wrapper for Python; leaving it out elsewhere halves the time to compile.
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": not entry, "no_cfunc_wrapper": True}
    options["forceinline"] = inline and not entry
    options["_nrt"] = counts  # references to arrays, in atomic steps that can cost more than all else
    if os.access(folder, os.W_OK):
        with _numba_cache_in(folder):
            dispatcher = numba.njit(cache=True, **options)(function)
    else:
        dispatcher = numba.njit(**options)(function)
    if not counts:
        _refuse_to_return_arrays(dispatcher)
    if entry:
        _pass_interrupts_on(dispatcher)
    return dispatcher


def _refuse_to_return_arrays(dispatcher: Any) -> None:
    """What counts no references must not hand any on: its caller would give back one that was never taken."""
    from numba.core import types

    compile_anyhow = dispatcher.compile

    def has_array(kind: Any) -> bool:
        return isinstance(kind, types.Array) or any(map(has_array, getattr(kind, "types", ())))  # those of a tuple

    def compile_for(signature: Any) -> Any:
        result = compile_anyhow(signature)
        if any(has_array(overload.signature.return_type) for overload in dispatcher.overloads.values()):
            name = dispatcher.py_func.__qualname__
            raise TypeError(f"{name} returns an array and makes none: let it write into one that it is given.")
        return result

    dispatcher.compile = compile_for


def _pass_interrupts_on(dispatcher: Any) -> None:
    """Ctrl-C while it compiles is a ``KeyboardInterrupt``, of which Numba sometimes makes an error of its own."""
    compile_anyhow = dispatcher._compile_for_args

    def compile_for_arguments(*arguments: Any, **keywords: Any) -> Any:
        with noticed() as interrupted:
            try:
                result = compile_anyhow(*arguments, **keywords)
            except Exception:
                if not interrupted.is_set():
                    raise
        if interrupted.is_set():
            raise KeyboardInterrupt
        return result

    dispatcher._compile_for_args = compile_for_arguments


def _interpreted(function: FunctionType, folder: Path, entry: bool, inline: bool, counts: bool) -> Callable[..., Any]:
    return np.errstate(over="ignore")(function)  # the random stream counts on 64-bit overflow


def _is_ours(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.partition(".")[0] not in ("numpy", "numba", "math")


@functools.cache
def _global_names(function: FunctionType) -> tuple[str, ...]:
    """The global names that a function uses, sorted: read once, for it is asked for again and again."""
    loaded = {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
    return tuple(sorted(loaded & function.__globals__.keys()))


@functools.cache
def _returns_something(function: FunctionType) -> bool:
    """Whether it returns anything but constants such as None."""
    steps = itertools.pairwise(dis.get_instructions(function))
    return inspect.isgeneratorfunction(function) or any(
        after.opname == "RETURN_VALUE" and (before.opname != "LOAD_CONST" or after.is_jump_target)
        for before, after in steps
    )


@dataclass
class Specialiser:
    """Makes copies of functions in which global names that are None stand for something, with all that they call.

    Attributes:
        names: what they stand for, functions or constants.
        instead: what compiled code calls in place of some functions.
        folder: where compiled code is kept.
        compiled: machine code, or the same code interpreted.
        label: tells copies of one function for different games apart.
        done: the copies made so far with the same ``names``, by original and ``entry``; filled in.
        others: what further names stand for; whatever does without them is copied by ``common`` instead, once for all.
        counting: which functions count references to arrays; filled in.
    """

    names: Mapping[str, Any]
    instead: Mapping[Any, Any]
    folder: Path
    compiled: bool
    label: str
    done: dict[Any, Any]
    others: Mapping[str, Any] = field(default_factory=dict)
    common: Specialiser | None = None
    counting: dict[FunctionType, bool] = field(default_factory=dict, init=False)

    def __call__(self, function: Callable[..., Any], entry: bool = True) -> Callable[..., Any]:
        """The copy of a plain Python function; ``entry``: whether Python may call it, or only compiled functions."""
        assert isinstance(function, FunctionType)
        if self.common is not None and not self._takes_others(function):
            return self.common(function, entry)
        if (function, entry) in self.done:
            return self.done[function, entry]
        namespace = dict(function.__globals__)
        copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
        copy.__qualname__ = f"{function.__qualname__}_{self.label}{'_entry' if entry else ''}"
        copy.__module__ = function.__module__
        copy.__doc__ = function.__doc__
        make = _compiled if self.compiled else _interpreted
        inline = function not in OUT_OF_LINE
        result = self.done[function, entry] = make(copy, self.folder, entry, inline, self._counts(function))
        for name, target in self._targets(function):
            namespace[name] = self(target, entry=False) if _is_ours(target) else target
        return result

    def _targets(self, function: FunctionType) -> Iterable[tuple[str, Any]]:
        """The global names that a function uses, and what they stand for."""
        return [(name, self._target(name, function.__globals__[name])) for name in _global_names(function)]

    def _target(self, name: str, value: Any) -> Any:
        if value is None:
            return self.others.get(name, self.names.get(name))
        return self.instead.get(value, value) if isinstance(value, FunctionType) else value

    def _counts(self, function: FunctionType) -> bool:
        """Whether it has to count references to arrays: it makes some, or calls what may return one that was made."""
        if function not in self.counting:
            self.counting[function] = True  # while it is looked at: whatever calls itself counts
            self.counting[function] = not MAKES_ARRAYS.isdisjoint(function.__code__.co_names) or any(
                _is_ours(target) and _returns_something(target) and self._counts(target)
                for _, target in self._targets(function)
            )
        return self.counting[function]

    def _takes_others(self, function: FunctionType) -> bool:
        """Whether it, or something that it calls, uses a name that stands for one of ``others``."""
        return any(
            target is self.others.get(name, self) or (_is_ours(target) and self._takes_others(target))
            for name, target in self._targets(function)
        )


@functools.cache
def of_no_game(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which names nothing of any game, ready to call: compiled once for all of them."""
    folder = cache_folder(tuple(sorted({package_folder(part) for part in (out_of_line, function)})))
    return Specialiser({}, {}, folder, compiling(), "of_no_game", {})(function)


def announce(game_name: str, folder: Path) -> None:
    """Say in one line on a terminal that compilation takes a moment; nothing in a pipe, nothing from a warm cache."""
    if sys.stderr.isatty() and not any(folder.glob("**/*.nbi")):
        print(f"rat_envs: compiling {game_name} for this machine (once) …", file=sys.stderr, flush=True)
