"""Light and dark mode: a drawing is written in its light colours, and its style says what they are in dark mode.

A browser in dark mode follows the style by itself; a picture of a drawing is requested in one mode or the other.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

__all__ = ["BADGE", "DIM", "INK", "PAPER", "SHADE", "Dark", "dark_rules", "dark_style", "hash_in_policy", "style_in"]

#: Text, secondary text, cards, and the lines around them; in light mode.
INK, DIM, PAPER, SHADE = "#2b2a27", "#696356", "#fdfbf6", "#8d8676"
#: The background of white numbers, in both modes.
BADGE = "#3c3832"


class Dark:
    """The colours of these names in dark mode."""

    INK, DIM, PAPER, SHADE = "#ece6d9", "#b9b09f", "#3d3931", "#6f6758"
    TABLE, PANEL = "#1f1d1a", "#2b2823"
    #: Text in the colours of seats: blue, red, green, purple, orange.
    SEATS = ("#8ab4ea", "#f09a92", "#86c893", "#c9a6e4", "#eba35a")


QUERY = "@media (prefers-color-scheme:dark){"


def dark_style(colours: Mapping[str, str], words: Mapping[str, str] | None = None) -> str:
    """The style of a drawing.

    Args:
        colours: the dark colour for every light one that changes, besides those above.
        words: the same for text, if it differs; text in the colour of paper stays as it is, since it is written on
            colours.
    """
    colours = {INK: Dark.INK, DIM: Dark.DIM, PAPER: Dark.PAPER, SHADE: Dark.SHADE, **colours}
    rules = [f'[fill="{light}"]{{fill:{dark}}}[stroke="{light}"]{{stroke:{dark}}}' for light, dark in colours.items()]
    rules += [f'text[fill="{light}"]{{fill:{dark}}}' for light, dark in {PAPER: PAPER, **(words or {})}.items()]
    return f"<style>{QUERY}{''.join(rules)}}}</style>"


def style_in(drawing: str) -> str:
    """The text of a drawing's style; empty if it has none."""
    found = re.search(r"<style>(.*?)</style>", drawing, re.DOTALL)
    return found[1] if found else ""


def hash_in_policy(text: str) -> str:
    """The name in a Content-Security-Policy of a style or a script with this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def dark_rules(drawing: str) -> str:
    """The CSS rules for dark mode."""
    style = style_in(drawing)
    return style[len(QUERY) : -1] if style.startswith(QUERY) else ""
