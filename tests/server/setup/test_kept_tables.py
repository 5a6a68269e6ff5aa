"""Tables that are kept, and those of other evenings."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from calibration.lens.files import write_lens
from calibration.tablefile import TableFileError, load_table
from server.commands.cli import app
from server.pipeline.opening import Choice
from server.setup.kept_tables import FIRST_NAME, KeptTables, OtherTables, TablesError
from vision.source import CameraWish


@pytest.fixture
def tables(tmp_path: Path) -> KeptTables:
    return KeptTables(tmp_path / "kept")


@pytest.fixture
def sample(samples: Path) -> Path:
    return samples / "opening-round" / "table.toml"


def test_the_first_table_is_named_before_it_is_written(tables: KeptTables) -> None:
    assert tables.all() == ()
    assert tables.current().name == FIRST_NAME
    assert not tables.current().written
    assert not tables.folder.exists()


def test_what_was_used_last_is_gone_on_with(tables: KeptTables, sample: Path) -> None:
    tables.bring_in(sample, "Attic")
    kitchen = tables.bring_in(sample, "Kitchen")
    tables.use(kitchen)
    choice = Choice("2", fps=60.0, wish=CameraWish(size=None, fps=60.0, focus="lock", exposure=-6.0))
    tables.watched(choice)
    again = KeptTables(tables.folder)
    assert again.current() == kitchen
    assert again.last().choice == choice
    again.delete(kitchen)
    assert [t.name for t in again.all()] == ["Attic"]
    assert again.current().name == FIRST_NAME
    (tables.folder / "last.json").write_text("{", encoding="utf-8")
    assert again.last().choice is None


def test_a_table_goes_out_as_one_file_and_comes_back(
    tables: KeptTables, sample: Path, tmp_path: Path
) -> None:
    (tmp_path / "from").mkdir()
    named = tmp_path / "from" / "table.toml"
    text = sample.read_text(encoding="utf-8")
    inside = text[text.index("[camera") : text.index("[[corner]]")]
    named.write_text(text.replace(inside, '[camera]\nlens = "lens.json"\n\n'), encoding="utf-8")
    lens = load_table(sample).lens
    assert lens is not None
    write_lens(lens, named.with_name("lens.json"))
    kept = tables.bring_in(named)
    assert kept.name == "Opening round"
    out = tmp_path / "out.toml"
    tables.hand_out(kept, out)
    there, back = load_table(named), load_table(out)
    assert there.lens is not None
    assert back.lens is not None
    assert (back.lens.K == there.lens.K).all()
    assert [p.name for p in back.pieces] == [p.name for p in there.pieces]
    # A copy is as its original, but for what it is called.
    called, copied = 'name = "Opening round"', tables.copy(kept, "Copy").file.read_text(encoding="utf-8")
    assert copied == kept.file.read_text(encoding="utf-8").replace(called, 'name = "Copy"', 1)


def test_what_cannot_be_is_said(tables: KeptTables, sample: Path, tmp_path: Path) -> None:
    tables.bring_in(sample, "Attic")
    with pytest.raises(TablesError, match="called 'Attic' already"):
        tables.new("Attic")
    for name in ("../up", "a/b", " ", "x" * 41):
        with pytest.raises(TablesError, match="letters, digits"):
            tables.new(name)
    with pytest.raises(TablesError, match="there are: Attic"):
        tables.find("Cellar")
    broken = tmp_path / "broken.toml"
    broken.write_text("format = 1\n", encoding="utf-8")
    with pytest.raises(TableFileError, match="surface"):
        tables.bring_in(broken)
    assert [t.name for t in tables.all()] == ["Attic"]
    assert tables.find("attic").name == "Attic"


@pytest.fixture
def others(tmp_path: Path, samples: Path) -> KeptTables:
    kept = KeptTables(tmp_path / "kept")
    kept.bring_in(samples / "opening-round" / "table.toml", "Attic")
    return kept


def test_a_tag_is_told_as_what_it_is_on_another_table(others: KeptTables) -> None:
    told, garage = OtherTables(others), others.new("Garage")
    (words,) = told.words([("tag36h11", 11), ("tag36h11", 10), ("tag36h11", 99)], garage.file)
    assert words.startswith("On the table Attic, kept on this computer, tag 10 is Red 1, tag 11 is Red 2: ")
    assert told.words([("tag36h11", 99)], garage.file) == []
    attic = others.find("Attic")
    assert told.words([("tag36h11", 10)], attic.file) == [], "its own pieces are no other table's"


def test_a_changed_file_is_read_again_and_a_broken_one_says_nothing(others: KeptTables) -> None:
    others, file = OtherTables(others), others.find("Attic").file
    assert "Red 1" in others.words([("tag36h11", 10)], None)[0]
    file.write_text(file.read_text().replace('"Red 1"', '"Ruby"'))
    assert "Ruby" in others.words([("tag36h11", 10)], None)[0]
    file.write_text("format = ")
    assert others.words([("tag36h11", 10)], None) == []


def test_doctor_tells_it(
    others: KeptTables, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLEREF_TABLES", str(others.folder))
    text = (samples / "opening-round" / "table.toml").read_text()
    bare = tmp_path / "table.toml"
    bare.write_text(text[: text.index("# sedan")])
    clip = samples / "opening-round" / "opening-round.mp4"
    asked = ["doctor", "--source", str(clip), "--table", str(bare), "--pictures", "1"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 1
    assert "On the table Attic, kept on this computer, tag 10 is Red 1" in done.output


@pytest.mark.parametrize("lens", ["/etc/hostname", "../lens.json", "/dev/zero", "link.json"])
def test_a_table_from_elsewhere_does_not_choose_what_is_read(
    tables: KeptTables, sample: Path, tmp_path: Path, lens: str
) -> None:
    here = tmp_path / "from"
    here.mkdir()
    file = here / "table.toml"
    text = sample.read_text(encoding="utf-8")
    inside = text[text.index("[camera") : text.index("[[corner]]")]
    file.write_text(text.replace(inside, f'[camera]\nlens = "{lens}"\n\n'), encoding="utf-8")
    there = load_table(sample).lens
    assert there is not None
    write_lens(there, tmp_path / "lens.json")
    (here / "link.json").symlink_to(tmp_path / "lens.json")
    with pytest.raises(TablesError, match="put it beside"):
        tables.bring_in(file)
    assert tables.all() == ()
