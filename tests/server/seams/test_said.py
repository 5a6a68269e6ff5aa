"""What is said against what is seen: no player's phone alone overrules what the table measured, in any game.

Each test is a side door by which one did.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.game.contract import Seen
from engine.game.events import RULED_BY
from engine.game.match import Match
from engine.game.showing import Viewer
from engine.measure.sweep import Straight
from server.formats.entries import MemoryLog
from server.play.consent import COUNTS, Proposal
from server.play.host import MatchHost
from server.play.messages import Sit
from server.play.view import log_lines
from tests.engine.games.white_line_fever.playing import begun, do, drive, sheet
from tests.engine.games.white_line_fever.test_guide import choosing, moved, seen_of
from tests.engine.tables import block, car, table
from tests.server.seams.said import BLUE, OWNER, RED, Evening

CARS = {"Red 1": "Red", "Blue 1": "Blue"}

FAR = car("Blue 1", 40, 30)
"""More than a foot from where Red 1 drives."""


def at_rest(speed: int = 3, inches: float = 3.0) -> Evening:
    """Red 1 has driven so far at that Speed, surely, and touched nothing."""
    match = choosing(speed)
    return Evening(match, CARS, seen_of(moved(Straight(inches), others=(FAR,))))


def test_a_contact_that_nothing_showed_is_proposed_and_counts_when_its_owner_agrees() -> None:
    evening = at_rest()
    count = len(evening.match.log)
    typed = evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"])
    evening.nothing_done(typed, count)
    assert typed.proposed == ["Blue"]
    # Neither who gains by it agrees, nor does a second tap stand for the other's.
    evening.nothing_done(evening.agree(RED), count)
    evening.nothing_done(evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"]), count)
    assert evening.agree(BLUE).accepted
    (moved_,) = evening.told("moved")
    assert [one["other"] for one in moved_.data["contacts"]] == ["Blue 1"]
    assert moved_.measured is False
    assert evening.match.log[count].measured is False
    fact = evening.said.data["facts"][0]
    assert (fact["name"], fact["value"], fact["how"], fact["measured"]) == (
        "it hit",
        "Blue 1",
        "said",
        "none",
    )
    assert (evening.said.data["by"], evening.said.data["agreed"]) == ("Red", ["Blue"])
    assert evening.said.words == "Red says, not measured: it hit: Blue 1 (the table: none); Blue agrees"


def test_a_phone_that_changes_its_seat_does_not_agree_to_what_it_proposed() -> None:
    evening = at_rest()
    count, host = len(evening.match.log), evening.host

    def sits(name: str | None) -> None:
        assert host.ask(RED, Sit(type="sit", key=f"key-sits-{name}", player=name)).accepted

    evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"])
    host.seats.put("Blue", None)
    sits("Blue")
    refused = evening.agree(RED)
    evening.nothing_done(refused, count)
    assert refused.error == (
        "this phone has proposed it, or agreed to it, in another seat: Blue agrees on another one, "
        "or the owner of the table does"
    )
    # A restart forgets it no more than who has agreed.
    assert Proposal.from_json(evening.proposal.as_json()) == evening.proposal
    sits("Red")
    host.seats.put("Blue", BLUE.device)
    assert evening.agree(BLUE).accepted


def test_what_the_form_shows_already_is_as_it_was_seen() -> None:
    """A page that sends what was measured says nothing, and drops none of the move's own ruling."""
    evening = at_rest(speed=5, inches=3.0)
    refused = evening.act(RED, "move", car="Red 1", move="move-1", contacts=[], left_surface=False)
    assert refused.reasons
    assert all(reason.open for reason in refused.reasons)
    legal = at_rest()
    assert legal.act(RED, "move", car="Red 1", move="move-1", contacts=[]).accepted
    assert legal.told("moved")[0].measured is True
    assert legal.told("said") == []


