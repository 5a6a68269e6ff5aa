"""The command line, one module a subject."""
