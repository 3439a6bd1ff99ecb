"""Rattus Cartus."""

#: Rises with any change that may affect learning.
VERSION = 0
