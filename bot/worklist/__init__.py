"""Failures that nothing explains, gathered over many issues into a list of what to write a signature for next."""