def test_the_owner_says_it_with_one_tap_in_the_owners_name() -> None:
    evening = at_rest()
    assert evening.act(OWNER, "move", player="Red", car="Red 1", move="move-1", contacts=["Blue 1"]).accepted
    assert evening.said.words.startswith("the owner of the table says, not measured: it hit: Blue 1")
    assert evening.told("moved")[0].measured is False


def test_a_proposal_that_nobody_agrees_to_goes_with_the_position_or_a_no() -> None:
    evening = at_rest()
    evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"])
    assert evening.agree(BLUE, agrees=False).accepted
    assert not evening.host.proposals.waiting
    evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"])
    assert evening.act(RED, "move", car="Red 1", move="move-1").accepted
    assert not evening.host.proposals.waiting
    assert evening.told("said") == []


def test_why_nothing_came_of_a_proposal_is_kept_until_whoever_made_it_goes_on() -> None:
    """A page guessed it from what waited no more: not where the game had gone on in the same moment."""
    evening = at_rest()

    def told(host: MatchHost) -> list[tuple[str, str]]:
        return [(one.proposal.words, one.why) for one in host.proposals.declined.values()]

    wants = {"car": "Red 1", "move": "move-1", "contacts": ["Blue 1"]}
    evening.act(RED, "move", **wants)
    evening.agree(RED, agrees=False)
    assert told(evening.host) == [], "what was taken back is no news"
    evening.act(RED, "move", **wants)
    words = evening.proposal.words
    evening.agree(BLUE, agrees=False)
    why = [(words, "Blue does not agree")]
    assert told(evening.host) == why
    again = MatchHost(MemoryLog(), lambda: evening.sight.table)
    again.restore(evening.host.keeping.journal.entries)
    assert told(again) == why
    # Whoever proposes anew, or does something, has heard of it.
    evening.act(RED, "move", **wants)
    assert told(evening.host) == []
    evening.agree(BLUE, agrees=False)
    assert evening.act(RED, "move", car="Red 1", move="move-1").accepted
    assert told(evening.host) == []


def test_what_was_agreed_to_was_this_and_nothing_else() -> None:
    evening = at_rest()
    evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"])
    # The table is another one by now: the car stands against it.
    touching = replace(FAR, pose=replace(FAR.pose, x=evening.sight.moves["move-1"].after.pose.x + 3))
    evening.sight = seen_of(moved(Straight(3.0), others=(touching,), number=2))
    assert not evening.agree(BLUE).accepted
    assert not evening.host.proposals.waiting
    assert evening.told("moved") == []


def test_nobody_ends_anothers_move() -> None:
    """An opponent's *Accept without measuring*, while the car stands still and nothing was proposed."""
    match = choosing(3)
    evening = Evening(match, CARS, Seen(table(car("Red 1", 10, 10), FAR)))
    count = len(match.log)
    for said in ({"unmeasured": "I saw it"}, {"unmeasured": "I saw it", "left_surface": True}):
        why = str(said["unmeasured"])
        data = {"car": "Red 1", **({"left_surface": True} if "left_surface" in said else {})}
        evening.nothing_done(evening.act(BLUE, "move", why, player="Red", **data), count)
        evening.nothing_done(evening.act(BLUE, "move", why, **data), count)
        # Nor by sending a move of the own car for it, or of the other's in the own name.
        for car_of in ("Blue 1", "Red 1"):
            for player in ("Blue", "Red", None):
                data = {"car": car_of, "left_surface": True}
                evening.nothing_done(evening.act(BLUE, "move", why, player=player, **data), count)
    assert not evening.host.proposals.waiting
    # Who moves proposes it, and the other agrees.
    assert evening.act(RED, "move", "its tag is covered", car="Red 1").proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    (ruling,) = evening.told("unmeasured")
    assert (ruling.data["by"], ruling.data["player"]) == ("Blue", "Red")
    assert evening.told("moved")[0].measured is False


