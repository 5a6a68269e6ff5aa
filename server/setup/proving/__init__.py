"""The step Check: a sheet of paper laid in three places proves the inches before the first game."""
