"""What the game tells whoever plays: options and forms, set-up, sheets, status, guide, questions, ghosts."""
