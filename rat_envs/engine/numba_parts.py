"""All code that relies on Numba's private parts, and only that: why each is needed, and what would break without it.

The bounds on Numba's version (``numba_version.py``) are those within which ``tests/engine/test_engine_numba_parts.py``
has passed: that file has a test for each part.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from rat_envs.engine.counts import copy_all
from rat_envs.engine.differences import TOGETHER, different, lowest_bit, subtract_together
from rat_envs.engine.interrupts import Postponed, postponed
from rat_envs.engine.memory import CACHE_LINE, blank, fetch_ahead, record_at
from rat_envs.engine.numba_version import numba_within_bounds
from rat_envs.engine.products import LANES, inner_product

__all__ = ["compile_function", "intrinsics", "no_collection"]

#: LLVM's codes for a prefetch of data to be written, into the nearest cache.
WRITE, NEAREST, DATA = 1, 3, 1
#: Bytes of a SHA-256.
DIGEST_SIZE = 32
#: The beginning of the names of variables through which a function gets at its globals.
ENVIRONMENT = "_ZN08NumbaEnv"
#: A function that only compiled code calls is fully optimised on its own if it and those it calls are at most this
#: many.
SMALL = 8


def compile_function(
    function: FunctionType,
    folder: Path,
    entry: bool,
    inline: bool,
    counts: bool,
    own: bool,
    missed: Callable[[Path], None],
) -> Callable[..., Any]:
    """Have Numba compile a function, or load it from ``folder``, when it is first called.

    Args:
        folder: where code is kept; if it cannot be written, existing code is read, and no more is kept.
        entry: whether Python may call it, or only compiled functions.
        inline: whether LLVM copies it into its callers.
        counts: whether it counts references to arrays.
        own: whether it belongs to a single template, so that it need not be code that others can call.
        missed: called with ``folder`` when it is about to be compiled, because it is not there.
    """
    numba = numba_within_bounds()
    # Only what Python calls needs a wrapper for Python; leaving it out elsewhere halves the time to compile.
    options: Any = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": not entry, "no_cfunc_wrapper": True}
    options["forceinline"] = inline and not entry
    # Private. References are counted by atomic operations, which can cost more than everything else; without this
    # option each search takes twice as long.
    options["_nrt"] = counts
    if not entry:
        options["pipeline_class"] = _compiler_of_parts(own)
    dispatcher = numba.njit(**options)(function)
    # Private. Numba's own cache is set by an option, and its place by a variable of the whole process.
    kept = os.access(folder, os.R_OK)
    dispatcher._cache = (_cache() if kept else _no_cache())(function, folder, missed)
    if not counts:
        _refuse_to_return_arrays(dispatcher)
    if entry:
        _refuse_to_return_what_python_makes(dispatcher)
        _pass_interrupts_on(dispatcher)
    else:
        _take_integers_as_one(dispatcher)
    return Uninterrupted(dispatcher) if entry and counts else dispatcher


@functools.cache
def _compiler_of_parts(own: bool) -> type:
    """Private: ``JITCodeLibrary``, its ``_optimize_final_module``, ``_finalize_final_module`` and ``_final_module``,
    ``Compiler.state``. For functions that only compiled code calls.

    A function is optimised together with all that it calls, and its callers are optimised together with it, and so on
    up to what Python calls. So most of a game's rules would be fully optimised half a dozen times. With the last time
    alone, and simple passes before, the game with the most rules is compiled in four fifths of the time and is as fast.
    Small functions gain from being optimised on their own.

    Numba also turns each of these into machine code, which is never run: callers take over LLVM's code. Without that, a
    search is compiled in 0.7 to 0.9 of the time and is as fast. The rules themselves would be slower: making machine
    code leaves LLVM's loops in a form that suits the processor, and callers that take over these are 2 to 4 % faster.
    """
    from llvmlite import binding, ir
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    class Part(JITCodeLibrary):
        def _optimize_final_module(self) -> None:
            if sum(not function.is_declaration for function in self._final_module.functions) <= SMALL:
                super()._optimize_final_module()
                return
            codegen, simple = self._codegen, {"slp_vectorize": False, "cost": "cheap"}
            made = codegen._module_pass_manager(loop_vectorize=codegen._loopvect, opt=codegen._opt_level, **simple)
            passes, *builder = made if isinstance(made, tuple) else (made,)  # before Numba 0.62 there is no builder
            passes.run(self._final_module, *builder)

        def _finalize_final_module(self) -> None:
            """If it is ``own``, turn only the variables that Numba will look for into machine code."""
            if not own:
                super()._finalize_final_module()
                return
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            whole, looked_for = self._final_module, self._codegen._create_empty_module(self.name)
            for variable in whole.global_variables:
                if variable.name.startswith(ENVIRONMENT):
                    held = ir.GlobalVariable(looked_for, ir.IntType(8).as_pointer(), variable.name)
                    held.linkage, held.initializer = "common", ir.Constant(held.type.pointee, None)
            self._final_module = binding.parse_assembly(str(looked_for))
            super()._finalize_final_module()
            self._final_module = whole

    class CompilerOfParts(Compiler):
        def compile_extra(self, function: Any) -> Any:
            self.state.library = Part(self.state.targetctx.codegen(), function.__qualname__)
            self.state.library.enable_object_caching()
            return super().compile_extra(function)

    return CompilerOfParts


class Place:
    """A folder, with the interface that Numba expects."""

    def __init__(self, folder: Path, line: int) -> None:
        self.folder, self.line = folder, line

    def ensure_cache_path(self) -> None:
        """Make the folder, if needed."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get_disambiguator(self) -> str:
        """A text that tells functions of one name apart."""
        return str(self.line)


