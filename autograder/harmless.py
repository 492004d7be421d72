"""Cells of a student's notebook made harmless for whoever opens it to mark it.

formgrader, JupyterLab and nbconvert render a notebook's markdown and outputs with the rights of the person who looks.
What may act there is taken out: markup, scripts, links that run code, every output that is not text or a bitmap. What
a person marks by (answers, formulas, code, printed text, plots) stays.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode

from autograder._tolerant import as_node
from autograder.plain import plain

__all__ = ["harmless_attachments", "harmless_markdown", "harmless_outputs", "printed", "shown"]

MAX_OUTPUTS = 50
MAX_OUTPUT_CHARACTERS = 20_000
MAX_IMAGE_BYTES = 4 * 1024 * 1024
IMAGE_SIGNATURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}

PLAIN_TAGS = "b|i|u|s|em|strong|sub|sup|br|hr|p|ul|ol|li|code|pre|kbd|table|thead|tbody|tr|th|td|blockquote|h[1-6]"
# "<" starts markup only before a letter, "/", "!" or "?"; a tag without attributes and a web address do nothing.
MARKUP = re.compile(rf"<(?=[a-zA-Z/!?])(?!/?(?:{PLAIN_TAGS})\s*/?>)(?!https?://[^\s<>\"'`]*>)", re.IGNORECASE)
LINK = re.compile(r"(\](?=\()\(|\]:)(\s*<?\s*)([^\s)>]*)")
WEB_ADDRESS = re.compile(
    r"(?:https?://|mailto:|#)|data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*\Z", re.IGNORECASE
)
ATTACHMENT = re.compile(r"attachment:([\w.-]+)\Z")
ACTING_TEX = re.compile(r"\\(?=(?:href|require|style|class|cssId|html|data)\b)")
DIAGRAM = re.compile(r"(`{3,}|~{3,})([ \t]*)(?=mermaid)")  # nbconvert passes its text through as markup


def harmless_markdown(text: str, attachments: Mapping[str, Any] | None = None) -> str:
    """``text`` of which a markdown renderer makes nothing that acts, whatever it takes for code and whatever not.

    ``attachments`` are those that stay with the cell: a link to any other makes nbconvert refuse the whole notebook.
    """

    def link(found: re.Match[str]) -> str:
        opening, gap, target = found.groups()
        return (
            f"{opening}{gap}{target}"
            if _is_safe_target(target, attachments or {})
            else f"{opening[0]} {opening[1:]}{gap}{target}"
        )

    text = plain(text, most=200_000)
    text = MARKUP.sub("< ", text)
    text = DIAGRAM.sub(r"\1\2text ", text)
    text = LINK.sub(link, text)
    return ACTING_TEX.sub(r"\\ ", text)


def _is_safe_target(target: str, attachments: Mapping[str, Any]) -> bool:
    """A web address, an image in the text, an attachment that stays, or a path: no scheme, spelt out or hidden."""
    if found := ATTACHMENT.match(target):
        return found[1] in attachments
    return bool(WEB_ADDRESS.match(target)) or not any(sign in target for sign in ":&\\")


def harmless_attachments(attachments: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Of a cell's attachments, the bitmaps with plain names."""
    kept = {}
    for name, bundle in attachments.items():
        images = _images(bundle) if isinstance(bundle, Mapping) and re.fullmatch(r"[\w.-]+", name) else {}
        if images:
            kept[name] = images
    return kept


def harmless_outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Of a code cell's outputs, what was printed or raised, as plain text, and the bitmaps; the rest is named."""
    kept = [_output(output) for output in outputs[:MAX_OUTPUTS]]
    if len(outputs) > MAX_OUTPUTS:
        kept.append(printed(f"[{len(outputs) - MAX_OUTPUTS} more outputs left out]"))
    return kept


def _output(output: NotebookNode) -> NotebookNode:
    match output.get("output_type"):
        case "stream":
            return printed(_joined(output.get("text")), "stderr" if output.get("name") == "stderr" else "stdout")
        case "error":
            name, value = _joined(output.get("ename")), _joined(output.get("evalue"))
            return printed(f"{name}: {value}", "stderr")
        case "display_data" | "execute_result":
            return _display(output.get("data"))
    return printed("[an output of an unknown kind left out]")


def _display(data: object) -> NotebookNode:
    if not isinstance(data, Mapping):
        return printed("[an output without data left out]")
    kept = _images(data)
    if "text/plain" in data:
        kept["text/plain"] = plain(_joined(data["text/plain"]), most=MAX_OUTPUT_CHARACTERS)
    if not kept:
        return printed(f"[an output of type {plain(', '.join(map(str, data)) or 'nothing', most=200)} left out]")
    return as_node({"output_type": "display_data", "data": kept, "metadata": {}})


def _images(bundle: Mapping[str, Any]) -> dict[str, str]:
    """The bitmaps in a MIME bundle, written anew from their bytes so that nothing but an image is in them."""
    kept = {}
    for kind, signature in IMAGE_SIGNATURES.items():
        try:
            data = base64.b64decode("".join(_joined(bundle.get(kind)).split()), validate=True)
        except (binascii.Error, ValueError):
            continue
        if data.startswith(signature) and len(data) <= MAX_IMAGE_BYTES:
            kept[kind] = base64.b64encode(data).decode()
    return kept


def printed(text: str, name: str = "stdout") -> NotebookNode:
    """An output that shows ``text`` as if a cell had printed it."""
    text = plain(text, most=MAX_OUTPUT_CHARACTERS)
    return as_node({"output_type": "stream", "name": name, "text": text if text.endswith("\n") else f"{text}\n"})


def shown(markdown: str) -> NotebookNode:
    """An output that shows ``markdown``, which has to be harmless already, as if a cell had displayed it."""
    return as_node({"output_type": "display_data", "data": {"text/markdown": markdown}, "metadata": {}})


def _joined(text: object) -> str:
    """A string that the format lets be one string or a list of lines."""
    if isinstance(text, list):
        return "".join(line for line in text if isinstance(line, str))
    return text if isinstance(text, str) else ""
