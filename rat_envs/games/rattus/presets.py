"""Positions of Rattus with a name."""

import itertools

from rat_envs.engine.presets import Preset, opening

__all__ = ["PRESETS"]

SMALL = """
plague gallia; place scandia; place scandia; place scandia; place scandia; place italia; plague anglia; rat
gallia; place scandia; plague gallia; rat anglia; rat anglia; place scandia; plague anglia; rat gallia; take
peasant; peasant italia; plague gallia; rat germania; rat germania; place scandia; plague anglia; take witch;
place scandia; plague gallia; place italia; plague anglia; place scandia; plague gallia; take peasant; place
scandia; plague anglia; place italia; plague gallia; take king; place scandia; plague anglia; place polonia;
plague gallia; place scandia; plague anglia; place italia; plague gallia; take monk; place scandia; plague
anglia; place polonia; plague gallia; place scandia; plague anglia; place scandia; plague gallia; place scandia;
plague anglia; place scandia; plague gallia; take knight; place italia; plague anglia; take king; place italia;
plague gallia; peasant italia; plague anglia; place scandia; plague gallia; place italia; plague anglia; take
monk; place scandia; plague gallia; take witch; peasant italia; witch italia 1; token s08; witch polonia 1
"""

#: Eight regions in a row, which two players play on, and the rest behind them.
REGIONS = ["anglia", "gallia", "germania", "hispania", "hungaria", "italia", "polonia", "scandia"]
REST = ["bulgaria", "turcia", "russia", "tartaria"]
ROW = {
    "tiers": {"light": REGIONS, "middle": REST[:2], "dark": REST[2:]},
    "edges": [list(pair) for pair in itertools.pairwise(REGIONS + REST)],
}

PRESETS = (
    Preset(
        "small",
        "regions in a row: the last turn, while a Witch looks at tokens",
        {"players": 2, "map": ROW},
        opening(SMALL),
    ),
)
