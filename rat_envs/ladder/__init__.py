"""The ladder: which agents beat which in every game, from random play up.

``rat-envs ladder`` plays it, and docs/ladder.md shows the results.
"""
