"""Every notebook runs from top to bottom, and is kept without outputs; the site shows those of the last run."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

spec = importlib.util.spec_from_file_location("notebook_pages", ROOT / "website" / "notebook_pages.py")
notebook_pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebook_pages)


#: What is played less often here than on the site, by the beginning of a notebook's name.
FEWER = {
    "02": [("games=2000", "games=200"), ("games=1200", "games=120")],
    "03": [
        ("games=400", "games=60"),
        ("games=200", "games=20"),
        ("CONFIG, 80,", "CONFIG, 10,"),
        ("games=30", "games=4"),
    ],
    "04": [
        *[("games=2000", "games=200"), ("games=5000", "games=400"), ("CONFIG, 2400,", "CONFIG, 240,")],
        *[('"greedy", 2, 2000', '"greedy", 2, 200'), ('"greedy", 4, 3000', '"greedy", 4, 300')],
        ('"learnt", 2, 400', '"learnt", 2, 40'),
    ],
    "05": [("100_000", "10_000"), ("[10, 30, 100, 300, 1000]", "[10, 30, 100]")],
    "06": [("positions=250", "positions=40"), ("CONFIG, 160,", "CONFIG, 40,"), ("SAMPLES = 12", "SAMPLES = 3")],
    "07": [(": 2000", ": 200"), (": 200,", ": 24,")],
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    for often, rarely in FEWER.get(path.stem[:2], []):
        often, rarely = (json.dumps(words)[1:-1] for words in (often, rarely))
        assert often in text, f"{often} is not there: change what is played less often"
        text = text.replace(often, rarely)
    shorter = tmp_path / path.name
    shorter.write_text(text, encoding="utf-8")
    notebook_pages.run(shorter)


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
