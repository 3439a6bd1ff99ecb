"""Sums of a few of many rows, in compiled code: for layers in which most inputs or outputs do not count."""

from __future__ import annotations

__all__ = ["add_rows", "add_to_rows", "copy_row"]


def copy_row(source, target):
    """Make ``target`` equal to ``source``, number by number."""
    for j in range(len(target)):
        target[j] = source[j]


def add_rows(total, rows, places, amounts, start, end):
    """Add to ``total`` the rows at ``places`` from ``start`` to ``end``, each times its amount."""
    k = start
    while k + 4 <= end:  # four at a time: the total is read and written less often
        x, y, z, w = amounts[k], amounts[k + 1], amounts[k + 2], amounts[k + 3]
        row_x, row_y, row_z, row_w = rows[places[k]], rows[places[k + 1]], rows[places[k + 2]], rows[places[k + 3]]
        for j in range(len(total)):
            total[j] += x * row_x[j] + y * row_y[j] + (z * row_z[j] + w * row_w[j])
        k += 4
    while k < end:
        x = amounts[k]
        row = rows[places[k]]
        for j in range(len(total)):
            total[j] += x * row[j]
        k += 1


def add_to_rows(addend, rows, places, amounts, start, end):
    """Add ``addend`` to the rows at ``places`` from ``start`` to ``end``, times the amount of each."""
    for k in range(start, end):
        amount = amounts[k]
        row = rows[places[k]]
        for j in range(len(addend)):
            row[j] += amount * addend[j]
