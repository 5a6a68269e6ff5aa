"""Seals: what is taken under one, whether a file is as it was sealed, and what that proves."""
