"""Short evenings of every registered game, and of the samples of one's own, on the real application.

Besides, pairs that differ only in a secret; and that what the machine holds is held at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from calibration.tablefile import parse_table
from engine.game.events import Event
from engine.game.match import Match
from engine.game.registry import games, games_from
from engine.measure.distances import sight
from engine.ruling import Check, Verdict
from engine.space.geometry import Pose, Region
from engine.space.table import Status, TableState, Thing, ThingName
from server.play.consent import Needed, Proposal, needed
from server.play.host import MatchHost
from server.play.machine import Machines
from server.replay.match_history import MatchHistory
from server.reports.account import _Told
from tests.engine.tables import car
from tests.evening import play, shortest, unlike
from tests.evening.consent import said_by_machine
from tests.evening.evening import CLOSING, TAKES_PART, draws
from tests.evening.hidden import _poses, _words
from tests.evening.house import Violation
from tests.evening.table import Eyes, Hands, Past, Truth
from tests.evening.truth import _back, true_table
from tests.evening.truth import _held as _held_true
from tests.volume import DEEP, Figure, deep, volume
from vision.simulate.scenes import duel_scene

SAMPLE = Path(__file__).parents[2] / "samples" / "own-game"
ACTS = volume(5, 200)
UNNAMED = volume(2, 8)
"""Every so many acts of an evening with unnamed things, or with pictures that fail, this is done."""

BESIDES: dict[int, tuple[str | None, ...]] = {
    0: ("terrain", "phones", "disk"),
    1: ("next_game", "together", "scrub"),
    2: ("unnamed", "names"),
    3: ("outage", "bump", "contradiction", "light"),
    4: ("sets_up", None, "two_owners", None, "left_open", "gives_up", None, "looks_back", "same_seat", None),
}
"""What is done besides, by the number of an evening, of five; each game has an evening of every one."""

BY_GAME = [one.about.id for one in games() if one.about is not None]


def done_in(game: str, number: int) -> set[object]:
    """What is done in an evening: the acts that are drawn, and what is told apart by its number."""
    acts: set[object] = {draws(game, number, k)[1].__name__ for k in range(ACTS)}
    return acts | {(every, number % every) for every in (4, 5)} | {("a machine", number % 5 == 4, number % 2)}


def telling(game: str) -> list[int]:
    """Evenings in which all is done that is done in the first twenty; in `make deep` the first 500."""
    if DEEP:
        return list(range(1, 501))
    left = {number: done_in(game, number) for number in range(1, 21)}
    chosen = []
    while best := max(left, key=lambda number: len(left[number])) if any(left.values()) else None:
        chosen.append(best)
        seen = left.pop(best)
        left = {number: done - seen for number, done in left.items()}
    return sorted(chosen)


def hold(game: str, evenings: Sequence[int], figure: Figure) -> None:
    """Nothing breaks; what does is told with the shortest script that breaks it."""
    events = 0
    for number in evenings:
        # In one of four papers are opened at the end.
        more = BESIDES.get(number % 5, (None,))
        drawn = [
            f"{k}:{name}" if (name := more[k // UNNAMED % len(more)]) and k % UNNAMED == 0 else k
            for k in range(ACTS)
        ]
        found = play(game, number, ACTS, [*drawn, *(CLOSING if number % 4 == 0 else ())])
        if found.violation:
            found = shortest(found)
            again = f"play({game!r}, {number}, 0, {list(found.script)})"
            pytest.fail("\n".join([f"{game}, evening {number}: {found.violation}", *found.done, again]))
        events += found.events
    assert events > len(evenings), "something was played"
    figure(f"evenings of {game}", f"{len(evenings)} of {ACTS} acts, {events} events, 0 violations")


@pytest.mark.parametrize("game", BY_GAME)
def test_an_evening_holds_together(game: str, figure: Figure) -> None:
    hold(game, telling(game), figure)


@pytest.mark.parametrize("game", ["far_edge", "last_bumper"])
def test_an_evening_of_ones_own_game_holds_together(game: str, figure: Figure) -> None:
    with games_from(str(SAMPLE)):
        hold(game, telling(game), figure)


@pytest.mark.parametrize(
    ("game", "number", "script"),
    [
        ("shattered_highways", 7100, ("42:drive", "43:looks")),
        (
            "white_line_fever",
            6100126,
            ("12:push", "15:offer", "16:stays", "19:ghosts", "20:agree", "21:restart"),
        ),
        (
            "shattered_highways",
            6000269,
            (
                "0:back",
                "1:machine",
                "5:machine",
                "6:machine",
                "8:machine",
                "9:machine",
                "11:offer",
                "13:ghosts",
                "14:mishap",
                "15:machine",
            ),
        ),
    ],
    ids=[
        "a piece that is pushed to where it is put down has not driven",
        "a proposal that cannot be done any more is shown no more",
        "a machine takes what stands where a rule has put it",
    ],
)
def test_an_evening_that_broke_holds_together(game: str, number: int, script: tuple[str, ...]) -> None:
    found = play(game, number, 0, script)
    assert not found.violation, found.violation


SECRETS = [one.about.id for one in games() if one.about is not None and one.about.sealed]


def test_evenings_that_differ_in_a_secret_are_the_same_to_all_others(figure: Figure) -> None:
    compared = 0
    for game in SECRETS:
        for number in range(1, volume(2, 51)):
            found = unlike(game, number, volume(10, 100))
            assert not found.violation, found.violation
            compared += found.events
    assert compared, "somebody had chosen in secret"
    figure("twin evenings", f"{compared} outlets compared, 0 tell a secret")


def _all_measured(real: Callable[..., tuple[Event, ...]]) -> Callable[..., tuple[Event, ...]]:
    """What was said is told as measured."""

    def propose(*said: Any) -> tuple[Event, ...]:
        return tuple(replace(e, measured=True) if e.measured is False else e for e in real(*said))

    return propose


def _no_undo(real: Callable[..., None]) -> Callable[..., None]:
    """The replay forgets what was undone."""

    def take(history: MatchHistory, together: Sequence[Any]) -> None:
        if not together[0].kind.endswith("undo"):
            real(history, together)

    return take


def _driven_more(real: Callable[..., float | None]) -> Callable[..., float | None]:
    """The report sums half an inch too much."""

    def driven(account: _Told, name: str) -> float | None:
        inches = real(account, name)
        return None if inches is None else inches + 0.5

    return driven


def _any_of_them(real: Callable[..., Needed]) -> Callable[..., Needed]:
    """One of those whom it is about is enough."""
    return lambda *said: replace(real(*said), all=False)


SAID_ALONE = "a fact is said without those it is about"
ALONE = {SAID_ALONE, "a move is accepted by who made it", "whoever proposes agrees alone"}

DEEDS = ("drive", "says", "mishap", "stays", "agree", "cheat", "offer", "back", "looks")
LED_ON = (*(f"{k}:{DEEDS[k % len(DEEDS)]}" for k in range(72)), *CLOSING)
"""An evening in which much is said, undone and read: where a product lies it has to."""


@deep
@pytest.mark.parametrize(
    ("lie", "rules", "game", "first"),
    [
        (mock.patch("server.play.host.owed", return_value=()), ALONE, "car_cult", 500),
        (
            mock.patch.object(
                MatchHost, "_acting_for", lambda self, who, player: player or self.player_of(who)
            ),
            {"somebody acts for another", "somebody without a seat acts"}, "car_cult", 500,
        ),
        (
            mock.patch("server.play.host.needed", lambda match, facts, by, owners: Needed((by,))),
            ALONE, "car_cult", 500,
        ),
        (
            mock.patch.object(Proposal, "may_agree", return_value=True),
            ALONE, "car_cult", 500,
        ),
        (
            mock.patch("server.play.host.needed", _any_of_them(needed)),
            {SAID_ALONE, "a piece stays without its owner"}, "white_line_fever", 503,
        ),
        (
            mock.patch.object(Match, "propose", _all_measured(Match.propose)),
            {"what was said is told as measured"}, "white_line_fever", 500,
        ),
        (
            mock.patch.object(MatchHistory, "_take", _no_undo(MatchHistory._take)),
            {f"the replay of now shows another {part}" for part in ("status", "sheets")}, "battlecars", 500,
        ),
        (
            mock.patch.object(_Told, "driven", _driven_more(_Told.driven)),
            {"a sum of the report is wrong"}, "white_line_fever", 500,
        ),
        (
            mock.patch("server.table.gate.pose_of", lambda pose: pose),
            {"a place is told exactly"}, "car_cult", 500,
        ),
        (
            mock.patch("server.table.gate.measured_out", lambda value: value),
            {"a distance is told"}, "car_cult", 500,
        ),
        (
            mock.patch("server.replay.rerule._told_by_people", return_value=()),
            {"what was said is not listed"}, "white_line_fever", 500,
        ),
        (
            mock.patch("tests.evening.table.SD", 0.3),
            {"a place is noted where nothing stood"}, "white_line_fever", 500,
        ),
    ],
    ids=[
        "nobody agrees", "anybody acts for anybody", "the proposer is enough", "anybody agrees",
        "one of all is enough", "all is measured", "the replay forgets undo", "the report adds up wrong",
        "places are exact", "words hold lengths", "nothing is listed as said",
        "the camera is surely wrong",
    ],
)  # fmt: skip
def test_what_the_machine_holds_is_held(lie: Any, rules: set[str], game: str, first: int) -> None:
    """A product that lies is found out within a few evenings, and by the rule that the lie breaks."""
    with lie:
        found = (play(game, number, 0, LED_ON).rule for number in range(first, first + 3))
        assert any(rule in rules for rule in found)


def test_a_machine_that_stands_still_is_told_of() -> None:
    with mock.patch.object(Machines, "_act", return_value=False):
        found = play("shattered_highways", TAKES_PART, 0, [f"{k}:machine" for k in range(12)])
    assert found.rule == "a machine stands still and says nothing", found.violation


@pytest.mark.parametrize(("by", "alone"), [("Blue", True), ("Red and Blue", False)])
def test_what_a_machine_says_alone_is_told_of(by: str, alone: bool) -> None:
    deed = Event("action", {"player": "Blue", "kind": "move", "data": {}}, "Blue: the move", "Book")
    note = Event("unmeasured", {"why": "no hand can push it", "by": by, "player": "Blue"}, "accepted", "Book")
    match = SimpleNamespace(log=(deed, note))
    host = SimpleNamespace(match=match, modes=SimpleNamespace(moves="see", questions="see"))
    at: Any = SimpleNamespace(served=SimpleNamespace(match=host))
    with pytest.raises(Violation) if alone else nullcontext():
        said_by_machine(at, "Blue", 0)


@pytest.mark.parametrize(
    ("within", "told"),
    [
        ({"pose": [10.06, 20.06, 0.3]}, True),
        ({"cells": [{"x": 10.06, "y": 20.06}]}, True),
        ([[[10.06, 20.06]]], True),
        ({"shape": {"nose": [[10.06, 20.06]]}}, False),
        ({"points": [[10.25, 20.06], [10.5, 20.25]], "x": 10, "none": None}, False),
        ({"words": ["it stands 3.25 in away"]}, True),
        ({"said": "it stands 3.25 in away"}, False),
        ({"measured": True, "citation": "Book · Move", "words": "3.25 in"}, False),
    ],
)
def test_a_place_and_a_length_are_found_wherever_they_stand_in_a_message(within: object, told: bool) -> None:
    hands = SimpleNamespace(poses={"Red 1": None}, seen_at=lambda _: Pose(10.06, 20.06, 0.3))
    message = {"deep": [{"down": within}]}
    with pytest.raises(Violation) if told else nullcontext():
        _words(message, "here")
        _poses(SimpleNamespace(hands=hands, live=SimpleNamespace(table=None)), message, "here")  # type: ignore[arg-type]


def test_a_move_of_before_a_restart_is_held_against_where_it_went_then() -> None:
    """Recalled from the record it is told by the clock of today, which is further ahead of the record's."""
    truths = [Truth(t, {"Red 1": Pose(t, 0.0)}, frozenset()) for t in (1.0, 2.0, 3.0, 9.0, 10.0)]
    past = Past(truths, [(1.0, 0.5), (9.0, 5.0)])
    assert [past.at(t).time for t in (6.5, 7.5, 9.0, 10.0)] == [2.0, 3.0, 9.0, 10.0]
    assert [one.time for one in past.between(5.5, 7.5)] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(("hidden", "back"), [(frozenset({"Red 1"}), 4), (frozenset(), 0)])
