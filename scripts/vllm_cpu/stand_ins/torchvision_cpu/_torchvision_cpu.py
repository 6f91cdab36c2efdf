"""Declares torchvision's compiled operators before torchvision is first imported beside a CPU-only torch.

The published torchvision registers Python rules for operators that its compiled part defines. That part is
linked against CUDA and does not load beside a CPU-only torch, and the rules then fail for want of the
operators. Declared but not implemented, they do no harm: image transforms do not call them.

Python runs this file at every start (torchvision_cpu.pth), so it only leaves a finder behind.
"""

import sys
from importlib.machinery import ModuleSpec

_OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_declared: list[object] = []  # operators vanish with the object that declared them


class _BeforeTorchvision:
    """Finds nothing itself: it acts when torchvision is looked for, and steps aside."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name == "torchvision":
            sys.meta_path.remove(cls)
            _declare()
        return None


def _declare() -> None:
    try:
        import torch
    except ImportError:
        return
    if torch.version.cuda is not None or torch.version.hip is not None:
        return  # torch for a GPU: torchvision's own operators load
    library = torch.library.Library("torchvision", "FRAGMENT")
    for schema in _OPERATORS:
        try:
            library.define(schema)
        except RuntimeError:
            continue  # a torchvision built for CPUs has it already
    _declared.append(library)


sys.meta_path.insert(0, _BeforeTorchvision)
