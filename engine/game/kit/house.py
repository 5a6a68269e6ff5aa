"""House rules: what a book leaves open, each declared once with its default, its limits and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, Self

from engine.errors import TableRefError
from engine.game import records
from engine.game.events import JsonObject
from engine.game.forms import Candidate, Flag, Input, Number, Numbers, Pick, Text


@dataclass(frozen=True, slots=True)
class HouseRule:
    """What is known of a house rule besides its name, type and default.

    `words` say what it is and `more` what of, for the form. A number has to be from `low` to `high`, in
    `unit`; of a choice `known` says each value in words. Of a row of numbers `most` is how many the form asks
    for, each up to `high`. `first` of the rules is shown unfolded.
    """

    words: str
    more: str
    low: float
    high: float
    unit: Literal["", "in", "rad"]
    known: Mapping[str, str]
    most: int
    first: bool


def house_rule(
    default: Any, words: str, more: str = "", *, low: float = 0, high: float = 999,
    unit: Literal["", "in", "rad"] = "", known: Mapping[str, str] | None = None, most: int = 8,
    first: bool = False,
) -> Any:  # fmt: skip
    """Declares a field of a game's house rules; see `HouseRule`."""
    rule = HouseRule(words, more, low, high, unit, known or {}, most, first)
    return field(default=default, metadata={"rule": rule})


class House:
    """The house rules of a game: a frozen dataclass on this, whose fields are each a `house_rule`."""

    __slots__ = ()
    kept_as: ClassVar[str] = "house"
    """The field of a set-up that may hold them all."""

    def __post_init__(self) -> None:
        for name, rule in self.declared().items():
            value = getattr(self, name)
            if rule.known and value not in rule.known:
                known = " or ".join(map(repr, rule.known))
                raise TableRefError(f"{name}: expected {known} but got {value!r}")

    def check_limits(self) -> None:
        """Refuses what may not be set now; a match on record keeps what was set before there was a limit."""
        for name, rule in self.declared().items():
            value = getattr(self, name)
            if isinstance(value, tuple):
                # More and larger ones than the form asks for may be typed.
                right = all(isinstance(one, int) and rule.low <= one for one in value)
                if not right or (not value and self._usual(name)):
                    raise TableRefError(f"{name}: expected numbers from {rule.low:g} on but got {value!r}")
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if number and not rule.low <= value <= rule.high:
                raise TableRefError(f"{name}: expected {rule.low:g} to {rule.high:g} but got {value!r}")

    @classmethod
    def declared(cls) -> dict[str, HouseRule]:
        """The rules by name."""
        return {one.name: one.metadata["rule"] for one in fields(cls)}  # type: ignore[arg-type]

    @classmethod
    def _usual(cls, name: str) -> Any:
        return next(one.default for one in fields(cls) if one.name == name)  # type: ignore[arg-type]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The defaults with what was kept or given; an error names a field of the wrong type."""
        return records.with_defaults(cls, given, cls.kept_as)

    @classmethod
    def said(cls, setup: JsonObject) -> Self:
        """The rules of a set-up, in which those that differ stand in one field or by their own names."""
        by_name = {name: setup[name] for name in cls.declared() if setup.get(name) is not None}
        said = cls.of({**(setup.get(cls.kept_as) or {}), **by_name})
        said.check_limits()
        return said

    @classmethod
    def inputs(cls, usual: House | None = None) -> dict[str, Input]:
        """What is asked about each; each begins with its default, or as the `usual` rules have it."""
        begins = records.to_json(cls() if usual is None else usual)
        return {name: _input(rule, begins[name]) for name, rule in cls.declared().items()}


def _input(rule: HouseRule, usual: Any) -> Input:
    words, more, folded = rule.words, rule.more, not rule.first
    if rule.known:
        candidates = tuple(Candidate(value, said) for value, said in rule.known.items())
        return Pick(words=words, more=more, candidates=candidates, usual=usual, folded=folded)
    if isinstance(usual, bool):
        return Flag(words=words, more=more, usual=usual, folded=folded)
    if isinstance(usual, str):
        return Text(words=words, more=more, usual=usual, folded=folded)
    if isinstance(usual, list | tuple):
        return Numbers(
            words=words, more=more, low=int(rule.low), high=int(rule.high), most=rule.most,
            usual=usual or None, folded=folded, optional=not usual,
        )  # fmt: skip
    whole = isinstance(usual, int)
    return Number(
        words=words, more=more, low=rule.low, high=rule.high, whole=whole, unit=rule.unit, usual=usual,
        folded=folded,
    )  # fmt: skip
