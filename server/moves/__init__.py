"""From rest to rest: which piece went which way. No game is known here."""
