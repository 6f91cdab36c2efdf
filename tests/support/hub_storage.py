"""What a Hub keeps: content by hash, commits as snapshots, branches, tags, pull requests."""

import hashlib
from dataclasses import dataclass, field


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def git_blob(data):
    return hashlib.sha1(b"blob %d\x00" % len(data) + data).hexdigest()


def pointer(oid, size):
    """Return the text that stands in git for a file of the large-file store."""
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n".encode()


@dataclass(frozen=True)
class Entry:
    """A file of a tree: its bytes lie in the large-file store under `lfs`, or in git under `blob`."""

    blob: str
    size: int
    lfs: str | None = None

    @property
    def etag(self):
        return self.lfs or self.blob


@dataclass(frozen=True)
class Commit:
    oid: str
    parent: str | None
    message: str
    files: dict


class Refused(Exception):  # noqa: N818 - an answer of the server, not a fault
    """A request that the Hub answers with a status, a message and an error code."""

    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status, self.code = status, code


@dataclass
class Repo:
    """One dataset repository."""

    private: bool
    lfs: dict
    blobs: dict = field(default_factory=dict)
    commits: dict = field(default_factory=dict)
    branches: dict = field(default_factory=dict)
    tags: dict = field(default_factory=dict)
    pulls: dict = field(default_factory=dict)

    def __post_init__(self):
        self.branches["main"] = self._commit(
            None, "initial commit", {".gitattributes": self.put(b"*.png lfs\n")}
        )

    def _commit(self, parent, message, files):
        text = "\n".join(f"{path} {entry.blob}" for path, entry in sorted(files.items()))
        oid = hashlib.sha1(f"{parent}\n{len(self.commits)}\n{message}\n{text}".encode()).hexdigest()
        self.commits[oid] = Commit(oid, parent, message, dict(files))
        return oid

    def put(self, data):
        self.blobs[git_blob(data)] = data
        return Entry(git_blob(data), len(data))

    def resolve(self, revision):
        """Return the commit of a branch, tag, pull request or commit hash."""
        pulls = {f"refs/pr/{number}": pull["head"] for number, pull in self.pulls.items()}
        oid = (self.branches | self.tags | pulls).get(revision, revision)
        if oid not in self.commits:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[oid]

    def commit(self, revision, lines):
        """Apply the lines of a commit request to a branch or pull request; all or nothing."""
        head = self.resolve(revision)
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit") not in (None, head.oid):
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        files = dict(head.files)
        for line in lines:
            self._apply(files, line["key"], line["value"])
        oid = self._commit(head.oid, header["summary"], files)
        if revision.startswith("refs/pr/"):
            self.pulls[int(revision.rsplit("/", 1)[1])]["head"] = oid
        else:
            self.branches[revision] = oid
        return oid

    def open_pull(self, title, status):
        """Open a pull request at the head of `main`; return its number."""
        number = len(self.pulls) + 1
        self.pulls[number] = {"title": title, "status": status, "head": self.branches["main"]}
        return number

    def merge(self, number):
        """Put what a pull request changes on top of `main`."""
        asked = self.pulls[number]
        changed = self.commits[asked["head"]].files
        files = dict(self.commits[self.branches["main"]].files) | changed
        self.branches["main"] = self._commit(self.branches["main"], asked["title"], files)
        asked["status"] = "merged"

    def _apply(self, files, key, value):
        if key == "file":
            files[value["path"]] = self.put(value["content"])
        elif key == "lfsFile":
            if value["oid"] not in self.lfs:
                raise Refused(400, f"LFS pointer pointed to a file that does not exist: {value['path']}")
            size = len(self.lfs[value["oid"]])
            files[value["path"]] = Entry(git_blob(pointer(value["oid"], size)), size, value["oid"])
        elif key == "deletedFile":
            if files.pop(value["path"], None) is None:
                raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
        elif key != "header":
            raise Refused(400, f"unknown operation {key}")

    def content(self, entry):
        return self.lfs[entry.lfs] if entry.lfs else self.blobs[entry.blob]

    def tree(self, revision):
        """Return path -> bytes at a revision, without the Hub's own file."""
        files = self.resolve(revision).files
        return {path: self.content(entry) for path, entry in files.items() if path != ".gitattributes"}
