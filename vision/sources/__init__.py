"""The kinds of sources, one module a kind; `vision.source` is the door to them."""
