"""Dice of the table, typed on the phones of those who roll them, for a deed that waits for all of them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.game.dice import Want, rolls_of
from engine.game.events import Event
from engine.game.match import Match
from server.formats.entries import MemoryLog
from server.play.consent import Needed, Proposal, Waits
from server.play.drafts import Draft
from server.play.host import MatchHost
from server.play.messages import (
    Act,
    Answer,
    Begin,
    Mistyped,
    Modes,
    Reveal,
    Rolled,
    SetModes,
    SetUp,
    Sit,
    Undo,
)
from server.play.seats import MACHINE
from server.play.throws import Throw, to_retype
from server.play.view import waits_words
from server.web.authentication import Identity
from tests.server.gaming import gaming
from tests.server.play.test_host import ANNA, BEN, GUEST, OWNER, act, done, key
from tests.server.play.test_secrets import DRAFT as HIDING

CLEO = Identity("player", "e" * 16)
DRAFT = Draft.model_validate(
    {
        "game": "battlecars",
        "players": [{"name": n, "colour": "#c0392b"} for n in ("Anna", "Ben", "Cleo")],
        "pieces": [
            {"name": f"{o} 1", "owner": o, "answers": {"type": "Saloon"}} for o in ("Anna", "Ben", "Cleo")
        ],
    }
)


def begun(*seated: tuple[Identity, str], keeps: MemoryLog | None = None) -> MatchHost:
    """Who has first move is to be rolled for: a die of each player, all to be typed."""
    host = MatchHost(keeps)
    done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
    for who, player in seated:
        done(host.ask(who, Sit(type="sit", key=key(), player=player)))
    done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes(dice="type"))))
    done(host.ask(OWNER, Begin(type="begin", key=key())))
    return host


def rolled(host: MatchHost, who: Identity, throw: str | None, *dice: Any, back: bool = False) -> Answer:
    said = None if back else list(dice)
    return host.ask(who, Rolled(type="rolled", key=key(), throw=str(throw), dice=said))


def fell(host: MatchHost) -> list[tuple[str | None, int, str]]:
    assert host.match is not None
    return [(roll.by, roll.value, roll.source) for roll in rolls_of(host.match.log)]


def test_each_types_their_own_and_the_deed_goes_on_with_the_last() -> None:
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    first = act(host, ANNA, "start")
    assert [w.by for w in first.wanted] == ["Anna", "Ben", "Cleo"]
    throw = host.throws.waiting[str(first.throw)]
    assert host.waited_for(throw) == (None, "Ben", None), "Cleo has no phone here"
    number = host.number
    for who, dice, said in (
        (BEN, (3, None, None), "Anna types that die"),
        (BEN, (None, None, 3), "Cleo types that die, or Anna"),
        (GUEST, (None, 3, None), "spectators"),
        (CLEO, (None, 3, None), "Ben types that die"),
        (BEN, (None, 99, None), "99 was typed"),
        (BEN, (3,), "expected 3 dice"),
    ):
        refused = rolled(host, who, throw.id, *dice)
        assert said in str(refused.error), refused
    assert (host.number, fell(host)) == (number, [])
    done(rolled(host, BEN, throw.id, None, 4, None))
    # The very same deed, asked for again, has lost nothing.
    assert act(host, ANNA, "start").throw == throw.id
    assert host.throws.waiting[throw.id].missing == (0, 2)
    done(rolled(host, ANNA, throw.id, 4, None, 1))
    # Anna and Ben are level and roll again: that is asked of each again.
    (again,) = host.throws.waiting.values()
    assert ([w.by for w in again.wanted], again.given, again.who) == (["Anna", "Ben"], (4, 4, 1), ANNA)
    assert "not asked for any more" in str(rolled(host, BEN, throw.id, None, 4, None).error)
    done(rolled(host, BEN, again.id, None, 6))
    assert fell(host) == []
    done(rolled(host, ANNA, again.id, 2, None))
    assert not host.throws.waiting
    assert fell(host)[:2] == [("Anna", 4, "typed"), ("Ben", 4, "typed")]
    assert len(fell(host)) == 5
    assert host.match is not None
    action = next(e for e in host.match.log if e.kind == "action")
    assert action.data["player"] == "Anna", "it is the deed of whoever did it, whoever typed last"


def test_dice_that_fell_before_it_was_taken_back_lie_as_they_fell() -> None:
    """Whoever knew the dice of the others could have them thrown again."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = act(host, ANNA, "start").throw
    done(rolled(host, ANNA, throw, 4, None, 1))
    done(rolled(host, BEN, throw, None, 4, None))
    (again,) = host.throws.waiting.values()
    done(rolled(host, BEN, again.id, None, 6))
    # Nor does whoever has seen dice do something else instead.
    assert "dice have fallen for it" in str(rolled(host, ANNA, again.id, back=True).error)
    assert not again.goes_back(ANNA)
    assert "type the others first" in str(act(host, ANNA, "floor_it").error)
    done(rolled(host, OWNER, again.id, back=True))
    assert not host.throws.waiting
    # It is the same for whoever does it then.
    anew = host.throws.waiting[str(act(host, OWNER, "start").throw)]
    assert (anew.given, anew.typed, anew.who) == ((4, 4, 1), {1: 6}, OWNER)
    done(rolled(host, OWNER, anew.id, 2, None))
    assert [value for _, value, _ in fell(host)] == [4, 4, 1, 2, 6]
    # From where it was begun they lie there again, and from nowhere else.
    done(host.ask(OWNER, Undo(type="undo", key=key())))
    done(host.ask(OWNER, Mistyped(type="mistyped", key=key())))
    throw = host.throws.waiting[str(act(host, OWNER, "start").throw)]
    assert (throw.given, throw.typed) == ((), {})


