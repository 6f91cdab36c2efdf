"""Publish a folder: check it, plan, send what is missing, switch over in one commit, tag."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dataset_builders.bear_bench.facts import licence_of_all
from dataset_builders.licences import ANNOTATIONS
from dataset_builders.publishing.errors import PublishError, clear_errors, persist
from dataset_builders.publishing.licensing import MIXED, Licensing, hub_identifier, licensing
from dataset_builders.publishing.lint import read_head
from dataset_builders.publishing.plan import (
    CARD,
    BatchSize,
    LocalFile,
    Plan,
    RemoteFile,
    batches,
    describe,
    local_files,
    make_plan,
)
from dataset_builders.publishing.repository import MAIN, Repository, State, is_pull_request
from dataset_builders.validate import validate
from lvqa_eval.dataset import Dataset
from lvqa_eval.dataset_folder import open_folder
from lvqa_eval.pages import PageDataset
from lvqa_eval.progress import progress

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Choices:
    """How to publish; `lvqa publish --help` says what each is."""

    revision: str = MAIN
    create_pr: bool = False
    private: bool = False
    tag: bool = True
    dry_run: bool = False
    annotation_licence: str = ANNOTATIONS
    allow_unknown_licence: bool = False
    batch: BatchSize = field(default_factory=BatchSize)


@dataclass(frozen=True)
class Published:
    """Where a dataset stands now: the commit that holds it, its tag, and the revision it was sent to."""

    repo_id: str
    version: str
    revision: str
    commit: str
    tag: str | None


def publish(folder: Path, repo_id: str, choices: Choices, tell: Tell, warn: Tell) -> Published | None:
    """Make a dataset repository hold exactly `folder`, under the tag of its version; None after a dry run.

    New paths are sent first, a batch a commit. One last commit then brings changed files, manifest and card
    and deletes what is stale, so that whoever reads the branch sees the old rows until it sees the new ones.
    After a break the same call sends what is still missing. Raises PublishError with every problem.
    """
    licence = check(folder, choices)
    version = open_folder(str(folder)).version
    with clear_errors(repo_id):
        job = _Job(folder, _repository(repo_id), choices, version, tell, warn)
        return job.run(licence)


def check(folder: Path, choices: Choices) -> Licensing:
    """Return the licence of the whole; raises PublishError with every problem of folder or licences."""
    found = validate(folder)
    if found:
        raise PublishError(found)
    result = _licensing(folder, choices)
    if result.problems:
        raise PublishError([f"{folder}: {line}" for line in result.problems])
    return result


def _licensing(folder: Path, choices: Choices) -> Licensing:
    dataset = open_folder(str(folder))
    chosen = (choices.annotation_licence, choices.allow_unknown_licence)
    if isinstance(dataset, PageDataset):
        return licence_of_all(dataset.rows(), *chosen)
    if isinstance(dataset, Dataset):
        return licensing({scene.scene_id: scene.licence for scene in dataset.scenes()}, *chosen)
    raise PublishError([f"{folder}: dataset: found {dataset.kind!r}, whose licences are not known here"])


def _repository(repo_id: str) -> Repository:
    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    # Our own bar counts files over the whole of it.
    disable_progress_bars()
    return Repository(repo_id, HfApi(library_name="lvqa"))


@dataclass(frozen=True)
class _Job:
    folder: Path
    repository: Repository
    choices: Choices
    version: str
    tell: Tell
    warn: Tell

    def run(self, licence: Licensing) -> Published | None:
        user = None if self.choices.dry_run else persist(self.repository.user, self.warn)
        state = persist(lambda: self.repository.state(self.choices.revision), self.warn)
        self._refuse(state)
        if published := self._already(state):
            return published
        self._describe(state, licence)
        if user is None:
            return None
        revision = self._prepare(state, user)
        commit = persist(lambda: self._send(revision), self.warn)
        tag = self._tag(revision, commit)
        return Published(self.repository.repo_id, self.version, revision, commit, tag)

    @property
    def _name_of_tag(self) -> str:
        return f"v{self.version}"

    @property
    def _title(self) -> str:
        return f"Publish version {self.version}"

    def _plan(self, files: Mapping[str, RemoteFile]) -> Plan:
        return make_plan(local_files(self.folder), files, self.choices.batch)

    def _refuse(self, state: State) -> None:
        """Raise PublishError where visibility or pull request cannot be had."""
        repo_id = self.repository.repo_id
        if self.choices.private and state.exists and not state.private:
            raise PublishError([f"{repo_id}: is public already; --private makes new repositories private"])
        if self.choices.create_pr and not state.exists:
            raise PublishError([f"{repo_id}: does not exist; a pull request needs a repository"])

    def _already(self, state: State) -> Published | None:
        """Return what the version's tag holds, where it holds this folder; raise where it holds another."""
        commit = state.tags.get(self._name_of_tag)
        if commit is None:
            return None
        files = persist(lambda: self.repository.files(commit), self.warn)
        if not self._plan(files).is_empty:
            raise PublishError(
                [
                    f"{self.repository.repo_id}: {self._name_of_tag}: is published with other content "
                    f"(commit {commit[:12]}) and never changes; build this with a new --version"
                ]
            )
        return Published(self.repository.repo_id, self.version, self._name_of_tag, commit, self._name_of_tag)

    def _describe(self, state: State, licence: Licensing) -> None:
        revision = "a pull request" if self.choices.create_pr else self.choices.revision
        new = "" if state.exists else " (new)"
        self.tell(f"{self.repository.repo_id}{new} at {revision}, version {self.version}")
        for line in describe(self._plan(state.files)):
            self.tell(line)
        self.tell(f"  tag     {self._name_of_tag if self._tags(self.choices.revision) else 'none'}")
        self.tell(f"  licence {licence.whole}: {', '.join(licence.terms) or 'no terms'}")
        for note in [*licence.notes, *_card_licence(self.folder, licence)]:
            self.warn(note)

    def _prepare(self, state: State, user: str) -> str:
        """Create what is missing: repository, branch or pull request; return the revision to send to."""
        choices = self.choices
        if not state.exists:
            persist(lambda: self.repository.create(choices.private), self.warn)
        if choices.create_pr:
            number = persist(lambda: self.repository.pull_request(self._title, user), self.warn)
            return f"refs/pr/{number}"
        if not state.has_branch and choices.revision != MAIN:
            persist(lambda: self.repository.create_branch(choices.revision), self.warn)
        return choices.revision

    def _send(self, revision: str) -> str:
        """Send what the revision lacks now and return its head, whose tree is checked against the folder.

        Since it looks first, it may be called again after any break.
        """
        state = self.repository.state(revision)
        plan, parent = self._plan(state.files), state.commit
        with progress("files", total=len(plan.new) + len(plan.changed)) as advance:
            for number, batch in enumerate(plan.batches, start=1):
                told = f"{self._title}: new files, {number} of {len(plan.batches)}"
                additions = self._upload(batch, revision, advance)
                parent = self.repository.commit(additions, (), revision, parent, told)
            if plan.last or plan.stale:
                additions = self._upload(plan.last, revision, advance)
                parent = self.repository.commit(additions, plan.stale, revision, parent, self._title)
        if parent is None or not self._plan(self.repository.files(parent)).is_empty:
            raise PublishError(
                [f"{self.repository.repo_id}: {revision}: is not what was sent; run this again"]
            )
        return parent

    def _upload(
        self, files: tuple[LocalFile, ...], revision: str, advance: Callable[[], None]
    ) -> list[object]:
        additions: list[object] = []
        for group in batches(files, self.choices.batch):
            additions += self.repository.upload(group, revision)
            for _ in group:
                advance()
        return additions

    def _tags(self, revision: str) -> bool:
        return self.choices.tag and not self.choices.create_pr and not is_pull_request(revision)

    def _tag(self, revision: str, commit: str) -> str | None:
        if is_pull_request(revision):
            number = int(revision.rsplit("/", 1)[1])
            persist(lambda: self.repository.open_pull_request(number), self.warn)
        if not self._tags(revision):
            return None
        tagged = persist(lambda: self.repository.tag(self._name_of_tag, commit), self.warn)
        if tagged != commit:
            where = f"{self.repository.repo_id}: {self._name_of_tag}"
            raise PublishError(
                [f"{where}: was given to commit {tagged[:12]} meanwhile, not to {commit[:12]}"]
            )
        return self._name_of_tag


def _card_licence(folder: Path, licence: Licensing) -> list[str]:
    """Return a line where the card's `license` is not that of the whole."""
    found = read_head((folder / CARD).read_text(encoding="utf-8"))["license"]
    whole = hub_identifier(licence.whole)
    if found in (whole, MIXED):
        return []
    return [f"{folder / CARD}: license: found {found}, the whole with its annotations is {whole}"]
