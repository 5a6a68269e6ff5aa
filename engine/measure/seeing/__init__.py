"""How much is seen, and how far it is between the closest parts that see each other."""
