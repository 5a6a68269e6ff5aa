"""What follows: shots, damage, skids, crashes."""
