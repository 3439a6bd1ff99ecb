"""What Griffe does to docstrings before mkdocstrings shows them: Sphinx's roles become code."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:func|class|meth|attr|mod|data|exc):`(~?)([\w.]+)`")


class Roles(griffe.Extension):
    """``:func:`~rat_envs.make` `` is shown as `make`."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring:
            obj.docstring.value = ROLE.sub(shown, obj.docstring.value)


def shown(match: re.Match[str]) -> str:
    """A role as code: with ``~`` the last part of the name alone."""
    name = match.group(2)
    return f"`{name.rpartition('.')[2] if match.group(1) else name}`"
