"""What a game looked like: its video and its stills."""
