"""Games of one's own: the sample game, one on points, how games are found, and the pages about them."""

from __future__ import annotations

import ast
import doctest
import importlib
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import get_args

import pytest

from engine.boards.hexes import Hexes
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game import contract, events, forms, showing
from engine.game.conformance import BOARDS, GameConformance
from engine.game.conformance.playing import Playing, pushes
from engine.game.contract import NOTHING_SEEN, Option, Question, Seen
from engine.game.dice import SeededDice, Want
from engine.game.events import Action, Event, Illegal, Reason, event_to_json
from engine.game.forms import Form, Number, SetUpForm
from engine.game.kit.actions import Rule, going_on
from engine.game.kit.events import Events
from engine.game.kit.play import Play
from engine.game.kit.states import States
from engine.game.match import Match
from engine.game.registry import game_called, game_of_table, game_or_unknown, games, games_from
from engine.game.showing import Guide, Mark, Place, Status, Viewer, Words
from engine.motion.moves import Move
from engine.space.catalogue import car
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.game import grid_game
from tests.engine.game.grid_game import OWN

ROOT = Path(__file__).resolve().parents[3]
FOLDER = str(ROOT / "samples" / "own-game")

GAME = game_called("far_edge", [FOLDER])

SETUP = {
    "players": ["Ann", "Bob"],
    "pieces": [{"name": "Red", "owner": "Ann"}, {"name": "Blue", "owner": "Bob"}],
    "length": 6,
}


def test_the_first_over_the_edge_wins():
    match = Match.begin(GAME, SETUP)
    match.seal(Action("go", "Ann", {"inches": 6}), "a")
    match.seal(Action("go", "Bob", {"inches": 5}), "b")
    assert (match.state.winner, match.options()) == ("Ann", ())


def test_an_option_rests_on_the_rule_of_its_action_where_it_names_no_other():
    (first, second) = Match.begin(GAME, SETUP).options()
    plain = replace(GAME, offers=lambda _state, _seen: (replace(first, citation=""), second))
    cited = [option.citation for option in Match.begin(plain, SETUP).options()]
    assert cited == [GAME.rules["go"].citation, "Far Edge 1 · The race"]


def test_that_it_goes_on_is_offered_where_there_is_nothing_else_until_it_is_over():
    rules = {**GAME.rules, "go on": going_on("Far Edge 1")}
    idle = replace(GAME, offers=lambda _state, _seen: (), rules=rules)
    match = Match.begin(idle, SETUP)
    assert [(one.kind, one.words, one.main) for one in match.options()] == [("go on", "Go on", True)]
    over = replace(match.state, over=True)
    assert idle.options(over, NOTHING_SEEN) == ()
    assert replace(idle, rules=GAME.rules).options(match.state, NOTHING_SEEN) == ()


@dataclass(frozen=True)
class Mug:
    name: str
    cell: tuple[int, int] | None = None


@dataclass(frozen=True)
class Driven:
    car: str
    left: int = 3


@dataclass(frozen=True)
class Road:
    mugs: tuple[Mug, ...] = (Mug("Red"), Mug("Blue"))
    turn: Driven | None = Driven("Ann 1")


LANES = Events[Road]("Lanes")
LANES.sets("put", "cell", of="mug")
LANES.removes("taken", "mug", "mugs")
LANES.sets("gone", "left", within="turn", whose="car")


def told_to(state: Road, kind: str, **data: object) -> Road:
    return LANES.apply(state, LANES.told(kind, "", "", data))


def test_an_event_that_only_sets_fields_is_declared():
    assert told_to(Road(), "put", mug="Blue", cell=[1, 2]).mugs == (Mug("Red"), Mug("Blue", (1, 2)))
    assert told_to(Road(), "taken", mug="Red").mugs == (Mug("Blue"),)


def test_what_is_set_within_a_turn_may_be_set_in_that_of_one_alone():
    assert told_to(Road(), "gone", car="Ann 1", left=1).turn == Driven("Ann 1", 1)
    assert told_to(Road(), "gone", car="Bob 1", left=1) == Road()
    assert told_to(Road(turn=None), "gone", car="Ann 1", left=1).turn is None


def leaves(state, action, seen):
    sys.exit("bye")


LEAVES = replace(GAME, objections=leaves)


