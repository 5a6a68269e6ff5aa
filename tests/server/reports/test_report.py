"""The battle report: what it tells, and that its files hold it."""

from __future__ import annotations

import io
import re
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pypdfium2
import pytest
from PIL import Image
from sqlalchemy import update

from engine.drawing.svg import BLOCKED, PALE
from engine.game.contract import Worth
from engine.game.dice import TypedDice
from engine.game.events import Action, Event, Tone, event_to_json
from engine.game.match import Match
from engine.game.showing import Box, Counter, Left, Place, Sheet, Slots, Status, Track, Widget
from engine.games.battlecars.state import EVENTS as BATTLECARS
from engine.space.geometry import Region
from engine.space.table import Standing, TableState
from server.formats.entries import Entry
from server.play.host import MatchHost
from server.play.messages import Concede, Overrule, Request, Undo
from server.recording.journal import Recorded
from server.recording.library import schema
from server.recording.library.games import Library
from server.reports.account import Chapter, Report, _Told, fought, left_on, outcome, played_words, tell
from server.reports.drawings import CHART_SCALE, ROW_IN, chart_of, colours, map_of
from server.reports.html import html_of
from server.reports.pdf import pdf_of
from server.reports.turning_points import Swings
from tests.engine.games.car_cult.playing import activated, do
from tests.engine.games.car_cult.test_acts import facing
from tests.engine.games.frothy_races.playing import do as race
from tests.engine.games.frothy_races.playing import match_at
from tests.engine.games.frothy_races.test_acts import beside, clashed
from tests.engine.games.shattered_highways.hands import road_match
from tests.engine.games.shattered_highways.highway import ROAD, SURFACE, car, rig
from tests.server.play.test_host import OWNER, done, key
from tests.server.playback import record_game, table_at, table_file
from tests.server.recording.made import record_round
from tests.server.replay.test_rerule import played, tamper
from tests.server.seams.evening import GAMES, Evening, evening


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A match of one manoeuvre and one shot, after twelve seconds of driving."""
    with Library.open(tmp_path_factory.mktemp("games")) as library:
        id = played(library)
        more = library.journal(id)
        for left, at_s in ((17, 20.0), (12, 30.0)):
            data = {
                "car": "Blue 1",
                "amount": 3 if left == 17 else 5,
                "marked": 20 - left,
                "left": left,
                "cause": "x",
            }
            event = Event(
                "damaged", data, f"Blue 1 takes damage, {left} armour left", "White Line Fever 0.9 · Damage"
            )
            more.append([Entry("match.damaged", at_s, event.words, {"event": event_to_json(event)})])
        more.close()
        return tell(library.reader(id))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Report:
    """Eight seconds of the sample round as the camera saw them, with stills."""
    made = record_round(tmp_path_factory.mktemp("games"), samples, 8.0, video=None)
    with Library.open(made.folder) as library:
        return tell(library.reader(made.id))


class TestTurningPoints:
    def test_the_moments_at_which_it_swung_most_with_picture_and_link(self, report: Report) -> None:
        """The damage that was told afterwards is the greatest swing; both losses are one another's equal."""
        assert report.turning
        assert len(report.turning) <= 3
        off = re.compile(
            r"\w+ is (better|worse) off by (a little|about [\w ]+ vehicle|more than a whole vehicle)"
        )
        assert [t.words for t in report.turning if not off.fullmatch(t.words)] == []
        html = html_of(report).decode()
        for point in report.turning:
            assert point.chapter.lines
            assert point.words in html
            assert f'href="{point.link}"'.replace("&", "&amp;") in html
        pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf_of(report))]
        (page,) = (page for page in pages if "Turning points" in page)
        assert "an estimate, as good as tableref plays" in page
        # The heading stood alone at the foot of a page.
        assert report.turning[0].words in page

    def test_none_before_the_first_turn(self) -> None:
        """What is put down is worth something from then on, and nobody has won anything by it."""
        swings = Swings(lambda _at_s: TableState.of(Region.rectangle(0.0, 0.0, 48.0, 48.0), ()))

        def after(number: int, worth: float) -> None:
            status = Status("", "", order=(Place("Ann"),))
            game = SimpleNamespace(status=lambda *_: status, worth=lambda *_: Worth(progress=worth))
            swings.take(number, float(number), cast(Any, SimpleNamespace(game=game, state=None)))

        after(1, 0.0)
        after(2, 1.0)
        swings.turns()
        assert swings.greatest == []
        after(3, 0.2)
        swings.turns()
        after(4, 0.9)
        assert [swing.number for swing in swings.greatest] == [3, 4]

    def test_none_of_a_game_that_may_go_on(self, tmp_path: Path) -> None:
        with Library.open(tmp_path) as library:
            id = played(library)
            with library.writing() as connection, connection.begin():
                connection.execute(update(schema.game).where(schema.game.c.id == id).values(ended=None))
            assert not tell(library.reader(id)).turning


