"""All that leans on Numba's private parts, and only that: why each is needed, and what would break without it.

The bounds on Numba's version (``numba_version.py``) are those within which ``tests/engine/test_engine_numba_parts.py``
has passed: that file has a test for each part.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import pickle
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from rat_envs.engine.counts import copy_all
from rat_envs.engine.interrupts import noticed
from rat_envs.engine.memory import CACHE_LINE, blank, fetch_ahead, record_at
from rat_envs.engine.numba_version import numba_within_bounds

__all__ = ["compile_function", "intrinsics"]

CACHE_FOLDER_IS_SET = threading.Lock()
#: What LLVM calls a fetch of data to be written, into the nearest cache.
WRITE, NEAREST, DATA = 1, 3, 1
#: Bytes of a SHA-256.
DIGEST_SIZE = 32


def compile_function(
    function: FunctionType, folder: Path, entry: bool, inline: bool, counts: bool
) -> Callable[..., Any]:
    """Have Numba compile a function, or load it from ``folder``, when it is first called.

    Args:
        folder: of Numba's on-disk cache; where it cannot be written, nothing is kept.
        entry: whether Python may call it, or only compiled functions.
        inline: whether LLVM copies it into its callers.
        counts: whether it counts references to arrays.
    """
    numba = numba_within_bounds()
    # Only what Python calls needs a wrapper for Python; leaving it out elsewhere halves the time to compile.
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": not entry, "no_cfunc_wrapper": True}
    options["forceinline"] = inline and not entry
    # Private. References are counted in atomic steps that can cost more than all else; without this option each search
    # takes twice as long.
    options["_nrt"] = counts
    if os.access(folder, os.W_OK):
        with _cache_in(folder):
            dispatcher = numba.njit(cache=True, **options)(function)
        _check_what_is_kept(dispatcher)
    else:
        dispatcher = numba.njit(**options)(function)
    if not counts:
        _refuse_to_return_arrays(dispatcher)
    if entry:
        _pass_interrupts_on(dispatcher)
    return dispatcher


@contextlib.contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Private: ``numba.core.config.CACHE_DIR``, which is read when a function is decorated.

    The public way, ``NUMBA_CACHE_DIR`` in the environment, is read once a process and would move the caches of others.
    """
    config: Any = importlib.import_module("numba.core.config")

    with CACHE_FOLDER_IS_SET:  # for all threads
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def _check_what_is_kept(dispatcher: Any) -> None:
    """Private: ``Dispatcher._cache``, its ``_cache_file``, and what that reads and writes.

    Numba believes whatever lies in its cache: a damaged index ends in a traceback, and damaged code in a crash. Behind
    a hash of its contents each file is either whole or compiled anew; and where nothing can be kept any more, as on a
    full disk, code is compiled all the same.
    """
    files = dispatcher._cache._cache_file
    files.__class__ = _checked_files()


@functools.cache
def _checked_files() -> type:
    """Numba's files of one function, each with the hash of its contents at its beginning."""
    from numba.core.caching import IndexDataCacheFile

    class CheckedFiles(IndexDataCacheFile):
        def save(self, key: Any, data: Any) -> None:
            with contextlib.suppress(OSError):
                super().save(key, data)

        def _load_index(self) -> Any:
            try:
                version, stamp, overloads = self._load(self._index_path)
            except OSError:
                return {}
            return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

        def _save_index(self, overloads: Any) -> None:
            self._save(self._index_path, (self._version, self._source_stamp, overloads))

        def _load_data(self, name: str) -> Any:
            return self._load(self._data_path(name))

        def _save_data(self, name: str, data: Any) -> None:
            self._save(self._data_path(name), data)

        def _load(self, path: str) -> Any:
            with open(path, "rb") as file:
                digest, content = file.read(DIGEST_SIZE), file.read()
            if hashlib.sha256(content).digest() != digest:
                raise OSError(f"{path} is damaged")
            return pickle.loads(content)  # written by this user: see ``is_private`` in compile.py

        def _save(self, path: str, value: Any) -> None:
            content = self._dump(value)
            with self._open_for_write(path) as file:
                file.write(hashlib.sha256(content).digest() + content)

    return CheckedFiles


def _refuse_to_return_arrays(dispatcher: Any) -> None:
    """Private: ``Dispatcher.compile`` and ``overloads``.

    What counts no references must not hand any on: its caller would give back one that was never taken, and the process
    would crash. It is refused when it is compiled.
    """
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
    """Private: ``Dispatcher._compile_for_args``.

    Ctrl-C while it compiles is a ``KeyboardInterrupt``, of which Numba sometimes makes an error of its own.
    """
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


@functools.cache
def intrinsics() -> Mapping[Callable[..., Any], Callable[..., Any]]:
    """What compiled code calls in place of some functions of the engine.

    ``numba.extending.intrinsic`` is public; what their bodies build with (``cgutils``, ``make_array``, ``context`` and
    LLVM's builder) is not. Without them a batch would be addressed by slices of arrays, which take far longer to
    compile, and the functions would run at a fraction of the speed.
    """
    return {
        record_at: _record_at(),
        fetch_ahead: _fetch_ahead(),
        blank: _blank(),
        copy_all: _copy_all(),
    }


def _record_at() -> Callable[..., Any]:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def record_at(typing_context, memory, offset, dtype):
        def generate(context, builder, signature, arguments):
            address, offset, _ = arguments
            return builder.inttoptr(builder.add(address, offset), context.get_value_type(signature.return_type))

        return dtype.dtype(types.int64, types.int64, dtype), generate

    return record_at


def _fetch_ahead() -> Callable[..., Any]:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def fetch_ahead(typing_context, memory, offset, dtype):
        size = dtype.dtype.size

        def generate(context, builder, signature, arguments):
            address, offset, _ = arguments
            number, flag = cgutils.intp_t, ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, flag, flag, flag])
            prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            first = builder.add(address, offset)
            for line in range(0, size + CACHE_LINE - 1, CACHE_LINE):
                place = builder.inttoptr(builder.add(first, number(line)), cgutils.voidptr_t)
                builder.call(prefetch, [place, flag(WRITE), flag(NEAREST), flag(DATA)])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, dtype), generate

    return fetch_ahead


def _blank() -> Callable[..., Any]:
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def blank(typing_context, dtype):
        def generate(context, builder, signature, arguments):
            record = context.get_data_type(signature.return_type)
            place = cgutils.alloca_once(builder, record)
            place.align = 16  # as arrays have it
            cgutils.memset(builder, place, context.get_constant(types.intp, dtype.dtype.size), 0)
            return place

        return dtype.dtype(dtype), generate

    return blank


def _copy_all() -> Callable[..., Any]:
    """Bytes moved at once, as Numba's loops and assignments do not."""
    from numba.core import cgutils, types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic
    def copy_all(typing_context, source, target):
        same = (source.dtype, source.ndim, source.layout) == (target.dtype, target.ndim, "C")
        if not same:
            raise TypingError(f"copy_all wants arrays of one shape and dtype without gaps, not {source} and {target}.")

        def generate(context, builder, signature, arguments):
            kinds = zip(signature.args, arguments, strict=True)
            here, there = (make_array(kind)(context, builder, value) for kind, value in kinds)
            cgutils.raw_memcpy(builder, there.data, here.data, there.nitems, there.itemsize)
            return context.get_dummy_value()

        return types.void(source, target), generate

    return copy_all
