"""Where the game stands, and what each event changes."""
