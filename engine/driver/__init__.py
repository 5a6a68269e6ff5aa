"""A player for an empty seat: what may be tried, how good it is, and what is done."""
