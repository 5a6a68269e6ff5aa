"""frame -> detections: which tags are in the picture, where exactly, and which one is which."""
