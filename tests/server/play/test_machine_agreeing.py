"""What a machine agrees to and what others agree to of its deeds: what is too close to call, and unseen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from engine.driver.deciding import Choice
from engine.game.events import RULED, Action, SaidFact
from server.play.consent import Needed, Proposal, Proposals
from server.play.keeping import PROPOSAL
from server.play.machine import ASKED, NOT_SO, SAID, STAYED, TRIES, Intent, agreeable
from server.play.messages import Act, Answer
from server.play.thinking import AsItLies
from server.web.authentication import Identity
from tests.server.play.test_machine import MACHINE, PERSON, drive, evening, its_turn_to_drive, pushed


@pytest.mark.parametrize("agrees", [True, False])
def test_whether_its_move_counts_that_is_too_close_to_call_the_others_are_asked(
    tmp_path: Path, agrees: bool
) -> None:
    """Neither is it told as unlawful, nor does the machine alone answer what it would gain by."""
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        its_turn_to_drive(table)
        pushed(table, "Blue 1", ahead=2.75)
        table.step(8)
        (ghost,) = table.machines.ghosts()
        assert (table.kinds[-1], ASKED in ghost.words) == (("Red", "end"), True)
        assert NOT_SO not in ghost.words
        (asked,) = table.host.proposals.waiting.values()
        assert [(f.how, f.value) for f in asked.facts] == [("open", "yes")]
        assert asked.needed.players == ("Red",)
        table.send(PERSON, type="agree", proposal=asked.id, agrees=agrees)
        assert (("Blue", "move") in table.kinds) is agrees
        assert table.host.match is not None
        done = [e for e in table.host.match.log if e.kind == "action" and e.data["kind"] == "move"]
        assert [e.measured for e in done] == ([True, False] if agrees else [True])


@pytest.mark.parametrize(
    ("value", "how", "agrees", "why"),
    [
        ("yes", "open", True, "too close to call, a coin says yes: in its arc"),
        ("no", "open", False, "too close to call, a coin says yes: in its arc"),
        ("short", "open", False, "the camera did not see it so: in its arc"),
        ("yes", "said", False, "the camera did not see it so: in its arc"),
        ("yes", "waived", False, "the book is against it: in its arc"),
    ],
)  # fmt: skip
def test_a_coin_decides_what_is_too_close_and_nothing_passes_that_nobody_saw(
    value: str, how: Any, agrees: bool, why: str
) -> None:
    fact = SaidFact("in its arc", value, how)
    proposal = Proposal(
        "1", Act(type="act", key="k" * 8, kind="shoot"), "Red", (fact,), Needed(("Blue",)), ""
    )
    assert agreeable(proposal, lambda _: "yes") == (agrees, why)


def test_what_another_machine_meant_counts_where_nothing_but_yes_is_lawful() -> None:
    """It would have said no, if that were lawful: a coin against it left its turn to people."""
    for value, why in (
        ("yes", "too close to call, and tableref meant it so: in its arc"),
        ("no", "too close to call, a coin says yes: in its arc"),
    ):
        facts = (SaidFact("in its arc", value, "open"),)
        act = Act(type="act", key="k" * 8, kind="move")
        asked = Proposal("1", act, "Red", facts, Needed(("Blue",)), "")
        assert agreeable(asked, lambda _: "yes", meant=True) == (value == "yes", why)
        assert agreeable(asked, lambda _: "no", meant=True)[0]


def test_what_is_proposed_is_another_ones_deed_where_another_one_does_it() -> None:
    facts = (SaidFact("in reach", "yes", "open"),)
    act, other = (Act(type="act", key=k * 8, kind=kind) for k, kind in (("k", "move"), ("m", "shoot")))
    proposals = Proposals()
    proposals.put(asked := Proposal("one", act, "Red", facts, Needed(("Blue",)), ""))
    assert proposals.of(act.model_copy(update={"key": "n" * 8}), "Red", facts) is asked
    for deed, by, said in ((act, "Blue", facts), (act, None, facts), (other, "Red", facts), (act, "Red", ())):
        assert proposals.of(deed, by, said) is None


@pytest.mark.parametrize(("by", "kind"), [("Red", "move"), ("Red", "shoot"), ("Green", "move")])
def test_a_coin_decides_shots_of_machines_and_what_people_say_of_their_cars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, kind: str
) -> None:
    """Only where hands pushed another machine's car does nobody gain who is asked for it."""
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": MACHINE, "Blue": MACHINE})
        monkeypatch.setattr(table.machines, "_coin", lambda _: "no")
        monkeypatch.setattr(table.machines, "_awaits", lambda kind: kind == "move")
        act = Act(type="act", key="k" * 8, kind=kind)
        facts = (SaidFact("in reach", "yes", "open"),)
        table.host.proposals.put(Proposal("one", act, by, facts, Needed(("Blue",)), "acts"))
        table.machines._sit("Blue")
        asks, said = table.host.ask, []

        def hears(who: Identity, request: Any) -> Answer:
            said.append(request.agrees)
            return asks(who, request)

        monkeypatch.setattr(table.host, "ask", hears)
        table.machines._reply("Blue")
        assert said == [(by, kind) == ("Red", "move")]