def test_a_game_that_exits_ends_no_match():
    match = Match.begin(LEAVES, SETUP)
    with pytest.raises(Illegal, match="cannot be done as it was said: Far Edge failed: SystemExit;"):
        match.seal(Action("go", "Ann", {"inches": 6}), "a")


def check_raises(state, action, seen):
    return (Reason("stay", "Far Edge 1"),) if action.data["inches"] == 0 else ()


def done_as(tell):
    """The game in which what is revealed happens, and is told with a change."""

    def do(play, action):
        GAME.rules["go"].do(play, action)
        play.events = tell(play.events)

    return replace(GAME, rules={"go": GAME.rules["go"]._replace(do=do)})


LUCK = random.Random(1)


def depends_on_luck(told):
    return [Event("stalled", {}, f"Luck {LUCK.randrange(10**6)}", "Far Edge 1")] if told else told


class Forgets(type(GAME.states)):
    def as_json(self, state):
        return {**super().as_json(state), "round": 1}


def never_right(state, seen):
    return tuple(replace(g, right=False) if g.right is not None else g for g in GAME.ghosts(state, seen))


def no_json(state, viewer):
    bad = (Words(words="x", text=float("nan")),)
    return tuple(replace(s, widgets=bad) for s in GAME.sheets(state, viewer))


def opened(state, seen):
    return tuple(replace(o, sealed=None) for o in GAME.offers(state, seen))


def with_distances(state, seen):
    far = "" if seen.table is None else f" ({seen.table.standings[0].pose.x:.2f} in)"
    return tuple(replace(o, words=o.words + far) for o in GAME.offers(state, seen))


PEEKED: list[str] = []


def peeks(state, action, seen):
    PEEKED.append(str(action.data))
    return GAME.against(state, action, seen)


def tells_what_it_saw(state, viewer):
    return replace(GAME.status(state, viewer), more="".join(PEEKED[-1:]))


def goes_on(play, player):
    play.tell("stalled", f"{player} leaves", "Far Edge 1")


def test_dice_and_rulings_are_known_to_every_game():
    play = Play(Events("Any"), 7, NOTHING_SEEN, SeededDice(1))
    play.rolls([Want(6, "to hit")], "Any 1")
    play.rolls([Want(6, "to hit"), Want(6, "to hit")], "Any 1")
    play.tell("ruled", "the players accept it", "Any 1")
    assert [event.kind for event in play.events] == ["roll", "rolls", "ruled"]
    assert play.state == 7


def test_an_event_that_is_not_declared_says_how_to_declare_it():
    with pytest.raises(TableRefError) as error:
        GAME.events.told("honked", "it honks", "Far Edge 1", {})
    assert str(error.value) == (
        "Far Edge tells 'honked', a kind of event that it does not declare; expected one of 'ruled', "
        "'begin', 'stalled', 'gone', 'over', or write @EVENTS.on('honked') above its fold, or "
        "EVENTS.only_told('honked') where nothing changes"
    )


def test_a_fold_that_gives_nothing_is_named():
    kinds = Events("Any")

    @kinds.on("honked")
    def honked(state, data):
        pass

    with pytest.raises(TableRefError, match="honked of Any gives nothing for 'honked'; expected the state"):
        kinds.apply(7, kinds.told("honked", "it honks", "Any 1", {}))


def test_what_cannot_be_kept_names_the_event_and_the_field():
    told = GAME.events.told("gone", "it goes", "Far Edge 1", {"crew": {"seats": {1, 2}}})
    with pytest.raises(TableRefError, match="the event 'gone' cannot be kept: data · crew · seats: exp"):
        event_to_json(told)


def test_a_state_without_a_default_says_which_field():
    @dataclass(frozen=True)
    class Bare:
        cars: tuple[str, ...]

    with pytest.raises(TableRefError, match=r"begins with Bare\(\), but cars of Bare has no default"):
        States(Bare)


def test_a_type_that_does_not_say_what_it_holds_is_named():
    @dataclass(frozen=True)
    class Bare:
        cars: tuple = ()

    with pytest.raises(TableRefError, match=r"the type of Bare.cars: .* got tuple; write what it holds"):
        States(Bare).from_json({"cars": ["Red"]})


CITES_NOTHING = done_as(lambda told: [replace(e, citation="Chess") for e in told])


def forgets_moves(state, awaited, move, table):
    return {None: Guide(awaited.piece, "ready", "Push it")}[move]


def asks_for_no_move(state, seen):
    return tuple(replace(o, form=Form()) for o in grid_game.GAME.offers(state, seen))


