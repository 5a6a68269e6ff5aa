"""The file of a dispute: one account, as HTML and as PDF."""
