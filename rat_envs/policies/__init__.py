"""Trained policies, for each game and number of players on the ladder, each with a card that says how it was trained.

They are written by ``rat-envs policies``, and played by the agent ``learnt``.
"""
