"""The kinds of sources, one module a kind; `vision.source` opens them."""
