"""Seats that the machine has: what it wants to do, says and does there, like anybody with a phone."""
