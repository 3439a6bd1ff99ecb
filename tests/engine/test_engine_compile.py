"""The compile cache: found again by another process, not found after an edit; the engine names no game."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stones import STONES

import rat_envs
import rat_envs.agents
import rat_envs.training
from rat_envs.agents.heuristics import choose_all
from rat_envs.api.openspiel.node import advance
from rat_envs.engine import compile as compiling
from rat_envs.engine import kernels, numba_parts
from rat_envs.engine.compile import Specialiser
from rat_envs.engine.contract import actor, declare
from rat_envs.engine.errors import CacheWarning
from rat_envs.engine.position import Position
from rat_envs.engine.program import Program, program
from rat_envs.engine.registry import get_game

#: What is soon compiled: a toy game.
TOY = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1] / 'common')!r}); from stones import STONES; "
CODE = f"""
{TOY}
from rat_envs.engine import Batch
batch = Batch(STONES, 1, seed=0)
print(batch.program.reset.stats.cache_hits)
"""

PLAY = "import rat_envs; from rat_envs.engine.batch import Batch; b = Batch({game}, 2, seed=1); b.step_random(); "
PLAY += "print(b.actions.tolist())"
SCRIPT = TOY + PLAY.format(game="STONES")


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


def test_another_installation_of_the_same_versions_takes_the_code_of_the_first(tmp_path):
    """Elsewhere, and written at another time."""
    package = Path(rat_envs.__file__).resolve().parent
    count = "print(sum(1 for path in Path(sys.argv[1]).rglob('*.nb?')))"
    code = f"from pathlib import Path; {SCRIPT}; print(rat_envs.__file__); {count}"
    said = []
    for name in ("one", "two"):
        copy = tmp_path / name / "rat_envs"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package, copy, ignore=ignored, copy_function=shutil.copyfile)
        environment = {**os.environ, "RAT_ENVS_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path / name)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", code, str(tmp_path / "cache")]
        ended = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr[-2000:]
        actions, where, files = ended.stdout.splitlines()
        assert Path(where).parent == copy
        said.append((actions, files))
    assert said[0] == said[1], "nothing was compiled anew"
    assert int(said[0][1]) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no pseudo-terminals")
def test_on_a_terminal_it_says_that_it_compiles_and_how_long_that_takes(tmp_path):
    import pty

    lines = []
    for _ in range(2):
        ours, theirs = pty.openpty()
        environment = {**os.environ, "RAT_ENVS_CACHE": str(tmp_path)}
        command = [sys.executable, "-c", PLAY.format(game="'brave_rats'")]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
        os.write(theirs, b"end")
        os.close(theirs)
        said = ""
        while not said.endswith("end"):
            said += os.read(ours, 10_000).decode()
        lines.append(said.split("\r\n"))
        os.close(ours)
    assert lines == [["Compiling BraveRats: about 5 s, once.", "end"], ["end"]]


def test_in_a_log_it_says_that_it_compiles_for_long(tmp_path, capsys):
    folder, quick, known = (tmp_path / compiling.ROOT / name for name in ("long", "quick", "known"))
    known.mkdir(parents=True)
    (known / "function.nbi").touch()
    for _ in range(2):
        for seconds, place in ((20, folder), (5, quick), (20, known)):
            compiling.announce("Long", seconds, place)
    assert capsys.readouterr().err == "Compiling Long: about 20 s, once.\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and nothing known of another."""
    monkeypatch.setenv("RAT_ENVS_CACHE", str(tmp_path / "cache"))
    compiling.cache_folder.cache_clear()
    compiling._hash_of.cache_clear()
    yield tmp_path / "cache"
    compiling.cache_folder.cache_clear()
    compiling._hash_of.cache_clear()


@pytest.mark.parametrize("room", [False, True])
def test_an_edit_in_the_sources_of_a_game_or_a_room_makes_another_folder(room, tmp_path, cache):
    sources = tmp_path / "sources"
    sources.mkdir()
    folders = set()
    for text in ("x = 1\n", "x = 2\n", "x = 2\n"):
        (sources / "rules.py").write_text(text)
        compiling.cache_folder.cache_clear()
        compiling._hash_of.cache_clear()
        game = None if room else sources
        folders.add(compiling.cache_folder(game, frozenset({compiling.ENGINE, sources})))
    assert len(folders) == 2


def test_what_is_compiled_depends_on_the_engine_the_game_and_the_room_alone():
    make = program(get_game("brave_rats"))._specialiser({})
    package = Path(rat_envs.__file__).parent
    assert make.sources(kernels.step) == {package / "engine", package / "games" / "brave_rats"}
    assert make.sources(advance) == {*make.sources(kernels.step), package / "api" / "openspiel"}


