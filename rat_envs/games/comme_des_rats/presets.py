"""Positions of Comme des Rats with a name."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
trap 1; deal trap; deal trap; deal trap; deal cheese2; trap 3; deal trap; deal trap; deal cheese2; deal trap;
trap 2; deal trap; deal cheese1; deal clover; deal trap; roll key2 key2; reroll; roll key2 key2; partner
player_1; pile 1; pile 2; roll key2 key2; keep_dice; partner third_rat; reveal tr3; pile 3; pile 2; trap 3; deal
trap; deal trap; deal trap; deal trap; trap 1; deal clover; deal trap; deal trap; deal cheese1; trap 4; deal
cheese2; deal trap; deal cheese2; deal trap; roll key2 key2; keep_dice; partner third_rat; reveal tr1; pile 2;
pile 1; roll key2 key2; reroll; roll key2 key2; partner third_rat; reveal tr3; pile 3; pile 1; roll key2 key2;
reroll; roll key2 key2; partner third_rat; reveal tr2; pile 2; pile 1; trap 1; deal trap; deal cheese2; deal
trap; deal trap; trap 2; deal trap; deal cheese1; deal trap; deal clover; trap 3; deal trap; deal trap
"""

PRESETS = (
    Preset(
        "small",
        "the third round, before the last two cards are dealt",
        {"players": 2, "die": [0, 6, 0, 0, 0], "doors": [11, 1, 2, 1]},
        opening(SMALL),
    ),
)