def moves_nobody_saw(state, action, seen):
    return action, (Reason("it went elsewhere", "Chess"),) if action.data.get("move") in seen.moves else ()


@dataclass(frozen=True)
class Tally:
    """A state with something that can be changed where it is."""

    counts: Mapping[str, int] = field(default_factory=dict)


def counted_in_place():
    """A game of one button, whose fold changes the state before it."""
    kinds = Events("Tally")
    kinds.on("begin")(lambda _state, _data: Tally())

    @kinds.on("counted")
    def counted(state, data):
        state.counts["all"] = state.counts.get("all", 0) + 1
        return Tally(state.counts)

    book = GAME.about.book
    count = Rule(lambda play, _: play.tell("counted", "One more", book), "count", book)
    return replace(
        GAME, about=replace(GAME.about, sealed=()), states=States(Tally), events=kinds,
        setup=lambda _so_far: SetUpForm(), begin=lambda _said: (kinds.told("begin", "It begins", book, {}),),
        offers=lambda _state, _seen: (Option("count", "Ann", "Count", citation=book),),
        rules={"count": count},
        status=lambda _state, _viewer: Status("Count", "Ann counts", order=(Place("Ann"),)),
        sheets=lambda _state, _viewer: (), ghosts=lambda _state, _seen: (), give_up=None,
    )  # fmt: skip


def told_as(kind, fold):
    """The game in which an event of this kind changes something otherwise."""
    kinds = Events("Far Edge", pieces=("car",))
    for known in GAME.events.kinds:
        changes = GAME.events._kinds[known]
        kinds.on(known, tone=changes.tone)(fold(changes.fold) if known == kind else changes.fold)
    return replace(GAME, events=kinds)


def writes_to_it(fold):
    def after(state, data):
        data["seen"] = True
        return fold(state, data)

    return after


def keeps_a_list(fold):
    return lambda state, data: replace(fold(state, data), cars=list(state.cars))


def named_first(so_far):
    return SetUpForm(not_yet=(Reason(f"{so_far['players'][0]} waits", GAME.about.book),))


def marked_oddly(state, awaited, move, table):
    mark = Mark("disc", "reech", ((1.0, 1.0),))
    return replace(grid_game.GAME.guide(state, awaited, move, table), marks=(mark,))


def awaited_of_others(state):
    return tuple(replace(one, player="Cleo") for one in grid_game.GAME.awaits(state))


def with_options(**changes):
    """The game in which every option has something otherwise."""
    return replace(
        GAME, offers=lambda state, seen: tuple(replace(o, **changes) for o in GAME.offers(state, seen))
    )


def asks(name, words="How far"):
    return Form({name: Number(words=words, low=1, high=6)})


FAULTY = {
    "counts in place": counted_in_place(),
    "has no words": with_options(words=""),
    "asks in no words": with_options(form=asks("inches", " ")),
    "takes a name of the core": with_options(form=asks("ruled")),
    "says and asks": with_options(data={"inches": 3}),
    "asks for the players": replace(GAME, setup=lambda _so_far: SetUpForm(game=asks("players"))),
    "has an id that is taken": replace(GAME, about=replace(GAME.about, id="car_cult")),
    "leaves a brace": replace(GAME, rules={"go": GAME.rules["go"]._replace(words="go {nicely}")}),
    "forgets moves": replace(grid_game.GAME, guide=forgets_moves),
    "asks for no move": replace(grid_game.GAME, offers=asks_for_no_move),
    "cites of a move nothing": replace(grid_game.GAME, as_seen=moves_nobody_saw),
    "promises maps": replace(GAME, about=replace(GAME.about, lays=True)),
    "promises counters": replace(GAME, about=replace(GAME.about, cutouts=True)),
    "goes on": replace(GAME, give_up=goes_on),
    "tells distances": replace(
        GAME, about=replace(GAME.about, measuring="after declaring"), offers=with_distances
    ),
    "peeks": replace(GAME, objections=peeks, status=tells_what_it_saw),
    "check raises": replace(GAME, objections=check_raises),
    "cites nothing": CITES_NOTHING,
    "forgets": replace(GAME, states=Forgets(GAME.states.of)),
    "depends on luck": done_as(depends_on_luck),
    "never right": replace(
        GAME, ghosts=never_right, offers=lambda state, _seen: GAME.offers(state, NOTHING_SEEN)
    ),
    "shows no json": replace(GAME, sheets=no_json),
    "opens": replace(GAME, offers=opened),
    "hints at nothing": replace(GAME, about=replace(GAME.about, hints=(("og", "Go far."),))),
    "has facts of nothing": replace(GAME, facts={"og": ()}),
    "needs a player": replace(GAME, setup=named_first),
    "names a stranger": replace(GAME, status=lambda s, v: replace(GAME.status(s, v), player="Nobody")),
    "leads to one dice": with_options(
        form=Form({"inches": Number(words="How far", low=1, high=6, leads=("1 dice",) * 6)})
    ),
    "writes to what happened": told_as("gone", writes_to_it),
    "keeps a list": told_as("stalled", keeps_a_list),
    "keeps a car": done_as(
        lambda told: [replace(e, data={**e.data, "by": Mug("Red")}) if e.kind == "gone" else e for e in told]
    ),
    "marks oddly": replace(grid_game.GAME, guide=marked_oddly),
    "awaits another": replace(grid_game.GAME, awaits=awaited_of_others),
    "asks for no ruling": with_options(question=Question("shot", "May it shoot?", ("Ann 1",), label="Shot")),
}


