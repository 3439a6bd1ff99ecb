"""Wrong values on the command line: every command answers with exit code 0, 1 or 2, and never with a traceback.

``RAT_ENVS_FUZZ=5000 pytest tests/fuzz`` tries more of them.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest
from accidents import ACCIDENTS
from readers import make_policy, make_records, make_tournament

from rat_envs.commands.main import main
from rat_envs.engine.errors import RatEnvsError

TIMES = int(os.environ.get("RAT_ENVS_FUZZ", "108"))
#: Seconds that a refusal may take, and characters of one.
SECONDS, LONGEST = 5, 700

#: What somebody may write where something else should stand.
WRONG = (
    *("99999999999999999999999", "-1", "-99999999999999999999999", "9" * 5000, "1e999", "1e308", "0.5", "-0"),
    *("18446744073709551615", "18446744073709551616", "9223372036854775808", "2147483648", "1_0_0", "0x10", "٣"),
    *("", " ", "text", "None", "true", "NaN", "nan", "inf", "-inf", "Infinity", "x" * 100_000, "🐀" * 1000, "\u2028"),
    *("a\nb", "a\0b", "\udc80", "--", "-", "=", "a=", "=b", "a=b=c", "..", "/", "/dev/null", "~", "%s{0}", "$(ls)"),
    *("[" * 100_000, "[[[[1]]]]", '{"a":' * 50_000, "{}", "[]", "[1,2,", '"', "null", '{"a": [1]}', "\\ud800"),
)
#: Options with a damaged value, as a game, an agent or a learner takes them.
NAMED = ("fast={}", "players={}", "draw_pile={}", "{}=1", "hands={}", "die={}", "third_rat={}")
AGENTS = (
    *("{}", "ismcts:sims={}", "ismcts:sims=2,exploration={}", "ismcts:ms={}", "ismcts:sims=1,policy={}", "greedy:{}"),
    *("ismcts:sims=1,rollout={}", "{}.py:Agent", "{}:Agent", "learnt:{}=1"),
)
SETTINGS = (
    *(
        "learning_rate={}",
        "hidden=[{}]",
        "hidden={}",
        "num_games={}",
        "epochs={}",
        "opponents={}",
        "{}=1",
        "crossed={}",
    ),
    *("minibatch={}", "steps_per_update={}", "threads={}", "preset={}", "history={}", "random_moves={}", "discount={}"),
)
#: By command: what is written, each word in braces being the place of a damaged value; and the places' other forms.
COMMANDS = {
    "games": ["games", "{}"],
    "describe": ["describe", "{}"],
    "record": ["record", "brave_rats", NAMED, "--seed", "{}", "--players", "{}", "--agent", AGENTS, "--agent", AGENTS],
    "replay": ["replay", "{}"],
    "play": [
        *("play", "brave_rats", NAMED, "--seat", "{}", "--seed", "{}", "--against", AGENTS, "--seats", AGENTS),
        *("--from", "{}", "--pause", "{}"),
    ],
    "solve": ["solve", "{}", "--preset", "{}", "--method", "{}", "--iterations", "{}", "--seed", "{}"],
    "exploit": ["exploit", "brave_rats", "--preset", "{}", "--agent", AGENTS],
    "train": [
        *("train", "brave_rats", NAMED, "--minutes", "{}", "--steps", "{}", "--seed", "{}", "--learner", "{}"),
        *("--random-weight", "{}", "--set", SETTINGS, "--games", "{}", "--players", "{}", "--list-options", "{}"),
        *("--folder", "{}"),
    ],
    "best-response": [
        *("best-response", "brave_rats", NAMED, "--agent", AGENTS, "--minutes", "{}", "--steps", "{}", "--seed", "{}"),
        *("--games", "{}", "--players", "{}"),
    ],
    "arena": [
        *("arena", "brave_rats", AGENTS, AGENTS, NAMED, "--games", "{}", "--seed", "{}", "--chunk", "{}"),
        *("--workers", "{}", "--out", "{}", "--players", "{}", "--from", "{}", "--match", "{}"),
    ],
    "ladder": ["ladder", "--minutes", "{}"],
    "policies": ["policies", "{}", "--players", "{}", "--minutes", "{}"],
    "bench": ["bench", "--game", "{}"],
    "benchmark": [
        *("benchmark", "--task", "{}", "--algorithm", "{}", "--seeds", "{}", "--steps", "{}", "--cell-minutes", "{}"),
        *("--minutes", "{}", "--results", "{}"),
    ],
}
#: Options without which a command would take its time.
SHORT = {
    "record": ["--games", "1"],
    "solve": [],
    "arena": ["--games", "8", "--workers", "1"],
    "train": ["--steps", "1", "--games", "100"],
    "best-response": ["--steps", "1", "--games", "100"],
}


class NotPlayedError(RatEnvsError):
    """What would take long is not done here."""


@pytest.fixture(autouse=True)
def nothing_takes_long(whole, monkeypatch, tmp_path):
    """What was understood is prepared, and not begun, where it would take long or change files of the repository."""

    def refuse(*arguments, **options):
        raise NotPlayedError("not played")

    def begin(options, progress=None):
        options.new_run().close()
        refuse()

    monkeypatch.chdir(tmp_path)
    for place in (
        "rat_envs.ladder.climb.climb",
        "rat_envs.commands.policies.make",
        "rat_envs.benchmarks.measure_games",
    ):
        monkeypatch.setattr(place, refuse)
    monkeypatch.setattr("rat_envs.comparison.benchmark.play", refuse)
    for place in ("ladder", "policies", "benchmark"):
        monkeypatch.setattr(f"rat_envs.commands.{place}.write_pages", lambda docs: None)
    monkeypatch.setattr("rat_envs.arena.tournament.play_chunks", refuse)
    if _has_training():
        monkeypatch.setattr("rat_envs.training.run.train", begin)
        monkeypatch.setattr("rat_envs.training.best_response.train", begin)
    with contextlib.suppress(ImportError):
        monkeypatch.setattr("rat_envs.comparison.page.curves", lambda results: {})


def _has_training():
    return find_spec("sb3_contrib") is not None


def written(command, random):
    """A command with one or two damaged values, and at random whether its other options are there."""
    words, wrong = COMMANDS[command], 0
    line, place = [words[0]], 1
    while place < len(words):
        option = [words[place]] if isinstance(words[place], str) and words[place].startswith("--") else []
        value = words[place + len(option)]
        place += 1 + len(option)
        if isinstance(value, str) and "{}" not in value:
            line.append(value)
        elif random.random() < 2 / len(words):
            line += [*option, damaged_value(value, random)]
            wrong += 1
    return line if wrong else written(command, random)


def damaged_value(forms, random):
    """A wrong value, in one of the forms."""
    form = forms if isinstance(forms, str) else forms[int(random.integers(len(forms)))]
    value = WRONG[int(random.integers(len(WRONG)))]
    return form.replace("{}", value)


def run(arguments, monkeypatch):
    """The exit code, the output and the errors of a command."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "argv", ["rat-envs", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    started = time.monotonic()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main()
    took = time.monotonic() - started
    return end.value.code or 0, out.getvalue(), err.getvalue(), took


