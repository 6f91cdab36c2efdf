"""The background of a photo with its objects taken out."""

from typing import Literal

import numpy as np

from dataset_builders.layered_vqa.scene import Pixels
from dataset_builders.layered_vqa.sources.coco.layout import Layout

InpaintMethod = Literal["telea", "ns"]

_GREY = 128


def paint_background(
    photo: Pixels, layout: Layout, method: InpaintMethod, radius: int, margin: int
) -> Pixels:
    """Return `photo` (H x W x 3) with every pixel that another layer owns filled from its surroundings.

    The filling (`cv2.inpaint`) reads no object, kept or merged, nor the `margin` pixels around one: masks are
    a little too tight, and the colour of a removed shirt would run into the hole. Every pixel that layer 0
    owns, merged objects included, stays as photographed. Where nothing is left to read, the hole is grey.
    """
    import cv2

    hole = layout.owner > 0
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * margin + 1, 2 * margin + 1))
    unread = cv2.dilate(layout.objects.astype(np.uint8), kernel)
    if unread.all():
        filled = np.full_like(photo, _GREY)
    else:
        flag = cv2.INPAINT_TELEA if method == "telea" else cv2.INPAINT_NS
        filled = cv2.inpaint(photo, unread, radius, flag)
    background: Pixels = np.where(hole[..., np.newaxis], filled, photo)
    return background
