"""Pushes of which the hexes were not all seen: one way fits, several that come to the same, several, none."""

from __future__ import annotations

from dataclasses import replace

from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.games.frothy_races.state.game_state import Obstacle
from engine.ruling import Verdict
from tests.engine.games.frothy_races.playing import GAME, cell, standing
from tests.engine.games.frothy_races.table.test_pushes import pushed, seen

HERE = cell(1, 2)


def on(forward: int, left: int = 0, right: int = 0):
    """The hex so many steps straight on and to the front sides of where Red stands, facing 0."""
    return HERE[0] + forward + right, HERE[1] + left - right


def racing(*on_hexes, facing: int = 0, spaces: int = 3, **setup):
    obstacles = [Obstacle(f"debris {k}", "fragile", at) for k, at in enumerate(on_hexes, start=1)]
    places = ("Red 1", HERE, facing, 2), ("Black 1", cell(3, 9), 6, 0)
    return standing(*places, turn=spaces, obstacles=obstacles, **setup).state


def ruled(state, move, **said):
    return GAME.check(
        state, Action("move", "Red", {"vehicle": "Red 1", "move": "m1", **said}), seen(state, move)
    )


def told(state, move, **said):
    action = Action("move", "Red", {"vehicle": "Red 1", "move": "m1", **said})
    return [e for e in GAME.act(state, action, seen(state, move), TypedDice()) if e.kind == "moved"]


def fields(state, move):
    (option,) = (o for o in GAME.options(state, seen(state, move)) if o.kind == "move")
    return option.form.fields


def shown(state, move):
    return GAME.guide(state, GAME.awaits(state)[0], move, move.before)


def drifting(state, *over):
    """Two hexes on and one to the left front side, seen on some of the hexes between."""
    return pushed(state, *((at, 0) for at in over), (end_of(state), 0))


def end_of(state):
    """Where two straight on and a drift to the left end, by the typed way."""
    return way_of(state, "FFL")[-1]


def way_of(state, sides):
    action = Action("move", "Red", {"vehicle": "Red 1", "way": sides})
    events = GAME.act(
        state, action, seen(state, pushed(state, (HERE, state.vehicle("Red 1").facing))), TypedDice()
    )
    return [tuple(c) for e in events if e.kind == "moved" for c in e.data["cells"]]


def test_a_move_that_is_known_no_more_is_refused():
    state = racing()
    action = Action("move", "Red", {"vehicle": "Red 1", "move": "m9"})
    against = GAME.check(state, action, seen(state, drifting(state, on(1))))
    assert [(r.words, r.open) for r in against] == [(
        "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
        "Look again, and take it as it stands now", False,
    )]  # fmt: skip


def test_a_way_that_was_seen_hex_by_hex_is_that_way_whatever_others_lead_there():
    state = racing()
    for sides in ("FFL", "FLF", "LFF"):
        cells = way_of(state, sides)
        move = pushed(state, *((at, 0) for at in cells))
        assert ruled(state, move) == ()
        (event,) = told(state, move)
        assert [tuple(c) for c in event.data["cells"]] == cells
        assert "unseen" not in event.data
        assert len(shown(state, move).facts) == 1


def test_of_ways_that_come_to_the_same_the_straightest_is_taken_and_that_is_told():
    state = racing()
    move = pushed(state, (end_of(state), 0))
    move = hidden(move)
    assert ruled(state, move) == ()
    (event,) = told(state, move)
    names = ", ".join(state.board.name_of(at) for at in way_of(state, "FFL"))
    where = f"from {state.board.name_of(HERE)} to {state.board.name_of(end_of(state))}"
    assert event.data["unseen"] == (
        f"not seen {where}: {names}, the straightest of 3 ways that come to the same"
    )
    assert event.data["unseen"] in event.words
    assert shown(state, move).verdict is Verdict.YES
    assert "straightest of 3" in shown(state, move).facts[1]
    assert "over" not in fields(state, move)


def hidden(move):
    """The same move, ten seconds long: what lies between its readings was hidden."""
    reads = tuple(replace(read, time=10.0 * (k + 1)) for k, read in enumerate(move.reads))
    return replace(move, reads=reads, until=10.0 * len(reads))


def test_where_one_way_alone_fits_it_is_that_and_what_was_not_seen_is_told():
    plain = racing()
    second = way_of(plain, "LFF")[0]
    move = hidden(pushed(plain, (second, 0), (end_of(plain), 0)))
    assert ruled(plain, move) == ()
    (event,) = told(plain, move)
    assert [tuple(c) for c in event.data["cells"]] == way_of(plain, "LFF")
    assert event.data["unseen"].endswith("the only way by the book")


def test_debris_on_one_of_the_ways_makes_them_differ_and_it_is_asked_which():
    plain = racing()
    debris = way_of(plain, "FFL")[1]
    state = racing(debris)
    move = hidden(pushed(state, (end_of(plain), 0)))
    (reason,) = ruled(state, move)
    assert reason.open
    assert "3 ways by the book fit: say which it went" in reason.words
    guide = shown(state, move)
    assert (guide.headline, guide.verdict, guide.take) == ("Not all of it was seen", Verdict.TOO_CLOSE, "")
    assert len([mark for mark in guide.marks if mark.role == "path"]) == 3
    field = fields(state, move)["over"]
    assert field.usual is None, "none is taken for the one that it went"
    more = {c.value: c.more for c in field.candidates}
    assert set(more) == {"FFL", "FLF", "LFF"}
    assert [sides for sides, words in more.items() if "meets debris 1" in words] == ["FFL"]
    assert ruled(state, move, over="LFF") == ()
    (event,) = told(state, move, over="LFF")
    assert [tuple(c) for c in event.data["cells"]] == way_of(plain, "LFF")
    assert event.words.endswith("as was said)")
    (reason,) = ruled(state, move, over="FFF")
    assert not reason.open
    assert "over: expected one of" in reason.words


def test_the_players_may_accept_the_straightest_and_that_is_told():
    plain = racing()
    state = racing(way_of(plain, "FLF")[1])
    move = hidden(pushed(state, (end_of(plain), 0)))
    (event,) = told(state, move, ruled="yes")
    assert [tuple(c) for c in event.data["cells"]] == way_of(plain, "FFL")
    assert event.words.endswith("as was accepted)")


def test_facing_a_corner_it_is_asked_which_side_it_entered_last():
    state = racing(facing=1, spaces=2)
    move = hidden(pushed(state, (way_of(state, "LR")[-1], 1)))
    (reason,) = ruled(state, move)
    assert reason.open
    assert {c.value for c in fields(state, move)["over"].candidates} == {"LR", "RL"}
    seen_on = pushed(state, *((at, 1) for at in way_of(state, "RL")))
    assert ruled(state, seen_on) == ()
    assert told(state, seen_on)[0].data["side"] == "L"


def test_a_way_over_hexes_that_no_way_leads_over_is_refused_in_words():
    state = racing()
    far = way_of(state, "RFF")[0]
    move = pushed(state, (far, 0), (end_of(state), 0))
    (reason,) = ruled(state, move)
    assert not reason.open
    assert "no way of 3 spaces leads over these" in reason.words


def test_where_it_was_pulled_back_its_way_ends_where_it_first_came_there():
    state = racing()
    ahead = way_of(state, "FFF")
    move = pushed(state, *((at, 0) for at in ahead), (ahead[1], 0))
    assert ruled(state, move) == ()
    assert [tuple(c) for c in told(state, move)[0].data["cells"]] == ahead[:2]
