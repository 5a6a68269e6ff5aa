"""Whose device a seat is, and in whose name something is told."""

from __future__ import annotations

from engine.game.events import batches
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from server.formats.entries import MemoryLog
from server.play.host import MatchHost
from server.play.messages import Reveal, Sit
from server.web.authentication import Identity
from tests.server.fakes import SEDAN, SURFACE
from tests.server.play.test_host import ANNA, BEN, OWNER, act, begun, done, key


def exactly(name: str, pose: Pose) -> Standing:
    return Standing(Piece(name, "car", SEDAN), pose, PoseUncertainty.exact())


def test_a_ruling_says_whose_it_is_whatever_a_page_says() -> None:
    """The owner rules for Anna against a range that was measured: it is told as the owner's."""
    far = {"Red 1": Pose(5, 5, 0), "Blue 1": Pose(40, 40, 0)}
    stand = tuple(exactly(name, pose) for name, pose in far.items())
    host = begun(None, lambda: TableState(1.0, SURFACE, stand))
    for kind, data in (("choose", {"car": "Red 1"}), ("move", {"car": "Red 1"})):
        done(act(host, OWNER, kind, **data))
    shot = {"weapon": "Machine Gun", "target": "Blue 1", "ruled": {"Maximum Range": "yes"}}
    for name in ("Ben", "Anna", "the owner of the table"):
        assert not act(host, ANNA, "shoot", **shot, ruled_by=name).accepted
    done(act(host, OWNER, "shoot", player="Anna", ruled_by="Ben", **shot))
    assert host.match is not None
    (ruling,) = (e for e in host.match.log if e.kind == "ruled")
    assert ruling.data["by"] == "the owner of the table"
    (said,) = (e for e in batches(host.match.log)[-1] if e.kind == "said")
    assert said.words.startswith("the owner of the table says, not measured: Maximum Range: yes (the table: ")


def test_a_device_whose_pass_is_gone_leaves_its_seat() -> None:
    kept = MemoryLog()
    host = begun(kept)
    woken: list[int] = []
    host.watch(lambda: woken.append(host.number))
    host.vacate("nobody's")
    assert woken == []
    host.vacate(ANNA.device)
    assert woken == [host.number]
    assert (host.player_of(ANNA), host.player_of(BEN)) == (None, "Ben")
    assert kept.entries[-1].words == "Anna's seat is free. The pass of that device is good no more."
    other = Identity("player", "another phone")
    done(host.ask(other, Sit(type="sit", key=key(), player="Anna")))
    again = MatchHost()
    again.restore(kept.entries)
    assert (again.player_of(ANNA), again.player_of(other)) == (None, "Anna")


def test_a_phone_without_a_seat_reveals_nothing_and_types_no_die() -> None:
    host, other = begun(None), Identity("player", "another phone")
    for dice in (None, [6]):
        refused = host.ask(other, Reveal(type="reveal", key=key(), dice=dice))
        assert not refused.accepted
        assert "take a seat" in str(refused.error)
    assert host.ask(ANNA, Reveal(type="reveal", key=key())).accepted


def test_with_new_links_every_seat_is_free() -> None:
    kept = MemoryLog()
    host = begun(kept)
    begun(None).vacate_all()
    again = MatchHost(kept)
    again.restore(kept.entries)
    assert again.player_of(ANNA) == "Anna"
    again.vacate_all()
    assert (again.player_of(ANNA), again.player_of(BEN), again.seats.taken) == (None, None, frozenset())
    assert kept.entries[-1].words == "Ben's seat is free. The links were made anew."
    done(again.ask(Identity("player", "another phone"), Sit(type="sit", key=key(), player="Anna")))
    length, empty = len(kept.entries), MatchHost(kept)
    empty.vacate_all()
    assert len(kept.entries) == length
    assert host.player_of(BEN) == "Ben"


def test_who_came_in_to_look_has_no_seat_even_on_a_players_device() -> None:
    host = begun()
    assert host.player_of(Identity("spectator", ANNA.device)) is None
    assert host.player_of(ANNA) == "Anna"
