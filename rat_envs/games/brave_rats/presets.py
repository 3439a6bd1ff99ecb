"""Named positions of BraveRats."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

#: Nothing is hidden except the simultaneous choice.
SMALL = """
play princess; play wizard; play spy; play spy; play wizard; play ambassador; play general; play assassin
"""

PRESETS = (
    Preset(
        name="small",
        summary="the last four cards of each clan, with two rounds won on either side, and +2 to Yarg's next card",
        options={},
        opening=opening(SMALL),
    ),
)
