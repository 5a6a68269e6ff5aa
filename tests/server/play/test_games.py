"""Any game at the table: secret choices of another one, and journals from when there was but one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from engine.errors import TableRefError
from engine.game.registry import games_from
from server.formats.entries import Entry, MemoryLog
from server.play.drafts import Draft, draft_of
from server.play.host import MatchHost
from server.play.messages import Begin, Modes, SetUp, Sit, Withdraw
from server.recording.reader import SECRET
from tests.server.gaming import DRAFT as TABLE_DRAFT
from tests.server.gaming import gaming
from tests.server.play.test_host import ANNA, BEN, DRAFT, OWNER, act, done, key, state

OLD_DRAFT = {
    "players": [{"name": "Anna", "colour": "#c0392b"}, {"name": "Ben", "colour": "#2d6cc0"}],
    "cars": [
        {"name": "Red 1", "owner": "Anna", "brand": "Venus", "primary": "Machine Gun", "secondary": "Harpoon",
         "speed": None},
        {"name": "Blue 1", "owner": "Ben", "brand": "Mule", "primary": "Plinker", "secondary": "Oil",
         "speed": 4},
    ],
    "first": "Ben", "deployment": None, "house": {"armour_groups": [4, 4]},
}  # fmt: skip
"""As a journal from before there were several games holds it."""


class TestOlderJournals:
    def test_a_draft_of_one_game_is_one_of_several(self) -> None:
        draft = draft_of(OLD_DRAFT)
        assert draft.answers == {"first": "Ben", "armour_groups": [4, 4]}
        assert [p.answers.get("speed") for p in draft.pieces] == [None, 4]
        host = MatchHost()
        host.restore([Entry("play.setup", None, "", {"draft": OLD_DRAFT})])
        assert host.draft == draft.model_copy(update={"game": "white_line_fever"})
        done(host.ask(OWNER, Begin(type="begin", key=key())))
        assert state(host)["first"] == "Ben"

    def test_switches_of_one_game_are_those_of_any(self) -> None:
        old = {"dice": "type", "shots": "ask", "moves": "see", "places": "ask"}
        assert Modes.model_validate(old) == Modes(dice="type", questions="ask", moves="ask")


class TestNames:
    """Of players and of what they drive, whatever is typed."""

    def asked(self, players: list[str], pieces: list[str]) -> str | None:
        given = {
            "players": [{"name": name, "colour": "#c0392b"} for name in players],
            "pieces": [{"name": name, "owner": players[0]} for name in pieces],
        }
        return MatchHost().ask(OWNER, SetUp(type="setup", key=key(), draft=Draft.model_validate(given))).error

    @pytest.mark.parametrize(
        "name", ["Zoë 👨\u200d👩\u200d👧", "张三", "דני", "<b> & %s {x}", "O'Neil, Jo and Co", "../x"]
    )
    def test_what_can_be_read_is_a_name(self, name: str) -> None:
        assert self.asked([name, "Ben"], [f"{name} 1"]) is None

    @pytest.mark.parametrize("name", ["Ann\nBen", "Ann\x1b[2J", "\u202eAnn", "Ann\u200b", "Ann\u2028"])
    def test_what_cannot_be_seen_is_no_part_of_one(self, name: str) -> None:
        for told in (self.asked([name, "Ben"], []), self.asked(["Ann", "Ben"], [name])):
            assert "holds what cannot be seen" in str(told)

    @pytest.mark.parametrize(("one", "other"), [("Zoë", "Zoe\u0308"), ("Ann", "ANN"), ("Ann", "Ann\u200b")])
    def test_two_that_look_alike_are_refused(self, one: str, other: str) -> None:
        for told in (self.asked([one, other], []), self.asked(["Ann", "Ben"], [one, other])):
            assert "give one of them another name" in str(told)

    def test_a_name_of_nothing_that_is_seen_is_refused(self) -> None:
        assert "one player has no name" in str(self.asked(["\u200b", "Ben"], []))


class TestAnotherGame:
    """Far Edge, whose players choose in secret how far to go."""

    FOLDER = str(Path(__file__).parents[3] / "samples" / "own-game")
    PIECES: ClassVar = [
        {"name": "Red 1", "owner": "Anna", "answers": {}}, {"name": "Blue 1", "owner": "Ben", "answers": {}}
    ]  # fmt: skip

    @pytest.fixture(autouse=True)
    def _named(self) -> Iterator[None]:
        with games_from(self.FOLDER):
            yield

    def begun(self, keeps: MemoryLog) -> MatchHost:
        host = MatchHost(keeps)
        given = DRAFT.model_dump() | {"game": "far_edge", "pieces": self.PIECES, "answers": {}}
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=Draft.model_validate(given))))
        for who, player in ((ANNA, "Anna"), (BEN, "Ben")):
            done(host.ask(who, Sit(type="sit", key=key(), player=player)))
        done(host.ask(OWNER, Begin(type="begin", key=key())))
        return host

    def test_the_game_of_the_table_file_is_played_unless_another_is_chosen(self) -> None:
        host = MatchHost(game="Far Edge")
        assert (host.game.about.id, host.draft.game) == ("far_edge", "far_edge")
        with pytest.raises(TableRefError, match=r"no game called 'Chess'.*name its folder with --games"):
            MatchHost(game="Chess")

    def test_another_game_forgets_the_answers_to_the_first(self) -> None:
        host = MatchHost()
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
        other = DRAFT.model_copy(update={"game": "far_edge"})
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=other)))
        assert host.game.about.id == "far_edge"
        assert host.draft.answers == {}
        assert [p.answers for p in host.draft.pieces] == [{}] * 4

    def test_what_is_answered_with_the_choice_of_a_game_is_kept(self) -> None:
        host = MatchHost()
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=DRAFT)))
        chosen = DRAFT.model_copy(update={"game": "Far-Edge", "answers": {**DRAFT.answers, "length": 30}})
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=chosen)))
        assert (host.draft.game, host.draft.answers) == ("far_edge", {"length": 30})
        assert not any(p.answers for p in host.draft.pieces)
        # The same game spelled in another way is the same game.
        again = host.draft.model_copy(update={"game": "far edge"})
        done(host.ask(OWNER, SetUp(type="setup", key=key(), draft=again)))
        assert (host.draft.game, host.draft.answers) == ("far_edge", {"length": 30})

    def test_what_is_chosen_in_secret_is_told_when_all_have_chosen(self) -> None:
        keeps = MemoryLog()
        host = self.begun(keeps)
        done(act(host, ANNA, "go", inches=5))
        assert host.match is not None
        assert "5" not in " ".join(e.words for e in host.match.log[1:])
        told = [e for e in keeps.entries if e.kind != SECRET]
        assert "inches" not in str([e.data for e in told])
        done(host.ask(ANNA, Withdraw(type="withdraw", key=key(), group="round 1")))
        done(act(host, ANNA, "go", inches=3))
        again = MatchHost()
        again.restore(keeps.entries)
        for one in (host, again):
            done(act(one, BEN, "go", inches=2))
            assert one.match is not None
            assert [car.gone for car in one.match.state.cars] == [3, 2]

    def test_nobody_takes_back_what_another_chose(self) -> None:
        host = self.begun(MemoryLog())
        done(act(host, ANNA, "go", inches=5))
        answer = host.ask(BEN, Withdraw(type="withdraw", key=key(), group="round 1"))
        assert not answer.accepted


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("    chosen = {player: said", "error"),  # what is done
        ('    """How far each car has gone', "trouble"),  # what is shown
    ],
)
def test_a_game_that_fails_says_where_and_the_table_goes_on(
    line: str, told: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = (Path(TestAnotherGame.FOLDER) / "far_edge.py").read_text("utf-8")
    number = source[: source.index(line)].count("\n") + 1
    broken = source.replace(line, f"    raise KeyError('what somebody chose')\n{line}")
    name = f"fails_in_its_{told}"
    (tmp_path / f"{name}.py").write_text(broken.replace("far_edge", name), "utf-8")
    pieces = [{"name": n, "owner": o, "answers": {}} for n, o in (("RED1", "Anna"), ("BLUE1", "Ben"))]
    with games_from(str(tmp_path)), gaming() as table, table.joined() as owner:
        owner.done(
            type="setup", draft={**TABLE_DRAFT, "game": name, "pieces": pieces, "answers": {"length": 12}}
        )
        owner.done(type="begin")
        answers = [
            owner.ask(type="act", kind="go", player=player, data={"inches": 5 - k})
            for k, player in enumerate(("Anna", "Ben"))
        ]
        words = (
            f"Far Edge failed: KeyError ({name}.py, line {number}). The table goes on; the game can be ended"
        )
        if told == "error":
            assert answers[1]["error"].startswith(words)
        else:
            owner.shows(lambda shown: words in (shown["trouble"] or ""))
        assert "what somebody chose" in caplog.text  # what is secret stands in the log alone
        owner.done(type="anew")
        owner.done(type="setup", draft={"game": "white_line_fever"})
