"""The equilibrium of a small zero-sum matrix game, in code that Numba compiles.

There is one such game in each of a million positions, which is why no library's linear program is called here: one
call costs more than all of this. A test compares it with ``scipy.optimize.linprog``.
"""

from __future__ import annotations

import numpy as np

__all__ = ["solve_matrix_game"]

#: Reduced costs nearer to 0 than this are 0.
EPSILON = 1e-12
#: What is divided by is at least so large: rounding errors would grow by as much.
LEAST_PIVOT = 1e-8
#: The same where each tableau is computed anew, so that errors do not grow.
LEAST_FRESH_PIVOT = 1e-14
#: Each player is sure of the value but for this.
ACCURACY = 1e-12
#: For each row and column at most; a few for all of them are usual.
MOST_PIVOTS = 100


def solve_matrix_game(payoffs, rows, columns, row_strategy, column_strategy, tableau):
    """The value to the row player, who maximises; both strategies are written.

    They are exact but for rounding, 1e-14 or so, where payoffs are equal or clearly differ. Payoffs that differ by less
    than a millionth can cost accuracy: among 60,000 random games made of them the worst was 1e-8 off.

    Args:
        payoffs: float64, from −1 to 1, of which the first ``rows`` × ``columns`` entries count.
        row_strategy: float64 of at least ``rows``, written.
        column_strategy: float64 of at least ``columns``, written.
        tableau: room of at least ``(rows + 1, rows + columns + 1)``.
    """
    if saddle_point(payoffs, rows, columns, row_strategy, column_strategy):
        return payoffs[row_strategy[:rows].argmax(), column_strategy[:columns].argmax()]
    basis = np.arange(columns, columns + rows)
    lowest = fill_tableau(payoffs, rows, columns, tableau)
    improve(payoffs, rows, columns, tableau, basis, False)
    value = read_strategies(tableau, rows, columns, basis, row_strategy, column_strategy) + lowest - 1.0
    lost = gap(payoffs, rows, columns, row_strategy, column_strategy)
    if lost <= ACCURACY:
        return value
    # Some payoffs hardly differ: once more, and what is better counts.
    first_rows, first_columns = row_strategy.copy(), column_strategy.copy()
    fill_tableau(payoffs, rows, columns, tableau)
    basis[:] = np.arange(columns, columns + rows)
    if improve(payoffs, rows, columns, tableau, basis, True):
        again = read_strategies(tableau, rows, columns, basis, row_strategy, column_strategy) + lowest - 1.0
        if gap(payoffs, rows, columns, row_strategy, column_strategy) < lost:
            return again
    row_strategy[:], column_strategy[:] = first_rows, first_columns
    return value


def improve(payoffs, rows, columns, tableau, basis, afresh):
    """Pivot until nothing is left to gain; ``afresh``: each tableau is computed anew from the payoffs.

    Returns:
        Whether that went well: rounding can lead to a basis that is none.
    """
    least = LEAST_FRESH_PIVOT if afresh else LEAST_PIVOT
    for pivots in range(MOST_PIVOTS * (rows + columns)):
        if afresh and pivots > 0 and not compute_afresh(payoffs, rows, columns, tableau, basis):
            return False
        entering = entering_column(tableau, rows, columns, pivots > 4 * (rows + columns))
        if entering < 0:
            return True
        leaving = leaving_row(tableau, rows, columns, entering, basis, least)
        if leaving < 0:  # nothing left to gain but rounding errors
            return True
        if afresh:
            basis[leaving] = entering
        else:
            pivot(tableau, rows, columns, leaving, entering, basis)
    return not afresh or compute_afresh(payoffs, rows, columns, tableau, basis)


def gap(payoffs, rows, columns, row_strategy, column_strategy):
    """What the best answers to both strategies win together: 0 in an equilibrium."""
    floor, ceiling = np.inf, -np.inf
    for j in range(columns):
        mean = 0.0
        for i in range(rows):
            mean += row_strategy[i] * payoffs[i, j]
        floor = min(floor, mean)
    for i in range(rows):
        mean = 0.0
        for j in range(columns):
            mean += column_strategy[j] * payoffs[i, j]
        ceiling = max(ceiling, mean)
    return ceiling - floor


