"""What a Photoshop layer asks for beyond source-over, opacity, masks and clipping."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psd_tools.api.layers import Layer
    from psd_tools.api.mask import Mask

_FULL_RANGE = (0, 65535)
_EFFECTS = {
    b"DrSh": "drop shadow",
    b"IrSh": "inner shadow",
    b"OrGl": "outer glow",
    b"IrGl": "inner glow",
    b"ebbl": "bevel and emboss",
    b"ChFX": "satin",
    b"SoFi": "colour overlay",
    b"GrFl": "gradient overlay",
    b"patternFill": "pattern overlay",
    b"FrFX": "stroke",
}


def not_drawn(layer: "Layer", described: str) -> Iterator[str]:
    """Yield in words every feature of a visible layer or group that plain source-over leaves out."""
    from psd_tools.api.layers import AdjustmentLayer, Artboard, FillLayer, ShapeLayer
    from psd_tools.constants import BlendMode, Tag

    if layer.blend_mode not in (BlendMode.NORMAL, BlendMode.PASS_THROUGH):
        yield f"blend mode {_words(layer.blend_mode.name)} of {described}"
    if effects := list(dict.fromkeys(_effects(layer))):
        yield f"effects of {described} ({', '.join(effects)})"
    if isinstance(layer, AdjustmentLayer):
        yield f"adjustment {described}"
    elif isinstance(layer, FillLayer | ShapeLayer) and not layer.has_pixels():
        yield f"{described}, which is stored as a fill or a path without pixels"
    if isinstance(layer, Artboard):
        yield f"artboard {described}"
    if layer.has_vector_mask() and not isinstance(layer, FillLayer | ShapeLayer):
        yield f"vector mask of {described}"
    if layer.mask is not None and _feather(layer.mask):
        yield f"feathered mask of {described}"
    if layer.tagged_blocks.get_data(Tag.KNOCKOUT_SETTING):
        yield f"knockout of {described}"
    if layer.clip_layers and layer.tagged_blocks.get_data(Tag.BLEND_CLIPPING_ELEMENTS, 1) == 0:
        yield f"layers clipped to {described} that blend one by one"
    if _blends_by_range(layer):
        yield f"blending ranges of {described}"


def _effects(layer: "Layer") -> Iterator[str]:
    """Yield the enabled effects of a layer.

    Read from the block itself: psd-tools lists only effects that carry the mark `present`, which older files
    lack. An effect that may stand several times is a list under the name of one and `Multi`.
    """
    from psd_tools.constants import Tag
    from psd_tools.psd.descriptor import Descriptor, List

    for tag in (
        Tag.OBJECT_BASED_EFFECTS_LAYER_INFO,
        Tag.OBJECT_BASED_EFFECTS_LAYER_INFO_V0,
        Tag.OBJECT_BASED_EFFECTS_LAYER_INFO_V1,
    ):
        block = layer.tagged_blocks.get_data(tag)
        if not isinstance(block, Descriptor) or not block.get(b"masterFXSwitch"):
            continue
        for key in block:
            for effect in block[key] if isinstance(block[key], List) else [block[key]]:
                if isinstance(effect, Descriptor) and effect.get(b"enab") and effect.get(b"present", True):
                    yield _EFFECTS.get(effect.classID, effect.classID.decode("latin-1"))


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def _feather(mask: "Mask") -> bool:
    parameters = mask.parameters
    return parameters is not None and bool(parameters.user_mask_feather or parameters.vector_mask_feather)


def _blends_by_range(layer: "Layer") -> bool:
    ranges = layer._record.blending_ranges
    pairs = [*(ranges.composite_ranges or ()), *(pair for one in ranges.channel_ranges or () for pair in one)]
    return any(tuple(pair) != _FULL_RANGE for pair in pairs)
