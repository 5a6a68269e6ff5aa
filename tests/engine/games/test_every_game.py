"""What every game of the house is asked, of its rules, book, golden games, page and random players."""

from __future__ import annotations

import doctest
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any

import grimp
import pytest

from benchmarks.games import Players
from engine.errors import TableRefError
from engine.game.conformance import GameConformance
from engine.game.conformance.playing import SEEDS
from engine.game.kit.house import House
from engine.game.match import Match
from engine.game.players import random_setup
from engine.game.records import to_json
from tests.engine.games.suite import ROOMS, ROOT, Suite, suites
from tests.golden import HERE, end_of, games_of, log_of
from tests.volume import DEEP, deep, volume

SUITES = {suite.id: suite for suite in suites()}
GOLDEN = [(game, name) for game, suite in SUITES.items() for name in suite.golden.files]

each_game = pytest.mark.parametrize("suite", SUITES.values(), ids=SUITES)
each_golden_game = pytest.mark.parametrize(("game", "name"), GOLDEN, ids=[" ".join(one) for one in GOLDEN])


def seeded(name: str) -> Callable[..., None]:
    """One of the tests that play a random game: the shortest in the gate, all of them in `make deep`."""

    def test(self: GameConformance, seed: int) -> None:
        getattr(super(type(self), self), name)(seed)

    return pytest.mark.parametrize("seed", SEEDS if DEEP else SEEDS[1:2])(test)


def conformance(suite: Suite) -> type:
    """What is true of any game, asked of one; its golden playthroughs lie beside its suite."""
    asked = ("test_random_games_hold_together", "test_nobody_else_sees_a_sealed_choice")
    module = f"tests.engine.games.{suite.id}.suite"
    held = {"game": suite.game, "limit": volume(60, 2000), "in_turn": not DEEP, "__module__": module}
    return type(f"Test{suite.id}", (GameConformance,), held | {name: seeded(name) for name in asked})


for of_game in SUITES.values():
    globals()[f"Test{of_game.id}"] = conformance(of_game)


# Golden games


@each_golden_game
def test_a_golden_game_replays_to_its_end_and_is_the_same_again(game, name):
    golden = SUITES[game].golden
    match, end = golden.matches[name], golden.end(name)
    assert match.game.as_json(match.state) == end
    assert match.game.from_json(end) == match.state
    assert match.state.over
    assert any(e.kind == "over" for e in match.log)
    again = Match.again(match.game, golden.logs[name])
    for was, now in zip(golden.logs[name], again.log, strict=True):
        assert was == now


@each_golden_game
def test_a_golden_game_is_kept_one_event_and_one_part_of_the_state_a_line(game, name):
    match = SUITES[game].golden.matches[name]
    for text, ending in ((log_of(match), "jsonl"), (end_of(match), "end.json")):
        assert (HERE / game / f"{name}.{ending}").read_text("utf-8") == text


@each_game
def test_golden_games_are_those_that_can_be_written_and_notice_what_is_lost(suite):
    golden = suite.golden
    assert len(golden.logs) == suite.golden_games
    assert set(games_of(suite.id)) == set(golden.logs)
    name, kind = suite.lost
    log = golden.logs[name]
    place = max(k for k, e in enumerate(log) if e.kind == kind)
    assert Match.replay(suite.game, log[:place] + log[place + 1 :]).state != golden.matches[name].state


@each_game
def test_a_house_rule_beyond_what_may_be_set_now_is_kept_and_not_set_again(suite):
    begin = next(iter(suite.golden.logs.values()))[0]
    first = Match.replay(suite.game, [begin]).state
    name = next(f.name for f in fields(first) if isinstance(getattr(first, f.name), House))
    numbers = {
        one: rule
        for one, rule in type(getattr(first, name)).declared().items()
        if isinstance(usual := getattr(getattr(first, name), one), int | float)
        and not isinstance(usual, bool)
    }
    assert numbers
    beyond = {one: rule.high + 1 for one, rule in numbers.items()}
    state = begin.data["state"] | {name: begin.data["state"][name] | beyond}
    match = Match.replay(suite.game, [replace(begin, data=begin.data | {"state": state})])
    assert to_json(getattr(match.state, name)) | beyond == to_json(getattr(match.state, name))
    one, *_ = numbers
    for value in (beyond[one] + 1, numbers[one].low - 1):
        with pytest.raises(TableRefError, match=rf"expected {numbers[one].low:g} to"):
            match.overrule([name, one], value, "as we play")
    match.overrule(["winner"], first.players[0], "the others have gone home")
    assert match.state.winner == first.players[0]


