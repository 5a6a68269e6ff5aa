"""Moves are measured, or told as not measured: nobody logs a shove as a clean move by himself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from engine.game.contract import Option, Seen
from engine.game.events import event_from_json, event_to_json
from engine.game.log.places import place_of
from engine.game.match import Match
from engine.game.showing import Awaited
from engine.measure.sweep import Straight
from engine.space.geometry import Pose, Region
from engine.space.table import Status, TableState
from server.play.messages import Act
from server.play.moving.measuring import happened, lacks
from tests.engine.tables import block, car
from tests.server.gaming import DRAFT, Player, Table, begun, gaming
from tests.server.play.moving.test_move_guide import drive, put, shown, take

WHY = "its tag is covered"


@pytest.fixture
def table() -> Iterator[Table]:
    with gaming(screen=True) as one:
        yield one


def chosen(owner: Player, car: str = "RED1", speed: int = 4) -> None:
    """Anna's car has to be driven now."""
    begun(owner)
    owner.done(type="overrule", path=["cars", car, "speed"], value=speed, words="for the test")
    owner.done(type="act", kind="choose", data={"car": car})


def shove(table: Table, car: str, sideways: float, ahead: float = 0.0) -> None:
    """A hand pushes a car sideways, and some inches ahead, without a look at the rules."""
    here = table.source.poses[car]
    way = here.to_table(((ahead, sideways),))[0] - here.xy
    table.source.statuses[car] = Status.MOVING
    for share in (0.25, 0.5, 0.75, 1.0):
        x, y = here.xy + way * share
        put(table, car, Pose(float(x), float(y), here.heading))
    table.source.statuses[car] = Status.STILL
    put(table, car, table.source.poses[car])


def logged(table: Table, kind: str) -> list:
    assert table.host.match is not None
    return [event for event in table.host.match.log if event.kind == kind]


def option(player: Player, kind: str, piece: str) -> dict:
    """As the newest state that offers it has it."""

    def offers(message: dict) -> list:
        match = message.get("match")
        return (
            [] if match is None else [o for o in match["options"] if (o["kind"], o["piece"]) == (kind, piece)]
        )

    return dict(offers(player.hear_until(offers))[0])


def seated(player: Player, name: str) -> Player:
    player.done(type="sit", player=name)
    return player


TYPED = (
    {},
    {"steps": [{"kind": "straight", "ahead": 4.0}]},
    {"contacts": ["mug"]},
    {"left_surface": True},
    {"from": [1, 1, 0], "to": [5, 1, 0]},
)
"""What a page, or a program in its place, may say of a move besides."""


def test_neither_a_car_that_did_not_move_nor_a_shove_is_logged_as_clean(table):
    with table.joined() as owner:
        chosen(owner)
        for more in ({"move": None}, *TYPED):
            refused = owner.act("move", car="RED1", **more)
            assert not refused["accepted"], more
            # Where the table contradicts what is typed, that is said first.
            expected = "from where it is said to have gone" if "to" in more else "not measured"
            assert expected in refused["reasons"][0]["words"], more
            # Nor do the words by which a close call is accepted help.
            assert not owner.act("move", car="RED1", ruled="yes", **more)["accepted"]
        # Short enough for every inch of it to be seen.
        shove(table, "RED1", -2.4, ahead=0.5)
        seen = shown(owner, "rested")
        assert seen["verdict"] == "no"
        for more in TYPED:
            assert not owner.act("move", car="RED1", move=seen["move"], **more)["accepted"], more
        assert logged(table, "moved") == []
        # Measured and accepted as it stands, it says what the players accept.
        assert take(owner, seen)["accepted"]
        assert logged(table, "moved")[-1].measured is True
        assert logged(table, "ruled")


def test_a_move_counts_without_a_measurement_by_the_ruling_of_another_player(table):
    with table.joined() as owner, table.joined("player") as first, table.joined("player") as second:
        chosen(owner)
        anna, ben = seated(first, "Anna"), seated(second, "Ben")
        deed = {"type": "act", "kind": "move", "data": {"car": "RED1"}, "unmeasured": WHY}
        # Anna cannot grant it to herself, in nobody's name either; nor does an empty reason do.
        for hostile in ({"player": "Anna"}, {}, {"player": "Ben"}):
            assert not anna.ask(**deed, **hostile)["accepted"]
        with pytest.raises(ValidationError):
            Act(**deed | {"unmeasured": "  ", "key": "key-00000000"})
        assert not ben.ask(**deed, player="Ben")["accepted"]
        # Nor does Ben end Anna's move: he agrees to what she has proposed.
        assert "cannot act for Anna" in ben.ask(**deed, player="Anna")["error"]
        assert logged(table, "moved") == []
        assert anna.ask(**deed)["proposed"] == ["Ben"]
        agreed(ben)
        (ruling,) = logged(table, "unmeasured")
        assert (ruling.data["by"], ruling.data["why"], ruling.tone) == ("Ben", WHY, "ruling")
        assert ruling.words == f"Ben accepts the move of RED1 without measuring: {WHY}"
        (moved,) = logged(table, "moved")
        assert moved.measured is False