@pytest.mark.parametrize(
    ("faulty", "test"),
    [
        ("promises maps", "test_maps_of_ones_own_are_named_exactly_where_they_are_laid"),
        ("promises counters", "test_counters_to_cut_out_are_named_exactly_where_they_are_made"),
        ("goes on", "test_a_player_gives_up"),
        ("tells distances", "test_no_hidden_distance_is_told"),
        ("peeks", "test_nobody_else_sees_a_sealed_choice"),
        ("check raises", "test_check_answers_whatever_it_is_asked"),
        ("cites nothing", "test_random_games_hold_together"),
        ("forgets", "test_random_games_hold_together"),
        ("depends on luck", "test_random_games_hold_together"),
        ("never right", "test_a_piece_on_its_ghost_is_accepted"),
        ("shows no json", "test_random_games_hold_together"),
        ("forgets moves", "test_a_piece_that_is_pushed_is_judged"),
        ("asks for no move", "test_a_piece_that_is_pushed_is_judged"),
        ("cites of a move nothing", "test_a_piece_that_is_pushed_is_judged"),
        ("counts in place", "test_random_games_hold_together"),
        ("has no words", "test_random_games_hold_together"),
        ("asks in no words", "test_random_games_hold_together"),
        ("takes a name of the core", "test_random_games_hold_together"),
        ("says and asks", "test_random_games_hold_together"),
        ("asks for the players", "test_what_is_asked_before_it_begins_has_words_and_names_of_its_own"),
        ("has an id that is taken", "test_it_says_what_it_is"),
        ("leaves a brace", "test_random_games_hold_together"),
        ("opens", "test_only_options_of_sealed_kinds_are_sealed"),
        ("asks for no ruling", "test_a_table_may_be_looked_at_anywhere"),
        ("cites nothing", "test_the_golden_playthrough_of_every_viewer"),
        ("needs a player", "test_a_page_may_ask_what_to_set_up_before_anybody_is_named"),
        ("writes to what happened", "test_random_games_hold_together"),
    ],
)
def test_a_faulty_game_is_found(faulty, test):
    suite = type("Suite", (GameConformance,), {"game": FAULTY[faulty], "limit": 40, "__module__": __name__})()
    method = getattr(suite, test)
    seeded = test in ("test_random_games_hold_together", "test_nobody_else_sees_a_sealed_choice")
    with pytest.raises((AssertionError, LookupError, TypeError, ValueError, Illegal)):
        method(*([1] if seeded else []))


HINTS = "test_hints_and_facts_are_of_kinds_of_action_that_there_are"
PLAYED, PUSHED = "test_random_games_hold_together", "test_a_piece_that_is_pushed_is_judged"


