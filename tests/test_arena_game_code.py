"""Games whose rules change without a new version: what was played by the old ones is not taken for the new."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rat_envs.arena import Folder, make_plan, read_manifest
from rat_envs.arena.game_code import code_of
from rat_envs.arena.plan import Plan
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.game import Game
from rat_envs.engine.own_modules import module_named
from rat_envs.engine.registry import all_games, register, unregister

EXAMPLE = Path(__file__).parent.parent / "examples" / "kuhn_poker" / "kuhn_poker.py"
Load = Callable[[Path], Game]


@pytest.fixture
def load() -> Iterator[Load]:
    """Makes the game of a file known, as a new command does."""
    known: list[Game] = []

    def fresh(file: Path) -> Game:
        if known:
            unregister(known.pop().name)
        known.append(module_named(str(file), "the game").GAME)
        register(known[0])
        return known[0]

    yield fresh
    if known:
        unregister(known[0].name)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return Path(shutil.copy(EXAMPLE, tmp_path / "house2.py"))


def change(file: Path) -> None:
    later = file.stat().st_mtime_ns + 10**9
    file.write_text(file.read_text() + "\n# other rules\n")
    os.utime(file, ns=(later, later))


def plan_of(game: Game, games: int = 8) -> Plan:
    return make_plan(game, ["greedy", "random"], games=games)


def test_a_folder_of_other_rules_is_refused(house: Path, tmp_path: Path, load: Load) -> None:
    out, before = tmp_path / "out", house.read_text()
    Folder(out, plan_of(load(house))).open()
    Folder(out, plan_of(load(house), games=12)).open()
    change(house)
    with pytest.raises(CheckpointError, match=r"out holds a tournament by other rules: house2.py has changed since"):
        Folder(out, plan_of(load(house), games=12))
    assert read_manifest(out / "manifest.json").other_rules() == "house2.py has changed since"
    house.write_text(before)
    Folder(out, plan_of(load(house), games=12)).open()


def test_a_manifest_without_the_hash_can_be_gone_on_with(house: Path, tmp_path: Path, load: Load) -> None:
    plan = plan_of(load(house))
    Folder(tmp_path / "out", plan).open()
    path = tmp_path / "out" / "manifest.json"
    values = json.loads(path.read_text())
    assert values.pop("game_sha256") == plan.game_sha256
    path.write_text(json.dumps(values))
    assert read_manifest(path).other_rules() == "" and read_manifest(path).plan.game_sha256 is None
    Folder(tmp_path / "out", plan).open()
    assert json.loads(path.read_text())["game_sha256"] == plan.game_sha256
    path.write_text(json.dumps({**values, "game_sha256": 5}))
    with pytest.raises(CheckpointError, match="is not a complete manifest"):
        read_manifest(path)


def test_the_code_is_a_file_alone_or_the_files_of_its_package_wherever_they_lie(tmp_path: Path, load: Load) -> None:
    hashes = []
    for name in ("alone", "elsewhere", "package"):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(EXAMPLE, folder / "game.py")
        (folder / "table.py").write_text(f"# of {name}")
        if name == "package":
            (folder / "__init__.py").touch()
        hashes.append(code_of(load(folder / "game.py")))
    alone, elsewhere, package = hashes
    assert alone is not None and package is not None
    assert alone == elsewhere and (alone.name, package.name) == ("game.py", "package")
    assert alone.sha256 != package.sha256
    (tmp_path / "package" / "table.py").write_text("# another")
    change(tmp_path / "package" / "game.py")  # so that it is loaded anew
    (tmp_path / "package" / "game.py").write_text(EXAMPLE.read_text())
    assert code_of(load(tmp_path / "package" / "game.py")) not in (package, None)


def test_the_manifests_of_our_own_games_say_nothing_of_code() -> None:
    for game in all_games().values():
        assert code_of(game) is None
        assert "game_sha256" not in plan_of(game, games=20).to_dict() if "greedy" in game.heuristics else True
