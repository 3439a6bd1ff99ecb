"""How a run shows where it is: on a terminal, and in a pipe."""

from __future__ import annotations

import errno
import io
from dataclasses import replace

import pytest

pytest.importorskip("sb3_contrib")

from rat_envs.training.progress import Report, show_progress

HALF = Report(1, 64, 60.0, 0.5, 1.0, False, seconds_left=170.0)
END = Report(2, 128, 120.0, 1.0, 1.0, True, seconds_left=0.0)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_it_says_how_long_it_will_still_take(stream):
    with show_progress(stream, seconds=0.0) as progress:
        progress(HALF)
    assert "about 3 min left" in stream.getvalue() and "50" in stream.getvalue()


def test_a_terminal_that_is_closed_ends_in_no_error():
    class Closing(Terminal):
        closes = False

        def write(self, text: str) -> int:
            if self.closes:
                raise OSError(errno.EIO, "Input/output error")
            return super().write(text)

    stream = Closing()
    with show_progress(stream) as progress:
        progress(HALF)
        stream.closes = True
        progress(END)


@pytest.mark.parametrize("name", ["own.py:Rat:bias=0.9", "[/x]"])
def test_names_of_opponents_stand_as_they_are_written(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    stream = Terminal()
    with show_progress(stream) as progress:
        progress(replace(HALF, returns={name: 0.5}))
    assert f"against {name}" in stream.getvalue()


def test_nothing_is_left_at_the_end():
    stream = io.StringIO()
    with show_progress(stream) as progress:
        progress(HALF)
        progress(END)
    assert stream.getvalue() == "100%  128 steps, 2 updates, 1 steps/s\n"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (9.0, "less than 1 min left"),
        (61.0, "about 1 min left"),
        (5400.0, "about 90 min left"),
        (9000.0, "about 2 h left"),
        (1e300, ""),
    ],
)
def test_times_are_said_in_words(seconds, words):
    assert Report(1, 64, 60.0, 0.5, 1.0, False, seconds_left=seconds).time_left() == words
