"""The results of the recipes: ``docs/recipes/results.json``, and the pages made from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rat_envs.describe import markdown_table
from rat_envs.engine.archive import write_file
from rat_envs.engine.files import read_results
from rat_envs.recipes.forms import FORMS
from rat_envs.recipes.recipe import RECIPES, Recipe, all_recipes

__all__ = ["COMMAND", "RESULTS", "keep_result", "load_results", "recipe_pages"]

#: The file of results, in the folder of recipes.
RESULTS = "results.json"
FORMAT = "rat-recipes/1"
OUTLINE = {
    "recipe": str,
    "code": str,
    "date": str,
    "python": str,
    "versions": {str: str},
    "failed": str,
    "runs": [{"seed": int, "seconds": float, "before": float, "after": float, "printed": str}],
}

COMMAND = "python -m rat_envs.recipes"
NOTE = f"<!-- Written by `{COMMAND}` or `python -m rat_envs.docs` from {{}}: change those, not this page. -->"
INDEX = """
# Recipes

One short script for each of the libraries that people use, as its own documentation would write it. Each learns
something that can be measured, and is meant to take less than two minutes on two quiet cores. Every number here was
written by the command that ran it:

```
python -m rat_envs.recipes
```

It makes a virtual environment, in which it installs what the scripts' headers ask for and this package from the clone
(a script whose requirements collide with the others' has one of its own), runs each script with several seeds, and
removes the environment. The last line of a script compares before learning with after. The *result* is that line of the
first seed; the *least gain* is the smallest difference that any seed made. Seconds are wall-clock time, from the
start of Python to the last line, on two cores that other work may have kept busy; on another processor the numbers
differ, too, as its sums are rounded in another order. Where a library could not be run, the table says why. The tests
run these scripts too, where the library is installed. [Which form](#which-form-for-which-library) of an environment
each library takes is below.
"""
HEADINGS = ("library", "version", "what was run", "seconds", "result", "least gain", "date")


def load_results(docs: Path) -> dict[str, dict[str, Any]]:
    """The result of each recipe, by its name; empty if none has been run.

    Raises:
        RecordError: the file holds something else.
    """
    path = docs / RECIPES / RESULTS
    return {result["recipe"]: result for result in read_results(path, FORMAT, "file of recipes' results", OUTLINE)}


def keep_result(docs: Path, result: dict[str, Any]) -> None:
    """Write the result of one recipe to the file, leaving those of the others, and write the pages anew."""
    known = {recipe.name for recipe in all_recipes(docs)}
    results = {**load_results(docs), result["recipe"]: result}
    kept = [results[name] for name in sorted(results.keys() & known)]
    text = json.dumps({"format": FORMAT, "results": kept}, indent=1) + "\n"
    write_file(docs / RECIPES / RESULTS, text.encode())
    for path, page in recipe_pages(docs).items():
        write_file(path, page.encode())


def recipe_pages(docs: Path) -> dict[Path, str]:
    """The text of every page of recipes, by its file."""
    recipes, results = all_recipes(docs), load_results(docs)
    pages = {f"{recipe.name}.md": recipe_page(recipe, results.get(recipe.name)) for recipe in recipes}
    pages["index.md"] = index_page(recipes, results)
    return {docs / RECIPES / name: text for name, text in pages.items()}


def index_page(recipes: Sequence[Recipe], results: dict[str, dict[str, Any]]) -> str:
    """The page with the table of all recipes."""
    rows = [table_row(recipe, results.get(recipe.name)) for recipe in recipes]
    return f"{NOTE.format(RESULTS)}\n{INDEX}\n{markdown_table(HEADINGS, rows)}\n{FORMS}"


def table_row(recipe: Recipe, result: dict[str, Any] | None) -> list[str]:
    """One recipe as a row of the table."""
    link = f"[{recipe.title}]({recipe.name}.md)"
    if result is None:
        return [link, "", recipe.shows, "", "not run yet", "", ""]
    version = next((f"{name} {number}" for name, number in result["versions"].items()), "")
    if result["failed"]:
        return [link, version, recipe.shows, "", f"not run: {result['failed']}", "", result["date"]]
    first, runs = result["runs"][0], result["runs"]
    seconds = f"{max(run['seconds'] for run in runs):.0f}"
    gain = f"{min(run['after'] - run['before'] for run in runs):.2f} ({len(runs)} seed{'s' * (len(runs) > 1)})"
    return [link, version, recipe.shows, seconds, first["printed"], gain, result["date"]]


def recipe_page(recipe: Recipe, result: dict[str, Any] | None) -> str:
    """The page of one recipe."""
    script = f"{recipe.name}.py"
    return f"""{NOTE.format(f"{script} and {RESULTS}")}

# {recipe.title}

{recipe.shows[0].upper()}{recipe.shows[1:]}.

{recipe.text}

## The script

[{script}]({script}). Run it in a clone where `pip install .` and what its first lines name are installed; its argument
is the seed.

```python
{recipe.code.strip()}
```

## What it printed

{outcome(result)}
"""


def outcome(result: dict[str, Any] | None) -> str:
    """The result of a recipe, in Markdown."""
    if result is None:
        return f"Not run yet: `{COMMAND}` runs it."
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    where = f"Python {result['python']}{', ' * bool(versions)}{versions}"
    if result["failed"]:
        return f"Not run on {result['date']} ({where}): {result['failed']}"
    rows = [(run["seed"], f"{run['seconds']:.0f}", run["printed"]) for run in result["runs"]]
    return f"On {result['date']}, with {where}:\n\n{markdown_table(('seed', 'seconds', 'last line'), rows)}"
