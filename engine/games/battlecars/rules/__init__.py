"""Lines on the board: what stops them, what stands on them. Whole numbers only."""
