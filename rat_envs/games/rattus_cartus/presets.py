"""Named positions of Rattus Cartus."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
draw church 0; draw church 4; draw chivalry 0; draw chivalry 4; draw church 4; draw magic 0; draw peasantry 1;
draw royalty 3; draw church 3; draw peasantry 2; building castle 3; building monastery 4; supply 2; draw church
3; draw chivalry 4; supply 1; draw peasantry 0; draw peasantry 0; look 4; nun royalty 0; enter 1; lay chivalry
4; lay church 0; lay church 3; lay church 4; lay church 4; lay chivalry 0; lay chivalry 4; enter 1; done; act;
act; building castle 4; building farm 3; supply 2; draw magic 0; draw peasantry 3; look 5; nun royalty 2; supply
2; draw chivalry 0; draw peasantry 3; look 1; nun church 1; enter 2; lay church 3; lay peasantry 2; lay
peasantry 3; lay peasantry 1; lay magic 0; lay sword; lay peasantry 0; lay magic 0; lay royalty 3; lay peasantry
0; enter 2; lay chivalry 0; lay sword; lay sword; lay peasantry 3; act; draw peasantry 4; draw bourgeoisie 4;
draw bourgeoisie 2; draw magic 4; act; draw church 0; draw royalty 1; building monastery 5; building
fortune_tellers_tent 3; supply 1; look 5; supply 2; draw chivalry 1; draw bourgeoisie 4; look 1; enter 2; lay
royalty 1; lay church 0; enter 1; lay peasantry 4; lay chivalry 1; lay bourgeoisie 2; lay magic 4; lay
bourgeoisie 4; lay bourgeoisie 4; act; act; look 2; nun bourgeoisie 2; building fortune_tellers_tent 2; building
marketplace 3; supply 2; draw church 0; draw peasantry 0; look 5; supply 1; enter 1; lay church 0; lay peasantry
0; enter 2; decline; act; building castle 5; building castle 2; building monastery 2; supply 2; supply 1; look
4; enter 1; lay joker; enter 2; act; act; building palace 5; building marketplace 1; supply 1; look 1; supply 2;
draw bourgeoisie 3; draw magic 1; draw magic 4; draw royalty 0; enter 2; enter 2; lay bourgeoisie 3; lay sword;
lay magic 4; lay sword; lay magic 1; lay royalty 0; act; act; building castle 1; building monastery 3; supply 1;
draw magic 3; draw bourgeoisie 4; draw bourgeoisie 1; draw bourgeoisie 0; supply 2; draw bourgeoisie 0; draw
church 4; look 3; nun magic 4; enter 1; lay bourgeoisie 4; lay bourgeoisie 0; lay magic 3; lay bourgeoisie 1;
lay joker; lay joker; enter 1; lay bourgeoisie 0; lay joker; lay church 4; act; act; building
fortune_tellers_tent 5; building palace 3; supply 1; look 2; supply 1; look 2; enter 2; lay sword; enter 2; lay
sword; lay sword; act; act; building farm 2; building farm 1; building farm 5; building palace 4; supply 2; draw
bourgeoisie 4; draw peasantry 1; supply 2; draw magic 1; draw royalty 0; enter 2; lay bourgeoisie 4; lay
peasantry 1; enter 2; lay royalty 0; lay magic 1; act; act; building marketplace 4; building marketplace 2;
building palace 1; supply 1; draw royalty 2; draw magic 2; supply 1; draw chivalry 4
"""

PRESETS = (
    Preset(
        "small",
        "the end of the last round",
        {"players": 2, "fewest_rats_survive": True},
        opening(SMALL),
    ),
)
