import pytest

from lvqa_eval.serving.server import ServerStartError, free_ports
from lvqa_eval.serving.servers import shares


@pytest.mark.parametrize(
    ("visible", "gpus", "servers", "expected"),
    [
        (None, 1, 3, ["0", "1", "2"]),
        (None, 2, 2, ["0,1", "2,3"]),
        ("4,5,6,7", 2, 2, ["4,5", "6,7"]),
        ("GPU-a,GPU-b,GPU-c", 1, 2, ["GPU-a", "GPU-b"]),
        ("4,5", 2, 1, [None]),
    ],
)
def test_every_server_sees_gpus_of_its_own(visible, gpus, servers, expected):
    assert shares(visible, gpus, servers) == expected


def test_too_few_gpus_are_told():
    with pytest.raises(ServerStartError, match="found '0,1', 3 servers of 1 need 3 GPUs"):
        shares("0,1", 1, 3)


def test_ports_differ():
    assert len(set(free_ports(20))) == 20
