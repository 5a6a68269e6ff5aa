"""What somebody does: each act with its check and what it begins."""
