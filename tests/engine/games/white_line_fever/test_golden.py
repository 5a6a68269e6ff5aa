"""The golden games cover the book, and end as it says; what else only White Line Fever is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.game.events import Event, batches
from engine.games.white_line_fever.book.data import BRANDS, WEAPONS
from tests.engine.games.suite import golden
from tests.engine.games.white_line_fever import drawn_table
from tests.engine.games.white_line_fever.playing import GAME, begun, drive, sheet
from tests.engine.tables import car, table
from tests.volume import DEEP, volume

GOLDEN, BOOK = golden(GAME), "White Line Fever 0.9 · "
of = GOLDEN.of


def stays() -> Iterator[list[Event]]:
    """The batches of all games, from each action on."""
    for log in GOLDEN.logs.values():
        yield from batches(log)


def test_the_duel_ends_as_the_book_says():
    # Followed by hand: 4 of the Shock Gun, 3 in the Collision, 2 of the Oil; 1 of the Long Horn and 5 boxes
    # of the cannon's 6.
    state = GOLDEN.matches["duel"].state
    red, blue = state.car("Red 1"), state.car("Blue 1")
    assert (red.marked, red.status, blue.marked, blue.status, blue.speed) == (6, "wreck", 9, "driving", 3)
    assert (state.winner, state.deployment) == ("Blue", "highway")


def test_the_chain_leaves_nobody():
    state = GOLDEN.matches["chain"].state
    assert state.winner is None
    assert {c.status for c in state.cars} == {"removed"}
    assert [e.data["car"] for e in GOLDEN.logs["chain"] if e.kind == "blast"] == [
        "Blue 1", "Blue 2", "Green 1", "Red 1", "Green 2",
    ]  # fmt: skip


def test_the_burst_ends_as_the_book_says():
    state = GOLDEN.matches["burst"].state
    assert [(c.name, c.marked, c.status) for c in state.cars] == [
        ("Red 1", 2, "driving"), ("Blue 1", 3, "wreck"), ("Blue 2", 3, "removed"),
    ]  # fmt: skip
    assert (state.winner, state.top_speed(state.car("Red 1"))) == ("Red", 6)


# What the games cover


def test_every_weapon_hits_or_is_driven_over():
    hit = set()
    for batch in stays():
        shots = [e.data["weapon"] for e in batch if e.kind == "shot"]
        if shots and any(e.kind == "hit" for e in batch):
            hit.add(shots[0])
    run_over = {e.data["weapon"] for e in of("triggered")}
    assert hit | run_over == set(WEAPONS)
    assert {e.data["weapon"] for e in of("dropped")} == run_over
    assert of("missed")


def test_every_special():
    told = {e.data["weapon"] for e in of("special")}
    assert told == {
        "Tank Cannon", "Field Cannon", "Plasma Gun", "Nail Blaster", "Long Horn", "Disruptor", "Slammer",
        "Harpoon", "Oil", "Springboard", "Spikes", "Firebomb", "Barricade",
    }  # fmt: skip
    reached = {e.data["weapon"] for e in of("shot") if e.data["reached"]}
    assert reached == {"Railgun", "Grenade Launcher"}
    spent = {w for e in of("shot") for w in e.data["spent"]}
    assert spent == {"Mark 9 Javelin"}
    modified = {e.words for e in of("modified")}
    assert {
        "Streetsweeper +2 Accuracy", "Streetsweeper -1 Accuracy", "Plinker -1 Accuracy", "Dirtnap +1 damage",
        "Short Range +1 Accuracy", "Short Range +1 damage", "Tailgate +1 Accuracy", "Tailgate +1 damage",
    } <= modified  # fmt: skip


def test_every_brand_makes_a_difference():
    cited = Counter(e.citation for e in GOLDEN.events if e.kind != "sheet")
    for brand in ("Essence", "Hammer", "Pulsar"):
        assert cited[f"{BOOK}Brands · {brand}"], brand
    sheets = {e.citation.rsplit(" · ", 1)[1] for e in of("sheet")}
    assert sheets == set(BRANDS)


def test_every_type_of_collision():
    seen = set()
    for log in GOLDEN.logs.values():
        wrecks: set[str] = set()
        owner = {c["name"]: c["owner"] for c in log[0].data["state"]["cars"].values()}
        for batch in batches(log):
            for event in batch:
                if event.kind == "destroyed":
                    wrecks.add(event.data["car"])
                if event.kind != "collision":
                    continue
                cars, obstacles = event.data["cars"], event.data["obstacles"]
                seen |= set(event.data["kinds"].values())
                seen.add(f"{len(cars)} cars")
                seen |= {"obstacle"} if obstacles else set()
                seen |= {"wreck"} if wrecks & set(obstacles) else set()
                seen |= {"barricade"} if any("Barricade" in o for o in obstacles) else set()
                seen |= {"own car"} if len(cars) > 1 and len({owner[c] for c in cars}) < len(cars) else set()
                seen |= {"displaced"} if any(e.kind == "placed" for e in batch) else set()
                seen |= {"lost control"} if any("driven by" in e.words for e in batch) else set()
    assert seen >= {
        "head-on", "T-bone", "shunt", "sideswipe", "1 cars", "2 cars", "3 cars", "obstacle", "wreck",
        "barricade", "own car", "displaced", "lost control",
    }  # fmt: skip


def test_every_way_out_of_the_game():
    assert {e.data["status"] for e in of("destroyed")} == {"wreck", "removed"}
    assert of("left")
    assert any({"blast", "destroyed"} <= {e.kind for e in batch} for batch in stays())
    assert {bool(e.data["winner"]) for e in of("over")} == {True, False}


def test_floor_it_by_a_check_for_free_and_lost():
    assert max(e.data["manoeuvre"] for e in of("floored")) >= 4
    assert of("lost control")
    assert {e.citation for e in of("floored")} == {
        f"{BOOK}Floor It · Hazard Check",
        f"{BOOK}Floor It · Last Car Standing",
    }


# Besides


def test_what_options_cite_stands_in_the_book():
    match = begun(sheet("Red 1", "Red", "Plinker", "Railgun"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 47, 10))
    for option in match.options(on):
        for citation in (option.citation, *(r.citation for r in option.not_now)):
            assert citation.removeprefix(f"{GAME.about.book} · ") in GAME.about.sections


def test_its_own_words():
    words = set(GAME.about.words)
    assert {"Tailgate", "Hazard Check", "Floor It", "Spin Out", "lost control"} <= words
    assert set(WEAPONS) <= words


def test_random_games_on_a_drawn_table_come_to_their_end():
    seen = {event.kind for number in (1, 41)[: volume(1, 2)] for event in drawn_table.play(number).log}
    # What the table cannot tell is settled in the second one.
    settled = {"ruled"} if DEEP else set()
    assert settled | {"target", "placed", "collision", "left", "triggered", "blast"} <= seen
