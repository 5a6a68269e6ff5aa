"""The rules with the notes' numbers: activating, moving, attacking, wishes, giving up."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.match import Match
from engine.game.showing import Viewer
from engine.games.car_cult.acts.recognised import judged
from engine.games.car_cult.book.data import CARDS, DAMAGE, SPEED, limits
from engine.games.car_cult.page.options import _then
from engine.games.car_cult.rules.attacks import EXPLODING, needed
from engine.games.car_cult.state import Duty
from engine.measure.sweep import Straight, Turn
from tests.engine.games.car_cult.hands import mine, mud, pushed, put, seen, table, wall
from tests.engine.games.car_cult.playing import (
    GAME,
    activated,
    begun,
    car,
    do,
    here,
    offered,
    reasons,
    rest,
    tokens,
    told,
)


def test_who_has_most_speed_tokens_activates_first_and_ties_are_settled_by_a_d20():
    match = begun(tokens={"Red 1": 1, "Blue 1": 2})
    assert match.state.turn.car == "Blue 1"
    activated(match)
    do(match, "move", car="Blue 1", inches=6.0)
    do(match, "done")
    assert match.state.turn.car == "Red 1"
    match = begun(tokens={"Red 1": 1, "Blue 1": 2})
    rest(match)
    activated(match, "Straight Five · 2")
    do(match, "move", car="Red 1", inches=5.0)
    rolls = [d["rolls"] for d in told(do(match, "done", (7, 7, 3, 12)), "order")]
    assert rolls == [{"Red 1": 7, "Blue 1": 7}, {"Red 1": 3, "Blue 1": 12}], "rolled again"
    assert match.state.turn.car == "Blue 1"


def test_tokens_on_the_engine_cover_its_symbols_and_one_leaves_it_free():
    # Straight Five has +ST on zones 2, 4 and 5.
    match = begun(tokens={"Red 1": 2, "Blue 1": 0})
    assert told(do(match, "shift", tokens=0), "generated") == [{"car": "Red 1", "tokens": 2}]
    match = begun(tokens={"Red 1": 3, "Blue 1": 0})
    # Each further one takes a roll, and a car without any stands.
    leads = [o.more for o in match.options() if o.kind == "shift"]
    assert leads[-2].endswith("; 1 D20: 10 or more")
    assert leads[-1] == "it stands; 2 D20: 10 or more each"
    events = do(match, "shift", (10, 9), tokens=3)
    assert tokens(match, "Red 1", "Straight Five") == "....D"
    assert len(told(events, "damaged")) == 1
    assert told(events, "generated")[0]["tokens"] == 2


def test_acceleration_limits_what_goes_onto_the_engine():
    match = begun(car("Red 1", "Big Six", "Fanatical Fixer"), car("Blue 1"))
    if match.state.turn.car != "Red 1":
        rest(match)
    do(match, "shift", tokens=0)
    zones = [c.value for c in match.options()[0].form.fields["zones"].candidates]
    assert [z for z in zones if z.startswith("Big Six")] == ["Big Six · 1", "Big Six · 2"]


def test_limits_come_from_the_two_right_most_filled_zones_and_a_car_that_cannot_move_need_not():
    match = begun(tokens={"Red 1": 3, "Blue 1": 0})
    activated(match, "Straight Five · 4")
    # Four tokens: the speeds above the third and fourth zones.
    assert match.state.range_of_move() == (12, 14)
    assert here(match, "Red 1").turns == 1
    match = begun(tokens={"Red 1": 1, "Blue 1": 0})
    rest(match)
    do(match, "shift", tokens=0)
    do(match, "allocate", zones=[])
    assert not offered(match, "move")
    assert offered(match, "done")


@pytest.mark.parametrize("count", [1, 2])
def test_a_zone_says_how_the_car_moves_with_a_token_in_it_and_that_comes_true(count):
    match = begun(tokens={"Red 1": 2, "Blue 1": 0})
    low, high = here(match, "Red 1").limits
    shifts = {o.data["tokens"]: o.more for o in match.options()}
    assert shifts[0] == f"{low} to {high} in, 3 turns, drift {low // 3} in"
    do(match, "shift", tokens=0)
    zones = [c for c in match.options()[0].form.fields["zones"].candidates if "Straight Five" in c.value]
    do(match, "allocate", zones=[c.value for c in zones[:count]])
    low, high = match.state.range_of_move()
    turns = here(match, "Red 1").turns
    told = f"then {low} to {high} in, {turns} turn{'s' * (turns != 1)}, drift "
    assert zones[count - 1].leads.startswith(told)


def test_damage_between_empty_zones_takes_no_token():
    engine = here(begun(tokens={"Red 1": 2, "Blue 1": 0}), "Red 1").engine
    full = (SPEED, SPEED, DAMAGE, DAMAGE, SPEED)
    low, high = limits(full, engine.rules.speeds)
    told = _then(replace(engine, zones=(SPEED, None, DAMAGE, DAMAGE, None)), 4)
    assert told.startswith(f"then {low} to {high} in, 0 turns")


def test_what_is_left_over_is_wasted_and_all_but_the_engine_is_cleared():
    match = begun(tokens={"Red 1": 1, "Blue 1": 0})
    do(match, "shift", tokens=0)
    events = do(match, "allocate", zones=["Rifle · 1"])
    assert told(events, "allocated")[0] == {"car": "Red 1", "tokens": {"Rifle": 1}, "wasted": 2}
    rest(match)
    assert tokens(match, "Red 1", "Rifle") == "S."
    rest(match)
    do(match, "shift", tokens=0)
    assert tokens(match, "Red 1", "Rifle") == ".."


def test_the_fixer_swaps_two_tokens_not_on_itself():
    match = begun(
        car("Red 1", "Straight Five", "Fanatical Fixer", "Rifle"), car("Blue 1"), tokens={"Red 1": 3}
    )
    do(match, "shift", (2,), tokens=2)
    assert tokens(match, "Red 1", "Straight Five") == "S...D"
    do(match, "allocate", zones=["Fanatical Fixer · 1", "Rifle · 1"])
    refused = reasons(match, "exchange", one="Straight Five · 1", other="Rifle · 1")
    assert "This Damage token: expected Straight Five 5" in refused
    do(match, "exchange", one="Straight Five · 5", other="Rifle · 1")
    assert tokens(match, "Red 1", "Straight Five") == "S...S"
    assert tokens(match, "Red 1", "Rifle") == "D."
    assert match.state.range_of_move() == (5, 16)
    assert not offered(match, "exchange")


def test_a_car_whose_engine_the_fixer_gives_a_speed_token_moves():
    """ "Any model that has all it's Engine AZ track filled with DT may no longer move": no more than that."""
    match = begun(car("Red 1", "Quick Four", "Fanatical Fixer", "Machine Gun"), car("Blue 1"),
                  tokens={"Red 1": 2})  # fmt: skip
    match.overrule(("cars", "Red 1", "components", 0, "zones"), ["Damage"] * 4, "", "Blue")
    activated(match, "Fanatical Fixer · 1", "Machine Gun · 1")
    assert not offered(match, "move")
    do(match, "exchange", one="Quick Four · 1", other="Machine Gun · 1")
    assert tokens(match, "Red 1", "Quick Four") == "SDDD"
    assert [o.heading for o in offered(match, "move")] == ["Move Red 1: 0 to 6 in"]
    assert not offered(match, "done")
    do(match, "move", car="Red 1", inches=4.0)
    assert offered(match, "done")
    assert match.again(match.game, match.log).state == match.state


def test_the_builder_refuses_with_reasons():
    given = {
        "players": ["Red", "Blue"],
        "pieces": [car("Red 1", "Big Six", "Harpoon", armour=4), car("Blue 1")],
    }
    form = GAME.setup(given)
    assert "from the comments, switched off" in form.not_yet[0].words
    assert "zones left" in form.pieces["Red 1"].note
    many = [car(f"Red {k}", "Heavy Seven", "Mines") for k in (1, 2, 3)]
    (reason,) = GAME.setup({"players": ["Red", "Blue"], "pieces": [*many, car("Blue 1")]}).not_yet
    assert reason.words == "Red's cult has 33 zones, 3 over 30"
    with pytest.raises(TableRefError, match="33 zones"):
        Match.begin(GAME, {"players": ["Red", "Blue"], "pieces": [*many, car("Blue 1")]})


def test_wishes_are_off_unless_they_are_chosen():
    given = {"players": ["Red", "Blue"], "pieces": [car("Red 1"), car("Blue 1")]}
    assert "harpoon" not in GAME.setup(given).pieces["Red 1"].fields
    assert "harpoon" in GAME.setup(given | {"wishes": True}).pieces["Red 1"].fields
    match = begun(
        car("Red 1", "Straight Five", "Turbo Booster"), car("Blue 1"), tokens={"Red 1": 2}, wishes=True
    )
    activated(match)
    do(match, "boost", component="Turbo Booster")
    assert match.state.range_of_move() == (5, 15)
    assert tokens(match, "Red 1", "Turbo Booster") == ".D"


def test_damage_is_kept_from_the_game_before():
    match = begun(car("Red 1", "Straight Five", "Rifle", armour=1, damage=2), car("Blue 1"), wishes=True)
    assert here(match, "Red 1").undamaged == 6
    assert tokens(match, "Red 1", "Armour 1") == "D"


def moving(*parts, speed=3, engine="Straight Five", **more):
    """Red 1 about to move with so many Speed tokens: 9 to 12 in with three."""
    match = begun(car("Red 1", engine, *parts), car("Blue 1", "Straight Five", "Rifle"),
                  tokens={"Red 1": speed} | more)  # fmt: skip
    activated(match)
    return match


def test_a_move_between_minimum_and_maximum_with_a_quarter_of_the_minimum_to_drift():
    match = moving("Rifle")
    assert match.state.range_of_move() == (9, 12)
    inches = offered(match, "move")[0].form.fields["inches"]
    assert (inches.high, inches.more) == (12.0, "9 to 12; less takes a braking roll")
    slow = moving("Rifle", speed=1)
    assert offered(slow, "move")[0].form.fields["inches"].more == "0 to 5"
    assert "12" in reasons(match, "move", car="Red 1", inches=12.5)
    # A quarter of 9, rounded down.
    assert reasons(match, "move", car="Red 1", inches=10.0, drift=2.5)
    assert not reasons(match, "move", car="Red 1", inches=10.0, drift=2.0)
    do(match, "move", car="Red 1", inches=10.5)
    assert match.state.turn.moved


def test_less_than_the_minimum_takes_a_braking_roll():
    match = moving("Rifle")
    # 3.5 in not moved count as 3: a 12 comes to 9.
    events = do(match, "move", (12,), car="Red 1", inches=5.5)
    assert told(events, "checked") == [{"car": "Red 1", "value": 12, "total": 9, "safe": False}]
    assert {o.player for o in offered(match, "damage")} == {"Blue"}


@pytest.mark.parametrize(("value", "safe"), [(13, True), (12, False)])
def test_rough_terrain_by_the_inches_inside_it(value, safe):
    match = moving("Rifle")
    events = do(match, "move", (value,), car="Red 1", inches=10.0, rough=3.9)
    assert told(events, "checked")[0]["safe"] == safe


def test_the_notes_example_blocking_terrain_after_9_and_a_half_of_12_and_another_model_is_such():
    match = moving("Dangerous Driver", "Rifle", speed=4)
    assert match.state.range_of_move() == (12, 14)
    events = do(match, "move", car="Red 1", inches=9.5, into="Blocking terrain")
    assert tokens(match, "Red 1", "Straight Five") == "....."
    assert len(match.state.duties) == 2
    assert {o.player for o in offered(match, "damage")} == {"Red"}
    assert told(events, "stopped")[0]["tokens"] == 4
    match.undo()
    do(match, "move", car="Red 1", inches=10.0, into="Blue 1")
    assert [(d.car, d.by) for d in match.state.duties] == [("Red 1", "Red")] * 2 + [("Blue 1", "Blue")] * 2


def test_what_a_car_touches_is_told_with_the_inches_that_cost_it_something():
    """One that went its minimum, or has none, is not short of it."""
    for inches, short in ((9.5, " 2 in short of its minimum"), (11.5, ""), (13.0, "")):
        match = moving("Dangerous Driver", "Rifle", speed=4)
        events = do(match, "move", car="Red 1", inches=inches, into="Blocking terrain")
        (stopped,) = (e.words for e in events if e.kind == "stopped")
        assert stopped == f"Red 1 touches Blocking terrain{short}: 4 Speed tokens leave its engine"


def test_a_reinforced_ram_attacks_with_the_tokens_on_the_engine_and_not_against_terrain():
    match = moving("Reinforced Ram", speed=3)
    do(match, "move", (9,), car="Red 1", inches=5.0, into="Blue 1")
    # Blast 10 against a minimum of 0; three tokens on the engine.
    assert [(d.car, d.by) for d in match.state.duties] == [("Blue 1", by) for by in ("Blue", "Red", "Red")]
    assert tokens(match, "Red 1", "Straight Five") == "SSS.."
    match = moving("Reinforced Ram", speed=3)
    do(match, "move", car="Red 1", inches=5.0, into="Blocking terrain")
    assert len(match.state.duties) == 4


def test_a_place_for_damage_says_what_it_costs():
    """A covered +ST, and what the engine does then, were not told."""
    match = begun(
        car("Red 1", "Quick Four", "Rifle"),
        car("Blue 1", "Straight Five", "Gutsy Gunner", "Rifle"),
        tokens={"Red 1": 2, "Blue 1": 1},
    )
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    do(match, "fire", (20, 1), reach="yes")
    costs = {o.words: o.more for o in offered(match, "damage")}
    assert costs["Straight Five"] == "covers a +ST, 4 zones left, 0 to 5 in, 3 turns, drift 0 in"
    assert costs["Gutsy Gunner"] == "covers a +ST, 1 zone left"
    assert costs["Rifle"] == "1 zone left"


def test_mines_are_laid_along_the_route_and_become_damage():
    match = begun(car("Red 1", "Straight Five", "Mines"), car("Blue 1", "Straight Five", "Rifle", "Cannon"),
                  tokens={"Red 1": 3, "Blue 1": 2})  # fmt: skip
    activated(match, "Mines · 1", "Mines · 2")
    events = do(match, "move", car="Red 1", inches=9.0, mines=2)
    assert [d["token"] for d in told(events, "laid")] == ["Mine 1", "Mine 2"]
    assert tokens(match, "Red 1", "Mines") == "DD.."
    do(match, "done")
    activated(match)
    # Blast 10 at a minimum of 5: 5 or more. Each Mine attacks once the damage of the one before is placed.
    events = do(match, "move", (5,), car="Blue 1", inches=5.0, triggered=["Mine 2", "Mine 1"])
    assert [d["token"] for d in told(events, "removed")] == ["Mine 2"]
    assert [e.words for e in events if e.kind == "hit"] == ["Mine 2 hits Blue 1: 5, 5 or more needed"]
    assert {d.cause for d in match.state.duties[:2]} == {"Mine 2"}
    assert [d.by for d in match.state.duties[:2]] == ["Blue", "Red"]
    do(match, "damage", component="Rifle")
    events = do(match, "damage", (4,), component="Rifle")
    assert told(events, "missed")[0]["needed"] == 5
    assert not match.state.laid


def test_a_mine_of_a_player_who_is_out_of_the_game_is_rolled_and_placed_by_whose_car_it_hits():
    others = car("Red 1", "Straight Five", "Rifle"), car("Gold 1")
    match = begun(car("Blue 1", "Straight Five", "Mines"), *others, tokens={"Blue 1": 3, "Red 1": 2})
    activated(match, "Mines · 1")
    do(match, "move", car="Blue 1", inches=9.0, mines=1)
    do(match, "done")
    match.concede("Blue")
    activated(match)
    events = do(match, "move", (20,), car="Red 1", inches=5.0, triggered=["Mine 1"])
    assert [data["by"] for data in told(events, "roll")] == ["Red"]
    assert [d.by for d in match.state.duties] == ["Red", "Red"]


def test_a_car_whose_last_zone_a_laid_token_fills_explodes():
    """ "replace ST with DT"; "Any car which has every AZ filled with DT explodes"."""
    match = begun(car("Red 1", "Quick Four", "Mines"), car("Blue 1"), tokens={"Red 1": 2})
    activated(match, "Mines · 1", "Mines · 2")
    do(match, "move", car="Red 1", inches=8.0)
    components = ("cars", "Red 1", "components")
    match.overrule((*components, 0, "zones"), ["Damage"] * 4, "", "Blue")
    match.overrule((*components, 1, "zones"), ["Speed", "Speed", "Damage", "Damage"], "", "Blue")
    events = do(match, "done", mines=2)
    assert [e.kind for e in events][:3] == ["laid", "laid", "exploded"]
    assert here(match, "Red 1").status == "exploded"
    assert match.state.duties[0].kind == "blast"
    do(match, "blast", cars=["Blue 1"])
    assert (here(match, "Blue 1").damage, match.state.winner) == (1, "Blue")


def test_an_engine_full_of_damage_stops_the_car():
    match = begun(car("Red 1", "Quick Four", "Rifle"), car("Blue 1"), tokens={"Red 1": 2})
    match.overrule(("cars", "Red 1", "components", 0, "zones"), ["Damage"] * 4, "", "Blue")
    activated(match)
    assert here(match, "Red 1").limits == (0, 0)
    assert not offered(match, "move")
    assert offered(match, "done")


def facing(*parts, target=("Blue 1", "Straight Five", "Cannon"), speed=0, more=None):
    """Red 1 with these components, activated first against one car of Blue's."""
    match = begun(
        car("Red 1", "Big Six", *parts, **(more or {})), car(*target), tokens={"Red 1": 3, target[0]: speed}
    )
    assert match.state.turn.car == "Red 1"
    return match


