"""A stated number that contradicts what is seen is settled: taken as the camera sees it, or measured anew."""
