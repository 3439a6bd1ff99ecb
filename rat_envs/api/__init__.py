"""Views on a game: PettingZoo, gymnasium, Stable-Baselines3, OpenSpiel, and what an agent is given."""
