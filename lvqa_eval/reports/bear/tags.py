"""The types of wrong answers that people have tagged in a run: `error-tags.jsonl` in its folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lvqa_eval.errors import LvqaError
from lvqa_eval.metrics.bear.error_types import ERROR_TYPES
from lvqa_eval.runs.lines import read_lines
from lvqa_eval.runs.reading import decoder
from lvqa_eval.runs.records import Key

ERROR_TAGS = "error-tags.jsonl"

Tags = Mapping[Key, tuple[str, ...]]
"""The tags of each wrong answer that somebody looked at."""


class ErrorTagsError(LvqaError, ValueError):
    """A file of tags that cannot be used; one line for each reason."""


@dataclass(frozen=True)
class TagRecord:
    """One answer that somebody looked at, and the types of its errors; none where no type fits."""

    condition: str
    question_id: str
    run: int
    tags: tuple[str, ...]

    @property
    def key(self) -> Key:
        """The name of the conversation."""
        return Key(self.condition, self.question_id, self.run)


def read_tags(folder: Path) -> Tags | None:
    """Return the tags of the run in `folder`, of an answer that is there twice the last; None without a file.

    Raises ErrorTagsError with every line that is no record, and every tag that no error type has.
    """
    path = folder / ERROR_TAGS
    if not path.is_file():
        return None
    records, problems = read_lines(path, decoder(TagRecord))
    faults = list(map(str, problems))
    for record in records:
        for tag in sorted(set(record.tags) - ERROR_TYPES.keys()):
            where = f"{record.condition}, question {record.question_id}, run {record.run}"
            faults.append(f"{path}: {where}: tags: found {tag!r}, allowed: {', '.join(ERROR_TYPES)}")
    if faults:
        raise ErrorTagsError("\n".join(faults))
    return {record.key: record.tags for record in records}
