"""The pictures on dice and cards, each drawn in a square of 24 with its upper left corner at (0, 0)."""

from __future__ import annotations

from rat_envs.engine.colours import PAPER
from rat_envs.engine.svg import circle, path, placed, rectangle

INK = "#3b3731"
WOOD, STEEL = "#b5803f", "#5d6268"
CHEESE, RIND = "#f4c63d", "#b98512"
LEAF, STEM = "#3f9142", "#2b6b2f"
BRASS, RED = "#c79a2b", "#c8403a"

_WEDGE = (
    path("M2 15 L18 5 Q22 8 22 12 L22 19 L2 19 Z", CHEESE, RIND, 1.3)
    + path("M2 15 L22 12", "none", RIND, 1.1)
    + circle(8, 16.6, 1.3, RIND)
    + circle(15, 15.8, 1.6, RIND)
)
_KEY = circle(6.5, 12, 4.2, "none", BRASS, 2.6) + path("M10.7 12 H21 V16 M16.5 12 V15.2", "none", BRASS, 2.6)
_SCRATCH = path("M4 3 C9 9 9 16 5 21 C6.4 15 6 9 4 3 Z", INK)

#: By face of a die.
FACE_SYMBOLS = (
    _KEY,
    placed(2.5, -2.2, 0.82, _KEY) + placed(2.5, 6.6, 0.82, _KEY),
    path("M2 9 Q7 6 12 9 Q17 6 22 9 Q22 17 16.5 17 Q13.6 17 12 13.6 Q10.4 17 7.5 17 Q2 17 2 9 Z", INK)
    + circle(7.4, 11.6, 1.9, PAPER)
    + circle(16.6, 11.6, 1.9, PAPER),
    _SCRATCH + placed(6.2, 0, 1, _SCRATCH) + placed(12.4, 0, 1, _SCRATCH),
    path("M9 3.5 H15 V9 H20.5 V15 H15 V20.5 H9 V15 H3.5 V9 H9 Z", RED),
)

#: By kind of door card.
CARD_SYMBOLS = (
    rectangle(2, 7, 20, 11, WOOD, "#7f5522", 2, 1.2)
    + path("M7 9.5 H18 V15.5 H7", "none", STEEL, 1.6)
    + path("M7 12.5 L14 12.5", "none", STEEL, 1.6)
    + circle(14.6, 12.5, 1.7, CHEESE, RIND, 0.8),
    _WEDGE,
    placed(4.5, -2.4, 0.8, _WEDGE) + placed(0.3, 5.6, 0.8, _WEDGE),
    path("M12 13 Q13 18 16.5 21.5", "none", STEM, 1.8)
    + circle(8.4, 7.2, 4.2, LEAF)
    + circle(15.6, 7.2, 4.2, LEAF)
    + circle(8.4, 14.2, 4.2, LEAF)
    + circle(15.6, 14.2, 4.2, LEAF)
    + path("M12 5.5 V16 M6.5 10.7 H17.5", "none", STEM, 0.9),
)

#: The rat figure, and an eye.
FIGURE = (
    path("M4 18 Q-1 15 2 9", "none", INK, 1.5)
    + path("M3.5 19 Q4 9 13 9.5 Q20 10 23 15.5 Q21.5 18.5 17 19 Z", INK)
    + circle(14.5, 9, 3, INK)
    + circle(14.5, 9, 1.5, "#c9b8a6")
    + circle(19, 13.6, 0.9, PAPER)
)
EYE = path("M2 12 Q12 3 22 12 Q12 21 2 12 Z", PAPER, INK, 1.5) + circle(12, 12, 3.6, INK)
