"""What events tell besides their words."""

from __future__ import annotations

from tests.engine.games.white_line_fever.playing import begun, do, drive, sheet


def test_events_name_their_pieces_and_have_a_tone():
    match = begun(
        sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue")
    )
    drive(match, "Red 1")
    events = do(match, "shoot", (8,), weapon="Railgun", target="Blue 1", band="short", reached=["Blue 2"])
    about = {e.kind: (e.pieces, e.tone) for e in events}
    assert about["shot"] == (("Red 1", "Blue 1", "Blue 2"), "attack")
    assert about["roll"] == (("Red 1",), "dice")
    assert about["hit"] == (("Red 1", "Blue 1"), "good")
    assert about["damaged"] == (("Blue 2",), "bad")
    assert not any(e.barrier for e in events)
