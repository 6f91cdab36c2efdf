"""The page's program: Gradio on this machine's loopback address, one annotator, pictures of one folder."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lvqa_eval.app_server import WithHeaders, listen, serve_at
from lvqa_eval.gradio_loading import load_gradio
from lvqa_eval.judging.audit.items import PICTURES, AuditError
from lvqa_eval.judging.audit.page import render, script, style
from lvqa_eval.judging.audit.queue import ItemQueue, Request

if TYPE_CHECKING:
    from fastapi import FastAPI

HOST = "127.0.0.1"
_PICTURE = re.compile(r"[0-9a-f]{64}\.png")
# Gradio needs scripts in the page and makes functions of text; nothing may come from elsewhere, or go there.
_HEADERS = {
    b"content-security-policy": b"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
    b"base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}


def page_app(queue: ItemQueue, folder: Path) -> "FastAPI":
    """Return the application that shows the items of `queue`, with the pictures of the audit in `folder`.

    Raises AuditError where Gradio is not installed.
    """
    try:
        gr = load_gradio()
        from fastapi import FastAPI, HTTPException
        from fastapi.responses import FileResponse
        from starlette.middleware.trustedhost import TrustedHostMiddleware
    except ImportError as error:
        raise AuditError(f"the page needs Gradio ({error}); pip install 'lvqa[leaderboard]'") from error

    def answer(asked: dict[str, Any]) -> str:
        request = msgspec.convert(asked, Request)
        return render(queue.answer(request), request.language)

    with gr.Blocks(title="lvqa audit", analytics_enabled=False) as page:
        gr.HTML(
            server_functions=[answer],
            js_on_load=script(),
            apply_default_css=False,
            elem_classes="lv-page",
        )
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/pictures/{name}")
    def picture(name: str) -> FileResponse:
        path = folder / PICTURES / name
        if not _PICTURE.fullmatch(name) or not path.is_file():
            raise HTTPException(404)
        return FileResponse(path, media_type="image/png", headers={"cache-control": "max-age=86400"})

    gr.mount_gradio_app(
        app,
        page,
        path="/",
        server_name=HOST,
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        mcp_server=False,
        theme=gr.themes.Base(font=["system-ui", "sans-serif"], font_mono=["monospace"]),
        head=f"<style>{style()}</style>",
    )
    # Another site's name that leads here must not read the page.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])
    app.add_middleware(WithHeaders, headers=_HEADERS.items())
    return app


def serve(queue: ItemQueue, folder: Path, port: int, tell: Callable[[str], None], show: bool = True) -> None:
    """Serve the page until it is interrupted; `tell` hears its URL, and `show` opens it in a browser.

    Raises ServingError for a port that is taken, AuditError where Gradio is not installed.
    """
    app = page_app(queue, folder)
    serve_at(listen(HOST, port), HOST, app, tell, show)
