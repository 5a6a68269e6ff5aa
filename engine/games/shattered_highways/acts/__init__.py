"""What somebody does, and what it begins."""