def test_dice_that_fell_lie_for_whoever_has_the_seat() -> None:
    """Whoever saw them fall stood up, sat down with another phone, and had them thrown again."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = str(act(host, ANNA, "start").throw)
    done(rolled(host, BEN, throw, None, 4, None))
    done(rolled(host, ANNA, throw, 1, None, None))
    done(host.ask(ANNA, Sit(type="sit", key=key(), player=None)))
    assert host.throws.waiting[throw].typed == {0: 1, 1: 4}, "it waits for whoever sits down there"
    assert not host.throws.waiting[throw].does(ANNA)
    done(host.ask(CLEO, Sit(type="sit", key=key(), player="Anna")))
    assert "dice have fallen for it" in str(rolled(host, CLEO, throw, back=True).error)
    assert act(host, CLEO, "start").throw == throw
    assert host.throws.waiting[throw].typed == {0: 1, 1: 4}
    # The phone that did it first has no part in it any more, whoever sits there now.
    done(host.ask(ANNA, Sit(type="sit", key=key(), player="Cleo")))
    assert "Anna types that die" in str(rolled(host, ANNA, throw, 6, None, None).error)
    done(rolled(host, CLEO, throw, None, None, 3))
    assert fell(host)[:3] == [("Anna", 1, "typed"), ("Ben", 4, "typed"), ("Cleo", 3, "typed")]


def test_dice_of_several_phones_that_were_typed_wrong_are_asked_for_anew_by_itself() -> None:
    """Nobody was asked, and the deed could be replaced by another one."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = act(host, ANNA, "start").throw
    done(rolled(host, ANNA, throw, 4, None, 1))
    done(rolled(host, BEN, throw, None, 5, None))
    assert not host.throws.waiting
    assert host.may_retype(ANNA)
    done(host.ask(ANNA, Mistyped(type="mistyped", key=key(), back=True)))
    (anew,) = host.throws.waiting.values()
    assert (anew.who, anew.given, anew.typed, len(anew.wanted)) == (ANNA, (), {}, 3)
    done(rolled(host, BEN, anew.id, None, 6, None))
    done(rolled(host, ANNA, anew.id, 4, None, 2))
    assert [value for _, value, _ in fell(host)][-3:] == [4, 6, 2]


@pytest.mark.parametrize(
    ("event", "asked"),
    [
        (None, None),
        (Event("begin", {}, "A game begins", "1"), None),
        (Event("action", {"kind": "start", "player": "Anna", "data": {"a": 1}}, "Anna starts", "1"), "start"),
        # What was chosen in secret lies there again.
        (Event("action", {"kind": "hide", "player": "Anna", "data": {}}, "Anna hides", "1"), None),
    ],
)
def test_only_a_deed_that_was_no_secret_choice_is_asked_for_anew(
    event: Event | None, asked: str | None
) -> None:
    game = SimpleNamespace(about=SimpleNamespace(sealed=("hide",)))
    before = None if event is None else SimpleNamespace(events=[event])
    deed = to_retype(cast(Match[Any], SimpleNamespace(retyping=before, game=game)))
    assert (deed and deed.kind) == asked


