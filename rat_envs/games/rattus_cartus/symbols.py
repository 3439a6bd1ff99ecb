"""The pictures on cards and pieces, each drawn in a square of 24 with its upper left corner at (0, 0)."""

from __future__ import annotations

from rat_envs.engine.svg import circle, path, placed, rectangle

INK = "#2f2a24"
#: Colours of bones, which stay light with dark lines in dark mode.
BONE, HOLLOW = "#f6f1e6", "#2f2a25"
BRASS, DARK_BRASS = "#e2b63f", "#8d6a16"
STEEL, WOOD, STRAW, WHITE = "#cfd6db", "#7b5430", "#e6c65c", "#fdfbf6"
VIOLET, RED = "#5b4378", "#b8332e"
#: Violet in dark mode, on dark cards and on the darker violet of its class.
LIGHT_VIOLET = "#bba0e0"

_HANDLE, _PRONGS = "M12 23 V10", "M5 2 V7 Q5 11 12 11 Q19 11 19 7 V2 M12 2 V11"
#: By class.
CLASS_SYMBOLS = (
    path(f"{_HANDLE} {_PRONGS}", "none", INK, 4)  # the outline, without which steel is too faint on a card
    + path(_HANDLE, "none", WOOD, 2.4)
    + path(_PRONGS, "none", STEEL, 2.4),
    circle(12, 12, 9.5, BRASS, DARK_BRASS, 1.6)
    + circle(12, 12, 6.4, "none", DARK_BRASS, 1)
    + path("M15 8.5 Q12 6.5 10 8.8 Q8.6 11 12 12 Q15.4 13 14 15.4 Q12 17.4 9 15.5 M12 6 V18", "none", INK, 1.4),
    path("M10 1.5 H14 V7.5 H20 V11.5 H14 V22.5 H10 V11.5 H4 V7.5 H10 Z", WHITE, INK, 1.3),
    path("M3 3 Q12 5.5 21 3 V12 Q20.5 19 12 22.5 Q3.5 19 3 12 Z", STEEL, INK, 1.4)
    + path("M12 4.6 V22 M3.4 11 H20.6", "none", RED, 2.6),
    path("M8 17 L12.5 2.5 L17 9 L14.8 8.4 L16 17 Z", VIOLET, WHITE, 0.9)
    + path("M2 18.5 Q12 13.5 22 18.5 Q12 22.5 2 18.5 Z", VIOLET, WHITE, 0.9)
    + path("M8.4 15.6 Q12 14.2 15.8 15.6", "none", BRASS, 1.8),
    path("M3 19 L2 7 L7.5 12 L12 4 L16.5 12 L22 7 L21 19 Z", BRASS, DARK_BRASS, 1.3)
    + rectangle(3, 18.2, 18, 3.4, BRASS, DARK_BRASS, 1, 1.2)
    + circle(12, 15, 1.7, RED),
)

_COIN = path("M3 7 Q3 4 12 4 Q21 4 21 7 V10 Q21 13 12 13 Q3 13 3 10 Z", BRASS, DARK_BRASS, 1.3)
#: By special card: joker, sword, flute, pass, gold.
SPECIAL_SYMBOLS = (
    path("M4 15 Q2 6 7 5 Q9 8 12 9 Q12 4 17 3 Q21 6 19 15 Z", RED, INK, 1.1)
    + path("M12 9 Q11 12 12 15 H19 Q21 6 17 3 Q12 4 12 9 Z", STRAW, INK, 1.1)
    + circle(7, 5, 1.8, BRASS, INK, 0.8)
    + circle(17, 3.2, 1.8, BRASS, INK, 0.8)
    + rectangle(4, 15, 15, 5, WHITE, INK, 2, 1.1),
    path("M12 1 L14.2 4.5 V15 H9.8 V4.5 Z", STEEL, INK, 1.1)
    + path("M6.5 15.6 H17.5", "none", DARK_BRASS, 2.6)
    + path("M12 16.6 V21", "none", WOOD, 2.8)
    + circle(12, 21.8, 1.6, BRASS, DARK_BRASS, 0.8),
    path("M3 19.5 L19.5 3 L22 5.5 L5.5 22 Z", WOOD, INK, 1.1)
    + circle(9.5, 15.6, 1, STRAW)
    + circle(12.5, 12.6, 1, STRAW)
    + circle(15.5, 9.6, 1, STRAW),
    path("M4 6 H14 V2 L22 9 L14 16 V12 H4 Z", "#6fa0c8", INK, 1.2) + path("M4 20 H20", "none", INK, 2),
    placed(0, 9.5, 1, _COIN) + placed(0, 4.7, 1, _COIN) + _COIN + path("M8 8.5 H16", "none", DARK_BRASS, 1),
)

RAT = (
    path("M4.5 16.5 Q-0.5 14 3.5 9.5", "none", INK, 1.4)
    + path("M4 17.5 Q4.5 9 12.5 9 Q19 9.6 22 14.8 Q20.6 17.6 16.4 17.8 Z", INK)
    + circle(14, 8.8, 2.6, INK)
    + circle(14, 8.8, 1.2, "#c9b8a6")
    + circle(18.4, 13.2, 0.9, WHITE)
)
EYE = path("M2 12 Q12 3 22 12 Q12 21 2 12 Z", WHITE, INK, 1.8) + circle(12, 12, 3.8, INK)
NUN = (
    path("M3.5 22 Q4 8 12 2 Q20 8 20.5 22 Z", INK)
    + path("M7.5 13 Q7.5 6.5 12 6.5 Q16.5 6.5 16.5 13 Q16.5 18.5 12 18.5 Q7.5 18.5 7.5 13 Z", WHITE)
    + path("M8.8 12.6 Q8.8 9 12 9 Q15.2 9 15.2 12.6 Q15.2 17 12 17 Q8.8 17 8.8 12.6 Z", "#f0cfae")
    + circle(10.6, 12.6, 0.8, INK)
    + circle(13.4, 12.6, 0.8, INK)
)
CARDS = path("M3 6 L12 3.4 L16.4 18.6 L7.4 21.2 Z", WHITE, INK, 1.2) + rectangle(
    11, 5, 9.4, 15.8, "#d8c49a", INK, 1.2, 1.2
)
TOKEN = circle(12, 12, 10, BRASS, DARK_BRASS, 1.6) + path(
    "M12 4.6 L14.2 9.3 L19.3 9.9 L15.5 13.4 L16.6 18.5 L12 15.9 L7.4 18.5 L8.5 13.4 L4.7 9.9 L9.8 9.3 Z", WHITE
)
SKULL = (
    path("M12 2 Q21 2 21 11 Q21 15 17.5 16.6 V21 H6.5 V16.6 Q3 15 3 11 Q3 2 12 2 Z", BONE, HOLLOW, 1.2)
    + circle(8.4, 11, 2.5, HOLLOW)
    + circle(15.6, 11, 2.5, HOLLOW)
    + path("M12 13.6 L10.8 16 H13.2 Z", HOLLOW)
    + path("M9.8 18 V20.6 M12 18 V20.6 M14.2 18 V20.6", "none", HOLLOW, 1)
)
