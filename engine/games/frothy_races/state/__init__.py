"""Where a race stands, and what each event changes."""
