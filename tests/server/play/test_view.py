"""What of a game is shown: to whom, on which sheets, laid on which board."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pypdfium2
import pytest

from engine.game.contract import Option, Seen
from engine.game.events import Action
from engine.game.forms import Form, Number
from engine.game.registry import game_called
from engine.game.showing import Box, Ghost, Sheet, Slot, Slots, Track, Viewer, Words
from engine.game.showing import Counter as CounterWidget
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.pipeline.runner import Runner, Snapshot
from server.play import view
from server.play.drafts import Draft
from server.play.host import MatchHost
from server.play.messages import Answer, PlayState, ReasonView, WantedDie
from server.play.moving.ghosts import ghost_views
from server.play.paper import MARGIN, blank_sheets, sheets_pdf
from server.play.routes import sheets_of
from server.play.view import Measurable, SharedView, game_view
from server.web.authentication import Identity
from tests.engine.tables import SURFACE, car
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.play.test_host import ANNA, BEN, GUEST, OWNER, act, begun, done


def state_of(scene: SharedView, who: Identity) -> PlayState:
    """What somebody's page is sent."""
    return PlayState.model_validate_json(scene.sent(who)[0])


class Bench:
    """A match at a table that is stepped by hand, and the viewers for whom something was worked out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = HandMoved(fps=1000)
        self.referee = KnowsAll(self.source)
        self.live = Runner(self.source, self.referee)
        self.step()
        self.host = begun(None, lambda: self.live.moment and self.live.moment.table)
        self.scene = SharedView(self.host, self.live)
        self.made: Counter[str | None] = Counter()
        worked_out = SharedView._state

        def counted(scene: SharedView, who: Identity) -> PlayState:
            if scene is self.scene:
                self.made[self.host.player_of(who)] += 1
            return worked_out(scene, who)

        monkeypatch.setattr(SharedView, "_state", counted)

    def step(self) -> None:
        moment = self.referee.step(self.source.read())
        self.live._snapshot = Snapshot(number=self.live.snapshot.number + 1, moment=moment, state="running")


def test_what_takes_a_piece_is_not_the_main_thing_before_it_stands_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(monkeypatch)
    done(act(bench.host, OWNER, "choose", car="RED1"))
    look = bench.scene._look

    def main(*, right: bool) -> list[str]:
        def looked(match: Any) -> Any:
            options, _, _, strays = look(match)
            ghosts = [{"piece": "RED1", "right": right, "words": "put it there", "citation": "Book"}]
            return options, ghosts, tuple(Measurable(True, True, "") for _ in options), strays

        monkeypatch.setattr(bench.scene, "_look", looked)
        match = bench.host.match
        assert match is not None
        found = bench.scene._looked_on(match, OWNER, Viewer())
        return [o["kind"] for o in found.options if o["main"]]

    assert main(right=True) == ["move"]
    assert main(right=False) == []


def test_thirty_who_look_are_told_what_was_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch)
    guests = [replace(GUEST, device=f"{k:016}") for k in range(30)]
    for _ in range(3):
        for who in (*guests, ANNA, BEN, OWNER):
            state = state_of(bench.scene, who)
            assert (state.me.role, state.me.player) == (who.role, bench.host.player_of(who))
        bench.step()
    assert bench.made == {None: 2, "Anna": 1, "Ben": 1}  # those who look, and the owner


def test_each_is_told_what_is_theirs_and_whatever_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    # However soon after the last look the table changes: on a fast machine that is within half a second.
    monkeypatch.setattr("server.play.view.LOOK_EVERY", -1.0)
    bench = Bench(monkeypatch)

    def options(who: Identity) -> list[bool]:
        match = state_of(bench.scene, who).match
        assert match is not None
        return [bool(option["mine"]) for option in match.options]

    def fresh_is_told() -> None:
        for who in (GUEST, ANNA, BEN, OWNER):
            told, fresh = state_of(bench.scene, who), state_of(SharedView(bench.host, bench.live), who)
            assert told == fresh

    assert (any(options(ANNA)), any(options(GUEST))) == (True, False)
    for change in (
        lambda: done(act(bench.host, ANNA, "choose", car="Red 1")),
        lambda: done(act(bench.host, ANNA, "move", car="Red 1")),
        lambda: bench.source.move("RED1", Pose(10, 10, 0)),
        lambda: bench.host.vacate(ANNA.device),
    ):
        fresh_is_told()
        before = sum(bench.made.values())
        change()
        bench.step()
        state_of(bench.scene, BEN)
        assert sum(bench.made.values()) > before, "it was not worked out anew"
        fresh_is_told()
    assert state_of(bench.scene, ANNA).me.player is None
    assert not any(options(ANNA))


def test_what_may_be_done_is_worked_out_once_for_what_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks, and however often: anew with the next picture, and once the game went on."""
    bench = Bench(monkeypatch)
    assert bench.host.match is not None
    game, asked = bench.host.match.game, []

    def offers(state: Any, seen: Seen) -> tuple[Option, ...]:
        asked.append(seen.table)
        return offered(state, seen)

    offered = game.offers
    monkeypatch.setitem(vars(game), "offers", offers)
    for _ in range(3):
        bench.host.options()
        state_of(bench.scene, ANNA)
    assert len(asked) == 1
    bench.step()
    bench.host.options()
    assert len(asked) == 2
    done(act(bench.host, ANNA, "choose", car="Red 1"))
    bench.host.options()
    assert len(asked) > 2


