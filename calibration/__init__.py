"""From pixels to inches: the lens, the surface, the table file, the prints."""
