"""`tableref cameras`: which webcams there are and what they offer."""

from __future__ import annotations

from typing import Annotated

import typer

from server.formats.terminal import Terminal, tell
from vision.source import list_webcams
from vision.sources.devices import offered_sizes

console = Terminal()


def cameras(
    sizes: Annotated[
        bool, typer.Option("--sizes/--no-sizes", help="Ask each for its sizes, which switches it on briefly.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the webcams with their numbers, names and picture sizes."""
    found = list_webcams()
    for device in found:
        offered = offered_sizes(device.index) if sizes else None
        if as_json:
            # Another program may have a camera: then it says nothing of its sizes.
            tell({"index": device.index, "name": device.name, "sizes_px": offered or None})
            continue
        said = "" if offered is None else ", ".join(f"{w}x{h}" for w, h in offered) or "in use, or no picture"
        console.print(f"{device.spec}  {device.name}" + (f"  ({said})" if said else ""))
    if not found and not as_json:
        console.print("No webcam is connected. A phone can be one: tableref serve --source phone --tls.")
