"""Lets the tests of BraveRats import their helpers and their second referee, with pytest's detailed assertions."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("brave_rats_helpers", "brave_rats_referee")
