"""Positions of Rattus Cartus with a name."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
draw church 4; draw church 4; draw peasantry 0; draw chivalry 0; draw bourgeoisie 4; draw royalty 3; draw
bourgeoisie 4; draw royalty 3; draw royalty 1; draw peasantry 4; building marketplace 1; building
fortune_tellers_tent 1; supply 1; draw chivalry 0; draw chivalry 2; draw church 1; draw magic 2; supply 1; draw
peasantry 1; draw church 0; draw chivalry 0; draw chivalry 2; enter 2; lay church 4; lay magic 2; lay chivalry
0; lay chivalry 0; lay chivalry 2; done; enter 1; lay peasantry 4; lay peasantry 1; lay chivalry 0; lay royalty
3; lay bourgeoisie 4; lay church 0; lay chivalry 2; lay royalty 1; lay royalty 3; act; act; look 2; nun magic 0;
building fortune_tellers_tent 4; building fortune_tellers_tent 5; building marketplace 5; supply 1; draw
chivalry 4; draw church 2; supply 2; look 2; enter 1; lay church 2; lay joker; done; enter 1; done; decline;
decline; building monastery 4; building monastery 3; building palace 4; supply 1; draw bourgeoisie 3; draw
chivalry 1; supply 1; draw peasantry 0; draw royalty 4; enter 1; lay church 1; lay chivalry 1; lay peasantry 0;
done; enter 2; lay chivalry 4; lay royalty 4; lay joker; lay peasantry 0; act; decline; building farm 3;
building monastery 5; supply 2; look 3; nun bourgeoisie 0; supply 2; look 1; nun royalty 0; enter 1; enter 1;
lay bourgeoisie 4; lay bourgeoisie 3; lay church 4; decline; act; draw peasantry 2; draw bourgeoisie 3; building
castle 3; building palace 2; supply 1; draw magic 3; draw peasantry 0; look 3; supply 1; draw royalty 4; draw
church 0; look 3; enter 2; done; enter 1; lay church 0; lay royalty 4; done; decline; decline; building
fortune_tellers_tent 3; building palace 3; supply 1; draw bourgeoisie 2; draw bourgeoisie 0; look 2; supply 2;
draw royalty 4; draw church 3; look 5; nun church 4; enter 2; lay bourgeoisie 3; lay bourgeoisie 0; lay
peasantry 2; lay bourgeoisie 2; enter 1; lay royalty 4; lay church 3; lay peasantry 0; done; decline; decline;
building marketplace 3; building farm 1; supply 1; draw bourgeoisie 2; draw peasantry 4; look 5; supply 1; draw
chivalry 4; draw magic 0; look 4; nun church 2; enter 2; lay peasantry 4; lay magic 3; lay bourgeoisie 2; enter
1; done; decline; act; draw peasantry 0; draw bourgeoisie 1; draw church 3; draw magic 4; building farm 4;
building castle 1; supply 1; draw magic 1; draw bourgeoisie 4; supply 1; draw magic 0; draw peasantry 3; enter
1; done; enter 1; done; decline; decline; building palace 5; building marketplace 2; supply 2; supply 2; enter
2; lay magic 4; lay magic 0; lay church 3; lay peasantry 0; done; enter 2; lay bourgeoisie 4; done; act;
decline; building monastery 1; building castle 5; supply 2; look 3; supply 2
"""

PRESETS = (
    Preset(
        "small",
        "the end of the last round",
        {"players": 2, "fewest_rats_survive": True},
        opening(SMALL),
    ),
)
