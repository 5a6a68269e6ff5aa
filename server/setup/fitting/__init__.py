"""A named piece measured with the camera: how its tag sits on it, and its outline."""
