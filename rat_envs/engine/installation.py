"""Where this package comes from: a clone of the repository, or a package index; and how an extra is installed there."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["PACKAGE", "clone_folder", "install_command"]

#: The folder of the package itself.
PACKAGE = Path(__file__).resolve().parent.parent

#: What tells our own pyproject.toml from somebody else's that lies beside an installed package.
OUR_NAME = 'name = "rat-envs"'


def clone_of(package: Path) -> Path | None:
    """The folder that holds ``package`` and our ``pyproject.toml`` beside it; None if there is no such file."""
    project = package.parent / "pyproject.toml"
    try:
        return package.parent if OUR_NAME in project.read_text(encoding="utf-8").splitlines() else None
    except (OSError, UnicodeDecodeError):
        return None


@functools.cache
def clone_folder() -> Path | None:
    """The clone that ``rat_envs`` is imported from, as an absolute path; None if it is installed by itself."""
    return clone_of(PACKAGE)


def install_command(extra: str) -> str:
    """What to type to install an extra: from the clone, if there is one; quoted, since shells read brackets."""
    return f'pip install "{clone_folder() or "rat-envs"}[{extra}]"'
