"""Lets the tests of pictures import the games that they draw."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
