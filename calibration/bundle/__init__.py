"""Camera, lens, print scale and tag places solved together, and what contradicts what was stated."""