class TestAccount:
    def test_a_chapter_for_each_round(self, report: Report) -> None:
        assert [c.title for c in report.chapters] == [
            "Round 1: Red drives",
            "Round 2: Blue drives",
            "Round 1: Anna drives",
        ]
        assert [c.begins_s for c in report.chapters] == [1.0, 11.0, 12.0]

    def test_every_line_stands_in_one_chapter(self, report: Report) -> None:
        told = [line.words for c in report.chapters for line in c.lines]
        assert told.count("Red 1 shoots at Blue 1 with the Machine Gun.") == 1
        assert any(re.fullmatch(r"To hit Blue 1 .*: D8 shows \d\.", words) for words in told)
        assert not any("the owner of the table:" in words.lower() for words in told)

    def test_the_way_that_was_driven(self, report: Report) -> None:
        (way,) = report.chapters[0].ways
        assert (way.piece, way.length) == ("Red 1", pytest.approx(12.0, abs=0.05))
        assert (way.before.x, *way.points[-1]) == pytest.approx((8.0, 20.0, 10.0), abs=0.01)
        assert [(s.piece, round(s.begins_s), round(s.ends_s)) for s in report.spans] == [("Red 1", 4, 8)]

    def test_the_attack_with_where_both_stood(self, report: Report) -> None:
        (attack,) = report.chapters[-1].attacks
        assert attack.attacker == "Red 1"
        assert attack.succeeded is not None
        assert attack.line == pytest.approx(np.array([[20, 10], [34, 12]]), abs=0.01)

    def test_how_everybody_fared(self, report: Report) -> None:
        tallies = {t.name: t for t in report.tallies}
        assert set(tallies) == {"Red 1", "Red 2", "Blue 1", "Blue 2"}
        red, blue = tallies["Red 1"], tallies["Blue 1"]
        assert (red.owner, red.attacks) == ("Anna", 1)
        assert blue.left == 12
        assert [left for _, left in report.left["Blue 1"]][-2:] == [17, 12]

    def test_when_it_was_played_is_told_with_the_zone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The file of a dispute of that evening has UTC: two hours earlier, for no reason to be seen."""
        with monkeypatch.context() as clock:
            clock.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
            time.tzset()
            try:
                assert played_words(datetime(2026, 5, 1, 20, 15, tzinfo=UTC)) == (
                    "Friday, 01 May 2026, 22:15 CEST"
                )  # fmt: skip
            finally:
                clock.undo()
                time.tzset()

    def test_the_title_names_the_players(self, report: Report, seen: Report) -> None:
        assert report.title == "Anna against Ben"
        facts = dict(report.facts)
        assert (facts["Players"], facts["Table"]) == ("Anna and Ben", "Opening round")
        assert facts["Game"]
        assert seen.title == "Opening round", "nobody has played"

    def test_what_was_pushed_before_the_match_counts_for_nobody(self, report: Report) -> None:
        """The first car was pushed about 12 inches before the game began; its move was typed, 3 inches."""
        far = {t.name: t.distance_in for t in report.tallies}
        assert far == {"Red 1": 3.0, "Red 2": None, "Blue 1": None, "Blue 2": None}

    def test_what_was_not_measured_is_told_as_such(self, report: Report) -> None:
        lines = [line for c in report.chapters for line in c.lines]
        (moved,) = [line for line in lines if line.tone == "move"]
        assert moved.measured is False
        assert all(line.measured is None for line in lines if line.tone in ("turn", "dice"))
        html = html_of(report)
        assert (html if isinstance(html, str) else html.decode()).count(">not measured<") == 1

    def test_without_a_match_it_goes_from_rest_to_rest(self, seen: Report) -> None:
        assert not seen.played
        assert {w.piece for c in seen.chapters for w in c.ways} == {"Red 1"}
        (chapter,) = [c for c in seen.chapters if c.ways]
        assert chapter.ways[0].length == pytest.approx(4.0, abs=0.1)

    def test_the_photo_shows_the_table_alone(self, seen: Report) -> None:
        photo = next(c.photo for c in seen.chapters if c.photo)
        wide, high = Image.open(io.BytesIO(photo)).size
        assert wide / high == pytest.approx(1.0, abs=0.05)
        assert 300 < wide <= 900


def test_a_name_from_right_to_left_does_not_turn_the_figures_beside_it_round(report: Report) -> None:
    page = html_of(replace(report, title="דני כהן 1, 2 left: <b>")).decode()
    assert "\u2068דני כהן\u2069 1, 2 left: &lt;b&gt;" in page


def test_names_in_other_letters_can_be_read_on_paper(report: Report) -> None:
    told = replace(report, tallies=[replace(t, owner="Жанна and 张三") for t in report.tallies])
    pages = pypdfium2.PdfDocument(pdf_of(told))
    assert "Zhanna and ZhangSan" in " ".join(pages[0].get_textpage().get_text_range().split())


def told_after(folder: Path, *requests: Request, said: Sequence[Entry] = ()) -> Report:
    """The report of the small game, in which this was said and then that was asked for."""
    file = table_file()
    with Library.open(folder) as library:
        id = played(library)
        journal = library.journal(id)
        journal.clock.see(12.0)
        host = MatchHost(journal, table=lambda: table_at(file, 12.0))
        host.restore(library.reader(id).entries(["match.", "play."]))
        journal.append(said)
        for request in requests:
            done(host.ask(OWNER, request))
        journal.close()
        return tell(library.reader(id))


def by_hand(path: list[str | int], value: object) -> Overrule:
    return Overrule(type="overrule", key=key(), path=["cars", *path], value=value, words="marked by hand")


def test_sheets_that_were_marked_by_hand_count(tmp_path: Path) -> None:
    asked = [
        by_hand(["Red 1", "marked"], 4),
        by_hand(["Blue 2", "status"], "removed"),
        by_hand(["Red 2", "status"], "wreck"),
        by_hand(["Red 2", "status"], "driving"),
    ]
    report = told_after(tmp_path, *asked)
    tallies = {t.name: t for t in report.tallies}
    full = report.left["Red 1"][0][1]
    assert (tallies["Red 1"].left, tallies["Red 1"].lost) == (full - 4, 4)
    fates = {name: tallies[name].fate for name in ("Red 1", "Red 2", "Blue 2")}
    assert fates == {"Red 1": "in play", "Red 2": "in play", "Blue 2": "out of the game"}


def test_what_a_vehicle_has_left_is_read_from_any_sheet() -> None:
    def sheet(*widgets: Widget) -> Sheet:
        return Sheet(title="Red 1", owner="Ann", widgets=widgets, piece="Red 1")

    def track(words: str, *marked: bool) -> Track:
        return Track(words=words, boxes=tuple(Box(marked=one) for one in marked))

    speed, hits = Counter(words="Speed", value=0, high=8), Counter(words="Hit points", value=25, high=25)
    armour, seats = track("Armour, front", True, False), Slots(words="Seats", slots=())
    sides = sheet(speed, armour, track("Armour, rear", False), track("Tyres", True))
    assert left_on(sides, begun=False) == ("Armour", 2)
    assert left_on(sheet(hits, seats), begun=False) == ("Hit points", 25)
    assert left_on(sheet(replace(hits, value=21)), begun=True) == ("Hit points", 21)
    assert left_on(replace(sheet(seats), left=Left("Zones", 7)), begun=False) == ("Zones", 7)
    # What is not counted down from full is nothing that is left, and no sheet says what it does not hold.
    assert left_on(sheet(speed), begun=False) is None
    assert left_on(sheet(seats), begun=False) is None


HEADS = {
    "battlecars": ("Vehicle", "Armour lost"),
    "car_cult": ("Car", "Zones lost"),
    "frothy_races": ("Vehicle", "Damage boxes lost"),
    "shattered_highways": ("Vehicle", "Hit points lost"),
    "white_line_fever": ("Car", "Armour lost"),
}
"""What the columns of the report are called: nobody loses damage, and a beast is no car."""


@pytest.mark.parametrize("name", GAMES)
def test_every_game_tells_what_its_vehicles_have_left(name: str, tmp_path: Path) -> None:
    with evening(tmp_path, name) as one:
        for _ in range(8):
            one.step()
        report = tell(one.library.reader(one.game), photos=False)
    assert report.tallies
    page = html_of(report).decode()
    assert all(f"<th>{head}</th>" in page for head in HEADS[name])
    assert f"Bars: the {HEADS[name][0].lower()} moved." in page
    assert all(tally.left is not None and tally.lost is not None for tally in report.tallies)


def test_a_secret_choice_that_is_to_be_made_anew_is_not_told(tmp_path: Path) -> None:
    with evening(tmp_path, "battlecars") as one:

        def told() -> list[str]:
            report = tell(one.library.reader(one.game), photos=False)
            return [line.words for chapter in report.chapters for line in chapter.lines]

        for _ in range(60):
            one.step()
            if any("Speed Counters:" in words for words in told()):
                break
        chosen = [words for words in told() if words.endswith("has chosen.")]
        assert len(chosen) == len(one.state.players)
        while any("Speed Counters:" in words for words in told()):
            one.undo()
        assert not [words for words in told() if words.endswith("has chosen.")]


def told_on(one: Evening, *events: Event) -> Report:
    """The report of an evening after which these events were kept, too."""
    kept = [Entry(f"match.{e.kind}", one.seconds, e.words, {"event": event_to_json(e)}) for e in events]
    one.journal.append(kept)
    return tell(one.library.reader(one.game), photos=False)


def signs_in(report: Report) -> tuple[list[tuple[str, float]], list[float]]:
    """The triangles of the timeline with what they say, and the crosses; each by the height of its row."""
    chart = ET.fromstring(chart_of(report, colours(report)))
    shapes = [node for node in chart if "points" in node.attrib]
    titled = [(node.findtext("{*}title"), node.get("points", "")) for node in shapes]
    triangles = [(words, float(points.split()[-1].split(",")[1])) for words, points in titled if words]
    red = [node.get("points", "").split() for node in shapes if node.get("stroke") == BLOCKED]
    return triangles, [sum(float(p.split(",")[1]) for p in points) / len(points) for points in red]


def test_a_shot_of_a_driver_on_foot_stands_in_a_row_of_their_own(tmp_path: Path) -> None:
    with evening(tmp_path, "battlecars") as one:
        shooter, target = (vehicle.name for vehicle in one.state.vehicles[:2])
        person = f"driver of {shooter}"
        fired = {"person": person, "vehicle": None, "mount": "hand weapon", "weapon": "Machine-gun"}
        fired |= {"target": target, "line": 0, "reply": False}
        action = Event("action", {"player": one.state.players[0]}, "It fires", "")
        old = BATTLECARS.told("fired", "An older record's", "", fired)
        new = BATTLECARS.told("fired", "On foot", "", fired | {"shooter": person})
        report = told_on(one, action, old, new)
    tally = report.tallies[-1]
    assert (tally.name, tally.owner, tally.attacks) == (f"Driver of {shooter}", one.state.players[0], 1)
    assert [t.attacks for t in report.tallies[:-1]] == [0] * (len(report.tallies) - 1)
    ((words, row),) = signs_in(report)[0]
    assert words == "On foot."
    assert row > 0
    assert len(signs_in(report)[0]) == sum(t.attacks for t in report.tallies)
    with pypdfium2.PdfDocument(pdf_of(report)) as pdf:
        assert "None" not in pdf[0].get_textpage().get_text_range(), "what no sheet tells is a dash"
    assert map_of(report.chapters[-1], colours(report))


def test_a_cross_is_for_harm_that_was_done(tmp_path: Path) -> None:
    """A skid without damage is none, but what marks a box, hits a mount or hurts the driver is."""
    with evening(tmp_path, "battlecars") as one:
        vehicle = one.state.vehicles[0]
        skid = {"vehicle": vehicle.name, "cause": "", "difference": 1}
        hurt = {"vehicle": vehicle.name, "person": f"driver of {vehicle.name}", "points": 1}
        armour = {"vehicle": vehicle.name, "block": vehicle.armour[0].name, "points": 1}
        inside = {"vehicle": vehicle.name, "component": vehicle.mounts[0].name, "points": 1, "lost": []}
        told = [
            BATTLECARS.told(kind, kind, "", data)
            for kind, data in (("skidded", skid), ("hurt", hurt), ("armour", armour), ("inside", inside))
        ]
        report = told_on(one, Event("action", {"player": one.state.players[0]}, "It drives", ""), *told)
    harm = {line.words: line.harmed for line in report.marks if line.tone == "bad"}
    mine = (vehicle.name,)
    assert harm == {"Skidded.": (), "Hurt.": mine, "Armour.": mine, "Inside.": mine}
    assert len(signs_in(report)[1]) == 2 * 3, "two lines each"


@pytest.mark.parametrize("name", GAMES)
def test_every_loss_has_its_cross_in_every_game(name: str, tmp_path: Path) -> None:
    with evening(tmp_path, name, seed=3) as one:
        for _ in range(40):
            if not one.over:
                one.step()
        report = tell(one.library.reader(one.game), photos=False)
    lost = {name for name, row in report.left.items() if len(row) > 1}
    assert lost <= {name for line in report.marks for name in line.harmed}


class OnTheRoad:
    """A match of Shattered Highways whose batches a report counts as they happen."""

    def __init__(self) -> None:
        self.hands = road_match()
        self.told = object.__new__(_Told)
        self.told._driven = {}
        self.told._reader = cast("Any", SimpleNamespace(track=lambda *_: ()))

    def act(self, kind: str, *dice: int, **data: object) -> None:
        match, seen = self.hands.match, self.hands.seen
        stood, action = match.places, Action(kind, None, data)
        events = match.with_places(match.propose(action, seen, TypedDice(dice)), seen)
        match.commit(events)
        move = self.hands.moves.get(str(data.get("move")))
        if move is not None:  # as the record names it
            named = {"id": move.id, "piece": move.piece, "since_s": move.since, "until_s": move.until}
            said = {**events[0].data["data"], "move": named}
            events = [replace(events[0], data={**events[0].data, "data": said}), *events[1:]]
        entry = cast("Recorded", SimpleNamespace(source_s=None, at_s=0.0))
        self.told._drive({}, [(entry, event) for event in events], stood, match.places)


def test_whoever_drives_up_and_rams_has_driven_there() -> None:
    """In Shattered Highways the Ram takes the way as it was seen: no other event tells of it."""
    road = OnTheRoad()
    road.act("move", 3, vehicle="Red 1")
    move = road.hands.push("Red 1", 6.0 - 2.95, 0.0)
    road.act("ram", 6, 1, 1, 1, vehicle="Red 1", targets=["Blue 1"], side="front", move=move)
    assert road.told.driven("Red 1") == pytest.approx(3.05)
    assert road.told.driven("Blue 1") is None


def test_what_a_rule_moves_has_not_driven() -> None:
    """Neither who is pushed away, nor the fleet when the road rolls on."""
    road = OnTheRoad()
    road.act("move", 3, vehicle="Red 1")
    road.act("nudge", 6, 4, vehicle="Red 1", targets=["Blue 1"], side="front")
    move = road.hands.push("Blue 1", 2.5, 0.0)
    road.act("placed", vehicle="Blue 1", duty="nudged", move=move)
    move = road.hands.push("Red 1", 3.0, 0.0)
    road.act("moved", vehicle="Red 1", move=move, edge="front")
    assert road.told.driven("Red 1") == pytest.approx(3.0)
    assert road.told.driven("Blue 1") is None
    for name in ("Red 1", "Red 2", "Blue 1", "Blue 2"):
        road.hands.push(name, -3.0, 0.0)
    road.hands.moves = {}
    road.act("shifted", inches=3.0, back=[])
    assert road.told.driven("Red 1") == pytest.approx(3.0)
    assert road.told.driven("Blue 1") is None


def test_an_attack_that_harmed_its_target_has_succeeded() -> None:
    def told(*events: tuple[str, Tone, str]) -> bool | None:
        found = [Event(kind, {}, "", "", (piece,), tone) for kind, tone, piece in events]
        return outcome(lambda event: event, "Blue 3", found)  # type: ignore[arg-type, return-value]

    rolls: tuple[str, Tone, str] = ("roll", "dice", "")
    assert told(rolls, ("damaged", "bad", "Blue 3")) is True
    assert told(rolls, ("jammed", "bad", "Red 1")) is False
    assert told(rolls, ("action", "plain", ""), ("damaged", "bad", "Blue 3")) is False


def went(match: Match[Any]) -> list[bool | None]:
    """How the attacks of a match went."""
    return [succeeded for _, succeeded in fought(lambda event: event, match.log)]  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("reach", "dice", "hit"),
    [("yes", (20, 1), True), ("yes", (1, 20), True), ("yes", (1, 1), False), ("no", (), False)],
)
def test_an_attack_that_one_deed_declares_and_another_resolves_counts(
    reach: str, dice: tuple[int, ...], hit: bool
) -> None:
    """In Car Cult a target is declared before anything is measured and rolled."""
    match = facing("Rifle")
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    assert went(match) == [None]
    do(match, "fire", dice, reach=reach)
    assert went(match) == [hit]


@pytest.mark.parametrize(("die", "hit"), [(9, True), (1, False)])
@pytest.mark.parametrize("gunner", [False, True])
def test_a_ram_is_an_attack_with_a_gunner_and_without(die: int, gunner: bool, hit: bool) -> None:
    match = facing("Reinforced Ram", "Gutsy Gunner")
    activated(match, *(["Gutsy Gunner · 1"] if gunner else []))
    do(match, "move", (die,), car="Red 1", inches=5.0, into="Blue 1")
    if gunner:
        do(match, "keep")
    assert went(match) == [hit]


def test_dice_that_are_rolled_again_count_as_they_lie_at_last() -> None:
    match = facing("Gutsy Gunner", "Rifle")
    activated(match, "Gutsy Gunner · 1", "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    do(match, "fire", (2, 3), reach="yes")
    do(match, "reroll", (18,), die=0)
    assert went(match) == [True]


def test_an_attack_that_is_declared_and_told_again_as_it_is_resolved_is_one() -> None:
    """In Frothy Races both have the tone of an attack."""
    match = match_at(beside(turn=2))
    race(match, "attack", vehicle="Red 1", target="Black 1", sort="personal")
    clashed(match, "000", ("Red", ["Whip 1"]), ("Black", []))
    told = [event.kind for event in match.log if event.tone == "attack"]
    assert told == ["attacked", "clashed"]
    assert len(went(match)) == 1


def test_no_attack_has_succeeded_because_its_target_gave_up() -> None:
    """The cars that were taken off the table counted as hit: by a miss, and by what was declared alone."""
    match = facing("Rifle")
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    declared = Match.replay(match.game, match.log)
    do(match, "fire", (1, 1), reach="yes")
    for one, hit in ((match, False), (declared, None)):
        one.concede("Blue")
        assert any(event.tone == "loss" and "Blue 1" in event.pieces for event in one.log)
        assert went(one) == [hit]


@pytest.mark.parametrize("name", GAMES)
def test_nothing_of_who_gave_up_is_in_play_at_the_end(name: str, tmp_path: Path) -> None:
    with evening(tmp_path, name) as one:
        for _ in range(6):
            one.step()
        player = one.host.match.may_concede[0] if one.host.match is not None else ""
        one.done(Concede(type="concede", key=key(), player=player))
        report = tell(one.library.reader(one.game), photos=False)
    fates = {tally.fate for tally in report.tallies if tally.owner == player}
    assert fates
    assert "in play" not in fates


def test_who_gave_up_is_told(tmp_path: Path) -> None:
    report = told_after(tmp_path, Concede(type="concede", key=key(), player="Ben"))
    (mark,) = [line for line in report.marks if "gives up" in line.words]
    assert mark.words == "Ben gives up, as the owner of the table says."
    assert report.subtitle == "Anna wins"
    assert {t.fate for t in report.tallies if t.owner == "Ben"} == {"out of the game"}


def test_what_was_taken_back_is_not_told(tmp_path: Path) -> None:
    meanwhile = [Entry("dispute.opened", None, "Ben disputes it", {}, "Ben")]
    report = told_after(tmp_path, Undo(type="undo", key=key()), said=meanwhile)
    told = [line.words for c in report.chapters for line in c.lines]
    assert "Ben disputes it." in told, "nobody took that back"
    assert "Red 1 performs Maneuver 1 at Speed 3." in told
    assert not any("shoots" in words for words in told)
    assert report.chapters[-1].attacks == ()


def test_the_camera_does_not_judge_moves_beside_the_game(tmp_path: Path) -> None:
    """What older records hold of the pipeline's own judgement, and how a hand put a car back, is not told."""
    said = [
        Entry("camera.driven", 12.0, "Red 1: straight 4 in: not legal at Speed 4", {"piece": "Red 1"}),
        Entry("camera.pushed", 12.0, "Red 1: straight 83.8 in", {"piece": "Red 1"}),
        Entry("camera.lifted", 12.0, "Red 1 was lifted", {"piece": "Red 1"}),
        Entry("camera.gap", 12.0, "Nothing was seen for 3 s", {}),
    ]
    report = told_after(tmp_path, said=said)
    told = [line.words for c in report.chapters for line in c.lines]
    assert not [words for words in told if "not legal" in words or "83.8" in words or "lifted" in words]
    assert "Nothing was seen for 3 s." in told


