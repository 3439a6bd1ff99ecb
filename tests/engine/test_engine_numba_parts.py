"""Each of Numba's private parts that the engine leans on, so that a version without it is noticed.

What counts no references is in ``test_engine_counting.py``, Ctrl-C while compiling in ``test_engine_interrupts.py``.
"""

from __future__ import annotations

import copy
import gc
import importlib
import os
import signal
import sys
import threading
import time
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.codegen import JITCPUCodegen
from numba.core.errors import TypingError

from rat_envs.engine import numba_parts
from rat_envs.engine.compile import Specialiser
from rat_envs.engine.contract import declared
from rat_envs.engine.counts import copy_all
from rat_envs.engine.differences import TOGETHER, different, list_different, subtract_together
from rat_envs.engine.memory import at_cache_line, blank, fetch_ahead, record_at
from rat_envs.engine.numba_parts import compile_function, intrinsics, no_collection
from rat_envs.engine.products import inner_product

PAIR = np.dtype((np.record, [("first", "i4"), ("second", "i4")]))


def second_of(memory, number):
    fetch_ahead(memory, number * 8, PAIR)
    record = record_at(memory, number * 8, PAIR)
    record.first = -1
    return record.second


def copied(source, target):
    copy_all(source, target)
    return target[-1]


def blank_twice(number):
    total = 0
    for _ in range(2):
        record = blank(PAIR)
        record.first += number
        total += record.first
    return total


def plus_one(number):
    return number + 1


def plus_ones(pair):
    return plus_one(100) + plus_one(pair.first) + plus_one(np.int8(27)) + plus_one(2**20)


def product_of(some, others):
    return inner_product(some, others)


def differences(some, others, places, end):
    return list_different(some, others, places, end)


def first_differences(some, others):
    return different(some, others, 0)


def subtracted(found, place, some, start, others):
    subtract_together(found, place, some, start, others)


def compile_here(function, folder, counts):
    """The code of a function, kept in a folder."""
    return compile_function(function, folder, True, False, counts, False, lambda folder: None)


@pytest.fixture(params=[True, False], ids=["compiled", "interpreted"])
def make(request, tmp_path):
    instead = intrinsics() if request.param else {}
    return Specialiser({}, instead, lambda sources: tmp_path, request.param, "parts")


def test_a_record_is_read_and_written_where_it_lies(make):
    pairs = np.array([(1, 2), (3, 4)], PAIR)
    memory = pairs.view(np.uint8)
    assert make(second_of)(memory.ctypes.data if make.compiled else memory, 1) == 4
    assert pairs.tolist() == [(1, 2), (-1, 4)]


def test_all_is_copied_at_once(make):
    source, target = np.arange(6, dtype=np.int8), np.zeros(6, np.int8)
    assert make(copied)(source, target) == 5
    assert target.tolist() == source.tolist()


def test_arrays_that_do_not_fit_are_refused_when_they_are_compiled(tmp_path):
    make = Specialiser({}, intrinsics(), lambda sources: tmp_path, True, "parts")
    with pytest.raises(TypingError, match="copy_all wants arrays of one shape"):
        make(copied)(np.zeros(6, np.int8), np.zeros(6, np.int16))


def test_a_blank_record_is_blank_again(make):
    assert make(blank_twice)(3) == 6


def test_code_is_kept_in_the_folder_and_the_caches_of_others_stay_where_they_are(tmp_path):
    config = importlib.import_module("numba.core.config")
    before = config.CACHE_DIR
    compiled = compile_here(plus_one, tmp_path, counts=False)
    assert compiled(1) == 2
    assert before == config.CACHE_DIR
    assert list(tmp_path.rglob("*plus_one-*.nbi"))
    assert compiled.stats.cache_misses


def test_where_a_folder_cannot_be_written_nothing_is_kept(tmp_path):
    compiled = compile_here(plus_one, tmp_path / "missing", counts=False)
    assert compiled(1) == 2
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("counts", [True, False])
def test_the_option_that_leaves_out_counting_is_still_there(counts, tmp_path):
    compiled = compile_here(plus_one, tmp_path, counts=counts)
    assert compiled(1) == 2
    assert ("NRT_incref" in "".join(compiled.inspect_llvm().values())) <= counts
    assert compiled.targetoptions["_nrt"] is counts


