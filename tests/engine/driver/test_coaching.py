"""What could have been done: the best first, beside what was done, the same again, blind to secrets."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.drivers import begun
from engine.driver.coaching import Deed, coached
from engine.driver.deciding import Driver, Position, decide
from engine.game.contract import Proposal
from engine.game.dice import SeededDice
from engine.game.events import Event
from engine.game.match import Match
from engine.game.pushing import pushed
from engine.game.registry import game_called
from tests.engine.driver.test_deciding import chosen_in_secret, with_event
from tests.volume import volume

GAMES = ("battlecars", "car_cult", "frothy_races", "shattered_highways", "white_line_fever")


def to_act(match: Match[Any], seen: Any) -> str:
    return next((o.player for o in match.options(seen) if o.player), "Red")


@pytest.mark.parametrize("name", GAMES)
def test_every_moment_of_a_game_is_told_alike_twice_and_lawfully(name: str) -> None:
    """Each thing that is done is held against what could have been done: nothing raises, best first."""
    game = game_called(name)
    match, table, _ = begun(game, 1, 1)
    dice, judged = SeededDice("1"), 0
    for turn in range(volume(8, 60)):
        if (group := match.revealing(table.seen)) is not None and not match.options(table.seen):
            match.reveal(group, table.seen, dice)
            continue
        if match.state.over:
            break
        position = Position.of(match, table.seen, to_act(match, table.seen))
        choice = decide(position, level="learner", seed=str(turn))
        assert choice is not None
        seen = table.seen if choice.goal is None else pushed(table.seen, str(choice.piece), choice.way)
        deed = Deed(position, choice.action, seen, choice.words)
        one, other = (coached(position, [deed], seed="s") for _ in range(2))
        assert one == other
        assert [p.worth for p in one.best] == sorted((p.worth for p in one.best), reverse=True)
        assert len(one.best) <= 3
        if one.did is not None:
            judged += 1
            assert all(p.better == pytest.approx(p.worth - one.did.worth) for p in one.best)
        if choice.action.kind in game.about.sealed:
            assert one.did is None
            match.seal(choice.action, f"a salt {turn}", seen, dice)
        else:
            match.do(choice.action, seen, dice)
        if choice.goal is not None:
            table.put(str(choice.piece), choice.goal)
        table.after(match)
    assert judged or name == "battlecars"


def test_a_shot_that_kills_is_the_best_and_said_so() -> None:
    game = game_called("white_line_fever")
    match, table, _ = begun(game, 1, 1)
    dice = SeededDice("1")
    while not (shots := [o for o in match.options(table.seen) if o.kind == "shoot" and not o.not_now]):
        position = Position.of(match, table.seen, to_act(match, table.seen))
        choice = decide(position, level="fair", seed="1")
        assert choice is not None
        seen = table.seen if choice.goal is None else pushed(table.seen, str(choice.piece), choice.way)
        match.do(choice.action, seen, dice)
        if choice.goal is not None:
            table.put(str(choice.piece), choice.goal)
        table.after(match)
    player = to_act(match, table.seen)
    target = next(c for c in match.state.cars if c.owner != player)
    boxes = match.state.boxes(target)
    match.overrule(["cars", target.name, "marked"], boxes - 1, "one box left")
    position = Position.of(match, table.seen, player)
    ended = Driver(position).try_out(Proposal("end"), judged=False)
    assert ended is not None
    told = coached(position, [Deed(position, ended.action, table.seen, "ends the round")], seed="s")
    best, did = told.best[0], told.did
    weapons = {str(o.data["weapon"]) for o in shots}
    assert best.words.startswith(f"{player} 1 shoots at {target.name} with the ")
    assert any(weapon in best.words for weapon in weapons)
    assert best.leads_to.startswith("wins the game")
    assert did is not None
    assert (did.words, did.done, best.done) == ("ends the round", True, False)
    assert best.better == pytest.approx(best.worth - did.worth)
    assert best.better > 1.0


def test_what_another_has_chosen_in_secret_changes_nothing() -> None:
    forks, seen = chosen_in_secret()
    one, other = (coached(Position.of(fork, seen, "Blue"), seed="s") for fork in forks)
    assert one == other
    # Nor is one's own choice judged, which hangs on the others'.
    assert not any("speed" in p.words.lower() for p in one.best)


def test_what_a_seat_may_not_read_is_not_thought_with() -> None:
    game = game_called("frothy_races")
    match, table, _ = begun(game, 1, 1)
    told = Event("note", {}, "Blue holds a card", "book", audience=("Blue",))
    kept = with_event(match, told)
    assert coached(Position.of(kept, table.seen, "Red")).best == ()
    assert coached(Position.of(kept, table.seen, "Blue")).tried
