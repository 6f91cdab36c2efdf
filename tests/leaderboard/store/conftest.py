"""A loopback Hub with a dataset, boards about it, and the run of a made-up model."""

import pytest
from huggingface_hub import constants

from leaderboard.store.folder import BoardFolder
from tests.support.boards import JUDGES, SLOW, tiny_folder
from tests.support.hub import TOKEN, serving_hub
from tests.support.publishing import publish_quietly, use_hub
from tests.support.submitted import made_up_run


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """Give the folder of a dataset, and that of a run over a part of it."""
    folder = tmp_path_factory.mktemp("drawn")
    dataset = tiny_folder(folder / "layered-vqa")
    run = made_up_run(folder / "run", dataset, SLOW, conditions=("full", "sharded-v"), runs=2)
    return dataset, run


@pytest.fixture(scope="module")
def served(drawn, tmp_path_factory):
    """Serve a Hub that holds the dataset, to the Hub's client in this process."""
    names = (
        "ENDPOINT",
        "HF_HUB_DISABLE_XET",
        "HF_HUB_OFFLINE",
        "HF_HUB_CACHE",
        "HUGGINGFACE_CO_URL_TEMPLATE",
    )
    with pytest.MonkeyPatch.context() as patch, serving_hub() as hub:
        for name in names:
            patch.setattr(constants, name, getattr(constants, name))
        patch.setenv("HF_TOKEN", TOKEN)
        use_hub(hub.url)
        constants.HF_HUB_CACHE = str(tmp_path_factory.mktemp("cache"))
        # Downloads take their address from what was put together when the client was imported.
        constants.HUGGINGFACE_CO_URL_TEMPLATE = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        publish_quietly(drawn[0])
        yield hub


@pytest.fixture
def hub(served):
    """Give the Hub without results."""
    served.repos.pop("ORG/results", None)
    served.on_request = None
    return served


@pytest.fixture
def published(hub, tmp_path):
    """Give the board of the dataset on the Hub."""
    return BoardFolder.init(tmp_path / "board", "A board", ["ORG/layered-vqa"], panel=JUDGES)
