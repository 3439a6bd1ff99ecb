"""Notebooks as pages: their text and code, and the results of their last run."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
#: Where notebooks are kept with their outputs, each named by a hash of itself and of the package's code.
RUN = ROOT / "build" / "notebooks"
#: "run" makes the site run notebooks that, or the code of which, have changed since their last run.
WISH = "RAT_ENVS_SITE_NOTEBOOKS"
PICTURES = {"image/svg+xml": "svg", "image/png": "png"}


def code_hash() -> str:
    """A hash of all code that a notebook can run."""
    digest = hashlib.sha256()
    for top in ("rat_envs", "agents", "training"):
        for file in sorted((ROOT / top).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def kept(path: Path) -> tuple[Path | None, bool]:
    """The notebook with its outputs, if it was run as it is, and whether the code was the same then."""
    found = list(RUN.glob(f"{path.stem}-{notebook_hash(path)}-*.ipynb"))
    return (found[0], found[0].stem.endswith(code_hash())) if found else (None, False)


def notebook_hash(path: Path) -> str:
    """A hash of a notebook."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def keep(path: Path, notebook: Any) -> None:
    """Keep a notebook that has been run, in place of what was kept of it before."""
    RUN.mkdir(parents=True, exist_ok=True)
    part = RUN / f"{path.stem}-{os.getpid()}.part"
    nbformat.write(notebook, part)
    for old in RUN.glob(f"{path.stem}-*.ipynb"):
        old.unlink(missing_ok=True)
    part.replace(RUN / f"{path.stem}-{notebook_hash(path)}-{code_hash()}.ipynb")


def run(path: Path) -> Any:
    """Run a notebook from top to bottom; it with its outputs."""
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources)
    client.execute(env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})
    return notebook


def page_of_notebook(path: Path) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and its pictures by name."""
    with_outputs, is_current = kept(path)
    if not is_current and os.environ.get(WISH) == "run":
        print(f"Running {path.name} ...", file=sys.stderr, flush=True)
        keep(path, run(path))
        with_outputs, is_current = kept(path)
    notebook = nbformat.read(with_outputs or path, as_version=4)
    if with_outputs is None:
        note = "this copy of the site was built without running it, so that its results are missing."
    else:
        note = "with its results" + ("." if is_current else ", of a run before the last changes of the package.")
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"```python\n{cell.source}\n```")
            outputs = joined(cell.outputs)
            parts += [shown for output in outputs if (shown := output_of(output, path.stem, pictures))]
    parts.insert(1, f"*This page is the notebook `notebooks/{path.name}`, {note}*")
    return "\n\n".join(parts) + "\n", pictures


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs of a cell, with what was printed bit by bit in one piece."""
    whole: list[Any] = []
    for output in outputs:
        if whole and output.output_type == whole[-1].output_type == "stream":
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def output_of(output: Any, stem: str, pictures: dict[str, bytes]) -> str:
    """One output as Markdown; a picture is put to the others."""
    if output.output_type == "stream":
        return fenced(output.text)
    data = output.get("data", {})
    for kind, ending in PICTURES.items():
        if kind in data:
            raw = data[kind]
            name = f"{stem}-{len(pictures) + 1}.{ending}"
            pictures[name] = base64.b64decode(raw) if ending == "png" else raw.encode()
            return f"![what the cell drew]({name})"
    if "text/markdown" in data:
        return data["text/markdown"]
    if "text/html" in data:
        return data["text/html"]
    return fenced(data["text/plain"]) if "text/plain" in data else ""


def fenced(text: str) -> str:
    """Text as it was printed."""
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""