@deep
@each_golden_game
def test_a_golden_game_can_be_played_anew(game, name):
    # Not as it is kept: where players have other choices than when it was written, they choose otherwise.
    assert games_of(game)[name]().state.over


@each_game
def test_golden_games_have_every_kind_of_event_and_every_action(suite):
    happened = {e.kind for e in suite.golden.events}
    assert suite.kinds - happened == suite.at_tables
    assert happened - suite.kinds == suite.of_the_match
    done = {data["kind"] for data in suite.golden.data("action")}
    assert set(suite.rules) - done == suite.not_done
    # What is said to whoever plays without the book is said of things that can be done.
    assert set(dict(suite.game.about.hints)) <= set(suite.rules)


# Its page in the documentation


@each_game
def test_the_example_of_its_page_runs(suite):
    result = doctest.testfile(str(suite.programs_page), module_relative=False)
    assert result.attempted > 8
    assert result.failed == 0


@each_game
def test_its_page_has_every_house_rule_with_its_default_and_what_else_it_lists(suite):
    listed, usual = suite.rows("House defaults"), suite.house()
    assert list(listed) == [f.name for f in fields(suite.house)]
    for name, rest in listed.items():
        value, (told, _) = getattr(usual, name), rest.removesuffix(" |").split(" | ")
        numbers = re.findall(r"\d+(?:\.\d+)?", told)
        if isinstance(value, tuple):
            assert tuple(map(int, numbers)) == value, name
        elif isinstance(value, float):
            assert abs(float(numbers[-1]) - value) < 0.0005, name
        else:
            assert told == suite.words.get(str(value), str(value)), name
    text, wanted = suite.documented, list(suite.on_its_page())
    assert wanted
    assert [words for words in wanted if words not in text] == []


@each_game
def test_every_house_rule_that_can_be_chosen_is_asked_for_in_the_set_up(suite):
    fields_asked = suite.game.setup({"players": ["Red", "Blue"], "pieces": []}).game.fields
    assert set(suite.house.declared()) <= set(fields_asked)


@each_game
def test_a_set_up_at_random_answers_what_is_asked_and_nothing_else(suite):
    for seed in range(volume(12, 200)):
        setup = random_setup(suite.game, random.Random(seed))
        form = suite.game.setup(setup)
        assert set(setup) - {"players", "pieces"} <= set(form.game.fields)
        for piece in setup["pieces"]:
            assert set(piece) - {"name", "owner"} <= set(form.pieces[piece["name"]].fields), seed


@each_game
def test_its_page_lists_where_its_book_is_silent_and_all_that_rulings_cite_of_it(suite):
    assert {section for sections, _ in suite.silences for section in sections} <= set(
        suite.game.about.sections
    )
    folder = ROOT / "engine" / "games" / suite.id
    sources = "".join(p.read_text("utf-8") for p in folder.rglob("*.py"))
    cited = set(re.findall(r'\bhouse\(\s*"([^"]+)"', sources))
    chosen = {rule.words for rule in suite.house.declared().values()}
    assert cited - chosen == {name for _, names in suite.silences for name in names}


@each_game
def test_its_page_has_every_action_and_every_event_with_its_data(suite):
    actions, events = suite.rows("Actions"), suite.rows("Events")
    assert list(actions) == list(suite.rules)
    assert set(events) == suite.kinds
    text = suite.documented
    assert all(f"`{name}`" in text for name in suite.said_elsewhere)
    for event in suite.golden.events:
        if event.kind == "action":
            row, said = actions[event.data["kind"]], set(event.data["data"]) - suite.said_elsewhere
            # What a sealed choice was stands in the row; how several are revealed is the match's.
            said -= {"choices"} if event.data["kind"] in suite.game.about.sealed else set()
        elif event.kind in suite.kinds - suite.not_told:
            row, said = events[event.kind], set(event.data)
        else:
            continue
        assert {name for name in said if f"`{name}`" not in row} == set(), event