def fired(match, weapon, dice, target="Blue 1"):
    """With a token on its weapon the car attacks a target within reach."""
    activated(match, f"{weapon} · 1")
    do(match, "declare", weapon=weapon, target=target)
    return do(match, "fire", dice, reach="yes")


def test_the_stages_of_an_attack():
    match = facing("Rifle")
    activated(match, "Rifle · 1")
    events = do(match, "declare", weapon="Rifle", target="Blue 1")
    assert [e.kind for e in events] == ["declared", "applied"]
    assert not offered(match, "move")
    assert "say whether" in reasons(match, "fire")
    # Out of range the token is used and nothing rolled.
    assert not told(do(match, "fire", reach="no"), "rolls")
    assert not offered(match, "declare")
    match.undo()
    events = do(match, "fire", (9, 6), reach="yes")
    # Blast 3 against a minimum of 0: 7 or more.
    assert [e.kind for e in events if e.kind in ("hit", "missed")] == ["hit", "missed"]
    assert [d["by"] for d in told(events, "modified")] == [3]


def test_a_shot_is_called_by_its_weapon_and_its_target():
    match = facing("Rifle")
    fired(match, "Rifle", (9, 6))
    assert match.log[-1].kind != "action"
    said = [event.words for event in match.log if event.kind == "action"]
    assert said[-1] == "the owner of the table: measure and roll, Rifle at Blue 1"