def agreed(player: Player) -> None:
    """Somebody agrees to the one thing that is proposed to them."""
    state = player.shows(lambda s: any(one["mine"] for one in (s["match"] or {}).get("proposals", ())))
    (one,) = [one for one in state["match"]["proposals"] if one["mine"]]
    player.done(type="agree", proposal=one["id"])


def test_nobody_accepts_their_own_shove_as_it_stands(table):
    with table.joined() as owner, table.joined("player") as first, table.joined("player") as second:
        chosen(owner)
        anna, ben = seated(first, "Anna"), seated(second, "Ben")
        shove(table, "RED1", -2.4, ahead=0.5)
        seen = shown(owner, "rested")
        assert seen["said"] == {"ruled": "yes"}
        deed = {"type": "act", "kind": "move", "dice": None}
        data = {"car": "RED1", "move": seen["move"]}
        reasons = anna.ask(**deed, data=data)["reasons"]
        assert reasons
        for ruled in ("yes", {reason["words"]: "yes" for reason in reasons}):
            for hostile in ({}, {"player": "Anna"}, {"player": "Ben"}):
                said = {**data, "ruled": ruled, "ruled_by": "Ben"}
                assert not anna.ask(**deed, data=said, **hostile)["accepted"], (ruled, hostile)
        assert logged(table, "moved") == []
        theirs = {**data, "ruled": "yes", "ruled_by": "Anna"}
        assert "cannot act for Anna" in ben.ask(**deed, data=theirs, player="Anna")["error"]
        agreed(ben)
        assert {event.data["by"] for event in logged(table, "ruled")} == {"Ben"}
        assert logged(table, "moved")[-1].measured is True


def test_nobody_acts_for_others_by_accepting(table):
    with table.joined() as owner, table.joined("player") as phone:
        chosen(owner)
        ben = seated(phone, "Ben")
        drive(table, "RED1", Straight(4))
        seen = shown(owner, "rested")
        data = {"car": "RED1", "move": seen["move"]}
        refused = ben.ask(type="act", kind="move", player="Anna", data=data, unmeasured=WHY)
        assert "cannot act for Anna" in refused["error"]
        refused = owner.ask(type="act", kind="move", player="Anna", data=data, unmeasured=WHY)
        assert "as it was measured" in refused["error"]
        assert take(owner, seen)["accepted"]
        refused = ben.ask(type="act", kind="end", player="Anna", data={}, unmeasured=WHY)
        assert not refused["accepted"]
        assert logged(table, "moved")[-1].measured is True


def test_a_page_is_told_what_is_measured(table):
    with table.joined() as owner, table.joined("player") as first, table.joined("player") as second:
        begun(owner)
        anna, ben = seated(first, "Anna"), seated(second, "Ben")
        owner.done(type="act", kind="choose", data={"car": "RED1"})
        for player, may in ((anna, True), (ben, False), (owner, True)):
            found = option(player, "move", "RED1")["measuring"]
            assert (found["measured"], found["may"], found["happened"]) == (False, may, False)
            assert found["lacks"] == "RED1 has not moved yet."
        # Nobody accepts what has not been made: whoever says it is told to make it.
        refused = anna.ask(type="act", kind="move", data={"car": "RED1"})
        assert refused["reasons"][0]["words"] == (
            "this was not measured: RED1 stands where it stood, so move it first"
        )
        assert owner.ask(type="act", kind="move", data={"car": "RED1"}, unmeasured=WHY)["accepted"]
        heard = ben.hear_until(lambda m: m["type"] == "play" and m["number"] >= table.host.number)
        (line,) = (one for one in heard["match"]["log"] if "performs Maneuver" in one["words"])
        assert line["measured"] is False


def test_where_players_say_their_moves_they_are_told_as_not_measured(table):
    with table.joined() as owner:
        begun(owner)
        owner.done(type="modes", modes={"dice": "roll", "moves": "ask", "questions": "see"})
        owner.done(type="act", kind="choose", data={"car": "RED1"})
        assert owner.act("move", car="RED1")["accepted"]
        (moved,) = logged(table, "moved")
        assert moved.measured is False
        assert logged(table, "unmeasured") == []


