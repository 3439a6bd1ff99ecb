"""Ctrl-C while rules are compiled is a KeyboardInterrupt, whatever the compiler makes of it."""

from __future__ import annotations

import signal

import pytest

from rat_envs.engine.compile import Specialiser
from rat_envs.engine.interrupts import held_back, noticed


@pytest.fixture(autouse=True)
def interrupts_as_usual():
    """Where the tests run in the background, Ctrl-C is ignored from the beginning."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def double(number):
    return 2 * number


def lose_it(arguments):
    """A compiler that makes another error of an interruption."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("no compiled object yet") from None


def pass_over_it(arguments):
    """A compiler that does not care; what it returns is not called."""
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def fail(arguments):
    raise RuntimeError("something else")


def compiled(tmp_path, monkeypatch, how):
    function = Specialiser({}, {}, lambda sources: tmp_path, True, "doubles")(double)
    monkeypatch.setattr(function, "compile", how)
    return function


@pytest.mark.parametrize("how", [lose_it, pass_over_it])
def test_interrupted_compilation_is_a_keyboard_interrupt(how, tmp_path, monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        compiled(tmp_path, monkeypatch, how)(2)
    assert signal.getsignal(signal.SIGINT) is before


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
    with held_back() as event:
        assert function(4) == 8
        assert event.is_set()
        with pytest.raises(KeyboardInterrupt):  # the second acts as usual
            signal.raise_signal(signal.SIGINT)


def test_second_interrupt_acts_as_usual():
    with held_back() as event:
        signal.raise_signal(signal.SIGINT)
        assert event.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_ignored_interrupts_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with noticed() as event:
            signal.raise_signal(signal.SIGINT)
        assert not event.is_set()
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupts_that_are_not_handled_by_python_are_left_alone(monkeypatch):
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", lambda *arguments: pytest.fail("a handler was set"))
    with held_back() as held, noticed() as heard:
        assert not held.is_set() and not heard.is_set()
