"""The games: one folder each, with the same rooms in every folder. None imports anything but ``rat_envs.engine``."""
