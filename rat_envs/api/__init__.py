"""Views on a game: PettingZoo, gymnasium, Stable-Baselines3, and what an agent is given."""
