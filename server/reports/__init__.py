"""The battle report: a recorded game told turn by turn, with maps, photos, dice and damage."""
