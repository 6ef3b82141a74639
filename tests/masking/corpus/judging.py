"""Whether masking took a secret whole, and left a look-alike alone."""

import base64
import json
from enum import Enum
from typing import Any, Final
from urllib.parse import quote, unquote

from stuckbot.lib.masking import mask_text, mask_value
from tests.masking.corpus.making import Secret

#: A stretch of a secret this long gives it away in part.
_PIECE: Final = 6
#: So much of the text around a short secret tells it from the same letters elsewhere.
_ANCHOR: Final = 3


class Verdict(Enum):
    WHOLE = "covered whole"
    PARTLY = "partly"
    MISSED = "missed"


def judge(secret: Secret) -> Verdict:
    """The worst of the ways the text can be stored: alone, in a package, and as JSON."""
    verdicts = {verdict(secret, masked) for masked in _ways(secret)}
    for worst in (Verdict.MISSED, Verdict.PARTLY):
        if worst in verdicts:
            return worst
    return Verdict.WHOLE


def is_kept(text: str) -> bool:
    if mask_text(text).text != text:
        return False
    package = {"context": {"logs": [text]}, "given": _as_json(text)}
    return bool(mask_value(package).value == package)


def forms(value: str) -> set[str]:
    """The value as it can stand in stored text."""
    data = value.encode()
    coded = {base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()}
    found = {value, quote(value, safe=""), unquote(value), json.dumps(value)[1:-1]}
    return found | {form.rstrip("=") for form in coded if len(value) >= _PIECE}


def _ways(secret: Secret) -> list[str]:
    logs = [secret.text, *secret.beside]
    package = {"context": {"logs": logs}}
    found = [mask_text(secret.text).text, "\n".join(mask_value(package).value["context"]["logs"])]
    given = _as_json(secret.text)
    if given is not None:
        found.append(json.dumps(mask_value(given).value, ensure_ascii=False))
    return found


def _as_json(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def verdict(secret: Secret, masked: str) -> Verdict:
    if _stands(secret, masked):
        return Verdict.MISSED
    return Verdict.PARTLY if _piece_stands(secret, masked) else Verdict.WHOLE


def _stands(secret: Secret, masked: str) -> bool:
    value = secret.value
    if len(value) >= _PIECE:
        return any(form in masked for form in forms(value))
    left, right = _anchors(secret)
    return f"{left}{value}{right}" in masked


def _piece_stands(secret: Secret, masked: str) -> bool:
    """A stretch of it, or an end of it still hanging on what stood beside it."""
    value, frame = secret.value, _frame(secret)
    pieces = {value[at : at + _PIECE] for at in range(len(value) - _PIECE + 1)}
    if any(piece in masked and piece not in frame for piece in pieces):
        return True
    left, right = _anchors(secret)
    ends = {left + value[:_ANCHOR] if left else "", value[-_ANCHOR:] + right if right else ""}
    return any(end and end in masked and end not in frame for end in ends)


def _anchors(secret: Secret) -> tuple[str, str]:
    start, end = _place(secret)
    return secret.text[max(0, start - _ANCHOR) : start], secret.text[end : end + _ANCHOR]


def _frame(secret: Secret) -> str:
    """The text without it."""
    if len(secret.value) >= _PIECE:
        return secret.text.replace(secret.value, "\0")
    start, end = _place(secret)
    return f"{secret.text[:start]}\0{secret.text[end:]}"


def _place(secret: Secret) -> tuple[int, int]:
    start = secret.text.index(secret.value) if secret.at is None else secret.at
    return start, start + len(secret.value)