@functools.cache
def _no_cache() -> type:
    """Private: ``NullCache``. It has Numba compile each time."""
    from numba.core.caching import NullCache

    class NotKept(NullCache):
        def __init__(self, function: FunctionType, folder: Path, missed: Callable[[Path], None]) -> None:
            self.folder, self.missed = folder, missed

        def load_overload(self, signature: Any, context: Any) -> None:
            self.missed(self.folder)

    return NotKept


@functools.cache
def _cache() -> type:
    """Private: ``FunctionCache`` and its parts. It keeps code in a folder.

    Numba names the place of a function's code after the path of its source, and checks whether the source has changed.
    Our folders are named after all that the code depends on (``compile.py``), so that another installation of the same
    versions finds the code of the first, wherever it is.
    """
    from numba.core.caching import CompileResultCacheImpl, FunctionCache

    class Parts(CompileResultCacheImpl):
        def __init__(self, function: FunctionType, folder: Path) -> None:
            self._lineno = function.__code__.co_firstlineno
            self._locator = Place(folder, self._lineno)
            name = f"{function.__module__}.{function.__qualname__}"
            self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

    class Kept(FunctionCache):
        def __init__(self, function: FunctionType, folder: Path, missed: Callable[[Path], None]) -> None:
            self._name, self._py_func = repr(function), function
            self._impl = Parts(function, folder)
            self._cache_path = str(folder)
            self._cache_file = _checked_files()(self._cache_path, self._impl.filename_base, source_stamp=None)
            self.folder, self.missed = folder, missed
            self.enable()

        def load_overload(self, signature: Any, context: Any) -> Any:
            found = super().load_overload(signature, context)
            if found is None:
                self.missed(self.folder)
            return found

    return Kept


@functools.cache
def _checked_files() -> type:
    """Private: ``IndexDataCacheFile``. Numba's files of one function, each with the hash of its contents before them.

    Numba trusts whatever is in its cache: a damaged index ends in a traceback, and damaged code in a crash. With a hash
    of its contents each file is either whole or compiled anew; and if nothing more can be kept, as on a full disk, code
    is still compiled.
    """
    from numba.core.caching import IndexDataCacheFile

    class CheckedFiles(IndexDataCacheFile):
        def save(self, key: Any, data: Any) -> None:
            """Store the key with the code: two processes that compile at once may use one file for two keys."""
            with contextlib.suppress(OSError):
                super().save(key, (key, data))

        def load(self, key: Any) -> Any:
            whose, code = super().load(key) or (None, None)
            return code if whose == key else None

        def _load_index(self) -> Any:
            try:
                version, stamp, overloads = _load_checked(self._index_path)
            except OSError:
                return {}
            return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

        def _save_index(self, overloads: Any) -> None:
            self._save(self._index_path, (self._version, self._source_stamp, overloads))

        def _load_data(self, name: str) -> Any:
            return _load_checked(self._data_path(name))

        def _save_data(self, name: str, data: Any) -> None:
            self._save(self._data_path(name), data)

        def _save(self, path: str, value: Any) -> None:
            content = self._dump(value)
            with self._open_for_write(path) as file:
                file.write(hashlib.sha256(content).digest() + content)

    return CheckedFiles


