"""The package as others get it: what it is built from, what the archives hold, and that it collides with nobody.

Nothing here needs the network. `.ci/packages` installs the wheel in empty environments, with its dependencies.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

import rat_envs
from rat_envs.engine import installation, numba_version
from rat_envs.engine.errors import MissingCloneError, UnsupportedVersionError, demand_clone, missing_extra

ROOT = Path(__file__).resolve().parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

#: The folders that stand at the top of the project and are installed inside the package.
MOVED = ("agents", "training")


# What is declared


def declared_packages() -> list[str]:
    """The packages that pyproject.toml lists."""
    (listed,) = re.findall(r"^packages = \[\n(.*?)^\]", PROJECT, re.MULTILINE | re.DOTALL)
    return re.findall(r'"([\w.]+)"', listed)


def test_every_folder_of_the_package_is_declared():
    """The lists of pyproject.toml hold every folder with Python files or data, and no name but our own."""
    found = {Path(folder) for top in ("rat_envs", *MOVED) for folder in folders_of_package(ROOT / top)}
    names = {".".join(("rat_envs", *path.parts) if path.parts[0] in MOVED else path.parts) for path in found}
    assert sorted(names) == declared_packages()


def folders_of_package(top: Path) -> set[Path]:
    """The folders from ``top`` down that hold Python files or JSON, relative to the project; links are not followed."""
    files = {
        Path(folder) / name
        for folder, _, names in os.walk(top)
        for name in names
        if name.endswith((".py", ".json")) and "__pycache__" not in folder
    }
    return {path.parent.relative_to(ROOT) for path in files}


@pytest.mark.parametrize("name", MOVED)
def test_a_folder_at_the_top_is_in_the_package(name):
    assert f'"rat_envs.{name}" = "{name}"' in PROJECT


@pytest.mark.parametrize("name", MOVED)
def test_a_link_in_the_package_shows_a_folder_at_the_top(name):
    if not (ROOT / "rat_envs" / name).is_symlink():
        pytest.skip("This checkout has no symbolic links.")
    assert os.readlink(ROOT / "rat_envs" / name) == f"../{name}"


def test_the_version_is_the_same_everywhere():
    assert f'version = "{rat_envs.__version__}"' in PROJECT
    assert f"\nversion: {rat_envs.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version = {{{rat_envs.__version__}}}" in (ROOT / "README.md").read_text(encoding="utf-8")


# Numba


def test_pyproject_has_the_bounds_of_numba_that_the_engine_checks():
    assert f'"numba{numba_version.BOUNDS}"' in PROJECT


@pytest.mark.parametrize("version", ["0.61.0", "0.61.0rc1", "0.62.1", "0.68.1", "0.68.1+local"])
def test_numba_within_the_bounds_is_taken(version):
    numba_version.demand_version(version)


@pytest.mark.parametrize("version", ["0.60.0", "0.69.0rc1", "0.69.0", "0.100.0", "1.0.0", "0.7"])
def test_numba_outside_the_bounds_is_refused_in_a_sentence(version):
    with pytest.raises(UnsupportedVersionError) as error:
        numba_version.demand_version(version)
    assert f"Numba {version}:" in str(error.value)
    assert f'pip install "numba{numba_version.BOUNDS}"' in str(error.value)


OTHER_NUMBA = """
import numba
numba.__version__ = "0.70.0"
from rat_envs import Batch
print(Batch("brave_rats", 1, seed=0).actors.tolist())
"""


@pytest.mark.parametrize(("mode", "refused"), [("0", True), ("1", False)], ids=["compiled", "interpreted"])
def test_only_compiled_code_minds_the_version_of_numba(mode, refused, tmp_path):
    process = python("-c", OTHER_NUMBA, NUMBA_DISABLE_JIT=mode, RAT_ENVS_CACHE=str(tmp_path))
    assert (process.returncode == 1) == refused
    assert ("does not work with Numba 0.70.0" in process.stderr) == refused


# Hints


def test_hints_name_the_clone_that_is_worked_in():
    hint = str(missing_extra("Drawing", "pillow", "render"))
    assert hint == f'Drawing needs pillow: pip install "{ROOT}[render]"'


def test_hints_name_the_package_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(installation, "clone_folder", lambda: None)
    assert str(missing_extra("Drawing", "pillow", "render")) == 'Drawing needs pillow: pip install "rat-envs[render]"'


@pytest.mark.parametrize("text", [None, 'name = "somebody-else"\n', b"\xff"])
def test_only_our_own_pyproject_makes_a_clone(text, tmp_path):
    if text is not None:
        (tmp_path / "pyproject.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert installation.clone_of(tmp_path / "rat_envs") is None
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    assert installation.clone_of(tmp_path / "rat_envs") == tmp_path


def test_what_needs_a_clone_says_so(monkeypatch):
    assert demand_clone("rat-envs ladder") == ROOT
    monkeypatch.setattr("rat_envs.engine.errors.clone_folder", lambda: None)
    with pytest.raises(MissingCloneError, match=r"^rat-envs ladder changes files of a clone .* run it in a clone"):
        demand_clone("rat-envs ladder")


#: Modules that only an extra makes usable, by what is missing.
NEEDS = {
    "rat_envs.api.sb3": ("stable_baselines3", "training"),
    "rat_envs.api.openspiel": ("pyspiel", "openspiel"),
    "rat_envs.training.maskable_ppo": ("torch", "training"),
    "rat_envs.training.run": ("stable_baselines3", "training"),
    "rat_envs.training.progress": ("sb3_contrib", "training"),
}

IMPORT = """
import sys
sys.modules[sys.argv[2]] = None
try:
    __import__(sys.argv[1])
