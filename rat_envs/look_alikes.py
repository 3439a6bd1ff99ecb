"""Replacements for characters that the output's encoding lacks: similar ones, if there are any."""

from __future__ import annotations

import codecs

__all__ = ["IN_ASCII", "LOOK_ALIKES"]

#: The name of the error handler, for ``reconfigure(errors=…)``.
LOOK_ALIKES = "rat_envs.look_alikes"
#: The characters of our own texts, of rich's Markdown, and of the frames of its tables and of help.
IN_ASCII = {
    **dict.fromkeys("–—−‑─━═", "-"),
    **dict.fromkeys("│┃║▌", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛┡┩┢┳┻╇╈╔╗╚╝", "+"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”", '"'),
    **{"…": "...", "·": ".", "•": "*", "❱": ">", "→": "->", "←": "<-", "\N{NO-BREAK SPACE}": " "},
    **{"×": "x", "±": "+/-", "≤": "<=", "≥": ">=", "√": "sqrt ", "²": "^2", "λ": "lambda"},
    "\N{REPLACEMENT CHARACTER}": "?",
}


def in_look_alikes(error: UnicodeError) -> tuple[str, int]:
    """An error handler of :mod:`codecs`: the text in place of characters (by number, if none is similar), and where to
    go on.

    Raises:
        UnicodeError: it is an error of reading.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    written = (IN_ASCII.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return "".join(written), error.end


codecs.register_error(LOOK_ALIKES, in_look_alikes)
