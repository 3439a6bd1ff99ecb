"""Exact solutions: equilibria, best responses and exploitability, over public states or the game tree of a preset."""