def test_an_attack_is_named_as_possible_only_where_a_weapon_has_a_token():
    def more(match):
        return GAME.status(match.state, Viewer()).more

    loaded, bare = facing("Rifle"), facing("Rifle")
    activated(loaded, "Rifle · 1")
    activated(bare)
    low, high = loaded.state.range_of_move()
    assert more(loaded) == f"move {low} to {high} in, attack"
    assert "attack" not in more(bare)
    for match in (loaded, bare):
        do(match, "move", car="Red 1", inches=float(match.state.range_of_move()[1]))
    assert (more(loaded), more(bare)) == ("attack, or end the activation", "end the activation")


def test_an_explosion_with_nobody_near_asks_for_nobody():
    state = facing("Rifle").state

    def said(**near):
        duty = Duty("blast", "Blue 1", EXPLODING, inches=5.0, **near)
        (option,) = GAME.options(replace(state, duties=(duty,)), NOTHING_SEEN)
        return option.words

    assert said() == "Nobody"
    assert said(doubtful=("Red 1",)) == "They suffer a Damage token each"


@pytest.mark.parametrize(("value", "hit"), [(20, True), (1, False), (16, True), (15, False)])
def test_the_notes_example_blast_3_at_a_minimum_of_9(value, hit):
    # 6 off: 16 or more; 20 always, 1 never.
    match = facing("Rifle", speed=3)
    target = here(match, "Blue 1")
    assert target.limits == (9, 12)
    assert needed(CARDS["Rifle"], target, "Red") == 16
    events = fired(match, "Rifle", (value, 1))
    assert bool(told(events, "hit")) == hit


