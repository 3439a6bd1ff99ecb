"""Games that were played, to be looked at again: in one file for a browser, or in a notebook."""
