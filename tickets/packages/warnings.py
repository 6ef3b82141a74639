"""What is told of a package that was taken, so that its sender can mend it: never a refusal.

Everything here follows from the package as it is stored, so the warnings of a ticket are worked
out when it is read, and are gone once it was mended.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.conf import settings

from stuckbot.lib.masking import REDACTED
from stuckbot.lib.outgoing import Refused, target_of
from tickets.packages.check import Warning_, pattern_warnings
from tickets.packages.plainness import machine_trace

_STAGES: Final = ("blocker_criteria", "task_criteria")
#: The fields of a criterion that its evidence must report, and those that are only read.
_REPORTED: Final = ("command", "pattern", "url")
_READ: Final = ("description", "expected")


def package_warnings(package: Mapping[str, Any]) -> tuple[Warning_, ...]:
    """The warnings of a package as it is stored: its keys filled in and its secrets masked."""
    return (
        *_summary_warnings(package),
        *_masked_warnings(package),
        *_closed_warnings(package),
        *pattern_warnings(dict(package)),
    )


def _summary_warnings(package: Mapping[str, Any]) -> Iterator[Warning_]:
    summary = package.get("human_summary")
    if not summary:
        message = (
            "Add human_summary with problem, impact and next_step in everyday words, so that a "
            "person can see what is wrong and what is needed."
        )
        yield Warning_("summary_missing", "human_summary", message)
        return
    for name, text in summary.items():
        trace = machine_trace(text)
        if trace is not None:
            path = f"human_summary.{name}"
            message = (
                f"{path} holds {trace}. Say it in everyday words there, and keep the exact text "
                "in the other fields."
            )
            yield Warning_("summary_jargon", path, message)


def _masked_warnings(package: Mapping[str, Any]) -> Iterator[Warning_]:
    for stage in _STAGES:
        for place, criterion in enumerate(package.get(stage, ())):
            for name in (*_REPORTED, *_READ):
                if REDACTED in (criterion.get(name) or ""):
                    path = f"{stage}[{place}].{name}"
                    yield Warning_("criterion_masked", path, _masked_message(path, name))


def _closed_warnings(package: Mapping[str, Any]) -> Iterator[Warning_]:
    """Addresses that nobody would have to look up to know that the desk will not open them."""
    for stage in _STAGES:
        for place, criterion in enumerate(package.get(stage, ())):
            url = criterion.get("url") or ""
            if criterion.get("method") != "external_check" or not url or REDACTED in url:
                continue
            if isinstance(target_of(url, settings.OUTGOING_ALLOWED), Refused):
                path = f"{stage}[{place}].url"
                message = (
                    f"StuckBot will not open {path}, so somebody has to look instead. Give an "
                    "address that begins with https://, names no port or user, and is public."
                )
                yield Warning_("url_not_opened", path, message)


def _masked_message(path: str, name: str) -> str:
    if name in _READ:
        return f"A secret was masked in {path}. Say without it what the check must show."
    if name == "url":
        return (
            f"A secret was masked in {path}, so StuckBot cannot open it, and somebody has to look "
            "instead. Give an address that needs no secret."
        )
    return (
        f"A secret was masked in {path}. Evidence must report the masked {name}, and whoever runs "
        "the check has to know the secret from elsewhere; better name a variable that holds it."
    )
