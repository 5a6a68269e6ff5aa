"""What follows: damage, explosions, what a move meets, attack rolls."""
