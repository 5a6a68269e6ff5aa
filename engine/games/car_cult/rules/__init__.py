"""What the table says by the notes: the closest visible parts, who is near, a move ruled."""
