"""Named positions of Comme des Rats."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

#: Two rounds, and the third's piles except one card: whoever draws from the last pile knows more than the other seat.
SMALL = """
trap 4; deal trap; deal trap; deal trap; deal clover; trap 3; deal trap; deal trap; deal trap; deal trap; trap 2;
deal trap; deal trap; deal trap; deal cheese2; roll key2 key2; keep_dice; partner player_1; pile 3; pile 2;
roll key2 key2; keep_dice; partner third_rat; reveal tr1; pile 1; pile 1; trap 3; deal trap; deal trap; deal trap;
deal trap; trap 1; deal trap; deal clover; deal trap; deal trap; trap 3; deal trap; deal trap; deal trap;
deal cheese2; roll key2 key2; reroll; roll key2 key2; partner third_rat; reveal tr3; pile 3; pile 1; roll key2 key2;
keep_dice; partner third_rat; reveal tr2; pile 2; pile 3; trap 4; deal trap; deal trap; deal trap; deal clover;
trap 3; deal trap; deal trap; deal trap; deal trap; trap 2; deal trap; deal trap
"""

PRESETS = (
    Preset(
        name="small",
        summary="the third round, before the last card of the last pile is dealt; all dice show two keys",
        options={"players": 2, "die": [0, 6, 0, 0, 0], "doors": [13, 0, 1, 1]},
        opening=opening(SMALL),
    ),
)