def check(arguments, code, err, took):
    """One sentence for a wrong value, and Typer's own few lines for a command that cannot be understood."""
    said = [argument[:100] for argument in arguments], code, err[:1000]
    assert code in (0, 1, 2), said
    assert "Traceback" not in err, said
    if code == 1:
        errors = [line for line in err.splitlines() if line.startswith("Error: ")]
        assert len(errors) == 1, said
        assert len(errors[0]) <= LONGEST and errors[0].isprintable(), said
    if code == 2:
        assert len(err) <= 10 * LONGEST, said
    assert not any(len(argument) > 250 and argument[:250] in err for argument in arguments), said
    if code:
        assert took < SECONDS, said


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_values_are_refused_in_a_sentence(command, monkeypatch):
    random, times = np.random.default_rng(list(command.encode())), max(TIMES // 4, 20)
    run([command, "--help"], monkeypatch)
    refused = 0
    for number in range(times):
        arguments = [*written(command, random), *SHORT.get(command, [])]
        code, _, err, took = run(arguments, monkeypatch)
        check(arguments, code, err, took if number else 0)  # the first one imports
        refused += code != 0
    assert refused > times // 2


@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
def test_a_wrong_seed_is_refused_in_a_sentence(value, monkeypatch):
    arguments = ["record", "brave_rats", "fast=true", "--agent", "random", "--agent", "random", "--seed", value]
    code, _, err, _ = run(arguments, monkeypatch)
    check(arguments, code, err, 0)


#: Commands that read a file, by what the file is.
READING = {
    "records": (make_records, ["replay", "{}"]),
    "manifest": (lambda path: make_tournament(path, "manifest.json"), ["arena", "--from", "{}"]),
    "policy": (make_policy, ["exploit", "brave_rats", "--preset", "small", "--agent", "{}"]),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A whole file of each kind, made before anything is patched."""
    folder = tmp_path_factory.mktemp("whole")
    for kind, (make, _) in READING.items():
        make(folder / kind)
    return {kind: (folder / kind).read_bytes() for kind in READING}


@pytest.mark.parametrize("kind", READING)
def test_damaged_files_are_refused_in_a_sentence(whole, kind, tmp_path, monkeypatch):
    words, content = READING[kind][1], whole[kind]
    path, random = tmp_path / "file", np.random.default_rng(5)
    refused, times = 0, max(TIMES // 4, len(ACCIDENTS))
    for number in range(times):
        path.write_bytes(list(ACCIDENTS.values())[number % len(ACCIDENTS)](content, random))
        arguments = [word.replace("{}", str(path)) for word in words]
        code, _, err, took = run(arguments, monkeypatch)
        check(arguments, code, err, took if number else 0)
        refused += code != 0
    assert refused > times // 2
