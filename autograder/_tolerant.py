"""A valid notebook from JSON that is nearly one."""

import re
from collections.abc import Iterator
from typing import Any

import nbformat
from nbformat import NotebookNode

__all__ = ["as_node", "tolerant"]

_CELL_TYPES = ("code", "markdown", "raw")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SURROGATE = re.compile("[\ud800-\udfff]")


def as_node(content: dict[str, Any]) -> NotebookNode:
    """``content`` with attribute access, as nbformat's own functions want it."""
    node: NotebookNode = nbformat.from_dict(content)  # type: ignore[no-untyped-call]
    return node


def tolerant(content: dict[str, Any]) -> NotebookNode:
    """A valid notebook of nbformat 4.5 from JSON that may lack, or spoil, anything but its list of cells."""
    metadata = _text_mapping(content.get("metadata"))
    for key in ("kernelspec", "language_info"):
        if not isinstance(metadata.get(key, {}), dict):
            del metadata[key]
    cells = [_tolerant_cell(cell) for cell in content["cells"]]
    notebook = as_node({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
    _give_ids(notebook.cells)
    for cell in notebook.cells:
        _upgrade_nbgrader(cell)
    return notebook


def _tolerant_cell(cell: object) -> dict[str, Any]:
    """One cell with every key that its type must have; what is no cell becomes an empty raw one, to keep its place."""
    found = cell if isinstance(cell, dict) else {"cell_type": "raw"}
    kind = found.get("cell_type")
    if kind not in _CELL_TYPES:
        kind = "code" if "outputs" in found else "raw"
    metadata = _text_mapping(found.get("metadata"))
    if "tags" in metadata:
        tags = metadata["tags"] if isinstance(metadata["tags"], list) else []
        metadata["tags"] = [tag for tag in tags if isinstance(tag, str)]
    if not isinstance(metadata.get("nbgrader", {}), dict):
        del metadata["nbgrader"]
    result = {"cell_type": kind, "id": found.get("id"), "metadata": metadata, "source": _text(found.get("source"))}
    if kind == "code":
        count, outputs = found.get("execution_count"), found.get("outputs")
        result["execution_count"] = count if isinstance(count, int) and not isinstance(count, bool) else None
        result["outputs"] = _dicts(outputs)
    elif isinstance(found.get("attachments"), dict):
        bundles = _text_mapping(found["attachments"])
        result["attachments"] = {name: bundle for name, bundle in bundles.items() if isinstance(bundle, dict)}
    return result


def _dicts(found: object) -> list[Any]:
    return [_clean(item) for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _text(source: object) -> str:
    """A cell's source, which the format lets be one string or a list of lines."""
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return str(_clean(source)) if isinstance(source, str) else ""


def _text_mapping(found: object) -> dict[str, Any]:
    return {str(_clean(key)): _clean(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _clean(value: Any) -> Any:
    """``value`` without lone surrogates, which JSON can spell and no file can hold."""
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return _text_mapping(value)
    return [_clean(item) for item in value] if isinstance(value, list) else value


def _give_ids(cells: list[NotebookNode]) -> None:
    """Give each cell without a usable id, or with one already seen, an id made from its place."""
    seen: set[str] = set()
    wanting = []
    for place, cell in enumerate(cells, start=1):
        if isinstance(cell.id, str) and _CELL_ID.fullmatch(cell.id) and cell.id not in seen:
            seen.add(cell.id)
        else:
            wanting.append((place, cell))
    for place, cell in wanting:
        cell.id = next(name for name in _names(f"cell-{place}") if name not in seen)
        seen.add(cell.id)


def _names(stem: str) -> Iterator[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}-{number}"
        number += 1


def _upgrade_nbgrader(cell: NotebookNode) -> None:
    """Bring nbgrader's metadata to schema 3 as nbgrader does; what cannot be is dropped, as editors drop it."""
    meta = cell.metadata.get("nbgrader")
    if meta is None or meta.get("schema_version") == 3:
        return
    if not meta:  # left by nbgrader where it met a duplicate
        del cell.metadata["nbgrader"]
        return
    from nbgrader.nbgraderformat import MetadataValidator  # two seconds, for old notebooks only

    try:
        MetadataValidator().upgrade_cell_metadata(cell)
    except (TypeError, ValueError):  # points that are no number
        del cell.metadata["nbgrader"]
