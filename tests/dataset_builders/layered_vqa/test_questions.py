import pytest

from dataset_builders.layered_vqa.example import Example, Shard, problems
from dataset_builders.layered_vqa.questions import LayerKeys, load_questions
from dataset_builders.layered_vqa.sources.source import SourceError

KEYS = LayerKeys(4, {"background": 0, "7": 1, "8": 2, "9": 3})
SCENES = {"12": KEYS}

GOOD = """
- scene: 12
  id: q1
  category: spatial
  question: Is the cup left of the plate?
  answer: yes
  answer_description: yes or no
  gold: [8, 7]
  minimal_sets: [[7, 8], [9]]
  dependencies: [[8, 7]]
  shards:
    - text: I have a question about where something is.
    - {text: It is the cup., support: [7, 9]}
    - {text: Say whether it is left of the plate., support: [8]}
"""


def read(tmp_path, text, scenes=SCENES):
    path = tmp_path / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    return load_questions(path).examples(scenes)


def faults(tmp_path, text, scenes=SCENES):
    with pytest.raises(SourceError) as caught:
        read(tmp_path, text, scenes)
    return caught.value.problems


def test_an_entry_becomes_an_example(tmp_path):
    (example,) = read(tmp_path, GOOD)
    assert example == Example(
        question_id="q1",
        scene_id="12",
        depth=4,
        question="Is the cup left of the plate?",
        answer="yes",
        answer_description="yes or no",
        category="spatial",
        gold_layers=(1, 2),
        minimal_sets=((1, 2), (3,)),
        dependencies=((2, 1),),
        shards=(
            Shard(1, "I have a question about where something is.", ()),
            Shard(2, "It is the cup.", (1, 3)),
            Shard(3, "Say whether it is left of the plate.", (2,)),
        ),
        distractors=(0,),
    )
    assert problems(example) == []


def test_what_may_be_left_out(tmp_path):
    text = GOOD.replace("  answer_description: yes or no\n", "").replace("  dependencies: [[8, 7]]\n", "")
    text = text.replace("  minimal_sets: [[7, 8], [9]]\n", "").replace("[7, 9]", "[7]")
    (example,) = read(tmp_path, text)
    assert example.answer_description is None
    assert example.dependencies == ()
    assert example.minimal_sets == ((1, 2),)
    assert example.distractors == (0, 3)


def test_numbers_and_yes_are_text(tmp_path):
    for answer in ("2", "007", "1e3", "no", "2020-01-01", "null"):
        (example,) = read(tmp_path, GOOD.replace("answer: yes", f"answer: {answer}"))
        assert example.answer == answer


def test_keys_that_were_merged_stand_for_one_layer(tmp_path):
    # 7 and 8 now lie in layer 0: the pair between them is gone, and the two sets stay apart.
    merged = {"12": LayerKeys(3, {"background": 0, "7": 0, "8": 0, "9": 1})}
    (example,) = read(tmp_path, GOOD, merged)
    assert example.gold_layers == (0,)
    assert example.minimal_sets == ((0,), (1,))
    assert example.dependencies == ()
    assert [shard.support for shard in example.shards] == [(), (0, 1), (0,)]
    assert example.distractors == (2,)
    # Sets that fall together are one set.
    all_one = {"12": LayerKeys(2, {"background": 0, "7": 0, "8": 0, "9": 0})}
    (example,) = read(tmp_path, GOOD, all_one)
    assert example.minimal_sets == ((0,),)


