"""The table under one camera through time: averaged while it hangs still, followed while it moves."""
