"""A dataset repository on the Hub: what it holds, and the few changes that publishing makes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dataset_builders.publishing.plan import LocalFile, RemoteFile

if TYPE_CHECKING:
    from huggingface_hub import HfApi

MAIN = "main"


@dataclass(frozen=True)
class State:
    """What a repository holds: `commit` is the head of the branch asked for, or of what it starts from.

    A repository that does not exist has no commit; neither has one without any.
    """

    exists: bool
    private: bool
    has_branch: bool
    commit: str | None
    tags: dict[str, str]
    files: dict[str, RemoteFile]


NOTHING = State(exists=False, private=False, has_branch=False, commit=None, tags={}, files={})


@dataclass(frozen=True)
class Repository:
    """One dataset repository, by its ORG/NAME; the token is the client's own."""

    repo_id: str
    api: "HfApi"

    def user(self) -> str:
        """Return the name that the token belongs to."""
        return str(self.api.whoami()["name"])

    def state(self, revision: str) -> State:
        """Read what the repository holds at a branch or pull request; that of `main` where there is none."""
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            refs = self.api.list_repo_refs(self.repo_id, repo_type="dataset")
        except RepositoryNotFoundError:
            return NOTHING
        has_branch = revision in [branch.name for branch in refs.branches] or is_pull_request(revision)
        info = self.api.dataset_info(self.repo_id, revision=revision if has_branch else MAIN)
        return State(
            exists=True,
            private=bool(info.private),
            has_branch=has_branch,
            commit=info.sha,
            tags={tag.name: tag.target_commit for tag in refs.tags},
            files=self.files(info.sha) if info.sha else {},
        )

    def files(self, revision: str) -> dict[str, RemoteFile]:
        """Return path -> file of the whole tree at a revision."""
        from huggingface_hub.hf_api import RepoFile

        tree = self.api.list_repo_tree(self.repo_id, recursive=True, revision=revision, repo_type="dataset")
        return {
            file.path: RemoteFile(file.path, file.size, file.lfs.sha256 if file.lfs else None, file.blob_id)
            for file in tree
            if isinstance(file, RepoFile)
        }

    def create(self, private: bool) -> None:
        """Create the repository; nothing where it exists."""
        self.api.create_repo(self.repo_id, repo_type="dataset", private=private or None, exist_ok=True)

    def create_branch(self, name: str) -> None:
        """Start a branch at the head of `main`; nothing where it exists."""
        self.api.create_branch(self.repo_id, branch=name, repo_type="dataset", exist_ok=True)

    def pull_request(self, title: str, user: str) -> int:
        """Return the number of the user's open pull request of that title, or of a new draft."""
        found = self.api.get_repo_discussions(
            self.repo_id, repo_type="dataset", discussion_type="pull_request", author=user
        )
        for one in found:
            if one.title == title and one.status in ("draft", "open"):
                return one.num
        return self.api.create_pull_request(self.repo_id, title=title, repo_type="dataset").num

    def open_pull_request(self, number: int) -> None:
        """Take a pull request out of draft: it is whole now."""
        details = self.api.get_discussion_details(self.repo_id, number, repo_type="dataset")
        if details.status == "draft":
            self.api.change_discussion_status(self.repo_id, number, "open", repo_type="dataset")

    def upload(self, files: Iterable[LocalFile], revision: str) -> list[Any]:
        """Send the content of files that go to the large-file store; return the operations to commit."""
        from huggingface_hub import CommitOperationAdd

        additions = [CommitOperationAdd(file.path, str(file.source)) for file in files]
        self.api.preupload_lfs_files(
            self.repo_id, additions, repo_type="dataset", revision=revision, free_memory=False
        )
        return additions

    def commit(
        self,
        additions: Sequence[Any],
        stale: Sequence[RemoteFile],
        revision: str,
        parent: str | None,
        told: str,
    ) -> str:
        """Add and delete files in one commit on top of `parent`, the head; return the commit."""
        from huggingface_hub import CommitOperationDelete

        made = self.api.create_commit(
            self.repo_id,
            [*additions, *(CommitOperationDelete(file.path, is_folder=False) for file in stale)],
            commit_message=told,
            repo_type="dataset",
            revision=revision,
            parent_commit=parent,
        )
        return str(made.oid)

    def tag(self, name: str, commit: str) -> str:
        """Give a commit a tag, unless there is one of that name; return the commit that has the tag then."""
        self.api.create_tag(self.repo_id, tag=name, revision=commit, repo_type="dataset", exist_ok=True)
        return str(self.api.dataset_info(self.repo_id, revision=name).sha)


def is_pull_request(revision: str) -> bool:
    """Return whether a revision is that of a pull request."""
    return revision.startswith("refs/pr/")
