"""Maps of one's own are kept by their names, refused with what is wrong, and printed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pypdfium2
import pytest
from typer.testing import CliRunner

from engine.game.registry import game_called
from server.commands.cli import app
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.setup.kept_tables import TablesError
from server.setup.laying import LaidMaps, laying_router
from server.table.questions.rulings import Rulings
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll

GAME = "frothy_races"
OVAL = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"


@dataclass
class Served:
    """A served page that lays maps, and how often others were told."""

    maps: LaidMaps
    url: str = ""
    told: list[int] = field(default_factory=list)


@contextmanager
def served(folder: Path, game: str = GAME) -> Iterator[Served]:
    source = HandMoved()
    one = Served(LaidMaps(folder))
    live = Runner(source, KnowsAll(source, 0.01))
    about = game_called(game).about
    routers = [laying_router(one.maps, lambda: about, lambda: one.told.append(1))]
    with PageServer(live, Rulings.by_book(None), listen(port=0), routers=routers) as server:
        one.url = server.address
        yield one


def test_they_are_kept_by_game_and_name(tmp_path: Path) -> None:
    maps = LaidMaps(tmp_path)
    maps.keep(GAME, OVAL)
    maps.keep(GAME, "Monday: straight")
    maps.keep(GAME, "sunday: straight")
    maps.keep("another", OVAL)
    assert LaidMaps(tmp_path).texts(GAME) == ("Monday: straight", "sunday: straight")
    maps.remove(GAME, "SUNDAY")
    assert maps.texts(GAME) == ("Monday: straight",)
    assert maps.texts("another") == (OVAL,)
    assert maps.texts("a third") == ()


@pytest.mark.parametrize("content", ["{", "[]", '{"frothy_races": [1]}', '{"frothy_races": "x"}'])
def test_a_file_that_is_none_is_refused_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    (tmp_path / "maps.json").write_text(content)
    maps = LaidMaps(tmp_path)
    for deed in (lambda: maps.texts(GAME), lambda: maps.keep(GAME, OVAL)):
        with pytest.raises(TablesError, match="mend it or take it away"):
            deed()
    assert maps.offered(GAME) == ()
    assert (tmp_path / "maps.json").read_text() == content


def test_a_map_is_looked_at_kept_printed_and_removed(tmp_path: Path) -> None:
    with served(tmp_path) as one, httpx.Client(base_url=one.url, timeout=PATIENCE) as page:
        first = page.get("api/lay").json()
        assert first["title"] == "Frothy Races"
        assert "left bend" in first["pieces"]
        assert first["kept"] == []
        look = page.get("api/lay/look", params={"text": f"{OVAL}; hazard 1.5"}).json()
        assert look["wrong"] == []
        assert [c["name"] for c in look["cells"] if c["words"] == "hazard"] == ["1.5"]
        assert len(look["cells"]) == len({c["name"] for c in look["cells"]}) > 100
        refused = page.post("api/lay", json={"text": "Monday: straight"})
        assert refused.status_code == 422
        assert "it turns by 0°" in refused.json()["error"]
        assert one.told == []
        kept = page.post("api/lay", json={"text": OVAL})
        assert kept.json()["kept"] == [{"name": "Sunday", "text": OVAL}]
        assert one.told == [1]
        pdf = page.get("api/lay/map.pdf", params={"text": OVAL})
        assert len(pypdfium2.PdfDocument(io.BytesIO(pdf.content))) > 4
        assert page.get("api/lay/map.pdf", params={"text": "Monday:"}).status_code == 422
        assert page.delete("api/lay/Sunday").json()["kept"] == []


def test_single_cells_are_laid_and_what_is_wrong_with_that_is_refused(tmp_path: Path) -> None:
    with served(tmp_path) as one, httpx.Client(base_url=one.url, timeout=PATIENCE) as page:

        def look(text: str, **more: str) -> httpx.Response:
            return page.get("api/lay/look", params={"text": text, **more})

        first = page.get("api/lay").json()
        (free,) = (tap["id"] for tap in first["taps"] if tap["free"])
        before = look(OVAL).json()
        assert before["text"].startswith("Sunday: 2 short straight")
        (beside,) = (cell for cell in before["free"] if cell["id"] == "3,-4")
        after = look(OVAL, put=free, cells=beside["id"]).json()
        assert beside["id"] in {c["id"] for c in after["cells"]}
        assert len(after["cells"]) == len(before["cells"]) + 1
        assert after["wrong"] == []
        assert "a lap is" in after["notes"][0]
        back = look(after["text"], put=free, cells=beside["id"]).json()
        assert back["text"] == before["text"]
        turned = look(after["text"], put=first["deeds"][0]["id"]).json()
        assert "driven clockwise" in turned["notes"][0]
        assert look(first["empty"]).json()["cells"] == []
        for put, cells, words in (("tree", "1,1", "expected one of hex"), (free, "1;1", "no hex '1;1'")):
            refused = look(OVAL, put=put, cells=cells)
            assert refused.status_code == 422
            assert words in refused.json()["error"]
        kept = page.post("api/lay", json={"text": after["text"]}).json()["kept"]
        assert kept == [{"name": "Sunday", "text": after["text"]}]
        gone = look("Sunday: 2 straight, start grid; hazard 1.40")
        assert "left out: no hex '1.40'" in gone.json()["notes"][0]
        assert "hazard" not in gone.json()["text"]


def test_a_game_that_lays_none_says_so(tmp_path: Path) -> None:
    with served(tmp_path, "battlecars") as one:
        answer = httpx.get(f"{one.url}api/lay")
    assert answer.status_code == 404
    assert "Battlecars has no maps that are laid from pieces" in answer.json()["error"]


def test_the_command_prints_it_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEREF_TABLES", str(tmp_path))
    LaidMaps().keep(GAME, OVAL)
    ask = ["print", "map", "--game", "frothy races"]
    assert "--map Sunday: Sunday, laid here" in CliRunner().invoke(app, ask).output
    out = tmp_path / "map.pdf"
    CliRunner().invoke(app, [*ask, "--map", "Sunday", "--out", str(out)], catch_exceptions=False)
    assert len(pypdfium2.PdfDocument(out)) > 4


def test_the_command_prints_one_with_single_hexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEREF_TABLES", str(tmp_path))
    LaidMaps().keep(GAME, f"{OVAL}; added 3,-4; hazard 3,-4")
    out = tmp_path / "map.pdf"
    ask = ["print", "map", "--game", "frothy races", "--map", "Sunday", "--out", str(out)]
    CliRunner().invoke(app, ask, catch_exceptions=False)
    words = "".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(out))
    assert "5.1" in words, "the hex that was laid by hand, the only one of a fifth lane"
    assert "hazard" in words
