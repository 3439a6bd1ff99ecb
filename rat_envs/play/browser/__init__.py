"""The table in the browser: a server on this computer, and a page for each seat."""