def _load_checked(path: str) -> Any:
    """What a file of ``CheckedFiles`` holds.

    Raises:
        OSError: it cannot be read, or is damaged.
    """
    with open(path, "rb") as file:
        digest, content = file.read(DIGEST_SIZE), file.read()
    if hashlib.sha256(content).digest() != digest:
        raise OSError(f"{path} is damaged")
    return pickle.loads(content)  # written by this user or the system's: see ``is_private`` in compile.py


def _refuse_to_return_arrays(dispatcher: Any) -> None:
    """A function that counts no references must not return arrays: its caller would release a reference that was never
    taken, and the process would crash."""
    from numba.core import types

    _refuse_to_return(
        (types.Array,), "returns an array and makes none: let it write into one that it is given", dispatcher
    )


def _refuse_to_return_what_python_makes(dispatcher: Any) -> None:
    """Numba calls Python to make a named tuple or an enum of what an entry returns. If Ctrl-C was pressed meanwhile, it
    is raised there, Numba does not notice, and the process crashes. A plain tuple is made without Python."""
    from numba.core import types

    made_by_python = (types.BaseNamedTuple, types.EnumMember)
    wrong = "returns a named tuple or an enum to Python: let it return a tuple or a number"
    _refuse_to_return(made_by_python, wrong, dispatcher)


def _refuse_to_return(refused: tuple[type, ...], wrong: str, dispatcher: Any) -> None:
    """Private: as :func:`_demand_of_all`."""

    def is_refused(kind: Any) -> bool:
        return isinstance(kind, refused) or any(map(is_refused, getattr(kind, "types", ())))  # those of a tuple

    _demand_of_all(lambda returned: not any(map(is_refused, returned)), wrong, dispatcher)


def _demand_of_all(are_right: Callable[[list[Any]], bool], wrong: str, dispatcher: Any) -> None:
    """Private: ``Dispatcher.compile`` and ``overloads``. The error is raised when the function is compiled.

    Args:
        are_right: whether Numba's types of what it returns, by signature, are allowed.
        wrong: what it does if they are not, in words.
    """
    compile_anyhow = dispatcher.compile

    def compile_for(signature: Any) -> Any:
        result = compile_anyhow(signature)
        if not are_right(_returned(dispatcher)):
            raise TypeError(f"{dispatcher.py_func.__name__} {wrong}.")
        return result

    dispatcher.compile = compile_for


def _returned(dispatcher: Any) -> list[Any]:
    """Private: ``Dispatcher.overloads``. Numba's types of what it returns, by signature."""
    return [overload.signature.return_type for overload in dispatcher.overloads.values()]


def _is_plain(kind: Any) -> bool:
    """Whether Numba makes such a value for Python without running Python: None, a number, a plain tuple of these."""
    from numba.core import types

    if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
        return all(map(_is_plain, kind.types))  # type: ignore[attr-defined]
    return isinstance(kind, types.NoneType | types.Number | types.Boolean)


class Uninterrupted:
    """Private: ``Dispatcher._compile_for_args`` and ``overloads``. An entry that may return arrays.

    Numba calls Python to make an array of what was returned. If Ctrl-C was pressed meanwhile, it would be raised there,
    and Numba does not notice: the call ends with a ``SystemError``, or the process crashes. So Ctrl-C acts afterwards.
    A function that turns out to return no arrays, whatever arrays it makes for itself, needs no change of signal
    handlers and back, which takes twelve microseconds. The kind of what it returns must not depend on its arguments.
    """

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        self.is_plain: bool | None = None
        wrong = "returns numbers for some arguments, and something else for others: make two functions of it"
        _demand_of_all(lambda returned: len(set(map(_is_plain, returned))) == 1, wrong, dispatcher)

    def __call__(self, *arguments: Any) -> Any:
        """Compile it, if needed, and call it."""
        if not self.dispatcher.overloads:
            self.dispatcher._compile_for_args(*arguments)  # here Ctrl-C acts at once
        if self.is_plain is None:
            self.is_plain = all(map(_is_plain, _returned(self.dispatcher)))
        if self.is_plain:
            return self.dispatcher(*arguments)
        with postponed():
            return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name == "dispatcher":  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


