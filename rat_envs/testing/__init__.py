"""The checks that our own games and agents pass, for games and agents from anywhere."""

from rat_envs.testing.agents import check_agent
from rat_envs.testing.games import check_game
from rat_envs.testing.leaks import LeakError, LeakReport, SeatReport, leak_test, play_at_random
from rat_envs.testing.stories import story_test

__all__ = [
    "LeakError",
    "LeakReport",
    "SeatReport",
    "check_agent",
    "check_game",
    "leak_test",
    "play_at_random",
    "story_test",
]