def test_what_others_do_not_agree_to_is_answered_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it touched is yes or no: that it asked for *no* three times left its turn to people."""
    with evening(tmp_path, "white_line_fever", simulated=False) as table:
        its_turn_to_drive(table)
        drive(table, "Blue 1")
        asks, thinks, declined = table.host.ask, table.machines._thinker, []

        def answers(job: Any, game: Any) -> Any:
            if not isinstance(job, AsItLies):
                return thinks(job, game)
            declined.append(job.declined)
            if len(job.declined) > 1:
                return None
            said = {RULED: {"it touches Crate": ("no", "yes")[len(job.declined)]}}
            return replace(job.choice, action=replace(job.choice.action, data=said))

        def proposes(who: Identity, request: Any) -> Answer:
            if getattr(request, "kind", "") != "move":
                return asks(who, request)
            return Answer(key=request.key, accepted=False, proposed=["Red"])

        monkeypatch.setattr(table.machines, "_thinker", answers)
        monkeypatch.setattr(table.host, "ask", proposes)
        table.step(8, seconds=10.0)
        no, yes = ({"it touches Crate": said} for said in ("no", "yes"))
        assert declined[:3] == [(), (no,), (no, yes)]
        assert sum(table.machines._refused.values()) >= 1


def test_a_coin_is_tossed_once_for_a_fact_in_one_position(tmp_path: Path) -> None:
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        # The figure is another one in each picture.
        again = {table.machines._coin(SaidFact(f"{k / 100:.2f} of 16 in", "yes", "open")) for k in range(30)}
        others = {table.machines._coin(SaidFact(f"in arc {chr(65 + k)}", "yes", "open")) for k in range(30)}
        assert len(again) == 1
        assert others == {"yes", "no"}


def test_why_a_machine_does_not_agree_stands_in_the_record_where_no_phone_can_write(tmp_path: Path) -> None:
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        table.step()
        act = Act(type="act", key="k" * 8, kind="shoot")
        facts = (SaidFact("in its arc", "yes", "said"),)
        table.host.proposals.put(Proposal("one", act, "Red", facts, Needed(("Blue",)), "shoots"))
        with pytest.raises(ValidationError):
            table.send(PERSON, type="agree", proposal="one", agrees=False, why="it was measured")
        table.machines._reply("Blue")
        assert not table.host.proposals.waiting
        (kept,) = table.at.library.reader(table.at.game_id).entries([PROPOSAL])
        assert kept.words.endswith("Blue does not agree: the camera did not see it so: in its arc")


@pytest.mark.parametrize(
    ("unmeasured", "alone", "answers"), [(SAID, True, True), (SAID, False, False), (STAYED, False, True)]
)
def test_what_a_machine_says_that_nobody_saw_is_for_people_to_agree_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unmeasured: str, alone: bool, answers: bool
) -> None:
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": MACHINE, "Blue": MACHINE})
        monkeypatch.setattr(table.machines, "_alone", lambda: alone)
        act = Act(type="act", key="k" * 8, kind="move", unmeasured=unmeasured)
        table.host.proposals.put(Proposal("one", act, "Red", (), Needed(("Blue",)), "moves"))
        table.machines._sit("Blue")
        table.machines._reply("Blue")
        assert ("one" not in table.host.proposals.waiting) == answers


def test_what_others_do_not_agree_to_is_not_proposed_for_ever(tmp_path: Path) -> None:
    with evening(tmp_path, "white_line_fever") as table:
        table.begin("white_line_fever", {"Red": None, "Blue": MACHINE})
        assert table.host.match is not None
        count = table.host.match.count
        choice = Choice(Action("shoot", "Blue", {}), "shoots")
        for _ in range(TRIES):
            table.machines._keep("Blue", Intent(choice, count, table.now, proposed=True))
            act = Act(type="act", key="k" * 8, kind="shoot")
            table.host.proposals.put(Proposal("one", act, "Blue", (), Needed(("Red",)), "shoots"))
            assert table.machines._act("Blue", table.machines._machines()[0][1])
            assert table.machines._now("Blue") is not None, "it waits for an answer"
            table.host.proposals.drop("one")
            table.machines._act("Blue", table.machines._machines()[0][1])
            assert table.machines._now("Blue") is None
        assert table.machines._stuck("Blue")
