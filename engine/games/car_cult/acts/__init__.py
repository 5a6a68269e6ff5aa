"""What somebody does: put down, activate, allocate, move, attack, swap, place damage."""