def test_a_move_that_counts_by_a_dispute_is_agreed_to_by_nobody_once_more() -> None:
    """Both had decided it with yes, and it was proposed to the other all the same."""
    evening = at_rest(speed=5, inches=3.0)
    consents = [{"who": name, "as": "player", "at": "now"} for name in ("Red", "Blue")]
    said = {"dispute": "d1", "decision": {"outcome": "yes", "consents": consents}}
    ruled = {"car": "Red 1", "move": "move-1", "ruled": "yes"}
    evening.match.decide("It counts.", None, ("Red 1",), said | {COUNTS: "move-0"})
    assert evening.act(RED, "move", **ruled).proposed == ["Blue"], "of another move it says nothing"
    evening.match.decide("It counts.", None, ("Red 1",), said | {COUNTS: "move-1"})
    evening.match.decide("Something else counts.", None, ("Blue 1",), said)
    assert evening.act(RED, "move", **ruled).proposed == ["Blue"], "the game went on since"
    evening.match.decide("It counts.", None, ("Red 1",), said | {COUNTS: "move-1"})
    touched = evening.act(RED, "move", **ruled, contacts=[{"other": "Blue 1", "kind": "front"}])
    assert touched.proposed == ["Blue"], "what is typed besides was not disputed"
    assert evening.act(RED, "move", **ruled).accepted
    assert {event.data["by"] for event in evening.told("ruled")} == {"Red and Blue"}
    assert evening.said.words.endswith("; Red and Blue agree")


def test_nobody_accepts_their_own_illegal_move_over_the_wire() -> None:
    evening = at_rest(speed=5, inches=3.0)
    count = len(evening.match.log)
    for ruled in ("yes", {"": "yes"}):
        for player in (None, "Red", "Blue"):
            said = {"car": "Red 1", "move": "move-1", "ruled": ruled, RULED_BY: "Blue"}
            evening.nothing_done(evening.act(RED, "move", player=player, **said), count)
    assert evening.proposal.missing == ("Blue",)
    assert evening.agree(BLUE).accepted
    # The length stays as it was measured: only the rule was let pass.
    assert evening.told("moved")[0].measured is True
    assert {event.data["by"] for event in evening.told("ruled")} == {"Blue"}
    # The log tells it once, with who agreed.
    lines = [line.words for line in log_lines(evening.match.log, Viewer())]
    (line,) = [words for words in lines if "too short" in words]
    assert line.startswith("Red lets pass: Speed")
    assert line.endswith("; Blue agrees")
    assert evening.said.words.startswith("Red lets pass: ")
    assert evening.said.words.endswith("; Blue agrees")


def spun() -> Evening:
    """Blue 1 has to be turned where it stands, far from everything; anybody may say that it is done."""
    match = choosing(3)
    match.overrule(
        ["duties"],
        [{"kind": "spin", "car": "Blue 1", "citation": "Collisions", "angle": math.pi,
          "target": [40.0, 30.0, math.pi]}],
        "for the test",
    )  # fmt: skip
    here = table(car("Red 1", 10, 10), car("Blue 1", 40, 30, 180), block("Crate", 60, 40, 2, 2))
    return Evening(match, CARS, Seen(here))


def test_a_contact_of_anothers_spun_car_is_not_typed_by_whoever_gains() -> None:
    evening = spun()
    count = len(evening.match.log)
    for contacts in (["Crate"], ["Red 1"], [{"other": "Crate", "kind": "T-bone"}]):
        typed = evening.act(RED, "placed", car="Blue 1", contacts=contacts)
        evening.nothing_done(typed, count)
        assert typed.proposed == ["Blue"]
    assert evening.act(RED, "placed", car="Blue 1").accepted
    assert evening.told("placed")[0].data["contacts"] == []