# Its book


@cache
def cited(game: str) -> Counter[str]:
    """How often each place of the book is cited by what happened in the golden games."""
    suite = SUITES[game]
    places = (p for e in suite.golden.events for p in (e.citation, str(e.data.get("rule", ""))))
    book = f"{suite.game.about.book} · "
    return Counter(place.removeprefix(book) for place in places if place.startswith(book))


@each_game
def test_every_section_of_its_book_is_cited_by_what_happened(suite):
    sections, places = suite.game.about.sections, cited(suite.id)
    assert len(set(sections)) == len(sections)
    without = {s for s in sections if s not in places}
    within = {s for s in without if any(place.startswith(f"{s} · ") for place in places)}
    assert without - within == suite.uncited
    assert within == suite.over_others
    room, rulings = suite.by_the_table
    folder = suite.page.parents[1] / "engine" / "games" / suite.id / room
    sources = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    assert all(words in sources for words in rulings)


@each_game
def test_nothing_is_cited_that_its_book_does_not_have(suite):
    about = suite.game.about
    for place in cited(suite.id):
        within = suite.deeper and any(place.startswith(f"{s} · ") for s in about.sections)
        assert place in about.sections or within, place
    places = [e.citation for e in suite.golden.events] + [rule.citation for rule in suite.rules.values()]
    whole = [p for p in places if not p.startswith((f"{about.book} · ", "house default · "))]
    assert set(whole) == ({about.book} if suite.whole_book else set())


@pytest.mark.parametrize(
    "suite", [s for s in SUITES.values() if s.text], ids=[s.id for s in SUITES.values() if s.text]
)
def test_every_heading_of_its_book_is_a_section(suite, shared):
    text = (shared / "rules" / suite.text).read_text(encoding="utf-8")
    assert list(suite.unruled(text)) == []


@cache
def imports() -> Any:
    """Who imports whom in the engine."""
    return grimp.build_graph("engine")


@each_game
def test_its_rooms_build_on_those_before_them(suite):
    package, graph = f"engine.games.{suite.id}", imports()
    mine = [m for m in graph.modules if m.startswith(f"{package}.")]
    room = {m: ROOMS.index(m.removeprefix(f"{package}.").split(".")[0]) for m in mine}
    assert len(mine) > 15
    upward = {
        (m, found)
        for m in mine
        for found in graph.find_modules_directly_imported_by(m)
        if found in room and room[found] > room[m]
    }
    assert upward == set()


# Random players


@each_game
def test_random_games_come_to_their_end_with_every_invariant(suite, figure):
    played = [suite.players.play(number) for number in suite.seeds]
    seen = {e.kind for match in played for e in match.log}
    assert suite.kinds - seen == suite.rare
    assert {"undo", "redo", "overrule"} <= seen or not suite.players.whims
    suite.played(played)
    figure(f"random games of {suite.game.about.title} that reach every event", len(played))


@each_game
def test_random_games_from_its_forms_alone_with_undo_redo_refusals_and_overrulings(suite, figure):
    numbers = {*suite.whims, *range(volume(0, 40))}
    players = Players(suite.game, limit=suite.players.limit)
    seen = {e.kind for number in numbers for e in players.play(number).log}
    assert {"undo", "redo", *(("overrule",) if suite.counters else ())} <= seen
    figure(f"random games of {suite.game.about.title} from its forms alone", len(numbers))


@deep
@each_game
@pytest.mark.parametrize("first", range(0, 2000, 200))
def test_two_hundred_random_games(suite, first, figure):
    numbers = range(first, first + 200)
    seen = Counter(e.kind for number in numbers for e in suite.players.play(number).log)
    assert first or min(seen[kind] for kind in suite.kinds - suite.rare) >= suite.often
    figure(f"random games of {suite.game.about.title} to their end, every invariant held", len(numbers))


@each_game
def test_the_invariants_see_what_is_wrong(suite):
    sound, wrong = suite.sound(), list(suite.wrong())
    assert sound
    assert wrong
    for hold, state in sound:
        hold(state)
    for hold, state, words in wrong:
        with pytest.raises(AssertionError, match=words):
            hold(state)
