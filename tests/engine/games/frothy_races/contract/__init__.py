"""What pages are answered."""
