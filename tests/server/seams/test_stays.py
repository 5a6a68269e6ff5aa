"""That a piece stays out of its place is said, not seen: others agree; a restart forgets nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.contract import Seen
from engine.game.match import Match
from server.formats.entries import MemoryLog
from server.play.messages import Answer, Stays
from server.web.authentication import Identity
from tests.engine.games.white_line_fever.playing import begun, sheet
from tests.engine.tables import car, table
from tests.server.seams.said import BLUE, OWNER, PHONES, RED, Evening

GREEN = PHONES["Green"]
CARS = {"Red 1": "Red", "Blue 1": "Blue", "Green 1": "Green"}
STOOD = (car("Red 1", 10, 20), car("Blue 1", 40, 20), car("Green 1", 40, 50))


def astray(name: str = "Red 1") -> Evening:
    """A car stands two inches from where it was left."""
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), sheet("Green 1", "Green"))
    evening = Evening(match, CARS, Seen(table(*STOOD)))
    assert evening.act(OWNER, "choose", car="Red 1").accepted
    off = [replace(s, pose=replace(s.pose, x=s.pose.x + 2.0)) if s.name == name else s for s in STOOD]
    evening.sight = Seen(table(*off))
    assert [stray.piece for stray in evening.host.strays()] == [name]
    return evening


def stays(evening: Evening, who: Identity, *pieces: str, key: str = "stays-key-1") -> Answer:
    return evening.host.ask(who, Stays(type="stays", key=key, pieces=list(pieces)))


@pytest.mark.parametrize(("who", "needs"), [(RED, ["Blue", "Green"]), (BLUE, ["Red"]), (GREEN, ["Red"])])
def test_neither_its_owner_nor_an_opponent_says_alone_that_a_piece_stays(
    who: Identity, needs: list[str]
) -> None:
    evening = astray()
    asked = stays(evening, who, "Red 1")
    assert (asked.accepted, asked.proposed) == (False, needs)
    assert evening.told("stays") == []
    assert evening.agree(PHONES[needs[0]]).accepted
    (event,) = evening.told("stays")
    assert (event.data["by"], event.data["agreed"]) == (evening.host.player_of(who), [needs[0]])
    assert event.words.endswith(f"; {needs[0]} agrees")
    assert evening.host.strays() == ()


def test_the_owner_of_the_table_says_it_with_one_tap() -> None:
    evening = astray()
    assert stays(evening, OWNER, "Red 1").accepted
    assert (
        evening.told("stays")[0].words
        == "The owner of the table lets pieces stay where they stand: Red 1, 2.0 in from its place"
    )


def test_a_piece_that_went_on_meanwhile_does_not_stay_there() -> None:
    evening = astray()
    stays(evening, BLUE, "Red 1")
    farther = replace(STOOD[0], pose=replace(STOOD[0].pose, x=20.0))
    evening.sight = Seen(table(farther, *STOOD[1:]))
    shown = evening.host.number
    refused = evening.agree(RED)
    assert "the table has changed since" in str(refused.error)
    assert evening.told("stays") == []
    assert not evening.host.proposals.waiting
    assert shown < evening.host.number == refused.number  # every page shows that nothing waits any more


def test_what_is_in_its_place_is_not_proposed() -> None:
    evening = astray()
    assert "stand elsewhere" in str(stays(evening, RED, "Blue 1").error)
    assert not evening.host.proposals.waiting


# A restart


def recorded(evening: Evening) -> MemoryLog:
    """The record in which the evening is kept from here on, with the match as far as it went."""
    log = MemoryLog()
    evening.host.keeping.journal = log
    log.append([evening.host._entry(event, None) for event in evening.match.log])
    return log


def again(evening: Evening, log: MemoryLog) -> Evening:
    """Another process goes on where the record ends."""
    other = Evening(Match.replay(evening.match.game, evening.match.log), CARS, evening.sight)
    other.host.restore(log.entries)
    assert other.host.match is not None
    other.match = other.host.match
    return other


def test_a_proposal_outlives_a_restart_with_those_who_agreed_already() -> None:
    evening = astray()
    log = recorded(evening)
    stays(evening, BLUE, "Red 1")
    after = again(evening, log)
    assert after.proposal == evening.proposal
    # The key of a proposal is not that of something done: asked again it still waits.
    assert stays(after, BLUE, "Red 1").proposed == ["Red"]
    assert after.agree(RED).accepted
    assert after.host.strays() == ()
    assert not again(after, after_log(after, log)).host.proposals.waiting


def after_log(after: Evening, log: MemoryLog) -> MemoryLog:
    """The record with what was done since."""
    whole = MemoryLog()
    whole.append([*log.entries, *after.host.keeping.journal.entries])  # type: ignore[attr-defined]
    return whole


def test_what_was_taken_back_or_overtaken_by_the_game_is_not_proposed_after_a_restart() -> None:
    evening = astray()
    log = recorded(evening)
    stays(evening, BLUE, "Red 1")
    assert evening.agree(BLUE, agrees=False).accepted
    assert not again(evening, log).host.proposals.waiting
    stays(evening, BLUE, "Red 1", key="stays-key-2")
    assert again(evening, log).host.proposals.waiting
    assert stays(evening, OWNER, "Red 1", key="stays-key-3").accepted
    assert not evening.host.proposals.waiting
    assert not again(evening, log).host.proposals.waiting
