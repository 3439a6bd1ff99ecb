"""A recipe, read from its script: its name, what it shows, what it needs, and how much it has to learn."""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rat_envs.engine.errors import RatEnvsError, shown

__all__ = ["OURS", "RECIPES", "Recipe", "RecipeError", "all_recipes", "measured", "read_recipe"]

#: The folder of recipes, in the folder ``docs``.
RECIPES = "recipes"
#: The name of this package among the requirements: it is installed from the clone.
OURS = "rat-envs"
#: The block of metadata of a script (PEP 723).
HEADER = re.compile(r"^# /// script\n((?:#(?: .*)?\n)+)# ///$", re.MULTILINE)
#: The last line that a script prints.
MEASURED = re.compile(r"^.*: before ([+-]\d\.\d\d), after ([+-]\d\.\d\d)$")


class RecipeError(RatEnvsError):
    """A recipe cannot be installed, does not end well, or does not learn."""


@dataclass(frozen=True)
class Recipe:
    """A script of ``docs/recipes``.

    Attributes:
        name: the name of the script and of its page, without a suffix. It begins with ``with_``: the folder of a script
            is where Python looks for modules first, so that a script called ``tianshou.py`` would hide the library.
        title: the library.
        shows: what is learnt, in a few words.
        text: the rest of the script's docstring, Markdown.
        code: the script without its docstring.
    """

    name: str
    title: str
    shows: str
    text: str
    code: str

    @property
    def hash(self) -> str:
        """The SHA-256 of the code, so that a result is known to be of this code."""
        return hashlib.sha256(self.code.encode()).hexdigest()

    def header(self) -> dict[str, Any]:
        """The block of metadata. (It is read with Python 3.11 or newer, which running recipes takes anyway.)"""
        import tomllib

        (block,) = HEADER.findall(self.code)
        return tomllib.loads("".join(line[2:] + "\n" for line in block.splitlines()))

    @property
    def requirements(self) -> list[str]:
        """The script's requirements besides this package, in pip's form; the library itself comes first."""
        return [each for each in self.header()["dependencies"] if each != OURS]

    @property
    def margin(self) -> float:
        """The amount by which the measured number has to rise."""
        return float(self.header()["tool"][OURS]["margin"])

    @property
    def environment(self) -> str:
        """The virtual environment in which it is run: all share one, except those whose requirements conflict."""
        return str(self.header()["tool"][OURS].get("environment", "shared"))


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file."""
    script = path.read_text(encoding="utf-8")
    module = ast.parse(script)
    docstring = module.body[0]
    first, _, text = (ast.get_docstring(module) or "").partition("\n")
    title, _, shows = first.rstrip(".").partition(": ")
    lines = script.splitlines(keepends=True)
    code = "".join(lines[: docstring.lineno - 1]) + "".join(lines[docstring.end_lineno :])
    return Recipe(path.stem, title, shows, text.strip(), code)


def all_recipes(docs: Path) -> list[Recipe]:
    """Every recipe in the folder ``docs`` of a clone, by title."""
    return sorted(
        map(read_recipe, (docs / RECIPES).glob("*.py")), key=lambda recipe: (recipe.title.lower(), recipe.name)
    )


def measured(output: str) -> tuple[float, float]:
    """The numbers in the last line of a script's output: before learning, and after.

    Raises:
        RecipeError: it says something else.
    """
    last = (output.strip().splitlines() or [""])[-1]
    found = MEASURED.match(last)
    if found is None:
        raise RecipeError(f"its last line should end in 'before …, after …', and is {shown(last)}.")
    return float(found.group(1)), float(found.group(2))
