"""Showing recorded games: in one file for a browser, or in a notebook."""

from rat_envs.replays.animation import Animation, write_animation
from rat_envs.replays.notebook import Replay, show
from rat_envs.replays.page import Wish, make_page

__all__ = ["Animation", "Replay", "Wish", "make_page", "show", "write_animation"]
