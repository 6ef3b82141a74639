"""What was decided on a stage so far, and what was changed in the package before it was."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from stuckbot.lib.content import text_of
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import Text
from stuckbot.site.pages.deciding import rejections
from stuckbot.site.pages.described import described
from stuckbot.site.pages.technical import as_text
from stuckbot.site.pages.times import time_shown
from stuckbot.site.templatetags.texts import shown
from stuckbot.site.usecases.sight import Proof
from tickets.packages.changes import Changed
from verification.models import Verification

#: Lines of both sides that are compared one by one; longer texts are shown whole, one by one.
_COMPARED: Final = 400
_SHOWN: Final = 60
_AROUND: Final = 2


@dataclass(frozen=True, slots=True)
class Past:
    """A decision; `assurance` where the stage does not say it already, `unproved` the checks that
    rested on whoever approved, in words."""

    code: str
    sentence: SafeString
    assurance: Text
    reason: str
    unproved: list[tuple[Text, list[str]]]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a difference: `kind` is same, gone, new or gap."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ChangeShown:
    label: Text
    rows: list[Row]


def past_shown(proof: Proof, stage: str, now: datetime) -> list[Past]:
    """The newest first; without what the desk did by itself, which the stage says already."""
    jobs = [one for one in proof.verifications[::-1] if one.stage == stage and one.decided_at]
    said, current = described(proof.package), proof.newest(stage)
    return [
        _past(job, said, now, is_current=job is current)
        for job in jobs
        if job is not current or job.decided_by_id != job.org_id
    ]


def _past(job: Verification, said: Mapping[str, str], now: datetime, *, is_current: bool) -> Past:
    by_desk = job.decided_by_id in (None, job.org_id)
    told = words.DECIDED_BY_DESK if by_desk else words.DECIDED
    who = job.decided_by.name if job.decided_by else ""
    unproved = job.details.get("unproved") or {}
    assert job.decided_at is not None
    return Past(
        code=job.state,
        sentence=format_html(
            str(told[job.state]), who=shown(who), at=time_shown(job.decided_at, now)
        ),
        assurance="" if is_current else words.ASSURANCE.get(job.assurance, ""),
        reason=text_of(job.reason.bytes, job.reason.key_id) if job.reason else "",
        unproved=[
            (words.UNPROVED[kind], [said.get(key) or key for key in keys])
            for kind, keys in unproved.items()
            if kind in words.UNPROVED
        ],
    )


def rejections_shown(proof: Proof, stage: str) -> str:
    count, most = rejections(proof, stage)
    if not count:
        return ""
    told = _("Rejections so far: %(count)d of %(most)d, after which a person is asked.")
    return told % {"count": count, "most": most}


def changes_shown(changes: Iterable[Changed], said: Mapping[str, str]) -> list[ChangeShown]:
    return [
        ChangeShown(_label(one.path, said), list(_rows(one.before, one.after))) for one in changes
    ]


def _label(path: str, said: Mapping[str, str]) -> Text:
    """`package.context.logs`: "Logs"."""
    _package, first, *rest = path.split(".", 2)
    known = words.CONTEXT if first == "context" else words.EXPLAINED
    if first in ("blocker_criteria", "task_criteria") and rest:
        return _("Check: %(wish)s") % {"wish": said.get(rest[0]) or rest[0]}
    if first in ("context", "human_summary") and rest:
        return known.get(rest[0], rest[0])
    return words.TECHNICAL.get(first, words.PACKAGE.get(first, first))


def _rows(before: Any, after: Any) -> Iterator[Row]:
    old, new = (_lines(one) for one in (before, after))
    if len(old) + len(new) > _COMPARED:
        yield from _cut([*(Row("gone", one) for one in old)])
        yield from _cut([*(Row("new", one) for one in new)])
        return
    yield from _cut(list(_compared(old, new)))


def _lines(value: Any) -> list[str]:
    return [] if value in (None, "", [], {}) else as_text(value).split("\n")


def _compared(old: list[str], new: list[str]) -> Iterator[Row]:
    groups = difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND)
    for place, group in enumerate(groups):
        if place:
            yield Row("gap", "")
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (Row("same", one) for one in old[a:b])
                continue
            yield from (Row("gone", one) for one in old[a:b])
            yield from (Row("new", one) for one in new[c:d])


def _cut(rows: list[Row]) -> Iterator[Row]:
    yield from rows[:_SHOWN]
    if len(rows) > _SHOWN:
        yield Row("gap", "")
