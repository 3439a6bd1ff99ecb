"""Games and agents of somebody else's: registered in this process, or added by a package that is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kuhn import KUHN

import rat_envs
from rat_envs.engine.plugins import plugins

COMMON = Path(__file__).parent.parent / "common"


@pytest.fixture
def kuhn() -> Iterator[str]:
    """The name of a game that has been registered."""
    rat_envs.register(KUHN)
    yield KUHN.name
    rat_envs.unregister(KUHN.name)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """Installs a package that consists of entry points, here and for processes that are started."""

    def install(package: str, **groups: dict[str, str]) -> Path:
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = []
        for group, entries in groups.items():
            lines += [f"[rat_envs.{group}]", *(f"{name} = {value}" for name, value in entries.items())]
        (folder / "entry_points.txt").write_text("\n".join(lines))
        plugins.cache_clear()
        return tmp_path

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ":".join([str(tmp_path), str(COMMON), *sys.path[:1], *_where_rat_envs_is()]))
    plugins.cache_clear()
    yield install
    plugins.cache_clear()


def _where_rat_envs_is() -> list[str]:
    return [str(Path(rat_envs.__file__).parent.parent)]
