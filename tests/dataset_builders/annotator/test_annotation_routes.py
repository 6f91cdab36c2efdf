"""The app over HTTP: what the browser side may count on, and what is refused."""

import json
import sqlite3

import pytest

from dataset_builders.annotator import actions
from dataset_builders.annotator.contents import MOST, SceneContent
from dataset_builders.annotator.guard import names_for
from dataset_builders.annotator.naming import address
from dataset_builders.annotator.requests import MOST_BYTES
from dataset_builders.annotator.scenes import scene_of
from tests.support.annotation_site import ADDRESS, site
from tests.support.annotations import QUESTION, checked_like, page_store, scene_store, write

ITEM = "/items/s1-q1"
XSS = "<img src=x onerror=\"alert('x')\"></script><script>alert(1)</script>"


@pytest.fixture
def store(tmp_path):
    opened = scene_store(tmp_path / "work")
    yield opened
    opened.close()


@pytest.fixture
def client(store):
    return site(store)


def body(content, revision=1, slot="author", annotator="Ann"):
    return {
        "annotator": annotator,
        "slot": slot,
        "revision": revision,
        "content": content.model_dump(mode="json"),
    }


def rules(answer):
    return [(one["field"], one["rule"]) for one in answer.json()["problems"]]


def test_an_item_goes_from_a_new_question_to_settled(client):
    item = client.post("/scenes/s1/questions", json={"annotator": " Ann "}).json()["item"]
    assert item == "s1-q2"
    saved = client.post(f"/items/{item}", json=body(QUESTION))
    assert (saved.status_code, saved.json()["revision"], saved.json()["problems"]) == (200, 2, [])
    done = client.post(f"/items/{item}/finish", json={"annotator": "Ann", "slot": "author", "revision": 2})
    assert done.json() == {"stage": "check", "revision": 3}
    check = checked_like(QUESTION, answer="blue")
    assert client.post(f"/items/{item}", json=body(check, 0, "check", "Bob")).json()["revision"] == 1
    done = client.post(f"/items/{item}/finish", json={"annotator": "Bob", "slot": "check", "revision": 1})
    assert done.json()["stage"] == "adjudicate"
    done = client.post(
        f"/items/{item}/finish", json={"annotator": "Eve", "slot": "adjudicate", "revision": 0}
    )
    assert done.json() == {"stage": "settled", "revision": 1}
    again = client.post(f"/items/{item}/reopen", json={"annotator": "Ann", "slot": "adjudicate"})
    assert again.json() == {"stage": "adjudicate", "revision": 2}
    assert client.get("/state").json()["counts"]["adjudicate"] == 1


def test_what_the_app_needs_to_draw_a_scene(client, store):
    seen = client.get(ITEM, params={"annotator": "Ann"}).json()
    drawn = scene_of(store, "s1")
    assert (seen["scene"]["id"], seen["scene"]["canvas"]) == ("s1", [drawn.width, drawn.height])
    layers = seen["scene"]["layers"]
    assert [(one["index"], one["name"]) for one in layers] == [(i, f"layer {i}") for i in range(5)]
    picture = client.get(layers[1]["url"])
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert "immutable" in picture.headers["cache-control"]
    state = client.get("/state").json()
    assert (state["mode"], state["limits"], state["annotators"]) == ("scenes", {"shards": [3, 6]}, ["Ann"])
    assert [one["questions"] for one in client.get("/scenes").json()] == [["s1-q1"], ["s2-q1"]]
    assert client.get("/queue", params={"annotator": "Ann"}).json()[0] == {
        **{"item": "s1-q1", "stage": "author", "slot": "author", "title": "s1", "mine": True},
        **{"picture": seen["scene"]["composite"], "waiting_for": None},
    }


def test_a_stale_save_is_told_the_newest_and_changes_nothing(client, store):
    client.post(ITEM, json=body(QUESTION))
    stale = client.post(ITEM, json=body(SceneContent(question="mine")))
    assert stale.status_code == 409
    told = stale.json()
    assert (told["revision"], told["annotator"], told["content"]["question"]) == (2, "Ann", QUESTION.question)
    assert told["saved_at"].endswith("+00:00")
    assert store.newest("s1-q1", "author").number == 2
    finish = client.post(f"{ITEM}/finish", json={"annotator": "Ann", "slot": "author", "revision": 1})
    assert (finish.status_code, finish.json()["revision"]) == (409, 2)


def test_what_is_sent_again_because_its_answer_was_lost_is_kept_once(client, store):
    for _ in range(2):
        assert client.post(ITEM, json=body(QUESTION)).json()["revision"] == 2
    finish = {"annotator": "Ann", "slot": "author", "revision": 2}
    for _ in range(2):
        done = client.post(f"{ITEM}/finish", json=finish)
        assert done.json() == {"stage": "check", "revision": 3}
    assert len(store.history("s1-q1", "author")) == 3


