"""SVG of tables and measurements, and what a gunner sees."""
