"""What a player writes about the table: `table.toml`, checked, with the line of every mistake.

The surface and its corner tags, the board, the camera's lens, and the pieces. `docs/formats.md` explains
the fields. A file with a mistake is refused whole; nothing is guessed silently.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from calibration.accuracy import (
    EXACT,
    MOUNT_HEIGHT_IN,
    MOUNT_IN,
    MOUNT_TILT_DEG,
    MOUNT_TURN_DEG,
    RULED_IN,
    Accuracy,
    place_sd,
)
from calibration.boards import BoardFields, board_on, past_surface
from calibration.bundle.common import Common, Length
from calibration.fiducials import FiducialError, check_fiducial
from calibration.kept_check import KeptCheck, stated_mark
from calibration.lens.files import read_lens
from calibration.lens.model import Lens, guess_lens, lens_from_dict
from calibration.surface import CornerTag
from calibration.table_mistakes import explained, not_toml
from calibration.table_text import LONGEST_FILE, in_short, lines_of, text_of, toml_to_look_at
from engine.boards.board import Board, Free
from engine.errors import TableRefError
from engine.space.catalogue import CARS
from engine.space.geometry import Footprint, Pose, Region, as_points
from engine.space.pieces import HITCH_SD, KINDS, Body, Hitch, Piece, PieceKind, Spot, TagMount, car_body
from engine.space.table import key_of
from engine.words import is_one_line

# Strict: neither a text nor true is taken for a number.
Coordinate = Annotated[float, Field(strict=True, ge=-1200.0, le=1200.0)]
Point = tuple[Coordinate, Coordinate]
Inches = Annotated[float, Field(strict=True, gt=0.001, le=1200.0)]
TagSide = Annotated[float, Field(strict=True, ge=0.1, le=48.0)]
Height = Annotated[float, Field(strict=True, ge=0.0, le=120.0)]
Degrees = Annotated[float, Field(strict=True, ge=-3600.0, le=3600.0)]
Deviation = Annotated[float, Field(strict=True, ge=0.0, le=12.0)]
DeviationDeg = Annotated[float, Field(strict=True, ge=0.0, le=45.0)]
TagId = Annotated[int, Field(strict=True, ge=0, le=65535)]


def _printable(text: str) -> str:
    if not is_one_line(text):
        raise ValueError(f"expected one line of text, but got {text!r}")
    return text


Words = Annotated[str, Field(max_length=80), AfterValidator(_printable)]


class TableFileError(TableRefError):
    """A table file with mistakes; the message lists each with line, field and what would be right."""


Label = Annotated[str, Field(max_length=80)]

MOST_PIECES = 500
MOST_TAGS = 500
"""Pieces, and corner tags, of a table: the largest family of tags has 587."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Table(_Strict):
    name: Words = "Table"
    game: Words | None = None


class _Surface(_Strict):
    size_in: tuple[Inches, Inches]
    near_left_in: Point = (0.0, 0.0)
    checked_in: Deviation = 0.0