def test_finishing_with_broken_rules_names_them(client):
    answer = client.post(f"{ITEM}/finish", json={"annotator": "Ann", "slot": "author", "revision": 1})
    assert answer.status_code == 422
    assert ("question", "not-empty") in rules(answer)
    assert ("minimal_sets", "not-empty") in rules(answer)


def test_history_holds_every_revision_for_who_wrote_it(client):
    client.post(ITEM, json=body(QUESTION))
    history = client.get(f"{ITEM}/history", params={"slot": "author", "annotator": "Ann"}).json()
    assert [(one["number"], one["content"]["question"]) for one in history] == [
        (1, ""),
        (2, QUESTION.question),
    ]
    assert client.get(f"{ITEM}/history", params={"slot": "author", "annotator": "Bob"}).status_code == 403


def test_another_takes_over_what_was_left(client):
    refused = client.post(ITEM, json=body(QUESTION, 0, annotator="Bob"))
    assert (refused.status_code, rules(refused)) == (403, [("annotator", "held-by-another")])
    assert client.post(f"{ITEM}/take", json={"annotator": "Bob", "slot": "author"}).json() == {"revision": 2}
    assert client.post(ITEM, json=body(QUESTION, 2, annotator="Bob")).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"revision": "1"}, "revision"),
        ({"revision": None}, "revision"),
        ({"slot": "overseer"}, "slot"),
        ({"annotator": 7}, "annotator"),
        ({"annotator": ""}, "annotator"),
        ({"annotator": "x" * 61}, "annotator"),
        ({"annotator": "A\u202enn"}, "annotator"),
        ({"annotator": "A\x00nn"}, "annotator"),
        ({"more": 1}, "more"),
        ({"content": "text"}, "body"),
        ({"content": {"question": 1}}, "question"),
        ({"content": {"answers": "x"}}, "answers"),
        ({"content": {"minimal_sets": [[0, -1]]}}, "minimal_sets[0][1]"),
        ({"content": {"minimal_sets": [[True]]}}, "minimal_sets[0][0]"),
        ({"content": {"dependencies": [[1, 2, 3]]}}, "dependencies[0]"),
        ({"content": {"shards": [{"text": "a", "span": [1]}]}}, "shards[0].span"),
        ({"content": {"decision": "maybe"}}, "decision"),
        ({"content": {"minimal_sets": [[0]] * (MOST + 1)}}, "minimal_sets"),
        ({"content": {"question": "x" * 20_001}}, "question"),
    ],
)
def test_a_body_of_another_form_names_the_field(client, changes, field):
    answer = client.post(ITEM, json={**body(QUESTION), **changes})
    assert answer.status_code == 422
    assert any(one["field"].startswith(field) for one in answer.json()["problems"])
    assert set(answer.json()["problems"][0]) == {"field", "rule", "found", "allowed"}


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b'{"annotator": "\\ud800"}', b"[" * 5000]
)
def test_a_body_that_is_no_json_object_is_refused(client, text):
    answer = client.post(ITEM, content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert rules(answer)


def test_half_a_surrogate_pair_is_refused_rather_than_stored(client):
    text = json.dumps({**body(QUESTION), "content": {"question": "\ud83d"}})
    answer = client.post(ITEM, content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 422


def test_a_body_beyond_all_measure_is_refused(client):
    answer = client.post(ITEM, content=b" " * (MOST_BYTES + 1), headers={"content-type": "application/json"})
    assert (answer.status_code, rules(answer)) == (413, [("body", "size")])


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_only_json_is_taken_so_that_no_form_of_another_site_can_post(client, media):
    text = json.dumps(body(QUESTION))
    answer = client.post(ITEM, content=text, headers={"content-type": media})
    assert (answer.status_code, rules(answer)) == (415, [("content-type", "json")])


def test_json_with_a_charset_is_taken(client):
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.post(ITEM, content=json.dumps(body(QUESTION)), headers=headers).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:7860", "", "[::2]", "192.168.1.5", "[x"]
)
def test_another_name_that_leads_here_is_refused(client, host):
    answer = client.get("/state", headers={"host": host})
    assert answer.status_code == 400
    assert rules(answer) == [("host", "own-name")]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:7860", "LOCALHOST", "[::1]:7860"])
def test_this_machines_own_names_are_served(client, host):
    assert client.get("/state", headers={"host": host}).status_code == 200


def test_a_server_for_others_is_reached_by_address_and_given_names_alone(store):
    opened = site(store, names=names_for("0.0.0.0", ["desk.local"]), addresses=True)
    for host, status in {"192.168.1.5:80": 200, "Desk.local": 200, "evil.example": 400}.items():
        assert opened.get("/state", headers={"host": host}).status_code == status


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_site_cannot_post(client, origin):
    answer = client.post(ITEM, json=body(QUESTION), headers={"origin": origin})
    assert (answer.status_code, rules(answer)) == (403, [("origin", "same-site")])
    assert client.post(ITEM, json=body(QUESTION), headers={"origin": ADDRESS}).status_code == 200


def test_every_answer_keeps_browsers_to_this_server(client):
    for path in ("/state", "/nothing", "/web/none.js"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "script-src 'self';" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/web/../store.py",
        "/web/%2e%2e/store.py",
        "/web/..%2fstore.py",
        "/web/words/../../store.py",
        "/web/%2fetc%2fpasswd",
        "/web/.hidden.js",
        "/web/a/b/c.js",
        "/web/store.py",
        "/pictures/..%2f..%2fannotation.sqlite",
        "/pictures/annotation.sqlite",
        f"/pictures/{'0' * 64}.png",
        f"/pictures/{'0' * 63}G.png",
        "/items/none",
        "/docs",
        "/openapi.json",
        "/gradio_api/file=store.py",
    ],
)
def test_nothing_but_the_apps_own_files_is_served(client, path):
    answer = client.get(path, params={"annotator": "Ann"})
    assert answer.status_code == 404
    assert rules(answer)


def test_files_and_words_of_the_browser_side(store, tmp_path):
    web = tmp_path / "web"
    (web / "words").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html>")
    (web / "app.js").write_text("1")
    (web / "words" / "ru.yaml").write_text("saved: сохранено\n")
    (web / "words" / "en.json").write_text('{"saved": "saved"}')
    opened = site(store, web)
    assert opened.get("/").headers["content-type"] == "text/html; charset=utf-8"
    assert opened.get("/web/app.js").headers["content-type"].startswith("text/javascript")
    assert opened.get("/web/words/ru.json").json() == {"saved": "сохранено"}
    assert opened.get("/web/words/en.json").json() == {"saved": "saved"}


def test_markup_in_what_people_write_stays_text(client, store):
    hostile = QUESTION.model_copy(update={"question": XSS, "note": XSS})
    client.post(ITEM, json=body(hostile))
    seen = client.get(ITEM, params={"annotator": "Ann"})
    assert seen.headers["content-type"] == "application/json"
    assert (seen.json()["content"]["question"], seen.json()["content"]["note"]) == (XSS, XSS)
    assert client.get("/queue", params={"annotator": XSS[:60]}).json()[-1]["title"] in (XSS, "s2")
    refused = client.get(f"/items/{XSS[:20]}", params={"annotator": "Ann"})
    assert refused.headers["content-type"] == "application/json"


def test_a_name_is_asked_for(client):
    for path in ("/queue", ITEM, f"{ITEM}/history?slot=author"):
        answer = client.get(path)
        assert (answer.status_code, rules(answer)) == (422, [("annotator", "name")])
    answer = client.get(f"{ITEM}/history", params={"annotator": "Ann", "slot": "x"})
    assert rules(answer) == [("slot", "known")]


def test_other_methods_are_refused(client):
    answer = client.put(ITEM, json={})
    assert (answer.status_code, rules(answer)) == (405, [("address", "known")])


def test_a_store_that_cannot_be_written_is_told_as_the_servers_fault(client, monkeypatch):
    def full(*_, **__):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(actions, "save", full)
    answer = client.post(ITEM, json=body(QUESTION))
    assert (answer.status_code, rules(answer)) == (503, [("store", "can-be-written")])


def test_pages_come_with_picture_text_and_sizes(tmp_path):
    store = page_store(tmp_path)
    client = site(store)
    seen = client.get("/items/folder-статья-p0001", params={"annotator": "Аня"}).json()
    assert (seen["mode"], seen["slot"], seen["page"]["document"]) == ("pages", "author", "folder-статья")
    assert seen["content"]["labels"] == ["diagrams", "figures"]
    assert client.get(seen["page"]["picture"]).status_code == 200
    write(store, "folder-статья-p0001", "author", "Аня", actions.PageContent(decision="reject", note="x"))
    assert client.get("/state").json()["counts"]["rejected"] == 1
    store.close()


def test_addresses_of_other_names_do_not_fall_together():
    assert address("full", "p1", "1") == "full.p1.1"
    assert address("folder-отчёт-p0001") == "folder-отчёт-p0001"
    strange = [
        address("a/b"),
        address("a", "b"),
        address("a-b"),
        address("a b"),
        address("../a"),
        address("/"),
    ]
    assert len(set(strange)) == len(strange)
    assert all("/" not in one and not one.startswith(".") for one in strange)
