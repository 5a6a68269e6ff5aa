"""What has happened in a match: its log and fold, sealed choices, ways into a state."""
