"""What players are asked and shown."""