def test_a_message_tells_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deed in the log, and the options from before it: a tap on one of those would be refused."""
    bench = Bench(monkeypatch)
    lines, meanwhile = view.log_lines, ["RED1"]

    def goes_on(*given: Any) -> Any:
        while meanwhile:
            assert bench.host.match is not None
            bench.host.match.do(Action("choose", "Anna", {"car": meanwhile.pop()}))
        return lines(*given)

    monkeypatch.setattr(view, "log_lines", goes_on)
    told = state_of(bench.scene, OWNER).match
    assert not meanwhile
    assert told == state_of(SharedView(bench.host, bench.live), OWNER).match


def test_a_game_that_went_on_asks_anew_for_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two pictures, too: else what may be moved now is told with what was known before."""
    bench = Bench(monkeypatch)
    looks: list[int] = []

    class Counting:
        def view(self, snapshot: Snapshot) -> None:
            looks.append(snapshot.number)

    scene = SharedView(bench.host, bench.live, Counting())
    scene.guide()
    scene.guide()
    assert len(looks) == 1
    done(act(bench.host, ANNA, "choose", car="Red 1"))
    scene.guide()
    assert looks == [bench.live.snapshot.number] * 2
    bench.step()
    scene.guide()
    assert looks[-1] == bench.live.snapshot.number
    assert len(looks) == 3


# Paper


SHEETS = [
    Sheet(
        f"Red {k}",
        "Anna",
        (CounterWidget(words="Hit points", value=20 + k), Words(words="Armor", text="front")),
    )
    for k in range(1, 8)
]


def pages_of(pdf: bytes) -> list[str]:
    """The text of each page."""
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf)]


@pytest.mark.parametrize(("per_page", "pages", "columns"), [(6, 2, 1), (4, 2, 1), (3, 3, 2), (1, 7, 2)])
def test_so_many_to_a_page_in_two_columns_where_they_are_as_wide_as_it(
    per_page: int, pages: int, columns: int
) -> None:
    pdf = sheets_pdf(SHEETS, per_page=per_page)
    page = pypdfium2.PdfDocument(pdf)[0]
    text = page.get_textpage()
    marked, read = (text.get_charbox(text.search(words).get_next()[0])[0] for words in ("Hit", "Armor"))
    half = page.get_width() / 2 - MARGIN * 72
    assert read - marked == pytest.approx(half if columns == 2 else 0.0, abs=2.0)
    told = pages_of(pdf)
    assert len(told) == pages
    assert [sum(f"Red {k}" in text for k in range(1, 8)) for text in told][:-1] == [per_page] * (pages - 1)
    assert "27" in told[-1]
    assert told[-1].count("front") == told[-1].count("Armor")


