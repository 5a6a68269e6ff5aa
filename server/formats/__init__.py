"""How values leave the program: units, JSON records, JPEG pictures, whole files."""