def test_a_covered_piece_that_is_back_where_it_began_was_not_seen_to_go(
    hidden: frozenset[str], back: int
) -> None:
    """What it went from there on was measured; of all that was seen, nothing is left out."""
    went = [
        (Pose(x, 0.0), Truth(0.0, {}, hidden if covered else frozenset()))
        for x, covered in ((0.0, False), (5.0, True), (5.0, True), (2.0, True), (0.1, False), (4.0, False))
    ]
    assert _back(went, "Red 1") == back


def test_what_nobody_has_named_truly_hides() -> None:
    """What is sure past a thing is held against a table on which it stands as terrain."""
    cars = [car("Red 1", 10.0, 10.0), car("Blue 1", 30.0, 10.0)]
    thing = Thing(ThingName("Thing 1"), Region.rectangle(18.0, 7.0, 3.0, 6.0), 0.05)
    asked = replace(TableState.of(Region.rectangle(0, 0, 48, 48), cars), things=(thing,))
    truth = Truth(0.0, {c.name: c.pose for c in cars}, frozenset())
    one, other, named = true_table(asked, truth).standings
    ends = (one.piece.body.footprint.outline, other.piece.body.footprint.outline)
    assert sight(one, ends[0], other, ends[1], [named]).at_least(0.0).verdict() is Verdict.NO
    assert asked.hiding_between(*cars) == ("Thing 1",)


