"""Where the pictures come from: the camera that is chosen, how it is set, and a phone as a camera."""
