"""See a recorded game again, ask again, rule it again."""
