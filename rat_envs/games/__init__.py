"""The games: one folder each, with the same rooms in every folder. No game imports another.

They import nothing but ``rat_envs.engine``, and ``long_games``, which some of them share.
"""
