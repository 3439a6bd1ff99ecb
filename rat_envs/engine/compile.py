"""From plain Python rules to machine code, once per machine.

Rules and templates are undecorated Python. :class:`Specialiser` copies a function with the globals of one game and
hands the copy, with everything it calls, to Numba; interpreted mode is the same copy without Numba. Numba's on-disk
cache finds copies of code objects with module globals again, but not closures over compiled functions. Numba does not
notice an edit in a function that a cached one calls, so cache folders are named after a hash of the sources that are
compiled together (the engine, the one game, and the package of the template) and of the versions of what compiles them,
and copies after a hash of the constants that they freeze, which may come from elsewhere. The location of the sources
makes no difference: all installations of one version share the code.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import functools
import hashlib
import importlib
import inspect
import itertools
import multiprocessing
import os
import platform
import shutil
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import platformdirs

from rat_envs.engine.contract import is_declared
from rat_envs.engine.errors import CacheWarning, shown_path

__all__ = [
    "OUT_OF_LINE",
    "Specialiser",
    "announce",
    "cache_folder",
    "called_instead",
    "compiling",
    "of_no_game",
    "out_of_line",
    "sources_of",
]

#: Age in seconds at which an unfinished file counts as abandoned.
LONGEST_WRITE = 3600
#: Seconds of compiling that are worth a line in a log.
LONG = 10
#: The number of folders of compiled code that are kept, including those of earlier versions of the sources.
KEPT_FOLDERS = 24

#: A folder that is never made: code written in a notebook has no file that tells one version from the next.
NOT_KEPT = "not-kept"

#: Why compiled code is not kept, in words that follow the folder's name.
CANNOT_BE_WRITTEN = "cannot be written"

#: The IDs of the user who owns the system and may write everywhere (root), and of that user's group.
SYSTEM = 0

#: The folder of compiled code in the user's cache folder.
ROOT = "compiled"

#: Functions that make new arrays, whose references must be counted so that they are freed. Numba refuses all others.
MAKES_ARRAYS = frozenset({"array", "arange", "astype", "copy", "empty", "full", "ones", "zeros"})

#: Packages whose functions Numba knows: they are not copied.
NOT_OURS = frozenset({"math", "numba", "numpy"})

ENGINE = Path(__file__).parent

#: Functions that are called, not copied into their callers: see :func:`out_of_line`.
OUT_OF_LINE: set[Any] = set()


def out_of_line(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that is large or rarely called: copying it into every caller would only cost compilation."""
    OUT_OF_LINE.add(function)
    return function


def compiling() -> bool:
    """Whether compiled mode is on: the default, unless ``NUMBA_DISABLE_JIT=1`` is set."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def sources_of(function: Callable[..., Any]) -> Path:
    """The sources a function is compiled with: the folder of its package, or its file if it is in no package."""
    file = Path(function.__code__.co_filename)
    return file.parent if "." in function.__module__ else file


@functools.cache
def cache_folder(game: Path | None, sources: frozenset[Path]) -> Path:
    """Where code compiled from ``sources`` is kept: in the user's cache folder, or where ``RAT_ENVS_CACHE`` says.

    Code from the engine and one game alone has a folder of its own; code of templates from elsewhere is in folders
    within it, so that an edit in one package leaves the code of the others.

    Args:
        game: the game's own sources; None for code of no game.
    """
    root = _place() / ROOT
    if (game is not None and not game.exists()) or not all(source.exists() for source in sources):
        return root / NOT_KEPT
    if not is_private(root):
        return root / NOT_KEPT
    folder = _kept(root, (ENGINE,) if game is None else (ENGINE, game))
    rooms = sorted(sources - {ENGINE, game})
    folder = _kept(folder, tuple(rooms)) if rooms else folder
    if not os.access(folder, os.R_OK | os.X_OK):  # an existing one may be readable where nothing can be written
        _say_not_kept(root, CANNOT_BE_WRITTEN)
        return root / NOT_KEPT
    return folder


def _place() -> Path:
    """The user's cache folder, or the one that ``RAT_ENVS_CACHE`` names."""
    try:
        return Path(os.environ.get("RAT_ENVS_CACHE") or platformdirs.user_cache_dir("rat_envs"))
    except RuntimeError:  # the user has no home, as in some containers: there is a warning if it cannot be made
        return Path(os.devnull) / "rat_envs"


