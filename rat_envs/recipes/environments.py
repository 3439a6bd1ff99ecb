"""The virtual environments in which recipes are run, made when they are needed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rat_envs.engine.errors import reason_of
from rat_envs.recipes.recipe import Recipe, RecipeError

__all__ = ["Environments", "demand"]

#: Minutes after which a command is stopped; installing takes longest.
LIMIT = 20
#: Packages whose versions are in a result, besides the requirements, if they are installed.
ALSO = ("gymnasium", "numpy", "pettingzoo", "torch")
#: Environment variables of this process that a recipe must not get.
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_DISABLE_JIT")
#: A script that prints the installed versions of the packages given as arguments.
VERSIONS = """
import importlib.metadata, sys
for name in dict.fromkeys(sys.argv[1:]):
    try:
        print(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        pass
"""


class Environments:
    """Virtual environments in a folder, with this package from the clone in each.

    Args:
        clone: the folder of the clone.
        folder: where the environments are, or will be.
    """

    def __init__(self, clone: Path, folder: Path) -> None:
        self.folder = folder.absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._wheel = build_wheel(clone, self.folder / "wheel")
        self._has_ours: set[Path] = set()

    def install(self, recipe: Recipe) -> Path:
        """Install what a recipe needs; return the Python that has it.

        Raises:
            RecipeError: something cannot be installed.
        """
        place = self.folder / recipe.environment
        python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        if not python.exists():
            demand([sys.executable, "-m", "venv", str(place)], self.folder)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
        demand([*pip, *recipe.requirements, str(self._wheel)], self.folder)
        if place not in self._has_ours:  # pip would not reinstall the same version
            demand([*pip, "--force-reinstall", "--no-deps", str(self._wheel)], self.folder)
            self._has_ours.add(place)
        return python

    def versions(self, python: Path, recipe: Recipe) -> dict[str, str]:
        """The installed versions of the recipe's requirements, the library first, and of the packages common to all."""
        names = [re.split(r"[\[<>=!~ ;]", each)[0] for each in recipe.requirements]
        printed = demand([str(python), "-c", VERSIONS, *names, *ALSO], self.folder)
        return dict(line.split(" ", 1) for line in printed.splitlines())


def build_wheel(clone: Path, folder: Path) -> Path:
    """Build a wheel from a copy of the files that git does not ignore: building in the clone would leave folders
    behind."""
    shutil.rmtree(folder, ignore_errors=True)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=clone, capture_output=True, encoding="utf-8", check=True).stdout
    for name in filter(None, listed.split("\0")):
        if os.path.lexists(clone / name):
            target = folder / "sources" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(clone / name, target, follow_symlinks=False)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "wheel", "--quiet", "--no-deps"]
    demand([*pip, "--wheel-dir", str(folder), str(folder / "sources")], folder)
    return next(folder.glob("*.whl"))


def demand(command: Sequence[str], folder: Path) -> str:
    """Run a command in ``folder``, without this process's own variables; return its output.

    Raises:
        RecipeError: it ends with an error, or does not end in time.
    """
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    environment["PYTHONIOENCODING"] = "utf-8"
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=60 * LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise RecipeError(f"{Path(command[0]).name} had not ended after {LIMIT} minutes.") from None
    if ended.returncode:
        raise RecipeError(last_words(ended.stderr) or f"it ended with exit code {ended.returncode}.")
    return ended.stdout


def last_words(stderr: str) -> str:
    """The essence of an error: pip's first error line, or the last line of a traceback."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return f"{reason_of((errors or lines[-1:])[0])}." if lines else ""
