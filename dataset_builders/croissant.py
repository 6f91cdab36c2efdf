"""The Croissant description of a dataset folder: what its files are and what their columns mean, as JSON-LD.

The format is that of MLCommons (Croissant 1.1). No date stands in it, so the same build gives the same bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CROISSANT = "croissant.json"

TYPES = {"string": "sc:Text", "int32": "cr:Int32", "bool": "sc:Boolean"}
"""What Croissant calls the types of columns."""

_PICTURES = "pictures"
_PATH = {"@id": f"{_PICTURES}/path"}

_TERMS = (
    "arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet "
    "format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex "
    "repeated replace samplingRate separator source subField transform"
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    **{term: f"cr:{term}" for term in _TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "description": {"@container": "@language"},
}


@dataclass(frozen=True)
class Stored:
    """One file of the folder: its SHA-256 and its size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Described:
    """What a dataset says of itself: name, version, words, BibTeX, and the licences of what is in it."""

    name: str
    version: str
    description: str
    citation: str
    licences: Sequence[str]


def describe(
    about: Described, files: Mapping[str, Stored], configs: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the description of a folder with one `NAME.jsonl` a config and PNG pictures below `scenes/`.

    `files` maps relative path -> what is stored there. `configs` maps config -> its features, written as in
    the card: pictures stand in the columns that `load_dataset` reads, `X_file_name` and `X_file_names`.
    """
    tables = [stored_file(f"{name}.jsonl", files, "application/jsonlines") for name in configs]
    record_sets = [_picture_records(), *(_records(name, features) for name, features in configs.items())]
    return description(about, [*tables, _picture_files(files)], record_sets)


def description(
    about: Described, distribution: Sequence[Mapping[str, Any]], record_sets: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the description of a dataset with these files and records."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": about.name,
        "version": about.version,
        "description": about.description,
        "license": list(about.licences),
        "citeAs": about.citation,
        "isLiveDataset": False,
        "distribution": list(distribution),
        "recordSet": list(record_sets),
    }


def stored_file(path: str, files: Mapping[str, Stored], encoding: str) -> dict[str, Any]:
    """Return what is said of one file of the folder; `encoding` is its media type."""
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{files[path].size} B",
        "encodingFormat": encoding,
        "sha256": files[path].sha256,
    }


def record_field(identifier: str, kind: str, source: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return one field of a record set: its identifier SET/NAME, its type, and where its values stand."""
    name = identifier.rsplit("/", 1)[-1]
    return {"@type": "cr:Field", "@id": identifier, "name": name, "dataType": kind, "source": source, **more}


def _picture_files(files: Mapping[str, Stored]) -> dict[str, Any]:
    pictures = [stored for path, stored in files.items() if path.endswith(".png")]
    size = sum(stored.size for stored in pictures)
    return {
        "@type": "cr:FileSet",
        "@id": "png-files",
        "name": "png-files",
        "description": f"{len(pictures)} pictures, {size} bytes; manifest.json has the SHA-256 of each.",
        "encodingFormat": "image/png",
        "includes": "scenes/*/*.png",
    }


def _picture_records() -> dict[str, Any]:
    def field(name: str, kind: str, file_property: str) -> dict[str, Any]:
        source = {"fileSet": {"@id": "png-files"}, "extract": {"fileProperty": file_property}}
        return record_field(f"{_PICTURES}/{name}", kind, source)

    return {
        "@type": "cr:RecordSet",
        "@id": _PICTURES,
        "name": _PICTURES,
        "description": "Every picture with its path, by which the other record sets name it. "
        "Layers are RGBA: a reader that gives them as RGB has dropped their alpha.",
        "key": _PATH,
        "field": [field("path", "sc:Text", "fullpath"), field("content", "sc:ImageObject", "content")],
    }


def _records(config: str, features: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = f"{config}/{features[0]['name']}"
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "key": {"@id": first},
        "field": [field for feature in features for field in _column(config, feature)],
    }


def _column(config: str, feature: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the field of one feature: plain, a picture, a list of either, a list of lists or of records."""
    name = str(feature["name"])
    inner = feature.get("dtype", feature.get("list"))
    many: dict[str, Any] = {} if "dtype" in feature else {"isArray": True, "arrayShape": "-1"}
    if isinstance(inner, Mapping) and "image" in inner:
        column = f"{name}_file_names" if many else f"{name}_file_name"
        # A reference is joined when records are read, and only a single path can be joined.
        joined = {} if many else {"references": {"field": _PATH}}
        yield record_field(f"{config}/{column}", "sc:Text", _source(config, column), **many, **joined)
    elif isinstance(inner, Mapping):
        kind = TYPES[inner["list"]]
        yield record_field(f"{config}/{name}", kind, _source(config, name), isArray=True, arrayShape="-1,-1")
    elif isinstance(inner, str):
        yield record_field(f"{config}/{name}", TYPES[inner], _source(config, name), **many)
    else:
        parts = [_part(config, name, part) for part in inner or ()]
        yield {"@type": "cr:Field", "@id": f"{config}/{name}", "name": name, **many, "subField": parts}


def _part(config: str, column: str, feature: Mapping[str, Any]) -> dict[str, Any]:
    """Return one field of the records in a column; a list in it is read whole by its path."""
    name = feature["name"]
    kind = TYPES[feature.get("dtype", feature.get("list"))]
    source = {**_source(config, column), "transform": {"jsonPath": f"$[*].{name}"}}
    return record_field(f"{config}/{column}/{name}", kind, source)


def _source(config: str, column: str) -> dict[str, Any]:
    return {"fileObject": {"@id": f"{config}.jsonl"}, "extract": {"column": column}}
