"""What the book asks of the table: shots, manoeuvres, contacts, lawful ends, displacements."""
