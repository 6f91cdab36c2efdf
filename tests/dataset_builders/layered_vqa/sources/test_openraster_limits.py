import struct
import subprocess
import sys
import textwrap
import zipfile
import zlib

import pytest

from dataset_builders.layered_vqa.sources.openraster.archive import MAX_MEMBER_BYTES
from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError
from tests.support.layered_files import layer, plain, png, stack_xml, write_ora

OpenRasterSource = SCENE_SOURCES.get("openraster")

RED = plain(4, 4, (255, 0, 0))
XML = stack_xml((4, 4), layer("blue"), layer("red"))


def refusal(path):
    with pytest.raises(SourceError) as error:
        list(OpenRasterSource(files=path).read())
    (line,) = error.value.problems
    assert "\n" not in line
    return line.removeprefix(f"scene {path.stem}: {path.name}: ")


def huge_header():
    """Return a PNG that says it is 40,000 x 40,000 RGBA, and holds next to nothing."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 6, 0, 0, 0)
    data = zlib.compress(bytes(10_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def bomb(path):
    """Write a file whose layer unpacks to more than a quarter of a GiB of zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("stack.xml", XML)
        archive.writestr("data/red.png", png(RED))
        with archive.open("data/blue.png", "w") as member:
            for _ in range(MAX_MEMBER_BYTES // 2**20 + 1):
                member.write(bytes(2**20))
    return path


def test_bombs_are_refused_in_a_line_each_and_cost_no_memory(tmp_path):
    good = write_ora(tmp_path / "good.ora", XML, {"red": RED, "blue": plain(1, 1, (0, 0, 255))})
    paths = [
        bomb(tmp_path / "bomb.ora"),
        write_ora(tmp_path / "header.ora", XML, {"red": RED, "blue": huge_header()}),
        write_ora(tmp_path / "canvas.ora", stack_xml((40_000, 40_000), layer("red")), {"red": RED}),
    ]
    assert paths[0].stat().st_size < 4 * 2**20
    program = textwrap.dedent("""
        import resource, sys
        from dataset_builders.layered_vqa.sources.source import SCENE_SOURCES, SourceError
        source = SCENE_SOURCES.get("openraster")
        list(source(files=sys.argv[1]).read())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for path in sys.argv[2:]:
            try:
                list(source(files=path).read())
            except SourceError as error:
                print(error)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program, str(good), *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
    )
    *lines, grown = done.stdout.splitlines()
    assert lines == [
        f"scene bomb: bomb.ora: data/blue.png: found {MAX_MEMBER_BYTES + 2**20} bytes unpacked, "
        f"allowed: {MAX_MEMBER_BYTES} for such a member and {2**30} for a file",
        "scene header: header.ora: data/blue.png: size: found 40000x40000 (1600000000 pixels), "
        "at most 89478485 pixels are decoded",
        "scene canvas: canvas.ora: stack.xml: image: found 40000x40000, "
        "allowed: 1x1 to 89478485 pixels (1600000000 found)",
    ]
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(grown) * unit < 64 * 2**20


def test_a_stack_xml_that_grows_is_refused_unread(tmp_path):
    path = write_ora(tmp_path / "x.ora", XML + " " * 2**20, {}, compression=zipfile.ZIP_DEFLATED)
    assert refusal(path).startswith(f"stack.xml: found {len(XML) + 2**20} bytes unpacked, allowed: 1048576")


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE image [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE image [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE image SYSTEM "http://localhost/image.dtd">',
    ],
)
def test_entities_are_never_declared(tmp_path, doctype):
    xml = doctype + XML.replace('name="red"', 'name="&b;"')
    path = write_ora(tmp_path / "x.ora", xml, {"red": RED, "blue": RED})
    assert refusal(path) == "stack.xml: found a document type declaration ('image'), allowed: none"


def test_deep_nesting_and_broken_xml_are_refused(tmp_path):
    deep = stack_xml((4, 4), "<stack>" * 5000 + "</stack>" * 5000)
    assert refusal(write_ora(tmp_path / "x.ora", deep, {})) == (
        "stack.xml: found groups nested deeper than 64, the most allowed"
    )
    assert refusal(write_ora(tmp_path / "x.ora", "<image>", {})).startswith(
        "stack.xml: not XML: no element found"
    )
    assert "found <svg> with 0 <stack>, allowed: <image> with one" in refusal(
        write_ora(tmp_path / "x.ora", "<svg/>", {})
    )


@pytest.mark.parametrize(
    "src", ["../red.png", "/etc/passwd", "data/../../red.png", "c:red.png", "..\\\\red.png", ""]
)
def test_a_path_out_of_the_file_is_refused(tmp_path, src):
    xml = XML.replace("data/red.png", src)
    line = refusal(write_ora(tmp_path / "x.ora", xml, {"red": RED, "blue": RED}))
    assert line == f"stack.xml: layer 'red': src: found {src!r}, allowed: a path inside the file"


def test_members_that_are_missing_or_broken_are_named(tmp_path):
    path = tmp_path / "x.ora"
    assert refusal(write_ora(path, XML, {"red": RED})) == "data/blue.png: found no such member, it is needed"
    assert refusal(write_ora(path, XML, {"red": RED, "blue": b"GIF89a"})).startswith(
        "data/blue.png: broken PNG: "
    )
    cut = png(plain(90, 90, (1, 2, 3)))[:-40]
    assert refusal(write_ora(path, XML, {"red": RED, "blue": cut})).startswith("data/blue.png: broken PNG: ")
    write_ora(path, XML, {"red": RED, "blue": RED})
    content = path.read_bytes()
    damaged = content.replace(b"IDAT", b"IDAX", 1)
    path.write_bytes(damaged)
    assert "data/red.png" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("maindoc.xml", "")
    assert refusal(path) == "stack.xml: found no such member, it is needed"


def test_a_member_that_states_less_than_it_holds_is_refused(tmp_path):
    path = write_ora(tmp_path / "x.ora", XML, {"red": RED, "blue": RED}, compression=zipfile.ZIP_DEFLATED)
    content = bytearray(path.read_bytes())
    place = content.index(b"data/blue.png", content.index(b"PK\x01\x02")) - 46
    content[place + 24 : place + 28] = struct.pack("<I", 20)
    path.write_bytes(bytes(content))
    assert refusal(path).startswith("data/blue.png: broken")


def test_layers_that_are_too_many_together_are_refused(tmp_path, monkeypatch):
    path = write_ora(tmp_path / "x.ora", XML, {"red": RED, "blue": plain(1, 1, (0, 0, 255))})
    stack = "dataset_builders.layered_vqa.sources.layered_files.stack.MAX_STACK_PIXELS"
    monkeypatch.setattr(stack, 16)
    assert refusal(path) == "layers: found more than 16 pixels together, the most allowed"
    monkeypatch.setattr(stack, 17)
    source = "dataset_builders.layered_vqa.sources.layered_files.source.MAX_STACK_PIXELS"
    monkeypatch.setattr(source, 31)
    assert refusal(path) == (
        "layers: found 2 of 4x4 (32 pixels), at most 31 pixels are allowed; a smaller max_layers merges some"
    )
