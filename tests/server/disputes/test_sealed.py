"""The files of a dispute: whole they are intact, and whatever is changed in them is found."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zlib
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.ruling import Ruling
from engine.space.table import TableState
from server.disputes.dispute import AnsweredQuestion, Decision, Dispute
from server.disputes.documents.account import NoAccount, account_of
from server.disputes.documents.html import html_of, page_digest
from server.disputes.documents.pdf import draw_svg, mark_in, pdf_of, plain, size_of
from server.disputes.evidence import Evidence
from server.disputes.recorded.archive import put_away, versions
from server.disputes.sealed.seal import canonical, in_groups, seal_of
from server.disputes.sealed.verify import (
    OTHER_PAGES,
    OTHER_WORDS,
    PUT_BEHIND,
    NotADispute,
    as_record,
    question_in,
    rule_again,
    verify,
)
from server.table.questions.rulings import Rulings
from tests.server.disputes.conftest import RULINGS, about, given
from tests.volume import volume

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
NOW = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)
NOTE = 'Anna said: <b>fair</b> & "square" </script> → Łódź'


@pytest.fixture(scope="module")
def dispute(evidence: Evidence) -> Dispute:
    question = about("BLUE2", "RED1", "Plinker")
    asked = AnsweredQuestion(question, RULINGS.ask(question, evidence.table), "Ben <i>")
    decision = Decision("agreed", "no", given("Anna", "Ben"), NOW, NOTE)
    return Dispute(
        "20260501-201500-ab12", NOW, "Anna", "Kitchen </title>", "White Line Fever 0.9", evidence,
        versions(), (asked,), decision, "g1",
    )  # fmt: skip


@pytest.fixture(scope="module")
def html(dispute: Dispute) -> bytes:
    return html_of(dispute)


@pytest.fixture(scope="module")
def pdf(dispute: Dispute) -> bytes:
    return pdf_of(dispute)


def swapped(file: bytes, old: str, new: str, count: int = 1) -> bytes:
    assert old.encode() in file, old
    return file.replace(old.encode(), new.encode(), count)


class TestHtml:
    def test_is_intact(self, html: bytes, dispute: Dispute) -> None:
        found = verify(html)
        assert found.intact
        assert found.seal == dispute.seal
        assert json.loads(canonical(found.contents)) == json.loads(canonical(dispute.contents()))

    def test_the_same_dispute_gives_the_same_file(self, html: bytes, dispute: Dispute) -> None:
        assert html_of(dispute) == html

    def test_needs_nothing_from_elsewhere_and_runs_nothing(self, html: bytes) -> None:
        seen: list[tuple[str, dict[str, str | None]]] = []

        class Reader(HTMLParser):
            def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
                seen.append((tag, dict(attrs)))

        Reader().feed(html.decode())
        assert [a["type"] for t, a in seen if t == "script"] == ["application/json"]
        assert all(str(a["src"]).startswith("data:image/") for t, a in seen if t == "img")
        assert not [
            t for t, _ in seen if t in ("link", "iframe", "object", "embed", "form", "base", "i", "b")
        ]
        assert not [k for _, a in seen for k in a if k.startswith("on")]

    def test_says_what_people_ask_for(self, html: bytes, dispute: Dispute) -> None:
        text = html.decode()
        for said in (
            "May RED1 shoot at BLUE1 with the Plinker?",
            "White Line Fever 0.9 · Shoot Weapon · Target",
            "blocked by mug",
            "under 0.1 %",
            "Anna and Ben agreed: no.",
            in_groups(dispute.seal),
            "&lt;b&gt;fair&lt;/b&gt; &amp; &#34;square&#34; &lt;/script&gt;",
            "9.600 in",
        ):
            assert said in text, said

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            # A digit that people read.
            ("<td>9.600 in</td>", "<td>9.700 in</td>", "'9.700 in' stands where '9.600 in' was"),
            ("agreed: no.", "agreed: yes.", "agreed: yes."),
            ('"large no">no</div>', '"large yes">yes</div>', "'yes' stands where 'no' was"),
            # A digit of the figures behind them.
            ('"pose":[9.6,', '"pose":[9.7,', "The figures have been changed"),
            ('"verdict":"no"', '"verdict":"yes"', "The figures have been changed"),
            ('"outcome":"no"', '"outcome":"yes"', "The figures have been changed"),
            ('"by":"Anna"', '"by":"Eve"', "The figures have been changed"),
            # What nobody sees.
            ("<style>", "<style>.no{color:green}", "has been changed"),
        ],
    )  # fmt: skip
    def test_a_changed_word_is_found(self, html: bytes, old: str, new: str, told: str) -> None:
        found = verify(swapped(html, old, new))
        assert not found.intact
        assert any(told in said for said in found.changed), found.changed

    def test_what_another_version_wrote_otherwise_is_told_as_that(self, dispute: Dispute) -> None:
        """Its page may differ although nobody changed it: the file alone does not tell."""
        older = replace(dispute, versions={**dispute.versions, "tableref": "0.0.1"})
        assert verify(html_of(older)).intact
        told = verify(swapped(html_of(older), "<style>", "<style>\n")).changed
        assert told[0] == OTHER_PAGES
        assert told[1].startswith("It was sealed by tableref 0.0.1 and is checked by ")

    def test_what_an_older_state_of_a_version_may_have_written_is_no_forgery_for_sure(
        self, html: bytes
    ) -> None:
        """Whoever takes the newest code has the same number for months, and other words on the page."""
        page = verify(swapped(html, "<td>9.600 in</td>", "<td>9.7 in</td>"))
        assert not page.intact
        assert page.changed[-1] == OTHER_WORDS
        sealed = verify(swapped(html, '"verdict":"no"', '"verdict":"yes"'))
        assert OTHER_WORDS not in sealed.changed, "that was changed, whoever wrote it"

    def test_any_byte_at_all(self, html: bytes) -> None:
        random = np.random.default_rng(7)
        for at in random.integers(0, len(html), volume(12, 80)).tolist():
            changed = bytearray(html)
            changed[at] ^= 1
            try:
                assert not verify(bytes(changed)).intact, at
            except (NotADispute, NoAccount):
                continue

    def test_a_changed_pixel_is_found_and_named(self, html: bytes, evidence: Evidence) -> None:
        tag = evidence.picture("tag 1")
        image = cv2.imdecode(np.frombuffer(tag.data, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        image[5, 5] ^= 1
        _, data = cv2.imencode(".png", image)
        old, new = (base64.b64encode(d).decode() for d in (tag.data, bytes(data)))
        found = verify(swapped(html, old, new))
        assert found.changed == (f"The picture 'tag 1' ({tag.words}) has been changed.",)

    def test_swapped_pictures_are_found_and_named(self, html: bytes, evidence: Evidence) -> None:
        one, two = (base64.b64encode(evidence.picture(n).data).decode() for n in ("before 1", "tag 2"))
        text = swapped(swapped(swapped(html, one, "%%", 1), two, one, 1), "%%", two)
        assert [s[:24] for s in verify(text).changed] == [
            "The picture 'before 1' (",
            "The picture 'tag 2' (BLU",
        ]

    def test_a_picture_of_another_dispute_with_its_digest_is_found(
        self, html: bytes, evidence: Evidence
    ) -> None:
        frame, other = evidence.picture("frame"), evidence.picture("before 1")
        text = swapped(html, base64.b64encode(frame.data).decode(), base64.b64encode(other.data).decode())
        text = text.replace(frame.digest.encode(), other.digest.encode())
        assert any("The figures have been changed" in s for s in verify(text).changed)

    def test_a_picture_put_in_or_taken_away_is_found(self, html: bytes) -> None:
        more = swapped(
            html, "</body>", '<img data-name="proof" alt="" src="data:image/png;base64,AAAA"></body>'
        )
        assert "A picture 'proof' has been put in." in verify(more).changed
        less = re.sub(rb'<img data-name="plan"[^>]*>', b"", html)
        assert "The picture 'plan' has been taken away." in verify(less).changed

    @pytest.mark.parametrize(
        ("pattern", "put"),
        [
            (rb'<meta name="tableref-seal"[^>]*>', b""),
            (rb'content="[0-9a-f]{64} ', b'content="'),
            (rb'<script type="application/json".*?</script>', b""),
            (rb'<script type="application/json"', b'<script id="contents">{}</script><script'),
            (rb'id="contents">\{', b'id="contents">{{'),
            (rb'"format":"tableref dispute"', b'"format":"a letter"'),
            (rb'"version":4', b'"version":99'),
            (rb'"checks":\[', b'"chess":['),
            (rb'"id":"2026', b'"id":NaN,"x":"2026'),
        ],
    )  # fmt: skip
    def test_a_file_without_its_seal_or_contents_is_refused(
        self, html: bytes, pattern: bytes, put: bytes
    ) -> None:
        text, times = re.subn(pattern, put, html, count=1, flags=re.DOTALL)
        assert times == 1
        with pytest.raises((NotADispute, NoAccount)):
            verify(text)

    def test_a_forger_who_seals_anew_has_another_seal(self, html: bytes, dispute: Dispute) -> None:
        """Whoever changes everything alike makes a sound file, but not the one that the record knows."""
        decision = dispute.decision
        assert decision is not None
        forged = replace(dispute, decision=replace(decision, outcome="yes"))
        found = verify(html_of(forged))
        assert found.intact
        assert found.seal != dispute.seal

    def test_one_who_only_counts_the_page_anew_is_found(self, html: bytes) -> None:
        stated = mark_of(html)
        changed = swapped(html, '"pose":[9.6,', '"pose":[9.7,')
        changed = changed.replace(stated[1].encode(), page_digest(changed, stated[1]).encode())
        assert any("figures" in s for s in verify(changed).changed)


def mark_of(html: bytes) -> tuple[str, str]:
    found = re.search(rb'tableref-seal" content="([0-9a-f]{64}) ([0-9a-f]{64})', html)
    assert found is not None
    return found[1].decode(), found[2].decode()


class TestPdf:
    def test_is_intact_with_the_same_seal(self, pdf: bytes, dispute: Dispute) -> None:
        found = verify(pdf)
        assert found.changed == ()
        assert found.seal == dispute.seal
        assert json.loads(canonical(found.contents)) == json.loads(canonical(dispute.contents()))

    def test_the_same_dispute_gives_the_same_file(self, pdf: bytes, dispute: Dispute) -> None:
        assert pdf_of(dispute) == pdf

    def test_has_every_photograph_where_two_files_show_the_very_same(self, evidence: Evidence) -> None:
        """Of pictures of a covered camera the pages held one: the PDF of a dispute was told as changed."""
        black = np.zeros((48, 64, 3), np.uint8)
        files = [bytes(cv2.imencode(".jpg", black, [cv2.IMWRITE_JPEG_QUALITY, q])[1]) for q in (80, 95)]
        photographs = [p for p in evidence.pictures if p.media == "image/jpeg"]
        assert len(photographs) > 2
        dark = {p.name: replace(p, data=files[k > 0]) for k, p in enumerate(photographs)}
        pictures = tuple(dark.get(p.name, p) for p in evidence.pictures)
        dispute = Dispute(
            "20260501-201500-ab12", NOW, "Anna", "Kitchen", "White Line Fever 0.9",
            replace(evidence, pictures=pictures), versions(), (), None, "g1",
        )  # fmt: skip
        found = verify(pdf_of(dispute))
        assert found.changed == ()
        assert {found.pictures[p.digest] for p in dark.values()} == set(files)

    def test_can_be_read_by_others(self, pdf: bytes, dispute: Dispute) -> None:
        document = pypdfium2.PdfDocument(pdf)
        text = "\n".join(page.get_textpage().get_text_range() for page in document)
        for said in ("May RED1 shoot at BLUE1 with the Plinker?", "blocked by mug", in_groups(dispute.seal)):
            assert said in text
        files = [document.get_attachment(k) for k in range(document.count_attachments())]
        (attached,) = [file for file in files if file.get_name() == "dispute.json"]
        assert seal_of(bytes(attached.get_data())) == dispute.seal
        shown = document[0].render(scale=0.5).to_numpy()
        assert len(np.unique(shown.reshape(-1, shown.shape[-1]), axis=0)) > 500

    def test_any_byte_at_all(self, pdf: bytes) -> None:
        random = np.random.default_rng(7)
        for at in random.integers(0, len(pdf), volume(16, 120)).tolist():
            changed = bytearray(pdf)
            changed[at] ^= 1
            try:
                assert not verify(bytes(changed)).intact, at
            except (NotADispute, NoAccount):
                continue

    def test_a_changed_photograph_is_named(self, pdf: bytes, evidence: Evidence) -> None:
        coded = base64.a85encode(evidence.picture("frame").data)[200:260]
        flat = pdf.replace(b"\n", b"")
        assert coded in flat or evidence.picture("frame").data in pdf
        for head in re.finditer(rb"/DCTDecode.*?stream\r?\n", pdf, flags=re.DOTALL):
            changed = bytearray(pdf)
            changed[head.end() + 300] = ord("!") if changed[head.end() + 300] != ord("!") else ord('"')
            found = verify(bytes(changed))
            assert any("has been changed" in s and "The picture" in s for s in found.changed), found.changed

    def test_changed_pages_are_found(self, pdf: bytes) -> None:
        changed = pdf.replace(b"/Rotate 0", b"/Rotate 9", 1)
        assert changed != pdf
        assert verify(changed).changed == (OTHER_PAGES,)

    def test_pages_put_behind_the_sealed_ones_are_found(self, pdf: bytes) -> None:
        """An incremental update: its own page tree, and everything that was sealed still there."""
        put = (
            b"9000 0 obj<</Type/Catalog/Pages 9001 0 R>>endobj "
            b"9001 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
            b"trailer<</Root 9000 0 R/Size 9002>>startxref 0 %%EOF\n"
        )
        assert verify(pdf + put).changed == (PUT_BEHIND,)
        assert verify(redigested(pdf + put)).changed == (OTHER_PAGES,)

    def test_replaced_pages_are_found(self, dispute: Dispute, pdf: bytes) -> None:
        """Every page of another dispute over the contents and photographs of this one."""
        decision = Decision("overruled", "yes", given("Anna", "Ben"), NOW, NOTE)
        forged, sealed = pdf_of(replace(dispute, decision=decision)), canonical(dispute.contents())
        begun = next(m for m in re.finditer(rb"/EmbeddedFile.*?stream\r?\n", forged, flags=re.DOTALL))
        length = int(re.findall(rb"/Length (\d+)", forged[: begun.end()])[-1])
        put = zlib.compress(sealed)
        forged = forged[: begun.end()] + put + forged[begun.end() + length :]
        head = forged[: begun.end()].rfind(b"/Length")
        forged = forged[:head] + forged[head:].replace(b"/Length %d" % length, b"/Length %d" % len(put), 1)
        before, now = mark_in(forged), mark_in(pdf)
        assert before is not None
        assert now is not None
        forged = redigested(forged.replace(before[0].encode(), now[0].encode()))
        assert verify(forged).seal == dispute.seal
        assert verify(forged).changed == (OTHER_PAGES,)

    def test_without_its_seal_it_is_refused(self, pdf: bytes) -> None:
        assert mark_in(pdf) is not None
        with pytest.raises(NotADispute, match="no seal"):
            verify(pdf.replace(b"tableref-seal", b"tableref-meal"))

    def test_letters_that_the_font_lacks_are_written_otherwise(self) -> None:
        assert plain("0.20″ → Łódź ±") == '0.20" -> Łódz ±'
        assert plain("Жанна against Πέτρος") == "Zhanna against Petros"
        assert plain("水 🚗 \ue000") == "Shui :red_car: ?"


def redigested(file: bytes) -> bytes:
    """The file with its own digest taken anew, as whoever forges it can."""
    mark = mark_in(file) if file.startswith(b"%PDF") else mark_of(file)
    assert mark is not None
    return file.replace(mark[1].encode(), page_digest(file, mark[1]).encode(), 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("agreed: no.", "agreed: yes."),
        ('"large no">no</div>', '"large yes">yes</div>'),
        ("<td>9.600 in</td>", "<td>9.700 in</td>"),
        # Hidden, covered, written over by styles; put in by a script; told by an attribute.
        ("</style>", ".large{font-size:0}.large::after{content:'yes';font-size:2rem}</style>"),
        ("</style>", "</style><style>dl{display:none}</style>"),
        ("</body>", '<div style="position:fixed;inset:0;background:#fff">yes</div></body>'),
        ("</body>", "<script>document.title='yes'</script></body>"),
        ("<h1>", '<h1 hidden>'),
        ('data-label="Answer"', 'data-label="yes"'),
        ('alt="', 'style="opacity:0" alt="'),
        ('<html lang="en">', '<html lang="en" style="filter:invert(1)">'),
        ("<!doctype html>", "<!doctype html><!-- -->"),
        # The parser that checks and the one that shows must not differ.
        ("<title>", "<title><!-- "),
        ('id="contents">', 'id="contents" src="//evil.example/x.js">'),
        ("</html>", "</html><p>yes"),
        # The same contents, written otherwise.
        ('"verdict":"no"', '"verdict": "no"'),
        ("\n<h2>", "\r\n<h2>"),
    ],
)  # fmt: skip
def test_what_is_shown_is_what_is_sealed(html: bytes, old: str, new: str) -> None:
    """Also where whoever forges it takes the digest of the page anew."""
    try:
        assert not verify(redigested(swapped(html, old, new))).intact
    except NotADispute:
        return


def test_a_picture_shown_twice_or_in_another_place_is_found(html: bytes, evidence: Evidence) -> None:
    plan = re.search(rb'<img data-name="plan"[^>]*>', html)
    assert plan is not None
    twice = html.replace(b"</h1>", b"</h1>" + plan[0])
    assert not verify(redigested(twice)).intact
    frame = html.replace(b'data-name="frame"', b'data-name="%"').replace(b'"before 1"', b'"frame"')
    assert not verify(redigested(frame.replace(b'"%"', b'"before 1"'))).intact


class TestOtherFiles:
    @pytest.mark.parametrize(
        "file", [b"", b"hello", b"%PDF-1.4 nothing", b"<!doctype html><html></html>", b"\xff\xd8\xff"]
    )
    def test_are_refused_with_a_sentence(self, file: bytes) -> None:
        with pytest.raises(NotADispute):
            verify(file)


class TestRuledAgain:
    def test_the_same_by_todays_engine(self, html: bytes) -> None:
        assert rule_again(verify(html).contents, RULINGS) == ()

    def test_says_what_is_ruled_otherwise(self, html: bytes) -> None:
        class Other(Rulings):
            def ask(self, question: Question, table: TableState) -> Ruling:
                return super().ask(about(*question.pieces, "Shadowblaster"), table)

        said = " ".join(rule_again(verify(html).contents, Other.by_book(None)))
        assert "May RED1 shoot at BLUE1 with the Plinker? Line of Sight was no" in said
        assert "May BLUE2 shoot at RED1" in said

    def test_a_file_of_before_the_contract_too(self) -> None:
        """Sealed when only shots could be disputed: it opens, is intact, and comes out as it did."""
        found = verify((GOLDEN / "disputes" / "before-the-contract.html").read_bytes())
        assert found.intact
        assert found.contents["version"] == 1
        rows = [found.contents["evidence"], *found.contents["asked"]]
        assert [(question_in(r).pieces, question_in(r).label) for r in rows] == [
            (("RED1", "BLUE1"), "Plinker"),
            (("BLUE2", "RED1"), "Railgun"),
        ]
        assert rule_again(found.contents, RULINGS) == ()

    def test_a_broken_table_is_refused(self, html: bytes) -> None:
        contents = json.loads(canonical(verify(html).contents))
        contents["evidence"]["table"]["pieces"][0]["height_in"] = "high"
        with pytest.raises(TableRefError, match="expected a table"):
            rule_again(contents, RULINGS)

    @pytest.mark.parametrize("height", [1e300, -1e300])
    def test_a_table_beyond_all_measure_is_refused_or_ruled(self, html: bytes, height: float) -> None:
        contents = json.loads(canonical(verify(html).contents))
        for piece in contents["evidence"]["table"]["pieces"]:
            for corner in piece.get("tyres_in") or ():
                corner[1] = height
        with suppress(NotADispute):
            assert all(isinstance(words, str) for words in rule_again(contents, RULINGS))


def test_the_result_as_a_record(html: bytes) -> None:
    record = as_record(verify(html))
    assert record["intact"] is True
    assert record["decision"]["outcome"] == "no"
    assert json.loads(json.dumps(record)) == record


def test_an_account_of_something_else_is_refused() -> None:
    with pytest.raises(NoAccount, match="expected the contents of a dispute"):
        account_of({"format": "a shopping list"})


def test_a_number_without_a_unit_is_told_by_the_words_alone(dispute: Dispute) -> None:
    contents = json.loads(canonical(dispute.contents()))
    contents["evidence"]["ruling"]["checks"][0]["unit"] = ""
    bare, *rest = account_of(contents).checks
    assert (bare.measured, bare.margin) == ("–", "–")
    assert all(" against " in line.measured for line in rest)


def test_is_put_away_whole(dispute: Dispute, tmp_path: Path) -> None:
    file = put_away(dispute, tmp_path / "games" / "g1")
    assert verify(file.read_bytes()).intact
    assert [p.name for p in file.parent.iterdir()] == [f"{dispute.id}.html"]
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TableRefError, match="cannot make the folder"):
        put_away(dispute, tmp_path / "file" / "g1")


def test_the_digest_is_over_the_very_bytes_that_the_formats_say(html: bytes) -> None:
    """docs/formats.md: anybody can check it with other means."""
    text = html.decode()
    contents = re.search(r'<script type="application/json" id="contents">(.*?)</script>', text, re.DOTALL)
    assert contents is not None
    data = json.loads(contents[1])
    compact = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    seal, page = mark_of(html)
    assert hashlib.sha256(compact).hexdigest() == seal
    assert hashlib.sha256(html.replace(page.encode(), b"0" * 64)).hexdigest() == page


# Drawings on a PDF page


BOX = '<rect x="0" y="0" width="100" height="60" fill="#222222"/>'
NAME = (
    '<text x="50" y="40" font-size="30" text-anchor="middle" fill="#111111" stroke="#ffffff" '
    'stroke-width="8" paint-order="stroke">Red</text>'
)
DASHED = (
    '<polyline points="0,55 100,55" fill="none" stroke="#ff0000" stroke-width="2" stroke-dasharray="1 4"/>'
)


def drawn(*shapes: str, width: float = 200.0) -> npt.NDArray[np.uint8]:
    """A page of 300 x 200 points with the drawing at its lower left corner, a pixel a point."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(300, 200))
    draw_svg(canvas, svg(*shapes), width, "Helvetica")
    canvas.save()
    page = pypdfium2.PdfDocument(out.getvalue())[0]
    return np.asarray(page.render(scale=1).to_pil().convert("RGB"))


def svg(*shapes: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60">{"".join(shapes)}</svg>'.encode()


def test_it_is_as_wide_as_wanted_and_cut_off_at_its_edge() -> None:
    assert size_of(svg()) == (100.0, 60.0)
    page = drawn('<circle cx="95" cy="30" r="20" fill="#0000ff"/>')
    blue = (page == (0, 0, 255)).all(axis=2)
    assert blue[140, 190]
    assert not blue[:, 202:].any()


def test_a_name_on_a_dark_piece_has_a_whole_rim() -> None:
    page = drawn(BOX, NAME)
    assert (page[80:200, :200] > 250).all(axis=2).sum() > 1000
    after_a_dashed_line = drawn(BOX, DASHED, NAME)
    assert (after_a_dashed_line[80:180] == page[80:180]).all()


def test_what_it_cannot_draw_is_refused() -> None:
    with pytest.raises(TableRefError, match="which cannot be put on a PDF page"):
        drawn('<ellipse cx="1" cy="1" rx="1" ry="2"/>')
