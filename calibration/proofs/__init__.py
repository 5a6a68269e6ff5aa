"""Proof of a table: what a strip or a sheet of known size measures on it, held against what it is."""