def test_a_template_that_asks_for_what_stands_for_nothing_says_so():
    with pytest.raises(TypeError, match=r"choose_all asks for choose, which stands for nothing in brave_rats\."):
        program(get_game("brave_rats")).bind(choose_all)


def test_a_program_lists_what_it_has_and_has_nothing_else():
    bound = program(get_game("brave_rats"))
    assert {"apply", "legal", "step", "observe_seats", "seed_stream"} <= set(dir(bound))
    with pytest.raises(AttributeError, match="aply"):
        bound.aply  # noqa: B018


def test_old_folders_are_removed(cache):
    for number in range(100):
        folder = cache / "compiled" / f"old{number}"
        folder.mkdir(parents=True)
        os.utime(folder, (number, number))
    newest = compiling.cache_folder(None, frozenset())
    left = {path.name for path in (cache / "compiled").iterdir()}
    assert newest.name in left
    assert len(left) < 40
    assert "old0" not in left


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


def test_modules_declare_what_others_take_from_them():
    """Where a module says what it offers (``__all__``), that is all that others use."""
    trees = {}
    for package in (rat_envs, rat_envs.agents, rat_envs.training):
        folder = Path(package.__file__).parent
        for path in folder.rglob("*.py"):
            parts = (package.__name__, *path.relative_to(folder).with_suffix("").parts)
            trees[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text())
    offered = {module: names for module, tree in trees.items() if (names := offers(tree)) is not None}
    assert len(offered) > 150
    for module, tree in trees.items():
        for taken in (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)):
            names = {name.name for name in taken.names if f"{taken.module}.{name.name}" not in trees}
            beside = names - offered.get(taken.module, names)
            assert not beside, f"{module} takes {beside} from {taken.module}, which does not offer it"


def offers(tree: ast.Module) -> set[str] | None:
    """The names in ``__all__``; None where it is not given as a list."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value)) if isinstance(node.value, ast.List) else None
    return None


def test_what_comes_from_no_file_is_compiled_and_not_kept(cache):
    code = """
from rat_envs.engine.compile import of_no_game
def twice(number):
    return 2 * number
