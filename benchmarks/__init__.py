"""What is measured against truth and against peers, not asserted."""