def test_crack_and_crap_shots_against_any_modifier():
    match = facing("Flamethrower", target=("Blue 1", "Straight Five", "Dangerous Driver"))
    assert needed(CARDS["Flamethrower"], here(match, "Blue 1"), "Red") == 2
    fast = facing("Machine Gun", target=("Blue 1", "Quick Four", "Dangerous Driver"), speed=2)
    assert here(fast, "Blue 1").limits == (6, 11)
    assert needed(CARDS["Machine Gun"], here(fast, "Blue 1"), "Red") == 15


def test_a_name_keeps_its_hyphen_where_a_number_has_a_minus():
    match = facing("Rifle", target=("Blue-1", "Straight Five", "Cannon"), speed=3)
    events = fired(match, "Rifle", (9, 6), target="Blue-1")
    words = [e.words for e in events if e.kind == "modified" and e.data["by"] < 0]
    assert [text[: len("attack on Blue-1: −")] for text in words] == ["attack on Blue-1: −"]


def test_a_dangerous_driver_takes_two_off_for_each_token():
    match = begun(car("Red 1", "Big Six", "Rifle"), car("Blue 1", "Straight Five", "Dangerous Driver"),
                  tokens={"Red 1": 2, "Blue 1": 3})  # fmt: skip
    activated(match, "Dangerous Driver · 1", "Dangerous Driver · 2")
    # The engine's last two symbols and the driver's own: two of them on the driver.
    do(match, "move", car="Blue 1", inches=9.0)
    do(match, "done")
    events = fired(match, "Rifle", (2, 3))
    assert [d["by"] for d in told(events, "modified")] == [3, -9, -4]