print(of_no_game(twice)(4))
"""
    environment = {**os.environ, "RAT_ENVS_CACHE": str(cache)}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("8\n", "")
    assert not list(cache.rglob("*.nbi"))


# What is kept is private, whole, or not used


def steps(cache: Path | None) -> tuple[str, str]:
    """What two games do in a process of their own, and what it says; None for the cache of all tests."""
    environment = {**os.environ, **({} if cache is None else {"RAT_ENVS_CACHE": str(cache)})}
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout, ended.stderr


@pytest.mark.skipif(not compiling.compiling(), reason="nothing is compiled")
def test_damaged_parts_are_compiled_anew(tmp_path):
    right, _ = steps(tmp_path)
    random = np.random.default_rng(3)
    files = sorted(path for path in tmp_path.rglob("*.nb?"))
    assert len(files) > 10
    for number, path in enumerate(files):
        content = bytearray(path.read_bytes())
        if number % 4 == 0:
            content[int(random.integers(len(content)))] ^= 1 << int(random.integers(8))
        elif number % 4 == 1:
            content = content[: int(random.integers(len(content)))]
        elif number % 4 == 2:
            content = bytearray(random.bytes(500))
        path.unlink()
        if number % 4 == 3 and path.suffix == ".nbi":
            path.mkdir()
        else:
            path.write_bytes(content)
    assert steps(tmp_path) == (right, "")
    assert steps(tmp_path) == (right, "")


#: Users and groups: whoever runs this, the system, and somebody else.
OWN, SYSTEM, OTHER = 12345, compiling.SYSTEM, 54321


@pytest.fixture
def owned(monkeypatch):
    """Makes folders look like somebody's, by ``{folder: (user, group, mode)}``, and all others like the system's."""
    find = Path.stat
    monkeypatch.setattr(os, "geteuid", lambda: OWN)
    monkeypatch.setattr(os, "getegid", lambda: OWN)

    def pretend(folders: dict[Path, tuple[int, int, int]]) -> None:
        def stat(self: Path, **options: Any) -> os.stat_result:
            found = list(find(self, **options))
            user, group, mode = folders.get(self, (SYSTEM, SYSTEM, 0o755))
            found[:1], found[4:6] = [found[0] & ~0o7777 | mode], [user, group]
            return os.stat_result(found)

        monkeypatch.setattr(Path, "stat", stat)

    return pretend


def private(folder: Path) -> bool:
    """Whether it can hold code, asked anew."""
    compiling.is_private.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        return compiling.is_private(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners of folders")
@pytest.mark.parametrize(("of", "mode"), [("compiled", 0o777), ("compiled", 0o720), ("", 0o702)])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, of, mode):
    folder = tmp_path / "cache" / "compiled"
    assert private(folder)
    assert folder.stat().st_mode & 0o777 == folder.parent.stat().st_mode & 0o777 == 0o700
    (folder if of else folder.parent).chmod(mode)
    with pytest.raises(CacheWarning, match=r"can be written by others \(chmod go-w"):
        private(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners of folders")
def test_a_folder_of_another_user_is_not_used(tmp_path, owned):
    assert private(tmp_path / "cache" / "compiled")
    owned({})
    assert private(tmp_path / "cache" / "compiled"), "as in an image whose system has made it"
    owned({tmp_path / "cache": (OTHER, OTHER, 0o755)})
    with pytest.raises(CacheWarning, match="compiled belongs to another user"):
        private(tmp_path / "cache" / "compiled")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners of folders")
@pytest.mark.parametrize(
    ("user", "group", "mode", "reason"),
    [
        (OTHER, OWN, 0o755, "which belongs to another user"),
        (OTHER, OTHER, 0o1777, "which belongs to another user"),
        (OWN, OTHER, 0o775, "which another group can write to"),
        (SYSTEM, OTHER, 0o2775, "which another group can write to"),
        (SYSTEM, SYSTEM, 0o777, "which anybody can write to"),
        (SYSTEM, SYSTEM, 0o1777, None),  # /tmp
        (OWN, OWN, 0o755, None),  # a home folder
        (OWN, OWN, 0o775, None),  # the same with a group of the user's own, or in a container
        (SYSTEM, OWN, 0o775, None),
        (SYSTEM, SYSTEM, 0o775, None),  # a container for users of any number, who are in the system's group
    ],
)
def test_a_folder_within_one_that_others_can_change_is_not_used(tmp_path, owned, user, group, mode, reason):
    home = tmp_path / "home"
    (home / "cache").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home)
    for folder in (home / "cache", tmp_path / "link" / "cache"):
        owned({home: (user, group, mode)})
        if reason is None:
            assert private(folder / "compiled")
            continue
        with pytest.raises(CacheWarning, match=rf"compiled lies in .*(home|link), {reason}"):
            private(folder / "compiled")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no owners of folders")
def test_a_link_in_a_folder_of_another_user_leads_to_no_code(tmp_path, owned):
    """It can lead elsewhere tomorrow."""
    for name in ("home", "others"):
        (tmp_path / name).mkdir()
    (tmp_path / "others" / "link").symlink_to(tmp_path / "home")
    owned({tmp_path / "others": (OTHER, OTHER, 0o755)})
    assert private(tmp_path / "home" / "cache" / "compiled")
    with pytest.raises(CacheWarning, match=r"compiled lies in .*others, which belongs to another user"):
        private(tmp_path / "others" / "link" / "cache" / "compiled")


def leap(number):
    return number + 1


@pytest.fixture
def asked_anew():
    """What places of compiled code are remembered is forgotten by calling it, and in the end."""

    def forget() -> None:
        for cached in (compiling.cache_folder, compiling.is_private, compiling._say_not_kept):
            cached.cache_clear()

    yield forget
    forget()


def test_what_is_compiled_already_is_read_where_nothing_can_be_written(tmp_path, monkeypatch, asked_anew):
    """As in a container; whoever runs the tests may be root, who can write everywhere."""
    rooms = frozenset({compiling.ENGINE, Path(rat_envs.agents.__file__).parent})

    def folder() -> Path:
        asked_anew()
        return compiling.cache_folder(None, rooms)

    monkeypatch.setenv("RAT_ENVS_CACHE", str(tmp_path))
    kept = folder()
    assert kept.is_dir()
    make, access = Path.mkdir, os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    if compiling.compiling():
        specialise = compiling.Specialiser({}, {}, lambda sources: kept, True, "here")
        with pytest.warns(CacheWarning, match="compiled cannot be written"):
            assert specialise(leap)(2) == 3

    def cannot(self: Path, *arguments: Any, **options: Any) -> None:
        if not self.exists():
            raise PermissionError(13, "Permission denied")
        make(self, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", cannot)
    assert folder() == kept
    kept.parent.rename(tmp_path / "compiled" / "of other sources")
    with pytest.warns(CacheWarning, match="compiled cannot be written"):
        assert folder().name == compiling.NOT_KEPT


@pytest.mark.skipif(os.name != "posix", reason="this system has no modes of folders")
def test_a_folder_within_one_that_anybody_can_write_to_is_not_used(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(CacheWarning, match=r"lies in .*open, which anybody can write to"):
        private(tmp_path / "open" / "cache" / "compiled")
    (tmp_path / "open").chmod(0o1777)  # as /tmp is
    assert private(tmp_path / "open" / "cache" / "compiled")


def test_where_the_cache_cannot_be_it_works_without_and_says_so_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    answer, said = steps(tmp_path / "file")
    assert answer == steps(None)[0]
    if compiling.compiling():
        assert said.count("Compiled code is not kept") == 1 and "Traceback" not in said


def test_code_that_is_of_another_key_is_compiled_anew(tmp_path):
    """As where two processes compiled at once, for two processors, and took one file for both."""
    files = numba_parts._checked_files()(str(tmp_path), "code", source_stamp=None)
    files.save("one", 1)
    files.save("other", 2)
    assert (files.load("one"), files.load("other")) == (1, 2)
    first, second = sorted(tmp_path.glob("*.nbc"))
    second.write_bytes(first.read_bytes())
    assert sorted([files.load("one") or 0, files.load("other") or 0]) in ([0, 1], [0, 2])


# Constants are a part of machine code, wherever they come from

NUMBER = declare("NUMBER")

NUMBERS = """import enum
import numpy as np
NUMBER = {number}
TABLE = np.array([7, NUMBER])
NAMES = tuple("abcdef"[:NUMBER])
class Sizes(enum.Enum):
    LARGE = NUMBER
