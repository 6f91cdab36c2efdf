"""BEAR-Bench to a Hub."""

import pytest

from dataset_builders.bear_bench.finish import run
from dataset_builders.publishing.upload import Choices, publish
from tests.support.bear_work import bear_work
from tests.support.publishing import content

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


def test_the_repository_holds_exactly_the_folder_under_its_tag(hub, tmp_path):
    folder = run(bear_work(tmp_path / "work", pages=1), tmp_path / "bear-bench", "1.0.0").folder
    told = []
    done = publish(folder, "ORG/bear-bench", Choices(), told.append, told.append)
    assert (done.version, done.tag) == ("1.0.0", "v1.0.0")
    assert hub.repos["ORG/bear-bench"].tree("v1.0.0") == content(folder)
    assert "  licence CC-BY-4.0: attribution" in told
