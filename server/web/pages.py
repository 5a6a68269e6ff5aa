"""The pages: templates with one head, and the statics that they load."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI
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


def mount_statics(app: FastAPI) -> None:
    """Scripts and styles, at /static."""
    app.mount("/static", _Remembered(directory=str(STATIC)), name="static")


class _Remembered(StaticFiles):
    """Gives files out of memory, each as it is on the disk now: a page begins with some fifty of them."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Answer with a whole file; with what is left of it where a part is asked for, or nothing is new."""
        asked = Headers(scope=scope)
        if "range" in asked:
            return super().file_response(full_path, stat_result, scope, status_code)
        told = FileResponse(full_path, status_code=status_code, stat_result=stat_result)
        if self.is_not_modified(told.headers, asked):
            return NotModifiedResponse(told.headers)
        body = _bytes(str(full_path), stat_result.st_mtime_ns, stat_result.st_size)
        if len(body) != stat_result.st_size:  # it is being written
            return told
        return Response(body, status_code, dict(told.headers))


@lru_cache(maxsize=256)
def _bytes(path: str, _changed: int, _size: int) -> bytes:
    return Path(path).read_bytes()


@lru_cache
def _text(name: str) -> str:
    templates = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
    return templates.get_template(f"{name}.html.jinja").render()
