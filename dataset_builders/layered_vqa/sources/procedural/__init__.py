"""Procedural scenes: drawn shapes on a background, and questions about them that are true by construction."""

from dataset_builders.layered_vqa.sources.procedural.dose import DoseSource
from dataset_builders.layered_vqa.sources.procedural.source import ProceduralSource
from dataset_builders.layered_vqa.sources.procedural.world import World, draw_world

__all__ = ["DoseSource", "ProceduralSource", "World", "draw_world"]
