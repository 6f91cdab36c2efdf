"""Features of answers about pages with patches as they are asked for, where a run keeps them."""

import hashlib

import numpy as np

from lvqa_eval.detectors.features.columns import FeatureRow
from lvqa_eval.detectors.features.depths import Depths
from lvqa_eval.detectors.features.forward import AnswerFeatures
from lvqa_eval.detectors.features.store import FEATURES, FeatureStore
from lvqa_eval.detectors.layers import lens_layers

DEPTHS = Depths.of(8)
PAIR = lens_layers(8)


def add_features(run_folder, conversations, grid, cosines, reader="tiny", native=False, layers=DEPTHS):
    """Write the features of conversations: `cosines` (rows x columns) at the layers that pages show."""
    identity = {"model": {"name": reader}, "native": native, **layers.identity()}
    store = FeatureStore.create_or_resume(run_folder / FEATURES / reader, identity)
    store.add([_row(one, grid, np.asarray(cosines, dtype=np.float32), layers) for one in conversations])
    return store.folder


def _row(conversation, grid, cosines, layers):
    others = np.zeros(cosines.size, dtype=np.float32)
    reply = conversation.turns[-1].reply
    return FeatureRow(
        conversation.key,
        hashlib.sha256(reply.encode()).hexdigest(),
        10,
        (grid,),
        AnswerFeatures(
            np.full(2, -0.1, dtype=np.float32),
            np.full(2, 0.2, dtype=np.float32),
            {layer: np.ones(4, dtype=np.float32) for layer in layers.hidden},
            {pair: cosines.ravel() if pair == PAIR else others for pair in layers.pairs},
        ),
    )
