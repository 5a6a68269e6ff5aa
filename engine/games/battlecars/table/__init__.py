"""What the camera saw, as points and facings; what is drawn on the table."""
