"""Positions of BraveRats with a name."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
play assassin; play general; play general; play wizard; play spy; play musician; play assassin; play musician
"""

PRESETS = (
    Preset(
        "small",
        "the last four cards of each clan",
        {},
        opening(SMALL),
    ),
)
