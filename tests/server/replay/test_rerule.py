"""Recorded games ruled again with today's engine: a small one, and one of before games had a contract."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from engine.game.events import OWNER as BY
from engine.game.events import UNMEASURED, Event, Illegal, Reason, event_from_json
from engine.game.match import Match
from engine.game.registry import game_called
from engine.games.white_line_fever.book.data import weapon_called
from engine.games.white_line_fever.rules import moves
from engine.games.white_line_fever.rules import shots as shot_rule
from engine.motion.moves import Move
from engine.space.table import Status
from server.exports.jsonl import bring_in, lines
from server.moves.segmentation import MoveWatch
from server.play.host import MatchHost
from server.play.messages import Begin, Modes, Overrule, SetModes, SetUp
from server.recording.journal import as_json
from server.recording.library import schema
from server.recording.library.games import Library
from server.recording.matches import game_of
from server.replay import rerule
from server.replay.rerule import Again, _refused, rule_again
from server.replay.timeline import Timeline
from server.table.questions.rulings import Rulings
from tests.server.play.test_host import DRAFT, OWNER, act, done, key
from tests.server.playback import FPS, SECONDS, record_game, table_at, table_file


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "games") as one:
        yield one


def again(library: Library, id: str) -> list[Again]:
    return list(rule_again(library.reader(id), Rulings.by_book(None)))


def different(library: Library, id: str) -> list[Again]:
    return [a for a in again(library, id) if a.changes]


def tamper(library: Library, id: str, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Writes into an entry of the record."""
    data = dict(library.reader(id).entry(number).data)
    change(data)
    e = schema.entry.c
    with library.writing() as connection, connection.begin():
        asked = update(schema.entry).where(e.game == id, e.number == number)
        connection.execute(asked.values(data=as_json(data)))


class TestRulings:
    def test_the_same_engine_rules_the_same(self, library: Library) -> None:
        told = again(library, record_game(library))
        assert len(told) == 16
        assert [a for a in told if a.changes] == []

    @pytest.mark.parametrize(
        ("change", "what", "was", "now"),
        [
            (lambda d: d.update(verdict="too close to call"), "verdict", "too close to call", "no"),
            (lambda d: d["checks"][0].update(verdict="yes"), "Maximum Range", "yes (", "no ("),
            (lambda d: d["checks"][0].update(number=20.5), "Maximum Range", "no (", "no ("),
            (lambda d: d["checks"].pop(0), "Maximum Range", "not asked", "no ("),
            (lambda d: d["checks"][0].update(name="Wind"), "Wind", "no (", "not asked any more"),
            (
                lambda d: d["asked"].update(pieces=["Red 9", "Blue 1"]),
                "the question",
                "no",
                "cannot be ruled: no piece",
            ),
            (lambda d: d["asked"].pop("kind"), "the question", "no", "cannot be ruled: expected a question"),
        ],
    )
    def test_what_is_different_is_named(
        self, library: Library, change: Callable[[dict[str, Any]], object], what: str, was: str, now: str
    ) -> None:
        id = record_game(library)
        first = again(library, id)[0]
        tamper(library, id, first.number, change)
        (found,) = different(library, id)
        assert found.number == first.number
        (changed,) = [c for c in found.changes if c.what == what]
        assert changed.was.startswith(was)
        assert changed.now.startswith(now)

    def test_another_rule_is_noticed(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        id = record_game(library)
        gun = weapon_called("Machine Gun")
        longer: Mapping[str, Any] = {"maximum": 40}
        monkeypatch.setattr(shot_rule, "weapon_called", lambda _: replace(gun, **longer))
        found = different(library, id)
        assert found
        assert {c.what for a in found for c in a.changes} <= {"verdict", "Maximum Range"}


def played(library: Library, modes: Modes | None = None, **moved: Any) -> str:
    """The first manoeuvre and shot of a game, at the table of the 12th second; `moved` goes with the move."""
    id = record_game(library)
    file = table_file()
    journal = library.journal(id)
    journal.clock.see(12.0)
    host = MatchHost(journal, table=lambda: table_at(file, 12.0))
    if "unmeasured" in moved:
        host.seeing.moves = lambda: {}
    done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
    if modes is not None:
        done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=modes)))
    done(host.ask(OWNER, Begin(type="begin", key=key())))
    for car in ("Red 1", "Blue 1", "Red 2", "Blue 2"):
        done(act(host, OWNER, "deploy", car=car))
    done(act(host, OWNER, "choose", car="Red 1"))
    done(act(host, OWNER, "move", car="Red 1", steps=[{"kind": "straight", "ahead": 3.0}], **moved))
    said = {"band": "maximum", "tailgate": False} if modes is not None else {}
    done(act(host, OWNER, "shoot", weapon="Machine Gun", target="Blue 1", **said))
    journal.close()
    return id


