"""What players ask goes into the record, once while the answer stays the same."""

from __future__ import annotations

from engine.space.geometry import Pose
from engine.space.table import TableState
from server.formats.entries import Entry
from server.table.messages import Select
from server.table.questions.differences import ruled_again
from server.table.questions.question_log import QuestionLog
from server.table.questions.rulings import Rulings
from tests.server.conftest import Served, joined
from tests.server.fakes import wait_until
from tests.server.playback import table_at, table_file

BOOK = Rulings.by_book(None)


class Notes:
    """EntryLog entries in a list."""

    def __init__(self) -> None:
        self.kept: list[Entry] = []

    def note(self, entry: Entry) -> None:
        self.kept.append(entry)


def select(*pieces: str, question: str | None = None) -> Select:
    return Select(type="select", pieces=list(pieces), question=question)


def at(time: float) -> TableState:
    return table_at(table_file(), time)


def test_an_answer_is_kept_with_all_its_numbers() -> None:
    notes = Notes()
    QuestionLog(BOOK, notes).ask(select("red-1", "Blue 1"), at(2.0), "owner")
    (entry,) = notes.kept
    assert (entry.kind, entry.time_s, entry.actor) == ("ruling", 2.0, "owner")
    assert entry.words == "May Red 1 shoot at Blue 1 with the Machine Gun? No."
    question, _ = BOOK.answer(at(2.0), ("Red 1", "Blue 1"), "Machine Gun")
    assert ruled_again(entry.data, question, at(2.0), BOOK) == ()
    assert ruled_again({**entry.data, "verdict": "yes"}, question, at(2.0), BOOK) != ()


def test_the_same_answer_is_kept_once_and_another_one_again() -> None:
    notes = Notes()
    asked = QuestionLog(BOOK, notes)
    for time in (2.0, 3.0, 9.0, 9.5):
        asked.ask(select("Red 1", "Blue 1"), at(time), "player")
    asked.ask(select("Red 1", "Blue 1", question="Plinker"), at(9.5), "player")
    told = [(e.data["verdict"], e.data["asked"]["label"]) for e in notes.kept]
    assert told == [("no", "Machine Gun"), ("yes", "Machine Gun"), ("yes", "Plinker")]


def test_what_is_no_question_is_not_kept() -> None:
    notes = Notes()
    asked = QuestionLog(BOOK, notes)
    for choice in (select(), select("Red 1"), select("Red 1", "Red 9")):
        asked.ask(choice, at(2.0), "owner")
    asked.ask(select("Red 1", "Blue 1"), None, "owner")
    assert notes.kept == []


class Keeper:
    """EntryLog what the page asks."""

    notices = ()

    def __init__(self) -> None:
        self.kept: list[Entry] = []

    def keep(self, *_: object) -> None:
        """Nothing happens on this table."""

    def append(self, batch: tuple[Entry, ...]) -> tuple[int, ...]:
        self.kept += batch
        return tuple(range(len(batch)))


def test_a_question_on_the_page_is_recorded(served: Served) -> None:
    keeper = served.live._keeper = Keeper()  # type: ignore[assignment]
    with joined(served.url) as socket:
        socket.hear()
        socket.send(type="select", pieces=["RED1", "BLUE2"])
        wait_until("the answer in the record", lambda: len(keeper.kept) == 1)
        served.source.move("BLUE2", Pose(14, 14, 0))
        served.source.move("mug", Pose(40, 5, 0))
        wait_until("the move", lambda: served.live.moment.table.find("BLUE2").pose.x == 14)  # type: ignore[union-attr]
        socket.send(type="select", pieces=["RED1", "BLUE2"])
        wait_until("the other answer", lambda: len(keeper.kept) == 2)
    assert [e.actor for e in keeper.kept] == ["owner", "owner"]
