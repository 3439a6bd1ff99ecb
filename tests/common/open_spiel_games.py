"""Our games out of OpenSpiel's registry; who imports this is skipped where OpenSpiel is not installed."""

from __future__ import annotations

import json
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel")

from rat_envs.api.openspiel import openspiel_name  # noqa: E402


def load(game: str, parameters: dict[str, Any]) -> Any:
    """A game of OpenSpiel's, by a mapping of parameters, as a user who has tables gives it."""
    texts = {name: value if isinstance(value, str | int) else json.dumps(value) for name, value in parameters.items()}
    return pyspiel.load_game(openspiel_name(game), texts)
