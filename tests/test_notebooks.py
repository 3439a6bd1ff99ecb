"""Every notebook runs from top to bottom, and is kept without outputs; the site shows those of the last run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

spec = importlib.util.spec_from_file_location("notebook_pages", ROOT / "website" / "notebook_pages.py")
notebook_pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebook_pages)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path):
    notebook_pages.keep(path, notebook_pages.run(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


def test_a_page_of_a_notebook_shows_text_code_and_results(tmp_path, monkeypatch):
    path = tmp_path / "walk.ipynb"
    printed = nbformat.v4.new_output("stream", name="stdout", text="a\n")
    drawn = nbformat.v4.new_output("display_data", data={"image/svg+xml": "<svg/>", "text/plain": "a picture"})
    said = nbformat.v4.new_output(
        "execute_result", data={"text/markdown": "It is **far**.", "text/plain": "<an object>"}
    )
    cells = [nbformat.v4.new_markdown_cell("# A walk"), nbformat.v4.new_code_cell("print('a')")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    monkeypatch.setattr(notebook_pages, "RUN", tmp_path / "run")
    monkeypatch.setenv(notebook_pages.WISH, "no")

    text, pictures = notebook_pages.page_of_notebook(path)
    assert text.startswith("# A walk\n\n*This page is the notebook") and "without running it" in text
    assert pictures == {}

    cells[1].outputs = [printed, printed, drawn, said]
    notebook_pages.keep(path, nbformat.v4.new_notebook(cells=cells))
    text, pictures = notebook_pages.page_of_notebook(path)
    assert "with its results.*" in text and "```text\na\na\n```" in text
    assert pictures == {"walk-1.svg": b"<svg/>"} and "(walk-1.svg)" in text
    assert "\n\nIt is **far**.\n" in text and "an object" not in text
