"""What axe-core finds wrong with a page, run in the page itself: the field's own check beside ours.

It comes from npm (`make axe`), into the environment that the tests run in.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(sys.prefix) / "node_modules" / "axe-core" / "axe.min.js"

RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${v.help}: ${node.html.slice(0, 150)}`));
}"""


def axe_finds(page: Page) -> list[str]:
    """Each element with what is wrong with it; nothing where axe-core is not installed."""
    if not AXE.exists():
        return []
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return list(page.evaluate(RUN))