except ImportError as error:
    print(type(error).__name__, error, sep=": ")
"""


@pytest.mark.parametrize("module", NEEDS)
def test_modules_say_which_extra_they_need(module):
    library, extra = NEEDS[module]
    said = python("-c", IMPORT, module, library).stdout
    room = ".".join(module.split(".")[:2]) if extra == "training" and "api" not in module else module
    assert said == f"MissingExtraError: {missing_extra(room, library, extra)}\n"


def test_rllib_as_a_script_says_in_a_sentence_what_it_needs():
    as_script = "import runpy, sys; sys.modules['ray'] = None; runpy.run_module(sys.argv[1], run_name='__main__')"
    process = python("-c", as_script, "rat_envs.training.rllib", "--help")
    assert process.returncode == 1
    assert process.stderr == f"Error: {missing_extra('Learning by RLlib', 'ray', 'rllib')}\n"


# The archives


def python(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python and wait for it."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True)


class Built(NamedTuple):
    """What has been built, and from what."""

    sdist: Path
    wheel: Path
    wheel_of_sdist: Path
    wheel_without_links: Path
    unlinked: Path
    unpacked: Path


BUILD = """
import sys
from setuptools import build_meta
print(getattr(build_meta, "build_" + sys.argv[1])(sys.argv[2]))
"""


def build(kind: str, source: Path, out: Path) -> Path:
    """A ``wheel`` or an ``sdist`` of ``source``, as pip builds it but without an environment of its own."""
    out.mkdir()
    process = python("-c", BUILD, kind, out, cwd=source, PYTHONPATH="")
    assert process.returncode == 0, process.stderr
    assert "Package would be ignored" not in process.stdout + process.stderr
    return out / process.stdout.splitlines()[-1]


def copy_sources(target: Path, links: bool) -> Path:
    """The project's own files in another folder; without links as git leaves them where the system has none."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.strip("\0").split("\0"):
        source, copy = ROOT / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not source.is_symlink():
            copy.write_bytes(source.read_bytes())
        elif links:
            copy.symlink_to(os.readlink(source))
        else:
            copy.write_text(os.readlink(source))
    return target


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """All archives, built once."""
    pytest.importorskip("setuptools", minversion="77", reason='pip install ".[development]"')
    folder = tmp_path_factory.mktemp("build")
    linked = copy_sources(folder / "linked", links=True)
    unlinked = copy_sources(folder / "unlinked", links=False)
    sdist = build("sdist", linked, folder / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked")
    (unpacked,) = (folder / "unpacked").iterdir()
    return Built(
        sdist,
        build("wheel", linked, folder / "wheel"),
        build("wheel", unpacked, folder / "wheel_of_sdist"),
        build("wheel", unlinked, folder / "wheel_without_links"),
        unlinked,
        unpacked,
    )


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by name, but not the list of them with their hashes."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}


def test_the_wheel_holds_the_package_and_nothing_else(built):
    files = set(contents(built.wheel))
    information = f"rat_envs-{rat_envs.__version__}.dist-info"
    assert {name.split("/")[0] for name in files} == {"rat_envs", information}
    assert contents(built.wheel)[f"{information}/top_level.txt"] == b"rat_envs\n"
    ours = {name for name in files if name.startswith("rat_envs/")}
    wanted = {"rat_envs/py.typed"}
    for top in ("rat_envs", *MOVED):
        for folder in folders_of_package(ROOT / top):
            inside = Path("rat_envs", folder) if top in MOVED else folder
            sources = [
                path
                for kind in ("py", "json", "safetensors", "css", "html", "js", "md")
                for path in (ROOT / folder).glob(f"*.{kind}")
            ]
            wanted |= {(inside / path.name).as_posix() for path in sources}
    assert ours == wanted
    assert {"rat_envs/agents/random.py", "rat_envs/solving/solutions/rattus_small.json"} <= ours


def test_the_sdist_holds_what_the_wheel_is_built_from(built):
    with tarfile.open(built.sdist) as archive:
        assert all(member.isfile() or member.isdir() for member in archive.getmembers()), "no links"
        files = {name.partition("/")[2] for name in archive.getnames()}
    tops = {name.split("/")[0] for name in files} - {""}
    assert tops == {
        *MOVED,
        *("rat_envs", "rat_envs.egg-info"),
        *("CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"),
    }
    assert not any(name.startswith(("rat_envs/agents", "rat_envs/training")) for name in files), "nothing twice"


def test_the_wheel_is_the_same_from_the_sdist_and_where_links_do_not_exist(built):
    wheel = contents(built.wheel)
    assert contents(built.wheel_of_sdist) == wheel
    assert contents(built.wheel_without_links) == wheel


@pytest.mark.parametrize("kind", ["unlinked", "unpacked"])
def test_sources_without_links_are_imported_as_they_are(kind, built, tmp_path):
    """Where they hide what is installed, too, and where somebody else's ``agents`` is found before the one in them."""
    sources = getattr(built, kind)
    write_package(tmp_path / "agents", "openai-agents")
    (tmp_path / "whose.py").write_text(WHOSE)
    paths = f"{tmp_path}{os.pathsep}{sources}"
    process = python("whose.py", cwd=tmp_path, PYTHONPATH=paths, NUMBA_DISABLE_JIT="1", PYTHONDONTWRITEBYTECODE="1")
    files = [str(sources / name) for name in ("agents/__init__.py", "training/progress.py")]
    assert process.stdout.splitlines() == [*files, "openai-agents"], process.stderr
    games = python("-m", "rat_envs", "games", cwd=sources, PYTHONPATH="", NUMBA_DISABLE_JIT="1")
    assert games.returncode == 0 and "rat/brave-rats-v0" in games.stdout, games.stderr


def test_a_package_in_its_place_takes_nothing_from_beside_it():
    if not (ROOT / "rat_envs" / "agents").is_dir():
        pytest.skip("This checkout has no symbolic links.")
    assert [Path(place) for place in rat_envs.__path__] == [Path(rat_envs.__file__).parent]


def test_an_index_takes_both(built):
    pytest.importorskip("twine", reason='pip install ".[development]"')
    process = python("-m", "twine", "check", "--strict", built.sdist, built.wheel)
    assert process.returncode == 0, process.stdout
    assert process.stdout.count("PASSED") == 2


# Beside others


class Elsewhere(NamedTuple):
    """The wheel installed beside somebody else's package ``agents``, and a working directory with his folders."""

    site: Path
    work: Path

    def run(self, *command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run Python there, interpreting the rules."""
        own = {"PYTHONPATH": str(self.site), "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return python(*command, cwd=self.work, **own, **environment)

    def rat_envs(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command that the wheel installs."""
        return self.run(self.site / "bin" / "rat-envs", *arguments)

    def files(self) -> set[Path]:
        """All that lies there now."""
        return {path for top in self for path in top.rglob("*")}


@pytest.fixture(scope="module")
def elsewhere(built, tmp_path_factory):
    """``openai-agents`` owns the name ``agents``: a package of that name is installed before and after ours."""
    folder = tmp_path_factory.mktemp("elsewhere")
    place = Elsewhere(folder / "site", folder / "work")
    for name in MOVED:
        write_package(place.work / name, "of the working directory")
    write_package(place.site / "agents", "openai-agents")
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    process = python("-m", "pip", "install", *options, "--target", place.site, built.wheel)
    assert process.returncode == 0, process.stderr
    return place


def write_package(folder: Path, owner: str) -> None:
    """A package of somebody else."""
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(f"OWNER = {owner!r}\n")


WHOSE = """
import sys
import rat_envs.agents, rat_envs.training.progress
import agents
print(rat_envs.agents.__file__, rat_envs.training.progress.__file__, agents.OWNER, sep="\\n")
"""


def test_everybody_imports_his_own(elsewhere):
    (elsewhere.site / "whose.py").write_text(WHOSE)
    paths = [str(elsewhere.site / "rat_envs" / name) for name in ("agents/__init__.py", "training/progress.py")]
    inside = elsewhere.run("-c", WHOSE)
    assert inside.stdout.splitlines() == [*paths, "of the working directory"], inside.stderr
    outside = elsewhere.run(elsewhere.site / "whose.py")
    assert outside.stdout.splitlines() == [*paths, "openai-agents"], outside.stderr


def test_commands_work_beside_others(elsewhere):
    games = elsewhere.rat_envs("games")
    assert games.returncode == 0 and "rat/brave-rats-v0" in games.stdout, games.stderr
    assert elsewhere.run("-m", "rat_envs", "games").stdout == games.stdout
    record = elsewhere.rat_envs("record", "brave_rats", "--agent", "greedy", "--agent", "random")
    assert record.returncode == 0 and '"rat-record/1"' in record.stdout, record.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "rat_envs", "ladder"],
        ["-m", "rat_envs.docs"],
        ["-m", "rat_envs.recipes"],
        ["-m", "rat_envs", "solve", "brave_rats", "--preset", "small", "--save"],
    ],
    ids=lambda arguments: arguments[-1],
)
def test_what_needs_a_clone_says_so_before_it_writes_anything(arguments, elsewhere):
    before = elsewhere.files()
    process = elsewhere.run(*arguments)
    assert process.returncode == 1
    assert re.fullmatch(r"Error: .* changes files of a clone of the repository, .*\n", process.stderr)
    assert process.stdout == "" and elsewhere.files() == before
