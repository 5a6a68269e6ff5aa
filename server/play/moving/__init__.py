"""Pieces moved by hand: what was seen of a move, measured of it, and where it may end."""
