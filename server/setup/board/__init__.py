"""Where the board lies that a game is played on: put on the picture, written into the table file."""
