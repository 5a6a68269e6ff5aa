"""The contract of a game, its match, and its dice."""