def test_a_dangerous_driver_counts_against_enemies_alone():
    """ "applies a -2 to enemy Attack rolls": a Mine of one's own side is no enemy."""
    match = begun(car("Red 1", "Straight Five", "Mines", "Dangerous Driver"), car("Blue 1"),
                  tokens={"Red 1": 3})  # fmt: skip
    activated(match, "Mines · 1", "Dangerous Driver · 1")
    do(match, "move", car="Red 1", inches=9.0, mines=1)
    do(match, "done")
    rest(match)
    activated(match, "Dangerous Driver · 1")
    events = do(match, "move", (9,), car="Red 1", inches=9.0, triggered=["Mine 1"])
    assert [d["by"] for d in told(events, "modified")] == [10, -9]
    assert [d["needed"] for d in told(events, "hit")] == [9]


def test_a_gutsy_gunner_rerolls_dice_before_they_count():
    match = facing("Gutsy Gunner", "Rifle")
    activated(match, "Gutsy Gunner · 1", "Gutsy Gunner · 2", "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    do(match, "fire", (2, 3), reach="yes")
    assert [o.words for o in offered(match, "reroll")] == ["Reroll the 2", "Reroll the 3"]
    do(match, "reroll", (4,), die=0)
    events = do(match, "reroll", (18,), die=0)
    assert [d["value"] for d in told(events, "hit")] == [18]
    assert match.state.attack is None


def test_the_owner_places_the_first_token_of_a_hit_and_the_attacker_the_rest_but_armour_is_first():
    match = facing("Cannon", target=("Blue 1", "Straight Five", "Cannon", "Rifle"))
    fired(match, "Cannon", (19,))
    assert {o.player for o in offered(match, "damage")} == {"Blue"}
    do(match, "damage", component="Rifle")
    assert {o.player for o in offered(match, "damage")} == {"Red"}
    do(match, "damage", component="Straight Five")
    assert tokens(match, "Blue 1", "Rifle") == ".D"
    assert tokens(match, "Blue 1", "Straight Five") == "....D"
    match = facing("Cannon", target=("Blue 1", "Straight Five", "Cannon", "Armour 1"))
    assert told(fired(match, "Cannon", (19,)), "damaged")[0]["component"] == "Armour 1"
    assert len(offered(match, "damage")) == 2


def test_a_car_with_damage_everywhere_explodes_as_far_as_its_engine_has_zones():
    match = begun(car("Red 1", "Big Six", "Cannon"), car("Red 2", "Heavy Seven"),
                  car("Blue 1", "Quick Four"), tokens={"Red 1": 4})  # fmt: skip
    match.overrule(
        ("cars", "Blue 1", "components", 0, "zones"), ["Damage", "Damage", "Damage", None], "", "Red"
    )
    events = fired(match, "Cannon", (19,))
    assert told(events, "exploded") == [{"car": "Blue 1", "inches": 4.0}]
    events = do(match, "blast", cars=["Red 1"])
    assert told(events, "blast")[0]["cars"] == ["Red 1"]
    assert len(offered(match, "damage")) == 2
    events = do(match, "damage", component="Cannon")
    assert match.state.over
    assert match.state.winner == "Red"


WISHES = (
    "Harpoon", "Missile Launcher", "Hand Grenade", "Wheel Spikes", "Oil Slick", "Caltrops", "Turbo Booster",
)  # fmt: skip


@pytest.mark.parametrize("name", [*WISHES, "damage of the game before"])
def test_each_is_refused_unless_it_is_chosen(name):
    assert tuple(c.name for c in CARDS.values() if c.wish) == WISHES
    red = car("Red 1", "Big Six", name) if name in WISHES else car("Red 1", damage=1)
    given = {"players": ["Red", "Blue"], "pieces": [red, car("Blue 1")]}
    with pytest.raises(TableRefError, match=f"{name} is from the comments, switched off"):
        Match.begin(GAME, given)
    assert GAME.setup(given | {"wishes": True}).not_yet == ()
    match = Match.begin(GAME, given | {"wishes": True})
    one = here(match, "Red 1")
    assert any(c.card == name for c in one.components) if name in WISHES else one.damage == 1


@pytest.mark.parametrize(
    ("weapon", "reach", "blast", "damage"),
    [("Harpoon", 8, 4, 1), ("Missile Launcher", 30, 8, 3), ("Hand Grenade", 5, 5, 2)],
)
def test_weapons_attack_with_their_numbers(weapon, reach, blast, damage):
    # Blue 1 stands still: 10 less the Blast.
    for die, owners in ((10 - blast - 1, []), (10 - blast, ["Blue", *["Red"] * (damage - 1)])):
        match = begun(car("Red 1", "Straight Five", weapon), car("Blue 1", "Heavy Seven", "Cannon"),
                      tokens={"Red 1": 1}, wishes=True)  # fmt: skip
        activated(match, f"{weapon} · 1")
        do(match, "declare", weapon=weapon, target="Blue 1")
        assert match.options()[0].question.data == {"weapon": weapon}
        assert f"{reach} in" in match.options()[0].question.words
        assert bool(told(do(match, "fire", (die,), reach="yes"), "missed")) == (not owners)
        assert [duty.by for duty in match.state.duties] == owners


def test_wheel_spikes_hurt_whom_the_car_touches():
    match = begun(car("Red 1", "Straight Five", "Wheel Spikes"), car("Blue 1", "Straight Five", "Cannon"),
                  tokens={"Red 1": 2}, wishes=True)  # fmt: skip
    activated(match)
    low, _ = match.state.range_of_move()
    do(match, "move", car="Red 1", inches=float(low), into="Blue 1")
    (duty,) = match.state.duties
    assert (duty.car, duty.cause) == ("Blue 1", "the Wheel Spikes of Red 1")


def laid(card: str, field: str):
    """Blue has laid a token, and Red 1 is about to move 9 to 12 in."""
    match = begun(car("Blue 1", "Straight Five", card), car("Red 1", "Straight Five"),
                  tokens={"Blue 1": 3, "Red 1": 2}, wishes=True)  # fmt: skip
    activated(match, f"{card} · 1")
    do(match, "move", car="Blue 1", inches=9.0, **{field: 1})
    assert tokens(match, "Blue 1", card) == "D."
    do(match, "done")
    activated(match, "Straight Five · 3")
    return match


def test_oil_is_rough_ground_where_its_token_lies():
    match = laid("Oil Slick", "oil")
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Oil Slick 1", 14, 24))
    move = pushed(before, "Red 1", [Straight(9.5)])
    (one,) = judged(match.state, move).ground
    assert one.terrain == "Oil Slick 1"
    assert one.inches.value == pytest.approx(1.0, abs=0.1)
    aside = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Oil Slick 1", 14, 30))
    assert judged(match.state, pushed(aside, "Red 1", [Straight(9.5)])).ground == ()


def test_caltrops_end_a_move_where_their_token_lies():
    match = laid("Caltrops", "caltrops")
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Caltrops 1", 16.4, 24))
    move = pushed(before, "Red 1", [Straight(6.7)])
    assert judged(match.state, move).driven.touched.other == "Caltrops 1"
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    events = match.do(action, seen(move), TypedDice(()))
    (moved,) = told(list(events), "moved")
    assert moved["into"] == "Caltrops 1"
    assert told(list(events), "stopped")


def test_a_turbo_booster_gives_six_inches_for_each_damage_token_on_it():
    match = begun(car("Red 1", "Straight Five", "Turbo Booster"), car("Blue 1"), tokens={"Red 1": 2},
                  wishes=True)  # fmt: skip
    activated(match)
    for high, zones in ((15, ".D"), (21, "DD")):
        do(match, "boost", component="Turbo Booster")
        assert match.state.range_of_move() == (5, high)
        assert tokens(match, "Red 1", "Turbo Booster") == zones
    assert not offered(match, "boost")


def test_a_turbo_booster_moves_no_car_whose_engine_is_full_of_damage():
    """ "Any model that has all its Engine AZ track filled with DT may no longer move"."""
    match = begun(car("Red 1", "Straight Five", "Turbo Booster"), car("Blue 1"), tokens={"Red 1": 2},
                  wishes=True)  # fmt: skip
    activated(match)
    do(match, "boost", component="Turbo Booster")
    match.overrule(("cars", "Red 1", "components", 0, "zones"), ["Damage"] * 5, "hit", "Blue")
    assert match.state.range_of_move() == (0, 0)
    assert not offered(match, "boost")
    assert offered(match, "move")[0].heading == "Red 1 has no Speed"


@pytest.mark.parametrize("wishes", [True, False])
def test_what_stays_for_the_next_game_is_told_at_the_end(wishes):
    match = begun(car("Red 1", "Heavy Seven", "Rifle"), car("Blue 1", "Quick Four"), wishes=wishes, quiet=1,
                  tokens={"Red 1": 1})  # fmt: skip
    for name, place in (("Red 1", 0), ("Blue 1", 0)):
        zones = [None] * (len(here(match, name).engine.zones) - 2) + ["Damage", "Damage"]
        match.overrule(("cars", name, "components", place, "zones"), zones, "hit", "Blue")
    rest(match)
    rest(match)
    assert match.state.over
    kept = told(list(match.log), "kept")
    # As many as the Acceleration at most: 1 of the Heavy Seven, 3 of the Quick Four.
    assert kept == ([{"tokens": {"Red 1": 1, "Blue 1": 2}}] if wishes else [])


def test_a_car_that_is_taken_off_the_table_is_not_told_as_exploded():
    match = begun(car("Red 1"), car("Blue 1"), car("Gold 1"))
    match.concede("Red")
    notes = {s.title: s.note for s in GAME.sheets(match.state, Viewer())}
    assert notes == {"Red 1": "taken off the table", "Blue 1": "", "Gold 1": ""}
    assert match.may_concede == ("Blue", "Gold")
    match.concede("Gold")
    assert match.state.winner == "Blue"


def test_short_by_less_than_an_inch_it_brakes_all_the_same():
    """ "If a player wishes to move less than the minimum distance … Roll a D20"."""
    events = do(moving("Rifle"), "move", (9,), car="Red 1", inches=8.35)
    assert told(events, "checked") == [{"car": "Red 1", "value": 9, "total": 9, "safe": False}]
    # Within the house rule for what a hand misses nothing is rolled.
    assert told(do(moving("Rifle"), "move", car="Red 1", inches=8.8), "checked") == []


def test_a_ram_is_an_attack_and_takes_rerolls_of_the_gutsy_gunner():
    """ "Gutsy Gunner – Reroll one Attack roll per ST allocated"."""
    red = car("Red 1", "Straight Five", "Reinforced Ram", "Gutsy Gunner")
    match = begun(red, car("Blue 1", "Quick Four", "Rifle"), tokens={"Red 1": 3})
    activated(match, "Gutsy Gunner · 1")
    do(match, "move", (1,), car="Red 1", inches=5.0, into="Blue 1")
    assert [o.kind for o in match.options()] == ["reroll", "keep"]
    do(match, "reroll", (15,), die=0)
    # As many Damage tokens as the engine has Speed tokens.
    assert [(d.car, d.by) for d in match.state.duties] == [("Blue 1", by) for by in ("Blue", "Red", "Red")]
    assert match.state.attack is None


def test_who_is_newly_tied_rolls_too_and_equal_dice_are_told_as_such():
    """ "When cars are tied roll a D20 for each"."""
    match = begun(tokens={"Red 1": 1, "Blue 1": 2})
    state = match.state
    state = state.with_car("Red 1", rolls=(19,)).with_component(
        "Blue 1", "Quick Four", zones=("Speed", None, None, None)
    )
    state = replace(state.with_car("Blue 1", activated=False), turn=None)
    tied = Match.at(GAME, state)
    asked = Asked((7, 7, 3, 12))
    events = tied.do(Action("go on", None, {}), None, asked)
    assert [d["rolls"] for d in told(events, "order")] == [
        {"Red 1": 7, "Blue 1": 7},
        {"Red 1": 3, "Blue 1": 12},
    ]
    assert told(events, "order")[0]["anew"] is True
    assert asked.why[2:] == [
        f"the place of {name} in the order, again after 7 each" for name in ("Red 1", "Blue 1")
    ]
    # What the dice show stands beside it: told is what comes of that.
    said = [event.words for event in events if event.kind == "order"]
    assert said == ["Red 1 and Blue 1 roll again", "Blue 1 is the first of them"]
    assert tied.state.turn.car == "Blue 1"
    assert here(tied, "Red 1").rolls == (7, 3)


class Asked(TypedDice):
    """Typed dice that keep what they were rolled for."""

    def __init__(self, values):
        super().__init__(values)
        self.why = []

    def together(self, wants):
        """The next values."""
        self.why += [want.why for want in wants]
        return super().together(wants)


def test_what_the_way_meets_comes_in_its_order_and_the_touch_last():
    """ "Each time a car moves through a piece of Rough terrain"; "when any model moves within Range"."""
    match = begun(car("Blue 1", "Straight Five", "Mines", "Rifle"), car("Red 1", "Straight Five", "Rifle"),
                  tokens={"Blue 1": 3, "Red 1": 2})  # fmt: skip
    activated(match, "Mines · 1", "Mines · 2")
    do(match, "move", car="Blue 1", inches=9.0, mines=2)
    do(match, "done")
    activated(match)
    near, far = mine("Mine 1", 13, 24), mine("Mine 2", 22, 24)
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), near, mud("Mud", 14.5, 24, 2.5, 4), far)
    events = match.do(
        Action("move", None, {"car": "Red 1", "move": "m1"}), seen(pushed(before, "Red 1", [Straight(8.5)])),
        TypedDice((1, 20, 1)),
    )  # fmt: skip
    (owed, *_) = told(events, "owed")
    assert [d["other"] for d in owed["duties"]] == ["Mine 1", "Mud", "Mine 2"]


