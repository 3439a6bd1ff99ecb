"""Lets the tests of Rattus Cartus import their second referee and other helpers, with pytest's detailed assertions."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
pytest.register_assert_rewrite("rattus_cartus_referee", "rattus_cartus_checks", "rattus_cartus_helpers")
