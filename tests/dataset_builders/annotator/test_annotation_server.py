"""The app as it is served: Gradio's server, with our routes alone."""

import socket
import sys
from contextlib import closing

import pytest
from starlette.testclient import TestClient

from dataset_builders.annotator import server
from dataset_builders.annotator.guard import LOOPBACK
from dataset_builders.annotator.server import ServingError, listening, make_app, serve
from dataset_builders.annotator.views import overview
from tests.support.annotation_site import ADDRESS
from tests.support.annotations import scene_store


@pytest.fixture
def store(tmp_path):
    opened = scene_store(tmp_path, scenes=1)
    yield opened
    opened.close()


def test_gradios_server_has_the_routes_of_the_app_and_none_of_its_own(store):
    with TestClient(make_app(store), base_url=ADDRESS) as client:
        assert client.get("/state").json()["mode"] == "scenes"
        home = client.get("/")
        assert (home.status_code, home.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "'unsafe-eval'" not in home.headers["content-security-policy"]
        for path in ("/docs", "/openapi.json", "/config", "/gradio_api/upload", "/gradio_api/info"):
            assert client.get(path).status_code == 404
        assert client.post("/gradio_api/upload", content=b"x").json()["problems"][0]["rule"] == "known"
        assert client.get("/state", headers={"host": "evil.example"}).status_code == 400
        refused = client.post("/items/s1-q1", json={})
        assert (refused.status_code, len(refused.json()["problems"])) == (422, 4)


def test_without_gradio_the_extra_is_named(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradio", None)
    with pytest.raises(ServingError, match=r"the app needs Gradio \(.*\); pip install 'lvqa\[leaderboard\]'"):
        make_app(store)


def test_a_port_that_is_taken_is_named(store):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServingError, match=f"--port: found {port}: Address already in use"):
            serve(store, print, port=port, show=False)


def test_the_port_of_the_last_time_is_taken_again_where_it_is_free(store):
    with listening(store, LOOPBACK, 0) as first:
        port = first.getsockname()[1]
        with listening(store, LOOPBACK, 0) as other:
            assert other.getsockname()[1] != port
    store.set_fact("port", port)
    with listening(store, LOOPBACK, 0) as again:
        assert again.getsockname()[1] == port


def test_the_app_is_served_where_it_was_the_last_time(store, monkeypatch):
    ports = []
    monkeypatch.setattr(server, "make_app", lambda *_: None)
    monkeypatch.setattr(server, "serve_at", lambda at, *_: ports.append(at.getsockname()[1]))
    for _ in range(2):
        serve(store, print, show=False)
    assert ports[0] == ports[1] == store.fact("port")


def test_every_work_folder_has_an_id_of_its_own(tmp_path):
    ids = set()
    for name in ("one", "other"):
        with closing(scene_store(tmp_path / name, scenes=1)) as store:
            ids.add(overview(store)["work"])
    assert len(ids) == 2