def compute_afresh(payoffs, rows, columns, tableau, basis):
    """The tableau of a basis from the payoffs, by Gaussian elimination with partial pivoting; False if it is none."""
    wanted = basis.copy()
    fill_tableau(payoffs, rows, columns, tableau)
    basis[:] = -1
    for column in wanted:
        best = -1
        for i in range(rows):
            if basis[i] < 0 and (best < 0 or abs(tableau[i, column]) > abs(tableau[best, column])):
                best = i
        if abs(tableau[best, column]) < LEAST_FRESH_PIVOT:
            return False
        pivot(tableau, rows, columns, best, column, basis)
    return True


def saddle_point(payoffs, rows, columns, row_strategy, column_strategy):
    """Whether pure strategies are an equilibrium; if so they are written."""
    best_row, best_floor = 0, -np.inf
    for i in range(rows):
        floor = payoffs[i, 0]
        for j in range(1, columns):
            floor = min(floor, payoffs[i, j])
        if floor > best_floor:
            best_row, best_floor = i, floor
    best_column, best_ceiling = 0, np.inf
    for j in range(columns):
        ceiling = payoffs[0, j]
        for i in range(1, rows):
            ceiling = max(ceiling, payoffs[i, j])
        if ceiling < best_ceiling:
            best_column, best_ceiling = j, ceiling
    if best_floor < best_ceiling:
        return False
    for i in range(rows):
        row_strategy[i] = 1.0 if i == best_row else 0.0
    for j in range(columns):
        column_strategy[j] = 1.0 if j == best_column else 0.0
    return True


def fill_tableau(payoffs, rows, columns, tableau):
    """Maximise the sum of y ≥ 0 with B y ≤ 1, where B is the game lifted to entries of at least 1 (Dantzig 1951).

    Returns:
        The lowest payoff, which was lifted to 1.
    """
    lowest = payoffs[0, 0]
    for i in range(rows):
        for j in range(columns):
            lowest = min(lowest, payoffs[i, j])
    width = rows + columns
    for i in range(rows + 1):
        for j in range(width + 1):
            tableau[i, j] = 0.0
    for i in range(rows):
        for j in range(columns):
            tableau[i, j] = payoffs[i, j] - lowest + 1.0
        tableau[i, columns + i] = 1.0
        tableau[i, width] = 1.0
    for j in range(columns):
        tableau[rows, j] = -1.0
    return lowest


def entering_column(tableau, rows, columns, first_only):
    """The column with the most negative reduced cost, or the first negative one (Bland 1977, which never cycles)."""
    best, lowest = -1, -EPSILON
    for j in range(rows + columns):
        if tableau[rows, j] < lowest:
            best, lowest = j, tableau[rows, j]
            if first_only:
                break
    return best


def leaving_row(tableau, rows, columns, entering, basis, least_pivot):
    """The row that limits the entering variable first; among equals the one with the lowest basic variable; or −1."""
    width = rows + columns
    best, least = -1, np.inf
    for i in range(rows):
        if tableau[i, entering] > least_pivot:
            ratio = tableau[i, width] / tableau[i, entering]
            if ratio < least or (ratio == least and basis[i] < basis[best]):
                best, least = i, ratio
    return best


def pivot(tableau, rows, columns, leaving, entering, basis):
    """Exchange a basic variable for another."""
    width = rows + columns
    scale = tableau[leaving, entering]
    for j in range(width + 1):
        tableau[leaving, j] /= scale
    for i in range(rows + 1):
        if i == leaving:
            continue
        factor = tableau[i, entering]
        if factor != 0.0:
            for j in range(width + 1):
                tableau[i, j] -= factor * tableau[leaving, j]
    basis[leaving] = entering


def read_strategies(tableau, rows, columns, basis, row_strategy, column_strategy):
    """Both strategies out of the final tableau; the value of the lifted game."""
    width = rows + columns
    value = 1.0 / tableau[rows, width]
    for j in range(columns):
        column_strategy[j] = 0.0
    for i in range(rows):
        row_strategy[i] = max(tableau[rows, columns + i], 0.0) * value
        if basis[i] < columns:
            column_strategy[basis[i]] = max(tableau[i, width], 0.0) * value
    normalise(row_strategy, rows)
    normalise(column_strategy, columns)
    return value


def normalise(strategy, number):
    """Make probabilities sum to 1 in spite of rounding."""
    reached = 0.0
    for k in range(number):
        reached += strategy[k]
    for k in range(number):
        strategy[k] /= reached
