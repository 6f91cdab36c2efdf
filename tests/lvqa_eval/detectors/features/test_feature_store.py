"""A folder of features: parts of Parquet, and settings that are never mixed."""

import numpy as np
import pyarrow.parquet
import pytest

from lvqa_eval.detectors.features.columns import FeatureRow, StoredCosines, from_table
from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.errors import FeaturesError
from lvqa_eval.detectors.features.forward import AnswerFeatures
from lvqa_eval.detectors.features.store import FeatureStore
from lvqa_eval.runs.identity import IdentityChangedError
from lvqa_eval.runs.records import Key

DEPTHS = Depths(4, (2, 3, 4), (1, 2, 4))
IDENTITY = {"model": {"name": "tiny"}, "native": False, "dtype": "float32", **DEPTHS.identity()}


def row(question_id, grids=((2, 2), (1, 3)), tokens=3, condition="full", largest=1.0):
    rng = np.random.default_rng(list(question_id.encode()))
    patches = sum(rows * columns for rows, columns in grids)
    features = AnswerFeatures(
        -rng.exponential(size=tokens).astype(np.float32),
        rng.exponential(size=tokens).astype(np.float32),
        {layer: (largest * rng.normal(size=6)).astype(np.float32) for layer in DEPTHS.hidden},
        {pair: rng.uniform(-1, 1, patches).astype(np.float32) for pair in DEPTHS.pairs} if patches else {},
    )
    return FeatureRow(Key(condition, question_id, 1), "ab" * 32, 100, grids, features)


@pytest.fixture
def store(tmp_path):
    return FeatureStore.create_or_resume(tmp_path / "tiny", IDENTITY)


def test_what_is_written_is_read(store):
    written = [row("q1"), row("q2", grids=(), tokens=1)]
    store.add(written)
    again = FeatureStore.open(store.folder)
    assert (again.depths, again.native) == (DEPTHS, False)
    read = [one for table in again.tables() for one in from_table(table, DEPTHS)]
    for one, other in zip(written, read, strict=True):
        assert (other.key, other.text_sha256, other.grids) == (one.key, one.text_sha256, one.grids)
        np.testing.assert_array_equal(other.logprobs, one.features.logprobs)
        np.testing.assert_array_equal(other.entropies, one.features.entropies)
        for layer in DEPTHS.hidden:
            assert other.hidden[layer].dtype == np.float16
            np.testing.assert_array_equal(other.hidden[layer], one.features.hidden[layer].astype(np.float16))
        assert set(other.cosines) == set(one.features.cosines)
        for pair, cosines in one.features.cosines.items():
            # Half a 32,767th away at most.
            np.testing.assert_allclose(other.cosines[pair], cosines, rtol=0, atol=0.5 / 32_767 + 1e-7)
    assert again.finished() == {(Key("full", "q1", 1), "ab" * 32), (Key("full", "q2", 1), "ab" * 32)}


def test_columns_are_typed_and_say_their_layers(store):
    store.add([row("q1")])
    (path,) = store.folder.glob("*.parquet")
    schema = pyarrow.parquet.read_schema(path)
    assert schema.names[:7] == [
        *("condition", "question_id", "run", "text_sha256"),
        *("prompt_tokens", "logprobs", "entropies"),
    ]
    assert str(schema.field("hidden_3").type) == "fixed_size_list<element: halffloat>[6]"
    assert str(schema.field("logprobs").type) == "list<element: float>"
    assert str(schema.field("cosines_text_4_image_1").type) == "list<element: int16>"
    assert len(schema.names) == 7 + 3 + 2 + 9


def test_states_beyond_half_precision_keep_their_sign(store):
    store.add([row("q1", largest=1e6)])
    (read,) = [one for table in store.tables() for one in from_table(table, DEPTHS)]
    for layer, states in row("q1", largest=1e6).features.hidden.items():
        assert np.isfinite(read.hidden[layer]).all()
        np.testing.assert_array_equal(np.sign(read.hidden[layer]), np.sign(states))


def test_a_cosine_that_rounding_carried_beyond_one_is_one():
    assert StoredCosines({(1, 2): np.array([32_767, -32_767], np.int16)})[1, 2].tolist() == [1, -1]
    one = row("q1")
    one.features.cosines[1, 2][:] = 1.0000001
    from lvqa_eval.detectors.features.columns import to_table

    (read,) = from_table(to_table([one], DEPTHS), DEPTHS)
    assert read.cosines[1, 2].tolist() == [1.0] * 7


def test_the_same_answers_are_the_same_file(store, tmp_path):
    store.add([row("q1"), row("q2")])
    store.add([row("q1"), row("q2")])
    other = FeatureStore.create_or_resume(tmp_path / "other", IDENTITY)
    other.add([row("q1"), row("q2")])
    (path,), (same,) = store.folder.glob("*.parquet"), other.folder.glob("*.parquet")
    assert (path.name, path.read_bytes()) == (same.name, same.read_bytes())


def test_one_condition_is_read_alone(store):
    store.add([row("q1"), row("q2", condition="sharded-v")])
    found = [one.key for table in store.tables("sharded-v") for one in from_table(table, DEPTHS)]
    assert found == [Key("sharded-v", "q2", 1)]


def test_features_of_other_settings_are_not_added(store):
    with pytest.raises(IdentityChangedError, match='dtype: this run has "float32", asked for "bfloat16"'):
        FeatureStore.create_or_resume(store.folder, IDENTITY | {"dtype": "bfloat16"})
    FeatureStore.create_or_resume(store.folder, IDENTITY)
    assert [path.name for path in store.folder.iterdir()] == ["identity.yaml"]


def test_what_is_no_folder_of_features_is_refused(tmp_path, store):
    with pytest.raises(FeaturesError, match=r"identity\.yaml is missing"):
        FeatureStore.open(tmp_path)
    store.add([row("q1")])
    (path,) = store.folder.glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FeaturesError, match=f"{path.name}: not readable as Parquet: .*; delete it"):
        store.finished()
    (store.folder / "identity.yaml").write_text("depth: 4\n")
    with pytest.raises(FeaturesError, match=r"identity\.yaml: layers: missing or no numbers"):
        FeatureStore.open(store.folder)
