"""The server of the pages, without a browser: named endpoints, what is served and what is not, documents."""

import gzip
import io
import json

import httpx2 as http
import pytest

TABLES = {
    "layered": "Northwind/Vista-32B",
    "layered-conditions": "Northwind/Vista-32B",
    "bear": "Qwen3.5-9B",
    "detectors": "Qwen3.5-9B",
    "judges": "referee-a",
    "judges-crossed": "referee-a",
    "judges-agreement": "referee-b",
    "history": "Halden/Glimpse Pro",
}
"""A name that stands in each table."""


@pytest.fixture(scope="module")
def web(url):
    with http.Client(base_url=url, timeout=60) as client:
        yield client


def test_programs_call_every_table_by_its_name(url, web):
    from gradio_client import Client

    client = Client(url, verbose=False)
    info = client.view_api(return_format="dict", print_info=False)
    named = {name.strip("/") for name in info["named_endpoints"]}
    assert set(TABLES) <= named
    assert not any(name.startswith(("js_fn", "lambda")) for name in named)
    for name, held in TABLES.items():
        table = client.predict(api_name=f"/{name}")
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
        assert held in {cell for row in table["rows"] for cell in row}
        file = web.get(f"/downloads/{name}.json").json()
        assert (table["columns"], len(table["rows"])) == (file["columns"], len(file["rows"]))
    found = client.predict(q="vista", order="joint", open="open", api_name="/layered")
    assert [row[3] for row in found["rows"]] == ["Northwind/Vista-32B"]
    assert client.predict(verified=True, api_name="/layered")["rows"] == []
    with pytest.raises(Exception, match="order: found 'best', allowed: delivered, full"):
        client.predict(order="best", api_name="/layered")


def test_plain_requests_call_a_table_as_well(web):
    names = {"lang": "ru", "q": "glimpse"}
    info = web.get("/gradio_api/info").json()["named_endpoints"]["/layered"]["parameters"]
    data = [names.get(one["parameter_name"], "") for one in info]
    event = web.post("/gradio_api/call/layered", json={"data": data}).json()["event_id"]
    told = web.get(f"/gradio_api/call/layered/{event}").text
    assert told.startswith("event: complete\n")
    (table,) = json.loads(told.partition("data: ")[2])
    assert [row[3] for row in table["rows"]] == ["Halden/Glimpse Pro"]
    assert "Подача" in [one["title"] for one in table["columns"]]


def test_nothing_but_what_is_named_is_served(web, board):
    receipt = next(board.folder.glob("submissions/*/receipt.json"))
    for path in (board.folder / "board.yaml", board.folder / "log.jsonl", receipt, "/etc/hostname"):
        assert web.get(f"/gradio_api/file={path}").status_code == 403
    for path in ("../board.yaml", "..%2Fboard.yaml", "layered.yaml", "nothing.csv", "layered", ".csv"):
        assert web.get(f"/downloads/{path}").status_code == 404
    for path in ("/docs", "/redoc", "/openapi.json", "/views/nothing", "/views/..%2F..", "/monitoring"):
        assert web.get(path).status_code in (403, 404), path


def test_another_site_reads_nothing(web):
    assert web.get("/", headers={"host": "elsewhere.example"}).status_code == 400
    assert web.get("/views/layered", headers={"host": "elsewhere.example"}).status_code == 400
    policy = web.get("/").headers["content-security-policy"]
    assert "http" not in policy


def test_uploads_have_a_limit(web, board):
    limit = board.settings.limits.packed_bytes

    class Zeros(io.RawIOBase):
        left = limit + 1

        def read(self, size=-1):
            block = bytes(min(self.left, 1 << 20 if size < 0 else size))
            self.left -= len(block)
            return block

    answer = web.post("/gradio_api/upload", files={"files": ("run.jsonl.gz", Zeros())})
    assert answer.status_code == 413


def test_an_answer_is_packed_and_known_by_its_hash(web):
    first = web.get("/views/layered?lang=en", headers={"accept-encoding": "gzip"})
    assert first.headers["content-encoding"] == "gzip"
    plain = web.get("/views/layered?lang=en", headers={"accept-encoding": "identity"})
    assert ("content-encoding" in plain.headers, plain.content) == (False, first.content)
    assert len(gzip.compress(plain.content)) < len(plain.content) / 5
    again = web.get("/views/layered?lang=en", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = web.get("/views/layered?lang=ru", headers={"if-none-match": first.headers["etag"]})
    assert other.status_code == 200


def test_only_what_depends_on_a_change_is_sent(web):
    whole = web.get("/views/layered?lang=en").json()
    ordered = web.get("/views/layered?lang=en&order=joint&changed=order").json()
    assert ordered["link"] == "?lang=en&order=joint"
    head, place = ordered["shown"]
    assert ordered["shown"][head] == whole["shown"][head]
    assert "lv-rank" in ordered["shown"][place]
    assert ordered["shown"][place] != whole["shown"][place]
    nothing = web.get("/views/layered?lang=en&changed=unknown,<b>").json()
    assert (list(nothing["shown"]), nothing["values"]) == ([head], whole["values"])
    assert web.get("/views/layered?lang=ru&changed=lang").json()["shown"].keys() == whole["shown"].keys()


def test_a_query_that_is_no_link_is_refused(web):
    assert web.get("/views/layered?q=" + "x" * 5000).status_code == 414
    assert web.get("/views/layered?lang=en&q=%ff%fe&order=%00").status_code == 200


def test_the_old_name_of_the_first_page_leads_there(web):
    answer = web.get("/layered?lang=ru&q=a", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "./?lang=ru&q=a")


def test_documents_are_small_and_name_the_server_as_it_was_reached(web, url):
    config = web.get("/config")
    assert len(config.content) < 400_000
    assert config.json()["root"] == url
    assert not any(one["props"].get("value") for one in config.json()["components"] if one["type"] == "html")
    proxied = {"x-forwarded-host": "board.example", "x-forwarded-proto": "https"}
    assert web.get("/config", headers=proxied).json()["root"] == "https://board.example"
    assert web.get("/config").json()["root"] == url


def test_what_cannot_be_served_is_said(pages, board, url, tmp_path):
    nothing = pages.start("leaderboard", tmp_path, "--no-open").ended()
    assert nothing.endswith("board.yaml is missing; `lvqa board init` makes one\n")
    taken = pages.start("leaderboard", board.folder, "--no-open", "--port", url.rpartition(":")[2]).ended()
    assert "Address already in use" in taken
    assert taken.endswith("; 0 takes a free one\n")