@pytest.mark.parametrize("who", [ANNA, OWNER])
def test_nobody_holds_it_up(who: Identity) -> None:
    """Whoever does the deed may type the dice of the others, and the owner may always."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = act(host, ANNA, "start").throw
    assert "Anna may take it back" in str(rolled(host, BEN, throw, back=True).error)
    done(rolled(host, who, throw, back=True))
    assert not host.throws.waiting
    throw = act(host, ANNA, "start").throw
    done(rolled(host, who, throw, 4, 5, 6))
    assert [value for _, value, _ in fell(host)] == [4, 5, 6]
    # With all dice in the deed itself, too.
    done(host.ask(OWNER, Undo(type="undo", key=key())))
    done(host.ask(OWNER, Mistyped(type="mistyped", key=key())))
    assert act(host, ANNA, "start").throw
    done(act(host, ANNA, "start", dice=[1, 2, 3]))
    assert not host.throws.waiting


def test_only_a_person_with_a_phone_is_asked_on_it() -> None:
    host = begun()
    assert (act(host, OWNER, "start").throw, len(act(host, OWNER, "start").wanted)) == (None, 3)
    host = begun((Identity("player", "machine:Ben"), "Ben"), (ANNA, "Anna"))
    assert act(host, ANNA, "start").throw is None
    # On the owner's page what Anna rolls is asked on Anna's phone.
    throw = host.throws.waiting[str(act(host, OWNER, "start").throw)]
    assert host.waited_for(throw) == ("Anna", None, None)
    assert not act(host, ANNA, "start").throw
    done(rolled(host, ANNA, throw.id, 3, None, None))
    assert "dice have fallen" in str(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes())).error)
    done(rolled(host, OWNER, throw.id, back=True))
    done(host.ask(OWNER, SetModes(type="modes", key=key(), modes=Modes())))
    assert not host.throws.waiting, "dice are rolled here now"


def test_whoever_plays_rolls_for_a_machine_and_a_person_on_their_own_phone() -> None:
    machine, dora = Identity("player", "machine:Ben"), Identity("player", "d" * 16)
    host = begun((machine, "Ben"), (ANNA, "Anna"), (CLEO, "Cleo"))
    throw = host.throws.waiting[str(act(host, machine, "start").throw)]
    assert [w.by for w in throw.wanted] == ["Anna", "Ben", "Cleo"]
    assert host.waited_for(throw) == ("Anna", None, "Cleo")
    for who, dice, said in (
        (ANNA, (None, None, 3), "Cleo types that die, or the owner of the table"),
        (CLEO, (3, None, None), "Anna types that die, or the owner of the table"),
        (dora, (None, 3, None), "whoever plays types that die"),
        (GUEST, (None, 3, None), "spectators"),
    ):
        assert said in str(rolled(host, who, throw.id, *dice).error)
    assert "the owner of the table may take it back" in str(rolled(host, ANNA, throw.id, back=True).error)
    done(rolled(host, CLEO, throw.id, None, 2, 1))
    done(rolled(host, ANNA, throw.id, 6, None, None))
    assert fell(host) == [("Anna", 6, "typed"), ("Ben", 2, "typed"), ("Cleo", 1, "typed")]
    assert host.match is not None
    action = next(e for e in host.match.log if e.kind == "action")
    assert (action.data["player"], "(dice typed by Cleo and Anna)" in action.words) == ("Ben", True)
    # What a person does says nothing of who typed.
    done(host.ask(OWNER, Undo(type="undo", key=key())))
    done(host.ask(OWNER, Mistyped(type="mistyped", key=key())))
    done(act(host, ANNA, "start", dice=[1, 2, 3]))
    assert "typed by" not in [e for e in host.match.log if e.kind == "action"][-1].words


def test_is_asked_for_anew_after_a_restart_and_done_once() -> None:
    keeps = MemoryLog()
    host = begun((ANNA, "Anna"), (BEN, "Ben"), keeps=keeps)
    start = Act(type="act", key=key(), kind="start")
    before = host.ask(ANNA, start).throw
    done(rolled(host, BEN, before, None, 4, None))
    again = MatchHost(keeps)
    again.restore(keeps.entries)
    assert "not asked for any more" in str(rolled(again, BEN, before, None, 4, None).error)
    throw = again.ask(ANNA, start).throw
    assert throw != before
    done(rolled(again, ANNA, throw, 1, None, 3))
    done(rolled(again, BEN, throw, None, 2, None))
    done(again.ask(ANNA, start))
    once = MatchHost(keeps)
    once.restore(keeps.entries)
    done(once.ask(ANNA, start))
    assert len(fell(once)) == 3


def test_what_cannot_be_done_any_more_is_not_asked_for_any_more() -> None:
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = act(host, ANNA, "start").throw
    host.seats.put("Anna", None)
    number = host.number
    last = rolled(host, OWNER, throw, 4, 5, 6)
    assert "It cannot be done any more, Anna has to do it anew" in str(last.error)
    assert host.number > number, "all are told"
    assert not host.throws.waiting


def test_what_others_have_to_agree_to_by_now_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table may deny by now what it said when the dice were asked for."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = act(host, ANNA, "start").throw
    said = Proposal(
        "one", Act(type="act", key=key(), kind="start"), "Anna", (), Needed(("Ben",)), "it starts"
    )

    def agreed_to(_: Throw) -> None:
        raise Waits(said)

    monkeypatch.setattr(host, "_with_dice", agreed_to)
    number, last = host.number, rolled(host, OWNER, throw, 4, 5, 6)
    assert (last.accepted, last.proposed) == (False, ["Ben"])
    assert "Ben" in str(last.error)
    assert "cannot be done" not in str(last.error)
    assert host.number > number, "all are told"
    assert not host.throws.waiting


def test_dice_count_for_nothing_else_than_they_were_asked_for() -> None:
    """Where the deed wants other dice by now, those are asked for, and nothing is done with the others."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    throw = host.throws.waiting[str(act(host, ANNA, "start").throw)]
    host.throws.waiting[throw.id] = replace(throw, wanted=(*throw.wanted[:2], Want(8, "another", by="Ben")))
    done(rolled(host, ANNA, throw.id, 4, 5, 6))
    (again,) = host.throws.waiting.values()
    assert (again.wanted, again.typed, fell(host)) == (throw.wanted, {}, [])


