"""The compile cache: found again by another process, not found after an edit; the engine names no game."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import rat_envs
from rat_envs.engine import compile as compiling

CODE = """
from rat_envs.engine import Batch
batch = Batch("brave_rats", 1, seed=0)
print(batch.program.reset.stats.cache_hits)
"""


def run(cache: Path, **environment: str) -> str:
    command = [sys.executable, "-c", CODE]
    everything = {**os.environ, "RAT_ENVS_CACHE": str(cache), **environment}
    result = subprocess.run(command, env=everything, capture_output=True, text=True, check=True)
    assert result.stderr == ""  # nothing is said in a pipe
    return result.stdout.strip()


def test_compiled_code_is_found_again(tmp_path):
    assert not run(tmp_path).startswith("{(")  # nothing there: compiled
    assert run(tmp_path).count(": 1") == 1
    assert len(list((tmp_path / "compiled").iterdir())) == 1


def test_an_edit_anywhere_in_the_sources_makes_another_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RAT_ENVS_CACHE", str(tmp_path / "cache"))
    compiling.cache_folder.cache_clear()
    sources = tmp_path / "game"
    sources.mkdir()
    (sources / "rules.py").write_text("x = 1\n")
    first = compiling.cache_folder((str(sources),))
    (sources / "rules.py").write_text("x = 2\n")
    compiling.cache_folder.cache_clear()
    second = compiling.cache_folder((str(sources),))
    assert first != second
    assert first.parent == second.parent
    compiling.cache_folder.cache_clear()


def test_old_folders_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("RAT_ENVS_CACHE", str(tmp_path))
    for number in range(100):
        folder = tmp_path / "compiled" / f"old{number}"
        folder.mkdir(parents=True)
        os.utime(folder, (number, number))
    compiling.cache_folder.cache_clear()
    newest = compiling.cache_folder(())
    left = {path.name for path in (tmp_path / "compiled").iterdir()}
    assert newest.name in left
    assert len(left) < 40
    assert "old0" not in left
    compiling.cache_folder.cache_clear()


def test_the_engine_knows_no_game():
    engine = Path(rat_envs.__file__).parent / "engine"
    for path in engine.glob("*.py"):
        assert not re.search("brave|comme_des|rattus|cartus", path.read_text(), re.IGNORECASE), path
        assert "rat_envs.api" not in path.read_text(), path


def test_games_know_only_the_engine():
    for path in (Path(rat_envs.__file__).parent / "games").rglob("*.py"):
        for module in re.findall(r"^from (\S+) import", path.read_text(), re.MULTILINE):
            own = f"rat_envs.games.{path.parent.name}"
            foreign = module.startswith("rat_envs") and not module.startswith(("rat_envs.engine", own))
            assert not foreign, f"{path} imports {module}"
