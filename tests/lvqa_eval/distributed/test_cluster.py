"""What is said where there is no Ray, and what a cluster has room for."""

import sys
from types import SimpleNamespace

import pytest

from lvqa_eval.distributed.cluster import Cluster, ClusterError, joined


def cluster(*nodes, dead=()):
    alive = [{"Alive": True, "Resources": resources} for resources in nodes]
    return Cluster(
        SimpleNamespace(nodes=lambda: alive + [{"Alive": False, "Resources": one} for one in dead])
    )


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"^--ray: Ray is not installed; `pip install 'lvqa\[ray\]'`"):
        joined("auto", 1).__enter__()


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nothing_answers_is_refused_in_one_line(monkeypatch, scheme):
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False))
    with pytest.raises(ClusterError, match=r"^--ray .*127\.0\.0\.1:9: nothing answers there: .*refused"):
        joined(f"{scheme}127.0.0.1:9", 1).__enter__()


def test_a_worker_fits_on_one_machine_or_not_at_all():
    found = cluster({"CPU": 64, "GPU": 8}, {"CPU": 2, "GPU": 8}, {"CPU": 96}, dead=[{"CPU": 9, "GPU": 9}])
    assert (found.nodes, found.has_gpus) == (3, True)
    assert found.places(cpus=1, gpus=1) == 10
    assert found.places(cpus=1, gpus=8) == 2
    assert found.places(cpus=1, gpus=0) == 162
    assert not cluster({"CPU": 4}).has_gpus