def test_a_mine_lies_along_the_route_of_the_car_that_lays_it():
    """ "Place one Mine marker along the Cars route"."""
    for y, words in ((24, ""), (44, "Mine 1 lies 18")):
        match = begun(car("Red 1", "Straight Five", "Mines"), car("Blue 1"), tokens={"Red 1": 3})
        activated(match, "Mines · 1")
        before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Mine 1", 10, y))
        move = pushed(before, "Red 1", [Straight(9.5)])
        against = GAME.check(
            match.state, Action("move", None, {"car": "Red 1", "move": "m1", "mines": 1}), seen(move)
        )
        assert [r.open for r in against] == [True] * bool(words)
        assert words in "; ".join(r.words for r in against)


def test_a_scenario_gives_bonus_tokens():
    """ "adding in any bonus ST from other sources such as Scenario rules"."""
    match = begun(bonus=2, tokens={"Red 1": 2, "Blue 1": 0})
    assert told(do(match, "shift", tokens=0), "generated") == [{"car": "Red 1", "tokens": 4}]


def rocks(**more):
    """Red 1 stands with a loaded Cannon, where two Damage tokens destroy terrain; what it may attack."""
    match = begun(
        car("Red 1", "Straight Five", "Cannon"), car("Blue 1"), terrain=2, tokens={"Red 1": 2}, **more
    )
    activated(match, "Cannon · 1", "Cannon · 2")
    return match


