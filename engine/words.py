"""Words for people that need no numbers: names, also in a row. Commands that list games load no numpy."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_KEPT = "\u200c\u200d"
"""Letters of Persian and pictures of families are joined by these two, and nothing else is changed."""

_ORDERS = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control, formatting (bidirectional ones among them), half characters, ends of lines and paragraphs."""


def is_order(character: str) -> bool:
    """Whether a terminal or a page would do something else with this character than show it."""
    return unicodedata.category(character) in _ORDERS and character not in _KEPT


def is_one_line(text: str) -> bool:
    r"""Whether a text is one line in which every character is shown.

    >>> is_one_line("Zoë 👨\u200d👧"), is_one_line("Ann\nBen"), is_one_line("\u202eAnn")
    (True, False, False)
    """
    return not any(map(is_order, text))


_IN_LATIN = {
    **dict(zip("абвгдезийклмнопрстуфыэіґјћ", "abvgdeziyklmnoprstufyeigjc", strict=True)),
    **dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True)),
    "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "ё": "yo",
    "є": "ye", "ї": "yi", "ђ": "dj", "љ": "lj", "њ": "nj", "џ": "dz", "ъ": "", "ь": "",
    "θ": "th", "χ": "ch", "ψ": "ps",
}  # fmt: skip
"""Cyrillic and Greek letters as Latin ones."""


def in_latin(text: str) -> str:
    """A text with Latin letters for Cyrillic and Greek ones, for paper whose fonts have no others.

    >>> in_latin("Щука and Пётр 1"), in_latin("Άννα"), in_latin("Zoë 水")
    ('Shchuka and Pyotr 1', 'Anna', 'Zoë 水')
    """

    def letter(c: str) -> str:
        low = c.lower()
        found = _IN_LATIN.get(low, _IN_LATIN.get(unicodedata.normalize("NFD", low)[:1]))
        return c if found is None else found if low == c else found.capitalize()

    return "".join(map(letter, unicodedata.normalize("NFC", text)))


def listed(names: Iterable[str], joint: str = "and") -> str:
    """Names in a row.

    >>> listed(["the mug", "RED1", "BLUE2"]), listed(["RED1"]), listed([])
    ('the mug, RED1 and BLUE2', 'RED1', '')
    >>> listed(["Ann", "Ben", "Cat"], "or")
    'Ann, Ben or Cat'
    """
    *others, last = tuple(names) or ("",)
    return f"{', '.join(others)} {joint} {last}" if others else last
