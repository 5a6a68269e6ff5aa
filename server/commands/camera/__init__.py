"""The commands about the camera: which there are, how well one sees, its lens, the proof of inches."""
