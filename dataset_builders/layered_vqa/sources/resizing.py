"""Scenes made smaller as a whole."""

from dataclasses import replace

from dataset_builders.layered_vqa.pictures import resize_rgba
from dataset_builders.layered_vqa.scene import Scene


def fit(scene: Scene, max_side: int | None) -> Scene:
    """Return `scene` with its longer side at most `max_side` pixels, and a note of it; never enlarged.

    Each layer is resampled by itself and the composite is made of the results. It is close to the resampled
    composite but not equal to it: where two layers share an edge, the lower one shows through.
    """
    longer = max(scene.width, scene.height)
    if max_side is None or longer <= max_side:
        return scene
    width, height = (max(1, round(side * max_side / longer)) for side in (scene.width, scene.height))
    return replace(
        scene,
        layers=tuple(resize_rgba(layer, (width, height)) for layer in scene.layers),
        notes=(
            *scene.notes,
            f"each layer resampled from {scene.width}x{scene.height} to {width}x{height} and the composite "
            "made of the results, which is not the resampled picture; errors noted before are of full size",
        ),
    )