def test_integers_of_all_widths_and_constants_take_one_copy(make):
    pair = np.array([(1, 2)], PAIR)[0]
    assert make(plus_ones)(pair) == 101 + 2 + 28 + 2**20 + 1
    if make.compiled:
        assert len(make(plus_one, entry=False).signatures) == 1


def test_what_is_large_and_called_from_compiled_code_alone_is_optimised_in_full_by_its_callers(tmp_path, monkeypatch):
    """First nothing is large, then everything."""
    asked = []
    passes = JITCPUCodegen._module_pass_manager

    def noted(self, **options):
        asked.append(options.get("cost", "full"))
        return passes(self, **options)

    monkeypatch.setattr(JITCPUCodegen, "_module_pass_manager", noted)
    for small, times in ((8, ["cheap", "full"] * 2), (0, ["cheap", "cheap", "full"])):
        asked.clear()
        monkeypatch.setattr(numba_parts, "SMALL", small)
        folder = tmp_path / str(small)
        folder.mkdir()
        make = Specialiser({}, intrinsics(), lambda sources, folder=folder: folder, True, "parts")
        assert make(plus_ones)(np.array([(1, 2)], PAIR)[0]) == 101 + 2 + 28 + 2**20 + 1
        assert sorted(asked) == sorted(times)


@declared
def step_size():
    """By how much it grows."""


def by_two():
    return 2


def grown(number):
    return number + step_size()


def grown_twice(number):
    return grown(grown(plus_one(number)))


def grown_once(number):
    return grown(plus_one(number))


def for_one_template(folder):
    """What copies functions that ask for ``step_size``, and beside it what copies all others."""
    common = Specialiser({}, intrinsics(), lambda sources: folder, True, "all")
    return Specialiser({}, intrinsics(), lambda sources: folder, True, "one", {step_size: by_two}, common)


def test_what_one_template_has_to_itself_is_no_machine_code_and_is_found_again_by_others(tmp_path):
    make = for_one_template(tmp_path)
    assert make(grown_twice)(1) == 6
    for function, is_code in ((grown, False), (plus_one, True)):
        (part,) = make(function, entry=False).overloads.values()
        assert bool(part.library.get_pointer_to_function(part.fndesc.llvm_func_name)) is is_code
    again = for_one_template(tmp_path)
    assert again(grown_once)(1) == 4
    assert sum(again(grown, entry=False).stats.cache_hits.values()) == 1


@pytest.mark.parametrize("collects", [True, False])
def test_nothing_is_collected_while_it_compiles_and_whatever_was_before_is_after(collects):
    (gc.enable if collects else gc.disable)()
    try:
        with no_collection():
            assert not gc.isenabled()
        assert gc.isenabled() is collects
    finally:
        gc.enable()


@pytest.mark.parametrize("number", [0, 1, 15, 16, 17, 128, 200])
def test_products_are_added_up_in_one_order(make, number):
    some, others = np.random.default_rng(number).normal(size=(2, number)).astype(np.float32)
    found = make(product_of)(some, others)
    assert np.isclose(found, some.astype(float) @ others)
    sums = [np.float32(0)] * 16
    for place, product in enumerate(some * others):
        sums[place % 16] += product
    for half in (8, 4, 2, 1):
        sums = [lower + upper for lower, upper in zip(sums[:half], sums[half:], strict=True)]
    assert np.float32(found).tobytes() == np.float32(sums[0]).tobytes()


def test_products_of_other_numbers_are_refused(tmp_path):
    make = Specialiser({}, intrinsics(), lambda sources: tmp_path, True, "parts")
    numbers = np.ones(32, np.float32)
    for other in (numbers.astype(float), numbers.astype(np.int32), numbers[::2], numbers.reshape(2, 16)):
        with pytest.raises(TypingError, match="inner_product wants arrays"):
            make(product_of)(numbers, other)


@pytest.mark.parametrize("share", [0, 0.05, 0.5, 1])
def test_what_differs_is_found_wherever_it_is(make, share):
    random = np.random.default_rng(5)
    for size in (*range(2 * TOGETHER + 3), 490):
        some = random.integers(-128, 128, size).astype(np.int8)
        others = some + (random.random(size) < share).astype(np.int8)
        places = np.full(size + 4, -1, np.int32)
        end = make(differences)(some, others, places, 3)
        assert np.array_equal(places[3:end], np.flatnonzero(some != others)) and (places[:3] == -1).all()


