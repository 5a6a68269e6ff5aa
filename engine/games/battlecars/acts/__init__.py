"""What somebody does, what the camera saw of it (`recognised`), and what it begins."""
