"""What the book asks of dice and of the table: modifiers, and who is near, behind or in the way."""
