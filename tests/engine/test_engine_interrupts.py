"""Ctrl-C while rules are compiled is a KeyboardInterrupt, whatever the compiler makes of it."""

from __future__ import annotations

import runpy
import signal

import pytest
from numba.core.event import Listener, install_listener, trigger_event

from rat_envs.engine import interrupts
from rat_envs.engine.compile import Specialiser
from rat_envs.engine.interrupts import held_back, postponed


@pytest.fixture(autouse=True)
def interrupts_as_usual():
    """Where the tests run in the background, Ctrl-C is ignored from the beginning."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def double(number):
    return 2 * number


def begin_pass():
    """What Numba does when it begins a pass."""
    with trigger_event("numba:run_pass"):
        pass


def lose_it(arguments):
    """A compiler that makes another error of an interruption."""
    signal.raise_signal(signal.SIGINT)
    try:
        begin_pass()
    except KeyboardInterrupt:
        raise RuntimeError("no compiled object yet") from None


def pass_over_it(arguments):
    """A compiler that does not care; what it returns is not called."""
    signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        begin_pass()


def notice_nothing(arguments):
    """A compiler that has no pass left; what it returns is not called."""
    signal.raise_signal(signal.SIGINT)


def fail(arguments):
    raise RuntimeError("something else")


def compiled(tmp_path, monkeypatch, how):
    function = Specialiser({}, {}, lambda sources: tmp_path, True, "doubles")(double)
    monkeypatch.setattr(function, "compile", how)
    return function


@pytest.mark.parametrize("how", [lose_it, pass_over_it, notice_nothing])
def test_interrupted_compilation_is_a_keyboard_interrupt(how, tmp_path, monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        compiled(tmp_path, monkeypatch, how)(2)
    assert signal.getsignal(signal.SIGINT) is before


def test_within_a_pass_nothing_is_interrupted_unless_it_is_said_twice(tmp_path, monkeypatch):
    seen = []

    def work(arguments):
        signal.raise_signal(signal.SIGINT)
        seen.append("the first waits")
        signal.raise_signal(signal.SIGINT)
        seen.append("the second does not")

    with pytest.raises(KeyboardInterrupt):
        compiled(tmp_path, monkeypatch, work)(2)
    assert seen == ["the first waits"]


def test_the_compiler_is_interrupted_before_its_next_pass(tmp_path, monkeypatch):
    function = Specialiser({}, {}, lambda sources: tmp_path, True, "doubles")(double)
    passes = []

    class Interrupting(Listener):
        def on_start(self, event):
            passes.append(event.data["name"])
            if len(passes) == 3:
                signal.raise_signal(signal.SIGINT)

        def on_end(self, event):
            pass

    with install_listener("numba:run_pass", Interrupting()), pytest.raises(KeyboardInterrupt):
        function(2)
    assert 3 <= len(passes) <= 4


def test_an_interrupt_is_not_lost_to_another_error(tmp_path, monkeypatch):
    def fail_late(arguments):
        signal.raise_signal(signal.SIGINT)
        raise RuntimeError("something else")

    with pytest.raises(KeyboardInterrupt):
        compiled(tmp_path, monkeypatch, fail_late)(2)


def test_other_errors_of_the_compiler_stay_what_they_are(tmp_path, monkeypatch):
    with pytest.raises(RuntimeError, match="something else"):
        compiled(tmp_path, monkeypatch, fail)(2)


def test_a_compilation_during_which_interrupts_are_held_back_goes_on(tmp_path, monkeypatch):
    function = Specialiser({}, {}, lambda sources: tmp_path, True, "doubles")(double)
    compile_it = function.compile

    def interrupted(arguments):
        signal.raise_signal(signal.SIGINT)
        return compile_it(arguments)

    monkeypatch.setattr(function, "compile", interrupted)
    with held_back() as held:
        assert function(4) == 8
        assert held.has_come
        with pytest.raises(KeyboardInterrupt):  # the second acts as usual
            signal.raise_signal(signal.SIGINT)


def test_second_interrupt_acts_as_usual():
    with held_back() as held:
        signal.raise_signal(signal.SIGINT)
        assert held.has_come
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_ignored_interrupts_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with postponed() as interruption:
            signal.raise_signal(signal.SIGINT)
            interruption.act()
        assert not interruption.has_raised
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupts_that_are_not_handled_by_python_are_left_alone(monkeypatch):
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", lambda *arguments: pytest.fail("a handler was set"))
    with held_back() as held, postponed() as heard:
        assert not held.has_come and not heard.has_raised


def test_a_console_that_closes_ends_what_is_under_way_as_a_scheduler_does(monkeypatch):
    for name in ("SIGHUP", "SIGBREAK"):
        monkeypatch.delattr(signal, name, raising=False)
    for name, number in (("SIGHUP", 1), ("SIGBREAK", 21)):
        monkeypatch.setattr(signal, name, number, raising=False)
        assert number in runpy.run_path(interrupts.__file__)["SENT"]
        monkeypatch.delattr(signal, name)
