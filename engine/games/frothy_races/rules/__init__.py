"""The rules as plain functions: boxes, ways, order, icons."""
