"""The library of recorded games: its database, its tables, and who may write."""
