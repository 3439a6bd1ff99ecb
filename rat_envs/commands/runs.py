"""``runs``: what training runs have learnt, in one table."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.commands.arguments import AsJson
from rat_envs.commands.output import print_numbers
from rat_envs.run_results import find_runs, read_run

#: Where runs are, if nothing else is said.
USUAL = Path("runs")
#: What is said of a run that is not measured as it is.
REMARKS = {"changed": "trained since it was measured", "unmeasured": "not measured"}
#: The measures of a game against others.
MEASURES = ("mean_return", "win_rate")


def runs(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER]...", help="Folders of runs, or with runs below them; runs, if none."),
    ] = None,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a table for programs, with the intervals.")] = False,
) -> None:
    """Gather the results of training runs, one line a run, with the options in which they differ.

    Options are compared between runs of the same game and learner. Of each run it shows the mean return against
    others, with its 95 % interval. A run that is not measured, or has been trained since, has a line that says so:
    `rat-envs train` with --resume measures it.

    Example: rat-envs runs runs --csv
    """
    if as_json and as_csv:
        raise typer.BadParameter("one form at a time: leave out --json.", param_hint="--csv")
    found = [read_run(folder) for folder in find_runs(folders or [USUAL])]
    if as_json:
        print(json.dumps(found))
    elif as_csv:
        write_csv(found)
    else:
        print_runs(found)


def differing(found: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """For each run the options in which runs of its game, and of its learner there, differ, as text by name; every run
    has all names, in the same order."""
    options = [
        {(name, run["game"]): value for name, value in run.get("config", {}).items()}
        | {(name, run["game"], run["learner"]): value for name, value in run.get("settings", {}).items()}
        | ({("preset", run["game"]): run["preset"]} if "preset" in run else {})
        for run in found
    ]
    texts = [{which: json.dumps(value) for which, value in each.items()} for each in options]
    values: dict[tuple[str, ...], set[str]] = {}
    for each in texts:
        for which, text in each.items():
            values.setdefault(which, set()).add(text)
    names = list(dict.fromkeys(which[0] for which, seen in values.items() if len(seen) > 1))
    return [
        {name: next((text for which, text in each.items() if which[0] == name), "") for name in names} for each in texts
    ]


def opponents_of(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """All against whom runs were measured."""
    return list(dict.fromkeys(name for run in found for name in run.get("against", {})))


def in_short(values: Mapping[str, float]) -> str:
    """An estimate with half the width of its 95 % interval, on its longer side."""
    from rat_envs.arena import Estimate

    estimate = Estimate.of(values)
    return f"{estimate.mean:+.2f} ± {estimate.reach:.2f}"


def print_runs(found: Sequence[Mapping[str, Any]]) -> None:
    """Print the table, and below it what is wrong with runs of which nothing can be read."""
    whole = [run for run in found if run["state"] != "damaged"]
    opponents, options = opponents_of(whole), differing(whole)
    exact = any("exploitability" in run for run in whole)
    remarked = any(run["state"] in REMARKS for run in whole)
    head = ["folder", "game", "learner", "seed", *(options[0] if options else ()), "steps"]
    head += [f"against {name}" for name in opponents]
    head += ["exploitability"] * exact + ["remark"] * remarked
    rows = []
    for run, own in zip(whole, options, strict=True):
        against = run.get("against", {})
        returns = [in_short(against[name]["mean_return"]) if name in against else "" for name in opponents]
        distance = [f"{run['exploitability']['after']:.4f}" if "exploitability" in run else ""] * exact
        remark = [REMARKS.get(run["state"], "")] * remarked
        known = [run["folder"], run["game"], run["learner"], str(run["seed"]), *own.values(), f"{run['steps']:,}"]
        rows.append([*known, *returns, *distance, *remark])
    if rows:
        print_numbers(head, rows, fold=True)
    for run in found:
        if run["state"] == "damaged":
            print(f"{run['folder']}: {run['problem']}")


def write_csv(found: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of all that is known, with columns of their own for the ends of intervals."""
    options = iter(differing([run for run in found if run["state"] != "damaged"]))
    rows = []
    for run in found:
        row = {name: run.get(name, "") for name in ("folder", "state", "game", "learner", "seed")}
        row |= {} if run["state"] == "damaged" else next(options)
        row |= {name: run.get(name, "") for name in ("steps", "seconds")}
        for name, result in run.get("against", {}).items():
            for measure in (each for each in MEASURES if each in result):
                parts = {"mean": "", "low": "_low", "high": "_high"}
                row |= {f"{measure}_{name}{end}": result[measure][part] for part, end in parts.items()}
        row |= {f"exploitability_{when}": value for when, value in run.get("exploitability", {}).items()}
        rows.append(row | ({"problem": run["problem"]} if "problem" in run else {}))
    writer = csv.DictWriter(sys.stdout, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(runs)