def _take_integers_as_one(dispatcher: Any) -> None:
    """Private: ``Dispatcher.compile``.

    Numba compiles a function anew for each width of its integers and for each constant that it is called with. The
    arithmetic is that of 64 bits in any case, and LLVM knows constants where it copies a function into its caller. So
    one copy for signed integers of 64 bits is enough, and the largest functions are compiled once, not twice.
    """
    from numba.core import types

    compile_anyhow = dispatcher.compile

    def widened(kind: Any) -> Any:
        plain = types.unliteral(kind) if isinstance(kind, (types.IntegerLiteral, types.BooleanLiteral)) else kind
        signed = isinstance(plain, types.Integer) and plain.signed  # type: ignore[attr-defined]
        return types.int64 if signed else plain

    dispatcher.compile = lambda signature: compile_anyhow(tuple(map(widened, signature)))


def _pass_interrupts_on(dispatcher: Any) -> None:
    """Private: ``Dispatcher._compile_for_args``, ``numba.core.event``.

    Ctrl-C while it compiles is a ``KeyboardInterrupt``, which Numba sometimes turns into an error of its own. It is
    raised between two passes of the compiler: within one it may leave half-made objects of LLVM, and Python ends with a
    crash.
    """
    from numba.core.event import install_listener

    compile_anyhow = dispatcher._compile_for_args

    def compile_for_arguments(*arguments: Any, **keywords: Any) -> Any:
        with (
            no_collection(),
            postponed() as interruption,
            install_listener("numba:run_pass", _between_passes(interruption)),
        ):
            try:
                result = compile_anyhow(*arguments, **keywords)
            except Exception:
                if not interruption.has_raised:
                    raise
        if interruption.has_raised:
            raise KeyboardInterrupt
        return result

    dispatcher._compile_for_args = compile_for_arguments


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Turn off garbage collection: a compiler makes little garbage, and would spend a ninth of its time on it."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _between_passes(interruption: Postponed) -> Any:
    """A listener that lets Ctrl-C act before a pass of the compiler."""
    from numba.core.event import Listener

    class Between(Listener):
        def on_start(self, event: Any) -> None:
            interruption.act()

        def on_end(self, event: Any) -> None:
            pass

    return Between()


