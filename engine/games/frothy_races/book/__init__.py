"""The numbers and names of the book, the circuits, and what the book leaves open."""
