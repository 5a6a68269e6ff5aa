"""What the table answers: the template, moves, contacts, displacements, ranges. Measured, no match known."""
