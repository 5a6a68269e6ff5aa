"""What the book lists: classes, weapons, add-ons, warriors and numbers; what a fleet costs."""
