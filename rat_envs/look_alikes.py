"""What is printed for letters that the output's encoding lacks: something that looks like them, if there is any."""

from __future__ import annotations

import codecs

__all__ = ["IN_ASCII", "LOOK_ALIKES"]

#: The name of the error handler, for ``reconfigure(errors=…)``.
LOOK_ALIKES = "rat_envs.look_alikes"
#: Ours, those of Markdown as rich sets it, and those that frames of its tables and of help are made of.
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
    """A handler of :mod:`codecs`: what to write in place of letters, and where to go on; other letters by their number.

    Raises:
        UnicodeError: it is one of reading.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    written = (IN_ASCII.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters)
    return "".join(written), error.end


codecs.register_error(LOOK_ALIKES, in_look_alikes)