def test_each_is_told_what_is_theirs_and_no_hidden_distance() -> None:
    pieces = [{"name": one["name"], "owner": one["owner"], "answers": {}} for one in HIDING["pieces"]]
    with gaming() as table, table.joined() as owner:
        owner.done(type="setup", draft={**HIDING, "game": "car_cult", "pieces": pieces})
        owner.done(type="modes", modes={"dice": "type", "moves": "ask", "questions": "ask"})
        with table.joined("player") as ben, table.joined("spectator") as guest:
            ben.done(type="sit", player="Ben")
            owner.done(type="begin")
            wants = tuple(Want(20, "RED1 stops 3.21 in short", by=by) for by in ("Anna", "Ben"))
            move = Act(type="act", key=key(), kind="move")
            throw = Throw("throw-1", Identity("owner"), "the owner of the table", move, (), wants)
            table.host.throws.put(throw)
            ben.done(type="sit", player="Ben")  # a change, so that all are told
            told = {}
            for name, page in (("owner", owner), ("ben", ben), ("guest", guest)):
                state = page.shows(lambda s: s["match"] and s["match"]["throws"])
                (told[name],) = state["match"]["throws"]
            assert "3.21" not in str(told)
    assert [(d["of"], d["mine"]) for d in told["owner"]["dice"]] == [(None, True), ("Ben", False)]
    assert [(d["of"], d["mine"]) for d in told["ben"]["dice"]] == [(None, False), ("Ben", True)]
    assert (told["guest"]["dice"], told["guest"]["waits"]) == ([], ["Ben"])
    assert [told[name]["may"] for name in ("owner", "ben", "guest")] == [True, False, False]


def test_asked_for_again_a_deed_keeps_all_that_fell() -> None:
    """Level rolls are rolled again; whoever taps the deed once more has not undone that."""
    host = begun((ANNA, "Anna"), (BEN, "Ben"))
    first = act(host, ANNA, "start")
    done(rolled(host, ANNA, first.throw, 5, None, 5))
    done(rolled(host, BEN, first.throw, None, 5, None))
    (level,) = host.throws.waiting.values()
    assert (level.given, len(level.wanted)) == ((5, 5, 5), 3)
    done(rolled(host, BEN, level.id, None, 6, None))
    again = act(host, ANNA, "start")
    assert again.throw == level.id
    assert host.throws.waiting[level.id].typed == {1: 6}


def test_the_owner_takes_back_what_a_machine_does_but_not_what_it_reveals() -> None:
    machine, mine = Identity("player", f"{MACHINE}Anna"), Identity("owner")
    move, reveal = Act(type="act", key=key(), kind="move"), Reveal(type="reveal", key=key())
    does, reveals = (
        Throw("t", machine, "Anna", request, (), (Want(6, "ram"),)) for request in (move, reveal)
    )
    assert (does.goes_back(mine), does.goes_back(BEN), does.goes_back(machine)) == (True, False, True)
    # It would be asked for again at once.
    assert not reveals.goes_back(mine)


def test_more_than_two_who_are_waited_for_stand_in_a_row() -> None:
    """It read *Anna and Ben and Cat*, on every page and in the record."""
    act, three = Act(type="act", key=key(), kind="start"), ("Ben", "Cat", "Dan")
    for every, row in ((True, "Ben, Cat and Dan"), (False, "Ben, Cat or Dan")):
        one = Proposal("one", act, "Anna", (), Needed(three, all=every), "it starts")
        assert one.needed.words == f"{row}, or the owner of the table,"
        assert str(Waits(one)).startswith(f"Proposed: {row}, or the owner of the table, ha")
        assert waits_words(one, "Cat") == f"Waiting for {row.replace('Cat', 'you')}."
