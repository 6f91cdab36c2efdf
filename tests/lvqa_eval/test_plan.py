import pytest

from dataset_builders.layered_vqa.build import build
from dataset_builders.layered_vqa.conditions import CONDITIONS, ConditionOptions
from lvqa_eval.benchmarks import LAYERED_VQA
from lvqa_eval.dataset import DatasetError, open_dataset
from lvqa_eval.plan import make_plan
from tests.support.sources import SmallSource


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "layered-vqa"
    return open_dataset(str(build(SmallSource(scenes=3), folder, "1.0.0", ConditionOptions()).folder))


def test_a_plan_holds_every_conversation_once_ordered_by_scene(dataset):
    plan = make_plan(LAYERED_VQA, dataset, None, runs=3)
    work = list(plan.work())
    assert plan.size == len(work) == len({one.key for one in work}) == 16 * 3 * 3
    scenes = [one.row.scene_id for one in work]
    assert scenes == sorted(scenes)
    assert [one.key for one in work[:4]] == [
        ("full", "q1", 1),
        ("full", "q1", 2),
        ("full", "q1", 3),
        ("concat-q", "q1", 1),
    ]


def test_the_benchmark_names_the_conditions_that_the_builder_writes():
    assert list(LAYERED_VQA.conditions) == [n for n in CONDITIONS.names() if n not in CONDITIONS.added()]


def test_conditions_keep_the_order_of_the_benchmark_and_limit_takes_the_first_questions(dataset):
    plan = make_plan(LAYERED_VQA, dataset, ["oracle", "full"], runs=1, limit=2)
    assert plan.conditions == ["full", "oracle"]
    assert [one.question_id for one in plan.questions()] == ["q1", "q2"]
    assert plan.questions()[0].dependencies == ((2, 1),)


def test_unknown_conditions_are_all_told(dataset):
    with pytest.raises(DatasetError) as caught:
        make_plan(LAYERED_VQA, dataset, ["ful", "oracle", "v"], runs=1)
    assert [line[:24] for line in caught.value.problems] == [
        "conditions: found 'ful',",
        "conditions: found 'v', a",
    ]


def test_what_prompts_need_by_hand(dataset):
    plan = make_plan(LAYERED_VQA, dataset, None, runs=1)
    needed = plan.images_needed()
    assert (needed["full"], needed["concat-v"], needed["snowball-v"], needed["recap-v"]) == (1, 5, 15, 6)
    assert (needed["all-layers"], needed["oracle"], needed["sharded-q"]) == (6, 2, 1)
    only = make_plan(LAYERED_VQA, dataset, ["full"], runs=1)
    prompts = LAYERED_VQA.prompts()
    text = max(len(p.text) for p in prompts.values()) + len("What colour is the circle left of the square?")
    label = max(len(prompts[name].text) for name in LAYERED_VQA.labels)
    # 40 x 32 pixels are 2 x 2 patches of 28.
    assert only.tokens_needed(prompts, dataset.scenes(), max_tokens=100) == {"full": (text + label) // 3 + 4}
    many = plan.tokens_needed(prompts, dataset.scenes(), max_tokens=100)
    announced = 4 * len("Here is layer 1 of the scene.")
    assert many["sharded-v"] == (text + announced + 5 * label) // 3 + 5 * 4 + 4 * 100


@pytest.mark.parametrize(
    ("condition", "contract"),
    [
        ("full", "single_turn"),
        ("sharded-v", "multi_turn"),
        ("all-layers", "grounding"),
        ("oracle", "single_turn"),
    ],
)
def test_contracts(dataset, condition, contract):
    assert LAYERED_VQA.contract(dataset.rows(condition)[0]) == contract