def test_what_was_accepted_is_kept_by_the_record(table):
    with table.joined() as owner:
        chosen(owner)
        assert owner.ask(type="act", kind="move", data={"car": "RED1"}, unmeasured=WHY)["accepted"]
        match = table.host.match
        assert match is not None
        told = [event_from_json(event_to_json(event)) for event in match.log]
        assert [e.measured for e in told] == [e.measured for e in match.log]
        # Ruled again, the players' ruling stands.
        again = Match.again(match.game, told)
        assert [e.words for e in again.log if e.kind == "unmeasured"] == [
            f"the owner of the table accepts the move of RED1 without measuring: {WHY}"
        ]
        assert again.state == match.state


def test_what_is_put_down_in_sight_has_nothing_to_be_accepted(table: Table) -> None:
    """It was offered, and refused: where it stands is seen."""
    pieces = [
        {"name": name, "owner": owner, "answers": {"engine": "Big Six"}}
        for name, owner in (("RED1", "Anna"), ("BLUE1", "Ben"))
    ]
    draft = {**DRAFT, "game": "car_cult", "pieces": pieces, "answers": {}}
    with table.joined() as owner, table.joined("player") as phone:
        owner.done(type="setup", draft=draft)
        owner.done(type="begin")
        anna = seated(phone, "Anna")

        def hers(state: dict) -> list[dict]:
            options = [] if state["match"] is None else state["match"]["options"]
            return [o for o in options if o["piece"] == "RED1" and o["measuring"]["may"]]

        (found,) = hers(anna.shows(hers))
        assert not found["measuring"]["happened"]
        refused = anna.ask(type="act", kind="deploy", data=found["data"] | {"tokens": 1}, unmeasured=WHY)
        assert "nothing is to be accepted" in refused["error"]


@pytest.mark.parametrize("stays", [False, True])
def test_what_ends_where_it_stands_may_be_accepted_without_being_touched(table: Table, stays: bool) -> None:
    """No push is to be seen of it, and nothing else would be there to tap."""
    with table.joined() as owner:
        chosen(owner)
        match, seen = table.host.match, table.host.seeing.now(table.host.owners)
        assert match is not None
        awaited = Awaited("RED1", "move", "Anna", "turn 1", stays=stays)
        game = SimpleNamespace(awaits=lambda _state: (awaited,))
        assert happened("RED1", SimpleNamespace(game=game, state=None, places=match.places), seen) is stays  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "against"),
    [
        (Pose(30.0, 30.0), False),
        (Pose(30.0, 0.9), False),
        (Pose(30.0, 0.6), True),
        (Pose(46.8, 20.0), True),
        (Pose(13.0, 10.0), True),
        (Pose(12.6, 10.0), False),
    ],
    ids=["open", "near the edge", "edge", "over the edge", "wall", "near a wall"],
)
def test_what_stands_against_something_may_be_accepted_without_being_touched(at: Pose, against: bool) -> None:
    """A car that is held where it stands cannot be pushed, and nothing else would be there to tap."""
    here = car("RED1", at.x, at.y)
    table = TableState(0.0, Region.rectangle(0, 0, 48, 48), (here, block("Rocks", 15.0, 10.0, 1.0, 4.0)))
    awaited = Awaited("RED1", "move", "Anna", "turn 1")
    game = SimpleNamespace(awaits=lambda _state: (awaited,))
    match = SimpleNamespace(game=game, state=None, places={"RED1": place_of(here)})
    assert happened("RED1", match, Seen(table)) is against  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "status", "words"),
    [
        (Pose(30.0, 30.0), Status.STILL, "RED1 has not moved yet."),
        (Pose(30.0, 0.6), Status.STILL, "RED1 has not moved yet."),
        (Pose(30.0, 30.0), Status.LOST, "RED1 is not seen."),
        (None, Status.STILL, "RED1 is not seen."),
        (Pose(30.0, 30.0), Status.HELD, "The camera has not measured RED1 yet."),
        (Pose(33.0, 30.0), Status.STILL, "The camera has not measured RED1 yet."),
    ],
    ids=["still", "at the edge", "lost", "never seen", "held", "elsewhere"],
)
def test_it_is_said_why_nothing_is_measured(at: Pose | None, status: Status, words: str) -> None:
    left = Pose(30.0, 30.0) if at is None or at.x != 30.0 else at
    there = () if at is None else (replace(car("RED1", at.x, at.y), status=status),)
    seen = Seen(TableState(0.0, Region.rectangle(0, 0, 48, 48), there))
    match = SimpleNamespace(places={"RED1": place_of(car("RED1", left.x, left.y))})
    assert lacks(Option("move", "Anna", "Drive", piece="RED1"), match, seen) == words  # type: ignore[arg-type]