LARGE = Sizes.LARGE
"""


def times_the_number(factor):
    return factor * NUMBER


def times_it_twice(factor):
    return times_the_number(times_the_number(factor))


def test_what_a_declared_name_stands_for_tells_code_apart(cache):
    bound = [program(STONES).bind(times_it_twice, {NUMBER: number}) for number in (2, 3, 10)]
    assert [function(1) for function in bound] == [4, 9, 100]


@pytest.mark.skipif(not compiling.compiling(), reason="nothing is compiled")
@pytest.mark.parametrize(
    ("taken", "named"),
    [
        ("from numbers_elsewhere import NUMBER", "NUMBER"),
        ("import numbers_elsewhere", "numbers_elsewhere.NUMBER"),
        ("from numbers_elsewhere import TABLE", "TABLE[1]"),
        ("from numbers_elsewhere import Sizes", "Sizes.LARGE.value"),
        ("from numbers_elsewhere import LARGE", "LARGE.value"),
        ("from numbers_elsewhere import NAMES", "len(NAMES)"),
    ],
)
def test_a_constant_from_another_file_is_taken_as_it_is_now(taken, named, tmp_path, cache, monkeypatch):
    """The folder of the code is named after the file of the function alone."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # its time stamps are too coarse
    (tmp_path / "takes_numbers.py").write_text(
        f"{taken}\ndef times(factor):\n    return factor * {named}\ndef more(factor):\n    return times(factor) + 1\n"
    )
    found = []
    for number in (2, 3):
        (tmp_path / "numbers_elsewhere.py").write_text(NUMBERS.format(number=number))
        for name in ("numbers_elsewhere", "takes_numbers"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        found.append(compiling.of_no_game(importlib.import_module("takes_numbers").more)(10))
    assert found == [21, 31]
    assert len(list((cache / "compiled").iterdir())) == 1


@pytest.mark.skipif(not compiling.compiling(), reason="nothing is compiled")
def test_equal_constants_take_the_same_code(cache):
    for _ in range(2):
        bound = Program(STONES, True).bind(times_it_twice, {NUMBER: 5})
        assert bound(2) == 50
    assert sum(bound.stats.cache_hits.values()) == 1


def test_a_user_without_a_home_is_warned_that_nothing_is_kept(monkeypatch):
    def no_home(name):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("RAT_ENVS_CACHE", raising=False)
    monkeypatch.setattr(compiling.platformdirs, "user_cache_dir", no_home)
    compiling.cache_folder.cache_clear()
    with pytest.warns(CacheWarning, match="Compiled code is not kept.*RAT_ENVS_CACHE names another folder"):
        assert compiling.cache_folder(None, frozenset()).name == compiling.NOT_KEPT
    compiling.cache_folder.cache_clear()


def who_acts(row):
    """A template that needs its globals."""
    return actor(row)


def test_another_thread_gets_a_function_when_it_is_whole(monkeypatch):
    made = Specialiser._made

    def slowly(*arguments: Any) -> Any:
        time.sleep(0.05)
        return made(*arguments)

    monkeypatch.setattr(Specialiser, "_made", slowly)
    bound, row = Program(get_game("brave_rats"), compiled=False), Position("brave_rats").state

    def play(number: int) -> int:
        time.sleep(0.02 * number)
        return bound.bind(who_acts)(row)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(4))) == [0] * 4
