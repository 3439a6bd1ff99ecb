"""Tables of text as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["in_html"]


def in_html(tables: Iterable[Sequence[Sequence[str]]], sentences: Iterable[str]) -> str:
    """Tables, the first row of each being its head, and sentences below them."""
    parts = []
    for head, *rows in tables:
        cells = [_row(head, "th"), *(_row(row, "td") for row in rows)]
        parts.append(f"<table>{''.join(cells)}</table>")
    return "\n".join([*parts, *(f"<div>{escape(sentence)}</div>" for sentence in sentences)])


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
