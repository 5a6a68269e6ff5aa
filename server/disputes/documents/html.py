"""A dispute as one self-contained HTML file: pictures inside, readable without a script, sealed."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from server.disputes.dispute import Dispute
from server.disputes.documents.account import Contents, account_of, pictures_listed
from server.disputes.sealed.seal import canonical, in_groups, seal_of

BLANK = "0" * 64
"""What stands for the digest of the page while it is taken."""

TONES = {"yes": "yes", "no": "no", "too close to call": "close"}


TEMPLATES = Path(__file__).with_name("templates")


@lru_cache
def templates(folder: Path) -> Environment:
    """The templates in a folder; whatever they are given is escaped."""
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, newline_sequence="\n"
    )


def html_of(dispute: Dispute) -> bytes:
    """The file of a dispute."""
    pictures = {p.digest: p.data for p in dispute.evidence.pictures}
    return render(dispute.contents(), pictures, dispute.signature)


def render(contents: Contents, pictures: Mapping[str, bytes], signature: str = "") -> bytes:
    """The file of sealed contents, with the pictures by their digests; always the same for the same.

    `signature` is that of the seal, by the key that the contents name.
    """
    sealed = canonical(contents)
    listed = [
        {
            "name": p["name"],
            "about": p["about"],
            "words": p["words"],
            "src": data_address(p["media"], pictures[p["sha256"]]),
        }
        for p in pictures_listed(contents)
    ]
    # A closing tag inside the data would end it for a browser; "<" may be written so in JSON.
    written = sealed.decode().replace("<", "\\u003c")
    text = (
        templates(TEMPLATES)
        .get_template("dispute.html.jinja")
        .render(
            a=account_of(contents),
            of=lambda about: [p for p in listed if p["about"] == about],
            tone=lambda verdict: TONES.get(verdict, ""),
            seal=seal_of(sealed),
            page=BLANK,
            groups=in_groups(seal_of(sealed)),
            contents=written,
            signature=signature,
        )
    )
    page = page_digest(text.encode(), BLANK)
    return text.encode().replace(BLANK.encode(), page.encode(), 1)


def data_address(media: str, data: bytes) -> str:
    """A picture as an address that holds it."""
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


def page_digest(file: bytes, page: str) -> str:
    """SHA-256 of a whole file in which the digits of that very digest are zeros."""
    return hashlib.sha256(file.replace(page.encode(), BLANK.encode(), 1)).hexdigest()


def contents_written(text: str) -> dict[str, Any]:
    """The contents as the file holds them."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"expected an object but got {type(found).__name__}")
    return found
