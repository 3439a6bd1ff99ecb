"""Damaged files of every kind: whoever reads one answers in a sentence, within a bound of time, memory and words.

``RAT_ENVS_FUZZ=5000 pytest tests/fuzz`` damages each kind of file 5,000 times.
"""

from __future__ import annotations

import json
import os
import time
import tracemalloc

import numpy as np
import pytest
from accidents import ACCIDENTS, spoilt
from readers import READERS, made

from rat_envs.engine.errors import RatEnvsError

#: Accidents to each kind of file.
TIMES = int(os.environ.get("RAT_ENVS_FUZZ", "108"))
#: Kinds that take so much longer that fewer accidents have to do.
SLOWER = {"checkpoint of lookahead": 10, "checkpoint of search": 2, "checkpoint of ppo": 2}
#: Seconds and bytes that one file may take, and characters that an answer has, or repeats of the file.
SECONDS, MEMORY, LONGEST, REPEATED = 5, 200 * 2**20, 600, 200


@pytest.fixture(scope="module", params=list(READERS))
def kind(request):
    """Each kind of file in turn."""
    return request.param


@pytest.fixture(scope="module")
def whole(kind, tmp_path_factory):
    """A file of that kind with nothing wrong."""
    if kind.startswith("checkpoint"):
        pytest.importorskip("sb3_contrib")
    return made(kind, tmp_path_factory.mktemp("whole"))


def answer(read, path):
    """The sentence with which a file is refused; None if it is read."""
    started = time.monotonic()
    try:
        read(path)
    except RatEnvsError as error:
        sentence = str(error)
    else:
        sentence = None
    assert time.monotonic() - started < SECONDS
    return sentence


def check_sentence(sentence, content):
    """One line, not too long, that repeats little."""
    assert sentence.isprintable() and len(sentence) <= LONGEST, sentence
    text = content.decode("utf-8", "replace") if len(sentence) > REPEATED else ""
    parts = [sentence[start : start + REPEATED + 1] for start in range(len(sentence) - REPEATED)]
    assert not any(part in text for part in parts), sentence


def test_a_whole_file_is_read(kind, whole):
    READERS[kind](whole)  # compiles what is needed
    assert answer(READERS[kind], whole) is None


def test_a_damaged_file_is_refused_in_a_sentence_or_read(kind, whole, tmp_path):
    random, content = np.random.default_rng(2026), whole.read_bytes()
    path, refused = tmp_path / whole.name, 0
    times = max(TIMES // SLOWER.get(kind, 1), len(ACCIDENTS))
    for number in range(times):
        accident = list(ACCIDENTS)[number % len(ACCIDENTS)]
        damaged = spoilt(accident, content, random)
        path.write_bytes(damaged)
        sentence = answer(READERS[kind], path)
        if sentence is not None:
            check_sentence(sentence, damaged)
            refused += 1
    assert refused >= times // 2


@pytest.mark.parametrize("place", ["folder", "link to a folder", "link to nothing", "very long name", "zero byte"])
def test_what_is_no_file_is_refused_in_a_sentence(kind, tmp_path, place):
    path = tmp_path / "there"
    if "folder" in place:
        (tmp_path / "folder").mkdir()
    if place == "folder":
        path = tmp_path / "folder"
    elif "link" in place:
        path.symlink_to(tmp_path / place.rpartition(" ")[2])
    elif place == "very long name":
        path = tmp_path / ("x" * 5000)
    else:
        path = tmp_path / "a\0b"
    sentence = answer(READERS[kind], path)
    if sentence is not None:
        check_sentence(sentence, b"")


#: Small files whose reader would need much memory if it believed them.
GREEDY = {
    "many lists": b"[" + b"[]," * 1_300_000 + b"[]]",
    "many objects": b"[" + b'{"a":{}},' * 400_000 + b"1]",
    "many numbers": b"[" + b"0," * 2_000_000 + b"0]",
    "nested": b'{"a":' * 700_000,
    "one text": b'"' + "🐀".encode() * 1_000_000 + b'"',
}


@pytest.mark.parametrize("content", GREEDY.values(), ids=GREEDY)
def test_a_greedy_file_takes_little_memory(kind, tmp_path, content):
    if TIMES < 1000 and kind not in ("records", "manifest"):
        pytest.skip("the same reader")
    path = tmp_path / "greedy"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        sentence = answer(READERS[kind], path)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()
    assert sentence is not None
    check_sentence(sentence, content)


def test_a_value_of_any_kind_is_shown_in_few_characters():
    from rat_envs.engine.errors import shown

    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (
        10**100_000,
        "x" * 10**6,
        "a\nb\u2028\ud800",
        b"\0" * 10**6,
        [deep] * 1000,
        {1: deep},
        np.zeros(10**6),
    ):
        assert shown(value).isprintable() and len(shown(value)) <= 80
        json.dumps(shown(value)).encode()
