"""What the loopback Hub answers, one function a route.

Each takes (handler, repository, query, body, parts of the path) and gives (status, content, headers).
"""

import base64
import json
from urllib.parse import parse_qs, urlsplit

from tests.support.hub_storage import Entry, Refused, Repo, sha256

USER = "tester"
DATE = "2026-01-01T00:00:00.000Z"


def whoami(handler, repo, query, body):
    handler.authorized(must=True)
    return 200, {"type": "user", "name": USER, "orgs": [{"type": "org", "name": "ORG"}]}


def create(handler, repo, query, body):
    asked = json.loads(body)
    name = f"{asked.get('organization') or USER}/{asked['name']}"
    if name.split("/", maxsplit=1)[0] not in ("ORG", USER):
        raise Refused(403, f"You don't have the rights to create a dataset under {name}")
    url = {"url": f"{handler.hub.url}/datasets/{name}"}
    if name in handler.hub.repos:
        return 409, {"error": "You already created this dataset repo", **url}
    handler.hub.repos[name] = Repo(asked.get("visibility") == "private", handler.hub.lfs)
    return 200, url


def info(handler, repo, query, body, revision="main"):
    commit = repo.resolve(revision)
    siblings = [{"rfilename": path} for path in commit.files]
    return 200, {
        "id": repo.name, "sha": commit.oid, "private": repo.private, "siblings": siblings,
        "lastModified": DATE, "tags": [], "downloads": 0, "likes": 0,
    }  # fmt: skip


def refs(handler, repo, query, body):
    def named(kind, pairs):
        return [
            {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid} for name, oid in pairs.items()
        ]

    return 200, {"branches": named("heads", repo.branches), "tags": named("tags", repo.tags), "converts": []}


def described(path, entry):
    shown = {"type": "file", "path": path, "oid": entry.blob, "size": entry.size}
    large = {"oid": entry.lfs, "size": entry.size, "pointerSize": 130}
    return shown | ({"lfs": large} if entry.lfs else {})


def folders(files):
    return {path.rsplit("/", n)[0] for path in files for n in range(1, path.count("/") + 1)}


def tree(handler, repo, query, body, revision, path=None):
    files = repo.resolve(revision).files
    start = f"{path}/" if path else ""
    below = {name: entry for name, entry in files.items() if name.startswith(start)}
    if path and not below:
        raise Refused(404, f"{path} does not exist", "EntryNotFound")
    shown = [described(name, entry) for name, entry in below.items()]
    shown += [
        {"type": "directory", "path": name, "oid": "0" * 40, "size": 0}
        for name in folders(below)
        if name != path
    ]
    if query.get("recursive", ["false"])[0].lower() != "true":
        shown = [one for one in shown if "/" not in one["path"][len(start) :]]
    shown = sorted((one for one in shown if one["path"].startswith(start)), key=lambda one: one["path"])
    first, page = int(query.get("cursor", ["0"])[0]), handler.hub.page
    more = {}
    if first + page < len(shown):
        kept = "".join(f"{name}={values[0]}&" for name, values in query.items() if name != "cursor")
        url = f"{handler.hub.url}{urlsplit(handler.path).path}?{kept}cursor={first + page}"
        more = {"Link": f'<{url}>; rel="next"'}
    return 200, shown[first : first + page], more


def paths_info(handler, repo, query, body, revision):
    files = repo.resolve(revision).files
    asked = [path.rstrip("/") for path in parse_qs(body.decode()).get("paths", [])]
    found = [described(path, files[path]) for path in asked if path in files]
    found += [
        {"type": "directory", "path": path, "oid": "0" * 40} for path in asked if path in folders(files)
    ]
    return 200, found


def preupload(handler, repo, query, body, revision):
    files = repo.resolve(revision).files
    return 200, {
        "files": [
            {
                "path": one["path"],
                "uploadMode": "lfs" if one["path"].endswith((".png", ".gz")) else "regular",
                "shouldIgnore": False,
                "oid": files[one["path"]].etag if one["path"] in files else None,
            }
            for one in json.loads(body)["files"]
        ]
    }


def lfs_batch(handler, repo, query, body):
    def actions(one):
        if one["oid"] in handler.hub.lfs:
            return {}
        url = f"{handler.hub.url}/store"
        return {"actions": {"upload": {"href": f"{url}/{one['oid']}"}, "verify": {"href": f"{url}/verify"}}}

    asked = json.loads(body)["objects"]
    return 200, {"transfer": "basic", "objects": [{**one, **actions(one)} for one in asked]}


def store(handler, repo, query, body, oid):
    if sha256(body) != oid:
        raise Refused(400, "the content is not what its name says")
    handler.hub.lfs[oid] = body
    return 200, {}


def verify(handler, repo, query, body):
    asked = json.loads(body)
    if len(handler.hub.lfs.get(asked["oid"], b"")) != asked["size"]:
        raise Refused(404, "not stored")
    return 200, {}


