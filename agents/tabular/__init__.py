"""Solvers for small games with hidden information and chance: all histories are listed, and nothing is approximated."""
