from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import TableRefError
from engine.measure.sweep import Straight, Turn
from engine.motion.moves import Move
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Status
from server.pipeline.referee import Moment
from server.pipeline.runner import Snapshot
from server.play.consent import COUNTS
from server.play.host import MatchHost
from server.play.messages import from_player
from server.play.moving.move_guide import MoveGuide
from server.web.authentication import Identity
from tests.hand import Habits, push
from tests.server.fakes import STANDINGS, HandMoved, KnowsAll, wait_until
from tests.server.gaming import DRAFT, Player, Table, begun, gaming

STEADY = Habits(wobble=0.008, wobble_turn=0.004, slip=0.002, slip_turn=0.001, missed=0.0, speed=6.0)
PATIENCE = 120.0


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming(screen=True) as one:
        yield one


def drive(table: Table, car: str, *steps: Straight | Turn, rests: bool = True, share: float = 1.0) -> None:
    """A hand pushes a car, and the camera sees every frame of it."""
    axle = float(STANDINGS[car][0].body.rear_axle[0])
    steps = tuple(Turn(s.angle, (axle, 0.0)) if isinstance(s, Turn) else s for s in steps)
    here = table.source.poses[car]
    one = push(steps, np.random.default_rng(3), model="sedan", start=here, habits=STEADY, fps=15)
    for pose in one.track[1 : max(int(len(one.track) * share), 2)]:
        table.source.statuses[car] = Status.MOVING
        put(table, car, pose)
    if rests:
        put(table, car, one.end)
        table.source.statuses[car] = Status.STILL


def put(table: Table, car: str, pose: Pose) -> None:
    table.source.move(car, pose)
    number = table.live.snapshot.number
    wait_until("a frame", lambda: table.live.snapshot.number > number + 1)


def shown(player: Player, phase: str) -> dict:
    message = player.hear_until(lambda m: m.get("guide") is not None and m["guide"]["phase"] == phase)
    return dict(message["guide"])


def marked(seen: dict, role: str) -> list:
    """The points of every mark of that role."""
    return [mark["points"] for mark in seen["marks"] if mark["role"] == role]


def take(owner: Player, seen: dict) -> dict:
    """The game takes the move that a page names."""
    data = {"car": seen["piece"], "move": seen["move"], **seen["said"]}
    return owner.ask(type="act", kind=seen["kind"], data=data)


def choosing(table: Table, owner: Player, car: str, speed: int) -> None:
    """The game is at the point where that car is to be driven at that Speed."""
    begun(owner)
    owner.done(type="overrule", path=["cars", car, "speed"], value=speed, words="for the test")
    owner.done(type="act", kind="choose", data={"car": car})


def test_before_the_hand_moves_the_reachable_area_is_shown(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 4)
        seen = shown(owner, "ready")
        assert (seen["piece"], seen["kind"], seen["player"]) == ("RED2", "move", "Anna")
        xs = [x for ring in marked(seen, "reach") for x, _ in ring]
        # Four inches ahead of its front, and not more.
        assert max(xs) == pytest.approx(7.4 + 1.55 + 4.0, abs=0.15)


def test_while_the_hand_pushes_and_when_it_rests(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 5)
        drive(table, "RED2", Straight(2), Turn(math.radians(40)), Straight(3), rests=False, share=0.4)
        seen = shown(owner, "moving")
        while seen["progress"]["used"] < 1.0:
            seen = shown(owner, "moving")
        assert seen["progress"]["used"] < seen["progress"]["of"] == 5.0
        assert seen["headline"] == f"{5.0 - seen['progress']['used']:.1f}″ to go"
        assert seen["move"] is None
        assert seen["steps"][0].startswith("straight")
        assert len(marked(seen, "path")[0]) > 2
        assert len(marked(seen, "goal")[0]) >= 4