@pytest.mark.parametrize(
    ("faulty", "test", "words"),
    [
        ("hints at nothing", HINTS, "`about.hints` names ['og']; expected"),
        ("has facts of nothing", HINTS, "`facts` names ['og']; expected kinds among go"),
        ("names a stranger", PLAYED, "the player of the status is 'Nobody'; exp"),
        ("leads to one dice", PLAYED, "'1 dice' is nothing to read"),
        ("depends on luck", PLAYED, "the table and the dice, and on no luck"),
        ("keeps a list", PLAYED, "'cars' of the state comes out of JSON as (Car("),
        ("keeps a car", PLAYED, "gone: 'by' of its data comes out of JSON as {'name"),
        ("marks oddly", PUSHED, "role of Mark: expected one of reach, "),
        ("awaits another", PUSHED, "is awaited of Cleo, but its option is "),
    ],
)
def test_what_is_wrong_with_a_game_is_told_in_words(faulty, test, words):
    suite = type("Suite", (GameConformance,), {"game": FAULTY[faulty], "limit": 40, "__module__": __name__})()
    with pytest.raises(AssertionError) as error:
        getattr(suite, test)(*([1] if test == PLAYED else []))
    assert words in str(error.value)


def test_how_a_golden_playthrough_is_written_names_the_folder_of_the_game():
    named = {"game": GAME, "__module__": __name__}
    told = []
    for more in ({}, {"playthroughs": "playthroughs/far_edge"}):
        suite = type("Suite", (GameConformance,), named | more)()
        with pytest.raises(AssertionError) as error:
            suite.test_the_golden_playthrough_of_every_viewer()
        told.append(str(error.value).splitlines()[0])
    assert " is not what everybody sees today; write it with: " in told[0]
    assert told[0].endswith(f"/playthroughs --games {FOLDER}")
    # Of two games whose tests lie in one folder each has its own.
    assert told[1].startswith("there is no golden playthrough for everybody; ")
    assert told[1].endswith(f"/playthroughs/far_edge --games {FOLDER}")


def no_sheet(state, viewer):
    return tuple(replace(s, piece=None) for s in grid_game.GAME.sheets(state, viewer))


def test_a_game_whose_sheets_stand_for_no_piece_is_tried_on_tables_too():
    suite = Playing()
    suite.game = replace(grid_game.GAME, sheets=no_sheet)
    looked = [table for match, table in suite.on_tables(1) for _ in pushes(match, table)]
    assert {s.name for table in looked for s in table.standings} == {"Ann 1", "Bob 1"}


KNOWN = PoseUncertainty.isotropic(0.03, 0.02)

RED = Piece("Red 1", "car", car("sedan"))


class TestPointRace(GameConformance):
    game = grid_game.GAME


def seen(to: Pose, board: Points = OWN) -> Seen:
    """Red 1 was pushed from its first point to there."""
    before = Standing(RED, board.pose_of((0, 0)), KNOWN)
    table = TableState.of(Region.rectangle(0.0, 0.0, 48.0, 48.0), [before], 0.0)
    move = Move("m1", "Red 1", table, Standing(RED, to, KNOWN), 0.0, 1.0)
    return Seen(table, {"m1": move}, board)


def drive(to: Pose, board: Points = OWN) -> Match:
    match = Match.begin(grid_game.GAME, grid_game.SETUP)
    match.do(Action("driven", "Ann", {"move": "m1"}), seen(to, board))
    return match


def test_a_move_that_ends_on_a_point_is_taken_from_the_camera():
    match = drive(OWN.pose_of((1, 1), 1).compose(Pose(0.3, -0.4, 0.1)))
    assert (match.state.cars[0].cell, match.state.cars[0].facing) == ((1, 1), 1)
    assert match.log[-1].words == "Red 1 moves to B2"


def test_between_two_points_the_players_decide():
    with pytest.raises(Illegal, match="Red 1 stands between B1 and C1 facing right") as refused:
        drive(Pose(4.5, 0.0))
    assert [r.open for r in refused.value.reasons] == [True]
    match = Match.begin(grid_game.GAME, grid_game.SETUP)
    match.do(Action("step", "Ann", {"facing": 0}), seen(Pose(4.5, 0.0)))
    assert match.state.cars[0].cell == (1, 0)


@pytest.mark.parametrize(
    ("to", "words"),
    [
        (OWN.pose_of((3, 0)), "D1 is more than one step away"),
        (OWN.pose_of((0, 1), 2), "another car stands there"),
        (Pose(-8.0, 0.0), "Red 1 stands off the board"),
    ],
)
def test_what_is_surely_wrong_is_not_open(to: Pose, words: str):
    with pytest.raises(Illegal, match=words) as refused:
        drive(to)
    assert [r.open for r in refused.value.reasons] == [False]


