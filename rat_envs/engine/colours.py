"""Light and dark: a drawing is written in its colours for the light, and its style says what they are in the dark.

A browser that prefers the dark follows the style by itself; pictures made of a drawing are asked for one or the other.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping

__all__ = ["BADGE", "DIM", "INK", "PAPER", "SHADE", "Dark", "dark_rules", "dark_style", "hash_in_policy", "style_in"]

#: What is written, what is written beside it, cards, and the lines around them; in the light.
INK, DIM, PAPER, SHADE = "#2b2a27", "#696356", "#fdfbf6", "#8d8676"
#: A ground of white numbers, in the light and in the dark.
BADGE = "#3c3832"


class Dark:
    """What colours of that name are in the dark."""

    INK, DIM, PAPER, SHADE = "#ece6d9", "#b9b09f", "#3d3931", "#6f6758"
    TABLE, PANEL = "#1f1d1a", "#2b2823"
    #: Words in the colours of seats: blue, red, green, purple, orange.
    SEATS = ("#8ab4ea", "#f09a92", "#86c893", "#c9a6e4", "#eba35a")


QUERY = "@media (prefers-color-scheme:dark){"


def dark_style(colours: Mapping[str, str], words: Mapping[str, str] | None = None) -> str:
    """The style of a drawing.

    Args:
        colours: what every colour that changes is in the dark, besides those above.
        words: the same for text, where it differs; paper stays as it is, as it is written on colours.
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
    """What a Content-Security-Policy calls a style or a script with this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def dark_rules(drawing: str) -> str:
    """The rules that hold in the dark, as CSS."""
    style = style_in(drawing)
    return style[len(QUERY) : -1] if style.startswith(QUERY) else ""
