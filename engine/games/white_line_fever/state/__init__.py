"""Where the game stands: its state, what changes it, what the table surely knows."""
