"""Pictures from SVG: what ``render_mode="rgb_array"`` shows."""

from __future__ import annotations

import functools
import importlib.util
import io
from pathlib import Path

import numpy as np

from rat_envs.engine.colours import dark_rules
from rat_envs.engine.errors import needing

__all__ = ["can_rasterise", "demand_packages", "rasterise"]

#: The packages that draw pictures.
PACKAGES = ("font_manrope", "resvg_py", "PIL")

#: A font from the package index, not one of the machine's own: on a bare machine text would be silently missing, and
#: with this one a drawing gives the same picture everywhere. It has Latin letters, no suits and no arrows but ← and →:
#: draw such signs as shapes.
FONT_FAMILY = "Manrope"
FONT_FILES = ("Manrope-Regular.ttf", "Manrope-Bold.ttf")


@functools.cache
def can_rasterise() -> bool:
    """Whether the packages that draw are installed; they are not imported."""
    return all(importlib.util.find_spec(package) is not None for package in PACKAGES)


def demand_packages() -> None:
    """Demand the packages that draw.

    Raises:
        MissingExtraError: one is not installed.
    """
    with needing("Drawing pictures", "render"):
        for package in PACKAGES:
            importlib.import_module(package)


def rasterise(svg: str, width: int | None = None, dark: bool = False) -> np.ndarray:
    """The picture of an SVG document: (H, W, 3) uint8, white where nothing is drawn.

    Args:
        svg: the document.
        width: of the picture in pixels; the document's own, if not given.
        dark: whether it has the colours of the document's style for dark mode.

    Raises:
        MissingExtraError: the packages that draw are not installed.
    """
    demand_packages()
    import font_manrope
    import resvg_py
    from PIL import Image

    folder = Path(font_manrope.__file__).parent / "files"
    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        background="#ffffff",
        width=width,
        style_sheet=dark_rules(svg) if dark else None,
        skip_system_fonts=True,
        font_files=[str(folder / name) for name in FONT_FILES],
        font_family=FONT_FAMILY,
        sans_serif_family=FONT_FAMILY,
    )
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"))