def test_a_move_that_the_game_took_is_measured(tmp_path: Path) -> None:
    """Its range of the track, and no more, is how far the car was driven where no accepted step is known."""
    with Library.open(tmp_path) as library:
        id = played(library)
        entry = next(e for e in library.reader(id).entries(["match.action"]) if "Maneuver" in e.words)
        move = {"id": "move-1", "piece": "Red 1", "since_s": 4.0, "until_s": 6.0}
        tamper(library, id, entry.number, lambda d: d["event"]["data"]["data"].update(path=move))
        moved = next(e for e in library.reader(id).entries(["match.moved"]) if e.number > entry.number)
        tamper(library, id, moved.number, lambda d: d["event"]["data"].update(steps=[]))
        with library.writing() as connection, connection.begin():
            mine = (schema.entry.c.game == id) & (schema.entry.c.number == entry.number)
            connection.execute(schema.entry.update().where(mine).values(source_s=entry.at_s))
        report = tell(library.reader(id), photos=False)
    far = {t.name: t.distance_in for t in report.tallies}
    assert far["Red 1"] == pytest.approx(6.0, abs=0.2)
    assert far["Blue 1"] is None


def test_a_match_whose_rules_are_not_here_is_told_in_its_words(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        id = played(library)
        begin = next(library.reader(id).entries(["match.begin"]))
        tamper(library, id, begin.number, lambda d: d.update(game="a game nobody has"))
        report = tell(library.reader(id))
    told = [line.words for c in report.chapters for line in c.lines]
    assert "Red 1 shoots at Blue 1 with the Machine Gun." in told
    assert report.left == {}
    assert {t.owner for t in report.tallies} == {"Red", "Blue"}, "as the table file says"
    assert report.title == "Anna against Ben"


class TestFiles:
    def test_the_page_needs_nothing_else(self, report: Report, seen: Report) -> None:
        for told in (report, seen):
            text = html_of(told).decode()
            # The way into the replay is for whoever follows it; nothing is fetched to show the page.
            assert not re.search(r'(src="(?!data:)|href="(?!data:|/replay\?))', text)
            assert "<script" not in text
            for chapter in told.chapters:
                assert chapter.title in text
                assert all(line.words.replace('"', "&#34;") in text for line in chapter.lines)
        assert text.count("data:image/jpeg") == sum(c.photo is not None for c in seen.chapters) > 0

    def test_what_people_typed_is_only_text(self, tmp_path: Path) -> None:
        with Library.open(tmp_path) as library:
            id = record_game(library, name="<script>alert(1)</script>")
            text = html_of(tell(library.reader(id))).decode()
        assert "<script" not in text

    def test_the_pdf_holds_the_same_and_always_the_same(self, report: Report, seen: Report) -> None:
        for told in (report, seen):
            data = pdf_of(told)
            assert data == pdf_of(told)
            with pypdfium2.PdfDocument(data) as pdf:
                text = " ".join("".join(p.get_textpage().get_text_range() for p in pdf).split())
                assert told.title in text
                for chapter in told.chapters:
                    assert chapter.title in text
                assert pdf[0].render(scale=0.5).to_numpy().min() < 100

    def test_drawings_are_drawings(self, report: Report) -> None:
        paint = colours(report)
        assert paint["Red 1"] == paint["Red 2"] != paint["Blue 1"]
        chart = ET.fromstring(chart_of(report, paint))
        assert len([n for n in chart if n.get("fill") == paint["Red 1"]]) == 1
        plan = ET.fromstring(map_of(report.chapters[0], paint))
        assert [n for n in plan if n.get("stroke-dasharray")], "where Red 1 came from"

    def test_a_car_that_is_not_seen_at_the_end_of_its_turn_is_drawn_no_ghost(self, report: Report) -> None:
        chapter = report.chapters[0]
        (way,) = chapter.ways
        others = tuple(s for s in chapter.table.standings if s.name != way.piece)
        unseen = replace(chapter, table=replace(chapter.table, standings=others))
        before, after = (ET.fromstring(map_of(one, colours(report))) for one in (chapter, unseen))
        assert len(after) < len(before)
        assert way.piece not in "".join(after.itertext())


PAINT = {"Red 1": "#aa0000", "Red Rig": "#aa0000", "Blue 1": "#0000aa", "Blue 2": "#0000aa"}
LETTERS = {"Red 1": "R", "Red Rig": "R", "Blue 1": "B", "Blue 2": "B"}


def plan_of(*standings: Standing) -> ET.Element:
    """The map of these on a road."""
    table = TableState.of(SURFACE, standings)
    return ET.fromstring(map_of(Chapter("", 0.0, 1.0, table, (), (), (), board=ROAD), PAINT, LETTERS))


def names_on(plan: ET.Element) -> dict[str, tuple[float, float, float, float]]:
    """The box of each name, pixels."""
    found = {}
    for text in plan.findall("{*}text"):
        x, y, size = (float(text.get(one, "")) for one in ("x", "y", "font-size"))
        words = "".join(text.itertext())
        half = 0.27 * size * len(words)
        found[words] = (x - half, y - 0.8 * size, x + half, y + 0.2 * size)
    return found


def test_names_on_a_map_lie_over_neither_cars_nor_one_another() -> None:
    crowd = [car("Red 1", 20.0, 12.0), car("Blue 1", 23.5, 12.0), car("Blue 2", 20.0, 10.0)]
    plan = plan_of(*crowd)
    names = names_on(plan)
    assert set(names) == {"R · Red 1", "B · Blue 1", "B · Blue 2"}
    bodies = [node.get("points", "").split() for node in plan if node.get("fill") in PAINT.values()]
    corners = [np.array([list(map(float, corner.split(","))) for corner in body]) for body in bodies]
    boxes = [*names.values(), *((*c.min(axis=0), *c.max(axis=0)) for c in corners if len(c) > 3)]
    for k, one in enumerate(names.values()):
        for other in boxes[k + 1 :]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one, other)


