"""A user's own modules: files, and modules in the folder in which a command runs."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from rat_envs.engine.errors import UnknownNameError, reason_of, shown, shown_path

__all__ = ["module_named", "own_modules", "place_of"]

#: The beginning of the name of a module that is loaded from a file.
FROM_FILE = "rat_envs_file_"


def module_named(place: str, whose: str) -> ModuleType:
    """The module of that name, or the one in a file if the name ends in ``.py``; its code is run.

    Args:
        whose: what it is needed for, in words for an error.

    Raises:
        UnknownNameError: there is none, or it cannot be imported.
    """
    if place.endswith(".py") and not os.path.isfile(place):
        raise UnknownNameError(f"There is no file {shown_path(place)} for {whose}.")
    try:
        if place.endswith(".py"):
            return _run_file(Path(place).resolve(), Path(place).stat().st_mtime_ns)
        with own_modules():
            return importlib.import_module(place)
    except (ImportError, TypeError, ValueError) as error:  # the last two: it is not a name of a module
        raise UnknownNameError(
            f"The {'file' if place.endswith('.py') else 'module'} {shown(place)} of {whose} cannot be imported: "
            f"{reason_of(error)}{_line_of(error, place)}."
        ) from error


def _line_of(error: BaseException, place: str) -> str:
    """Where in a file an error has been raised; nothing if it comes from elsewhere."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if os.path.abspath(frame.filename) == os.path.abspath(place)]
    return f" (line {lines[-1]})" if lines else ""


def place_of(module: str) -> str:
    """The name or the file by which :func:`module_named` finds a module in another process."""
    return str(sys.modules[module].__file__) if module.startswith(FROM_FILE) else module


@functools.cache
def _run_file(path: Path, changed: int) -> ModuleType:
    """The module in a file, run once for each time it was ``changed``."""
    name = f"{FROM_FILE}{hashlib.sha256(os.fsencode(path)).hexdigest()[:12]}"
    loader = SourceFileLoader(name, str(path))  # as a link may lead to a file of another name
    specification = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # where dataclasses and pickle look for it
    with _own_folder(path.parent):
        loader.exec_module(module)
    return module


@contextmanager
def _own_folder(folder: Path) -> Iterator[None]:
    """In this context, modules beside a file are found after all others, and are the file's own.

    Nothing else sees them afterwards: a file in another folder may have a module of the same name beside it. In a
    folder from which modules are imported anyway, nothing changes.
    """
    if any(Path(place).resolve() == folder for place in sys.path):
        yield
        return
    modules, places = set(sys.modules), list(sys.path)
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path[:] = [place for place in sys.path if place in places or Path(place).resolve() != folder]
        own = {name for name in set(sys.modules) - modules if "." not in name and _lies_in(sys.modules[name], folder)}
        for name in set(sys.modules) - modules:
            if name.partition(".")[0] in own:
                del sys.modules[name]


def _lies_in(module: ModuleType, folder: Path) -> bool:
    """Whether a module is a file in this folder, or a package there."""
    files = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(file and folder == Path(file).resolve().parent for file in files)


@contextmanager
def own_modules() -> Iterator[None]:
    """In this context, modules in the current folder are found after all others, as with ``python -m``.

    Only what a user has named is imported in it: a file that happens to be there replaces no missing library.
    """
    try:
        here = os.getcwd()
    except OSError:  # the folder has been deleted
        here = ""
    if not here or here in sys.path:
        yield
        return
    sys.path.append(here)
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(here)
