"""The golden games cover the book, and end as it says."""

from __future__ import annotations

from engine.game.events import batches
from engine.games.shattered_highways.book.data import CLASSES, WEAPONS
from tests.engine.games.shattered_highways.playing import GAME
from tests.engine.games.suite import golden

GOLDEN = golden(GAME)
of = GOLDEN.of


def test_the_duel_ends_as_the_book_says():
    # Followed by hand. Red 1: the Nudge is stopped by armor on the left; of the Ram 3 less armor on the
    # front come back; the wreck costs it 1; a shot at a warrior does nothing. Blue 1: 1 for the Nudge,
    # 11 and 1 for a Truck less armor on the rear, 1 back of its Ram into Red 2.
    state = GOLDEN.matches["duel"].state
    left = {v.name: (v.hits, v.status) for v in state.vehicles}
    assert left["Red 1"] == (32, "driving")
    assert left["Red 2"] == (0, "destroyed")
    assert left["Blue 1"][0] == 25 - 1 - 11 - 1 - 2
    assert state.scroll == 10.0


# What the games cover


def test_every_class_and_weapon():
    states = [log[0].data["state"]["vehicles"].values() for log in GOLDEN.logs.values()]
    assert {v["kind"] for found in states for v in found} == set(CLASSES)
    assert {e.data["weapon"] for e in of("shot")} == set(WEAPONS)
    arcs = {m["arc"] for found in states for v in found for m in v["mounts"]}
    assert arcs == {"fore", "aft", "left", "right"}


def test_every_add_on_makes_a_difference():
    words = {e.data["why"] for e in of("modified")}
    assert {"behind Drag Chains", "armor on the front of Red 1", "armor on the rear of Blue 1"} <= words
    assert of("launched")
    assert any("Reinforcements" in e.words for e in of("kept"))


def test_every_named_modifier():
    words = {e.data["why"] for e in of("modified")}
    assert {
        "changed position this round", "took over driving this round", "held on this round",
        "behind Drag Chains", "leaps off a wreck", "aims at one half of a Rig", "leaves a destroyed Rig",
        "veers into it", "meets an unmanned vehicle", "a Truck rams a Car", "a Rig rams a Car",
    } <= words  # fmt: skip


def test_a_sideswipe_of_several_and_a_nudge_of_one_into_others():
    swiped = [
        [e.data["target"] for e in batch if e.kind == "ram"]
        for log in GOLDEN.logs.values()
        for batch in batches(log)
    ]
    assert max(map(len, swiped)) == 2
    assert any(e.data["duty"]["kind"] == "struck" for e in of("owed"))
    assert {e.data["by"] > 0 for e in of("nudge")} >= {True}


def test_the_highest_roll_against_a_one():
    assert any(e.data["crush"] for e in of("ram"))


def test_decoupling_in_vain_and_done():
    assert {e.data["success"] for e in of("decouple")} == {True, False}
    assert of("uncoupled")
    assert of("trailer lost")


def test_a_vehicle_is_unmanned_and_one_is_captured():
    assert {e.data["value"] <= 3 for e in of("checked")} == {True, False}
    assert {e.data["duty"]["kind"] for e in of("owed")} >= {"fall back", "lost", "veer", "deployed", "leap"}
    (first, *_) = of("captured")
    assert first.data == {"vehicle": "Blue 1", "player": "Red", "was": "Blue"}


def test_both_edges_and_the_shift_of_the_fleet():
    assert of("shifted")
    late = [e for e in of("played") if e.data["late"]]
    assert late
    assert any(e.data["status"] == "gone" for e in of("gone")), "one drops too far back"
    back = {e.data["vehicle"] for e in of("drove") if e.data["success"]} & {e.data["vehicle"] for e in late}
    assert back, "one gets back onto the road"


def test_clinging_in_every_way():
    assert {e.data["result"] for e in of("cling")} == {"stays", "holds", "falls"}
