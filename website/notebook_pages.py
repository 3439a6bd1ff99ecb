"""Notebooks as pages: their text and code, and what they showed when they were last run."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
#: Where notebooks are kept with their outputs, each behind a hash of itself and of the package.
RUN = ROOT / "build" / "notebooks"
#: What makes the site run notebooks that have not been run as they are now.
WISH = "RAT_ENVS_SITE_NOTEBOOKS"
PICTURES = {"image/svg+xml": "svg", "image/png": "png"}


def fingerprint(path: Path) -> str:
    """A hash of a notebook and of all code that it can run."""
    digest = hashlib.sha256(path.read_bytes())
    for top in ("rat_envs", "agents", "training"):
        for file in sorted((ROOT / top).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def kept(path: Path) -> Path:
    """Where a notebook is with its outputs, if it was run as it is now."""
    return RUN / f"{path.stem}-{fingerprint(path)}.ipynb"


def keep(path: Path, notebook: Any) -> None:
    """Keep a notebook that has been run, in place of what was kept of it before."""
    RUN.mkdir(parents=True, exist_ok=True)
    for old in RUN.glob(f"{path.stem}-*.ipynb"):
        old.unlink(missing_ok=True)
    part = RUN / f"{path.stem}-{os.getpid()}.part"
    nbformat.write(notebook, part)
    part.replace(kept(path))


def run(path: Path) -> Any:
    """Run a notebook from top to bottom; it with its outputs."""
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    return notebook


def page_of_notebook(path: Path) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and its pictures by name."""
    if not kept(path).exists() and os.environ.get(WISH) == "run":
        print(f"Running {path.name} ...", file=sys.stderr, flush=True)
        keep(path, run(path))
    was_run = kept(path).exists()
    notebook = nbformat.read(kept(path) if was_run else path, as_version=4)
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"```python\n{cell.source}\n```")
            parts += [shown for output in cell.outputs if (shown := output_of(output, path.stem, pictures))]
    note = f"This page is the notebook `notebooks/{path.name}`" + (
        ", with what it showed when it was run." if was_run else "; this copy of the site was built without running it."
    )
    parts.insert(1, note)
    return "\n\n".join(parts) + "\n", pictures


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
    if "text/html" in data:
        return data["text/html"]
    return fenced(data["text/plain"]) if "text/plain" in data else ""


def fenced(text: str) -> str:
    """Text as it was printed."""
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""