def test_a_map_has_the_edges_of_what_is_played_on() -> None:
    plan = plan_of(car("Red 1", 20.0, 12.0))
    bold = [node for node in plan.findall("{*}polyline") if node.get("stroke-width") == "2"]
    assert any(len(node.get("points", "").split()) == 5 for node in bold), "the road's edge is closed"


def test_a_trailer_has_the_colour_of_what_pulls_it_and_its_name_once_it_is_decoupled() -> None:
    tractor, trailer = rig("Red Rig", 24.0, 12.0)
    plan = plan_of(tractor, trailer)
    assert set(names_on(plan)) == {"R · Red Rig"}
    assert sum(node.get("fill") == PAINT["Red Rig"] for node in plan) == 2
    left = replace(trailer, pose=replace(trailer.pose, x=trailer.pose.x - 4.0))
    assert set(names_on(plan_of(tractor, left))) == {"R · Red Rig", f"R · {trailer.name}"}


def test_the_timeline_numbers_every_turn(report: Report) -> None:
    """Those that begin at about the same time, too: the second of two was left out."""
    turn = next(mark for mark in report.marks if mark.tone == "turn")
    marks = tuple(replace(turn, at_s=at_s) for at_s in (1.0, 1.2, 6.0, 11.0, 11.1, 11.2))
    chart = ET.fromstring(chart_of(replace(report, marks=marks, duration_s=12.0), colours(report)))
    told = ["".join(text.itertext()) for text in chart.findall("{*}text")]
    assert [words for words in told if re.fullmatch(r"\d+(–\d+)?", words)] == ["1–2", "3", "4–6"]