def test_empty_sheets_have_no_figures() -> None:
    (page,) = pages_of(sheets_pdf(SHEETS[:3], per_page=3, blank=True))
    assert "21" not in page
    assert "played by" in page


def test_names_in_other_letters_can_be_read_on_paper() -> None:
    (page,) = pages_of(sheets_pdf([Sheet("Щука 1", "Łucja", SHEETS[0].widgets)], per_page=1))
    assert "Shchuka 1" in page
    assert "Lucja" in page


def test_what_is_too_tall_flows_into_the_next_column() -> None:
    tracks = tuple(Track(words=f"Part {k}", boxes=(Box(False),) * 4) for k in range(25))
    sheet = Sheet("Red 1", "Anna", (*tracks, Words(words="Driver", text="here")))
    page = pypdfium2.PdfDocument(sheets_pdf([sheet], per_page=1))[0]
    text = page.get_textpage()
    _, bottom, _, _ = text.get_charbox(text.search("Part 24").get_next()[0])
    assert 30 < bottom < page.get_height()
    left = [text.get_charbox(text.search(f"Part {k}").get_next()[0])[0] for k in (10, 24)]
    assert left[1] > left[0] + 100


def test_a_game_of_few_pieces_has_as_many_empty_sheets_as_are_asked_for() -> None:
    names = [f"Vehicle {k}" for k in range(1, 7)]
    game = game_called("battlecars")
    assert game.about.players[1] < len(names)
    assert {sheet.title for sheet in blank_sheets(game, names)} == set(names)


def test_empty_sheets_stand_in_the_order_of_the_pieces_and_say_what_each_is() -> None:
    """*Car 1, Car 3, Car 5* stood there, and nothing said why one had more boxes than another."""
    names = [f"Vehicle {k}" for k in range(1, 7)]
    pages = pages_of(sheets_pdf(blank_sheets(game_called("battlecars"), names), per_page=1, blank=True))
    assert [page.splitlines()[0].removesuffix(" played by") for page in pages] == names
    assert all(kind in page for kind, page in zip(("Saloon", "Muscle Car", "Van"), pages, strict=False))


def test_an_empty_sheet_has_a_line_for_each_weapon() -> None:
    (page,) = pages_of(sheets_pdf(blank_sheets(game_called("shattered_highways"), ["A", "B"]), blank=True))
    assert page.count("Gunner 1") == 2
    assert "It is" not in page


def test_a_sheet_stays_in_its_frame_and_its_words_are_read() -> None:
    """The last line lay below the frame, of a range three letters in ten could be read, and −2 was *?2*."""
    sheets = blank_sheets(game_called("car_cult"), ("Car 1", "Car 2", "Car 3"))
    page = pypdfium2.PdfDocument(sheets_pdf(sheets, per_page=6, blank=True))[0]
    text = page.get_textpage()
    assert "–2 to attacks" in text.get_text_range()
    assert "?" not in text.get_text_range()
    boxes = [text.get_charbox(k) for k in range(text.count_chars()) if text.get_text_range(k, 1).strip()]
    height, tall = page.get_height(), (page.get_height() - 2 * 0.4 * 72 - 2 * 0.25 * 72) / 3
    first = [box for box in boxes if box[3] > height - 0.4 * 72 - tall - 6 and box[0] < page.get_width() / 2]
    assert min(box[1] for box in first) > height - 0.4 * 72 - tall
    found = text.search("16 in").get_next()
    _, low, _, high = text.get_charbox(found[0])
    assert high - low > 3.5, "points"
    zones = Slots(words="Big Six", slots=(Slot("11 in +ST", holds="Damage"),) * 7, columns=7)
    drawn = pypdfium2.PdfDocument(sheets_pdf([Sheet("Car 1", "Anna", (zones,))], per_page=6))[
        0
    ].get_textpage()
    _, low, _, high = drawn.get_charbox(drawn.search("Damage").get_next()[0])
    assert high - low > 3.5, "points"


