"""Keeps every game: what happened, where everything stood, what it looked like.

`library.Library` holds the games; `journal.Journal` writes one, each entry on the disk before
anybody is told; `reader.Reader` reads one.
"""
