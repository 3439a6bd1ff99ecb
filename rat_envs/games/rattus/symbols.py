"""The pictures on cards and pieces, each drawn in a square of 24 with its upper left corner at (0, 0)."""

from __future__ import annotations

from rat_envs.engine.svg import circle, path, rectangle

INK = "#3b3226"
#: Colour of lines on things that stay light in dark mode.
HOLLOW = "#3b3227"
BRASS, DARK_BRASS = "#d3a93a", "#8d6a16"
STEEL, LEATHER, VIOLET = "#8b939b", "#7b5430", "#5b4378"

#: By class card.
CARD_SYMBOLS = (
    path("M12 22 V9", "none", LEATHER, 2.4) + path("M5 2 V6 Q5 10 12 10 Q19 10 19 6 V2 M12 2 V10", "none", STEEL, 2.2),
    circle(12, 12, 9.5, BRASS, DARK_BRASS, 1.4)
    + circle(12, 12, 6.6, "none", DARK_BRASS, 1)
    + path("M15 8.5 Q12 6.5 10 8.8 Q8.6 11 12 12 Q15.4 13 14 15.4 Q12 17.4 9 15.5 M12 6.2 V17.8", "none", INK, 1.3),
    path("M10 2 H14 V8 H20 V12 H14 V22 H10 V12 H4 V8 H10 Z", "#efe8d8", INK, 1.4),
    path("M12 1.5 L14 5 V15 H10 V5 Z", "#dfe4e8", INK, 1.1)
    + path("M6.5 15.5 H17.5", "none", DARK_BRASS, 2.6)
    + path("M12 16.5 V21", "none", LEATHER, 2.6)
    + circle(12, 22, 1.5, BRASS, DARK_BRASS, 0.8),
    path("M8 17 L12.5 2.5 L17 9 L14.8 8.4 L16 17 Z", VIOLET, INK, 1.1)
    + path("M2 18.5 Q12 13.5 22 18.5 Q12 22.5 2 18.5 Z", VIOLET, INK, 1.1)
    + path("M8.4 15.6 Q12 14.2 15.8 15.6", "none", BRASS, 1.8),
    path("M3 19 L2 7 L7.5 12 L12 4 L16.5 12 L22 7 L21 19 Z", BRASS, DARK_BRASS, 1.2)
    + rectangle(3, 18.2, 18, 3.4, BRASS, DARK_BRASS, 1, 1.1)
    + circle(12, 15, 1.6, "#b23b36"),
)

#: The rat on the back of every token.
RAT = (
    path("M4.5 16.5 Q-0.5 14 3.5 9.5", "none", "#d8cbb2", 1.3)
    + path("M4 17.5 Q4.5 9 12.5 9 Q19 9.6 22 14.8 Q20.6 17.6 16.4 17.8 Z", "#d8cbb2")
    + circle(14, 8.8, 2.6, "#d8cbb2")
    + circle(14, 8.8, 1.2, "#7f684c")
    + circle(18.4, 13.2, 0.9, HOLLOW)
)
#: The plague piece.
SKULL = (
    path("M12 2 Q21 2 21 11 Q21 15 17.5 16.6 V21 H6.5 V16.6 Q3 15 3 11 Q3 2 12 2 Z", "#f4efe2", HOLLOW, 1.1)
    + circle(8.4, 11, 2.5, HOLLOW)
    + circle(15.6, 11, 2.5, HOLLOW)
    + path("M12 13.6 L10.8 16 H13.2 Z", HOLLOW)
    + path("M9.8 18 V20.6 M12 18 V20.6 M14.2 18 V20.6", "none", HOLLOW, 1)
)
CASTLE = (
    path("M2 22 V6 H5 V9 H8 V6 H10 V2 H14 V6 H16 V9 H19 V6 H22 V22 Z", "#d8d0bf", HOLLOW, 1.2)
    + path("M10 22 V17 Q12 14 14 17 V22 Z", HOLLOW)
    + path("M5.5 13 V15.5 M18.5 13 V15.5 M12 8 V10.5", "none", HOLLOW, 1.5)
)
EYE = path("M2 12 Q12 3 22 12 Q12 21 2 12 Z", "#ffffff", HOLLOW, 1.8) + circle(12, 12, 3.8, HOLLOW)
