"""Blast radius: which answers differ between two revisions of the catalogue, read by the same engine."""
