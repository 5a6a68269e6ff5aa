"""Paper for the table that is being set up: what to print, and in which size it will be read."""