@functools.cache
def is_private(root: Path) -> bool:
    """Whether a folder, which is made if needed, can hold code: it belongs to this user or to root, and nobody else can
    write there.

    Its contents are executed. If it cannot hold code, a warning says why, once, and code is compiled in each process.
    """
    reason = _why_not(root)
    if reason is not None:
        _say_not_kept(root, reason)
    return reason is None


@functools.cache
def _say_not_kept(root: Path, reason: str) -> None:
    warnings.warn(
        f"Compiled code is not kept, and is made again by every process: {shown_path(root)} {reason}. "
        "RAT_ENVS_CACHE names another folder.",
        CacheWarning,
        stacklevel=3,
    )


def _why_not(root: Path) -> str | None:
    """Why a folder cannot hold code, in words that follow its name; None if it can."""
    try:
        for folder in (root.parent, root):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folders = [folder.stat() for folder in (root, root.parent)]
        above = {folder: folder.stat() for folder in (*root.absolute().parents, *root.resolve().parents)}
    except OSError as error:
        return f"cannot be made or read ({error.strerror})"
    if not hasattr(os, "geteuid"):  # Windows, where the folders of a user are the user's own
        return None
    if any(found.st_uid not in (os.geteuid(), SYSTEM) for found in folders):
        return "belongs to another user"
    if any(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for found in folders):
        return "can be written by others (chmod go-w, when nothing is in it)"
    return next((reason for each in above.items() if (reason := _why_not_within(*each))), None)


def _why_not_within(folder: Path, found: os.stat_result) -> str | None:
    """The same for a parent folder: whoever owns it, or can write to it, can replace the folders in it.

    The user's own group may write: on many systems only the user is in it, and it may write to home folders.
    """
    if found.st_uid not in (os.geteuid(), SYSTEM):
        return f"lies in {shown_path(folder)}, which belongs to another user"
    if found.st_mode & stat.S_ISVTX:  # like /tmp: others can add to it, but remove nothing
        return None
    if found.st_mode & stat.S_IWOTH:
        return f"lies in {shown_path(folder)}, which anybody can write to"
    if found.st_mode & stat.S_IWGRP and found.st_gid not in (os.getegid(), SYSTEM):
        return f"lies in {shown_path(folder)}, which another group can write to"
    return None


