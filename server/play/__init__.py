"""A game at a table: the host of its match, seats, set-up, messages and sheets."""
