"""MuLAn: photos taken apart into layers, published as annotations to be joined with the photos."""

from dataset_builders.layered_vqa.sources.mulan.source import MulanSource

__all__ = ["MulanSource"]
