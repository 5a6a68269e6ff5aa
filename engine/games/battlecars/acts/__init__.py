"""What somebody does: begin, choose a speed, move, fire, walk."""