@functools.cache
def intrinsics() -> Mapping[Callable[..., Any], Callable[..., Any]]:
    """What compiled code calls in place of some functions of the engine.

    ``numba.extending.intrinsic`` is public; what the bodies are built with (``cgutils``, ``make_array``, ``context``
    and LLVM's builder) is not. Without them a batch would be addressed by slices of arrays, which take far longer to
    compile, and the functions would run at a fraction of the speed.
    """
    numba_within_bounds()
    return {
        record_at: _record_at(),
        fetch_ahead: _fetch_ahead(),
        blank: _blank(),
        copy_all: _copy_all(),
        inner_product: _inner_product(),
        different: _different(),
        lowest_bit: _lowest_bit(),
        subtract_together: _subtract_together(),
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
    """Move bytes at once, which Numba's loops and assignments do not."""
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


def _inner_product() -> Callable[..., Any]:
    """Compute products side by side, which Numba does only if they may be added in any order."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    numbers, alone = ir.VectorType(ir.FloatType(), LANES), ir.IntType(32)
    size_of_number = types.float32.bitwidth // 8

    def added_up(builder, total):
        half = LANES // 2
        while half:
            halves = ([alone(place) for place in range(start, start + half)] for start in (0, half))
            lower, upper = (ir.Constant(ir.VectorType(alone, half), places) for places in halves)
            total = builder.fadd(*(builder.shuffle_vector(total, total, places) for places in (lower, upper)))
            half //= 2
        return builder.extract_element(total, alone(0))

    @intrinsic
    def inner_product(typing_context, some, others):
        if any((kind.dtype, kind.ndim, kind.layout) != (types.float32, 1, "C") for kind in (some, others)):
            raise TypingError(f"inner_product wants arrays (n) of float32 without gaps, not {some} and {others}.")

        def generate(context, builder, signature, arguments):
            kinds = list(zip(signature.args, arguments, strict=True))
            arrays = [make_array(kind)(context, builder, value) for kind, value in kinds]
            size = arrays[0].nitems
            whole = builder.and_(size, size.type(-LANES))
            sums = cgutils.alloca_once_value(builder, ir.Constant(numbers, [0.0] * LANES))

            def products(start, kind):
                places = (builder.gep(array.data, [start]) for array in arrays)
                at_once = (builder.bitcast(place, kind.as_pointer()) for place in places)
                return builder.fmul(*(builder.load(place, align=size_of_number) for place in at_once))

            with cgutils.for_range_slice(builder, size.type(0), whole, size.type(LANES)) as (start, _):
                builder.store(builder.fadd(builder.load(sums), products(start, numbers)), sums)
            with cgutils.for_range_slice(builder, whole, size, size.type(1)) as (start, _):
                now, lane = builder.load(sums), builder.trunc(builder.sub(start, whole), alone)
                more = builder.fadd(builder.extract_element(now, lane), products(start, ir.FloatType()))
                builder.store(builder.insert_element(now, more, lane), sums)
            return added_up(builder, builder.load(sums))

        return types.float32(some, others), generate

    return inner_product


def _place_of_numbers(name: str) -> Callable[..., Any]:
    """A builder of the place in an array of bytes that are processed at once; it refuses other arrays, in this name."""
    from llvmlite import ir
    from numba.core import types
    from numba.core.errors import TypingError
    from numba.np.arrayobj import make_array

    numbers = ir.VectorType(ir.IntType(8), TOGETHER)

    def place_of(context, builder, kind, value, start):
        if (kind.dtype, kind.ndim, kind.layout) != (types.int8, 1, "C"):
            raise TypingError(f"{name} wants arrays (n) of int8 without gaps, not {kind}.")
        first = builder.gep(make_array(kind)(context, builder, value).data, [start])
        return builder.bitcast(first, numbers.as_pointer())

    return place_of


def _different() -> Callable[..., Any]:
    """Compare bytes at once, and give a bit for each, which Numba's loops do not."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    place_of = _place_of_numbers("different")

    @intrinsic
    def different(typing_context, some, others, start):
        def generate(context, builder, signature, arguments):
            *arrays, start = arguments
            pairs = zip(signature.args, arrays, strict=False)
            found = [builder.load(place_of(context, builder, *each, start), align=1) for each in pairs]
            unequal = builder.icmp_unsigned("!=", *found)
            return builder.zext(builder.bitcast(unequal, ir.IntType(TOGETHER)), cgutils.intp_t)

        return types.intp(some, others, types.intp), generate

    return different


def _subtract_together() -> Callable[..., Any]:
    """Subtract bytes at once, however few there are: Numba's loops do so only if there are hundreds."""
    from numba.core import types
    from numba.extending import intrinsic

    place_of = _place_of_numbers("subtract_together")

    @intrinsic
    def subtract_together(typing_context, found, place, some, start, others):
        def generate(context, builder, signature, arguments):
            kinds = signature.args
            found, place, some, start, others = arguments
            target = place_of(context, builder, kinds[0], found, place)
            from_some = builder.load(place_of(context, builder, kinds[2], some, start), align=1)
            from_others = builder.load(place_of(context, builder, kinds[4], others, place), align=1)
            builder.store(builder.sub(from_some, from_others), target, align=1)
            return context.get_dummy_value()

        return types.void(found, types.intp, some, types.intp, others), generate

    return subtract_together


def _lowest_bit() -> Callable[..., Any]:
    """One instruction of the processor."""
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic
    def lowest_bit(typing_context, bits):
        def generate(context, builder, signature, arguments):
            return builder.cttz(*arguments, ir.IntType(1)(1))

        return types.intp(types.intp), generate

    return lowest_bit
