"""The command ``rat-envs``."""
