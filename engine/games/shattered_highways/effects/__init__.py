"""What follows from what was done: damage, wounds, wrecks, rams and nudges, Lost Control, the edges."""
