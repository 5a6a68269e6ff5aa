"""What every page owes to screen readers in its structure, run in the page itself."""

from __future__ import annotations

from pathlib import Path

STRUCTURE = Path(__file__).with_name("structure.js").read_text(encoding="utf-8")
"""What is wrong with lists, landmarks, headings and skip links, each in a line."""
