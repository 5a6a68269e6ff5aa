"""A dispute as a sealed PDF: the same account, the pictures, and the contents inside as an attachment."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape

import reportlab
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from calibration.prints.paper import spelled
from engine.errors import TableRefError
from server.disputes.dispute import Dispute
from server.disputes.documents.account import Account, Contents, account_of, pictures_listed
from server.disputes.documents.html import BLANK, page_digest
from server.disputes.sealed.seal import canonical, in_groups, seal_of

_SVG = "{http://www.w3.org/2000/svg}"


Say = Callable[[str], str]


def draw_svg(canvas: Canvas, svg: bytes, width: float, font: str, say: Say = str) -> None:
    """Draws with its lower left corner at the origin, so wide in points; `say` puts words into the font."""
    root = ET.fromstring(svg)
    across, down = float(root.attrib["width"]), float(root.attrib["height"])
    canvas.saveState()
    clip = canvas.beginPath()
    scale = width / across
    clip.rect(0, 0, width, down * scale)
    canvas.clipPath(clip, stroke=0, fill=0)
    canvas.scale(scale, scale)
    for node in root:
        name = node.tag.removeprefix(_SVG)
        if name != "title":
            if name == "text":
                node.text = say(node.text or "")
            _DRAW.get(name, _unknown)(canvas, node, across, down, font)
    canvas.restoreState()


def size_of(svg: bytes) -> tuple[float, float]:
    """Width and height as the drawing states them."""
    root = ET.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


def _colour(text: str, opacity: float = 1.0) -> Color | None:
    if text == "none":
        return None
    colour = HexColor(text)
    return Color(colour.red, colour.green, colour.blue, alpha=opacity)


def _paint(canvas: Canvas, node: ET.Element) -> tuple[int, int]:
    """Sets colours and line; whether there is a line, and a filling."""
    fill = _colour(node.attrib.get("fill", "none"), float(node.attrib.get("fill-opacity", "1")))
    line = _colour(node.attrib.get("stroke", "none"))
    if fill is not None:
        canvas.setFillColor(fill)
    if line is not None:
        canvas.setStrokeColor(line)
        canvas.setLineWidth(float(node.attrib.get("stroke-width", "1")))
        canvas.setLineJoin(1)
        dash = node.attrib.get("stroke-dasharray")
        canvas.setDash([float(v) for v in dash.split()] if dash else [])
    return int(line is not None), int(fill is not None)


def _rect(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del font
    _, fill = _paint(canvas, node)
    canvas.rect(0, 0, across, down, stroke=0, fill=fill)


def _way(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del across, font
    points = [tuple(map(float, pair.split(","))) for pair in node.attrib["points"].split()]
    if len(points) < 2:
        return
    path = canvas.beginPath()
    path.moveTo(points[0][0], down - points[0][1])
    for px, py in points[1:]:
        path.lineTo(px, down - py)
    if node.tag.endswith("polygon"):
        path.close()
    line, fill = _paint(canvas, node)
    canvas.drawPath(path, stroke=line, fill=fill)


def _circle(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del across, font
    _, fill = _paint(canvas, node)
    cx, cy, r = (float(node.attrib[k]) for k in ("cx", "cy", "r"))
    canvas.circle(cx, down - cy, r, stroke=0, fill=fill)


def _text(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del across
    x, y, size = (float(node.attrib[k]) for k in ("x", "y", "font-size"))
    words = node.text or ""
    wide = canvas.stringWidth(words, font, size)
    x -= {"start": 0.0, "middle": wide / 2, "end": wide}[node.attrib.get("text-anchor", "start")]
    # The rim first, then the letters over it.
    passes: list[tuple[str, Literal[0, 1]]] = [(node.attrib["stroke"], 1)] if "stroke" in node.attrib else []
    for colour, mode in [*passes, (node.attrib["fill"], 0)]:
        # What a text object sets lasts beyond it.
        canvas.saveState()
        text = canvas.beginText(x, down - y)
        text.setFont(font, size)
        text.setTextRenderMode(mode)
        text.setFillColor(HexColor(colour))
        text.setStrokeColor(HexColor(colour))
        canvas.setLineWidth(float(node.attrib.get("stroke-width", "1")))
        canvas.setLineJoin(1)
        canvas.setDash([])
        text.textOut(words)
        canvas.drawText(text)
        canvas.restoreState()


def _unknown(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del canvas, across, down, font
    raise TableRefError(f"a drawing holds <{node.tag}>, which cannot be put on a PDF page")


_DRAW = {"rect": _rect, "polygon": _way, "polyline": _way, "circle": _circle, "text": _text}


# The sealed file

ATTACHED = "dispute.json"
MARK = "tableref-seal"
SUFFIX = {"image/svg+xml": ".svg", "image/png": ".png", "image/jpeg": ".jpg"}

FONT, BOLD, ITALIC = "Vera", "VeraBd", "VeraIt"
INK, SOFT, LINE = HexColor("#1e2529"), HexColor("#566067"), HexColor("#d9d3c5")
TONES = {"yes": "#14703d", "no": "#ab2a22", "too close to call": "#7f5600"}
MARGIN = 18 * mm
WIDTH = A4[0] - 36 * mm - 12
"""Points across between the margins; the frame takes six on either side."""

_LONG_WORD = re.compile(r"\S{80}(?=\S)")
"""So much of a word stands on its own: what lays out the pages breaks longer ones letter by letter."""


@lru_cache(maxsize=1)
def _letters() -> Mapping[int, int]:
    """The letters that the fonts have, which reportlab brings along."""
    folder = Path(reportlab.__file__).parent / "fonts"
    for name in (FONT, BOLD, ITALIC):
        pdfmetrics.registerFont(TTFont(name, str(folder / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(FONT, normal=FONT, bold=BOLD, italic=ITALIC, boldItalic=BOLD)
    letters: Mapping[int, int] = pdfmetrics.getFont(FONT).face.charToGlyph  # type: ignore[attr-defined]
    return letters


def plain(text: str) -> str:
    """The text in letters that the font has, see `spelled`; what is too long for a line may be broken."""
    known = _letters()
    return _LONG_WORD.sub(r"\g<0> ", spelled(text, lambda letter: ord(letter) in known))


def pdf_of(dispute: Dispute) -> bytes:
    """The PDF of a dispute. The same dispute gives the same file."""
    pictures = {p.digest: p.data for p in dispute.evidence.pictures}
    return render(dispute.contents(), pictures, dispute.signature)


def render(contents: Contents, pictures: Mapping[str, bytes], signature: str = "") -> bytes:
    """The PDF of sealed contents, with the pictures by their digests, and the signature of their seal."""
    _letters()
    account, sealed = account_of(contents), canonical(contents)
    seal, out = seal_of(sealed), io.BytesIO()
    keywords = [f"{MARK} {seal} {BLANK} {signature}".rstrip()]
    document = pages_in(out, f"Dispute: {account.title}", keywords=keywords)
    listed = [(dict(p), pictures[p["sha256"]]) for p in pictures_listed(contents)]
    foot = foot_of(f"Seal {in_groups(seal)}", 6.5)

    # With every picture that the pages hold in another form: so the pages can be made anew from the file.
    other = _drawn_alike(data for p, data in listed if p["media"] == "image/jpeg")
    held = {
        p["name"] + SUFFIX[p["media"]]: data
        for p, data in listed
        if p["media"] != "image/jpeg" or data in other
    }

    def first(canvas: Canvas, doc: Any) -> None:
        attach(canvas, {ATTACHED: sealed} | held)
        foot(canvas, doc)

    document.build(_story(account, listed, seal), onFirstPage=first, onLaterPages=foot)
    file = out.getvalue()
    return file.replace(BLANK.encode(), page_digest(file, BLANK).encode(), 1)


def _drawn_alike(photographs: Iterable[bytes]) -> set[bytes]:
    """Those of which reportlab keeps but one: other files that show the very same, as dark pictures do."""
    drawn = {data: _shows(data) for data in photographs}
    shown = Counter(drawn.values())
    return {data for data, what in drawn.items() if shown[what] > 1}


def _shows(photograph: bytes) -> bytes:
    """A digest of its pixels."""
    return sha256(ImageReader(io.BytesIO(photograph)).getRGBData()).digest()  # type: ignore[no-untyped-call]


def attach(canvas: Canvas, files: Mapping[str, bytes]) -> None:
    """Puts files into the PDF, where readers list them as attachments."""
    document = canvas._doc  # type: ignore[attr-defined]
    named: list[Any] = []
    for name, data in sorted(files.items()):
        stream = pdfdoc.PDFStream(
            pdfdoc.PDFDictionary({"Type": pdfdoc.PDFName("EmbeddedFile")}),
            data,
            filters=[pdfdoc.PDFZCompress],
        )
        held = pdfdoc.PDFDictionary({"F": document.Reference(stream)})
        spec = pdfdoc.PDFDictionary(
            {
                "Type": pdfdoc.PDFName("Filespec"),
                "F": pdfdoc.PDFString(name),
                "UF": pdfdoc.PDFString(name),
                "EF": held,
            }
        )
        named += [pdfdoc.PDFString(name), document.Reference(spec)]
    names = pdfdoc.PDFDictionary({"Names": pdfdoc.PDFArray(named)})
    document.Catalog.Names = pdfdoc.PDFDictionary({"EmbeddedFiles": names})


def pages_in(out: io.BytesIO, title: str, **more: Any) -> SimpleDocTemplate:
    """A document of A4 pages that is written there; the same contents give the same file."""
    return SimpleDocTemplate(
        out, pagesize=A4, leftMargin=MARGIN, rightMargin=MARGIN, topMargin=16 * mm, bottomMargin=18 * mm,
        title=plain(title), author="tableref", invariant=1, pageCompression=1, **more,
    )  # fmt: skip


def foot_of(words: str, size: float) -> Callable[[Canvas, Any], None]:
    """What draws the foot of a page: the words, and its number."""

    def draw(canvas: Canvas, doc: Any) -> None:
        canvas.saveState()
        canvas.setFont(FONT, size)
        canvas.setFillColor(SOFT)
        canvas.drawString(MARGIN, 10 * mm, words)
        canvas.drawRightString(A4[0] - MARGIN, 10 * mm, f"page {doc.page}")
        canvas.restoreState()

    return draw


# The pages

BODY = ParagraphStyle("body", fontName=FONT, fontSize=9, leading=12.5, textColor=INK)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=7.5, leading=10, textColor=SOFT)
_TITLE = ParagraphStyle("title", parent=BODY, fontName=BOLD, fontSize=16, leading=20, spaceAfter=4)
_HEAD = ParagraphStyle(
    "head",
    parent=BODY,
    fontName=BOLD,
    fontSize=11.5,
    leading=15,
    spaceBefore=10,
    spaceAfter=4,
    keepWithNext=1,
)
_LARGE = ParagraphStyle("large", parent=BODY, fontName=BOLD, fontSize=17, leading=21)


def said(text: str, style: ParagraphStyle = BODY, tone: str | None = None, bold: bool = False) -> Paragraph:
    """A text in letters that the font has, in a colour and bold if wanted."""
    inner = escape(plain(text))
    inner = f"<b>{inner}</b>" if bold else inner
    return Paragraph(f'<font color="{tone}">{inner}</font>' if tone else inner, style)


Shown = tuple[dict[str, Any], bytes]


def _story(account: Account, pictures: Sequence[Shown], seal: str) -> list[Flowable]:
    def of(*about: str) -> list[Shown]:
        return [p for p in pictures if p[0]["about"] in about]

    story: list[Flowable] = [
        said("tableref · a dispute and its evidence", SMALL),
        said(account.title, _TITLE),
    ]
    story += [_result(account), Spacer(1, 8)]
    for frame in of("frame"):
        caption = f"{frame[0]['words']} White: outlines on the table; yellow: at roof height."
        story += [Figure(frame, WIDTH, of("marks")), said(caption, SMALL)]
    story += [said("The ruling", _HEAD), _checks(account)]
    story.append(KeepTogether([said("About this dispute", _HEAD), _grid(account.heading, (30, None))]))
    story.append(said("Before and after", _HEAD))
    story += _side_by_side(of("before", "after"), 2)
    measured = _side_by_side(of("detail", "plan", "view"), 2)
    story += [said("What was measured", _HEAD), *measured]
    if of("tag"):
        story.append(said("The tags, every square one pixel of the camera", _HEAD))
        story += _side_by_side(of("tag"), 6)
    story += [said("How surely it is known", _HEAD), *(said(s) for s in account.calibration), Spacer(1, 4)]
    if account.corners:
        story.append(_grid(account.corners, (40, 50, None), ("Corner tag", "Lies at", "Misfit")))
    head = ("Piece", "x", "y", "", "Heading", "", "Was")
    story.append(_grid(account.places, (34, 24, 24, 26, 20, 22, None), head))
    story += [
        said("Which frame was taken", _HEAD),
        said("The sharpest about the instant in which nothing of the question stood elsewhere.", SMALL),
        _grid(account.frames, (22, 34, 40, None), ("Frame", "From the instant", "An edge of a tag is", "")),
    ]
    if account.asked:
        story.append(said("What else was asked", _HEAD))
        story.append(_grid(account.asked, (100, 36, None), ("Question", "Answer", "Asked by")))
    if account.events:
        story.append(said("What happened around it", _HEAD))
        story.append(_grid(account.events, (22, None)))
    return [*story, KeepTogether(_sealed(seal))]


def _sealed(seal: str) -> list[Flowable]:
    meaning = (
        "SHA-256 over the evidence (attached as dispute.json), with every figure above and the digest of "
        "every picture. tableref verify checks this file and rules the question again; the same seal stands "
        "in the record of the game."
    )
    return [said("Seal", _HEAD), said(in_groups(seal), bold=True), said(meaning, SMALL)]


def _result(account: Account) -> Table:
    left = [said("The referee ruled", SMALL), said(account.verdict, _LARGE, TONES.get(account.verdict))]
    right = [
        said("What counts", SMALL),
        said(account.counts or "not decided", _LARGE, TONES.get(account.counts)),
        said(account.outcome),
    ]
    table = Table([[left, right]], colWidths=[WIDTH / 2, WIDTH / 2], hAlign="LEFT")
    table.setStyle(
        TableStyle(
            [
                ("BOX", (0, 0), (0, 0), 0.7, LINE),
                ("BOX", (1, 0), (1, 0), 0.7, LINE),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("BACKGROUND", (0, 0), (-1, -1), HexColor("#f5f2ea")),
            ]
        )
    )
    return table


def _checks(account: Account) -> Table:
    rows: list[list[Any]] = [
        [said(h, SMALL) for h in ("Question of the book", "Answer", "Measured", "Margin", "Chance of a yes")]
    ]
    for c in account.checks:
        name = c.name + (" (modifier)" if c.role == "modifier" else "")
        tone = TONES.get(c.verdict) if c.role == "condition" else None
        question = [said(name, bold=True), said(c.said), said(c.citation, SMALL)]
        rows.append(
            [question, said(c.verdict, BODY, tone, True), *map(said, (c.measured, c.margin, c.chance))]
        )
    widths = [66 * mm, 22 * mm, 34 * mm, 30 * mm]
    return ruled(rows, [*widths, WIDTH - sum(widths)])


def _grid(rows: Sequence[Sequence[str]], widths: Sequence[int | None], head: Sequence[str] = ()) -> Table:
    cells = [[said(cell) for cell in row] for row in rows]
    if head:
        cells.insert(0, [said(h, SMALL) for h in head])
    known = [None if w is None else w * mm for w in widths]
    left = WIDTH - sum(w for w in known if w is not None)
    return ruled(cells, [left if w is None else w for w in known])


def ruled(
    rows: Sequence[Sequence[Any]], widths: Sequence[float], *, room: float = 2.0, lined: bool = True
) -> Table:
    """A table with a line below each row, unless not `lined`, and so many points above and below."""
    table = Table([list(row) for row in rows], colWidths=list(widths), hAlign="LEFT")
    style: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), room),
        ("BOTTOMPADDING", (0, 0), (-1, -1), room),
    ]
    if lined:
        style.append(("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE))
    table.setStyle(TableStyle(style))
    return table


def _side_by_side(pictures: Sequence[Shown], columns: int) -> list[Flowable]:
    """Pictures in rows with their captions."""
    room = WIDTH / columns
    rows: list[Flowable] = []
    for k in range(0, len(pictures), columns):
        row: list[Any] = [
            [Figure(p, room - 8), said(p[0]["words"], SMALL)] for p in pictures[k : k + columns]
        ]
        row += [""] * (columns - len(row))
        table = Table([row], colWidths=[room] * columns, hAlign="LEFT")
        style = [("LEFTPADDING", (0, 0), (-1, -1), 0), ("VALIGN", (0, 0), (-1, -1), "TOP")]
        table.setStyle(TableStyle(style))
        rows.append(table)
    return rows


class Figure(Flowable):
    """A picture so many points wide, with drawings that lie over it."""

    def __init__(self, picture: Shown, width: float, over: Sequence[Shown] = ()) -> None:
        super().__init__()
        self._media, self._data = picture[0]["media"], picture[1]
        self._over = [data for _, data in over]
        self._reader = None if self._drawn else ImageReader(io.BytesIO(self._data))
        across, down = size_of(self._data) if self._reader is None else self._reader.getSize()
        self.width, self.height = width, width * down / across

    @property
    def _drawn(self) -> bool:
        return bool(self._media == "image/svg+xml")

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        """How much room it takes."""
        del available_width, available_height
        return self.width, self.height

    def draw(self) -> None:
        """Onto the page."""
        if self._reader is None:
            draw_svg(self.canv, self._data, self.width, FONT, plain)
        else:
            self.canv.drawImage(self._reader, 0, 0, self.width, self.height)
        for svg in self._over:
            draw_svg(self.canv, svg, self.width, FONT, plain)


def mark_in(file: bytes) -> tuple[str, str, str] | None:
    """Seal, digest of the file and signature, as a PDF states them of itself; None if it states none."""
    found = re.search(rf"{MARK} ([0-9a-f]{{64}}) ([0-9a-f]{{64}})(?: ([0-9a-f]{{128}}))?".encode(), file)
    return None if found is None else (found[1].decode(), found[2].decode(), (found[3] or b"").decode())
