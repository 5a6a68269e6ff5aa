"""What follows: damage, explosions, Collisions, tokens, specials, displaced cars."""
