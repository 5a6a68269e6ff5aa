"""Where the game stands, what each event changes, and one action being carried out."""
