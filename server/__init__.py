"""From tracks to people: the referee, the page, the commands."""
