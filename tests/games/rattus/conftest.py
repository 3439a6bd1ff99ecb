"""Lets the tests of Rattus import what they share, with pytest's detailed assertions."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("rattus_helpers", "rattus_referee")
