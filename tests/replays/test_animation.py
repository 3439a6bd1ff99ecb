"""Games as animated pictures: what they show, how they move, and how bad input is answered."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from rat_envs.commands.main import app
from rat_envs.engine.archive import write_file
from rat_envs.engine.errors import ConfigurationError, MissingExtraError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.raster import rasterise
from rat_envs.engine.records import Recorder
from rat_envs.replays import Animation, write_animation
from rat_envs.replays.frames import Played

Image = pytest.importorskip("PIL.Image", reason='No pictures: pip install "rat-envs[render]".')
pytest.importorskip("resvg_py", reason='No pictures: pip install "rat-envs[render]".')


@pytest.fixture(scope="module")
def record() -> dict:
    """A short game of random play."""
    recorder = Recorder(Position("brave_rats", {"fast": True, "draw_pile": True}))
    stream = new_stream(recorder.position.game, 1)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))
    return recorder.record()


@pytest.mark.parametrize(("suffix", "most"), [(".gif", 18), (".webp", 1)])
def test_each_frame_is_a_drawing_of_the_view(record, tmp_path, suffix, most):
    path = tmp_path / f"game{suffix}"
    told: list[tuple[int, int]] = []
    how = Animation("player_1", width=320, seconds=0.5, dark=True)
    frames, size = write_animation(path, record, how, lambda done, total: told.append((done, total)))
    drawings = list(dict.fromkeys(frame.drawings[0] for frame in Played(record).frames("player_1")))
    assert frames == len(drawings) and size == path.stat().st_size < 250_000
    assert told == [(number, frames) for number in range(1, frames + 1)]
    with Image.open(path) as animation:
        assert animation.n_frames == frames and animation.width == 320 and animation.info.get("loop") == 0
        for number, drawing in enumerate(drawings):
            animation.seek(number)
            shown = np.asarray(animation.convert("RGB"), dtype=int)
            duration = animation.info["duration"]
            assert duration == (500 if number < frames - 1 else 2000)
            assert abs(shown - rasterise(drawing, 320, dark=True)).mean() <= most
    assert shown[0].mean() < 80  # dark


def test_a_gif_shows_a_step_for_as_long_as_it_can(record, tmp_path):
    write_animation(tmp_path / "game.gif", record, Animation("player_1", width=80, seconds=600))
    with Image.open(tmp_path / "game.gif") as animation:
        animation.seek(animation.n_frames - 1)
        assert animation.info["duration"] == 655_350  # not four times 600,000


def test_the_command(record, tmp_path):
    games, out = tmp_path / "games.jsonl", tmp_path / "game.gif"
    games.write_text(f"{json.dumps(record)}\n{json.dumps(record)}\n")

    def run(*words):
        return CliRunner().invoke(app, ["replay", str(games), *map(str, words)])

    done = run("--gif", out, "--game-number", 2, "--width", 200, "--view", "public", "--seconds", 0.1)
    assert done.exit_code == 0 and "pictures" in done.output and out.exists()
    for words, complaint in (
        (("--gif", out), "More than one game: an animated picture shows one; choose it with --game-number N."),
        (("--gif", tmp_path / "x.mp4", "--game-number", 1), "an animated picture ends with .gif or .webp."),
        (("--gif", out, "--html", out), "write one of them at a time"),
        (("--gif", out, "--view", "all", "--view", "public"), "An animated picture has one view"),
        (("--gif", out, "--game-number", 1, "--view", "player_7"), "There is no view 'player_7'"),
        (("--gif", out, "--explain", "greedy"), "are for a page: add --html FILE"),
        (("--dark",), "add --gif FILE"),
        (("--seconds", 2), "add --gif FILE"),
        (("--view", "public"), "add --html FILE or --gif FILE"),
    ):
        answer = run(*words)
        assert answer.exit_code and complaint in str(answer.exception), (words, answer.output)
    assert not (tmp_path / "x.mp4").exists()


def test_nothing_is_left_when_it_cannot_be_drawn(record, tmp_path, monkeypatch):
    path = tmp_path / "game.gif"
    write_file(path, b"before")
    with pytest.raises(ConfigurationError, match="There is no view 'everything'"):
        write_animation(path, record, Animation("everything"))
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r'pip install ".*\[render\]"$'):
        write_animation(path, record)
    assert path.read_bytes() == b"before" and [each.name for each in tmp_path.iterdir()] == ["game.gif"]
