"""How far, in which arc, who sees whom, what is touched on the way: value, deviation, margin, witness."""
