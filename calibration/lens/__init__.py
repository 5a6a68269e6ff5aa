"""The lens: its model and files, the calibration target in the picture, the intrinsics from it."""
