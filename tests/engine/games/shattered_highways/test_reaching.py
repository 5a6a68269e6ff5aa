"""Who is in reach of a warrior, held against the table: astray, unseen, settled; what is taken off it."""

from __future__ import annotations

from dataclasses import replace

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.forms import PickPieces
from engine.game.log.places import taken_off, unbound
from engine.games.shattered_highways.game import GAME
from engine.games.shattered_highways.page.questions import rests_on
from engine.ruling import Verdict
from engine.space.table import key_of
from server.play.moving.seeing import in_play
from tests.engine.games.shattered_highways.hands import Hands, rig_match, road_match
from tests.engine.games.shattered_highways.highway import car, rig
from tests.engine.games.shattered_highways.playing import begun, piece


def test_a_trailer_that_was_decoupled_is_to_be_taken_off_and_stands_nowhere_else() -> None:
    """It was asked back to its place, and nothing asked for it to be taken off."""
    hands = rig_match()
    match = hands.match
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    assert match.to_take_away(hands.seen) == ()
    hands.do("decouple", (4,), vehicle="Red 1")
    for duty in match.state.duties[:4]:
        hands.do("stay", warrior=duty.warrior)
    assert match.to_take_away(hands.seen) == (), "who drives behind it has to veer first"
    hands.do("wreck", behind=[])
    (ghost,) = match.to_take_away(hands.seen)
    assert (ghost.piece, ghost.pose) == ("Red 1 trailer", None)
    assert key_of("Red 1 trailer") in unbound(GAME, match.state, hands.seen)
    assert key_of("Red 1") not in unbound(GAME, match.state, Seen(hands.table))
    # Who takes a Rig off the road takes all of it.
    other = begun(piece("Red 1", "Rig"), piece("Red 2"), piece("Blue 1"))
    other.overrule(("vehicles", "Red 1", "status"), "gone", "off the road")
    assert taken_off(GAME, other.state, hands.table) == {key_of("Red 1"), key_of("Red 1 trailer")}
    assert [ghost.piece for ghost in other.to_take_away(hands.seen)] == ["Red 1"]