class _Camera(_Strict):
    lens: Annotated[str, Field(max_length=1000)] | dict[str, Any] | None = None
    fov_deg: Annotated[float, Field(strict=True, ge=10.0, le=150.0)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.lens is not None and self.fov_deg is not None:
            raise ValueError("give either lens or fov_deg: a calibrated lens knows its field of view")
        return self


class _Corner(_Strict):
    tag: TagId
    family: Label = "tag36h11"
    size_in: TagSide
    at_in: Point | None = None
    turn_deg: Degrees | None = None
    sd_in: Deviation | None = None

    @model_validator(mode="after")
    def _placed_or_loose(self) -> Self:
        if self.at_in is None and self.turn_deg is not None:
            raise ValueError("turn_deg without at_in says nothing: give the tag's place too, or neither")
        _there_is(self.family, self.tag)
        return self


class _Length(_Strict):
    between: tuple[TagId, TagId]
    length_in: Inches
    sd_in: Deviation = RULED_IN
    laid: Annotated[list[tuple[TagId, Coordinate, Coordinate, Degrees]], Field(max_length=40)] = []

    @model_validator(mode="after")
    def _between_two(self) -> Self:
        if self.between[0] == self.between[1]:
            raise ValueError(f"expected a length between two tags, but got tag {self.between[0]} twice")
        if not 0.0 < self.sd_in < self.length_in:
            raise ValueError(f"expected a deviation above 0 and below the length, but got {self.sd_in:g}")
        return self


class _Piece(_Strict):
    name: Annotated[Words, Field(min_length=1, max_length=40)]
    kind: PieceKind
    owner: Words | None = None
    colour: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")] | None = None
    model: Label | None = None
    shape: Literal["box", "cylinder", "polygon"] | None = None
    size_in: tuple[Inches, Inches] | None = None
    diameter_in: Inches | None = None
    footprint_in: Annotated[list[Point], Field(min_length=3, max_length=400)] | None = None
    tyres_in: Annotated[list[Point], Field(min_length=4, max_length=4)] | None = None
    length_in: Inches | None = None
    width_in: Inches | None = None
    axles_in: Point | None = None
    track_in: Inches | None = None
    height_in: Height | None = None
    tag: TagId | None = None
    family: Label = "tag36h11"
    tag_size_in: TagSide | None = None
    tag_height_in: Height | None = None
    tag_at_in: Point = (0.0, 0.0)
    tag_turn_deg: Degrees = 0.0
    tag_sd_at_in: Deviation = MOUNT_IN
    tag_sd_turn_deg: DeviationDeg = MOUNT_TURN_DEG
    tag_sd_height_in: Deviation = MOUNT_HEIGHT_IN
    tag_sd_tilt_deg: DeviationDeg = MOUNT_TILT_DEG
    at_in: Point | None = None
    edge_sd_in: Annotated[float, Field(strict=True, gt=0.0, le=12.0)] | None = None
    height_sd_in: Annotated[float, Field(strict=True, gt=0.0, le=12.0)] | None = None
    hitched_to: Label | None = None
    hitch_at_in: Point | None = None
    hitch_on_in: Point | None = None
    hitch_sd_turn_deg: Annotated[float, Field(strict=True, ge=0.0, le=90.0)] = math.degrees(HITCH_SD)

    @model_validator(mode="after")
    def _complete(self, info: ValidationInfo) -> Self:
        if self.tag is not None and self.tag_size_in is None:
            raise ValueError("a piece with a tag needs tag_size_in, the side of its black square in inches")
        if self.tag is not None:
            _there_is(self.family, self.tag)
        if (self.at_in is None) != (self.edge_sd_in is None):
            raise ValueError("a piece that is known by its outline needs both at_in and edge_sd_in")
        if self.at_in is None and self.height_sd_in is not None:
            raise ValueError("height_sd_in is how surely the height was measured of a piece with at_in")
        if self.at_in is not None and (self.tag is not None or KINDS[self.kind].moves):
            raise ValueError("at_in is where a piece stands that has no tag and that nobody moves about")
        if self.hitched_to is None and (self.hitch_at_in or self.hitch_on_in):
            raise ValueError("hitch_at_in and hitch_on_in say nothing without hitched_to: name what pulls it")
        _body(self)
        if info.context is None or not info.context[RECORDED]:
            _of_one_shape(self)
        return self


class _File(_Strict):
    format: Literal[1]
    table: _Table = _Table()
    surface: _Surface
    board: BoardFields | None = None
    camera: _Camera = _Camera()
    accuracy: Accuracy = Accuracy()
    corner: Annotated[list[_Corner], Field(min_length=4, max_length=MOST_TAGS)]
    length: Annotated[list[_Length], Field(max_length=MOST_TAGS)] = []
    piece: Annotated[list[_Piece], Field(max_length=MOST_PIECES)] = []
    check: KeptCheck | None = None

    @model_validator(mode="after")
    def _no_twins(self) -> Self:
        seen: dict[tuple[str, int], str] = {}
        stated = sum(c.at_in is not None for c in self.corner)
        if 0 < stated < 4:
            raise ValueError(
                f"{stated} of {len(self.corner)} corner tags have at_in: state the places of four at "
                "least, or of none (then the first is the origin, the second lies along x)"
            )
        for corner in self.corner:
            _claim(seen, (corner.family, corner.tag), f"corner {corner.tag}")
        lying = {corner.tag for corner in self.corner}
        for length in self.length:
            if missing := sorted({*length.between, *(at[0] for at in length.laid)} - lying):
                raise ValueError(f"a length is measured between corner tags, and tag {missing[0]} is none")
        names: dict[str, str] = {}
        for piece in self.piece:
            twin = names.setdefault(key_of(piece.name), piece.name)
            if twin is not piece.name:
                raise ValueError(f"two pieces are called alike: {twin!r} and {piece.name!r}; rename one")
            if piece.tag is not None:
                _claim(seen, (piece.family, piece.tag), piece.name)
        for piece in self.piece:
            _pulled_in_turn(piece, {key_of(p.name): p for p in self.piece})
        return self


_TABLES: dict[str, type[BaseModel]] = {
    "": _File,
    "table": _Table,
    "surface": _Surface,
    "camera": _Camera,
    "accuracy": Accuracy,
    "check": KeptCheck,
    "corner": _Corner,
    "length": _Length,
    "piece": _Piece,
}


def _pulled_in_turn(piece: _Piece, named: dict[str, _Piece]) -> None:
    """Refuses a hitch to nothing, and bodies that pull one another in a ring."""
    behind, at = {key_of(piece.name)}, piece
    while at.hitched_to is not None:
        puller = named.get(key_of(at.hitched_to))
        if puller is None:
            raise ValueError(f"{at.name!r} is hitched to {at.hitched_to!r}, but no piece is called so")
        if key_of(puller.name) in behind:
            raise ValueError(f"{at.name!r} is hitched to {puller.name!r}, which hangs on it: unhitch one")
        behind.add(key_of(puller.name))
        at = puller


def _there_is(family: str, tag: int) -> None:
    """Refuses a tag that no reader would ever find."""
    try:
        check_fiducial(family, tag)
    except FiducialError as error:
        raise ValueError(str(error)) from error


def _claim(seen: dict[tuple[str, int], str], key: tuple[str, int], name: str) -> None:
    if key in seen:
        raise ValueError(
            f"tag {key[1]} of {key[0]} is on both {seen[key]!r} and {name!r}: each tag may be used once"
        )
    seen[key] = name


RECORDED = "recorded"
"""Whether a file is that of a game that was played: it is read as it was then."""

_SHAPES = {
    ("size_in",): "box",
    ("length_in", "width_in"): "box",
    ("diameter_in",): "cylinder",
    ("footprint_in",): "polygon",
}


def _of_one_shape(piece: _Piece) -> None:
    """Refuses a piece without wheels that is described twice: one of both would be ignored."""
    if KINDS[piece.kind].look == "car":
        return
    given = [
        (next(name for name in names if getattr(piece, name) is not None), shape)
        for names, shape in _SHAPES.items()
        if any(getattr(piece, name) is not None for name in names)
    ]
    if len(given) > 1:
        fields = " and ".join(name for name, _ in given)
        raise ValueError(f"a piece has one shape, and this one has {fields}: leave out all but one")
    for name, shape in given:
        if piece.shape not in (None, shape):
            raise ValueError(
                f"{name} is that of a {shape}, and its shape is {piece.shape!r}: say one of both otherwise"
            )


def _needs(piece: _Piece, what: str, *fields: str) -> None:
    missing = [f for f in fields if getattr(piece, f) is None]
    if missing:
        raise ValueError(f"{what} needs {', '.join(fields)}; missing: {', '.join(missing)}")


def _body(piece: _Piece) -> Body:
    """The shape that a piece's fields describe; ValueError with what is missing."""
    if KINDS[piece.kind].look == "car":
        return _car(piece)
    label = piece.model or piece.shape or piece.kind
    if piece.footprint_in is not None:
        _needs(piece, "a polygon", "height_in")
        footprint = Footprint(as_points(piece.footprint_in, "footprint_in"))
    elif piece.diameter_in is not None:
        _needs(piece, "a cylinder", "diameter_in", "height_in")
        footprint = Footprint.disc(piece.diameter_in)
    elif piece.size_in is not None:
        _needs(piece, "a box", "size_in", "height_in")
        footprint = Footprint.box(*piece.size_in)
    elif piece.length_in is not None and piece.width_in is not None:
        _needs(piece, "a piece", "length_in", "width_in", "height_in")
        footprint = Footprint.box(piece.length_in, piece.width_in)
    else:
        raise ValueError(
            f"a {piece.kind} needs a shape: size_in (box), diameter_in (cylinder) or footprint_in (polygon)"
        )
    assert piece.height_in is not None
    return Body(label, footprint, piece.height_in)


def _car(piece: _Piece) -> Body:
    if piece.model is not None and piece.length_in is None and piece.footprint_in is None:
        if piece.model not in CARS:
            near = difflib.get_close_matches(piece.model, CARS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ValueError(f"no car model {piece.model!r}; {hint}known: {', '.join(CARS)}")
        body = CARS[piece.model]
        height = body.height if piece.height_in is None else piece.height_in
        return Body(body.model, body.footprint, height, body.tyres)
    label = piece.model or "custom"
    if piece.footprint_in is not None and piece.tyres_in is not None:
        _needs(piece, "a car with its own outline", "height_in")
        assert piece.height_in is not None
        return Body(
            label,
            Footprint(as_points(piece.footprint_in, "footprint_in")),
            piece.height_in,
            as_points(piece.tyres_in, "tyres_in"),
        )
    _needs(piece, "a car without a catalogue model", "length_in", "width_in", "axles_in", "height_in")
    assert piece.length_in is not None
    assert piece.width_in is not None
    assert piece.axles_in is not None
    assert piece.height_in is not None
    track = piece.track_in if piece.track_in is not None else 0.86 * piece.width_in
    measured = car_body(
        label,
        length=piece.length_in,
        width=piece.width_in,
        axles=piece.axles_in,
        track=track,
        height=piece.height_in,
    )
    if piece.footprint_in is None:
        return measured
    outline = Footprint(as_points(piece.footprint_in, "footprint_in"))
    return Body(label, outline, measured.height, measured.tyres)


@dataclass(frozen=True, slots=True)
class LooseTag:
    """A tag that lies flat somewhere on the table; only its printed size is known, inches."""

    family: str
    tag: int
    size: float


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table as its file describes it. Inches and radians.

    `corners` are the tags of stated place, `loose` those without. Where no place is stated at all,
    `frame` names the tags that are the origin and the direction of x. `accuracy` is how exactly the
    table is made and measured as a whole, `lengths` what was measured between corner tags; `checked` is
    the surface's own error of a place as `tableref calibrate check` found it, one standard deviation,
    inches. `check` is the last check with a sheet of paper. `text` is the file itself.
    """

    name: str
    game: str | None
    surface: Region
    corners: tuple[CornerTag, ...]
    pieces: tuple[Piece, ...]
    lens: Lens | None = None
    fov_deg: float | None = None
    loose: tuple[LooseTag, ...] = ()
    lengths: tuple[Length, ...] = ()
    checked: float = 0.0
    board: Board = Free()  # noqa: RUF009
    accuracy: Accuracy = EXACT
    check: KeptCheck | None = None
    text: str = ""

    @property
    def frame(self) -> tuple[tuple[str, int], tuple[str, int]] | None:
        """The two loose tags that set the table's frame, None where places are stated."""
        if self.corners:
            return None
        origin, ahead = self.loose[:2]
        return (origin.family, origin.tag), (ahead.family, ahead.tag)

    @property
    def common(self) -> Common:
        """What all stated numbers have in common, with the lengths between corner tags."""
        common = self.accuracy.common
        if not self.lengths or self.accuracy.scale_by != "length":
            return replace(common, lengths=self.lengths)
        # How large the prints are was found by these very lengths.
        return replace(common, lengths=self.lengths, scale_beside=Accuracy().print_scale)

    @property
    def keys(self) -> list[tuple[str, int]]:
        """Family and id of every tag in play: corners, loose ones, pieces."""
        flat = [(t.family, t.tag) for t in self.corners] + [(t.family, t.tag) for t in self.loose]
        return flat + [(p.mount.family, p.mount.tag) for p in self.pieces if p.mount is not None]

    def mark(self, lens: Lens | None) -> str:
        """A mark of the stated numbers that inches come from, seen through a lens that is no guess."""
        return stated_mark(self.corners, self.loose, self.accuracy, self.checked, lens, self.lengths)

    def lens_for(self, size: tuple[int, int]) -> Lens:
        """The lens for pictures of this size: the file's (checked) or a guess that says so."""
        return guess_lens(size, self.fov_deg) if self.lens is None else self.lens.for_size(size)


def load_table(path: Path) -> TableFile:
    """The table file at `path`; a lens file is looked for beside it. Raises `TableFileError`."""
    try:
        # One letter more is enough to be refused.
        text = text_of(path, LONGEST_FILE)
    except ValueError as error:
        raise TableFileError(f"cannot read the table file {path}: {error}") from error
    return parse_table(text, str(path), path.parent)


def parse_table(
    text: str,
    where: str = "table.toml",
    folder: Path | None = None,
    lens: Lens | None = None,
    *,
    recorded: bool = False,
) -> TableFile:
    """The table described by `text` in TOML. Raises `TableFileError`.

    A lens file that it names is looked for in `folder`, unless `lens` is given in its place. Without a folder
    no file is touched, and one that names a lens file is refused: what came from elsewhere is read so.
    That of a game that was `recorded` may describe a piece twice, as it was played with.
    """
    try:
        data = toml_to_look_at(text)
    except ValueError as error:
        raise TableFileError(in_short(f"{where} is not valid TOML: {not_toml(error, text)}")) from error
    try:
        file = _File.model_validate(data, context={RECORDED: recorded})
    except ValidationError as error:
        raise TableFileError(explained(error, data, text, where, _TABLES)) from error
    lens = _lens(file.camera, where, folder, lens)
    surface = Region.rectangle(*file.surface.near_left_in, *file.surface.size_in)
    board = board_on(file.board, surface)
    if mistake := past_surface(board, surface):
        raise TableFileError(f"{where}, line {lines_of(text).get(('board',), 1)}: board: {mistake}")
    return TableFile(
        name=file.table.name,
        game=file.table.game,
        surface=surface,
        board=board,
        accuracy=file.accuracy,
        corners=tuple(_corner(c, c.at_in, file.accuracy) for c in file.corner if c.at_in is not None),
        loose=tuple(LooseTag(c.family, c.tag, c.size_in) for c in file.corner if c.at_in is None),
        lengths=tuple(_length(one, {c.tag: c.family for c in file.corner}) for one in file.length),
        pieces=tuple(_piece(p, {key_of(n.name): n for n in file.piece}, file.accuracy) for p in file.piece),
        lens=lens,
        fov_deg=file.camera.fov_deg,
        checked=file.surface.checked_in,
        check=file.check,
        text=text,
    )


def _lens(camera: _Camera, where: str, folder: Path | None, given: Lens | None) -> Lens | None:
    """The lens that the file states; a lens file that it names is not read where one is given."""
    if isinstance(camera.lens, dict):
        return lens_from_dict(camera.lens, f"{where}, [camera.lens]")
    if camera.lens is None or given is not None:
        return given
    if folder is None:
        raise TableFileError(f"{where}: [camera] names the lens file {camera.lens!r}, which is not in it")
    return read_lens(folder / camera.lens)


def _corner(corner: _Corner, at: Point, accuracy: Accuracy) -> CornerTag:
    turn = None if corner.turn_deg is None else math.radians(corner.turn_deg)
    sd = place_sd(at, turn) if corner.sd_in is None else corner.sd_in
    return CornerTag(corner.family, corner.tag, corner.size_in, at, turn, sd, accuracy.laid)


def _length(length: _Length, families: dict[int, str]) -> Length:
    one, other = ((families[tag], tag) for tag in length.between)
    laid = tuple(((families[tag], tag), Pose(x, y, math.radians(turn))) for tag, x, y, turn in length.laid)
    return Length((one, other), length.length_in, length.sd_in, laid)


def _piece(piece: _Piece, named: dict[str, _Piece], accuracy: Accuracy) -> Piece:
    body = _body(piece)
    mount: TagMount | None = None
    if piece.tag is not None and piece.tag_size_in is not None:
        mount = TagMount(
            family=piece.family,
            tag=piece.tag,
            size=piece.tag_size_in,
            height=body.height if piece.tag_height_in is None else piece.tag_height_in,
            body_from_tag=Pose(*piece.tag_at_in, math.radians(piece.tag_turn_deg)),
            sd_at=piece.tag_sd_at_in,
            sd_turn=math.radians(piece.tag_sd_turn_deg),
            # The cloth rises and falls under the piece.
            sd_height=math.hypot(piece.tag_sd_height_in, accuracy.cloth_in),
            sd_tilt=math.radians(piece.tag_sd_tilt_deg),
        )
    hitch: Hitch | None = None
    if piece.hitched_to is not None:
        puller = named[key_of(piece.hitched_to)]
        front = (float(body.footprint.outline[:, 0].max()), 0.0)
        rear = (float(_body(puller).footprint.outline[:, 0].min()), 0.0)
        hitch = Hitch(
            puller.name,
            piece.hitch_at_in or front,
            piece.hitch_on_in or rear,
            math.radians(piece.hitch_sd_turn_deg),
        )
    spot: Spot | None = None
    if piece.at_in is not None and piece.edge_sd_in is not None:
        spot = Spot(Pose(*piece.at_in), piece.edge_sd_in, piece.height_sd_in or 0.0)
    return Piece(piece.name, piece.kind, body, mount, piece.owner, piece.colour, hitch, spot)
