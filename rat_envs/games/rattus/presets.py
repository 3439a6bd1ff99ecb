"""Positions of Rattus with a name."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
plague gallia; place hungaria; place germania; place italia; place hungaria; place germania; take peasant;
plague hispania; rat gallia; take peasant; peasant polonia; plague gallia; rat germania; rat italia; take king;
place hungaria; plague hispania; rat gallia; take witch; place hungaria; plague gallia; rat hispania; rat
anglia; take merchant; place germania; plague anglia; rat scandia; rat scandia; place anglia; take monk; monk
hispania 1; to italia; witch anglia 2; token r05; witch scandia 2; token r28; keep; plague scandia; rat anglia;
rat germania; take witch; witch anglia 3; token r26; stop; merchant hungaria 1; to italia; place hungaria;
plague germania; rat hungaria; rat hungaria; flip 3; token r18; flip 2; token s07; token s10; monk gallia 2; to
hispania; take merchant; merchant polonia 1; to germania; peasant polonia; plague italia; rat gallia; rat
hispania; flip 3; token s12; flip 1; token s01; token r13; witch hispania 1; token r19; witch scandia 2; swap;
place anglia; plague hungaria; rat italia; rat italia; flip 2; token r10; flip 1; token s05; token r09; king
hungaria; monk hispania 2; to italia; merchant anglia 2; to scandia; place hispania; take knight; plague
hispania; bonus; flip 1; token r33; witch italia 2; token r17; stop; place gallia; take knight; plague germania;
monk gallia 3; to hispania; merchant polonia 1; to germania; place anglia; plague gallia; rat germania; rat
hispania; flip 2; token r08; token s03; witch scandia 2; witch hispania 1; token r21; swap; place germania;
plague scandia; rat germania; rat germania; no_bonus; flip 2; flip 1; token s04; token r23; king gallia; place
hispania; merchant germania 3; to scandia; monk anglia 3; to scandia; plague germania; rat gallia; rat gallia;
flip 2; token s11; flip 1; token r30; token r06; take monk; witch italia 1; token r04; witch hispania 1; swap;
place scandia; monk italia 3; to germania; plague hispania; rat italia; rat gallia; bonus; flip 2; token s06;
peasant hungaria; take king; king hungaria; merchant polonia 1; to germania; plague gallia; rat germania; rat
germania; flip 2; token r07; flip 1; token r34; token r24; monk anglia 2; to gallia; take merchant; merchant
anglia 2; to gallia; place italia; plague italia; rat hungaria; rat hispania; bonus; flip 2; flip 1; token r32;
place hispania; take monk; monk hispania 1; to gallia; plague gallia; rat hispania; flip 2; token r03; king
italia; witch anglia 1; token s09; witch germania 2; token r14; swap; plague hungaria; merchant scandia 1
"""

PRESETS = (
    Preset(
        "small",
        "the end of the final round",
        {"players": 2},
        opening(SMALL),
    ),
)
