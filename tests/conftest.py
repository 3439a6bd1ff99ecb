"""Lets the tests import what they share: the list of games and configurations."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "common"))
pytest.register_assert_rewrite("refereed")
