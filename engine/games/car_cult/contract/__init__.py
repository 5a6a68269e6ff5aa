"""What the game tells whoever plays: builder, options and forms, component cards, status."""