ROCKS = (put("Red 1", 8, 24), put("Blue 1", 30, 24), wall("Rocks", 20, 24, 2, 6), mud("Mud", 8, 36, 3, 3))


def test_terrain_is_a_target_where_the_scenario_says_what_destroys_it():
    """ "(or terrain feature if applicable to the scenario) as the target for the attack"."""
    match, there = rocks(), Seen(table(*ROCKS))
    (target,) = (o.form.fields["target"] for o in match.options(there) if o.kind == "declare")
    assert [c.value for c in target.candidates] == ["Blue 1", "Rocks"], "Mud stops nothing"
    declared = Action("declare", None, {"weapon": "Cannon", "target": "Rocks"})
    match.do(declared, there, TypedDice())
    (fire,) = match.options(there)
    assert fire.facts[0].more == "4+ on a D20, 1 die", "10 less the Blast of 6: terrain has no speed"
    events = match.do(Action("fire", None, {}), there, TypedDice((4,)))
    (ranged,) = told(events, "ranged")
    assert ranged["reached"]
    assert ranged["distance"] is not None
    assert told(events, "struck") == [{"target": "Rocks", "tokens": 2, "destroyed": True}]
    assert GAME.removed(match.state) == ("Rocks",)
    assert match.check(declared, there), "it is no target any more"
    # What is destroyed hides nobody and stops nobody, though it was not taken off the table yet.
    match.do(Action("declare", None, {"weapon": "Cannon", "target": "Blue 1"}), there, TypedDice())
    assert GAME.rule(match.state, match.options(there)[0].question, there.table).verdict.value == "yes"