class TestPlay:
    @pytest.mark.parametrize("modes", [None, Modes(shots="ask", moves="ask")])
    def test_a_game_is_played_again_with_its_own_dice(self, library: Library, modes: Modes | None) -> None:
        id = played(library, modes)
        told = again(library, id)
        actions = [a.words.partition(": ")[2] for a in told if a.words.startswith(f"{BY}: ")]
        assert actions[-1].startswith("shoot at Blue 1")
        assert len(actions) == 7
        assert [a for a in told if a.changes] == []

    def test_dice_that_fell_otherwise_change_what_follows(self, library: Library) -> None:
        id = played(library)
        roll = list(library.reader(id).entries(["match.roll"]))[-1]
        shown = roll.data["event"]["data"]["value"]
        tamper(library, id, roll.number, lambda d: d["event"]["data"].update(value=1 if shown > 4 else 8))
        (found,) = different(library, id)
        assert "shoot at Blue 1" in found.words

    def test_a_shot_that_is_against_the_rules_now(
        self, library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        id = played(library)
        gun = weapon_called("Machine Gun")
        monkeypatch.setattr(shot_rule, "weapon_called", lambda _: replace(gun, maximum=4, short=2))
        changes = [c for a in different(library, id) for c in a.changes if c.what == "shoot"]
        assert [c.was for c in changes] == ["lawful"]
        assert "Maximum Range" in changes[0].now

    def test_what_was_accepted_without_measuring_stays_accepted_where_it_counts_as_measured_now(
        self, library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        id = played(library, unmeasured="it was pushed on by a sleeve")
        assert len(list(library.reader(id).entries(["match.unmeasured"]))) == 1
        # A push that nobody named, on which it rested, is in no record.
        monkeypatch.setattr(rerule.Match, "anew", as_if_measured(rerule.Match.anew))
        assert different(library, id) == []


def as_if_measured(anew: Callable[..., tuple[Event, ...]]) -> Callable[..., tuple[Event, ...]]:
    return lambda *given: tuple(event for event in anew(*given) if event.kind != UNMEASURED)


def driven(library: Library) -> str:
    """A game in which the camera sees Red 1 pushed five inches, and the player names that move."""
    id = record_game(library, pace=1.25)
    file, watch = table_file(), MoveWatch()
    moves: list[Move] = []
    for frame in range(FPS * SECONDS + 1):
        table = table_at(file, frame / FPS, 1.25)
        read = [s.name for s in table.standings if s.status in (Status.STILL, Status.MOVING)]
        moves += watch.update(table, read)
    (move,) = [m for m in moves if m.piece == "Red 1"]
    journal = library.journal(id)
    journal.clock.see(12.0)
    host = MatchHost(journal, table=lambda: table_at(file, 12.0, 1.25))
    host.seeing.moves = lambda: {move.id: move}
    done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
    done(host.ask(OWNER, Begin(type="begin", key=key())))
    for car in ("Red 1", "Blue 1", "Red 2", "Blue 2"):
        done(act(host, OWNER, "deploy", car=car))
    speed = Overrule(type="overrule", key=key(), path=["cars", "Red 1", "speed"], value=5, words="a test")
    done(host.ask(OWNER, speed))
    done(act(host, OWNER, "choose", car="Red 1"))
    done(act(host, OWNER, "move", car="Red 1", move=move.id))
    journal.close()
    return id


class TestMoves:
    """A move that the camera saw is recognised anew from where the piece was recorded."""

    def test_the_same_track_is_the_same_move(self, library: Library) -> None:
        id = driven(library)
        reader = library.reader(id)
        (moved,) = reader.entries(["match.moved"])
        (step,) = moved.data["event"]["data"]["steps"]
        assert step["ahead"] == pytest.approx(5.0, abs=0.05)
        assert [a for a in again(library, id) if a.changes] == []

    def test_another_rule_is_noticed(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        id = driven(library)
        ruled, shorter = moves.rule_manoeuvre, 3.0
        monkeypatch.setattr(
            moves,
            "rule_manoeuvre",
            lambda table, car, seen, _, **more: ruled(table, car, seen, shorter, **more),
        )
        (found,) = different(library, id)
        assert "Red 1" in found.words
        assert [(c.what, c.was) for c in found.changes] == [("move", "lawful")]

    def test_a_track_that_says_otherwise_is_noticed(self, library: Library) -> None:
        id = driven(library)
        # As if it had left two seconds later: half of the way is not its own.
        number = leaving(library, id, since_s=6.0)
        (found,) = different(library, id)
        assert found.number == number

    def test_a_car_that_rested_since_before_the_game_is_ruled_the_same(self, library: Library) -> None:
        id = driven(library)
        leaving(library, id, since_s=-1000.0)
        assert [a for a in again(library, id) if a.changes] == []


def leaving(library: Library, id: str, since_s: float) -> int:
    """The number of the drive of a game, told as if its car had rested since then."""
    drives = library.reader(id).entries(["match.action"])
    (action,) = [e for e in drives if "move" in e.data["event"]["data"]["data"]]
    tamper(library, id, action.number, lambda d: d["event"]["data"]["data"]["move"].update(since_s=since_s))
    return action.number


def test_the_same_after_going_out_and_in(library: Library, tmp_path: Path) -> None:
    id = played(library)
    before = again(library, id)
    with Library.open(tmp_path / "other") as other:
        bring_in(other, list(lines(library, id)))
        assert again(other, id) == before


# Recorded before games had a contract


OLD = Path(__file__).resolve().parents[2] / "golden" / "recordings" / "before-the-contract.sqlite"
OLD_ID = "20260501-2015-5866"


@pytest.fixture
def old_library(tmp_path: Path) -> Iterator[Library]:
    folder = tmp_path / "games"
    folder.mkdir()
    shutil.copy(OLD, folder / "library.sqlite")
    with Library.open(folder) as one:
        yield one


def test_every_answer_and_action_is_ruled_as_it_was(old_library: Library) -> None:
    told = list(rule_again(old_library.reader(OLD_ID), Rulings.by_book(None)))
    assert len(told) == 16 + 7
    assert [again for again in told if again.changes] == []


def test_the_match_is_told_again(old_library: Library) -> None:
    entries = list(old_library.reader(OLD_ID).entries(["match."]))
    begins = next(k for k, e in enumerate(entries) if e.kind == "match.begin")
    events = [event_from_json(e.data["event"]) for e in entries[begins:]]
    match = Match.replay(game_called("White Line Fever"), events)
    assert match.state.car("Red 1").speed == match.state.round.manoeuvre + 2
    assert (match.state.round.number, match.state.round.stage) == (1, "free")


def test_the_table_goes_on_with_it(old_library: Library) -> None:
    host = MatchHost()
    host.restore(old_library.reader(OLD_ID).entries(["match.begin", "match.", "play."]))
    assert host.match is not None
    assert [p.name for p in host.draft.players] == ["Anna", "Ben"]
    assert {o.kind for o in host.match.options()} >= {"speed", "end"}


def test_it_can_be_taken_along(old_library: Library, tmp_path: Path) -> None:
    with Library.open(tmp_path / "other") as other:
        id = bring_in(other, lines(old_library, OLD_ID, pictures=False))
        assert [e.words for e in other.reader(id).entries()] == [
            e.words for e in old_library.reader(OLD_ID).entries()
        ]


def test_a_game_whose_rules_are_not_here_still_opens_and_says_so(old_library: Library) -> None:
    (begun,) = old_library.reader(OLD_ID).entries(["match.begin"])
    e = schema.entry.c
    with old_library.writing() as connection, connection.begin():
        asked = update(schema.entry).where(e.game == OLD_ID, e.number == begun.number)
        connection.execute(asked.values(data=as_json({**begun.data, "game": "skirmish"})))
    reader = old_library.reader(OLD_ID)
    assert game_of(reader).about.id == "skirmish"
    told = list(rule_again(reader))
    assert len(told) == 16 + 7
    for again in told:
        ((change,), verb) = again.changes, again.words
        assert verb
        assert "cannot be ruled" in change.now or "the rules of skirmish are not at hand" in change.now
    assert [tick.words for tick in Timeline(reader).after(0)]


@pytest.mark.parametrize(("close", "now"), [(True, "too close to call"), (False, "against the rules")])
def test_what_is_too_close_to_call_by_the_record_is_told_as_that(close: bool, now: str) -> None:
    found = _refused("move", Illegal([Reason("0.27 in", "Book", open=True, close=close)]))
    assert found.weight == "verdict", "lawful it was"
    assert found.now == f"{now}: 0.27 in (Book)"


def test_that_an_answer_was_said_is_no_difference_to_an_older_record() -> None:
    """It did not say so where players had answered what was too close to call."""
    data = {"car": "Red 3", "range": 12, "reached": False, "distance": 5.4865, "sd": 0.0318, "line": None}
    was, now = (Event("ranged", one, "Blue 2", "Book") for one in (data, data | {"said": True}))
    assert list(rerule.events_changed([was], [now])) == []
    reached = Event("ranged", data | {"said": True, "reached": True}, "Blue 2", "Book")
    assert len(list(rerule.events_changed([was], [reached]))) == 1


def test_what_older_games_told_of_less_or_called_otherwise_comes_out_the_same():
    die = {"sides": 20, "value": 9, "why": "Red 1: who activates first", "source": "typed"}
    named = die | {"why": "the place of Red 1 in the order"}
    for kind, was, now in (("roll", die, named), ("rolls", {"dice": [die]}, {"dice": [named]})):
        before, after = Event(kind, was, die["why"], "Book"), Event(kind, now, named["why"], "Book")
        assert list(rerule.events_changed([before], [after])) == []
    fell = Event("roll", named | {"value": 8}, "8", "Book")
    assert len(list(rerule.events_changed([Event("roll", die, "9", "Book")], [fell]))) == 1
    built = {"terrain": "Hill", "cell": [4, 11], "tasks": [{"heading": 6}]}
    more = {**built, "board": {"columns": 13}, "tasks": [{"heading": 6, "way": 6}]}
    assert (
        list(rerule.events_changed([Event("built", built, "Hill", "")], [Event("built", more, "Hill", "")]))
        == []
    )
    other = more | {"cell": [4, 12]}
    (one,) = rerule.events_changed([Event("built", built, "Hill", "")], [Event("built", other, "Hill", "")])
    assert one.now == "11 → 12"
    (one,) = rerule.events_changed([Event("built", built, "Hill", "")], [Event("built", more, "Pond", "")])
    assert one.now == "Pond"


def test_of_what_comes_out_with_other_figures_those_that_differ_are_told() -> None:
    """All that the game keeps of it stood there, under the names of its fields."""
    at = {"duty": {"kind": "veer", "ways": [[{"piece": "Red 1", "at": [29.0, 24.0, 0.0]}]], "meets": []}}
    to = {"duty": {"kind": "veer", "ways": [[{"piece": "Red 1", "at": [29.0, 22.77, 0.0]}]], "meets": []}}
    was, now = (Event("owed", data, "Red 1 has to veer", "Book") for data in (at, to))
    assert [c.now for c in rerule.events_changed([was], [now])] == ["24.00 → 22.77"]


@pytest.mark.parametrize(("how", "differences"), [("open", 0), ("waived", 1)])
def test_the_figures_of_what_was_too_close_to_call_are_a_guess(how: str, differences: int) -> None:
    """A way that was hidden for some inches may have been another one, and by the record again another."""
    told = "the car was hidden on its way and may have gone straight {} in, turn 108.2° right"
    facts = [{"name": told.format(run), "value": "yes", "how": how} for run in ("27.94", "28.57")]
    was, now = (Event("said", {"facts": [fact]}, "", "") for fact in facts)
    assert len(list(rerule.events_changed([was], [now]))) == differences
    sure = Event("said", {"facts": [facts[0] | {"how": "waived"}]}, "", "")
    assert len(list(rerule.events_changed([sure], [now]))) == 1, "open now, or then"
