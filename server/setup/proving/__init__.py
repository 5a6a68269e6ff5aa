"""The step Check: a sheet of paper or a strip, laid in three places, proves the table before a game."""