def test_terrain_takes_damage_until_it_is_destroyed_and_without_a_scenario_is_no_target():
    """ "terrain feature if applicable to the scenario"; "The Attacking player applies any others"."""
    match = begun(car("Red 1", "Straight Five", "Machine Gun"), car("Blue 1"), terrain=4, tokens={"Red 1": 2})
    activated(match, "Machine Gun · 1", "Machine Gun · 2")
    for dice, tokens_now in (((9, 8, 20), 2), ((1, 9, 2), 3)):
        do(match, "declare", weapon="Machine Gun", target="Blocking terrain")
        assert match.options()[0].question is None, "nobody has said which, nor where it stands"
        events = do(match, "fire", dice, reach="yes")
        assert told(events, "struck") == [
            {"target": "Blocking terrain", "tokens": tokens_now, "destroyed": False}
        ]
        assert not match.state.duties
    assert GAME.removed(match.state) == ()
    for seen_there in (Seen(table(*ROCKS)), Seen()):
        plain = fresh = begun(car("Red 1", "Straight Five", "Cannon"), car("Blue 1"), tokens={"Red 1": 2})
        activated(fresh, "Cannon · 1")
        (option,) = (o for o in plain.options(seen_there) if o.kind == "declare")
        assert [c.value for c in option.form.fields["target"].candidates] == ["Blue 1"]


@pytest.mark.parametrize(("y", "words"), [(24, ""), (44, "Mine 1 lies 1")])
def test_a_mine_may_be_laid_along_the_route_after_the_move(y, words):
    """ "Place one Mine marker along the Cars route per ST allocated, then replace ST with DT"."""
    match = begun(car("Red 1", "Straight Five", "Mines"), car("Blue 1"), tokens={"Red 1": 3})
    activated(match, "Mines · 1")
    assert not offered(match, "done")
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Mine 1", 10, y))
    move = pushed(before, "Red 1", [Straight(5.0), Turn(math.radians(40), (-1.4, 0.0)), Straight(4.5)])
    there = seen(move)
    match.do(Action("move", None, {"car": "Red 1", "move": "m1"}), there, TypedDice())
    (done,) = (o for o in match.options(there) if o.kind == "done")
    assert list(done.form.fields) == ["mines"]
    action = Action("done", None, {"mines": 1})
    against = match.check(action, there)
    assert [r.open for r in against] == [True] * bool(words)
    assert words in "; ".join(r.words for r in against)
    if not words:
        events = match.do(action, there, TypedDice())
        assert told(events, "laid")[0]["token"] == "Mine 1"
        assert tokens(match, "Red 1", "Mines") == "D..."
        assert [one.name for one in match.state.laid] == ["Mine 1"]


def test_a_car_that_stands_has_no_route_along_which_to_lay():
    """ "along the Cars route"."""
    match = begun(car("Red 1", "Straight Five", "Mines"), car("Blue 1"))
    activated(match, "Mines · 1")
    assert not match.state.turn.drove
    (done,) = offered(match, "done")
    assert not done.form or not done.form.fields


def test_the_last_damage_by_hand_is_laid_once_the_car_has_exploded():
    match = begun()
    *others, last = here(match, "Blue 1").components
    for place, one in enumerate(others):
        match.overrule(("cars", "Blue 1", "components", place, "zones"), ["Damage"] * len(one.zones), "hit")
    path, full = ("cars", "Blue 1", "components", len(others), "zones"), ["Damage"] * len(last.zones)
    with pytest.raises(TableRefError, match=r"in every zone explodes; change 'It is' first"):
        match.overrule(path, full, "hit")
    match.overrule(("cars", "Blue 1", "status"), "exploded", "hit")
    match.overrule(path, full, "hit")
    assert all(zone == "Damage" for one in here(match, "Blue 1").components for zone in one.zones)
