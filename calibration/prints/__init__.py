"""What is printed to scale: the sheets, the pen that draws them, and the bar that checks the printer."""