@pytest.mark.parametrize(
    ("duration_s", "told"),
    [
        (12.0, "0 s, 5 s, 10 s"),
        (45.0, ", ".join(f"{s} s" for s in range(0, 46, 5))),
        (46.0, "0 s, 10 s, 20 s, 30 s, 40 s"),
        (540.0, ", ".join(f"{m} min" for m in range(10))),
        (541.0, "0 min, 2 min, 4 min, 6 min, 8 min"),
        (2700.0, ", ".join(f"{m} min" for m in range(0, 46, 5))),
        (5400.0, ", ".join(f"{m} min" for m in range(0, 91, 10))),
        (5401.0, "0 min, 20 min, 40 min, 60 min, 80 min"),
    ],
)
def test_the_timeline_has_a_scale_of_nine_steps_at_the_most(
    report: Report, duration_s: float, told: str
) -> None:
    chart = ET.fromstring(chart_of(replace(report, duration_s=duration_s), colours(report)))
    texts = ["".join(text.itertext()) for text in chart.findall("{*}text")]
    assert [words for words in texts if re.fullmatch(r"\d+ (s|min)", words)] == told.split(", ")


def test_a_move_lies_on_the_row_of_its_car(report: Report) -> None:
    paint, span = colours(report), report.spans[0]
    for number, tally in enumerate(report.tallies):
        moved = replace(report, spans=(replace(span, piece=tally.name),))
        shapes = [node for node in ET.fromstring(chart_of(moved, paint)) if node.find("{*}title") is None]
        row = [node for node in shapes if node.get("stroke") == PALE][number]
        (bar,) = [node for node in shapes if node.get("fill") == paint[tally.name]]
        corners = {tuple(map(float, at.split(","))) for at in bar.get("points", "").split()}
        (near, far), (low, high) = (sorted(set(values)) for values in zip(*corners, strict=True))
        assert corners == {(x, y) for x in (near, far) for y in (low, high)}
        assert (low + high) / 2 == pytest.approx(float(row.get("points", "").split(",")[-1]), abs=0.2)
        assert high - low < ROW_IN * CHART_SCALE
