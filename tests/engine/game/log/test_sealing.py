"""Sealed choices, dice that stay fallen and barriers, on a game of two numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.errors import TableRefError
from engine.game.contract import About, Option, RuleBook, Seen
from engine.game.dice import Dice, NeedDice, SeededDice, TypedDice, Want, roll_event
from engine.game.events import (
    Action,
    Event,
    Illegal,
    JsonObject,
    Reason,
    batches,
    event_from_json,
    event_to_json,
    standing_batches,
)
from engine.game.forms import Form, Number, check_answers
from engine.game.log.sealing import Sealed, sealed_from_json, sealed_to_json
from engine.game.match import Match
from engine.game.showing import Status, Viewer

BOOK = "Bids 1"
FORM = Form({"bid": Number(words="your bid", low=1, high=6)})


class Bids(RuleBook[dict[str, Any]]):
    """Both bid in secret; the higher one rolls a die for points. Anybody may pass a round meanwhile."""

    about = About("bids", "Bids", BOOK, "1", sealed=("bid",))

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        return (Event("begin", {"players": list(setup["players"])}, "It begins", BOOK),)

    def first(self) -> dict[str, Any]:
        return {}

    def options(self, state: dict[str, Any], seen: Seen) -> tuple[Option, ...]:
        group = f"bids {state['round']}"
        bids = [Option("bid", p, "Bid", form=FORM, citation=BOOK, sealed=group) for p in state["players"]]
        return (*bids, Option("pass", None, "Pass the round"))

    def check(self, state: dict[str, Any], action: Action, seen: Seen) -> tuple[Reason, ...]:
        if action.kind == "pass":
            return ()
        if action.kind != "bid":
            raise TableRefError(f"no action {action.kind!r}")
        choices = action.data.get("choices") or {action.player: action.data}
        return tuple(r for said in choices.values() for r in check_answers(FORM, said, BOOK))

    def act(self, state: dict[str, Any], action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        if reasons := self.check(state, action, seen):
            raise Illegal(reasons)
        if action.kind == "pass":
            return (Event("passed", {}, "The round is passed", BOOK),)
        choices = action.data["choices"]
        best = max(choices, key=lambda p: choices[p]["bid"])
        (roll,) = dice.together([Want(6, "points", by=best)])
        return (
            roll_event([roll], BOOK),
            Event("won", {"player": best, "by": roll.value}, f"{best} wins", BOOK),
        )

    def apply(self, state: dict[str, Any], event: Event) -> dict[str, Any]:
        if event.kind == "begin":
            return {"players": event.data["players"], "round": 1, "points": {}}
        if event.kind == "won":
            points = state["points"] | {event.data["player"]: event.data["by"]}
            return state | {"round": state["round"] + 1, "points": points}
        return state | {"round": state["round"] + 1} if event.kind == "passed" else state

    def as_json(self, state: dict[str, Any]) -> dict[str, Any]:
        return json.loads(json.dumps(state))

    def from_json(self, data: JsonObject) -> dict[str, Any]:
        return dict(data)

    def status(self, state: dict[str, Any], viewer: Viewer) -> Status:
        return Status("Round", str(state["round"]))


GAME = Bids()


def bid(player: str, number: Any) -> Action:
    return Action("bid", player, {"bid": number})


def begun() -> Match[dict[str, Any]]:
    return Match.begin(GAME, {"players": ["Ann", "Bob"]})


def test_nothing_tells_a_choice_before_all_have_chosen():
    seen = []
    for number in (2, 5):
        match = begun()
        told, sealed = match.seal(bid("Ann", number), "salt")
        assert [e.words for e in told] == ["Ann has chosen"]
        assert sealed_from_json(json.loads(json.dumps(sealed_to_json(sealed)))) == sealed
        assert match.secrets == (sealed,)
        shown = json.dumps([event_to_json(e) for e in match.log] + [GAME.as_json(match.state)])
        seen.append(shown.replace(sealed.hash, "hash"))
        assert [o.player for o in match.options() if o.sealed] == ["Bob"]
    assert seen[0] == seen[1]


def test_the_last_choice_reveals_all_at_once_and_everybody_can_check_the_hashes():
    match = begun()
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
    assert Match.replay(GAME, match.log).state == match.state
    assert Match.again(GAME, match.log).log == match.log


def test_a_record_whose_choice_was_changed_is_noticed():
    match = begun()
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 5), "b", dice=TypedDice([4]))
    lines = json.dumps([event_to_json(e) for e in match.log]).replace('"bid": 2', '"bid": 6')
    with pytest.raises(TableRefError, match="what is revealed of Ann is not what was sealed"):
        Match.replay(GAME, [event_from_json(line) for line in json.loads(lines)])


def test_choices_can_be_taken_back_until_everybody_has_chosen():
    match = begun()
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


def test_pending_choices_come_back_with_their_secrets_and_are_chosen_anew_without():
    match = begun()
    match.seal(bid("Ann", 2), "a")
    again = Match.replay(GAME, match.log, match.secrets)
    again.seal(bid("Bob", 5), "b", dice=TypedDice([4]))
    assert again.state["points"] == {"Bob": 4}
    lost = Match.replay(GAME, match.log)
    lost.propose_seal(bid("Bob", 5), "b")
    event, secret = lost.propose_seal(bid("Bob", 5), "b")
    lost.commit((event,), [secret])
    with pytest.raises(TableRefError, match="what Ann chose is not kept here"):
        lost.reveal("bids 1")
    lost.withdraw("Ann", "bids 1")
    assert lost.chosen == (("bids 1", "Bob"),)


def test_undo_and_what_is_no_longer_asked_take_secret_choices_back():
    match = begun()
    match.do(Action("pass"))
    match.seal(bid("Ann", 2), "a")
    (undone,) = match.undo("Bob")
    assert undone.words == "Undone: the referee: pass. What Ann chose no longer counts"
    assert match.chosen == ()
    match.seal(bid("Ann", 2), "a")
    told = match.do(Action("pass"))
    assert told[-1].words == "What Ann chose no longer counts"
    assert match.chosen == ()
    again = Match.replay(GAME, match.log)
    assert (again.state, again.chosen, again.log) == (match.state, match.chosen, match.log)
    match.undo()
    assert Match.replay(GAME, match.log).state == match.state
    stands = standing_batches(batches(match.log))
    assert 0 in stands
    assert len(batches(match.log)) - 1 not in stands


def test_a_sealed_kind_is_never_done_in_the_open():
    match = begun()
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


def test_the_die_that_fell_stays_fallen_after_an_undo():
    match = begun()
    match.seal(bid("Ann", 2), "a")
    match.seal(bid("Bob", 5), "b", dice=SeededDice("x"))
    fell = match.state["points"]
    assert match.undo_barred is not None
    match.undo()
    match.seal(bid("Ann", 1), "c")
    match.seal(bid("Bob", 6), "d", dice=SeededDice("x", 1))
    assert match.state["points"] == fell
    assert [e.data["source"] for e in match.log if e.kind == "roll"] == ["seed x, roll 1"] * 2
    again = Match.replay(GAME, match.log)
    again.undo()
    again.seal(bid("Ann", 1), "c")
    again.seal(bid("Bob", 6), "d", dice=SeededDice("x", 7))
    assert again.state["points"] == fell


def test_a_die_that_was_typed_may_be_typed_again_once_it_is_said():
    match = begun()
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
    match = Match.at(GAME, {"players": ["Ann", "Bob"], "round": 7, "points": {}})
    match.do(Action("pass"))
    assert match.state["round"] == 8
    assert Match.replay(GAME, match.log).state == match.state


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
    match = begun()
    reasons = match.check(action)
    assert reasons
    assert all(r.words and r.citation for r in reasons)
    with pytest.raises(Illegal):
        match.do(action)
    assert len(match.log) == 1
