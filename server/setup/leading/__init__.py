"""What is to be done next on the set-up page, in one sentence."""
