"""The annotation app behind its guard, without Gradio and without a socket."""

from starlette.applications import Starlette
from starlette.testclient import TestClient

from dataset_builders.annotator.guard import Guarded
from dataset_builders.annotator.routes import WEB, install

ADDRESS = "http://127.0.0.1:7860"


def site(store, web=WEB, **guard):
    """Return a client of the app over `store`; errors of the server come back as answers."""
    app = Starlette()
    install(app, store, web)
    return TestClient(Guarded(app, **guard), base_url=ADDRESS, raise_server_exceptions=False)
