"""What players do: set-up, speed checks, moves, attacks, rounds, giving up."""
