"""The race on the table: what the camera saw, and what screens show."""