def test_whoever_owns_a_car_that_was_pushed_does_not_deny_what_it_met_alone() -> None:
    """Where nobody else's piece is concerned, one of the others agrees."""
    match = choosing(3)
    match.overrule(
        ["duties"],
        [{"kind": "push", "car": "Blue 1", "citation": "x", "inches": 2.0, "target": [40.0, 30.0, 0.0],
          "meets": ["Crate"], "way": ["Crate"]}],
        "for the test",
    )  # fmt: skip
    here = table(car("Red 1", 10, 10), car("Blue 1", 40, 30), block("Crate", 43, 30, 2, 2))
    evening = Evening(match, CARS, Seen(here))
    count = len(match.log)
    denied = evening.act(BLUE, "placed", car="Blue 1", contacts=[])
    evening.nothing_done(denied, count)
    assert denied.proposed == ["Red"]
    # What the form of the page has picked already is what was foreseen.
    assert evening.act(BLUE, "placed", car="Blue 1", contacts=["Crate"]).accepted
    assert evening.told("said") == []


def shooting(gap: float, sd: float = 0.012, weapon: str = "Machine Gun") -> Evening:
    """Red 1 has moved and may shoot; Blue 1 stands so far ahead, front tyres to rear tyres."""
    slot = {"primary" if weapon == "Machine Gun" else "secondary": weapon}
    match = begun(sheet("Red 1", "Red", **slot, brand="Mule"), sheet("Blue 1", "Blue"),
                  sheet("Blue 2", "Blue"))  # fmt: skip
    do(match, "choose", car="Red 1")
    drive(match, "Red 1")
    stand = (car("Red 1", 10, 20, sd=sd), car("Blue 1", 11.8 + gap, 20, sd=sd), car("Blue 2", 60, 40))
    return Evening(match, CARS | {"Blue 2": "Blue"}, Seen(table(*stand)))


@pytest.mark.parametrize(
    "said", [{"band": "maximum"}, {"band": "short"}, {"band": "maximum", "tailgate": True}]
)
def test_a_range_that_was_measured_is_not_made_lawful_by_hand(said: dict[str, object]) -> None:
    evening = shooting(gap=30.0)
    count = len(evening.match.log)
    shot = {"weapon": "Machine Gun", "target": "Blue 1"}
    refused = evening.act(RED, "shoot", **shot)
    assert not any(reason.open for reason in refused.reasons)
    typed = evening.act(RED, "shoot", **shot, **said)
    evening.nothing_done(typed, count)
    assert typed.proposed == ["Blue"]
    assert evening.agree(BLUE).accepted
    assert evening.match.log[count].measured is False
    assert "range: " in evening.said.words
    assert "(the table: out)" in evening.said.words
    # A ruling by the check's name is the same by another way.
    other = shooting(gap=30.0)
    assert other.act(RED, "shoot", **shot, ruled={"Maximum Range": "yes"}).proposed == ["Blue"]


def test_tailgate_is_not_typed_against_a_measured_no() -> None:
    evening = shooting(gap=6.0)
    turned = replace(evening.sight.table.standings[1])
    assert turned.name == "Blue 1"
    side = replace(turned, pose=replace(turned.pose, heading=math.pi / 2))
    evening.sight = Seen(table(evening.sight.table.standings[0], side, evening.sight.table.standings[2]))
    count = len(evening.match.log)
    shot = {"weapon": "Machine Gun", "target": "Blue 1"}
    evening.nothing_done(evening.act(RED, "shoot", **shot, tailgate=True), count)
    assert evening.proposal.missing == ("Blue",)
    assert evening.act(RED, "shoot", **shot, tailgate=False).accepted
    assert evening.told("said") == []


@pytest.mark.parametrize("weapon", ["Grenade Launcher", "Railgun"])
def test_whom_a_weapon_also_reaches_is_not_typed(weapon: str) -> None:
    evening = shooting(gap=5.0, weapon=weapon)
    count = len(evening.match.log)
    shot = {"weapon": weapon, "target": "Blue 1"}
    typed = evening.act(RED, "shoot", **shot, reached=["Blue 2"])
    evening.nothing_done(typed, count)
    assert typed.proposed == ["Blue"]