def test_the_board_of_the_table_is_played_on():
    wide = Points(6, 6, 5.0, Pose(2.0, 2.0))
    assert drive(wide.pose_of((1, 0)), wide).state.cars[0].cell == (1, 0)
    assert grid_game.GAME.board(grid_game.GAME.first(), Hexes.field(3, 3)) is OWN
    assert GAME.board(GAME.first(), wide) is wide


class Askew(Points):
    """Points whose poses lie between them."""

    def pose_of(self, cell, facing=0):
        return super().pose_of(cell, facing).compose(Pose(self.spacing / 2, 0.0))


@pytest.mark.parametrize("faulty", [BOARDS["hexes"], Askew(3, 3)])
def test_a_board_of_another_kind_or_out_of_true_is_found(faulty):
    game = replace(grid_game.GAME, board=lambda _state, _table_board: faulty)
    suite = type("Suite", (GameConformance,), {"game": game})()
    with pytest.raises(AssertionError):
        suite.test_a_piece_put_on_a_cell_stands_on_it("points")


@pytest.fixture(autouse=True)
def modules(monkeypatch):
    """What a test imports is forgotten after it."""
    before = dict(sys.modules)
    yield
    for name in set(sys.modules) - set(before):
        if name in ("far_edge", "last_bumper", "broken", "empty", "no_rules") or name.startswith("packed"):
            del sys.modules[name]


def test_games_are_called_by_folder_or_title_in_any_spelling():
    assert game_called("White Line Fever").about.id == "white_line_fever"
    assert game_called("far-EDGE", [FOLDER]).about.title == "Far Edge"
    with pytest.raises(TableRefError, match=r"no game called 'Chess'; expected one of .*far_edge"):
        game_called("Chess", [FOLDER])


def test_a_table_that_names_no_game_means_the_usual_one():
    usual = [found.id for found in games() if found.about is not None and found.about.usual]
    assert usual == [game_of_table(None).about.id]
    assert game_of_table("shattered highways").about.id == "shattered_highways"


def test_a_broken_game_is_listed_with_its_reason_and_stops_nothing(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit('bye')")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "no_rules.py").write_text(
        "from engine.game.about import About\n"
        "class G:\n  about = About('no_rules', 'No', 'No', '1')\nGAME = G()"
    )
    (tmp_path / "json.py").write_text("GAME = 1")
    found = {g.id: g for g in games([str(tmp_path), FOLDER, "/no/such/folder"])}
    assert found["broken"].reason == "ZeroDivisionError: division by zero (broken.py, line 1)"
    assert found["leaves"].reason == "SystemExit: bye (leaves.py, line 2)"
    with pytest.raises(TableRefError, match=r"leaves .* cannot be played: SystemExit"):
        game_called("leaves", [str(tmp_path)])
    # By its title nobody can find it: so the reason stands where that is asked for.
    with pytest.raises(TableRefError, match=r"one of [^;]*far_edge[^;]*; broken cannot be played: ZeroDiv"):
        game_called("Broken Bumpers", [str(tmp_path), FOLDER])
    assert "expected a Game called GAME but found none" in str(found["empty"].reason)
    assert "expected a Game called GAME but found <no_rules.G" in str(found["no_rules"].reason)
    assert "another module is called json" in str(found["json"].reason)
    assert "no game lies in /no/such/folder" in str(found["/no/such/folder"].reason)
    assert found["far_edge"].where == FOLDER
    assert {"white_line_fever", "far_edge"} <= {g.id for g in games([str(tmp_path), FOLDER]) if g.about}
    with pytest.raises(TableRefError, match="expected a Game called GAME"):
        game_called("no_rules", [str(tmp_path)])


def test_folders_that_are_named_once_hold_for_everybody(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    with games_from(FOLDER, str(tmp_path)):
        assert {"far_edge", "broken"} <= {g.id for g in games([FOLDER])}
        assert game_called("far edge").about.title == "Far Edge"
        with pytest.raises(TableRefError, match=r"broken from .* cannot be played: ZeroDivisionError"):
            game_called("broken")
    assert "far_edge" not in {g.id for g in games()}


def test_two_games_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "second.py").write_text((ROOT / "samples" / "own-game" / "far_edge.py").read_text())
    found = games([FOLDER, str(tmp_path)])
    assert [g.reason for g in found if g.id.startswith("far_edge (")] == [
        f"a game called far_edge comes from {FOLDER} already: give this one another id in its About"
    ]


