"""Frame to moment: the referee's steps in order, the threads that run them, and where frames come from."""