def _kept(root: Path, sources: tuple[Path, ...]) -> Path:
    """The folder in ``root`` that is named after the hash of the sources; the oldest ones are deleted."""
    folder = root / _hash_of(sources)
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.touch()
        for begun in folder.glob("*.tmp.*"):  # by processes that have died since
            if time.time() - begun.stat().st_mtime > LONGEST_WRITE:
                begun.unlink()
        by_age = sorted((path for path in root.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
        for old in by_age[:-KEPT_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


@functools.cache
def _hash_of(sources: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(_versions().encode())
    for source in sources:
        for path in sorted(source.rglob("*.py")) if source.is_dir() else [source]:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:20]


@functools.cache
def _versions() -> str:
    """The versions of all that turns sources into machine code."""
    from rat_envs.engine.numba_version import numba_within_bounds

    parts = numba_within_bounds(), importlib.import_module("llvmlite"), np
    return " ".join([platform.python_version(), *(f"{part.__name__} {part.__version__}" for part in parts)])


def _is_ours(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.partition(".")[0] not in NOT_OURS


@functools.cache
def _global_names(function: FunctionType) -> tuple[str, ...]:
    """The global names that a function uses, sorted: read once, since they are needed many times."""
    loaded = {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
    return tuple(sorted(loaded & function.__globals__.keys()))


def _constant(value: Any, attributes: tuple[str, ...] = ()) -> str:
    """A text that distinguishes a constant of compiled code from any other.

    Args:
        attributes: the names that the code uses of modules.
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype!r} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, np.dtype):
        return _dtype(value)
    if isinstance(value, tuple):
        return f"{type(value).__qualname__}({', '.join(map(_constant, value))})"
    if isinstance(value, enum.EnumMeta):
        return repr(list(value))
    if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in NOT_OURS:
        within = [
            (name, _constant(getattr(value, name), (*attributes[:place], *attributes[place + 1 :])))
            for place, name in enumerate(attributes)
            if hasattr(value, name)
        ]
        return repr(within)
    plain = value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, enum.Enum))
    return repr(value) if plain else f"{type(value).__qualname__} {getattr(value, '__qualname__', '')}"


@functools.cache
def _dtype(dtype: np.dtype) -> str:
    """As :func:`_constant`: written once, since many functions use the same few."""
    return repr(dtype)


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
    """Makes copies of functions, with all that they call, in which declared names are replaced by what they stand for.

    Attributes:
        meanings: what declared functions and constants (``rat_envs.engine.contract``) stand for.
        instead: what compiled code calls in place of some functions.
        folders: ``(sources) -> folder``, where code compiled from these sources is kept.
        compiled: whether to make machine code, or to interpret the same code.
        label: tells copies of one function for different games apart.
        others: what further declared names stand for.
        common: copies, once for all, the functions that use none of ``others``; None if everything is copied here.
        missed: called with the folder of code that is about to be compiled, because it is not there.
    """

    meanings: Mapping[Any, Any]
    instead: Mapping[Any, Any]
    folders: Callable[[frozenset[Path]], Path]
    compiled: bool
    label: str
    others: Mapping[Any, Any] = field(default_factory=dict)
    common: Specialiser | None = None
    missed: Callable[[Path], None] | None = None
    _done: dict[Any, Any] = field(default_factory=dict, init=False)
    _counting: dict[FunctionType, bool] = field(default_factory=dict, init=False)
    _frozen: dict[FunctionType, str] = field(default_factory=dict, init=False)
    _sources: dict[FunctionType, frozenset[Path]] = field(default_factory=dict, init=False)

    def __call__(self, function: Callable[..., Any], entry: bool = True) -> Callable[..., Any]:
        """The copy of a plain Python function; ``entry``: whether Python may call it, or only compiled functions.

        Raises:
            TypeError: it, or a function that it calls, uses a declared name that stands for nothing here.
        """
        assert isinstance(function, FunctionType)
        if self.common is not None and not self._takes_others(function):
            return self.common(function, entry)
        if (function, entry) in self._done:
            return self._done[function, entry]
        namespace = dict(function.__globals__)
        copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
        kind = f"{self.label}_{self.frozen(function)}" if self.compiled else self.label
        copy.__qualname__ = f"{function.__qualname__}_{kind}{'_entry' if entry else ''}"
        copy.__module__ = function.__module__
        copy.__doc__ = function.__doc__
        result = self._done[function, entry] = self._made(function, copy, entry)
        for name, target in self._targets(function):
            namespace[name] = self(target, entry=False) if _is_ours(target) else target
        return result

    def _made(self, function: FunctionType, copy: FunctionType, entry: bool) -> Callable[..., Any]:
        if not self.compiled:
            return _overflowing(copy) if entry else copy
        from rat_envs.engine.numba_parts import compile_function

        folder = self.folders(self.sources(function))
        inline = function not in OUT_OF_LINE
        own = self.common is not None
        return compile_function(copy, folder, entry, inline, self._counts(function), own, self._miss)

    def _miss(self, folder: Path) -> None:
        """Called when something is about to be compiled."""
        if folder.name != NOT_KEPT and not os.access(folder, os.W_OK):
            _say_not_kept(_place() / ROOT, CANNOT_BE_WRITTEN)
        if self.missed is not None:
            self.missed(folder)

    def frozen(self, function: FunctionType) -> str:
        """A hash of what is in its machine code but not in its source: constants, including those of all that it calls.

        Folders are named after sources, but constants may come from elsewhere, and declared names have many meanings.
        """
        if function not in self._frozen:
            self._frozen[function] = ""  # meanwhile, for functions that call themselves
            parts = [_constant(function.__defaults__)]
            for name, target in self._targets(function):
                if _is_ours(target):
                    parts.append(f"{name} {target.__module__}.{target.__qualname__} {self.frozen(target)}")
                else:
                    parts.append(f"{name} {_constant(target, function.__code__.co_names)}")
            self._frozen[function] = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
        return self._frozen[function]

    def sources(self, function: FunctionType) -> frozenset[Path]:
        """The sources of a function and of all that it calls, as :func:`sources_of` says."""
        if function not in self._sources:
            self._sources[function] = frozenset()  # meanwhile, for functions that call themselves
            called = [self.sources(target) for _, target in self._targets(function) if _is_ours(target)]
            self._sources[function] = frozenset({sources_of(function)}).union(*called)
        return self._sources[function]

    def _targets(self, function: FunctionType) -> Iterable[tuple[str, Any]]:
        """The global names that a function uses, and what they stand for."""
        return [(name, self._target(function, function.__globals__[name])) for name in _global_names(function)]

    def _target(self, function: FunctionType, value: Any) -> Any:
        if is_declared(value):
            meaning = self.others.get(value, self.meanings.get(value))
            if meaning is None:
                name = getattr(value, "__name__", None) or value.name
                raise TypeError(f"{function.__qualname__} asks for {name}, which stands for nothing in {self.label}.")
            return meaning
        return self.instead.get(value, value) if isinstance(value, FunctionType) else value

    def _counts(self, function: FunctionType) -> bool:
        """Whether it must count references to arrays: it makes some, or calls a function that may return a new one."""
        if function not in self._counting:
            self._counting[function] = True  # meanwhile: a function that calls itself counts
            self._counting[function] = not MAKES_ARRAYS.isdisjoint(function.__code__.co_names) or any(
                _is_ours(target) and _returns_something(target) and self._counts(target)
                for _, target in self._targets(function)
            )
        return self._counting[function]

    def _takes_others(self, function: FunctionType) -> bool:
        """Whether it, or something that it calls, uses a name that stands for one of ``others``."""
        values = [function.__globals__[name] for name in _global_names(function)]
        return any(is_declared(value) and value in self.others for value in values) or any(
            _is_ours(target) and self._takes_others(target) for _, target in self._targets(function)
        )


@functools.cache
def of_no_game(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which uses nothing of any game, ready to call: compiled once for all games."""
    folders, compiled = functools.partial(cache_folder, None), compiling()
    return Specialiser({}, called_instead(compiled), folders, compiled, "of_no_game")(function)


def called_instead(compiled: bool) -> Mapping[Callable[..., Any], Callable[..., Any]]:
    """What compiled code calls in place of some functions of the engine; interpreted code calls these themselves."""
    if not compiled:
        return {}
    from rat_envs.engine.numba_parts import intrinsics  # Numba takes long to import

    return intrinsics()


@functools.cache
def announce(title: str, seconds: int | None, folder: Path) -> None:
    """Say in one line that a game is being compiled, once per process and folder: on a terminal, and in a log if it
    takes long.

    Args:
        title: the game's.
        seconds: how long that usually takes, if known, when nothing of the game is there yet.
        folder: where its code will be kept.
    """
    is_log, begins = not sys.stderr.isatty(), not any(folder.glob("*.nbi"))
    if is_log and not (begins and (seconds or 0) >= LONG and multiprocessing.parent_process() is None):
        return
    if not begins:
        what = f"Compiling more of {title}, once."
    elif seconds is not None and folder.parent.name == ROOT:
        what = f"Compiling {title}: about {seconds} s, once."
    else:
        what = f"Compiling {title}, once."
    print(what, file=sys.stderr, flush=True)


def _overflowing(entry: Callable[..., Any]) -> Callable[..., Any]:
    """An interpreted function in which numbers overflow as in a compiled one, without a warning: the random stream
    relies on it. If the caller has made overflow an error, as the check of a game does, it stays one."""

    @functools.wraps(entry)
    def call(*arguments: Any) -> Any:
        if np.geterr()["over"] == "raise":
            return entry(*arguments)
        with np.errstate(over="ignore"):
            return entry(*arguments)

    return call