@pytest.mark.parametrize(("plain", "told"), [(False, False), (True, True)])
def test_a_sight_that_could_be_read_either_way_is_no_lie(plain: bool, told: bool) -> None:
    """Of what is sure to one in eighty, one in eighty is told the wrong way; its number is no depth."""
    first = Event("action", {}, "Green: Rifle at Red 1", "")
    seen, hidden = (
        Check("Line of Sight", verdict, 14.9, 0.0, sign * 14.9, 0.1, p, "", "past Mug", "")
        for verdict, sign, p in ((Verdict.YES, 1.0, 0.9875), (Verdict.NO, -1.0, 0.0))
    )
    with pytest.raises(Violation) if told else nullcontext():
        _held_true(first, seen, hidden, alike=False, plain=plain)


def test_what_is_elsewhere_than_in_the_picture_before_does_not_rest_yet() -> None:
    """As a tracker has it: a car that was turned on the spot has left, though no hand lay over it."""
    scene = duel_scene()
    hands = Hands(scene, "noise")
    eyes, name = Eyes(hands, parse_table(scene.to_toml(), "here")), next(iter(hands.poses))

    def looked() -> Status:
        hands.want()
        return eyes.step(hands.read()).table.find(name).status

    assert looked() is looked() is Status.STILL
    hands.poses[name] = hands.ahead(name, 0.0, 0.5)
    assert [looked(), looked()] == [Status.MOVING, Status.STILL]
