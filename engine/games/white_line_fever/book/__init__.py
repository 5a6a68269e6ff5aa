"""What the book lists: weapons, brands, numbers, house rules, and what game this is."""
