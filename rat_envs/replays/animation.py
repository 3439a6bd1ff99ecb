"""A game as an animated picture, GIF or WebP: the frames of one view, one after the other."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rat_envs.engine.archive import write_file
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import EVERYTHING
from rat_envs.engine.raster import demand_packages, rasterise
from rat_envs.replays.frames import Played, checked_views

__all__ = ["FORMATS", "Animation", "make_animation", "write_animation"]

#: Pillow's names of the formats, by suffix.
FORMATS = {".gif": "GIF", ".webp": "WEBP"}
#: The number of colours of a GIF; one more is left for what stays the same from frame to frame.
COLOURS = 255
#: The number of frames from which the colours of a GIF are taken.
SAMPLED = 8
#: The last frame is shown this many times as long as the others.
LAST = 4
#: The longest time of a frame in milliseconds; a GIF has sixteen bits for hundredths of a second.
LONGEST_IN_GIF = 655_350


@dataclass(frozen=True)
class Animation:
    """How a game is shown.

    Attributes:
        view: the name of the view: ``player_0`` and so on, ``public``, or ``all``, in which nothing is hidden.
        width: its width in pixels; that of the drawing, if not given.
        seconds: how long each frame is shown; the last one longer.
        dark: whether to use dark colours.
    """

    view: str = EVERYTHING
    width: int | None = None
    seconds: float = 1.0
    dark: bool = False


def write_animation(
    path: str | Path,
    record: dict[str, Any],
    how: Animation | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[int, int]:
    """Write a game as an animated picture, in the format of the path's suffix.

    Args:
        path: the file, which ends with ``.gif`` or ``.webp``.
        record: a record from :meth:`~rat_envs.engine.records.Recorder.record`.
        how: how it is shown.
        progress: called with the number of frames drawn and the total.

    Returns:
        The number of frames, and of bytes.

    Raises:
        ConfigurationError: the suffix is another, or the game has no such view.
        MissingExtraError: the packages that draw are not installed.
        RecordError: the record is damaged, of another version, or breaks a rule.
        OSError: the file cannot be written; it stays as it was.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ConfigurationError(f"{shown(str(path))}: an animated picture ends with {' or '.join(FORMATS)}.")
    number, content = make_animation(record, how, FORMATS[suffix], progress)
    write_file(path, content)
    return number, len(content)


def make_animation(
    record: dict[str, Any],
    how: Animation | None = None,
    picture_format: str = "GIF",
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[int, bytes]:
    """The number of frames, and the file's content; arguments and errors are those of :func:`write_animation`."""
    demand_packages()
    from PIL import Image

    how = how or Animation()
    played = Played(record)
    if how.view == EVERYTHING:
        played.game.demand_everything()
    drawings = _different(played, checked_views([how.view], played.players)[0])
    times = [round(1000 * how.seconds)] * (len(drawings) - 1) + [round(LAST * 1000 * how.seconds)]
    if picture_format == "GIF":
        times = [min(time, LONGEST_IN_GIF) for time in times]
        colours = _palette([_picture(drawings[place], how) for place in _spread(len(drawings))])
        pictures = (_picture(drawing, how).quantize(palette=colours, dither=Image.Dither.NONE) for drawing in drawings)
        options: dict[str, Any] = {"optimize": True}  # later frames contain only what has changed
    else:
        pictures = (_picture(drawing, how) for drawing in drawings)
        options = {"lossless": True, "quality": 50, "method": 3}
    counted = _counted(pictures, len(drawings), progress)
    buffer = io.BytesIO()
    first = next(counted)
    first.save(buffer, picture_format, save_all=True, append_images=counted, duration=times, loop=0, **options)
    return len(drawings), buffer.getvalue()


def _different(played: Played, view: str) -> list[str]:
    """The drawings of a view, without repetitions of the one before."""
    drawings: list[str] = []
    for frame in played.frames(view):
        if not drawings or frame.drawings[0] != drawings[-1]:
            drawings.append(frame.drawings[0])
    return drawings


def _spread(number: int) -> list[int]:
    """Some places from the first to the last."""
    return sorted({round(place * (number - 1) / (SAMPLED - 1)) for place in range(SAMPLED)})


def _picture(drawing: str, how: Animation) -> Any:
    from PIL import Image

    return Image.fromarray(rasterise(drawing, how.width, how.dark))


def _palette(pictures: Sequence[Any]) -> Any:
    """A picture whose palette is the most frequent colours of these pictures: even backgrounds keep their colour
    exactly."""
    from PIL import Image

    height = pictures[0].height
    column = Image.new("RGB", (pictures[0].width, height * len(pictures)))
    for place, picture in enumerate(pictures):
        column.paste(picture, (0, place * height))
    found: Any = column.getcolors(column.width * column.height)
    colours = Image.new("P", (1, 1))
    colours.putpalette([part for _, colour in sorted(found, reverse=True)[:COLOURS] for part in colour])
    return colours


def _counted(pictures: Iterator[Any], total: int, progress: Callable[[int, int], None]) -> Iterator[Any]:
    for number, picture in enumerate(pictures, 1):
        progress(number, total)
        yield picture
