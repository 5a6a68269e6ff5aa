"""The tables that are kept on this computer, and their files while somebody edits them."""
