"""The living style page: every part of the pages in each of its states, in both themes.

For whoever builds pages; there is none of it outside of DEBUG.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from stuckbot.lib import clock
from stuckbot.site.pages import words
from stuckbot.site.pages.cards import Assured, CardShown
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.url_checks import unchecked_said
from verification.models import UrlCheck

_ROOTS: Final = re.compile(r":root \{(.*?)\n\s*\}", re.DOTALL)
_LONG: Final = "https://ci.example.com/" + "a-long-address-without-a-space/" * 5
Page = Callable[[HttpRequest], HttpResponse]


def _debug_only(page: Page) -> Page:
    @wraps(page)
    def shown(request: HttpRequest) -> HttpResponse:
        if not settings.DEBUG:
            raise Http404
        return page(request)

    return shown


@_debug_only
def style_page(request: HttpRequest) -> HttpResponse:
    faulty = SampleForm(data={"name": "", "role": "member", "note": "Kept as typed"})
    faulty.full_clean()
    context = {
        "themes": ("light", "dark"),
        "cards": _cards(),
        "trusts": [(text, code == "self_reported") for code, text in words.TRUST.items()],
        "results": words.RESULT.items(),
        "forms": [SampleForm(), faulty],
        "time": time_shown(clock.now() - timedelta(minutes=12), clock.now()),
        "hostile": "pay\u202egpj.exe \u200b<b>not bold</b> " + _LONG,
        "tones": ("", "good", "warned", "bad"),
    }
    return render(request, "style.html", context)


@_debug_only
def style_themes(request: HttpRequest) -> HttpResponse:
    """The tokens for a part of a page that is light or dark, whatever the rest of it is."""
    with open(str(finders.find("stuckbot.css")), encoding="utf-8") as file:
        light, dark = _ROOTS.findall(file.read())[:2]
    blocks = {"light": light, "dark": light + dark}
    css = [
        f'[data-theme="{name}"] {{{tokens}\n  color-scheme: {name};\n}}'
        for name, tokens in blocks.items()
    ]
    return HttpResponse("\n".join(css), content_type="text/css")


class SampleForm(forms.Form):
    """One field of each kind."""

    name = forms.CharField(max_length=40, help_text="As the others will see it.")
    role = forms.ChoiceField(choices=[("member", "Member"), ("viewer", "Viewer")])
    note = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), required=False)
    tick = forms.BooleanField(label="Stay signed in", required=False)
    off = forms.CharField(label="Cannot be changed", disabled=True, required=False, initial="-")


def _cards() -> list[CardShown]:
    details = {
        "RED": ("A person must decide how it goes on.", 9),
        "YELLOW": ("On it: ci-7, 42 min left.", 7),
        "ORANGE": ("Waiting for someone to pick it up.", 5),
        "GREEN": ("Closed without proof.", 2),
    }
    shown = [_card(color, detail, urgency) for color, (detail, urgency) in details.items()]
    look = UrlCheck(url="https://status.example.com/", reason="not_public")
    note = unchecked_said([look])
    noted = _card("RED", "The fix waits for your approval.", 4, note=note)
    return [*shown, noted, _card("RED", f"Blocked: {_LONG}", 10, title=_LONG, problem=_LONG)]


def _card(color: str, detail: str, urgency: int, **changes: Any) -> CardShown:
    now = clock.now()
    closed = color == "GREEN"
    values: dict[str, Any] = {
        "ref": f"SB-{urgency}",
        "color": color,
        "rule": "a_code",
        "badge": words.STATUS[color],
        "detail": detail,
        "title": "IPWalrus could not renew its certificate",
        "problem": "The renewal job cannot reach the DNS provider.",
        "outcome": "",
        "assured": Assured(words.ASSURED["none"], words.UNPROVEN, True) if closed else None,
        "project": "payments",
        "creator": "deploy-3",
        "holder": "ci-7" if color == "YELLOW" else "",
        "filed": time_shown(now - timedelta(hours=2), now),
        "closed": time_shown(now, now) if closed else None,
        "urgency": urgency,
        "urgency_name": words.urgency(urgency),
        "is_urgent": urgency >= 7,
        "labels": ["dns", "certificates"],
    }
    return CardShown(**(values | changes))
