"""The command line's larger parts, one module a subject."""