def test_sheets_of_a_set_up_say_what_was_chosen_there() -> None:
    host = MatchHost(None, lambda: None, "white_line_fever")
    owners = [{"name": n, "colour": "#c8322b"} for n in ("Anna", "Ben")]
    cars = [
        {"name": f"Car {k}", "owner": ("Anna", "Ben")[k % 2], "answers": {"brand": "Mule"}} for k in (1, 2)
    ]
    host.draft = Draft.model_validate({"game": "white_line_fever", "players": owners, "pieces": cars})
    (page,) = pages_of(sheets_of(host))
    assert page.count("Mule") == len(cars)


# What is laid


OVAL = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"


def test_a_new_map_is_told_to_pages_that_are_open() -> None:
    source = HandMoved()
    host = MatchHost(None, lambda: None, "frothy_races")
    host.draft = Draft.model_validate({"game": "frothy_races"})
    kept: list[str] = []
    laid = {"frothy_races": kept}
    scene = SharedView(host, Runner(source, KnowsAll(source, 0.01)), laid=lambda game: laid.get(game, []))

    def offered() -> list[str]:
        setup = state_of(scene, OWNER).setup
        assert setup is not None
        return [c["words"] for c in setup["game"]["fields"]["circuit"]["candidates"]]

    before, version = offered(), scene.version()
    kept.append(OVAL)
    scene.relaid()
    assert scene.version() != version
    assert offered() == [*before, "Sunday"]
    assert state_of(scene, OWNER).game.lays


def test_pages_are_told_whether_everybody_may_measure_at_any_time() -> None:
    """White Line Fever: "Pre-measuring is allowed at any time"; Car Cult: "No pre-measuring"."""
    games = ("white_line_fever", "shattered_highways", "battlecars", "frothy_races", "car_cult")
    told = [game_view(game_called(name).about).measures for name in games]
    assert told == [True, True, True, True, False]


def test_a_refusal_writes_lengths_as_the_cards_do() -> None:
    """Whatever the engine says in an answer: why not, what is to be rolled, what went wrong."""
    reason = ReasonView(words="6 in from the edge", citation="", open=False, question="")
    die = WantedDie(sides=20, why="Mud, 3.5 in of it", faces=[], by=None)
    told = Answer(key="k", accepted=False, error="expected 6 in but got 8 in", reasons=[reason], wanted=[die])
    assert (told.error, told.reasons[0].words, told.wanted[0].why) == (
        "expected 6″ but got 8″", "6″ from the edge", "Mud, 3.5″ of it",
    )  # fmt: skip


@pytest.mark.parametrize(("share", "taken"), [(1.0, True), (0.5, True), (0.15, True), (0.05, False)])
def test_a_dashed_shape_is_taken_by_what_covers_more_than_its_rim(share: float, taken: bool) -> None:
    red, blue = car("Red", 20, 20), car("Blue", 30, 20)
    length = red.piece.body.footprint.outline[:, 0]
    at = 20 + (length.max() - length.min()) * (1 - share)
    ghost = Ghost("Blue", (at, 20.0, 0.0), "put it there", "Book", right=False)
    (told,) = ghost_views((ghost,), TableState.of(SURFACE, [red, blue], 0.0))
    assert told["taken_by"] == ("Red" if taken else None)
    assert (told["outline"] == []) is taken


def test_inches_are_written_alike_in_all_that_a_form_says():
    speed = Number(words="Speed, up to 6 in", low=0, high=2, leads=("0 in", "3 in", "6 in"))
    told = view.option_view(Option("go", "Ann", "Drive 6 in", form=Form({"speed": speed})), mine=True)
    asked = told["form"]["fields"]["speed"]
    assert (told["words"], asked["words"], asked["leads"]) == (
        "Drive 6″", "Speed, up to 6″", ["0″", "3″", "6″"]
    )  # fmt: skip
