"""Submissions that a board must not take: a good one, broken in one place, as hypothesis draws it."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from dataclasses import dataclass

from hypothesis import strategies as st

from leaderboard.submissions.reading import Limits
from leaderboard.submissions.records import About
from tests.support.boards import SLOW, empty_board, submission, tiny_folder
from tests.support.hostile_values import HEADER, HOSTILE
from tests.support.submitted import MadeUp

LIMITS = Limits(packed_bytes=1 << 19, unpacked_bytes=1 << 20, line_bytes=1 << 17, conversations=40, judges=2)
"""Of the board that broken submissions are sent to: bombs stay small."""

GOOD = MadeUp("Ольха/Лист-2", 0.6, seed=3)
CONDITIONS = ("full", "sharded-v", "all-layers")


@dataclass(frozen=True)
class Broken:
    """What was done to a submission, and the file that came of it."""

    how: str
    content: bytes

    def __repr__(self):
        return f"Broken({self.how!r}, {len(self.content)} bytes)"


def strict_board(folder):
    """Make a board with small limits, and return it with the lines of a good file and another good file."""
    dataset = tiny_folder(folder / "layered-vqa")
    board = empty_board(folder / "board", dataset, limits=LIMITS)
    told = About(GOOD.name, "r1", "open", 2.5, "https://example.org/list", "Как есть.")
    options = {"conditions": CONDITIONS, "runs": 2, "baselines": ("question-only",)}
    file = submission(folder / "good", dataset, GOOD, told, judges=("own-judge",), **options)
    other = submission(folder / "other", dataset, SLOW, conditions=("full",), runs=1)
    return board, gzip.decompress(file.read_bytes()).splitlines(), other


def broken(lines):
    """Return the strategy of broken submissions, made of the lines of a good one."""
    number = st.integers(1, len(lines) - 1)
    return st.one_of(
        *(one(lines) for one in (_values, _values, _header_values, _header_values, _retyped, _retyped)),
        *(one(lines) for one in (_renamed, _raw, _raw, _encoded, _packed, _bombs)),
        st.builds(lambda place: Broken("a line left out", _file(lines[:place] + lines[place + 1 :])), number),
        st.builds(lambda place: Broken("a line twice", _file([*lines, lines[place]])), number),
        st.builds(
            lambda place: Broken("an empty line", _file([*lines[:place], b"", *lines[place:]])), number
        ),
        st.builds(
            lambda place: Broken(
                "two lines as one", _file([*lines[:place], lines[place] * 2, *lines[place + 1 :]])
            ),
            number,
        ),
        st.builds(
            lambda place, cut: Broken("a line cut", _file([*lines[:place], lines[place][:cut]])),
            number,
            st.integers(0, 60),
        ),
        st.just(Broken("no header", _file(lines[1:]))),
        st.just(Broken("two headers", _file([lines[0], *lines]))),
        st.just(Broken("the header last", _file([*lines[1:], lines[0]]))),
        st.just(Broken("the header alone", _file(lines[:1]))),
        st.just(Broken("an array", b"[" + b",".join(lines) + b"]")),
        st.just(Broken("nothing", b"")),
    )


_WRONG_TYPES = ({}, {"a": 1}, [[]], [{}], [None], 3.25, [1.5, "x"])
_TYPED = {
    "conversation": (
        *("condition", "question_id", "run", "status", "turns"),
        *(
            ("turns", 0, name)
            for name in ("user", "question", "shards", "layers", "composite", "seed", "status")
        ),
        *(("turns", 0, name) for name in ("reply", "prompt_tokens", "completion_tokens", "finish_reason")),
    ),
    "judgement": (
        *("judge", "condition", "question_id", "run", "status", "final_turn_correct", "first_correct_turn"),
        *(
            "flags",
            "is_correct",
            "answer_span",
            "reasoning",
            ("attempts", 0, "turn"),
            ("attempts", 0, "answer"),
        ),
    ),
}


def _values(lines):
    """Change one value of a conversation or a judgement to one that has the right type."""
    whole = st.sampled_from([-1, 2**31, 2**63, 2**64, 10**30, 10**4000])
    conversation = st.one_of(
        st.tuples(st.sampled_from(["condition", "question_id"]), st.sampled_from(HOSTILE)),
        st.tuples(st.just("run"), st.one_of(whole, st.sampled_from([0, 3, 1000]))),
        st.tuples(
            st.just("status"), st.sampled_from(["done", "OK", "timeout", "truncated", "transport_error"])
        ),
        st.tuples(st.just(("turns", 0, "seed")), st.one_of(whole, st.integers(0, 9))),
        st.tuples(st.just(("turns", 0, "user")), st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))),
        st.tuples(
            st.just(("turns", 0, "layers")), st.sampled_from([[7], [-1], [0, 0], [10**30], [0] * 2000])
        ),
        st.tuples(st.just(("turns", 0, "shards")), st.sampled_from([[9], [-1], [1] * 2000])),
        st.tuples(st.just(("turns", 0, "status")), st.sampled_from(["done", "timeout", "empty"])),
        st.tuples(st.just(("turns", 0, "reply")), st.sampled_from([None, "", " \n", "x" * 400_001])),
        st.tuples(st.just(("turns", 0, "prompt_tokens")), whole),
        st.tuples(st.just("turns"), st.just([])),
        st.tuples(st.just("misalignment"), st.sampled_from(["strict", "identical", "<b>"])),
    )
    judgement = st.one_of(
        st.tuples(st.sampled_from(["judge", "condition", "question_id"]), st.sampled_from(HOSTILE)),
        st.tuples(st.just("first_correct_turn"), st.one_of(whole, st.just(99))),
        st.tuples(st.just("status"), st.sampled_from(["done", "parse_error"])),
        st.tuples(st.just("final_turn_correct"), st.none()),
        st.tuples(st.just(("attempts", 0, "turn")), st.one_of(whole, st.sampled_from([0, 99]))),
    )
    return st.one_of(_changed(lines, "conversation", conversation), _changed(lines, "judgement", judgement))


def _retyped(lines):
    """Put a value of another type, drop a field, or add one."""
    made = []
    for kind, names in _TYPED.items():
        wrong = st.tuples(st.sampled_from(names), st.sampled_from(_WRONG_TYPES))
        gone = st.tuples(st.sampled_from(names[:5]), st.just(_GONE))
        added = st.tuples(st.sampled_from(["accuracy", "score", "__proto__", "Status"]), st.just(99.9))
        made += [_changed(lines, kind, one) for one in (wrong, gone, added)]
    return st.one_of(made)


def _header_values(lines):
    """Change one value of the header."""
    pairs = [(place, value) for place, values in HEADER.items() for value in values]
    return st.one_of(
        _changed(lines, "header", st.sampled_from(pairs)),
        _changed(lines, "header", st.tuples(st.sampled_from([*HEADER][:3]), st.just(_GONE))),
        _changed(
            lines,
            "header",
            st.integers(13, 600).map(lambda depth: (("settings", "model", "deep"), _nested(depth))),
        ),
    )


def _renamed(lines):
    """Give the model a name that none may have."""
    letters = st.characters(blacklist_categories=("Cs",))
    bad = st.one_of(
        st.sampled_from(
            [*HOSTILE, "Оrg/Model-A", "a//b", "a/b/c", "/a", "a/", "a  b", "АВС", "Мodel", "x" * 97]
        ),
        st.sampled_from(["Аurora-lab/Aurora-VL-7B", "aurora-lab/Aurora-VL-7В", "aurora-Iab/Aurora-VL-7B"]),
        st.text(letters, min_size=1, max_size=12).map(lambda text: text + "<"),
        st.text(letters, max_size=12).map(lambda text: "=" + text),
        st.text("абв", min_size=1, max_size=5).map(lambda text: f"gpt-{text}"),
    ).filter(lambda name: name not in ("CON", "FULL", "full "))
    return _changed(lines, "header", bad.map(lambda name: (("about", "model"), name)))


def _raw(lines):
    """Change the text of a line to what JSON cannot say, or says twice."""

    def spoilt(place, how):
        line = lines[place]
        kind = json.loads(line)["kind"]
        key = {"header": "format", "conversation": "run", "judgement": "run"}[kind]
        value = json.dumps(json.loads(line)[key]).encode()
        field = b'"%s":' % key.encode()
        changed = {
            "a key twice": line.replace(field, field + value + b"," + field, 1),
            "NaN": line.replace(field + value, field + b"NaN", 1),
            "Infinity": line.replace(field + value, field + b"-Infinity", 1),
            "1e999": line.replace(field + value, field + b"1e999", 1),
            "01": line.replace(field + value, field + b"01", 1),
            "5,000 digits": line.replace(field + value, field + b"9" * 5000, 1),
            "deep": line.replace(field + value, field + b"[" * 50_000 + b"]" * 50_000, 1),
            "half a pair": line.replace(b'"kind":"', b'"kind":"\\ud800', 1),
            "no UTF-8": line.replace(field, b'"\xe4\xf6":1,' + field, 1),
            "a control character": line.replace(field, b"\x00" + field, 1),
            "single quotes": line.replace(b'"', b"'"),
            "a comma": line[:-1] + b",}",
            "a comment": line + b" // done",
        }[how]
        assert changed != line, how
        return Broken(how, _file([*lines[:place], changed, *lines[place + 1 :]]))

    hows = [
        "a key twice",
        "NaN",
        "Infinity",
        "1e999",
        "01",
        "5,000 digits",
        "deep",
        "half a pair",
        "no UTF-8",
    ]
    hows += ["a control character", "single quotes", "a comma", "a comment"]
    return st.builds(spoilt, st.integers(0, len(lines) - 1), st.sampled_from(hows))


def _encoded(lines):
    """Write the file in another encoding, or as another format."""
    text = b"\n".join(lines).decode()
    table = "id;ответ\n1;да\n2;3,5\n"
    files = {
        **{name: text.encode(name) for name in ("utf-16", "utf-16-le", "utf-32", "utf-7")},
        "windows-1251": text.replace("Ольха", "Ольха").encode("cp1251", "replace"),
        "koi8-r": text.encode("koi8-r", "replace"),
        **{f"CSV in {name}": table.encode(name) for name in ("utf-8", "cp1251", "utf-8-sig", "utf-16")},
        "HTML": b"<!doctype html><p>hello</p>",
        "PNG": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "YAML": b"format: 1\nabout:\n  model: x\n",
        "Parquet": b"PAR1" + bytes(100) + b"PAR1",
    }
    return st.sampled_from([Broken(how, content) for how, content in files.items()])


def _packed(lines):
    """Damage the packed file, or pack it as nothing that is taken."""
    good = gzip.compress(_file(lines), mtime=0)
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("run.jsonl", _file(lines))
    others = {
        "gzip twice": gzip.compress(good),
        "zip": zipped.getvalue(),
        "bzip2": bz2.compress(_file(lines)),
        "xz": lzma.compress(_file(lines)),
        "something behind": good + b"more",
        "gzip of nothing": gzip.compress(b""),
        "two files in one": good + good,
    }
    return st.one_of(
        st.sampled_from([Broken(how, content) for how, content in others.items()]),
        st.builds(lambda cut: Broken("gzip cut off", good[:cut]), st.integers(2, len(good) - 1)),
        # The first ten bytes hold a time and such; the last four the size, all of which is checked as well.
        st.builds(
            lambda place, bit: Broken("a bit of gzip", _flipped(good, place, bit)),
            st.integers(10, len(good) - 1),
            st.integers(0, 7),
        ),
    )


def _bombs(lines):
    """Be larger than a board reads, packed or not."""
    header = lines[0] + b"\n"
    files = {
        "zeros": bytes(3 << 20),
        "one long line": b"{" + b" " * (3 << 20),
        "lines without end": header + b"{}\n" * 400_000,
        "conversations without end": header + (lines[1] + b"\n") * 2000,
        "a long line behind": header + b'{"kind":"' + b"x" * (1 << 18) + b'"}\n',
        "empty lines": b"\n" * (2 << 20),
        "empty lines behind": header + b"\n" * 5000,
    }
    made = [Broken(how, gzip.compress(content, 1, mtime=0)) for how, content in files.items()]
    made.append(Broken("more as sent", bytes(range(256)) * (1 << 12)))
    return st.sampled_from(made)


_GONE = object()


def _changed(lines, kind, changes):
    """Return the strategy that makes one of `changes` (place, value) to one line of a kind."""
    places = [number for number, line in enumerate(lines) if json.loads(line)["kind"] == kind]

    def change(number, pair):
        place, value = pair
        line = json.loads(lines[number])
        if not _put(line, place if isinstance(place, tuple) else (place,), value):
            return Broken(f"{kind}: no field", b"{}")
        content = [*lines[:number], _json(line), *lines[number + 1 :]]
        return Broken(f"{kind}: {place}", _file(content))

    return st.builds(change, st.sampled_from(places), changes).filter(
        lambda made: made.content != _file(lines)
    )


def _put(holder, place, value):
    *outer, last = place
    for name in outer:
        if isinstance(holder, list) and not holder:
            return False
        holder = holder[name]
    if isinstance(holder, list):
        return False
    if value is _GONE:
        return holder.pop(last, _GONE) is not _GONE
    holder[last] = value
    return True


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _nested(depth):
    value = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def _flipped(content, place, bit):
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def _file(lines):
    return b"\n".join(lines) + b"\n" if lines else b""
