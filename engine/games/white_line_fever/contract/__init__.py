"""What the game answers besides its rules: options, forms, guide, questions, status, sheets and marks."""
