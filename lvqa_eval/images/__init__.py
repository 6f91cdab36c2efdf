"""Pictures as a model receives them: rendered once, addressed by content, ready to stand in a request.

A layer is laid over a recorded background by us, so alpha is never dropped and colours hidden under full
transparency never show. A size that a model cannot take is mended by a recorded rule. The same layer gives
the same bytes in every condition and run.
"""

from lvqa_eval.images.background import BACKGROUNDS, Background, background_pixels, flatten
from lvqa_eval.images.decoding import PictureError
from lvqa_eval.images.picture import Picture
from lvqa_eval.images.rendering import Rendering, RenderingError, Size
from lvqa_eval.images.store import PictureKey, PictureStore

__all__ = [
    "BACKGROUNDS",
    "Background",
    "Picture",
    "PictureError",
    "PictureKey",
    "PictureStore",
    "Rendering",
    "RenderingError",
    "Size",
    "background_pixels",
    "flatten",
]
