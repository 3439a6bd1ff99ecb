"""Ground truth for two-player zero-sum games in which only simultaneous choices are hidden."""
