"""The picture of a simulated table: camera, surfaces, solids, tags, light."""