def stored(handler, repo, query, body, oid):
    return 200, handler.hub.lfs[oid], {"ETag": f'"{oid}"'}


def commit(handler, repo, query, body, revision):
    lines = [json.loads(line) for line in body.splitlines() if line]
    for line in lines:
        if line["key"] == "file":
            line["value"]["content"] = base64.b64decode(line["value"]["content"])
    url = f"{handler.hub.url}/datasets/{repo.name}"
    told = {}
    if query.get("create_pr") == ["1"]:
        title = next(line["value"]["summary"] for line in lines if line["key"] == "header")
        number = repo.open_pull(title, "open")
        revision, told = f"refs/pr/{number}", {"pullRequestUrl": f"{url}/discussions/{number}"}
    oid = repo.commit(revision, lines)
    return 200, {"commitUrl": f"{url}/commit/{oid}", "commitOid": oid, **told}


def tag(handler, repo, query, body, revision):
    name = json.loads(body)["tag"]
    if name in repo.tags:
        raise Refused(409, "Tag reference exists already")
    repo.tags[name] = repo.resolve(revision).oid
    return 200, {}


def branch(handler, repo, query, body, name):
    if name in repo.branches:
        raise Refused(409, "Reference already exists")
    repo.branches[name] = repo.resolve("main").oid
    return 200, {}


def pull(repo, number):
    return {
        "num": number, "title": repo.pulls[number]["title"], "status": repo.pulls[number]["status"],
        "author": {"name": USER}, "createdAt": DATE, "repo": {"name": repo.name, "type": "dataset"},
        "isPullRequest": True, "events": [], "changes": {"base": "refs/heads/main"}, "filesWithConflicts": [],
    }  # fmt: skip


def pulls(handler, repo, query, body):
    if handler.command == "GET":
        shown = [pull(repo, number) for number in repo.pulls]
        return 200, {"discussions": shown, "count": len(shown), "start": 0}
    return 200, pull(repo, repo.open_pull(json.loads(body)["title"], "draft"))


def one_pull(handler, repo, query, body, number):
    return 200, pull(repo, int(number))


def pull_status(handler, repo, query, body, number):
    status = repo.pulls[int(number)]["status"] = json.loads(body)["status"]
    event = {"id": "0", "type": "status-change", "createdAt": DATE, "data": {"status": status}}
    return 200, {"newStatus": event}


def resolve(handler, repo, query, body, revision, path):
    at = repo.resolve(revision)
    headers = {"X-Repo-Commit": at.oid}
    entry: Entry | None = at.files.get(path)
    if entry is None:
        return 404, {"error": "Entry not found"}, {**headers, "X-Error-Code": "EntryNotFound"}
    if entry.lfs:
        linked = {"X-Linked-Etag": f'"{entry.lfs}"', "X-Linked-Size": str(entry.size)}
        # Large files come from another host, to which the client sends no token.
        return 302, b"", {**headers, **linked, "Location": f"{handler.hub.store_url}/store/{entry.lfs}"}
    return 200, repo.content(entry), {**headers, "ETag": f'"{entry.blob}"'}


def card_is_yaml(handler, repo, query, body):
    return 200, {"errors": [], "warnings": []}


_REPO = r"(?P<repo>[^/]+/[^/]+)"
_API = rf"/api/datasets/{_REPO}"
_REV = r"(?P<revision>[^/]+)"
_GET = ("GET", "HEAD")
ROUTES = [
    (_GET, "/api/whoami-v2", whoami),
    (("POST",), "/api/repos/create", create),
    (("POST",), "/api/validate-yaml", card_is_yaml),
    (_GET, _API, info),
    (_GET, rf"{_API}/revision/{_REV}", info),
    (_GET, rf"{_API}/refs", refs),
    (_GET, rf"{_API}/tree/{_REV}(?:/(?P<path>.+))?", tree),
    (("POST",), rf"{_API}/paths-info/{_REV}", paths_info),
    (("POST",), rf"{_API}/preupload/{_REV}", preupload),
    (("POST",), rf"{_API}/commit/{_REV}", commit),
    (("POST",), rf"{_API}/tag/{_REV}", tag),
    (("POST",), rf"{_API}/branch/(?P<name>[^/]+)", branch),
    (("GET", "POST"), rf"{_API}/discussions", pulls),
    (_GET, rf"{_API}/discussions/(?P<number>\d+)", one_pull),
    (("POST",), rf"{_API}/discussions/(?P<number>\d+)/status", pull_status),
    (("POST",), rf"/datasets/{_REPO}\.git/info/lfs/objects/batch", lfs_batch),
    (("POST",), "/store/verify", verify),
    (("PUT",), r"/store/(?P<oid>[0-9a-f]{64})", store),
    (_GET, r"/store/(?P<oid>[0-9a-f]{64})", stored),
    (_GET, rf"/datasets/{_REPO}/resolve/{_REV}/(?P<path>.+)", resolve),
]