def test_every_problem_of_a_file_comes_at_once(tmp_path):
    text = (
        GOOD
        + GOOD.replace("id: q1", "id: q2").replace("answer:", "anwser:")
        + GOOD.replace("id: q1", "id: q3").replace("scene: 12", "scene: 13")
        + GOOD.replace("id: q1", "id: q4").replace("gold: [8, 7]", "gold: [8, 77]")
        + GOOD.replace("id: q1", "id: q5").replace("category: spatial", "category: maths")
        + GOOD
    )
    fields = (
        "scene, id, category, question, answer, answer_description, gold, minimal_sets, dependencies, shards"
    )
    assert faults(tmp_path, text) == [
        "questions.yaml: q2 (line 16): answer: found no such field, allowed: it must be given",
        f"questions.yaml: q2 (line 16): anwser: found an unknown field, allowed: {fields}",
        "questions.yaml: q3 (line 30): scene: found '13', allowed: 12",
        "questions.yaml: q4 (line 44): gold: found the key '77', allowed: background, 7, 8, 9",
        "questions.yaml: q5 (line 58): category: known-category: found 'maths', allowed: direct_ask, "
        "attribute_binding, counting, spatial, occlusion, multi_hop",
        "questions.yaml: q1 (line 72): id: found it before, at q1 (line 2), allowed: each id once",
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("gold: [8, 7]", "gold: [8, 7, 8]", "gold: found the key '8' 2 times, allowed: once"),
        ("[[8, 7]]", "[[8, 8]]", "dependencies[0]: found the key '8' 2 times, allowed: once"),
        ("[[8, 7]]", "[[8, 6]]", "dependencies[0]: found the key '6', allowed: background, 7, 8, 9"),
        ("[[8, 7]]", "[[8]]", "dependencies[0][1]: found no such field, allowed: it must be given"),
        (
            "support: [8]",
            "support: [5]",
            "shards[2].support: found the key '5', allowed: background, 7, 8, 9",
        ),
        ("support: [8]", "suport: [8]", "shards[2].suport: found an unknown field, allowed: text, support"),
        ("gold: [8, 7]", "gold: 8", "gold: found '8', allowed: list"),
        ("gold: [8, 7]", "gold: [9]", "minimal_sets[0]: first-set-is-gold: found {1, 2}, allowed: {3}"),
        ("answer: yes", "answer: yes\n  answer: no", "answer: found the field 2 times, allowed: once"),
        ("[[7, 8], [9]]", "[[7, 8], [9], [background]]", "distractors: not-empty: found none, allowed"),
    ],
)
def test_one_fault(tmp_path, old, new, fault):
    assert old in GOOD
    found = faults(tmp_path, GOOD.replace(old, new))
    assert any(line.startswith(f"questions.yaml: q1 (line 2): {fault}") for line in found), found


def test_an_entry_without_an_id_is_named_by_its_place(tmp_path):
    found = faults(tmp_path, GOOD + GOOD.replace("  id: q1\n", ""))
    assert found == ["questions.yaml: entry 2 (line 16): id: found no such field, allowed: it must be given"]


def test_a_source_without_scenes(tmp_path):
    found = faults(tmp_path, GOOD, {})
    assert found == [
        "questions.yaml: q1 (line 2): scene: found '12', "
        "allowed: nothing (the source has no scene with layers)"
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "found no list of questions, allowed: a list of at least one entry"),
        ("questions: []", "found no list of questions, allowed: a list of at least one entry"),
        ("- {scene: 1", "not YAML: .*line 1"),
        ("- &a [*a]", r"line 1: found the alias \*a, allowed: no aliases"),
    ],
)
def test_files_that_are_no_question_files(tmp_path, text, fault):
    path = tmp_path / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=rf"^questions\.yaml: {fault}"):
        load_questions(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SourceError, match=r"none\.yaml: cannot be opened: No such file"):
        load_questions(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"- \xe9")
    with pytest.raises(SourceError, match=r"latin\.yaml: byte 2: not UTF-8"):
        load_questions(tmp_path / "latin.yaml")


def test_the_scenes_asked_about_are_known_before_their_layers(tmp_path):
    path = tmp_path / "questions.yaml"
    path.write_text(GOOD + GOOD.replace("scene: 12", "scene: 3"), encoding="utf-8")
    assert load_questions(path).scene_ids() == {"12", "3"}
