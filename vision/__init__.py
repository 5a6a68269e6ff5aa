"""From frames to tracks: sources, tags, places, tracking, and a simulated table."""