def test_a_legal_manoeuvre_is_taken_with_what_was_seen(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 5)
        drive(table, "RED2", Straight(2), Turn(math.radians(40)), Straight(3))
        seen = shown(owner, "rested")
        assert (seen["verdict"], seen["headline"], seen["reasons"]) == ("yes", "Legal", [])
        assert marked(seen, "goal") == []
        answer = take(owner, seen)
        assert answer["accepted"], answer
        action, moved = (
            next(e for e in table.host.match.log[-3:] if e.kind == k) for k in ("action", "moved")
        )
        # The page named the move; the record says where its track is.
        named = action.data["data"]["move"]
        assert (named["id"], named["piece"]) == (seen["move"], "RED2")
        assert named["since_s"] < named["until_s"]
        assert [s["kind"] for s in moved.data["steps"]] == ["straight", "turn", "straight"]
        assert sum(s.get("ahead", 0.0) for s in moved.data["steps"]) == pytest.approx(5, abs=0.1)


class OnePicture:
    """A runner that has told one moment, and has not woken anybody yet."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def watch(self, wake: Callable[[], None]) -> None:
        """Nobody is woken."""


def test_a_move_may_be_named_at_the_very_moment_when_it_ends(table):
    """Dice that are typed for it may come in before those who watch the table are woken."""
    with table.joined() as owner:
        choosing(table, owner, "RED2", 3)
        ended: list[Snapshot] = []

        def look() -> None:
            snapshot = table.live.snapshot
            if snapshot.moment is not None and snapshot.moment.moves:
                ended.append(snapshot)

        table.live.watch(look)
        drive(table, "RED2", Straight(3))
        seen = shown(owner, "rested")
        wait_until("the end of the move", lambda: ended)
        assert "RED2" not in ended[0].moment.under_way
        assert seen["move"] in MoveGuide(OnePicture(ended[0]), table.host).moves()


def test_what_is_off_is_said_and_put_right_on_the_ghost(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 3)
        start = table.source.poses["RED2"]
        drive(table, "RED2", Straight(4))
        seen = shown(owner, "rested")
        assert (seen["verdict"], seen["headline"]) == ("no", "Not legal")
        assert "too far" in seen["reasons"][0]["words"]
        assert seen["reasons"][0]["citation"] == "White Line Fever 0.9 · Maneuvers"
        assert "1.0″ away" in seen["words"]
        middle = np.mean(marked(seen, "goal")[0], axis=0)
        assert middle == pytest.approx(start.compose(Pose(3.0, 0.0)).xy, abs=0.1)
        desk = table.server.desk
        ben = desk.party(Identity("owner"))
        disputed = desk.freeze(ben, f"move:{seen['move']}").dispute
        assert disputed.evidence.question.pieces == ("RED2",)
        assert disputed.evidence.question.data["id"] == seen["move"]
        assert (disputed.evidence.handed_in, disputed.ruling.verdict) == (True, "no")
        desk.release(ben)
        with pytest.raises(TableRefError, match="this cannot be disputed any more"):
            desk.freeze(ben, "move:x")
        refused = owner.ask(type="act", kind="move", data={"car": "RED2", "move": seen["move"]})
        assert not refused["accepted"]
        assert all(r["open"] for r in refused["reasons"])
        # The hand pulls it back to where the ghost stands.
        table.source.statuses["RED2"] = Status.MOVING
        for inches in (3.7, 3.3, 3.0, 3.0):
            put(table, "RED2", start.compose(Pose(inches, 0.0)))
        table.source.statuses["RED2"] = Status.STILL
        seen = dict(
            owner.hear_until(
                lambda m: (m.get("guide") or {}).get("verdict") == "yes",
            )["guide"]
        )
        assert seen["headline"] in ("Legal", "Corrected")
        assert take(owner, seen)["accepted"]


def test_a_move_that_rests_can_be_disputed_until_it_is_taken_however_long_it_rests(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 3)
        drive(table, "RED2", Straight(4))
        seen = shown(owner, "rested")
        wait_until("the end of the move", lambda: not table.live.moment.under_way)
        desk = table.server.desk
        (rests,) = desk.offered()
        desk.ring.seconds = 0.5
        wait_until("the frames of then to go", lambda: desk.ring.shots[0].time > rests.at)
        assert [subject.key for subject in desk.offered()] == [f"move:{seen['move']}"]
        disputed = desk.freeze(desk.party(Identity("owner"))).dispute
        assert disputed.evidence.table.find("RED2").status is Status.STILL
        assert (disputed.evidence.note, disputed.ruling.verdict) == ("", "no")
        # What is decided of it is said of this very move.
        desk.propose(desk.party(Identity("owner")), "yes")
        assert table.host.match.log[-1].data[COUNTS] == seen["move"]


def test_whoever_moved_reads_that_a_move_counts_by_a_dispute(table):
    """It said that it would be proposed, and another has to agree, though both had settled it."""
    with table.joined() as owner, table.joined("player") as anna:
        choosing(table, owner, "RED2", 3)
        anna.done(type="sit", player="Anna")
        drive(table, "RED2", Straight(4))
        shown(owner, "rested")
        wait_until("the end of the move", lambda: not table.live.moment.under_way)

        def leads(state: dict, which: str = "settled") -> str:
            options = (state["match"] or {}).get("options", ())
            moves = [o for o in options if o["kind"] == "move" and o["measuring"]]
            return "".join(o["measuring"][which] for o in moves)

        anna.shows(lambda s: leads(s, "words").startswith("It is proposed: Ben") and not leads(s))
        desk = table.server.desk
        desk.freeze(desk.party(Identity("owner")))
        desk.propose(desk.party(Identity("owner")), "yes")
        anna.shows(lambda s: leads(s) == "It counts at once: the owner of the table settled it.")
        # What is said in the place of the measured move is proposed as ever.
        assert leads(anna.state, "words").startswith("It is proposed: Ben")
        data = {"car": "RED2", "move": anna.state["guide"]["move"], "ruled": "yes"}
        assert anna.ask(type="act", kind="move", player="Anna", data=data)["accepted"]


def test_a_contact_is_seen_and_not_asked(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 6)
        ahead = table.source.poses["RED2"].compose(Pose(2.0 + 3.1 / 2 + 2.98 / 2, 0.0))
        put(table, "BLUE1", ahead)
        drive(table, "RED2", Straight(2.02))
        seen = shown(owner, "rested")
        assert seen["verdict"] == "yes"
        assert seen["facts"] == ["It touches BLUE1."]
        assert take(owner, seen)["accepted"]
        moved = next(e for e in table.host.match.log if e.kind == "moved")
        assert [c["other"] for c in moved.data["contacts"]] == ["BLUE1"]


def test_a_barricade_ends_the_way(table):
    with table.joined() as owner:
        choosing(table, owner, "RED2", 5)
        laid = {"name": "Wall", "weapon": "Barricade", "dropped_by": "BLUE1", "at": [12.5, 21.6, 0.0]}
        owner.done(type="overrule", path=["tokens"], value={"Wall": laid}, words="laid earlier")
        drive(table, "RED2", Straight(2.5))
        seen = shown(owner, "rested")
        assert (seen["headline"], seen["take"]) == ("Legal", "Done: it hit Wall")
        answer = take(owner, seen)
        assert answer["accepted"], answer
        assert any(e.kind == "triggered" for e in table.host.match.log)


def test_nothing_is_shown_when_nobody_is_to_drive_or_the_players_say_it_themselves(table):
    with table.joined() as owner:
        begun(owner)
        drive(table, "BLUE1", Straight(2))
        assert table.host.match.state.round.driver == "Anna"
        owner.done(type="act", kind="choose", data={"car": "RED2"})
        assert shown(owner, "ready")["piece"] == "RED2"
        owner.done(type="modes", modes={"moves": "ask"})
        owner.hear_until(lambda m: "guide" in m and m["guide"] is None)


def test_a_drive_counts_once_whoever_wakes_the_screen_and_nobody_waits_for_a_page() -> None:
    """Events that are safe wake it, too, from another thread; meanwhile a page may be told at length."""
    source = HandMoved()
    source._go.set()  # at once, and not as fast as a camera
    moments = followed(source, KnowsAll(source))
    asks, may = threading.Event(), threading.Event()
    live, host = Recorded(), driving_red2()
    screen = MoveGuide(live, host)  # type: ignore[arg-type]
    asked = screen._ask

    def slowly() -> None:
        asks.set()
        assert may.wait(PATIENCE)
        asked()

    screen._ask = slowly  # type: ignore[method-assign]
    live.snapshot = Snapshot(moment=moments[0])
    page = threading.Thread(target=screen.view, args=(live.snapshot,))
    page.start()
    assert asks.wait(PATIENCE)
    # The page holds the screen: whoever sees goes on all the same.
    live.wake()
    live.snapshot = Snapshot(moment=next(m for m in moments if m.moves))
    wakers = [threading.Thread(target=live.wake) for _ in range(4)]
    for one in wakers:
        one.start()
    may.set()
    for one in (page, *wakers):
        one.join(PATIENCE)
    seen = screen.view(live.snapshot)
    assert seen is not None
    assert seen.phase == "rested"
    # Told twice, it would be twice as long.
    assert seen.progress is not None
    assert seen.progress["used"] == pytest.approx(4.0, abs=0.05)
    (path,) = (mark["points"] for mark in seen.marks if mark["role"] == "path")
    assert len(path) == len(set(map(tuple, path)))


def test_what_was_told_at_rest_is_over_as_soon_as_the_hand_is_back() -> None:
    """It hides the tag: what was said of the try that rested would stand there with its button."""
    source, live, referee, screen = driven_to_rest()
    rested = screen.view(live.snapshot)
    assert rested is not None
    assert (rested.phase, bool(rested.take)) == ("rested", True)
    source.statuses["RED2"] = Status.HELD
    for _ in range(10):
        live.snapshot = Snapshot(moment=referee.step(source.read()))
        live.wake()
    seen = screen.view(live.snapshot)
    assert seen is not None
    assert (seen.phase, seen.take, seen.reasons) == ("moving", "", [])
    source.statuses["RED2"] = Status.STILL
    for _ in range(10):
        live.snapshot = Snapshot(moment=referee.step(source.read()))
        live.wake()
    again = screen.view(live.snapshot)
    assert again is not None
    assert (again.phase, again.move) == ("rested", rested.move)


def test_a_move_that_was_taken_while_it_rested_and_undone_is_pushed_on_once() -> None:
    """What rests a moment is told as a part of what follows: its way is not counted twice."""
    source, live, host = HandMoved(), Recorded(), driving_red2()
    source._go.set()  # at once, and not as fast as a camera
    referee = KnowsAll(source)
    host.seeing._table = lambda: None if live.snapshot.moment is None else live.snapshot.moment.table
    screen = MoveGuide(live, host)  # type: ignore[arg-type]
    start = source.poses["RED2"]

    def seen(status: Status, inches: float) -> Moment:
        source.statuses["RED2"] = status
        source.move("RED2", start.compose(Pose(inches, 0.0)))
        moment = referee.step(source.read())
        live.snapshot = Snapshot(moment=moment)
        live.wake()
        screen.view(live.snapshot)
        return moment

    for inches in (0.0, 0.0, 1.0, 2.0, 3.0, 4.0):
        seen(Status.MOVING if inches else Status.STILL, inches)
    seen(Status.STILL, 4.0)
    (lies,) = screen.moves().values()
    for request in (
        {"type": "act", "kind": "move", "data": {"car": "RED2", "move": lies.id}},
        {"type": "undo"},
    ):
        asked = from_player.validate_python({**request, "key": f"key-{request['type']}-1"})
        assert host.ask(Identity("owner"), asked).accepted
    (again,) = screen.moves().values()
    assert again.id == lies.id
    seen(Status.MOVING, 4.5)
    seen(Status.MOVING, 5.0)
    for count in range(200):
        if seen(Status.STILL, 5.0).moves:
            break
        assert count < 199
    (whole,) = screen.moves().values()
    times = [read.time for read in whole.reads]
    assert times == sorted(set(times))
    assert whole.since == lies.since
    assert whole.recognised().length.value == pytest.approx(5.0, abs=0.05)


def test_a_car_that_is_nudged_after_its_drive_has_driven_to_where_it_rests_now() -> None:
    """A sleeve turns it by four degrees: that is no move of its own, and the drive is not lost for it."""
    source, live, referee, screen = driven_to_rest()
    (driven,) = screen.moves().values()
    there = source.poses["RED2"]

    def rests(*ways: Pose) -> dict[str, Move]:
        for pose in ways:
            source.statuses["RED2"] = Status.MOVING
            source.move("RED2", pose)
            live.snapshot = Snapshot(moment=referee.step(source.read()))
            live.wake()
        source.statuses["RED2"] = Status.STILL
        for _ in range(10):
            live.snapshot = Snapshot(moment=referee.step(source.read()))
            live.wake()
        return dict(screen.moves())

    nudged = there.compose(Pose(0.04, 0.05, math.radians(4.0)))
    (move,) = rests(there.compose(Pose(0.02, 0.0, 0.02)), nudged).values()
    assert (move.id, move.since, move.before) == (driven.id, driven.since, driven.before)
    assert math.dist(move.after.pose.xy, nudged.xy) < 0.02
    assert math.degrees(wrap_angle(move.after.pose.heading - there.heading)) == pytest.approx(4.0, abs=0.5)
    # What nobody saw it do is no nudge: it rests elsewhere, and the table counts.
    source.move("RED2", there.compose(Pose(3.0, 0.0)))
    assert rests() == {}


def driven_to_rest() -> tuple[HandMoved, Recorded, KnowsAll, MoveGuide]:
    """RED2 has been driven four inches, each picture seen as it came, and rests."""
    source, live = HandMoved(), Recorded()
    source._go.set()  # at once, and not as fast as a camera
    referee = KnowsAll(source)
    screen = MoveGuide(live, driving_red2())  # type: ignore[arg-type]
    for moment in followed(source, referee):
        live.snapshot = Snapshot(moment=moment)
        live.wake()
    return source, live, referee, screen


def driving_red2() -> MatchHost:
    """A game in which RED2 is to be driven four inches."""
    host = MatchHost()
    for request in (
        {"type": "setup", "draft": DRAFT},
        {"type": "begin"},
        *(
            {"type": "act", "kind": "deploy", "data": {"car": car}}
            for car in ("RED1", "BLUE1", "RED2", "BLUE2")
        ),
        {"type": "overrule", "path": ["cars", "RED2", "speed"], "value": 4, "words": "for the test"},
        {"type": "act", "kind": "choose", "data": {"car": "RED2"}},
    ):
        asked = from_player.validate_python({**request, "key": f"key-{id(request)}"})
        answer = host.ask(Identity("owner"), asked)
        assert answer.accepted, answer
    return host


class Recorded:
    """A table whose moments were seen before."""

    def __init__(self) -> None:
        self.snapshot = Snapshot()
        self.wake: Callable[[], None] = lambda: None

    def watch(self, wake: Callable[[], None]) -> Callable[[], None]:
        self.wake = wake
        return lambda: None

    @staticmethod
    def clock() -> float:
        return 0.0


def followed(source: HandMoved, referee: KnowsAll) -> list[Moment]:
    """RED2 rests, goes four inches ahead, and rests until that is a drive."""
    start = source.poses["RED2"]
    moments = [referee.step(source.read()) for _ in range(3)]
    source.statuses["RED2"] = Status.MOVING
    for inches in (1.0, 2.0, 3.0, 4.0):
        source.move("RED2", start.compose(Pose(inches, 0.0)))
        moments.append(referee.step(source.read()))
    source.statuses["RED2"] = Status.STILL
    while not moments[-1].moves:
        assert len(moments) < 200
        moments.append(referee.step(source.read()))
    return moments


def test_a_game_that_stumbles_over_a_move_says_so_and_nothing_of_what_it_stumbled_over() -> None:
    """What an error says is for the log: it may name what somebody chose in secret."""
    host = driving_red2()
    assert host.match is not None

    def stumbles(*_: object) -> None:
        raise KeyError("what somebody chose")

    host.match.game = replace(host.match.game, guide=stumbles)
    source, live = HandMoved(), Recorded()
    source._go.set()
    screen = MoveGuide(live, host)  # type: ignore[arg-type]
    live.snapshot = Snapshot(moment=KnowsAll(source).step(source.read()))
    shown = screen.view(live.snapshot)
    assert shown is not None
    assert shown.words == "White Line Fever failed: KeyError; see the log"
