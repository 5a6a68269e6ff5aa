"""The numbers and names of the book, the vehicles, and what the book leaves open."""
