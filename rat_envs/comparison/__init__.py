"""A benchmark of algorithms: what each has learnt from how many decisions, on games of every size.

``rat-envs benchmark`` plays it, and docs/benchmark.md shows it.
"""
