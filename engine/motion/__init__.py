"""A path of poses: its segments, how well they explain it, and where it may end."""
