"""Where two contents of one item differ in what both were asked for."""

from dataset_builders.annotator.contents import Content, ErrorContent, PageContent, SceneContent
from lvqa_eval.judging.numbers import Language
from lvqa_eval.judging.text import normalise


def differing(one: Content, other: Content, language: Language | None = None) -> tuple[str, ...]:
    """Return the fields that differ; where only one accepts, that is all that is said.

    Answers are equal where `normalise` spells them alike, layers, labels and tags as sets. Wordings that a
    check is given, descriptions of answers, and notes are not compared.
    """
    if isinstance(one, ErrorContent) and isinstance(other, ErrorContent):
        return ("tags",) if set(one.tags) != set(other.tags) else ()
    if isinstance(one, ErrorContent) or isinstance(other, ErrorContent):
        raise TypeError("contents of two kinds")
    if one.decision != other.decision:
        return ("decision",)
    if one.decision == "reject":
        return ()
    found = [] if same_answer(one.answer, other.answer, language) else ["answer"]
    if isinstance(one, PageContent) and isinstance(other, PageContent):
        return (*found, *_pages(one, other))
    if isinstance(one, SceneContent) and isinstance(other, SceneContent):
        return (*found, *_scenes(one, other))
    raise TypeError("contents of two kinds")


def same_answer(one: str, other: str, language: Language | None) -> bool:
    """Tell whether two answers have one spelling."""
    return normalise(one, language) == normalise(other, language)


def _pages(one: PageContent, other: PageContent) -> list[str]:
    found = [] if set(one.labels) == set(other.labels) else ["labels"]
    return found if one.reasoning_steps == other.reasoning_steps else [*found, "reasoning_steps"]


def _scenes(one: SceneContent, other: SceneContent) -> list[str]:
    def sets(content: SceneContent) -> tuple[frozenset[int], frozenset[frozenset[int]]]:
        every = [frozenset(minimal) for minimal in content.minimal_sets]
        return (every[0] if every else frozenset()), frozenset(every)

    def support(content: SceneContent) -> list[frozenset[int]]:
        return [frozenset(shard.support) for shard in content.shards]

    pairs = {
        "category": (one.category, other.category),
        "minimal_sets": (sets(one), sets(other)),
        "dependencies": (set(one.dependencies), set(other.dependencies)),
        "shards": (support(one), support(other)),
    }
    return [field for field, (ours, theirs) in pairs.items() if ours != theirs]
