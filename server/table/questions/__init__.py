"""What is asked of the table, and what is ruled: live, in messages, from the record."""
