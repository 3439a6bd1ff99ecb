"""Positions of Comme des Rats with a name."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
trap 4; deal trap; deal trap; deal cheese1; deal trap; trap 2; deal trap; deal trap; deal cheese2; deal trap;
trap 3; deal trap; deal trap; deal clover; deal trap; roll key2 key2; reroll; roll key2 key2; partner player_1;
pile 3; pile 3; roll key2 key2; reroll; roll key2 key2; partner player_0; pile 2; clover; pile 2; trap 2; deal
clover; deal trap; deal trap; deal trap; trap 5; deal cheese1; deal trap; deal cheese2; deal trap; trap 3; deal
trap; deal trap; deal trap; deal trap; roll key2 key2; keep_dice; partner third_rat; reveal tr5; pile 1; pile 1;
roll key2 key2; reroll; roll key2 key2; partner third_rat; reveal tr3; pile 3; pile 1; roll key2 key2;
keep_dice; partner player_1; pile 2; pile 2; trap 4; deal trap; deal trap; deal cheese1; deal trap; trap 2; deal
trap; deal trap; deal cheese2; deal trap; trap 3; deal trap; deal trap
"""

PRESETS = (
    Preset(
        "small",
        "the third round of dice that show nothing but two keys, before the last cards are dealt",
        {"players": 2, "die": [0, 6, 0, 0, 0], "doors": [12, 1, 1, 1]},
        opening(SMALL),
    ),
)
