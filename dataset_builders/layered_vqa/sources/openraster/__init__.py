"""Scenes from OpenRaster files (`.ora`), as GIMP, Krita and MyPaint write them."""

from dataset_builders.layered_vqa.sources.openraster.source import OpenRasterSource

__all__ = ["OpenRasterSource"]
