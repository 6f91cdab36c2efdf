"""Photos with panoptic segments, in the format of COCO."""

from dataset_builders.layered_vqa.sources.panoptic.source import PanopticSource

__all__ = ["PanopticSource"]
