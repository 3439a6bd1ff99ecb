"""A benchmark of algorithms: how much each has learnt after how many decisions, on games of every size.

``rat-envs benchmark`` runs it, and docs/benchmark.md shows the results.
"""