def test_an_installed_package_offers_a_game_by_its_entry_point(tmp_path, monkeypatch):
    package = tmp_path / "packed_game"
    package.mkdir()
    source = (ROOT / "samples" / "own-game" / "far_edge.py").read_text()
    (package / "__init__.py").write_text("")
    (package / "game.py").write_text(source.replace('"far_edge"', '"packed"'))
    info = tmp_path / "packed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[tableref.games]\npacked = packed_game.game:GAME\nlost = lost_game:GAME\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    found = {g.id: g for g in games()}
    assert found["packed"].where == "packed"
    assert found["packed"].about is not None
    assert "No module named 'lost_game'" in str(found["lost"].reason)
    assert game_called("packed").about.title == "Far Edge"


def test_the_about_of_a_package_is_read_without_its_rules(tmp_path):
    package = tmp_path / "packed_quick"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "game.py").write_text("raise RuntimeError('rules were loaded')")
    (package / "about.py").write_text(
        "from engine.game.about import About\nABOUT = About('packed_quick', 'Quick', 'Quick 1', '1')"
    )
    assert {g.id: g.about for g in games([str(tmp_path)])}["packed_quick"].title == "Quick"


def test_a_record_of_a_game_that_is_not_installed_opens_to_be_looked_at():
    game = game_or_unknown("gone", "3")
    log = [
        Event("begin", {"x": 1}, "It began", "Gone 3"),
        Event("action", {"kind": "go", "player": None, "data": {}}, "go", "Gone 3"),
        Event("overrule", {"path": ["x"], "value": 2}, "x: 1 → 2", "Gone 3"),
    ]
    match = Match.replay(game, log)
    assert [e.words for e in match.log] == ["It began", "go", "x: 1 → 2"]
    assert (match.options(), game.about.version) == ((), "3")
    assert "no game called 'gone'" in game.status(match.state, Viewer()).who
    with pytest.raises(Illegal, match="rules of gone are not at hand"):
        Match.begin(game, {})


def test_the_sample_passes_the_tests_that_it_inherits():
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", FOLDER],
        cwd=FOLDER, capture_output=True, text=True, check=False, env={"PYTHONPATH": f"{ROOT}:{FOLDER}"},
    )  # fmt: skip
    assert found.returncode == 0, found.stdout
    assert " passed" in found.stdout


DOCS = ROOT / "docs"


@pytest.mark.parametrize(("page", "examples"), [("engine.md", 25), ("playing-alone.md", 18)])
def test_the_examples_of_the_engine_and_of_its_driver_run(monkeypatch, page, examples):
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(DOCS / page), module_relative=False)
    assert found.attempted > examples
    assert found.failed == 0


def test_the_page_on_a_pushed_car_runs_and_names_every_role_of_a_mark():
    found = doctest.testfile(str(DOCS / "pushed-car.md"), module_relative=False)
    assert found.attempted > 25
    assert found.failed == 0
    page = (DOCS / "pushed-car.md").read_text("utf-8")
    assert all(f"`{role}`" in page for role in get_args(showing.Role))


def test_the_page_on_a_pushed_car_says_where_each_answer_stands_in_its_sample():
    table = (DOCS / "pushed-car.md").read_text("utf-8").split("| question | its answer |")[1]
    told = set(re.findall(r"`(\w+)`", table.split("\n\n")[0]))
    tree = ast.parse(Path(FOLDER, "last_bumper.py").read_text("utf-8"))
    there = {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    assert told <= there
    # What the game is asked, but for what is said in one line.
    asked = {one.name for one in fields(contract.Game)} & there
    assert asked - told == set()


@pytest.mark.parametrize("name", ["far_edge.py", "test_far_edge.py", "pyproject.toml"])
def test_the_page_shows_the_sample_as_it_is(name):
    blocks = re.findall(
        r"```(?:python|toml)\n(.*?)```", (DOCS / "your-own-game.md").read_text("utf-8"), re.DOTALL
    )
    assert Path(FOLDER, name).read_text("utf-8") in blocks


def test_every_type_and_question_of_the_contract_is_described():
    text = (DOCS / "contract.md").read_text("utf-8")
    told = set(re.findall(r"`(\w+)", text))
    types = {
        name
        for module in (contract, events, forms, showing)
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    asked = {name for name, value in vars(contract.Game).items() if callable(value) and name[0] != "_"}
    asked |= {one.name for one in fields(contract.Game) if one.name[0] != "_"}
    assert (types | asked) - told == set()
