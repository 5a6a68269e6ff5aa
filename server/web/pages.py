"""The pages: templates with one head, and the statics that they load."""

from __future__ import annotations

import stat
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from fastapi import APIRouter, FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader
from starlette.datastructures import Headers
from starlette.staticfiles import NotModifiedResponse
from starlette.types import Scope

_TEMPLATES = Path(__file__).with_name("templates")
STATIC = Path(__file__).parents[1] / "static"


def page(name: str, status: int = 200) -> HTMLResponse:
    """The page whose template is `name`.html.jinja."""
    return HTMLResponse(_text(name), status)


def add_pages(router: APIRouter, *names: str) -> None:
    """Each page at the address of its name, the first of all at `/`."""
    for name in names:
        router.get("/" if name == "index" else f"/{name}", include_in_schema=False)(_shows(name))


def _shows(name: str) -> Callable[[], Awaitable[HTMLResponse]]:
    async def shown() -> HTMLResponse:
        return page(name)

    return shown


def mount_statics(app: FastAPI) -> None:
    """Scripts and styles, at /static."""
    app.mount("/static", KeptFiles(directory=str(STATIC)), name="static")


class KeptFiles(StaticFiles):
    """Files that are answered out of memory until they change on the disk.

    A page begins with some forty: each would be looked up, opened, read and closed in a thread of its own.
    """

    # Every application answers the same files.
    _kept: ClassVar[dict[str, tuple[tuple[int, int], bytes, Headers]]] = {}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, whole, or that it is as it was; parts and heads are answered as Starlette does."""
        asked = Headers(scope=scope)
        if scope["method"] != "GET" or "range" in asked:
            return await super().get_response(path, scope)
        full = f"{self.directory}/{path}"
        stamp = _stamp(full)
        stamped, body, headers = self._kept.get(full, (None, b"", asked))
        if stamp is None or stamped != stamp:
            found = await super().get_response(path, scope)
            if stamp is not None and isinstance(found, FileResponse):
                body = await run_in_threadpool(Path(found.path).read_bytes)
                if len(body) == stamp[1]:
                    self._kept[full] = stamp, body, found.headers
            return found
        if self.is_not_modified(headers, asked):
            return NotModifiedResponse(headers)
        return Response(body, headers=dict(headers))


def _stamp(path: str) -> tuple[int, int] | None:
    """When a file was written and how long it is; None for what is none."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


@lru_cache
def _text(name: str) -> str:
    templates = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
    return templates.get_template(f"{name}.html.jinja").render()
