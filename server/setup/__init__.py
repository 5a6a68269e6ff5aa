"""Getting a table ready: sources, lens calibration, the proof of inches, the doctor."""
