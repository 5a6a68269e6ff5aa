"""What the table answers: moves, rough ground, mines, the closest visible parts; guide and questions."""
