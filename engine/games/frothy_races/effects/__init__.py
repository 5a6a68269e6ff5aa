"""What follows from a roll or a move: damage, loss of control, collisions."""
