"""Named positions of Rattus."""

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

LIGHT = ["anglia", "gallia", "germania", "hispania", "hungaria", "italia", "polonia", "scandia"]
OTHERS = ["bulgaria", "turcia", "russia", "tartaria"]
#: All regions in a row.
ROW = {
    "tiers": {"light": LIGHT, "middle": OTHERS[:2], "dark": OTHERS[2:]},
    "edges": [[one, other] for one, other in zip(LIGHT + OTHERS, (LIGHT + OTHERS)[1:], strict=False)],
}

#: The cubes are in regions with only one token, far from the plague; player_0 has none left in stock.
SMALL = """
plague gallia; place italia; place polonia; place polonia; place polonia; take peasant; place polonia; plague anglia;
rat gallia; place scandia; plague gallia; rat anglia; rat anglia; place scandia; plague anglia; rat gallia; take king;
place scandia; plague gallia; rat germania; rat germania; place scandia; plague anglia; take witch; place italia;
plague gallia; peasant italia; plague anglia; place polonia; plague gallia; take witch; peasant italia; plague anglia;
place polonia; plague gallia; peasant italia; plague anglia; take monk; place scandia; plague gallia; peasant italia;
plague anglia; place scandia; plague gallia; place italia; plague anglia; place scandia; plague gallia; place scandia;
plague anglia; place scandia; plague gallia; place italia; plague anglia; place italia; plague gallia; place italia;
plague anglia; place polonia; plague gallia; take king; place scandia; witch polonia 1; token s01; witch scandia 1
"""

PRESETS = (
    Preset(
        name="small",
        summary="the last turn, in which player_0 looks at a second token with the Witch; all regions lie in a row",
        options={"players": 2, "map": ROW},
        opening=opening(SMALL),
    ),
)
