"""Where pieces may stand: a free table, points of a grid, hexes, a rolling road. No game, no camera."""
