"""A night of play is small enough to keep, and every moment of it is found again."""

from __future__ import annotations

from pathlib import Path

from benchmarks.night import night
from benchmarks.record import play_night
from calibration.tablefile import parse_table
from server.recording.library.games import Library
from vision.simulate.variations import crowded_scene


def test_a_night_with_twenty_pieces_takes_less_than_sixty_megabytes(tmp_path: Path) -> None:
    scene = crowded_scene((1920, 1080), cars=20, printed_px=45, foreign=0, seed=3)
    table = parse_table(scene.to_toml(), "a drawn table")
    hours = 1 / 60
    with Library.open(tmp_path) as library:
        game, found = play_night(library, table, hours)
        assert found["pieces"] == 20
        assert found["tracks_mb"] < 40, "scaled to four hours"
        reader = library.reader(game)
        played = list(night(list(table.pieces), hours * 3600, 30))
        assert len(list(reader.times())) == len(played)
        for time, standings in played[::97]:
            at = reader.table_at(time)
            for seen in standings:
                back = at.find(seen.name)
                assert abs(back.pose.x - seen.pose.x) <= 0.00051
                assert abs(back.pose.y - seen.pose.y) <= 0.00051
                assert back.status is seen.status
