"""Photos with instance masks, in the format of COCO."""

from dataset_builders.layered_vqa.sources.coco.source import CocoSource

__all__ = ["CocoSource"]
