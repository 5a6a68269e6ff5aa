"""What the game answers for pages: options, forms, sheets, status."""
