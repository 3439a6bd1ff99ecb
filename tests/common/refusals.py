"""Mistakes in a configuration, and the sentence that names them."""

from typing import Any

import pytest

from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.position import Position


def refusal(game: Game, **config: Any) -> str:
    """What is right, out of the one sentence with which a configuration of one option is refused."""
    with pytest.raises(ConfigurationError) as error:
        Position(game, config)
    sentence = str(error.value)
    (name,) = config
    assert sentence.startswith(f"{name}=")
    assert sentence.count("\n") == 0
    assert sentence.endswith(".")
    assert len(sentence) < 300
    repeated, _, right = sentence.partition(": must be ")
    assert len(repeated) < 110
    return right
