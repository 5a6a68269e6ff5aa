"""Vehicles that are put down on the road, and what is offered and said as the table has it."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from engine.boards.road import Road
from engine.game.events import Action
from engine.game.match import Match
from engine.games.shattered_highways.game import GAME
from engine.games.shattered_highways.rules.moves import facing
from engine.games.shattered_highways.state import due
from engine.space.geometry import Pose
from engine.space.table import Standing, TableState
from tests.engine.games.shattered_highways.hands import SD, Hands, guide, road_match
from tests.engine.games.shattered_highways.highway import SURFACE, car, rig, wall
from tests.engine.games.shattered_highways.playing import begun, piece

NARROW = Road(48.0, 8.0, frame=Pose(0.0, 8.0))
"""A road that is narrower than the table: from 8 to 16 inches across it."""


def deploying(
    *standings: Standing | tuple[Standing, ...], first: str = "Red", mode: str = "anywhere"
) -> Hands:
    """Red's Rig and Red 2 against Blue 1 and Blue 2, before anybody has put one down."""
    given = {
        "players": ["Red", "Blue"], "deployment": mode, "points": 500,
        "pieces": [piece("Red 1", "Rig"), piece("Red 2"), piece("Blue 1"), piece("Blue 2")],
    }  # fmt: skip
    hands = Hands(Match.begin(GAME, given), *standings)
    hands.board = NARROW
    hands.do("first", (6, 5) if first == "Red" else (5, 6))
    return hands


def headline(hands: Hands, name: str) -> str:
    """What the screen says of a vehicle that has been put down."""
    awaited = next(one for one in GAME.awaits(hands.match.state) if one.piece == name)
    here = hands.table.find(name).pose
    hands.put(name, (here.x, here.y, here.heading))
    (move,) = hands.moves.values()
    return GAME.guide(hands.match.state, awaited, move, hands.table).headline


@pytest.mark.parametrize(
    ("trailer", "words"),
    [
        ((0.0, 0.0, 0.0), []),
        ((-1.9, 0.0, 0.0), ["Red 1 trailer is 1.90 in off the hitch of Red 1"]),
        ((0.0, 0.0, 11.0), ["Red 1 trailer stands 11.0° off the road's direction", "off the hitch"]),
        ((-12.0, 0.0, 0.0), ["it overlaps Red 2 by", "off the hitch of Red 1"]),
        ((0.0, -4.0, 0.0), ["Red 1 trailer reaches 0.62 in beside the road", "off the hitch"]),
    ],
)
def test_a_rig_is_put_down_with_its_trailer(trailer: tuple[float, float, float], words: list[str]) -> None:
    """ "Vehicles are all placed facing in the same direction": all of each, and on its hitch."""
    tractor, behind = rig("Red 1", 24.0, 12.0, sd=0.01)
    x, y, degrees = trailer
    pose = Pose(behind.pose.x + x, behind.pose.y + y, math.radians(degrees))
    hands = deploying((tractor, replace(behind, pose=pose)), car("Red 2", 8.0, 12.0, sd=0.01))
    against = hands.against("deploy", vehicle="Red 1")
    assert len(against) == len(words)
    assert all(any(part in reason for reason in against) for part in words), against
    assert (headline(hands, "Red 1") == "It stands right") is (not words)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (20.0, 12.0, ""), (20.0, 8.65, ""), (20.0, 4.6, "Blue 2 reaches 4.00 in beside the road"),
        (20.0, 20.0, "Blue 2 reaches 4.60 in beside the road"),
        (0.5, 12.0, "Blue 2 reaches 0.98 in behind the road"), (20.0, 8.5, "too close to call"),
        (38.0, 12.0, "8.52 in, ±0.04 from the front edge, of 9 in"), (31.3, 12.3, "it overlaps Mug by"),
    ],
)  # fmt: skip
def test_a_vehicle_begins_on_the_road_and_upon_nothing(x: float, y: float, words: str) -> None:
    """The page shades the road alone; the players may accept another place."""
    hands = deploying(car("Blue 2", x, y, sd=0.03), wall("Mug", 33.0, 12.0), first="Blue")
    against = hands.against("deploy", vehicle="Blue 2")
    assert len(against) == bool(words), against
    assert words in "".join(against)
    assert (headline(hands, "Blue 2") == "It stands right") is (not words)
    assert hands.against("deploy", vehicle="Blue 2", ruled="yes") == []