def test_whoever_shoots_does_not_answer_what_is_too_close_to_call() -> None:
    """The arc of which the table says 0.00 in, and a range on its limit."""
    evening = shooting(gap=20.0, sd=0.05)
    count = len(evening.match.log)
    shot = {"weapon": "Machine Gun", "target": "Blue 1"}
    asked = evening.act(RED, "shoot", **shot)
    assert [reason.open for reason in asked.reasons] == [True]
    assert asked.asks == "Blue, or the owner of the table,"
    question = asked.reasons[0].question
    for ruled in ({question: "yes"}, {question: "no"}, "yes"):
        evening.nothing_done(evening.act(RED, "shoot", **shot, ruled=ruled), count)
    assert evening.agree(BLUE).accepted
    fact = evening.said.data["facts"][0]
    assert (fact["value"], fact["how"]) == ("yes", "open")
    assert evening.match.log[count].measured is False


def dropping(weapon: str) -> Evening:
    match = begun(sheet("Red 1", "Red", secondary=weapon), sheet("Blue 1", "Blue"))
    do(match, "choose", car="Red 1")
    drive(match, "Red 1")
    return Evening(match, CARS, Seen(table(car("Red 1", 20, 20), FAR)))


@pytest.mark.parametrize("weapon", ["Springboard", "Roadmine", "Oil", "Firebomb"])
def test_a_token_is_not_laid_under_a_car_that_is_not_there(weapon: str) -> None:
    evening = dropping(weapon)
    count = len(evening.match.log)
    typed = evening.act(RED, "drop", under=["Blue 1"])
    evening.nothing_done(typed, count)
    assert typed.proposed == ["Blue"]
    elsewhere = evening.act(RED, "drop", at=[40.0, 30.0, 0.0])
    evening.nothing_done(elsewhere, count)
    assert elsewhere.proposed == ["Blue"]
    assert evening.act(RED, "drop").accepted
    assert evening.told("triggered") == []


def test_going_in_reverse_with_a_free_way_forward_takes_others_and_tells_the_truth() -> None:
    match = choosing(3)
    evening = Evening(match, CARS, Seen(table(car("Red 1", 20, 20), FAR)))
    count = len(match.log)
    evening.nothing_done(evening.act(RED, "reverse", because="surface"), count)
    evening.nothing_done(evening.act(RED, "reverse", because="surface", ruled="yes"), count)
    assert evening.agree(BLUE).accepted
    words = evening.told("reversed")[0].words
    assert words == "Red 1 has a free way forward and is let go in reverse"


def test_who_is_in_an_explosion_is_not_said_by_one_where_it_is_open() -> None:
    match = choosing(3)
    match.overrule(
        ["duties"],
        [{"kind": "blast", "car": "Red 1", "citation": "x", "sure": [], "doubtful": ["Blue 1"]}],
        "for the test",
    )
    evening = Evening(match, CARS, Seen(table(car("Red 1", 20, 20), car("Blue 1", 24, 20))))
    count = len(match.log)
    for cars in (["Blue 1"], []):
        for who in (RED, BLUE):
            evening.nothing_done(evening.act(who, "blast", cars=cars), count)


def test_the_record_alone_tells_it_again_and_rules_it_again() -> None:
    evening = at_rest()
    evening.act(RED, "move", car="Red 1", move="move-1", contacts=["Blue 1"])
    assert evening.agree(BLUE).accepted
    match = evening.match
    assert Match.replay(match.game, match.log).state == match.state
    *before, batch = match.counted
    again = Match.replay(match.game, [e for b in before for e in b.events])
    with_ids = [replace(batch.events[0], data={**batch.events[0].data, "data": {
        **batch.events[0].data["data"], "move": "move-1"}}), *batch.events[1:]]  # fmt: skip
    told = again.anew(with_ids, evening.sight)
    assert [e.words for e in told] == [e.words for e in batch.events]
    assert [e.measured for e in told] == [e.measured for e in batch.events]
