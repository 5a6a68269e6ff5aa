"""The commands about recorded games and their disputes."""