def test_a_hidden_buggy_comes_out_upon_nothing() -> None:
    pieces = (piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    hands = Hands(begun(*pieces), rig("Red 1", 24.0, 12.0, sd=SD), car("Blue 1", 14.0, 12.0, sd=SD),
                  car("Red 2", 15.0, 12.0, sd=SD, model="buggy"))  # fmt: skip
    hands.do("launch", (3,), vehicle="Red 2", rig="Red 1")
    assert any("it overlaps Blue 1" in w for w in hands.against("placed", vehicle="Red 2", duty="deployed"))


def test_the_screen_says_whether_a_hidden_buggy_stands_right_and_takes_it_as_measured() -> None:
    """It said that where it has to stand was not seen, and took it as not measured."""
    pieces = (piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    hands = Hands(begun(*pieces), rig("Red 1", 30.0, 12.0, sd=SD), car("Blue 1", 40.0, 20.0, sd=SD),
                  car("Red 2", 4.0, 4.0, sd=SD, model="buggy"))  # fmt: skip
    hands.do("launch", (3,), vehicle="Red 2", rig="Red 1")
    hands.put("Red 2", (8.0, 12.0, 0.0))
    far = guide(hands)
    assert (far.headline, far.take) == ("Not there yet", "Accept it as it stands")
    assert "from Red 1, of 3 in" in far.words
    hands.put("Red 2", (20.0, 12.0, 0.0))
    near, action = guide(hands), Action("placed", "Red", {"vehicle": "Red 2", "duty": "deployed"})
    assert (near.headline, near.take) == ("It stands right", "It stands there")
    assert "within 3 in of it, facing along the road" in near.words
    assert GAME.measured(hands.match.state, action, hands.seen)


def test_a_buggy_that_leaves_a_decoupled_trailer_is_put_down_near_that() -> None:
    """It was to stand within 3 in of the tractor, which had driven on without the trailer."""
    pieces = (piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    match = begun(*pieces)
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    hands = Hands(match, rig("Red 1", 30.0, 12.0, sd=SD), car("Blue 1", 40.0, 20.0, sd=SD),
                  car("Red 2", 21.0, 12.0, sd=SD, model="buggy"))  # fmt: skip
    hands.do("decouple", (4, 4), vehicle="Red 1")
    while (owed := due(match.state)) is not None and owed.kind == "leap":
        hands.do("stay", warrior=owed.warrior)
    hands.do("wreck", behind=[])
    assert [duty.kind for duty in match.state.duties] == ["deployed"]
    assert hands.against("placed", vehicle="Red 2", duty="deployed") == []
    hands.put("Red 2", (15.0, 12.0, 0.0))
    assert any("from Red 1, of 3 in" in w for w in hands.against("placed", vehicle="Red 2", duty="deployed"))


def test_in_a_chase_the_others_start_behind_whoever_goes_first() -> None:
    """ "If one group is chasing the other, the chasers should start further back"."""
    red, blue = car("Red 2", 20.0, 12.0, sd=SD), car("Blue 1", 20.0, 14.5, sd=SD)
    hands = deploying(red, blue, car("Blue 2", 15.0, 10.0, sd=SD), mode="chase")
    assert "ahead of all the others'" in hands.option("deploy").heading_more
    hands.do("deploy", vehicle="Red 2")
    assert "behind all of Red's" in hands.option("deploy").heading_more
    assert "behind all of Red's" in guide(hands).words
    (beside,) = hands.against("deploy", vehicle="Blue 1")
    assert beside == "in this chase Blue 1 starts wholly behind Red 2: 2.95 in, ±0.03 short"
    assert hands.against("deploy", vehicle="Blue 1", ruled="yes") == []
    assert hands.against("deploy", vehicle="Blue 2") == []
    hands.do("deploy", vehicle="Blue 2")
    # And whoever is chased puts no second vehicle down among those behind.
    hands.table = TableState.of(SURFACE, [*hands.table.standings, *rig("Red 1", 18.0, 13.5, sd=SD)])
    assert "Red 1 starts wholly ahead of Blue 2" in "".join(hands.against("deploy", vehicle="Red 1"))
    assert headline(hands, "Red 1") == "Not there yet"


@pytest.mark.parametrize("first", ["Red", "Blue"])
@pytest.mark.parametrize("seed", range(6))
def test_the_machine_begins_a_chase_as_it_is_lawful(first: str, seed: int) -> None:
    """Whichever of its ways it takes there is room for the others."""
    chance = random.Random(seed)
    spare = [car("Red 2", 4.0, 3.0), car("Blue 1", 10.0, 3.0), car("Blue 2", 16.0, 3.0)]
    hands = deploying(rig("Red 1", 30.0, 3.0), *spare, first=first, mode="chase")
    while any(v.status == "waiting" for v in hands.match.state.vehicles):
        player = hands.match.options(hands.seen)[0].player
        assert player is not None
        ways = GAME.proposals(hands.match.state, hands.seen, player, chance)
        one = chance.choice([way for way in ways if way.kind == "deploy"])
        assert one.piece is not None
        end, here = one.way[-1], hands.table.find(one.piece).pose
        hands.push(one.piece, end.x - here.x, end.y - here.y)
        assert hands.against("deploy", vehicle=one.piece) == []
        hands.do("deploy", vehicle=one.piece)


def test_what_is_not_put_down_yet_is_out_of_no_place() -> None:
    """ "placing their first vehicle as they choose": also before, and in the turn of the others."""
    hands = deploying(rig("Red 1", 24.0, 12.0, sd=SD), car("Red 2", 10.0, 12.0, sd=SD),
                      car("Blue 1", 16.0, 10.0, sd=SD), car("Blue 2", 38.0, 2.0, sd=SD))  # fmt: skip
    # Where all stand is kept; then Red takes the Rig up, and puts it elsewhere.
    events = hands.match.propose(Action("deploy", "Red", {"vehicle": "Red 2"}), hands.seen)
    hands.match.commit(hands.match.with_places(tuple(events), hands.seen))
    assert {one.piece for one in GAME.awaits(hands.match.state)} == {"Blue 1", "Blue 2"}
    assert all(one.anywhere for one in GAME.awaits(hands.match.state))
    hands.push("Red 1", 3.0, 0.0)
    hands.push("Blue 2", 0.0, 9.0)
    hands.push("Red 2", 0.0, 2.0)
    hands.moves = {}
    assert [stray.piece for stray in hands.match.strays(hands.seen)] == ["Red 2"]


def test_a_hidden_buggy_may_come_from_anywhere() -> None:
    pieces = (piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    hands = Hands(begun(*pieces), rig("Red 1", 24.0, 12.0, sd=SD), car("Blue 1", 40.0, 20.0, sd=SD),
                  car("Red 2", 2.0, 2.0, sd=SD, model="buggy"))  # fmt: skip
    assert GAME.spare(hands.match.state, hands.seen) == ("Red 2",)
    hands.do("launch", (3,), vehicle="Red 2", rig="Red 1")
    (comes,) = GAME.awaits(hands.match.state)
    assert (comes.piece, comes.anywhere) == ("Red 2", True)


@pytest.mark.parametrize(("x", "there"), [(15.0, True), (4.0, False)])
def test_whoever_is_seen_behind_drag_chains_has_their_chance_first(x: float, there: bool) -> None:
    match = begun(piece("Red 1"), piece("Blue 1", chains=True))
    hands = Hands(match, car("Red 1", x, 12.0, sd=SD), car("Blue 1", 20.0, 12.0, sd=SD))
    move = hands.option("move")
    assert move.form.fields["dust"].usual is (True if there else None)
    figures = [(fact.words, fact.more.split(",")[0]) for fact in move.facts]
    behind = ("70 %", "3+ on a D10 −1" + " behind Drag Chains" * (not there))
    clear = ("80 %", "3+ on a D10" + " clear of Drag Chains" * there)
    assert figures == ([behind, clear] if there else [clear, behind])
    assert move.more == ("3 stays, 1 to 2 is Lost Control" if there else "2 stays, 1 is Lost Control")


@pytest.mark.parametrize(
    ("x", "y", "side"),
    [(20.0, 13.22, "left"), (20.0, 10.78, "right"), (22.97, 12.2, "front"), (17.03, 12.2, "rear")],
)
def test_a_ram_without_a_move_is_with_the_side_that_stands_against_the_other(
    x: float, y: float, side: str
) -> None:
    """ "both vehicles are already in position for the Ram"."""
    hands = road_match(Blue_1=(x, y), Blue_2=(40.0, 4.0))
    hands.match.overrule(("locked",), [["Blue 1", "Red 1"]], "rammed before")
    again = hands.option("ram")
    assert again.form.fields["side"].usual == side
    said = {**again.data, "side": side}
    assert hands.against("ram", **said) == []
    hands.do("ram", (5, 4, 3), **said)


def test_once_a_move_had_its_nudge_the_guide_speaks_of_rams_alone() -> None:
    hands = road_match()
    hands.do("move", (3,), vehicle="Red 1")
    hands.do("nudge", (5, 5), vehicle="Red 1", targets=["Blue 1"], side="front")
    assert [o.kind for o in hands.match.options(hands.seen)] == ["moved", "ram"]
    assert any("Blue 1 can be rammed: front" in fact for fact in guide(hands).facts)
    assert not any("nudged" in fact for fact in guide(hands).facts)


def test_a_shot_is_asked_and_answered_in_the_same_words() -> None:
    hands = road_match()
    pieces = ("Red 1", "Blue 1")
    shots = [q for q in GAME.questions(None, pieces) if q.kind == "shot"]
    assert len(shots) == 4
    assert [GAME.rule(None, q, hands.table).question for q in shots] == [q.words for q in shots]


@pytest.mark.parametrize(
    ("y", "words", "usual", "folded"),
    [
        (18.0, "Nobody has to veer", [], True),
        (12.3, "These have to veer", ["Blue 2"], False),
        (13.2, "These have to veer, or nobody", [], False),
    ],
)
def test_the_button_of_a_wreck_says_whether_anybody_has_to_veer(
    y: float, words: str, usual: list[str], folded: bool
) -> None:
    """ "The Drivers of any vehicles overlapping a direct line behind the destroyed vehicle"."""
    hands = road_match(Blue_1=(26.0, 12.0), Blue_2=(12.0, y), Red_1=(40.0, 4.0))
    wreck = {"kind": "wreck", "vehicle": "Blue 1", "citation": ""}
    hands.match.overrule(("duties",), [wreck], "it is destroyed")
    option = hands.option("wreck")
    behind = option.form.fields["behind"]
    assert (option.words, behind.usual, behind.folded) == (words, usual, folded)
    # Without a table the players say it, or that it is nobody.
    (typed,) = hands.match.options()
    assert typed.words == "These have to veer, or nobody"
    hands.do("wreck", (6,) * len(usual), behind=usual)


@pytest.mark.parametrize(
    ("degrees", "turned"), [(179.9, "round"), (-179.9, "round"), (90.0, "right"), (-90.0, "left")]
)
def test_what_stands_the_wrong_way_round_may_be_turned_either_way(degrees: float, turned: str) -> None:
    """A hair decided, and the same record was ruled otherwise again."""
    stands = car("Red 1", 20.0, 12.0, degrees)
    assert facing([stands], 0.0, "a book").words.endswith(f", to be turned {turned}")
