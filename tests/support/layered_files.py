"""Small OpenRaster and Photoshop files, written for tests."""

import io
import warnings
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

CLEAR = (0, 0, 0, 0)


def plain(width, height, colour):
    """Return width x height pixels of one colour; opaque where it has no alpha."""
    return np.full((height, width, 4), (*colour, 255)[:4], np.uint8)


def png(pixels):
    """Return pixels as the bytes of a PNG."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def layer(name, x=0, y=0, **attributes):
    """Return a <layer> whose picture is data/NAME.png."""
    return f'<layer name="{name}" src="data/{name}.png" x="{x}" y="{y}"{_attributes(attributes)}/>'


def group(name, *members, **attributes):
    """Return a <stack> of members, the uppermost first."""
    return f'<stack name="{name}"{_attributes(attributes)}>{"".join(members)}</stack>'


def _attributes(attributes):
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())


def stack_xml(size, *members):
    """Return a stack.xml of size (width, height), the uppermost member first."""
    return f'<image version="0.0.5" w="{size[0]}" h="{size[1]}"><stack>{"".join(members)}</stack></image>'


def write_ora(path, xml, pictures, merged=None, compression=zipfile.ZIP_STORED) -> Path:
    """Write an .ora; `pictures` maps names to pixels or to bytes as they are."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("mimetype", "image/openraster")
        archive.writestr("stack.xml", xml)
        for name, picture in pictures.items():
            content = picture if isinstance(picture, bytes) else png(picture)
            archive.writestr(f"data/{name}.png", content)
        if merged is not None:
            archive.writestr("mergedimage.png", png(merged))
    return path


def write_psd(path, size, fill, merged, mode="RGB", depth=8) -> Path:
    """Write a .psd: `fill(document)` adds the layers, `merged` (H x W x channels, 0 to 255) is stored beside.

    psd-tools renders a merged picture of its own on saving; it is replaced, so that a test states what
    another program would have stored.
    """
    from psd_tools import PSDImage

    draft = PSDImage.new(mode, size, color=255, depth=depth)
    fill(draft)
    with warnings.catch_warnings():
        # Layers that are broken on purpose trouble its rendering.
        warnings.simplefilter("ignore")
        draft.save(path)
    document = PSDImage.open(path)
    planes = [merged] if merged.ndim == 2 else list(np.moveaxis(merged, 2, 0))
    steps = {8: ("u1", 1), 16: (">u2", 257)}[depth]
    raw = [(plane.astype(np.int64) * steps[1]).astype(steps[0]).tobytes() for plane in planes]
    document._record.image_data.set_data(raw, document._record.header)
    document.save(path)
    return path
