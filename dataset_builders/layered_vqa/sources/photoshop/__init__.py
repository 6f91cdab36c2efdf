"""Scenes from Photoshop files (`.psd`, `.psb`)."""

from dataset_builders.layered_vqa.sources.photoshop.source import PhotoshopSource

__all__ = ["PhotoshopSource"]