def test_a_buggy_that_is_hidden_in_a_trailer_is_not_on_the_road_until_it_drives_out() -> None:
    """It could lie there unasked, and once it was taken away it was *lost*, and might stand anywhere."""
    pieces = (piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    hands = Hands(
        begun(*pieces), rig("Red 1", 30.0, 12.0), car("Red 2", 10.0, 12.0), car("Blue 1", 20.0, 6.0)
    )
    (ghost,) = hands.match.to_take_away(hands.seen)
    assert (ghost.piece, ghost.words) == ("Red 2", "take it off the table: it comes in later")
    assert not in_play(hands.match, {key_of("Red 2"): "Red"})
    hands.do("launch", (3,), vehicle="Red 2", rig="Red 1")
    assert hands.match.state.duties[0].kind == "deployed"
    assert hands.match.to_take_away(hands.seen) == ()
    assert in_play(hands.match, {key_of("Red 2"): "Red"})


def test_who_is_on_a_decoupled_trailer_leaps_as_far_as_from_there() -> None:
    """ "leap to any other vehicle close enough": it was measured from the tractor that drives on."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2"))
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    hands = Hands(match, rig("Red 1", 24.0, 12.0), car("Blue 1", 18.4, 13.7), car("Blue 2", 26.0, 13.7))
    hands.do("decouple", (4,), vehicle="Red 1")
    to = hands.option("leap").form.fields["to"]
    assert isinstance(to, PickPieces)
    near = {c.value: (c.more, [r.words for r in c.not_now]) for c in to.candidates}
    assert near["Blue 1"][1] == []
    assert float(near["Blue 1"][0].split(" · ")[1].split(" in")[0]) < 0.7
    assert "away, of 1 in" in near["Blue 2"][1][0], "beside the tractor"
    leap = Action("leap", "Red", {"warrior": match.state.duties[0].warrior, "to": ["Blue 1"]})
    question = rests_on(match.state, leap)
    assert question is not None
    assert GAME.rule(match.state, question, hands.table).verdict is Verdict.YES


def at_play(hands: Hands) -> str:
    """The driver of Red 1, whose Move is made, and who may board Blue 1 beside it."""
    hands.do("move", (3,), vehicle="Red 1")
    match, move = hands.match, hands.push("Red 1", 5.0, 0.0)
    moved = match.propose(
        Action("moved", None, {"vehicle": "Red 1", "move": move}), hands.seen, TypedDice(())
    )
    match.commit(match.with_places(moved, hands.seen))
    hands.moves = {}
    return str(match.state.aboard("Red 1")[1].name)


def test_nobody_boards_from_a_vehicle_that_stands_elsewhere_than_it_has_to() -> None:
    """It was ruled from wherever somebody had pushed it."""
    hands = road_match(Blue_1=(26.0, 14.0))
    warrior = at_play(hands)
    assert hands.against("board", warrior=warrior, to=["Blue 1"]) == []
    hands.put("Red 1", (30.0, 14.0, 0.0))
    hands.moves = {}
    words, *_ = hands.against("board", warrior=warrior, to=["Blue 1"])
    assert words.startswith("Red 1 stands 5.")
    assert words.endswith("from its place: put it back first")
    for kind, data in (("board", {}), ("shoot", {"aim": "vehicle"})):
        offers = [
            o for o in hands.match.options(hands.seen) if o.kind == kind and data.items() <= o.data.items()
        ]
        picks = offers[0].form.fields["to"]
        assert isinstance(picks, PickPieces)
        assert all(words in [r.words for r in c.not_now] for c in picks.candidates)
    hands.put("Red 1", (25.0, 12.0, 0.0))
    hands.moves = {}
    assert hands.against("board", warrior=warrior, to=["Blue 1"]) == []


def test_of_what_is_not_on_the_table_it_is_open_how_far_away_it_is() -> None:
    """It could be boarded from anywhere, by whoever boards alone."""
    hands = road_match(Blue_1=(26.0, 14.0))
    warrior = at_play(hands)
    hands.table = replace(
        hands.table, standings=tuple(s for s in hands.table.standings if s.name != "Blue 1")
    )
    action = Action("board", None, {"warrior": warrior, "to": ["Blue 1"]})
    (reason,) = hands.match.check(action, hands.seen)
    assert (reason.words, reason.open, reason.fact) == (
        "Blue 1 is not seen, so it is not measured",
        True,
        True,
    )
    shots = Action("shoot", None, {"warrior": warrior, "mount": 1, "aim": "vehicle", "to": ["Blue 1"]})
    assert all(r.open for r in hands.match.check(shots, hands.seen))
    assert not hands.match.check(replace(action, data=dict(action.data, ruled="yes")), hands.seen)


def test_a_boarding_and_a_shot_are_the_questions_that_they_rest_on() -> None:
    """So they can be disputed, and what was settled with no is asked no more."""
    hands = road_match(Blue_1=(26.0, 14.0))
    warrior = at_play(hands)

    def asked(kind: str, **data: object) -> tuple[str, tuple[str, ...]] | None:
        question = GAME.rests_on(hands.match.state, Action(kind, None, data)) if GAME.rests_on else None
        return None if question is None else (question.words, question.pieces)

    pair = ("Red 1", "Blue 1")
    assert asked("board", warrior=warrior, to=["Blue 1"]) == ("May Red 1 board Blue 1?", pair)
    aim = {"warrior": warrior, "mount": 1}
    assert asked("shoot", **aim, aim="vehicle", to=["Blue 1"]) == ("May Red 1 shoot forward at Blue 1?", pair)
    enemy = hands.match.state.aboard("Blue 1")[0].name
    assert asked("shoot", **aim, aim="warrior", at=enemy) == asked("shoot", **aim, to=["Blue 1"])
    words = "May Red 1 attack with a hero's weapon on Blue 1?"
    assert asked("attack", warrior=warrior, target=enemy) == (words, pair)
    assert asked("attack", warrior=warrior, target=hands.match.state.aboard("Red 1")[0].name) is None
    assert asked("board", warrior="nobody", to=3) is asked("shoot", warrior=warrior, to=["Blue 1"]) is None


def test_a_die_lies_as_it_fell_whatever_modifies_it_then() -> None:
    """Who took a Move back and drove it *Behind Drag Chains* instead was asked for a new die."""
    hands = road_match()
    hands.match.overrule(("vehicles", "Blue 2", "chains"), True, "for the test")
    hands.do("move", (3,), vehicle="Red 1")
    hands.match.undo()
    rolled = [e for e in hands.do("move", (), vehicle="Red 1", dust=True) if e.kind == "roll"]
    assert [e.data["value"] for e in rolled] == [3]
    assert rolled[0].data["why"].endswith("Move of Red 1, 3+, at −1 (behind Drag Chains)"), (
        "told as it is now"
    )
