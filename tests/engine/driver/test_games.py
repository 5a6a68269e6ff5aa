"""What games tell a machine: worth more is what a player would rather have, and nothing is wasted."""

from __future__ import annotations

import random
from dataclasses import replace

from benchmarks.drivers import begun as any_match
from benchmarks.drivers import table_of
from engine.driver.characters import TEMPERAMENTS
from engine.driver.deciding import Position, decide
from engine.game.registry import game_called
from engine.games.car_cult.state.game_state import Attack
from tests.engine.games.car_cult.playing import begun, car, do


def total(game, state, table, player):
    return TEMPERAMENTS["even"].total(game.worth(state, table, player))


def test_car_cult_wastes_no_speed_token_that_finds_a_place():
    for engine in ("Straight Five", "Heavy Seven"):
        match = begun(car("Red 1", engine, "Machine Gun", "Rifle"), car("Blue 1"), tokens={"Red 1": 2})
        do(match, "shift", tokens=0)
        pool = match.state.turn.pool
        table = table_of(match.game, ["Red 1", "Blue 1"], exact=True)
        position = Position.of(match, table.seen, "Red")
        (pick,) = (o.form.fields["zones"] for o in position.options)
        found = list(match.game.proposals(match.state, table.seen, "Red", random.Random(1)))
        told = [p.data["zones"] if pick.most > 1 else [p.data["zones"]] for p in found]
        assert {len(zones) for zones in told} == {min(pool, len(pick.candidates))}
        alone = replace(match.state, turn=replace(match.state.turn, pool=1))
        ones = [p.data["zones"] for p in match.game.proposals(alone, table.seen, "Red", random.Random(1))]
        assert ones
        assert set(ones) <= {c.value for c in pick.candidates}
        choice = decide(position, level="hard", seed="1")
        assert choice.action.kind == "allocate"
        assert not match.check(choice.action, table.seen)


def test_car_cult_declares_what_reaches_and_not_what_does_not():
    """An attack that is declared counts for what may come of it: its token is spent already."""
    match = begun(tokens={"Red 1": 2})
    table = table_of(match.game, ["Red 1", "Blue 1"], exact=True)
    here = table.table.find("Red 1").pose
    attack = Attack("Red 1", "Machine Gun", "Blue 1")
    gained = []
    for inches in (8.0, 30.0):
        table.put("Blue 1", replace(here, x=here.x + inches))
        states = (match.state, replace(match.state, attack=attack))
        before, after = (total(match.game, s, table.table, "Red") for s in states)
        theirs = [total(match.game, s, table.table, "Blue") for s in states]
        gained.append(after - before)
        assert (theirs[1] < theirs[0]) == (after > before)
    assert gained[0] > 0.03
    assert gained[1] == 0.0


def test_shattered_highways_keeps_somebody_at_the_wheel():
    game = game_called("shattered_highways")
    match, table, _ = any_match(game, 1, 1, exact=True)
    state = match.state
    driver = next(w for w in state.warriors if w.owner == "Red" and w.seat == "D")
    warriors = tuple(replace(w, seat="W1") if w is driver else w for w in state.warriors)
    seen = replace(state, vehicles=tuple(replace(v, status="driving") for v in state.vehicles))
    gone = replace(seen, warriors=warriors)
    for player, better in (("Red", seen), ("Blue", gone)):
        other = gone if better is seen else seen
        assert total(game, better, table.table, player) > total(game, other, table.table, player) + 0.2
