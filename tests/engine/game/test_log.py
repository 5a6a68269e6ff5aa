"""The log of a match: decisions, places of pieces, saved games, sealed choices."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from engine.errors import TableRefError
from engine.game import showing
from engine.game.contract import About, Game, Option, Seen
from engine.game.dice import NeedDice, SeededDice, TypedDice, Want
from engine.game.events import (
    PLAYERS,
    Action,
    Event,
    Illegal,
    batches,
    event_from_json,
    event_to_json,
    standing_batches,
)
from engine.game.forms import Form, Number
from engine.game.kit.actions import Rule
from engine.game.kit.events import Data, Events
from engine.game.kit.play import Play
from engine.game.kit.states import States
from engine.game.log.places import Place, in_place, with_stands
from engine.game.log.sealing import Sealed, sealed_from_json, sealed_to_json
from engine.game.match import Match, load, save
from engine.motion.moves import Move
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from tests.engine.game import grid_game
from tests.engine.game import test_own_games as own
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet
from tests.engine.tables import block, car, table


def shot_at():
    """A match in which Red 1 has shot at Blue 1, and the number of the batch of the shot."""
    match = begun()
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Machine Gun", target="Blue 1", band="short")
    return match, match.count - 1


def marked(match):
    return match.state.car("Blue 1").marked


def test_what_is_taken_back_counts_no_more_and_what_followed_goes_with_it():
    match, shot = shot_at()
    hit = marked(match)
    do(match, "speed", to=5)
    (decision,) = match.decide("The shot is taken back", shot, ["Red 1"], {"dispute": "d1"})
    assert (decision.kind, decision.tone, decision.data["dispute"]) == ("decision", "ruling", "d1")
    assert hit > 0
    assert marked(match) == 0
    assert match.state == match.before(shot)
    assert {shot, shot + 1} & standing_batches(batches(match.log)) == set()
    assert match.count - 1 in standing_batches(batches(match.log))


def test_it_is_undone_and_done_again_like_everything():
    match, shot = shot_at()
    before = match.state
    match.decide("The shot is kept")
    assert match.state == before
    assert match.log[-1].words == "The shot is kept"
    match.decide("Back", shot)
    after = match.state
    match.undo()
    assert (match.state, match.batch(shot).state) == (before, before)
    match.redo()
    assert match.state == after


def test_a_decision_can_be_taken_back_by_another_one():
    match, shot = shot_at()
    before = match.state
    match.decide("Back", shot)
    do(match, "speed", to=5)
    match.decide("It counts after all", match.count - 2)
    assert match.state == before
    assert [b.number for b in match.counted] == [*range(shot + 1), match.count - 1]
    assert standing_batches(batches(match.log)) == {*range(shot + 1), match.count - 1}


def test_the_log_through_json_gives_the_same():
    match, shot = shot_at()
    match.decide("Back", shot)
    do(match, "speed", to=5)
    again = Match.replay(GAME, [event_from_json(event_to_json(e)) for e in match.log])
    assert (again.state, again.log) == (match.state, match.log)
    assert Match.again(GAME, match.log).state == match.state


def test_what_does_not_count_cannot_be_taken_back_again():
    match, shot = shot_at()
    match.decide("Back", shot)
    for number in (shot, 0, 999):
        with pytest.raises(TableRefError, match="cannot be taken back"):
            match.decide("Back", number)


def test_a_die_that_fell_falls_the_same_when_the_shot_is_shot_again():
    match = begun()
    drive(match, "Red 1")
    dice = SeededDice("seed")
    said = {"weapon": "Machine Gun", "target": "Blue 1", "band": "short"}
    shot = match.count
    first = match.do(Action("shoot", "Red", said), None, dice)
    match.decide("Back", shot)
    second = match.do(Action("shoot", "Red", said), None, dice)
    fell = [[e.data["value"] for e in told if e.kind == "roll"] for told in (first, second)]
    assert fell[0] == fell[1] != []
    # And once they count again because the decision was undone, they are not waiting to fall.
    match.undo()
    match.undo()
    assert match.state == match.batch(shot).state
    assert [b.number for b in match.counted][-1] == shot


def hidden_when_placed() -> Match[object]:
    match = Match.begin(grid_game.GAME, grid_game.SETUP)
    placed = Event("stays", {"by": None}, "Red 1 is put down out of sight", PLAYERS, ("Red 1",))
    match.append((with_stands(placed, {"Red 1": Place(10.0, 10.0, 0.0, seen=False)}),))
    return match


@pytest.mark.parametrize(
    ("at", "right", "words"),
    [((10.0, 10.0), True, "where it has to"), ((13.0, 10.0), False, "3.0 in from where it has to")],
)
def test_it_is_told_once_whether_it_stands_right(at, right, words):
    match = hidden_when_placed()
    seen = table(car("Red 1", *at))
    (told,) = match.looked_events(seen)
    assert (told.data["right"], told.tone) == (right, "plain" if right else "bad")
    assert told.words == f"Red 1 is seen again: it stands {words}"
    match.append((told,))
    assert match.looked_events(seen) == ()
    assert match.places["Red 1"].seen
    assert match.places["Red 1"].x == pytest.approx(10.0), "where it has to stand has not changed"


def test_nothing_is_told_while_it_is_hidden():
    match = hidden_when_placed()
    there = table(car("Red 1", 10.0, 10.0))
    lost = replace(there, standings=tuple(replace(s, status=Status.LOST) for s in there.standings))
    assert match.looked_events(lost) == ()
    assert math.isclose(match.places["Red 1"].x, 10.0)


CARS = (sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))

START = {"Red 1": (8.0, 8.0, 0.0), "Red 2": (8.0, 14.0, 0.0), "Blue 1": (40.0, 8.0, 180.0)}


def at(**poses: tuple[float, float, float]) -> TableState:
    """The table with these cars elsewhere than at their start; `Red_1` is Red 1."""
    stand = START | {name.replace("_", " "): pose for name, pose in poses.items()}
    return table(*(car(name, *pose) for name, pose in stand.items()), block("Rock", 24.0, 24.0, 2.0, 2.0))


def done(match: Match, kind: str, seen: TableState | Seen, dice: tuple[int, ...] = (), **data):
    """An action as a host does it: proposed, its places noted, appended."""
    action = Action(kind, None, data)
    events = match.propose(action, seen, TypedDice(dice))
    return match.commit(match.with_places(events, seen))


def started() -> Match:
    """A match whose cars were deployed before the camera, and in which Red 1 was chosen."""
    match = begun(*CARS)
    for _ in CARS:
        match.undo()
    for name in ("Red 1", "Blue 1", "Red 2"):
        done(match, "deploy", at(), car=name, ruled="yes")
    done(match, "choose", at(), car="Red 1")
    return match


def driven() -> Match:
    match = started()
    done(match, "move", pushed(at(Red_1=(11.0, 8.0, 0.0))), car="Red 1")
    return match


def pushed(now: TableState) -> Seen:
    """That table, and the move of Red 1 that was seen, from its start."""
    return Seen(now, {"m": Move("m", "Red 1", at(), now.find("Red 1"), 0.0, 1.0)})


def astray(match: Match, seen: TableState) -> dict[str, str]:
    return {stray.piece: stray.words for stray in match.strays(seen)}


def test_what_was_driven_stands_where_it_has_to_and_redo_leads_forward_again():
    match = driven()
    there, moved = at(Red_1=(11.0, 8.0, 0.0)), match.count - 1
    for _ in range(2):
        assert astray(match, there) == {}
        assert astray(match, at()) == {"Red 1": "Red 1 stands 3.0 in from its place"}
        match.undo()
        match.redo()
    match.decide("It is taken back", moved)
    assert list(astray(match, there)) == ["Red 1"], "a decision that takes it back leads back too"


def test_after_an_undo_it_has_to_go_back_and_its_wrong_place_is_no_start():
    match = driven()
    match.undo()
    wrong, back = at(Red_1=(11.0, 8.0, 0.0)), at()
    assert astray(match, wrong) == {"Red 1": "Red 1 stands 3.0 in from its place"}
    (ghost,) = [stray.ghost for stray in match.strays(wrong)]
    assert ghost.pose == pytest.approx((8.0, 8.0, 0.0))
    for said in ({"car": "Red 1"}, {"car": "Red 1", "steps": [{"kind": "straight", "ahead": 3.0}]}):
        with pytest.raises(Illegal, match="put it back first"):
            done(match, "move", wrong, **said)
    (move,) = [o for o in match.options(wrong) if o.kind == "move"]
    assert "put it back first" in move.not_now[0].words
    assert astray(match, back) == {}
    done(match, "move", back, car="Red 1")


def test_after_a_restart_the_same_is_astray():
    match = driven()
    assert Match.again(match.game, match.log).places == match.places, "done again by today's rules"
    again = load(save(match))
    assert again.places == match.places
    assert list(astray(again, at())) == ["Red 1"]
    match.undo()
    assert list(astray(load(save(match)), at(Red_1=(11.0, 8.0, 0.0)))) == ["Red 1"]


def test_what_moves_out_of_turn_is_told_and_no_action_takes_it_over():
    match = started()
    nudged = at(Red_1=(11.0, 8.0, 0.0), Blue_1=(40.0, 10.0, 90.0), Red_2=(8.0, 14.2, 0.0))
    done(match, "move", pushed(nudged), car="Red 1")
    done(match, "end", nudged)
    # Two tenths of an inch are a hand's trembling.
    assert astray(match, nudged) == {"Blue 1": "Blue 1 stands 2.0 in and 90° from its place"}
    with pytest.raises(Illegal, match=r"Blue 1 stands .* put it back first"):
        done(match, "move", nudged, car="Blue 1")


def test_a_car_that_was_pushed_before_another_was_chosen_has_to_go_back():
    match, there = started(), at(Red_1=(11.0, 8.0, 0.0))
    assert match.strays(pushed(there)) == (), "a move that is not taken yet is no stray"
    done(match, "choose", there, car="Red 2")
    assert list(astray(match, there)) == ["Red 1"]


def test_terrain_and_tokens_are_told_too():
    match = driven()
    here = at(Red_1=(11.0, 8.0, 0.0))
    rock = replace(here.standings[-1], pose=Pose(24.0, 27.0, 0.0))
    moved = replace(here, standings=(*here.standings[:-1], rock))
    assert astray(match, moved) == {"Rock": "Rock stands 3.0 in from its place"}


@pytest.mark.parametrize("status", [Status.HELD, Status.MOVING, Status.LOST])
def test_what_is_under_a_hand_or_out_of_sight_is_not_told(status: Status):
    match = driven()
    here = at()
    one = replace(here.standings[0], status=status)
    assert astray(match, replace(here, standings=(one, *here.standings[1:]))) == {}


def test_the_players_let_it_stay_and_the_log_names_it():
    match = driven()
    match.undo()
    wrong = at(Red_1=(11.0, 8.0, 0.0))
    match.commit((match.stays_event(["Red 1"], wrong, "Blue"),))
    assert match.log[-1].words == "Blue lets pieces stay where they stand: Red 1, 3.0 in from its place"
    assert astray(match, wrong) == {}
    assert astray(load(save(match)), wrong) == {}
    done(match, "move", wrong, car="Red 1")
    match.undo()
    match.undo()
    assert list(astray(match, wrong)) == ["Red 1"]
    for names in (["Blue 1"], ["nobody"], []):
        with pytest.raises(TableRefError, match="expected pieces that stand elsewhere"):
            match.stays_event(names, wrong)


def test_many_small_nudges_are_one_large_one():
    match = driven()
    told = []
    for inches in (0.2, 0.4):
        nudged = at(Red_1=(11.0, 8.0, 0.0), Blue_1=(40.0, 8.0 + inches, 180.0))
        done(match, "end", nudged)
        match.undo()
        told.append(list(astray(match, nudged)))
    assert told == [[], ["Blue 1"]]


def test_doubt_tells_nothing():
    place = Place(10.0, 10.0, 0.0)
    one = car("Red 1", 10.4, 10.0)
    assert not in_place(place, one)
    doubtful = Standing(one.piece, one.pose, PoseUncertainty.isotropic(0.1, 0.01))
    assert in_place(place, doubtful)
    free = Place(10.0, 10.0, 0.0, free=math.pi / 2)
    assert in_place(free, car("Red 1", 10.0, 10.0, 90.0))
    assert not in_place(free, car("Red 1", 10.0, 10.0, 120.0))


def test_a_match_is_saved_without_its_secrets_and_goes_on_with_them():
    match = Match.begin(own.GAME, own.SETUP)
    match.play("go", "ann", inches=6, salt="a")
    text = save(match)
    assert '"inches": 6' not in text
    opened = load(text, [own.FOLDER], match.secrets)
    opened.play("go", "bob", inches=1, salt="b")
    assert opened.state.winner == "Ann"
    assert load(save(opened), [own.FOLDER]).state == opened.state
    with pytest.raises(TableRefError, match="go is chosen in secret: expected a salt"):
        match.play("go", "bob", inches=1)


def test_a_match_of_another_game_is_looked_at_and_nonsense_is_refused():
    match = Match.begin(own.GAME, own.SETUP)
    elsewhere = load(save(match).replace("far_edge", "far_side"))
    assert [e.words for e in elsewhere.log] == [e.words for e in match.log]
    assert elsewhere.options() == ()
    for text in ("", "[]", "{", '{"match": 1}'):
        with pytest.raises(TableRefError, match="expected a match"):
            load(text)


BOOK = "Bids 1"

BIDDING = Events[dict[str, Any]]("Bids")


@BIDDING.on("begin")
def bids_begin(_state: dict[str, Any], data: Data) -> dict[str, Any]:
    return {"players": data["players"], "round": 1, "points": {}, "cap": 6, "most": 6}


@BIDDING.on("won")
def won(state: dict[str, Any], data: Data) -> dict[str, Any]:
    return state | {"round": state["round"] + 1, "points": state["points"] | {data["player"]: data["by"]}}


@BIDDING.on("passed")
def passed(state: dict[str, Any], _data: Data) -> dict[str, Any]:
    return state | {"round": state["round"] + 1}


BIDDING.only_told("roll", tone="dice")


def bidding(state: dict[str, Any], seen: Seen) -> tuple[Option, ...]:
    group = f"bids {state['round']}"
    form = Form({"bid": Number(words="your bid", low=1, high=state.get("most", 6))})
    bids = [Option("bid", p, "Bid", form=form, citation=BOOK, sealed=group) for p in state["players"]]
    return (*bids, Option("pass", None, "Pass the round"))


def do_bid(play: Play[Any], action: Action) -> None:
    choices = action.data["choices"]
    best = max(choices, key=lambda p: choices[p]["bid"])
    (roll,) = play.rolls([Want(6, "points", by=best)], BOOK)
    play.tell("won", f"{best} wins", BOOK, player=best, by=roll.value)


BIDS = Game(
    about=About("bids", "Bids", BOOK, "1", sealed=("bid",)),
    states=States(dict),
    events=BIDDING,
    rules={
        "bid": Rule(do_bid, "bid: what everybody chose is revealed", BOOK),
        "pass": Rule(lambda play, _action: play.tell("passed", "The round is passed", BOOK), "pass", BOOK),
    },
    begin=lambda setup: (Event("begin", {"players": list(setup["players"])}, "It begins", BOOK),),
    offers=bidding,
    status=lambda state, _viewer: showing.Status("Round", str(state["round"])),
)
"""Both bid in secret; the higher one rolls a die for points. Anybody may pass a round meanwhile."""


def bid(player: str, number: Any) -> Action:
    return Action("bid", player, {"bid": number})


def bidding() -> Match[dict[str, Any]]:
    return Match.begin(BIDS, {"players": ["Ann", "Bob"]})


def test_nothing_tells_a_choice_before_all_have_chosen():
    seen = []
    for number in (2, 5):
        match = bidding()
        told, sealed = match.seal(bid("Ann", number), "salt")
        assert [e.words for e in told] == ["Ann has chosen"]
        assert sealed_from_json(json.loads(json.dumps(sealed_to_json(sealed)))) == sealed
        assert match.secrets == (sealed,)
        shown = json.dumps([event_to_json(e) for e in match.log] + [BIDS.as_json(match.state)])
        seen.append(shown.replace(sealed.hash, "hash"))
        assert [o.player for o in match.options() if o.sealed] == ["Bob"]
    assert seen[0] == seen[1]


def test_the_last_choice_reveals_all_at_once_and_everybody_can_check_the_hashes():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    told, _ = match.seal(bid("Bob", 5), "b", dice=TypedDice([4]))
    assert [e.kind for e in told] == ["sealed", "action", "roll", "won"]
    action = told[1]
    assert action.barrier
    assert action.data["data"] == {"choices": {"Ann": {"bid": 2}, "Bob": {"bid": 5}}}
    hashes = {e.data["player"]: e.data["hash"] for e in match.log if e.kind == "sealed"}
    for player, salt in action.data["salts"].items():
        said = action.data["data"]["choices"][player]
        assert Sealed(action.data["group"], player, "bid", salt, said).hash == hashes[player]
    assert (match.chosen, match.secrets) == ((), ())
    assert match.state["points"] == {"Bob": 4}
    assert Match.replay(BIDS, match.log).state == match.state
    assert Match.again(BIDS, match.log).log == match.log


def test_a_record_whose_choice_was_changed_is_noticed():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 5), "b", dice=TypedDice([4]))
    lines = json.dumps([event_to_json(e) for e in match.log]).replace('"bid": 2', '"bid": 6')
    with pytest.raises(TableRefError, match="what is revealed of Ann is not what was sealed"):
        Match.replay(BIDS, [event_from_json(line) for line in json.loads(lines)])


def test_choices_can_be_taken_back_until_everybody_has_chosen():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    with pytest.raises(Illegal, match="Ann has chosen already"):
        match.seal(bid("Ann", 3), "c")
    match.withdraw("Ann", "bids 1")
    assert match.log[-1].words == "Ann has taken the choice back"
    match.seal(bid("Ann", 3), "c")
    told, _ = match.seal(bid("Bob", 5), "b")
    assert [e.kind for e in told] == ["sealed"], "no dice: everything is chosen, nothing revealed"
    assert match.revealing() == "bids 1"
    with pytest.raises(Illegal, match="everybody has chosen"):
        match.withdraw("Ann", "bids 1")
    with pytest.raises(NeedDice):
        match.reveal("bids 1")
    match.reveal("bids 1", dice=TypedDice([6]))
    assert match.state["points"] == {"Bob": 6}
    (undone,) = match.undo()
    assert undone.words.endswith(". Ann and Bob choose anew")


def test_pending_choices_come_back_with_their_secrets_and_are_chosen_anew_without():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    again = Match.replay(BIDS, match.log, match.secrets)
    again.seal(bid("Bob", 5), "b", dice=TypedDice([4]))
    assert again.state["points"] == {"Bob": 4}
    lost = Match.replay(BIDS, match.log)
    lost.propose_seal(bid("Bob", 5), "b")
    event, secret = lost.propose_seal(bid("Bob", 5), "b")
    lost.commit((event,), [secret])
    with pytest.raises(TableRefError, match="what Ann chose is not kept here"):
        lost.reveal("bids 1")
    lost.withdraw("Ann", "bids 1")
    assert lost.chosen == (("bids 1", "Bob"),)


def test_undo_and_what_is_no_longer_asked_take_secret_choices_back():
    match = bidding()
    match.do(Action("pass"))
    match.seal(bid("Ann", 2), "a")
    (undone,) = match.undo("Bob")
    assert undone.words == "Undone: the owner of the table: pass. What Ann chose no longer counts"
    assert match.chosen == ()
    match.seal(bid("Ann", 2), "a")
    told = match.do(Action("pass"))
    assert told[-1].words == "What Ann chose no longer counts"
    assert match.chosen == ()
    again = Match.replay(BIDS, match.log)
    assert (again.state, again.chosen, again.log) == (match.state, match.chosen, match.log)
    match.undo()
    assert Match.replay(BIDS, match.log).state == match.state
    stands = standing_batches(batches(match.log))
    assert 0 in stands
    assert len(batches(match.log)) - 1 not in stands


def test_a_secret_choice_counts_while_it_is_secret_and_with_what_revealed_it():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    assert 1 in standing_batches(batches(match.log)), "Ann's is still secret"
    match.withdraw("Ann", "bids 1")
    assert standing_batches(batches(match.log)) == {0}, "she took it back"
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 1), "b", dice=TypedDice([6]))
    assert standing_batches(batches(match.log)) == {0, 3, 4, 5}
    match.undo()
    assert standing_batches(batches(match.log)) == {0}, "all is to be chosen anew"
    match.redo()
    assert standing_batches(batches(match.log)) == {0, 3, 4, 5}
    match.decide("Back", 5)
    assert standing_batches(batches(match.log)) == {0, match.count - 1}


def test_a_secret_choice_stands_until_its_question_is_another_one():
    for most in (1, 5):
        match = bidding()
        match.seal(bid("Ann", 2), "a")
        match.overrule(("cap",), 5, "they agreed")
        assert match.chosen == (("bids 1", "Ann"),)
        # Told whether or not what was chosen would still do: nothing of it is told.
        told = match.overrule(("most",), most, "they agreed")
        assert told[-1].words == "What Ann chose no longer counts"
        match.seal(bid("Ann", 1), "c")
        match.seal(bid("Bob", 1), "b", dice=TypedDice([6]))
        assert match.state["points"] == {"Ann": 6}


def test_a_sealed_kind_is_never_done_in_the_open():
    match = bidding()
    for data in ({"bid": 2}, {"choices": {"Ann": {"bid": 1}, "Bob": {"bid": 1}}}):
        with pytest.raises(Illegal, match="chosen in secret"):
            match.do(Action("bid", "Ann", data))
    with pytest.raises(Illegal, match="Zoe has no 'bid' to choose in secret"):
        match.seal(bid("Zoe", 2), "z")
    with pytest.raises(Illegal, match="expected a whole number from 1 to 6 but got 9"):
        match.seal(bid("Ann", 9), "z")
    with pytest.raises(Illegal, match="not everybody has chosen"):
        match.reveal("bids 1")
    assert len(match.log) == 1


def test_nothing_is_ruled_on_in_secret():
    """It was sealed with the choice, and refused when all was to be revealed: nobody could go on."""
    match = bidding()
    ruled = {"bid": 2, "ruled": {"": "yes"}, "ruled_by": "Ann"}
    match.seal(Action("bid", "Ann", ruled), "a")
    assert match.secrets[0].data == {"bid": 2}
    match.seal(bid("Bob", 5), "b", dice=TypedDice([4]))
    assert match.state["points"] == {"Bob": 4}


def test_the_die_that_fell_stays_fallen_after_an_undo():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 5), "b", dice=SeededDice("x"))
    fell = match.state["points"]
    assert match.undo_barred is not None
    match.undo()
    match.seal(bid("Ann", 1), "c")
    match.seal(bid("Bob", 6), "d", dice=SeededDice("x", 1))
    assert match.state["points"] == fell
    assert [e.data["source"] for e in match.log if e.kind == "roll"] == ["seed x, roll 1"] * 2
    again = Match.replay(BIDS, match.log)
    again.undo()
    again.seal(bid("Ann", 1), "c")
    again.seal(bid("Bob", 6), "d", dice=SeededDice("x", 7))
    assert again.state["points"] == fell


def test_a_die_that_was_typed_may_be_typed_again_once_it_is_said():
    match = bidding()
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 5), "b", dice=TypedDice([1]))
    match.undo()
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 5), "b", dice=TypedDice([6]))
    # Everything is chosen and waits: the die that fell is not typed over.
    assert match.revealing() == "bids 1"
    match.append((match.mistyped_event("Ann"),))
    match.reveal("bids 1", dice=TypedDice([6]))
    assert match.state["points"] == {"Bob": 6}


def test_a_match_begins_in_any_state():
    match = Match.at(BIDS, {"players": ["Ann", "Bob"], "round": 7, "points": {}})
    match.do(Action("pass"))
    assert match.state["round"] == 8
    assert Match.replay(BIDS, match.log).state == match.state


@pytest.mark.parametrize(
    "action",
    [
        Action("fly"),
        Action("bid", "Ann", {}),
        Action("bid", "Ann", {"bid": {}}),
        Action("bid", "Ann", {"choices": 3}),
        Action("bid", "Ann", {"bid": float("nan")}),
        Action("bid", "Ann", {"bid": object()}),
        Action("bid", "Ann", [1]),  # type: ignore[arg-type]
        Action(None, 3),  # type: ignore[arg-type]
    ],
)
def test_whatever_is_asked_is_answered_with_reasons(action):
    match = bidding()
    reasons = match.check(action)
    assert reasons
    assert all(r.words and r.citation for r in reasons)
    with pytest.raises(Illegal):
        match.do(action)
    assert len(match.log) == 1
