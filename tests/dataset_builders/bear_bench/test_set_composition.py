"""What a built dataset is made of, printed and written."""

from click.testing import CliRunner

from dataset_builders.bear_bench.composition import composition
from lvqa_eval.main import main
from tests.support.page_folder import page_folder


def test_the_composition_of_a_dataset_by_hand(tmp_path):
    found = composition(page_folder(tmp_path / "bear-bench"))
    cells, types, content, by_steps = found.tables
    assert [row[:4] for row in cells.rows] == [
        ("ru-business", 2, 1, 0.25),
        ("en-business", 2, 1, 0.25),
        ("ru-science", 2, 1, 0.25),
        ("en-science", 2, 1, 0.25),
    ]
    assert [row[:3] for row in types.rows] == [("10-K", 4, 2), ("figures", 4, 2)]
    assert {row[0]: row[1] for row in content.rows} == {
        "figures": 4,
        "diagrams": 4,
        "equations": 4,
        "tables": 8,
    }
    assert [row[:2] for row in by_steps.rows] == [("3", 4), ("not stated", 4)]
    assert found.definition[0].startswith("The pages of the dataset, one question each. Shares are")
    assert dict(found.basis)["Pages"] == "8"


def test_the_command_prints_the_tables_and_writes_the_figure(tmp_path):
    folder, out = page_folder(tmp_path / "bear-bench"), tmp_path / "out"
    (tmp_path / "out").mkdir()
    (out / "mine.txt").write_text("stays")
    ran = CliRunner().invoke(main, ["build", "bear", "composition", folder, "--out", str(out)])
    assert ran.exit_code == 0, ran.output
    lines = ran.output.splitlines()
    assert lines[0] == "Pages: 8"
    assert "Pages by document type" in lines
    assert any(line.startswith("ru-business ") and "25.0" in line for line in lines)
    assert any("352" in line for line in lines)
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {"mine.txt", "figures/bear-figure-2.svg", "figures/bear-figure-2.png"} <= written
    assert {
        f"tables/bear-figure-2-{n}.{kind}" for n in (1, 2, 3, 4) for kind in ("csv", "md", "tex")
    } <= written
    assert sum(line.startswith("written: ") for line in lines) == len(written) - 1
