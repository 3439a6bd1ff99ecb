"""The ladder: from random play up, who beats whom in every game.

``rat-envs ladder`` plays it, and docs/ladder.md shows it.
"""
