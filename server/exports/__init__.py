"""A recorded game for other programs: whole and exact, as a table, as a recording, as a film."""
