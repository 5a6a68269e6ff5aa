"""The numbers and names of the notes, and what a car is built of within the Build Limit."""