def test_arrays_of_other_numbers_are_not_compared(tmp_path):
    make = Specialiser({}, intrinsics(), lambda sources: tmp_path, True, "parts")
    numbers = np.ones(64, np.int8)
    for other in (numbers.astype(np.uint8), numbers.astype(np.int16), numbers[::2], numbers.reshape(2, 32)):
        with pytest.raises(TypingError, match="different wants arrays"):
            make(first_differences)(numbers, other)
        for refused in (
            (other, 0, numbers, 0, numbers),
            (numbers, 0, other, 0, numbers),
            (numbers, 0, numbers, 0, other),
        ):
            with pytest.raises(TypingError, match="subtract_together wants arrays"):
                make(subtracted)(*refused)


def test_numbers_are_subtracted_together(make):
    random = np.random.default_rng(3)
    some, others, found = random.integers(-128, 128, (3, 2 * TOGETHER + 5)).astype(np.int8)
    before = found.copy()
    make(subtracted)(found, 7, some, 2, others)
    end = 7 + TOGETHER
    assert np.array_equal(found[7:end], some[2 : 2 + TOGETHER] - others[7:end])  # which go round at 128
    assert np.array_equal(np.delete(found, np.s_[7:end]), np.delete(before, np.s_[7:end]))


def test_a_copy_at_a_cache_line_is_a_copy():
    for number in range(1, 40):
        array = np.arange(3.0 * number, dtype=np.float32).reshape(number, 3).T
        copied = at_cache_line(array)
        assert copied.ctypes.data % 64 == 0 and copied.flags.c_contiguous
        assert copied.dtype == array.dtype and np.array_equal(copied, array)
        copied[:] = 0
        assert array[-1, -1] > 0


class Pair(NamedTuple):
    one: int
    other: int


def pair_of(number):
    return Pair(number, 2)


def nested_pair_of(number):
    return number, Pair(number, 2)


@pytest.mark.parametrize("function", [pair_of, nested_pair_of])
def test_what_python_would_make_is_not_returned_to_it(function, tmp_path):
    """Ctrl-C would crash the process there. Compiled functions may return it to each other."""
    with pytest.raises(
        TypeError, match=f"^{function.__name__} returns a named tuple or an enum to Python: let it return a tuple"
    ):
        compile_here(function, tmp_path, counts=False)(1)


@pytest.fixture
def ctrl_c():
    """Ctrl-C acts as usual, also where tests run in the background and it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def counted_long(number):
    total = 0
    for k in range(number):
        total += k * k % 7
    return np.full(3, total), np.full(2, number)


@pytest.mark.skipif(sys.platform == "win32", reason="this system sends no such signals")
def test_ctrl_c_acts_after_an_entry_that_returns_arrays(tmp_path, ctrl_c):
    """It was a SystemError or a crash: Python runs while the arrays are made."""
    entry = compile_here(counted_long, tmp_path, counts=True)
    assert entry(2)[1].tolist() == [2, 2]
    for _ in range(5):
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            long_enough(entry)
        timer.join()


def listed(number):
    array = np.full(3, number)
    return [array, array]


def made_for_itself(number):
    array = np.full(3, number)
    return array.sum()


@pytest.mark.parametrize(("function", "times"), [(counted_long, 2), (listed, 2), (made_for_itself, 0)])
def test_ctrl_c_waits_only_for_entries_that_return_arrays(function, times, tmp_path, monkeypatch):
    """Handling a signal otherwise, and again as before, takes longer than a small entry itself."""
    entry = compile_here(function, tmp_path, counts=True)
    entry(2)
    handled = []
    monkeypatch.setattr(signal, "signal", lambda number, handle: handled.append(number))
    entry(2)
    monkeypatch.undo()
    assert handled == [signal.SIGINT] * times


def given_back(number, what):
    np.full(3, number).sum()
    return what


def test_an_entry_returns_numbers_always_or_never(tmp_path):
    """Whether Ctrl-C waits is known before it is compiled for other arguments."""
    entry = compile_here(given_back, tmp_path, counts=True)
    assert entry(1, 2) == 2 and entry(1, 2.5) == 2.5
    with pytest.raises(TypeError, match=r"^given_back returns numbers for some arguments, and something else for"):
        entry(1, np.zeros(3))


def test_a_copy_of_an_entry_is_one(tmp_path):
    entry = compile_here(made_for_itself, tmp_path, counts=True)
    assert copy.copy(entry)(2) == 6


def long_enough(entry):
    """On a machine so slow that Ctrl-C has not been pressed when the entry ends, wait for it."""
    entry(10**8)
    time.sleep(5)
