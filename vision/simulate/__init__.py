"""Draws a table as a camera would see it, with the exact truth beside it."""
