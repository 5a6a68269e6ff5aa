"""The rules of the book: how a piece may move (`moves`), what it meets, strikes and hurts."""
