"""Disputes of recorded games: put away, listed, and evidence of any moment."""
